package cmd_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/porttest"
)

// machine is a computer with one user, an exchange to log in to, and everything that was ever printed on it.
type machine struct {
	t    *testing.T
	env  []string
	dir  string // of the login
	at   string // of the exchange
	port string // host and port that a login comes back to

	ticks atomic.Int64
	mu    sync.Mutex
	all   strings.Builder
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, port: porttest.Addr(t)}
	x, err := demo.New(demo.Options{Now: m.clock, LoggedOut: true, RedirectURL: "http://" + m.port + "/callback"})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(x.Handler())
	t.Cleanup(srv.Close)
	home := t.TempDir()
	m.at, m.dir = srv.URL, filepath.Join(home, "kite-mcp")
	_, number, err := net.SplitHostPort(m.port)
	if err != nil {
		t.Fatal(err)
	}
	m.env = []string{
		"XDG_CONFIG_HOME=" + home, "AppData=" + home, "XDG_CACHE_HOME=" + home, "LOG_LEVEL=debug",
		"KITE_BASE_URL=" + m.at, "KITE_LOGIN_BASE_URL=" + m.at, "APP_HOST=127.0.0.1", "APP_PORT=" + number,
		"KITE_API_KEY=" + demo.APIKey, "KITE_API_SECRET=" + demo.APISecret,
	}
	return m
}

// clock moves on with every look, since Kite's limits are not the subject.
func (m *machine) clock() time.Time {
	return stopped().Add(time.Duration(m.ticks.Add(1)) * 300 * time.Millisecond)
}

// Write keeps what a process prints.
func (m *machine) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all.Write(p)
}

func (m *machine) printed() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all.String()
}

// run runs a command to its end.
func (m *machine) run(args ...string) (stdout string, status int) {
	m.t.Helper()
	var out strings.Builder
	status = cmd.Run(m.t.Context(), &cmd.Process{Args: append(args, "-vv"), In: strings.NewReader(""), Out: io.MultiWriter(&out, m), Err: m, Environ: m.env, Now: m.clock})
	return out.String(), status
}

// must runs a command that must exit with this status and print this.
func (m *machine) must(status int, want string, args ...string) {
	m.t.Helper()
	if got, s := m.run(args...); s != status || !strings.Contains(got, want) {
		m.t.Fatalf("kite-mcp %s: status %d, %q; want %d and %q", strings.Join(args, " "), s, got, status, want)
	}
}

// stdio is a server that one client talks to.
type stdio struct {
	t       *testing.T
	in      io.Writer
	answers *bufio.Scanner
	n       int
}

