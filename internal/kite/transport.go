package kite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	kiteconnect "github.com/zerodha/gokiteconnect/v4"
)

const (
	// maxBody bounds a JSON answer; the largest real ones, 500 quotes, are below 1 MiB.
	maxBody   = 32 << 20
	userAgent = "kite-mcp"
)

// answer is what one exchange with Kite came to: data of a success, or the failure.
type answer struct {
	sent    bool
	data    json.RawMessage
	failure *Error
}

// envelope is what stands around every answer of Kite's.
type envelope struct {
	status, message, errorType string
	data                       json.RawMessage
}

// readEnvelope takes an answer apart and checks that all of it is JSON, for less than json.Unmarshal costs.
func readEnvelope(body []byte) (env envelope, ok bool) {
	if !json.Valid(body) {
		return envelope{}, false
	}
	if !utf8.Valid(body) { // json.Valid does not look, and clients that do would lose the whole answer over one byte
		body = bytes.ToValidUTF8(body, []byte("\ufffd"))
	}
	r := readRow(body)
	env = envelope{status: r.text("status"), message: r.text("message"), errorType: r.text("error_type"), data: r.raw("data")}
	if len(r.problems) > 0 {
		return envelope{}, false
	}
	return env, true
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// viaLibrary lets gokiteconnect make one call and returns the data of its answer as sent.
//
// The library has no contexts, drops the cause of a failure, reports transport failures on standard output and takes a
// 200 with an error inside for success. So each call gets a client of its own whose transport is bound to ctx, judges
// the answer before the library sees it, and never returns an error. What the library decodes is not used: it loses
// fields and fails a whole list for one odd number.
func (c *Client) viaLibrary(ctx context.Context, what string, call func(*kiteconnect.Client)) (json.RawMessage, error) {
	return c.do(ctx, what, paceOther, func(ctx context.Context) answer {
		var a answer
		lib := kiteconnect.New(c.apiKey)
		lib.SetBaseURI(c.base)
		lib.SetAccessToken(c.accessToken)
		lib.SetHTTPClient(&http.Client{Transport: roundTripperFunc(func(r *http.Request) (*http.Response, error) {
			var resp *http.Response
			resp, a = c.exchange(ctx, r)
			return resp, nil
		})})
		call(lib)
		return a
	})
}

// get makes one GET without the library, for calls whose rows must reach the caller as sent.
func (c *Client) get(ctx context.Context, what, path string, query url.Values, class paceClass) (json.RawMessage, error) {
	return c.do(ctx, what, class, func(ctx context.Context) answer {
		req, err := c.newRequest(ctx, path, query)
		if err != nil {
			return answer{}
		}
		resp, a := c.exchange(ctx, req)
		_ = resp.Body.Close()
		return a
	})
}

// do wraps a read in what every read has: the deadline, the pacing, the repeats and the name of the call. It is for
// reads only: a change of the account must never be sent twice.
func (c *Client) do(ctx context.Context, what string, class paceClass, send func(context.Context) answer) (json.RawMessage, error) {
	if err := c.sessionOver(); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if err := c.admit(ctx, class); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	a := c.attempt(ctx, what, send)
	for n := 0; a.failure != nil && c.retry.wait(ctx, a.failure, n); n++ {
		if c.pacer.wait(ctx, class) != nil {
			break // the failure of the call says more than that
		}
		a = c.attempt(ctx, what, send)
	}
	if a.failure != nil {
		return nil, fmt.Errorf("read %s: %w", what, a.failure)
	}
	return c.redact(a.data), nil
}

// admit waits until Kite's limits let a call go. The error says why it must not go at all.
func (c *Client) admit(ctx context.Context, class paceClass) error {
	if c.invalid != nil {
		return c.invalid
	}
	return c.pacer.wait(ctx, class)
}

// attempt makes one exchange and notes it.
func (c *Client) attempt(ctx context.Context, what string, send func(context.Context) answer) answer {
	a := send(ctx)
	if !a.sent {
		a.failure = newError(KindInternal, "the request to Kite could not be built")
	}
	if a.failure != nil {
		c.log.DebugContext(ctx, "kite call failed", "call", what, "kind", a.failure.Kind, "status", a.failure.Status)
	} else {
		c.log.DebugContext(ctx, "kite call", "call", what, "bytes", len(a.data))
	}
	return a
}

func (c *Client) newRequest(ctx context.Context, path string, query url.Values) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	req.URL.RawQuery = query.Encode()
	req.Header.Set("X-Kite-Version", "3")
	req.Header.Set("User-Agent", userAgent)
	if c.apiKey != "" && c.accessToken != "" {
		req.Header.Set("Authorization", "token "+c.apiKey+":"+c.accessToken)
	}
	return req, nil
}

