package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/porttest"
	"github.com/kite-mcp/kite-mcp/internal/session"
)

// world is a demo exchange over HTTP, and a clock that it shares with the keepers.
type world struct {
	t    *testing.T
	url  string
	dir  string
	logs *bytes.Buffer

	mu  sync.Mutex
	now time.Time
}

func newWorld(t *testing.T, redirect string) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "kite-mcp"), logs: &bytes.Buffer{}, now: time.Date(2026, 12, 2, 11, 15, 0, 0, kite.IST)}
	x, err := demo.New(demo.Options{Now: w.clock, LoggedOut: true, RedirectURL: redirect})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(x.Handler())
	t.Cleanup(srv.Close)
	w.url = srv.URL
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) set(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = at
}

// options are those of one process of this user.
func (w *world) options() session.Options {
	return session.Options{
		Dir: w.dir, APISecret: demo.APISecret, LoginURL: w.url,
		Kite: kite.Options{BaseURL: w.url, APIKey: demo.APIKey, Now: w.clock, Log: slog.New(slog.NewTextHandler(&locked{b: w.logs}, &slog.HandlerOptions{Level: slog.LevelDebug}))},
	}
}

func (w *world) keeper(change ...func(*session.Options)) *session.Keeper {
	w.t.Helper()
	o := w.options()
	for _, c := range change {
		c(&o)
	}
	k := session.New(o)
	w.t.Cleanup(k.Close)
	return k
}

type locked struct {
	mu sync.Mutex
	b  *bytes.Buffer
}

// Write appends to the buffer.
func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// press logs in on the demo page that link leads to, as a person does, and returns where the browser is sent.
func press(t *testing.T, link string) *url.URL {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	get(t, link, http.StatusOK)
	form := url.Values{"api_key": {u.Query().Get("api_key")}, "redirect_params": {u.Query().Get("redirect_params")}, "user_id": {"DM0001"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.Scheme+"://"+u.Host+u.Path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	back, err := resp.Location()
	if err != nil {
		t.Fatalf("login page: %s, %v", resp.Status, err)
	}
	return back
}

// get returns the body of a page that must have this status.
func get(t *testing.T, address string, status int) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		t.Fatalf("%s: status %d, want %d: %s (%v)", resp.Request.URL.Path, resp.StatusCode, status, body, err)
	}
	return string(body)
}

// logIn makes a login through the listener of a keeper.
func logIn(t *testing.T, k *session.Keeper) {
	t.Helper()
	link, _, err := k.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	get(t, press(t, link).String(), http.StatusOK)
}

func holdings(ctx context.Context, k *session.Keeper) (int, error) {
	c, err := k.Client(ctx)
	if err != nil {
		return 0, err
	}
	rows, err := c.Holdings(ctx)
	return len(rows), err
}

func mustRead(t *testing.T, k *session.Keeper) {
	t.Helper()
	if n, err := holdings(t.Context(), k); err != nil || n == 0 {
		t.Fatalf("%d holdings, %v", n, err)
	}
}

// loggedInWorld is a world with a login in its folder.
func loggedInWorld(t *testing.T) (*world, *session.Keeper) {
	t.Helper()
	addr := porttest.Addr(t)
	w := newWorld(t, "http://"+addr+session.CallbackPath)
	k := w.keeper(func(o *session.Options) { o.Addr = addr })
	logIn(t, k)
	return w, k
}

