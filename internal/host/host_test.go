package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// ourServer is the server of this program with its own catalog.
func ourServer(tb testing.TB) (*server.Server, *catalog.Catalog) {
	tb.Helper()
	pages, err := catalog.Load(catalog.Embedded())
	must(tb, err)
	reg, err := tools.New(tools.All(), tools.Options{})
	must(tb, err)
	log := slog.New(slog.DiscardHandler)
	s, err := server.New(server.Options{
		Registry: reg, Version: "test", Log: log,
		Clock: func() time.Time { return time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) }, // deadlines that never pass
		Env: &tools.Env{Kite: kite.None("no credentials"), Catalog: pages, Log: log, Now: func() time.Time {
			return time.Date(2026, 12, 2, 5, 45, 0, 0, time.UTC)
		}},
	})
	must(tb, err)
	return s, pages
}

// overPipe serves our server to one client.
func overPipe(tb testing.TB, s *server.Server) host.Target {
	tb.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Stdio(context.WithoutCancel(tb.Context()), theirs, theirs) // it ends when we hang up
	}()
	tb.Cleanup(func() {
		_ = theirs.Close()
		<-ended
	})
	return host.Target{Conn: ours}
}

func overHTTP(tb testing.TB, h http.Handler) host.Target {
	tb.Helper()
	web := httptest.NewServer(h)
	tb.Cleanup(web.Close)
	return host.Target{URL: web.URL + "/mcp"}
}

func dial(tb testing.TB, target host.Target, opts host.Options) *host.Host {
	tb.Helper()
	h, err := host.Dial(tb.Context(), target, opts)
	must(tb, err)
	tb.Cleanup(func() { _ = h.Close() })
	return h
}

// TestOurServer: a strict host accepts our own server whole, over both transports
// in both eras, and sees exactly the catalog.
func TestOurServer(t *testing.T) {
	t.Parallel()
	s, pages := ourServer(t)
	targets := map[string]func(testing.TB) host.Target{
		"pipe": func(tb testing.TB) host.Target { tb.Helper(); return overPipe(tb, s) },
		"http": func(tb testing.TB) host.Target { tb.Helper(); return overHTTP(tb, s.Handler()) },
	}
	for name, target := range targets {
		for era, opt := range eras() {
			t.Run(name+"/"+era, func(t *testing.T) {
				t.Parallel()
				h := dial(t, target(t), host.Options{Era: opt})
				r, err := h.Verify(t.Context())
				must(t, err)
				if faults := r.AllFaults(); len(faults) > 0 || len(r.Skills) != len(pages.Skills()) {
					t.Errorf("%d skills, want %d; faults %v", len(r.Skills), len(pages.Skills()), faults)
				}
				l, err := h.Skills(t.Context())
				must(t, err)
				for i, s := range pages.Skills() {
					if diff := cmp.Diff(s.Resources, l.Skills[i].Resources); diff != "" || s.URI != l.Skills[i].URI {
						t.Errorf("%s and %s:\n%s", s.URI, l.Skills[i].URI, diff)
					}
				}
				for _, want := range pages.Resources() {
					f, err := h.Read(t.Context(), want.URI)
					must(t, err)
					if string(f.Data) != string(want.Raw) || !f.Verified {
						t.Errorf("%s: other bytes, or not verified", want.URI)
					}
				}
				if got := h.Server(); (got.Protocol >= "2026-07-28") != (opt == host.Modern) || got.Name != server.Name || !got.Skills {
					t.Errorf("server: %+v", got)
				}
			})
		}
	}
}

// TestAnnounce: what we declare decides whether help is offered.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	s, _ := ourServer(t)
	for era, opt := range eras() {
		for _, plain := range []bool{false, true} {
			h := dial(t, overPipe(t, s), host.Options{Era: opt, Plain: plain})
			list, err := h.Tools(t.Context())
			must(t, err)
			found := false
			for _, tool := range list {
				found = found || tool.Name == "help"
				if tool.Name == "market" && (!tool.ReadOnly || !strings.Contains(string(tool.Schema), `"mode"`)) {
					t.Errorf("market: %+v", tool)
				}
			}
			if found != plain {
				t.Errorf("%s, plain %t: help listed: %t", era, plain, found)
			}
		}
	}
}

