// Package host is our strict MCP client: it connects to any server, over HTTP or
// to a command, in either protocol era, and believes nothing it is told about a
// skill before it has read and hashed the files itself. It owns the connection,
// its limits and the verification; it prints nothing and never follows a link to
// another host. What a server sends is untrusted text. Start at Dial.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// skillsExtension is the identifier under which both sides declare Skills.
const skillsExtension = "io.modelcontextprotocol/skills"

// Era chooses the protocol versions to speak.
type Era int

// The eras. Auto takes the newest version that the server has.
const (
	Auto Era = iota
	Modern
	Legacy
)

const (
	modernVersion = "2026-07-28" // the first modern one
	legacyVersion = "2025-11-25" // the last legacy one
)

// Target is the server to connect to; exactly one field is set.
type Target struct {
	URL     string             // of a streamable HTTP endpoint
	Command []string           // a program that serves on stdin and stdout, with its arguments
	Conn    io.ReadWriteCloser // a server that already runs: newline-delimited JSON
}

// String names the target without the secrets that a URL may hold: a password,
// or a key in its query.
func (t Target) String() string {
	switch {
	case t.URL != "":
		if u, err := url.Parse(t.URL); err == nil {
			if u.RawQuery != "" {
				u.RawQuery = "xxxxx"
			}
			return u.Redacted()
		}
		return "the server"
	case len(t.Command) > 0:
		return strings.Join(t.Command, " ")
	default:
		return "the server in this process"
	}
}

// Options are the limits and manners of a connection. The zero value is a Skills
// client with the usual limits.
type Options struct {
	Era       Era
	Plain     bool          // do not announce Skills, as an ordinary client
	Apps      bool          // announce MCP Apps
	Version   string        // of this program
	Log       *slog.Logger  // nil discards
	Timeout   time.Duration // of the whole connection; 0 means 30 s
	PerCall   bool          // Timeout is for connecting and for each call instead
	MaxSkills int           // most skills looked at; 0 means 256
	MaxBytes  int64         // most bytes of files read; 0 means 64 MiB
	Env       []string      // of a command, NAME=value
	Grace     time.Duration // how long a server has to answer to our leaving, and a command to end when it was asked to; 0 means 2 s
	Dir       string        // a command's working directory; "" is ours
}

// The limits unless Options say otherwise.
const (
	DefaultTimeout   = 30 * time.Second
	DefaultMaxSkills = 256
	DefaultMaxBytes  = 64 << 20
	DefaultGrace     = 2 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	if o.MaxSkills <= 0 {
		o.MaxSkills = DefaultMaxSkills
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return o
}

// Server is what a server says about itself.
type Server struct {
	Name     string
	Version  string
	Protocol string // the version that was negotiated
	Skills   bool   // it declares the Skills extension
	Tools    bool   // it declares tools

	resources bool
}

// Host is one connection. Its methods may be called by several goroutines.
type Host struct {
	opts    Options
	target  Target
	guard   *guard
	session *mcp.ClientSession
	server  Server

	// A connection outlives the call that opened it, so it has a context of its
	// own: it ends with Close or when the time is up.
	life context.Context
	end  context.CancelFunc

	mu      sync.Mutex // guards the rest
	held    []*Skill   // the entries against which files are verified; never changed in place
	listing bool       // held has what skills/list gave
}

// Dial connects to a server. Close must be called for a host it returns. The
// errors of this package say what failed: *AuthError, *TimeoutError, *LimitError,
// *RefusedError, else *ConnectionError.
func Dial(ctx context.Context, target Target, opts Options) (*Host, error) {
	opts = opts.withDefaults()
	h := &Host{opts: opts, target: target, guard: newGuard(opts.MaxBytes)}
	transport, err := h.transport()
	if err != nil {
		return nil, err
	}
	h.life, h.end = context.WithCancel(context.WithoutCancel(ctx))
	if !opts.PerCall {
		h.life, h.end = h.limit(h.life)
	}
	client, err := newClient(opts)
	if err != nil {
		h.end()
		return nil, err
	}
	version := ""
	if opts.Era == Legacy {
		version = legacyVersion
	}
	ctx, done := h.bound(ctx)
	defer done()
	abort := context.AfterFunc(ctx, h.end) // nothing of a connection that never was is waited for
	defer abort()
	h.session, err = client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		err = h.explain(ctx, "connect", err)
		h.end()
		return nil, err
	}
	h.server = describe(h.session.InitializeResult())
	if opts.Era == Modern && h.server.Protocol < modernVersion {
		_ = h.Close() // the era is the news
		return nil, &ConnectionError{Target: target.String(), Doing: "connect", Err: fmt.Errorf("the server speaks only MCP %s, not %s", h.server.Protocol, modernVersion)}
	}
	return h, nil
}