// TestLogin goes from the page over the redirect and the callback to the file and the holdings, and every secret of
// that way stays out of logs, errors and pages.
func TestLogin(t *testing.T) {
	t.Parallel()
	addr := porttest.Addr(t)
	w := newWorld(t, "http://"+addr+session.CallbackPath)
	k := w.keeper(func(o *session.Options) { o.Addr = addr })
	if _, err := holdings(t.Context(), k); !errors.Is(err, kite.ErrNotAuthenticated) {
		t.Fatalf("before the login: %v", err)
	}
	link, life, err := k.Begin(t.Context())
	if err != nil || life != 30*time.Minute {
		t.Fatalf("Begin: %v, %v", life, err)
	}
	back := press(t, link)
	page := get(t, back.String(), http.StatusOK)
	if !strings.Contains(page, "DM0001") || !strings.Contains(page, "2026-12-03 06:00 IST") {
		t.Errorf("page: %s", page)
	}
	mustRead(t, k)
	s := k.Status()
	if want := time.Date(2026, 12, 3, 6, 0, 0, 0, kite.IST); s.Err != nil || s.UserID != "DM0001" || !s.Expires.Equal(want) {
		t.Errorf("Status() = %+v", s)
	}
	raw := checkFiles(t, w.dir)
	var saved map[string]any
	if err := json.Unmarshal(raw, &saved); err != nil {
		t.Fatal(err)
	}
	token, _ := saved["access_token"].(string)
	for name, secret := range map[string]string{"access token": token, "request token": back.Query().Get("request_token"), "API secret": demo.APISecret, "state": back.Query().Get("state")} {
		if len(secret) < 8 {
			t.Fatalf("the %s is %q", name, secret)
		}
		if strings.Contains(w.logs.String()+page, secret) {
			t.Errorf("the %s is in the logs or on the page", name)
		}
		if secret == demo.APISecret && bytes.Contains(raw, []byte(secret)) || strings.Contains(link, demo.APISecret) {
			t.Errorf("the %s is in the file or the link", name)
		}
	}
	if bytes.Contains(raw, []byte(demo.APIKey)) {
		t.Error("the file holds the API key; its hash is enough")
	}
}

// checkFiles returns the token file of a folder in which nothing is open to others or left behind.
func checkFiles(t *testing.T, dir string) []byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(e.Name(), ".json") || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", info.Mode(), err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "session.json")) //nolint:gosec // the test's own file
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestOneLoginForAll: a login made by one process serves the others at once; so do a logout, an end by Kite, and the
// login after it, without any of them starting again.
func TestOneLoginForAll(t *testing.T) {
	t.Parallel()
	w, first := loggedInWorld(t)
	second, third := w.keeper(), w.keeper()
	mustRead(t, second)
	mustRead(t, third)

	// Kite ends the session in the middle of the day: a login elsewhere.
	endAtKite(t, w)
	if _, err := holdings(t.Context(), second); !errors.Is(err, kite.ErrSessionExpired) || hint(err) != "log in with kite-mcp login" {
		t.Fatalf("after the end: %v, hint %q", err, hint(err))
	}
	for _, k := range []*session.Keeper{first, second, third} {
		if err := k.Status().Err; !errors.Is(err, kite.ErrSessionExpired) {
			t.Errorf("the end is not known at once: %v", err)
		}
	}
	logIn(t, first)
	for _, k := range []*session.Keeper{first, second, third} {
		mustRead(t, k)
	}
	if had, err := second.End(t.Context()); !had || err != nil {
		t.Errorf("End() = %v, %v", had, err)
	}
	for _, k := range []*session.Keeper{first, second, third} {
		if _, err := holdings(t.Context(), k); !errors.Is(err, kite.ErrNotAuthenticated) || !errors.Is(err, kite.ErrLoggedOut) {
			t.Errorf("after the logout: %v", err)
		}
	}
	if had, err := third.End(t.Context()); had || err != nil {
		t.Errorf("second End() = %v, %v", had, err)
	}
}

func hint(err error) string {
	if e, ok := errors.AsType[*kite.Error](err); ok {
		return e.Hint
	}
	return ""
}

// endAtKite ends the session at the exchange, and nowhere else.
func endAtKite(t *testing.T, w *world) {
	t.Helper()
	var saved struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(checkFiles(t, w.dir), &saved); err != nil {
		t.Fatal(err)
	}
	if err := kite.New(kite.Options{BaseURL: w.url, APIKey: demo.APIKey, AccessToken: saved.Token}).Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestLogoutReachesKite: a copy of the token is worth nothing afterwards.
func TestLogoutReachesKite(t *testing.T) {
	t.Parallel()
	w, k := loggedInWorld(t)
	client, err := k.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Holdings(t.Context()); !errors.Is(err, kite.ErrSessionExpired) {
		t.Errorf("the token after the logout: %v", err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "session.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file after the logout: %v", err)
	}
}

// TestLogoutWithoutKite: what cannot be told to Kite is gone from this machine all the same.
func TestLogoutWithoutKite(t *testing.T) {
	t.Parallel()
	w, _ := loggedInWorld(t)
	cut := w.keeper(func(o *session.Options) { o.Kite.BaseURL = "http://" + porttest.Addr(t) })
	if had, err := cut.End(t.Context()); !had || !errors.Is(err, kite.ErrUpstreamUnavailable) {
		t.Errorf("End() = %v, %v", had, err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "session.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file after the logout: %v", err)
	}
}

// TestSessionEndsAtSix: without any call to Kite.
func TestSessionEndsAtSix(t *testing.T) {
	t.Parallel()
	w, k := loggedInWorld(t)
	w.set(time.Date(2026, 12, 3, 5, 59, 59, 0, kite.IST))
	mustRead(t, k)
	cut := w.keeper(func(o *session.Options) { o.Kite.Transport = unreachable{t} })
	w.set(time.Date(2026, 12, 3, 6, 0, 0, 0, kite.IST))
	if _, err := holdings(t.Context(), cut); !errors.Is(err, kite.ErrSessionExpired) || !strings.Contains(err.Error(), "06:00 IST") {
		t.Errorf("at 06:00: %v", err)
	}
	logIn(t, k)
	mustRead(t, k)
}

// unreachable is a network that nobody may use.
type unreachable struct{ t *testing.T }

// RoundTrip reports the call.
func (u unreachable) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("sent %s", r.URL.Path)
	return nil, errors.New("sent")
}