func TestCallTool(t *testing.T) {
	t.Parallel()
	s, _ := ourServer(t)
	h := dial(t, overPipe(t, s), host.Options{Plain: true})
	r, err := h.CallTool(t.Context(), "help", json.RawMessage(`{"key":"/orders"}`))
	must(t, err)
	if r.Failed || !strings.HasPrefix(r.Text, "# ") || !strings.Contains(string(r.Structured), `"key":"/orders"`) {
		t.Errorf("result: %+v", r)
	}
	if r, err = h.CallTool(t.Context(), "help", json.RawMessage(`{"key":"/nope"}`)); err != nil || !r.Failed {
		t.Errorf("a failed tool is a result: %+v, %v", r, err)
	}
	_, err = h.CallTool(t.Context(), "nope", nil)
	if refused, ok := errors.AsType[*host.RefusedError](err); !ok || refused.Code != -32602 {
		t.Errorf("an unknown tool: %v", err)
	}
}

// TestReadIsReal: a second read asks the server again, whatever it said about
// keeping the answer.
func TestReadIsReal(t *testing.T) {
	t.Parallel()
	for era, opt := range eras() {
		w := newWorld()
		var reads atomic.Int32
		w.read = func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
			if uri == prepareURI && reads.Add(1) > 1 {
				return contents(uri, strings.Replace(prepare, "Ask", "ask", 1)), nil
			}
			return nil, nil
		}
		h := w.connect(t, host.Options{Era: opt})
		f, err := h.Read(t.Context(), prepareURI)
		must(t, err)
		if string(f.Data) != prepare || !f.Verified {
			t.Errorf("%s: %q", era, f.Data)
		}
		f, err = h.Read(t.Context(), prepareURI)
		if bad, ok := errors.AsType[*host.Fault](err); !ok || bad.Reason != host.ReasonDigest || f != nil {
			t.Errorf("%s: changed bytes were accepted: %v", era, err)
		}
	}
}

// TestUnlistedIsNotRead: what no manifest lists is refused before the server is
// asked.
func TestUnlistedIsNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.files["skill://orders/secret.md"] = "secret"
	w.read = func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
		if uri == "skill://orders/secret.md" || strings.HasPrefix(uri, "file:") {
			t.Errorf("%s was read", uri)
		}
		return nil, nil
	}
	h := w.connect(t, host.Options{})
	for _, uri := range []string{"skill://orders/secret.md", "file:///etc/passwd", "skill://orders", "skill://orders/prepare.md/", ""} {
		_, err := h.Read(t.Context(), uri)
		if _, ok := errors.AsType[*host.UnlistedError](err); !ok {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

// TestSkillNeedNotBeListed: skills/get and a read of its SKILL.md reach it.
func TestSkillNeedNotBeListed(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.get[tradesURI] = w.skill(2)
	w.list = w.list[:2]
	h := w.connect(t, host.Options{})
	f, err := h.Read(t.Context(), tradesURI)
	must(t, err)
	if string(f.Data) != tradesFile || !f.Verified {
		t.Errorf("%q, verified %t", f.Data, f.Verified)
	}
	r, err := h.Verify(t.Context(), tradesURI)
	must(t, err)
	if len(r.AllFaults()) > 0 || len(r.Skills) != 1 || r.Skills[0].Name != "trades" {
		t.Errorf("report: %+v", r)
	}
	_, err = h.Verify(t.Context(), "trades")
	if missing, ok := errors.AsType[*host.NotFoundError](err); !ok || len(missing.Known) == 0 {
		t.Errorf("a name that is not listed: %v", err)
	}
}

// TestListingLeavesOutFaultyEntries: a host must not load them.
func TestListingLeavesOutFaultyEntries(t *testing.T) {
	t.Parallel()
	w := newWorld()
	delete(w.skill(0), "resources")
	l, err := w.connect(t, host.Options{}).Skills(t.Context())
	must(t, err)
	if len(l.Skills) != 2 || len(l.Faults) != 1 || l.Faults[0].URI != ordersURI {
		t.Errorf("%d skills, faults %v", len(l.Skills), l.Faults)
	}
}

func TestDynamicIsNotVerified(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.skill(2)["resources"] = "dynamic"
	h := w.connect(t, host.Options{})
	f, err := h.Read(t.Context(), tradesURI)
	must(t, err)
	if f.Verified {
		t.Error("nothing can verify it")
	}
	r, err := h.Verify(t.Context(), "trades")
	must(t, err)
	if len(r.AllFaults()) > 0 || !r.Skills[0].Dynamic {
		t.Errorf("report: %+v", r)
	}
}

// TestSlowServer: the time is for the whole connection, and the clock is not the
// real one.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	for era, opt := range eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.read = func(ctx context.Context, _ string) (*mcp.ReadResourceResult, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				h := w.connect(t, host.Options{Era: opt})
				start := time.Now() //nolint:forbidigo // the clock of the bubble
				_, err := h.Verify(t.Context())
				if late, ok := errors.AsType[*host.TimeoutError](err); !ok || late.After != 30*time.Second {
					t.Errorf("error: %v", err)
				}
				if took := time.Since(start); took != 30*time.Second {
					t.Errorf("took %s", took)
				}
				_ = h.Close()
			})
		})
	}
}