// serve starts a stdio server that runs until the test ends.
func (m *machine) serve() *stdio {
	m.t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- cmd.Run(context.WithoutCancel(m.t.Context()), &cmd.Process{Args: []string{"serve"}, In: fromClient, Out: toClient, Err: m, Environ: m.env, Now: m.clock})
		_ = toClient.Close()
	}()
	m.t.Cleanup(func() {
		_ = in.Close()
		if status := <-done; status != 0 {
			m.t.Errorf("serve: status %d", status)
		}
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &stdio{t: m.t, in: in, answers: lines}
}

// answer is what tests of the login look at in a tool's result.
type answer struct {
	Status   string `json:"status"`
	LoginURL string `json:"login_url"`
	Data     []any  `json:"data"`
	code     string
	text     string
}

func (s *stdio) call(tool, args string) answer {
	s.t.Helper()
	s.n++
	_, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`+"\n", s.n, tool, args)
	if err != nil || !s.answers.Scan() {
		s.t.Fatalf("%s: %v, %v", tool, err, s.answers.Err())
	}
	return answerOf(s.t, s.answers.Bytes())
}

func answerOf(t *testing.T, raw []byte) answer {
	t.Helper()
	var reply struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent answer
			Meta              map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal(raw, &reply); err != nil || len(reply.Result.Content) == 0 {
		t.Fatalf("%v in %s", err, raw)
	}
	a := reply.Result.StructuredContent
	a.text = reply.Result.Content[0].Text
	var failure struct{ Code string }
	if f := reply.Result.Meta["trade.kite/error"]; f != nil {
		if err := json.Unmarshal(f, &failure); err != nil {
			t.Fatal(err)
		}
	}
	a.code = failure.Code
	return a
}

// press logs in as a person does, and follows the browser back.
func (m *machine) press(link string) (requestToken string) {
	m.t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		m.t.Fatal(err)
	}
	form := url.Values{"api_key": {u.Query().Get("api_key")}, "redirect_params": {u.Query().Get("redirect_params")}, "user_id": {"DM0001"}}
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost, m.at+"/connect/login", strings.NewReader(form.Encode()))
	if err != nil {
		m.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "DM0001") {
		m.t.Fatalf("callback: %s %s %v", resp.Status, body, err)
	}
	if resp.Request.URL.Host != m.port {
		m.t.Fatalf("the browser ended on %s", resp.Request.URL.Host)
	}
	return resp.Request.URL.Query().Get("request_token")
}

// login runs kite-mcp login beside a person with a browser.
func (m *machine) login(args ...string) {
	m.t.Helper()
	stderr, notes := io.Pipe()
	done := make(chan int, 1)
	var out strings.Builder
	go func() {
		done <- cmd.Run(m.t.Context(), &cmd.Process{Args: append([]string{"login"}, args...), In: strings.NewReader(""), Out: io.MultiWriter(&out, m), Err: notes, Environ: m.env, Now: m.clock})
		_ = notes.Close()
	}()
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if link := strings.TrimSpace(lines.Text()); strings.HasPrefix(link, m.at) {
			go func() { _, _ = io.Copy(m, stderr) }() // or the next note would block
			m.press(link)
			break
		}
	}
	if status := <-done; status != 0 || !strings.Contains(out.String(), "DM0001") {
		m.t.Fatalf("login: status %d, %q", status, out.String())
	}
}

const holdingsCall = `{"mode":"holdings","type":"compact"}`

// TestLoginIsShared: two stdio servers and the commands have one login, whichever of them makes or ends it, and none
// starts again for that. Nothing that was printed meanwhile, at debug level, holds a secret.
func TestLoginIsShared(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	first, second := m.serve(), m.serve()
	m.must(4, "no login is saved", "status")
	if a := first.call("portfolio", holdingsCall); a.code != "not_authenticated" || !strings.Contains(a.text, "kite-mcp login") || !strings.Contains(a.text, "session mode login") {
		t.Fatalf("before the login: %+v", a)
	}
	offer := first.call("session", `{"mode":"login"}`)
	if offer.Status != "login_pending" || !strings.HasPrefix(offer.LoginURL, m.at+"/connect/login?") {
		t.Fatalf("login: %+v", offer)
	}
	secrets := []string{m.press(offer.LoginURL), m.token(), demo.APISecret}
	for _, s := range []*stdio{first, second} {
		if a := s.call("portfolio", holdingsCall); a.code != "" || len(a.Data) == 0 {
			t.Fatalf("after the login: %+v", a)
		}
	}
	m.must(0, "INFY", "holdings")
	m.must(0, "Logged in to Kite as DM0001", "status", "--online")
	m.must(0, "Already logged in to Kite as DM0001", "login")

	// A login elsewhere ends the session in the middle of the day; a new one makes running servers work again.
	m.elsewhere()
	if a := second.call("portfolio", holdingsCall); a.code != "session_expired" || !strings.Contains(a.text, "kite-mcp login") {
		t.Fatalf("after a login elsewhere: %+v", a)
	}
	m.must(4, "Kite ended the session before its time", "status")
	m.login("--no-browser")
	secrets = append(secrets, m.token())
	for _, s := range []*stdio{first, second} {
		if a := s.call("portfolio", holdingsCall); a.code != "" || len(a.Data) == 0 {
			t.Fatalf("after the new login: %+v", a)
		}
	}
	m.must(0, "Logged out of Kite.", "logout")
	m.must(0, "Already logged out of Kite.", "logout")
	for _, s := range []*stdio{first, second} {
		if a := s.call("session", `{"mode":"status"}`); a.Status != "logged_out" {
			t.Errorf("after the logout: %+v", a)
		}
	}
	if a := second.call("session", `{"mode":"logout"}`); a.Status != "already_logged_out" {
		t.Errorf("logout again: %+v", a)
	}
	for i, secret := range secrets {
		if len(secret) < 8 || strings.Contains(m.printed(), secret) {
			t.Errorf("secret %d of the login was printed", i)
		}
	}
	if strings.Contains(m.printed(), "request_token=") || !strings.Contains(m.printed(), "level=DEBUG") {
		t.Error("the address of a callback was printed, or nothing was logged")
	}
}

// token returns the access token that is saved.
func (m *machine) token() string {
	m.t.Helper()
	raw, err := os.ReadFile(filepath.Join(m.dir, "session.json"))
	var saved struct {
		Token string `json:"access_token"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &saved)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return saved.Token
}