// TestOldEndSparesNewLogin: what a slow call learns about yesterday's token says nothing about today's.
func TestOldEndSparesNewLogin(t *testing.T) {
	t.Parallel()
	_, k := loggedInWorld(t)
	slow, err := k.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	logIn(t, k) // which ends the one before at Kite
	if _, err := slow.Holdings(t.Context()); !errors.Is(err, kite.ErrSessionExpired) {
		t.Fatalf("the old token: %v", err)
	}
	mustRead(t, k)
}

// TestPermissionIsNoEnd: a missing permission, a proxy's 401 and an outage leave the login alone.
func TestPermissionIsNoEnd(t *testing.T) {
	t.Parallel()
	_, k := loggedInWorld(t)
	for _, answer := range []struct {
		status int
		body   string
	}{
		{http.StatusForbidden, `{"status":"error","message":"Insufficient permission","error_type":"PermissionException"}`},
		{http.StatusUnauthorized, "<html>proxy</html>"},
		{http.StatusForbidden, ""},
		{http.StatusBadGateway, "down"},
	} {
		down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, answer.body)
		}))
		refused := session.New(session.Options{Dir: filepath.Dir(k.Status().Place), Kite: kite.Options{BaseURL: down.URL, APIKey: demo.APIKey, Now: func() time.Time { return time.Date(2026, 12, 2, 12, 0, 0, 0, kite.IST) }}})
		if _, err := holdings(t.Context(), refused); err == nil {
			t.Errorf("%+v: no error", answer)
		}
		down.Close()
		if err := k.Status().Err; err != nil {
			t.Errorf("%+v ended the session: %v", answer, err)
		}
	}
}

// TestCallbackRefuses: what was not begun here, is too old, or comes twice gives a page with the reason and no login.
func TestCallbackRefuses(t *testing.T) {
	t.Parallel()
	addr := porttest.Addr(t)
	w := newWorld(t, "http://"+addr+session.CallbackPath)
	k := w.keeper(func(o *session.Options) { o.Served = true })
	srv := httptest.NewServer(k.Pages()[session.CallbackPath])
	t.Cleanup(srv.Close)
	link, _, err := k.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	back := press(t, link)
	at := func(change func(url.Values)) string {
		q := back.Query()
		change(q)
		return srv.URL + session.CallbackPath + "?" + q.Encode()
	}
	refused := func(name, address string, status int, want string) {
		t.Helper()
		if page := get(t, address, status); !strings.Contains(page, want) || strings.Contains(page, back.Query().Get("request_token")) {
			t.Errorf("%s: %s", name, page)
		}
		if k.Status().Err == nil {
			t.Fatalf("%s logged in", name)
		}
	}
	const notOurs = "was not started by kite-mcp"
	refused("no state", at(func(q url.Values) { q.Del("state") }), 400, notOurs)
	refused("empty", srv.URL+session.CallbackPath, 400, notOurs)
	refused("other state", at(func(q url.Values) { q.Set("state", strings.Repeat("A", len(q.Get("state")))) }), 400, notOurs)
	refused("altered state", at(func(q url.Values) { q.Set("state", "B"+q.Get("state")[1:]) }), 400, notOurs)
	stranger := w.keeper(func(o *session.Options) { o.APISecret, o.Served = "another_secret", true })
	theirs, _, err := stranger.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	refused("a state of another secret", at(func(q url.Values) { q.Set("state", press(t, theirs).Query().Get("state")) }), 400, notOurs)
	refused("declined", at(func(q url.Values) { q.Set("status", "cancelled") }), 400, "was not completed at Kite")
	refused("no request token", at(func(q url.Values) { q.Del("request_token") }), 400, "no request token")
	refused("two request tokens", at(func(q url.Values) { q.Add("request_token", "another1") }), 400, "no request token")
	refused("unknown request token", at(func(q url.Values) { q.Set("request_token", "neverissued") }), 403, "Token is invalid or has expired")
	if _, err := k.Client(t.Context()); !errors.Is(err, kite.ErrNotAuthenticated) {
		t.Errorf("a refused login must not look like an ended session: %v", err)
	}
	get(t, at(func(url.Values) {}), http.StatusOK)
	if page := get(t, at(func(url.Values) {}), http.StatusForbidden); !strings.Contains(page, "Token is invalid or has expired") {
		t.Errorf("reused: %s", page)
	}
	mustRead(t, k) // the reused one did no harm

	w.set(w.clock().Add(31 * time.Minute))
	if page := get(t, at(func(url.Values) {}), http.StatusBadRequest); !strings.Contains(page, "30 minutes") {
		t.Errorf("too late: %s", page)
	}
}