// TestSilentServer: nobody waits for a server that answers nothing, neither to
// connect nor to tell it that we leave.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	target := overHTTP(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // then it notices that we have gone
		<-r.Context().Done()
	}))
	// Many at once: what ends a call and what ends its connection race, and both
	// must be told as the time that is over.
	const each = 40
	failed := make(chan error, 2*each)
	for i := range 2 * each {
		go func() {
			_, err := host.Dial(t.Context(), target, host.Options{Timeout: 20 * time.Millisecond, PerCall: i < each})
			failed <- err
		}()
	}
	patience := time.After(25 * time.Second) // the default is 30
	for range 2 * each {
		select {
		case err := <-failed:
			if _, ok := errors.AsType[*host.TimeoutError](err); !ok || strings.Contains(err.Error(), target.URL) {
				t.Errorf("error: %v", err)
			}
		case <-patience:
			t.Fatal("it waits for longer than it was told to")
		}
	}
}

// TestTimePerCall: a person may think for an hour between two calls, but no call
// takes longer than the limit.
func TestTimePerCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		var slow atomic.Bool
		w.read = func(ctx context.Context, _ string) (*mcp.ReadResourceResult, error) {
			if slow.Load() {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, nil
		}
		h := w.connect(t, host.Options{PerCall: true, Timeout: time.Minute})
		<-time.After(time.Hour)
		_, err := h.Read(t.Context(), prepareURI)
		must(t, err)
		slow.Store(true)
		start := time.Now() //nolint:forbidigo // the clock of the bubble
		_, err = h.Read(t.Context(), prepareURI)
		if late, ok := errors.AsType[*host.TimeoutError](err); !ok || late.After != time.Minute || time.Since(start) != time.Minute {
			t.Errorf("error: %v after %s", err, time.Since(start))
		}
		slow.Store(false)
		if _, err := h.Read(t.Context(), prepareURI); err != nil {
			t.Errorf("after a call that took too long: %v", err)
		}
		_ = h.Close()
	})
}

// TestSilentOnDiscover: a legacy server that never answers what it does not know
// is still reached, and in time.
func TestSilentOnDiscover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.answer = func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "server/discover" {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return next(ctx, method, req)
			}
		}
		start := time.Now() //nolint:forbidigo // the clock of the bubble
		h := w.connect(t, host.Options{})
		if took := time.Since(start); took != 10*time.Second || h.Server().Protocol != "2025-11-25" {
			t.Errorf("%s after %s", h.Server().Protocol, took)
		}
		_, err := h.Verify(t.Context())
		must(t, err)
		_ = h.Close()
		if _, err := w.dial(t, host.Options{Era: host.Modern}); err == nil {
			t.Error("a legacy server is no modern one")
		}
	})
}