// newClient makes the SDK's client announce Skills and keep no copies.
func newClient(opts Options) (*mcp.Client, error) {
	caps := &mcp.ClientCapabilities{}
	if !opts.Plain {
		caps.AddExtension(skillsExtension, nil)
	}
	if opts.Apps {
		caps.AddExtension("io.modelcontextprotocol/ui", map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}})
	}
	client := mcp.NewClient(
		&mcp.Implementation{Name: "kite-mcp", Title: "Kite for traders", Version: opts.Version},
		&mcp.ClientOptions{Capabilities: caps, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}},
	)
	client.AddSendingMiddleware(uncached)
	if opts.Era == Auto {
		client.AddSendingMiddleware(probe(opts.Timeout / probeShare))
	}
	for method, add := range map[string]func(*mcp.Client, string) error{
		listMethod: mcp.AddSendingCustomMethod[*listParams, *rawResult],
		getMethod:  mcp.AddSendingCustomMethod[*getParams, *rawResult],
	} {
		if err := add(client, method); err != nil {
			return nil, fmt.Errorf("register %s: %w", method, err)
		}
	}
	return client, nil
}

// probeShare is the part of the time that a server gets to say that it knows
// modern MCP. Some legacy servers never answer a method that they do not know.
const probeShare = 3

// probe gives up server/discover early; the SDK then takes the legacy handshake.
func probe(most time.Duration) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "server/discover" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, most)
				defer cancel()
			}
			return next(ctx, method, req)
		}
	}
}

// uncached makes every answer stale on arrival. The SDK would serve a second
// read from memory for as long as the server asks, and verify nothing.
func uncached(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		switch r := result.(type) {
		case *mcp.ReadResourceResult:
			r.TTLMs = 0
		case *mcp.ListResourcesResult:
			r.TTLMs = 0
		case *mcp.ListToolsResult:
			r.TTLMs = 0
		}
		return result, err
	}
}

func describe(r *mcp.InitializeResult) Server {
	s := Server{Protocol: r.ProtocolVersion}
	if r.ServerInfo != nil {
		s.Name, s.Version = r.ServerInfo.Name, r.ServerInfo.Version
	}
	if caps := r.Capabilities; caps != nil {
		_, s.Skills = caps.Extensions[skillsExtension].(map[string]any) // only an object declares it
		s.Tools, s.resources = caps.Tools != nil, caps.Resources != nil
	}
	return s
}

// Server returns what the server said about itself when the connection opened.
func (h *Host) Server() Server { return h.server }

// Modern reports whether a modern version was negotiated.
func (h *Host) modern() bool { return h.server.Protocol >= modernVersion }

// Close ends the connection, and the command if there is one. What the other
// side says about that is of no interest.
func (h *Host) Close() error {
	if h.target.URL != "" { // a server that does not answer to our leaving is left all the same
		late := time.AfterFunc(h.opts.Grace, h.end)
		defer late.Stop()
	}
	err := h.session.Close()
	h.end()
	h.guard.idle()
	h.opts.Log.Debug("connection closed", "server", h.target.String(), "error", err)
	return nil
}

// bound ends a call with its caller or with the connection, whichever is first.
func (h *Host) bound(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(h.life, func() { cancel(context.Cause(h.life)) })
	late := func() {}
	if h.opts.PerCall {
		ctx, late = h.limit(ctx)
	}
	return ctx, func() {
		stop()
		late()
		cancel(nil)
	}
}

func (h *Host) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, h.opts.Timeout, &TimeoutError{After: h.opts.Timeout})
}

// rejection reports whether an error is the SDK's mark on a request that was
// never answered; the reason is elsewhere in the chain.
func rejection(e *jsonrpc.Error) bool {
	return e.Code == -32005 && e.Message == "rejected by transport"
}

// explain turns an error of the SDK into one of ours.
func (h *Host) explain(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	// A request ends with the connection, and so does ctx, but not at the same
	// instant: see bound and lifeline.
	cause := cmp.Or(context.Cause(ctx), context.Cause(h.life)) //nolint:contextcheck // the connection outlives the call
	var refused *jsonrpc.Error
	switch {
	case h.guard.auth.Load() != nil:
		return h.guard.auth.Load()
	case h.guard.spent():
		return &LimitError{What: "bytes", Most: h.opts.MaxBytes}
	case cause != nil:
		return fmt.Errorf("%s: %w", doing, cause)
	case errors.As(err, &refused) && !rejection(refused):
		return &RefusedError{Doing: doing, Code: refused.Code, Message: refused.Message}
	}
	return &ConnectionError{Target: h.target.String(), Doing: doing, Err: h.guard.cause(err)}
}
