package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// errNetwork marks a failure below HTTP.
var errNetwork = errors.New("network")

// transport prepares the connection; nothing is opened or started yet.
func (h *Host) transport() (mcp.Transport, error) {
	most := int(h.guard.most)
	switch t := h.target; {
	case t.URL != "":
		u, err := url.Parse(t.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, &ConnectionError{Target: t.String(), Doing: "connect", Err: errors.New("not an http or https URL")}
		}
		h.guard.target, h.guard.origin = t.String(), u
		return &mcp.StreamableClientTransport{
			Endpoint: t.URL, HTTPClient: &http.Client{Transport: lifeline{h}, CheckRedirect: sameHost},
			MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: most,
		}, nil
	case len(t.Command) > 0:
		return &command{host: h, words: t.Command, most: most}, nil
	case t.Conn != nil:
		return &mcp.IOTransport{Reader: h.guard.reader(t.Conn), Writer: t.Conn, MaxLineLength: most}, nil
	default:
		return nil, errors.New("no server is named")
	}
}

// sameHost follows a redirect within one host only: a link to another one is
// never followed.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		return fmt.Errorf("redirect to another host, %s, is not followed", clip(r.URL.Redacted()))
	}
	if len(via) >= 5 {
		return errors.New("too many redirects")
	}
	return nil
}

// lifeline ends requests with the connection. The SDK tells a server that a call
// was given up, and waits for seconds for one that is silent.
type lifeline struct{ host *Host }

// RoundTrip implements http.RoundTripper.
func (l lifeline) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(l.host.life, func() { cancel(context.Cause(l.host.life)) }) //nolint:contextcheck // the request's own context ends it too
	resp, err := l.host.guard.RoundTrip(r.WithContext(ctx))
	if err != nil {
		stop()
		cancel(nil)
		return nil, err
	}
	resp.Body = &ending{ReadCloser: resp.Body, end: func() { stop(); cancel(nil) }}
	return resp, nil
}

// ending is a body that does something when it is closed.
type ending struct {
	io.ReadCloser
	end func()
}

func (e *ending) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}

// guard bounds what a server may send in all its answers together, and notes why
// HTTP failed, which the SDK's errors do not say in a form to act on.
type guard struct {
	most   int64
	target string
	origin *url.URL
	next   *http.Transport // nil without HTTP
	left   atomic.Int64
	status atomic.Int64 // of the last refused request
	auth   atomic.Pointer[AuthError]
	stderr tail
}

// newGuard allows for the files and as much again for JSON around and escapes in
// them.
func newGuard(files int64) *guard {
	g := &guard{most: 2*files + 1<<20}
	g.left.Store(g.most)
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		g.next = t.Clone()
	}
	return g
}

func (g *guard) spent() bool { return g.left.Load() < 0 }

func (g *guard) idle() {
	if g.next != nil {
		g.next.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNetwork, err)
	}
	challenges := resp.Header.Values("WWW-Authenticate")
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden && len(challenges) > 0 {
		g.auth.Store(&AuthError{Target: g.target, Metadata: g.metadata(challenges)})
	}
	if resp.StatusCode >= http.StatusBadRequest {
		g.status.Store(int64(resp.StatusCode))
	} else {
		g.status.Store(0)
	}
	resp.Body = g.reader(resp.Body)
	return resp, nil
}

// metadata finds the place of the server's OAuth metadata: in its challenge, else
// where RFC 9728 puts it.
func (g *guard) metadata(headers []string) string {
	challenges, _ := oauthex.ParseWWWAuthenticate(headers) // a malformed one names no place
	for _, c := range challenges {
		if place := c.Params["resource_metadata"]; place != "" {
			return clip(place)
		}
	}
	return g.origin.Scheme + "://" + g.origin.Host + "/.well-known/oauth-protected-resource" + strings.TrimSuffix(g.origin.EscapedPath(), "/")
}

// cause finds what to tell about a failed connection.
func (g *guard) cause(err error) error {
	if status := int(g.status.Load()); status != 0 {
		return fmt.Errorf("the server answered HTTP %d %s", status, http.StatusText(status))
	}
	if refused, ok := errors.AsType[*url.Error](err); ok {
		return refused.Err
	}
	if text := g.stderr.String(); text != "" {
		return fmt.Errorf("%w; it said: %s", err, text)
	}
	return err
}

// reader counts what is read against the limit.
func (g *guard) reader(r io.ReadCloser) io.ReadCloser { return &counted{ReadCloser: r, guard: g} }

type counted struct {
	io.ReadCloser
	guard *guard
}

func (c *counted) Read(p []byte) (int, error) {
	if c.guard.spent() {
		return 0, errors.New("the server sends too much")
	}
	n, err := c.ReadCloser.Read(p)
	c.guard.left.Add(-int64(n))
	return n, err
}