// TestCloseLeavesNothing: the bubble ends only if every goroutine has ended.
func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, opt := range eras() {
		synctest.Test(t, func(t *testing.T) {
			h := newWorld().connect(t, host.Options{Era: opt})
			_, err := h.Verify(t.Context())
			must(t, err)
			must(t, h.Close())
		})
	}
}

// TestTooManyBytes: a server with more than the limit, and one that lies about
// its sizes.
func TestTooManyBytes(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	w := newWorld()
	w.add("large-1", strings.Repeat("x", 40<<10))
	w.add("large-2", strings.Repeat("x", 40<<10))
	r, err := w.connect(t, host.Options{MaxBytes: limit}).Verify(t.Context())
	must(t, err)
	if diff := cmp.Diff([]host.Reason{host.ReasonLimit}, reasons(r.AllFaults())); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	lie := func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
		return contents(uri, strings.Repeat("x", 4<<20)), nil
	}
	w = newWorld()
	w.read = lie
	_, err = w.connect(t, host.Options{MaxBytes: limit}).Verify(t.Context())
	if _, ok := errors.AsType[*host.LimitError](err); !ok {
		t.Errorf("over a pipe: %v", err)
	}
	_, err = dial(t, host.Target{URL: w.web(t)}, host.Options{MaxBytes: limit}).Verify(t.Context())
	if _, ok := errors.AsType[*host.LimitError](err); !ok {
		t.Errorf("over HTTP: %v", err)
	}
}

