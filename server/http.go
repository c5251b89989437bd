package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	modernVersion = "2026-07-28" // the first version without sessions
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	nameHeader    = "Mcp-Name"
	metaVersion   = "io.modelcontextprotocol/protocolVersion"
	bodyTime      = 10 * time.Second // a body that takes longer is cut off
	sessionIdle   = 30 * time.Minute // an idle legacy session ends
	maxSessions   = 1000             // live legacy sessions
	sessionRetry  = "60"             // seconds, for Retry-After beyond them
	endpoint      = "/mcp"
	base64Prefix  = "=?base64?"
	base64Suffix  = "?="
)

// router sends each request to the handler of its era. The SDK does not: its
// stateful handler refuses modern calls, and its stateless one cannot ask a
// legacy client anything.
type router struct {
	server *Server
	modern http.Handler // stateless: every request stands alone
	legacy http.Handler // stateful: initialize opens a session
}

// Handler returns the whole HTTP surface: /mcp, the status page and the health
// checks.
func (s *Server) Handler() http.Handler {
	same := func(*http.Request) *mcp.Server { return s.mcp }
	r := &router{
		server: s,
		modern: mcp.NewStreamableHTTPHandler(same, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxMessage}),
		legacy: mcp.NewStreamableHTTPHandler(same, &mcp.StreamableHTTPOptions{SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxMessage}),
	}
	mux := http.NewServeMux()
	mux.Handle(endpoint, r)
	mux.HandleFunc("GET /{$}", s.status)
	for path, page := range s.opts.Pages {
		mux.Handle(path, page)
	}
	mux.HandleFunc("GET /healthz", ok)
	mux.HandleFunc("GET /readyz", ok)
	return s.harden(mux)
}

// harden sets the headers every answer carries, and the time its request's body
// may take. That holds for every path and method: net/http reads a body that
// nobody wanted before it answers. A server-wide read timeout would also end
// long event streams, so whoever has read the body lifts the limit.
func (s *Server) harden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Accel-Buffering", "no") // a buffering proxy would hold back event streams
		if r.ContentLength != 0 {
			// Not every ResponseWriter has deadlines; the size is bounded anyway.
			_ = http.NewResponseController(w).SetReadDeadline(s.opts.Clock().Add(bodyTime))
		}
		next.ServeHTTP(w, r)
	})
}

func ok(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "ok\n")
}

// status says what runs here, without anything about users.
func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	mode := "live"
	if s.opts.Env.Demo {
		mode = "demo"
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintf(w, "%s %s\nmode: %s\nMCP endpoint: %s\n", Name, s.opts.Version, mode, endpoint)
}

// ServeHTTP implements http.Handler.
func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !sameOrigin(r) {
		http.Error(w, "this origin may not call the server", http.StatusForbidden)
		return
	}
	body, status := readBody(w, r)
	if status != 0 {
		w.Header().Set("Connection", "close") // the rest of the body is in the way
		http.Error(w, bodyFault(status), status)
		return
	}
	r, w = withBody(r, body), plainWriter{w}
	version := r.Header.Get(versionHeader)
	if r.Method != http.MethodPost {
		if version >= modernVersion {
			rt.modern.ServeHTTP(w, r)
			return
		}
		rt.legacy.ServeHTTP(w, r)
		return
	}
	if !soundID(body) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(refusal(jsonrpc.CodeInvalidRequest, wrongID)) // a client that left needs no answer
		return
	}
	if version >= modernVersion || version == "" && r.Header.Get(sessionHeader) == "" && claimsModern(body) {
		decodeName(r.Header)
		rt.modern.ServeHTTP(w, r)
		return
	}
	if r.Header.Get(sessionHeader) == "" && rt.full() {
		w.Header().Set("Retry-After", sessionRetry)
		http.Error(w, "too many open sessions; try again later", http.StatusServiceUnavailable)
		return
	}
	rt.legacy.ServeHTTP(w, r)
}

// sameOrigin refuses pages of other sites. Programs send no Origin; a browser
// always does, and on GET too.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	scheme, host, ok := strings.Cut(origin, "://")
	return ok && (scheme == "http" || scheme == "https") && host == r.Host
}

// readBody reads the whole body under the size limit, then lifts the deadline
// that harden set. After a failure it stays, for what net/http still reads.
func readBody(w http.ResponseWriter, r *http.Request) (body []byte, status int) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // see harden
		return body, 0
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, http.StatusRequestTimeout
	default:
		return nil, http.StatusBadRequest
	}
}

func bodyFault(status int) string {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return fmt.Sprintf("request body is larger than %d bytes", maxMessage)
	case http.StatusRequestTimeout:
		return "request body did not arrive in time"
	default:
		return "request body cannot be read"
	}
}

func withBody(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return r
}

// claimsModern reports whether a body without version header names a modern
// version in its _meta. Such a call belongs to the modern handler, whose refusal
// says what is missing.
func claimsModern(body []byte) bool {
	if !bytes.Contains(body, []byte(metaVersion)) {
		return false
	}
	var call struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	if err := json.Unmarshal(body, &call); err != nil {
		return false
	}
	version, ok := optionalText(call.Params.Meta[metaVersion])
	return ok && version >= modernVersion
}

// decodeName undoes the encoding of a name that does not fit a header, which
// the SDK would compare undecoded.
func decodeName(h http.Header) {
	name := h.Get(nameHeader)
	inner, ok := strings.CutPrefix(name, base64Prefix)
	if !ok {
		return
	}
	if inner, ok = strings.CutSuffix(inner, base64Suffix); !ok {
		return
	}
	if plain, err := base64.StdEncoding.DecodeString(inner); err == nil {
		h.Set(nameHeader, string(plain))
	}
}

// full reports whether no further legacy session may open.
func (rt *router) full() bool {
	n := 0
	for range rt.server.mcp.Sessions() {
		if n++; n >= maxSessions {
			return true
		}
	}
	return false
}