// exchange sends one request and judges the answer. The response it returns holds the body in memory and is either
// Kite's success or an error envelope with a status of 400 or more, never anything the library would misread.
func (c *Client) exchange(ctx context.Context, r *http.Request) (*http.Response, answer) {
	a := answer{sent: true}
	bound := r.Clone(ctx)
	if bound.Method != http.MethodGet && bound.Method != http.MethodHead {
		// net/http resends a request with GetBody on a fresh connection; an order must never leave twice.
		bound.GetBody = nil
	}
	resp, err := c.transport.RoundTrip(bound)
	if err != nil {
		a.failure = transportFailure(ctx, err)
		return substitute(r, a.failure), a
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	_ = resp.Body.Close()
	switch {
	case err != nil:
		a.failure = transportFailure(ctx, err)
		a.failure.Status = resp.StatusCode
	case len(body) > maxBody:
		a.failure = newError(KindUpstreamUnavailable, "Kite's answer is too large")
		a.failure.Status = resp.StatusCode
	default:
		a.data, a.failure = c.judge(resp, body)
		c.noteEnd(r, a.failure)
	}
	if a.failure != nil {
		return substitute(r, a.failure), a
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, a
}

// judge reads the envelope. The status alone is not believed: proxies answer in HTML, and a 200 can carry an error.
func (c *Client) judge(resp *http.Response, body []byte) (json.RawMessage, *Error) {
	env, readable := readEnvelope(body)
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300
	if ok && readable && env.status != "error" && (env.status == "success" || env.data != nil) {
		return env.data, nil
	}
	e := newError(kindOfAnswer(env.errorType, resp.StatusCode, env.message), c.cleanMessage(env.message))
	e.KiteType = c.cleanMessage(env.errorType)
	e.Status = resp.StatusCode
	if e.Message == "" {
		e.Message = unreadable(resp.StatusCode)
	}
	if e.Kind == KindRateLimited {
		e.RetryAfter = c.retryAfter(resp.Header.Get("Retry-After"))
		e.Hint = waitHint(e.RetryAfter)
	}
	return nil, e
}

// noteEnd tells the owner of the session that it is over. Only Kite's own word for it counts, about a call that showed
// the access token: a status can be a proxy's, and a missing permission is no ended session.
func (c *Client) noteEnd(r *http.Request, failure *Error) {
	if failure == nil || failure.Kind != KindSessionExpired {
		return
	}
	failure.Hint = c.loginHint
	if c.ended != nil && failure.KiteType == tokenException && r.Header.Get("Authorization") != "" {
		c.ended()
	}
}

func unreadable(status int) string {
	if status >= 200 && status < 300 {
		return "Kite sent an answer that cannot be read"
	}
	return fmt.Sprintf("Kite answered with HTTP status %d", status)
}

func waitHint(d time.Duration) string {
	seconds := max(1, int((d+time.Second-1)/time.Second))
	unit := "seconds"
	if seconds == 1 {
		unit = "second"
	}
	return fmt.Sprintf("wait %d %s, then repeat the call", seconds, unit)
}

// retryAfter reads the header in either of its two forms; one second when it is absent or unreadable.
func (c *Client) retryAfter(header string) time.Duration {
	const fallback, most = time.Second, time.Hour
	if n, err := strconv.Atoi(strings.TrimSpace(header)); err == nil && n > 0 {
		return min(time.Duration(min(n, 3600))*time.Second, most)
	}
	if t, err := http.ParseTime(header); err == nil && c.now != nil {
		return min(max(t.Sub(c.now()), fallback), most)
	}
	return fallback
}

// substitute is the error envelope the library gets in place of a failure it would misread or print.
func substitute(r *http.Request, e *Error) *http.Response {
	status := e.Status
	if status < 400 {
		// Also hides redirects, which net/http would follow with the credentials.
		status = http.StatusBadGateway
	}
	body, err := json.Marshal(map[string]string{"status": "error", "error_type": e.KiteType, "message": e.Message})
	if err != nil {
		body = []byte(`{"status":"error"}`)
	}
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       r,
	}
}