// elsewhere ends the session at the exchange without telling anybody.
func (m *machine) elsewhere() {
	m.t.Helper()
	if err := kite.New(kite.Options{BaseURL: m.at, APIKey: demo.APIKey, AccessToken: m.token()}).Logout(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
}

// TestServerAnswersTheRedirect: a server on the port of the redirect completes the logins of all.
func TestServerAnswersTheRedirect(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	at := startHTTP(t, m.env, m.clock, "--http", m.port)
	m.login("--no-browser", "-o", "json") // whose port the server has
	if a := answerOf(t, calledAt(t, at, modernEra, "portfolio", holdingsCall)); len(a.Data) == 0 {
		t.Fatalf("holdings: %+v", a)
	}
	m.must(0, "Logged out of Kite.", "logout")
	offer := answerOf(t, calledAt(t, at, modernEra, "session", `{"mode":"login"}`))
	token := m.press(offer.LoginURL)
	m.must(0, "INFY", "holdings")

	u, err := url.Parse(offer.LoginURL)
	if err != nil {
		t.Fatal(err)
	}
	params, err := url.ParseQuery(u.Query().Get("redirect_params"))
	if err != nil {
		t.Fatal(err)
	}
	reused := "http://" + m.port + "/callback?status=success&request_token=" + token + "&state=" + params.Get("state")
	for address, want := range map[string]int{reused: http.StatusForbidden, "http://" + m.port + "/callback": http.StatusBadRequest} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != want || strings.Contains(string(body), token) {
			t.Errorf("status %d, want %d: %s %v", resp.StatusCode, want, body, err)
		}
	}
}

// TestLoginOutlivesItsClient: a login that is made after its client's session has ended counts, for the next session
// and for clients without any.
func TestLoginOutlivesItsClient(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	at := startHTTP(t, m.env, m.clock, "--http", m.port)
	_, opened := post(t, at, http.Header{}, hello)
	own := http.Header{"Mcp-Protocol-Version": {legacyEra}, "Mcp-Session-Id": {opened.Get("Mcp-Session-Id")}}
	post(t, at, own, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	raw, _ := post(t, at, own, callLine(legacyEra, "session", `{"mode":"login"}`))
	offer := answerOf(t, raw)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, at, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = own
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("end the session: %v %v", resp, err)
	}
	_ = resp.Body.Close()
	m.press(offer.LoginURL)
	for _, era := range []string{legacyEra, modernEra} {
		if a := answerOf(t, calledAt(t, at, era, "portfolio", holdingsCall)); a.code != "" || len(a.Data) == 0 {
			t.Errorf("%s: %+v", era, a)
		}
	}
}

// TestDemoLogin exercises the login against the exchange of the same process.
func TestDemoLogin(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env = append(m.env, "KITE_DEMO_NOW="+demoNow)
	at := startHTTP(t, m.env, m.clock, "--http", m.port, "--demo", "--demo-login")
	if a := answerOf(t, calledAt(t, at, modernEra, "session", `{"mode":"status"}`)); a.Status != "not_authenticated" {
		t.Fatalf("before the login: %+v", a)
	}
	offer := answerOf(t, calledAt(t, at, modernEra, "session", `{"mode":"login"}`))
	m.at = "http://" + m.port // the page is the server's own
	if !strings.HasPrefix(offer.LoginURL, m.at+"/connect/login?") {
		t.Fatalf("login: %+v", offer)
	}
	m.press(offer.LoginURL)
	if a := answerOf(t, calledAt(t, at, modernEra, "portfolio", holdingsCall)); len(a.Data) == 0 {
		t.Errorf("holdings: %+v", a)
	}
	if _, err := os.Stat(m.dir); !os.IsNotExist(err) {
		t.Errorf("the demo touched the folder of the real login: %v", err)
	}
}