// TestWrongSecret: Kite's reason reaches the person.
func TestWrongSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "http://localhost:1/callback")
	k := w.keeper(func(o *session.Options) { o.APISecret = "another_secret" })
	link, err := k.Address()
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Paste(t.Context(), press(t, link).String())
	if !errors.Is(err, kite.ErrNotAuthenticated) || !strings.Contains(err.Error(), "Invalid `checksum`") || strings.Contains(err.Error(), "another_secret") {
		t.Errorf("wrong secret: %v", err)
	}
}

// TestPaste takes what people paste.
func TestPaste(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*url.URL) string{
		"address":         func(u *url.URL) string { return "  " + u.String() + "\r\n" },
		"quoted":          func(u *url.URL) string { return `"` + u.String() + `"` },
		"query":           func(u *url.URL) string { return "?" + u.RawQuery },
		"bare query":      func(u *url.URL) string { return u.RawQuery },
		"request token":   func(u *url.URL) string { return u.Query().Get("request_token") + "\n" },
		"without a state": func(u *url.URL) string { return "localhost/?request_token=" + u.Query().Get("request_token") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "http://localhost:1/callback")
			k := w.keeper()
			link, err := k.Address()
			if err != nil {
				t.Fatal(err)
			}
			s, err := k.Paste(t.Context(), cut(press(t, link)))
			if err != nil || s.UserID != "DM0001" {
				t.Fatalf("Paste: %+v, %v", s, err)
			}
			mustRead(t, k)
		})
	}
	w := newWorld(t, "http://localhost:1/callback")
	k := w.keeper()
	for _, text := range []string{"", "\n", "short", "two words", "http://localhost/callback", "http://localhost/callback?request_token=abcdefgh&state=forged", "?%zz", strings.Repeat("a", 5000), "a\x00bcdefgh"} {
		if _, err := k.Paste(t.Context(), text); !errors.Is(err, kite.ErrInvalidArgument) || len(text) > 5 && strings.Contains(err.Error(), strings.TrimSpace(text)) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestPortTaken: by a stranger it is said, with the way round; by one of ours the login works all the same.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(stranger.Close)
	addr := stranger.Listener.Addr().String()
	w := newWorld(t, "http://"+addr+session.CallbackPath)
	_, _, err := w.keeper(func(o *session.Options) { o.Addr = addr }).Begin(t.Context())
	if err == nil || !strings.Contains(err.Error(), addr) || !strings.Contains(hint(err), "--paste") {
		t.Errorf("a stranger on the port: %v, %s", err, hint(err))
	}
	if _, _, err := w.keeper(func(o *session.Options) { o.Addr = "localhost:0" }).Begin(t.Context()); err == nil || !strings.Contains(hint(err), "--paste") {
		t.Errorf("port 0: %v", err)
	}

	addr = porttest.Addr(t)
	w = newWorld(t, "http://"+addr+session.CallbackPath)
	server, command := w.keeper(func(o *session.Options) { o.Addr = addr }), w.keeper(func(o *session.Options) { o.Addr = addr })
	if _, _, err := server.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	logIn(t, command) // whose link comes back to the other one
	if s, err := command.Wait(t.Context()); err != nil || s.UserID != "DM0001" {
		t.Errorf("Wait: %+v, %v", s, err)
	}
	mustRead(t, server)
}

