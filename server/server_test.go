package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
	skills = `{"extensions":{"io.modelcontextprotocol/skills":{}}}`
	apps   = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`
	both   = `{"extensions":{"io.modelcontextprotocol/skills":{},"io.modelcontextprotocol/ui":{"mimeTypes":["text/plain","text/html;profile=mcp-app"]}}}`
)

// farFuture is a clock whose deadlines never pass.
func farFuture() time.Time { return time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) }

// longAgo is a clock whose deadlines have passed.
func longAgo() time.Time { return time.Unix(1, 0) }

// newServer serves the embedded catalog without an account.
func newServer(tb testing.TB, all ...tools.Tool) (*server.Server, *catalog.Catalog) {
	tb.Helper()
	return newServerAt(tb, farFuture, all...)
}

// newServerAt is newServer with another clock for deadlines.
func newServerAt(tb testing.TB, clock func() time.Time, all ...tools.Tool) (*server.Server, *catalog.Catalog) {
	tb.Helper()
	if all == nil {
		all = tools.All()
	}
	var pages *catalog.Catalog
	s := build(tb, func(o *server.Options) { pages, o.Clock = o.Env.Catalog, clock }, all...)
	return s, pages
}

// build makes a server of these tools; adjust may change its options.
func build(tb testing.TB, adjust func(*server.Options), all ...tools.Tool) *server.Server {
	tb.Helper()
	pages, err := catalog.Load(catalog.Embedded())
	if err != nil {
		tb.Fatal(err)
	}
	reg, err := tools.New(all, tools.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	now := func() time.Time { return time.Date(2026, 12, 2, 5, 45, 0, 0, time.UTC) }
	opts := server.Options{
		Registry: reg, Version: "test", Clock: farFuture, Log: log,
		Env: &tools.Env{Kite: kite.None("no credentials"), Catalog: pages, Now: now, Log: log},
	}
	adjust(&opts)
	s, err := server.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// reply is a JSON-RPC answer.
type reply struct {
	body   []byte          // all of it
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (r reply) decode(tb testing.TB, into any) {
	tb.Helper()
	if r.Error != nil {
		tb.Fatalf("unexpected error %d: %s", r.Error.Code, r.Error.Message)
	}
	if err := json.Unmarshal(r.Result, into); err != nil {
		tb.Fatalf("decode result %s: %v", r.Result, err)
	}
}

// params adds the _meta that every modern request carries.
func params(caps string, members ...string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientCapabilities":` + caps + `,"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	return "{" + strings.Join(append(members, meta), ",") + "}"
}

func request(id int, method, params string) string {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": json.RawMessage(params)})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// runStdio feeds lines to a server and returns its answers in order.
func runStdio(tb testing.TB, s *server.Server, lines ...string) []reply {
	tb.Helper()
	var out bytes.Buffer
	if err := s.Stdio(tb.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		tb.Fatalf("Stdio: %v", err)
	}
	return replies(tb, out.Bytes())
}

func replies(tb testing.TB, out []byte) []reply {
	tb.Helper()
	var all []reply
	for line := range bytes.Lines(out) {
		var r reply
		dec := json.NewDecoder(bytes.NewReader(line))
		if err := dec.Decode(&r); err != nil {
			tb.Fatalf("output line is not JSON-RPC: %q", line)
		}
		r.body = line
		all = append(all, r)
	}
	return all
}

// byID returns the answer to a numbered request.
func byID(tb testing.TB, all []reply, id string) reply {
	tb.Helper()
	for _, r := range all {
		if string(r.ID) == id {
			return r
		}
	}
	tb.Fatalf("no answer to request %s in %d answers", id, len(all))
	return reply{}
}

// web is a running HTTP server and one client's requests to it.
type web struct {
	t      testing.TB
	url    string
	direct http.Handler // in place of the network, when set
}

func newWeb(tb testing.TB, s *server.Server) *web {
	tb.Helper()
	srv := httptest.NewServer(s.Handler())
	tb.Cleanup(srv.Close)
	return &web{t: tb, url: srv.URL}
}

// newDirect is newWeb without a network, for fuzzers: a minute of them has more requests than the system has ports.
func newDirect(tb testing.TB, s *server.Server) *web {
	tb.Helper()
	return &web{t: tb, url: "http://127.0.0.1:8080", direct: s.Handler()}
}

// of is the same server for another test.
func (w *web) of(tb testing.TB) *web {
	tb.Helper()
	return &web{t: tb, url: w.url, direct: w.direct}
}

// response is an HTTP answer, read to its end.
type response struct {
	status int
	header http.Header
	body   []byte
}

// post sends a body with headers given as name, value pairs.
func (w *web) post(body string, headers ...string) response {
	w.t.Helper()
	return w.do(http.MethodPost, "/mcp", body, headers...)
}

func (w *web) do(method, path, body string, headers ...string) response {
	w.t.Helper()
	req := w.request(method, path, body, headers...)
	if w.direct != nil {
		rec := httptest.NewRecorder()
		w.direct.ServeHTTP(rec, req)
		return response{rec.Code, rec.Header(), rec.Body.Bytes()}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		w.t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, text}
}

func (w *web) request(method, path, body string, headers ...string) *http.Request {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

// call makes a modern request with the headers it needs.
func (w *web) call(method, name, params string) reply {
	w.t.Helper()
	headers := []string{"Mcp-Protocol-Version", modern, "Mcp-Method", method}
	if name != "" {
		headers = append(headers, "Mcp-Name", name)
	}
	res := w.post(request(1, method, params), headers...)
	r := w.answer(res)
	valid(w.t, modern, method, r.body)
	return r
}

// legacyCall makes a call in an open legacy session.
func (w *web) legacyCall(method, params string, session []string) reply {
	w.t.Helper()
	r := w.answer(w.post(request(3, method, params), session...))
	valid(w.t, legacy, method, r.body)
	return r
}

// answer reads a JSON-RPC answer from plain JSON or from an event stream.
func (w *web) answer(res response) reply {
	w.t.Helper()
	body := res.body
	if strings.HasPrefix(res.header.Get("Content-Type"), "text/event-stream") {
		for line := range strings.Lines(string(res.body)) {
			if data, ok := strings.CutPrefix(line, "data: "); ok && strings.TrimSpace(data) != "" {
				body = []byte(data)
			}
		}
	}
	var r reply
	if err := json.Unmarshal(body, &r); err != nil {
		w.t.Fatalf("HTTP %d, body is not JSON-RPC: %q", res.status, body)
	}
	r.body = body
	return r
}

// session opens a legacy session and returns its headers.
func (w *web) session(caps string) []string {
	w.t.Helper()
	res := w.post(request(0, "initialize", `{"protocolVersion":"`+legacy+`","capabilities":`+caps+`,"clientInfo":{"name":"t","version":"1"}}`))
	if w.answer(res).Error != nil {
		w.t.Fatal("initialize failed")
	}
	headers := []string{"Mcp-Session-Id", res.header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version", legacy}
	w.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...)
	return headers
}

// allTools are the names of the program's tools but some, sorted as tools/list
// has them.
// allTools are those of a client that does not show apps.
func allTools(except ...string) []string {
	return toolsFor(tools.Profile{}, except...)
}

func toolsFor(p tools.Profile, except ...string) []string {
	var names []string
	for _, t := range tools.All() {
		if !slices.Contains(except, t.Name) && (p.Apps || t.Audience != tools.WithApps) {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return names
}

func toolNames(tb testing.TB, r reply) []string {
	tb.Helper()
	var list struct {
		Tools []struct{ Name string }
	}
	r.decode(tb, &list)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}