func TestLoginWanted(t *testing.T) {
	t.Parallel()
	const place = "https://kite.example/.well-known/oauth-protected-resource/mcp"
	for name, header := range map[string]string{"named": `Bearer resource_metadata="` + place + `", error="invalid_token"`, "not named": "Bearer", "none": ""} {
		target := overHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if header != "" {
				w.Header().Set("WWW-Authenticate", header)
			}
			w.WriteHeader(http.StatusUnauthorized)
		}))
		_, err := host.Dial(t.Context(), target, host.Options{})
		want := place
		if name != "named" {
			want = strings.TrimSuffix(target.URL, "/mcp") + "/.well-known/oauth-protected-resource/mcp"
		}
		if auth, ok := errors.AsType[*host.AuthError](err); !ok || auth.Metadata != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	s, _ := ourServer(t)
	elsewhere := overHTTP(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	away := overHTTP(t, http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	_, err := host.Dial(t.Context(), away, host.Options{})
	if err == nil || !strings.Contains(err.Error(), "redirect to another host") {
		t.Errorf("error: %v", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.Handler())
	mux.Handle("/old", http.RedirectHandler("/mcp", http.StatusTemporaryRedirect))
	target := overHTTP(t, mux)
	target.URL = strings.TrimSuffix(target.URL, "/mcp") + "/old"
	if _, err := dial(t, target, host.Options{}).Skills(t.Context()); err != nil {
		t.Errorf("within one host: %v", err)
	}
}

// TestDialErrors: each says what was asked for, and what failed.
func TestDialErrors(t *testing.T) {
	t.Parallel()
	broken := overHTTP(t, http.NotFoundHandler())
	legacyOnly := newWorld()
	legacyOnly.answer = refuse("server/discover")
	tests := []struct {
		name   string
		target host.Target
		want   string
	}{
		{"no server", host.Target{}, "no server is named"},
		{"not a URL", host.Target{URL: "ftp://example.com/mcp"}, "not an http or https URL"},
		{"secret in the URL", host.Target{URL: "http://me:hunter2@127.0.0.1:1/mcp"}, "http://me:xxxxx@127.0.0.1:1/mcp"},
		{"secret in the query", host.Target{URL: "http://127.0.0.1:1/mcp?key=hunter2"}, "http://127.0.0.1:1/mcp?xxxxx"},
		{"nobody there", host.Target{URL: "http://127.0.0.1:1/mcp"}, "refused"},
		{"not MCP", broken, "HTTP 404 Not Found"},
		{"no program", host.Target{Command: []string{"no-such-program"}}, "not found"},
	}
	for _, tt := range tests {
		_, err := host.Dial(t.Context(), tt.target, host.Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	_, err := legacyOnly.dial(t, host.Options{Era: host.Modern})
	if err == nil || !strings.Contains(err.Error(), "the server speaks only MCP 2025-11-25") {
		t.Errorf("a legacy server asked for the modern era: %v", err)
	}
}

// TestUnlistedWithoutSkills does not speak of manifests that such a server
// cannot have.
func TestUnlistedWithoutSkills(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.caps.Extensions = nil
	_, err := w.connect(t, host.Options{}).Read(t.Context(), "skill://none.md")
	if _, ok := errors.AsType[*host.UnlistedError](err); !ok || strings.Contains(err.Error(), "manifest") {
		t.Errorf("error %v", err)
	}
}

// TestNoSkills: such a server still has resources and tools.
func TestNoSkills(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.caps.Extensions = nil
	h := w.connect(t, host.Options{})
	if _, err := h.Skills(t.Context()); !errors.Is(err, host.ErrNoSkills) {
		t.Errorf("list: %v", err)
	}
	if _, err := h.Skill(t.Context(), tradesURI); !errors.Is(err, host.ErrNoSkills) {
		t.Errorf("get: %v", err)
	}
	if _, err := h.Verify(t.Context()); !errors.Is(err, host.ErrNoSkills) {
		t.Errorf("verify: %v", err)
	}
	f, err := h.Read(t.Context(), tradesURI)
	must(t, err)
	if string(f.Data) != tradesFile || f.Verified {
		t.Errorf("%q, verified %t", f.Data, f.Verified)
	}
	if _, err := h.Read(t.Context(), "skill://nope/SKILL.md"); err == nil {
		t.Error("what the server does not list is not read")
	}
}

// TestCancelledCaller: the caller's context ends a call before the time is up.
func TestCancelledCaller(t *testing.T) {
	t.Parallel()
	w := newWorld()
	entered := make(chan struct{}, 1)
	w.read = func(ctx context.Context, _ string) (*mcp.ReadResourceResult, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	h := w.connect(t, host.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	if _, err := h.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
}

// TestSkillKeepsTheRest gets one skill, then reads a file of another.
func TestSkillKeepsTheRest(t *testing.T) {
	t.Parallel()
	h := newWorld().connect(t, host.Options{})
	if _, err := h.Skill(t.Context(), tradesURI); err != nil {
		t.Fatal(err)
	}
	if f, err := h.Read(t.Context(), prepareURI); err != nil || !f.Verified {
		t.Errorf("a file of another skill: %+v, %v", f, err)
	}
}

// TestSkillAndReadTogether is for the race detector. The file is in no manifest,
// so that a call ends with looking at all of them.
func TestSkillAndReadTogether(t *testing.T) {
	t.Parallel()
	h := newWorld().connect(t, host.Options{})
	if _, err := h.Skills(t.Context()); err != nil {
		t.Fatal(err)
	}
	var calls errgroup.Group
	for range 16 {
		calls.Go(func() error {
			_, err := h.Skill(t.Context(), ordersURI)
			return err
		})
		calls.Go(func() error {
			for range 100 {
				if _, err := h.Read(t.Context(), "skill://orders/none.md"); err == nil {
					return errors.New("read what is not there")
				}
			}
			return nil
		})
	}
	if err := calls.Wait(); err != nil {
		t.Error(err)
	}
}

// TestUnlistedSkillSaysWhy reads a skill that is served with a fault.
func TestUnlistedSkillSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.list[2]["frontmatter"] = map[string]any{"name": "other", "description": "Read trades."}
	_, err := w.connect(t, host.Options{}).Read(t.Context(), tradesURI)
	bad, ok := errors.AsType[*host.Fault](err)
	if !ok || bad.Reason != host.ReasonName {
		t.Errorf("error %v, want what is wrong with the entry", err)
	}
}