// TestPortIsOpenOnlyWhilePending: nothing listens before a login and after it.
func TestPortIsOpenOnlyWhilePending(t *testing.T) {
	t.Parallel()
	addr := porttest.Addr(t)
	w := newWorld(t, "http://"+addr+session.CallbackPath)
	k := w.keeper(func(o *session.Options) { o.Addr = addr })
	if _, _, err := k.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	logIn(t, k) // a second Begin takes over
	k.Close()   // waits until the port is free; it was being freed already
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatalf("after the login: %v", err)
	}
	_ = l.Close()
}

// TestWaitEnds: with its context, and with the login's time.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newWorld(t, "").keeper().Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait: %v", err)
	}
}

// TestTokenOfEnvironmentWins, over a saved login, and says so when it has ended.
func TestTokenOfEnvironmentWins(t *testing.T) {
	t.Parallel()
	w, saved := loggedInWorld(t)
	mustRead(t, saved)
	k := w.keeper(func(o *session.Options) { o.Kite.AccessToken = "yesterdays_token" })
	if s := k.Status(); !s.FromEnv || s.Err != nil {
		t.Errorf("Status() = %+v", s)
	}
	_, err := holdings(t.Context(), k)
	if !errors.Is(err, kite.ErrSessionExpired) || !strings.Contains(hint(err), "KITE_ACCESS_TOKEN") {
		t.Errorf("ended: %v, %s", err, hint(err))
	}
	mustRead(t, saved) // it is another session
	if _, _, err := k.Begin(t.Context()); err == nil || !strings.Contains(err.Error(), "KITE_ACCESS_TOKEN") {
		t.Errorf("Begin: %v", err)
	}
}

// TestMissingSettings are named, and a login needs more of them than a call does.
func TestMissingSettings(t *testing.T) {
	t.Parallel()
	w, _ := loggedInWorld(t)
	keyless := w.keeper(func(o *session.Options) { o.Kite.APIKey = "" })
	if _, err := keyless.Client(t.Context()); !errors.Is(err, kite.ErrNotAuthenticated) || !strings.Contains(err.Error(), "KITE_API_KEY is not set") {
		t.Errorf("no key: %v", err)
	}
	if err := keyless.CanLogIn(); err == nil || !strings.Contains(err.Error(), "KITE_API_KEY is not set") {
		t.Errorf("no key: %v", err)
	}
	secretless := w.keeper(func(o *session.Options) { o.APISecret = "" })
	mustRead(t, secretless)
	if err := secretless.CanLogIn(); err == nil || !strings.Contains(err.Error(), "KITE_API_SECRET is not set") {
		t.Errorf("no secret: %v", err)
	}
	bare := w.keeper(func(o *session.Options) { o.APISecret, o.Kite.APIKey = "", "" })
	if err := bare.CanLogIn(); err == nil || !strings.Contains(err.Error(), "KITE_API_KEY and KITE_API_SECRET are not set") {
		t.Errorf("neither: %v", err)
	}
	other := w.keeper(func(o *session.Options) { o.Kite.APIKey = "another_app" })
	if _, err := other.Client(t.Context()); !errors.Is(err, kite.ErrNotAuthenticated) || !strings.Contains(err.Error(), "another Kite Connect app") {
		t.Errorf("another app: %v", err)
	}
	if had, err := other.End(t.Context()); had || err != nil {
		t.Errorf("logout of another app: %v, %v", had, err)
	}
	checkFiles(t, w.dir) // it is still there
}

// TestWithoutHome: the login works in its own process and leaves no trace.
func TestWithoutHome(t *testing.T) {
	t.Parallel()
	addr := porttest.Addr(t)
	w := newWorld(t, "http://"+addr+session.CallbackPath)
	k := w.keeper(func(o *session.Options) { o.Dir, o.Addr = "", addr })
	if err := k.Status().Err; err == nil || !strings.Contains(err.Error(), "no home folder is known") || !strings.Contains(hint(err), "XDG_CONFIG_HOME") {
		t.Errorf("without a home: %v, %s", err, hint(err))
	}
	logIn(t, k)
	mustRead(t, k)
	if had, err := k.End(t.Context()); !had || err != nil {
		t.Errorf("End() = %v, %v", had, err)
	}
	if err := k.Status().Err; !errors.Is(err, kite.ErrLoggedOut) {
		t.Errorf("after the logout: %v", err)
	}
}
