// Package kite is the broker side of the program: calls of Kite Connect v3 made on behalf of one account, the typed
// errors they fail with, and the instruments master.
//
// It owns deadlines, pacing, error classes, exact prices and tolerant decoding, so that callers see the same values
// however Kite or its client library behaves. It does not own logins, tool arguments or output shapes. Entry points
// are New for a Client and NewMaster for the instruments; Source is the seam between a caller and an account.
package kite

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	defaultBaseURL     = "https://api.kite.trade"
	defaultReadTimeout = 10 * time.Second
)

// IST is the zone of every exchange time. It is fixed, because a machine without zone files has no "Asia/Kolkata".
var IST = time.FixedZone("IST", 5*3600+1800)

// Source says whose account a call is for.
type Source interface {
	// Client returns the client of the account that ctx belongs to, or an *Error such as not_authenticated.
	Client(ctx context.Context) (*Client, error)
}

// Options configure a Client. Only the two credentials are required.
type Options struct {
	// BaseURL is the API root; empty means Kite's own.
	BaseURL string
	// APIKey and AccessToken are sent with every call and never appear in an error.
	APIKey, AccessToken string
	// LoggedIn is when the access token was issued; zero when unknown. Once the session must have ended, every call
	// fails with session_expired unsent.
	LoggedIn time.Time
	// Transport carries the calls; nil means a new NewTransport. Share one between clients to keep connections alive.
	Transport http.RoundTripper
	// Now is the wall clock, for the end of the session and an HTTP date in Retry-After; nil ignores both.
	Now func() time.Time
	// Log receives one debug line per call; nil discards.
	Log *slog.Logger
	// Pacer keeps the calls of one user below Kite's limits; nil means no pacing.
	Pacer *Pacer
	// Timeout is the deadline of one read, including the wait for a slot and all repeats; 0 means 10 seconds.
	Timeout time.Duration
	// Retry repeats reads that failed for a passing reason; nil never does.
	Retry *Retry
	// Ended is called, from any goroutine, when Kite says that the access token is no good any more; nil is not.
	Ended func()
	// LoginHint says how to log in again, in errors that ask for it; "" leaves that to whoever shows them.
	LoginHint string
}

// Client makes calls for one account. It is immutable and safe for concurrent use.
type Client struct {
	base        string
	apiKey      string
	accessToken string
	loggedIn    time.Time
	transport   http.RoundTripper
	now         func() time.Time
	log         *slog.Logger
	pacer       *Pacer
	timeout     time.Duration
	retry       *Retry
	ended       func()
	loginHint   string
	invalid     error // why no call can be made; nil for a usable client
}

// New returns a client of the account that the credentials in o belong to.
func New(o Options) *Client {
	c := &Client{
		base:        strings.TrimRight(o.BaseURL, "/"),
		apiKey:      o.APIKey,
		accessToken: o.AccessToken,
		loggedIn:    o.LoggedIn,
		transport:   o.Transport,
		now:         o.Now,
		log:         o.Log,
		pacer:       o.Pacer,
		timeout:     o.Timeout,
		retry:       o.Retry,
		ended:       o.Ended,
		loginHint:   o.LoginHint,
	}
	if c.base == "" {
		c.base = defaultBaseURL
	}
	if c.transport == nil {
		c.transport = NewTransport()
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.timeout <= 0 {
		c.timeout = defaultReadTimeout
	}
	// The library would report an unusable address by writing to standard output, so it must never see one.
	if u, err := url.Parse(c.base); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		c.invalid = &Error{Kind: KindInternal, Message: "the Kite base URL is not an http or https address", Hint: "check the base URL setting"}
	}
	return c
}

// NewTransport returns a keep-alive transport fit to be shared by all clients of a process.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          64,
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   5 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// Fixed is a Source that answers every caller with the same client: one login, the demo exchange, a test.
func Fixed(c *Client) Source { return fixedSource{c} }

type fixedSource struct{ client *Client }

func (s fixedSource) Client(context.Context) (*Client, error) { return s.client, nil }

// Pinned is a Source that stays with the first client it gets from another one. A call that asks several times must not
// begin with one account and end with another because somebody logged in meanwhile.
func Pinned(s Source) Source { return &pinnedSource{source: s} }

type pinnedSource struct {
	source Source

	mu     sync.Mutex
	client *Client
}

func (s *pinnedSource) Client(ctx context.Context) (*Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		client, err := s.source.Client(ctx)
		if err != nil {
			return nil, err
		}
		s.client = client
	}
	return s.client, nil
}

// None is a Source without an account: every call fails with not_authenticated and the given reason.
func None(reason string) Source { return noSource{reason} }

type noSource struct{ reason string }

func (s noSource) Client(context.Context) (*Client, error) {
	return nil, &Error{Kind: KindNotAuthenticated, Message: "not logged in to Kite: " + s.reason}
}
