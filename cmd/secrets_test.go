package cmd_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// The secrets of people who make mistakes.
const (
	markerToken   = "marker0access0token"
	markerSecret  = "marker0api0secret" //nolint:gosec // nobody has it
	markerRequest = "marker0request0token"
)

// taped starts a server of which everything that it says is kept, and returns what a client of it talks to and, over
// http, its address.
func (m *machine) taped(args ...string) (s *stdio, at string) {
	m.t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	notes, stderr := io.Pipe()
	done := make(chan int, 1)
	ctx, stop := context.WithCancel(context.WithoutCancel(m.t.Context()))
	go func() {
		done <- cmd.Run(ctx, &cmd.Process{
			Args: append([]string{"serve"}, args...), In: fromClient, Out: io.MultiWriter(toClient, m), Err: io.MultiWriter(stderr, m), Environ: m.env, Now: m.clock,
		})
		_ = toClient.Close()
		_ = stderr.Close()
	}()
	drained := make(chan struct{})
	address := make(chan string, 1)
	go func() {
		defer close(drained)
		for lines := bufio.NewScanner(notes); lines.Scan(); {
			if _, word, ok := strings.Cut(lines.Text(), "serves MCP on "); ok {
				address <- strings.TrimRight(strings.Fields(word)[0], ";")
			}
		}
		_, _ = io.Copy(io.Discard, notes)
	}()
	m.t.Cleanup(func() {
		_ = in.Close()
		if len(args) > 0 { // http does not end with its stdin
			stop()
		}
		if status := <-done; status != 0 {
			m.t.Errorf("serve: status %d", status)
		}
		stop()
		<-drained
	})
	if len(args) > 0 {
		return nil, <-address
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &stdio{t: m.t, in: in, answers: lines}, ""
}

// faults arms the exchange.
func (m *machine) faults(rules string) {
	m.t.Helper()
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodPut, m.at+"/__demo/faults", strings.NewReader(rules))
	if err != nil {
		m.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		m.t.Fatalf("faults: %v %v", resp, err)
	}
	_ = resp.Body.Close()
}

// orderAnd asks for an order of so many shares and gives the person's answer.
func orderAnd(t *testing.T, say func(line string) string, quantity int, action string) string {
	t.Helper()
	arguments := strings.Replace(buyTwo, `"quantity":2`, fmt.Sprintf(`"quantity":%d`, quantity), 1)
	state := stateOf(t, []byte(say(formLine(arguments, ""))))
	members := strings.Replace(saidYes, `"accept"`, `"`+action+`"`, 1) + fmt.Sprintf("%q", state)
	return say(formLine(arguments, members))
}

// wants fails unless a text has a part.
func wants(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Fatalf("no %q in %s", part, text)
	}
}

// TestNoSecretIsWritten runs a whole day of a user over stdio, HTTP and the command line, at debug level and with an audit
// log: logins, reads, approved and declined orders, faults, mistakes with secrets, a logout. Nothing that was printed,
// answered or written to a file, but the login's own, holds an access token, the API secret, a request token, the
// checksum of a login or the address of a callback.
func TestNoSecretIsWritten(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	home := filepath.Dir(m.dir)
	audit := filepath.Join(home, "audit.jsonl")
	m.env = append(m.env, "XDG_STATE_HOME="+home, "LocalAppData="+home, "AUDIT_LOG="+audit)
	_, at := m.taped("--http", m.port)
	s, _ := m.taped()
	overHTTP := func(line string) string {
		raw, _ := post(t, at, http.Header{"Mcp-Protocol-Version": {modernEra}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"orders"}}, line)
		_, _ = m.Write(raw)
		return string(raw)
	}

	offer := s.call("session", `{"mode":"login"}`)
	requests := []string{m.press(offer.LoginURL), markerRequest}
	tokens := []string{m.token(), markerToken}
	m.reuse(offer.LoginURL, requests[0])
	wants(t, s.call("portfolio", holdingsCall).text, "INFY")
	m.must(0, "INFY", "holdings")
	m.must(0, "DM0001", "status", "--online")
	wants(t, orderAnd(t, s.line, 1, "accept"), `"status":"submitted"`)
	wants(t, orderAnd(t, overHTTP, 2, "accept"), `"status":"submitted"`)
	wants(t, orderAnd(t, overHTTP, 3, "decline"), "approval_declined")
	m.faults("orders.post:reset,orders.post:502html,holdings:truncate,holdings:502html*3")
	wants(t, orderAnd(t, s.line, 4, "accept"), "outcome_unknown")
	wants(t, orderAnd(t, overHTTP, 5, "accept"), "outcome_unknown")
	m.run("holdings")
	wants(t, s.call("session", `{"mode":"activity"}`).text, "placed")
	m.must(0, "INFY", "activity")

	// Mistakes: secrets where they do not belong, or that are wrong.
	m.mistake("KITE_ACCESS_TOKEN="+markerToken, "", "holdings")
	m.mistake("KITE_API_SECRET="+markerSecret, markerRequest+"\n", "login", "--paste")
	m.mistake("", "", "login", markerRequest)
	m.mistake("", "http://"+m.port+"/callback?status=success&request_token="+markerRequest+"&state=x\n", "login", "--paste")

	m.elsewhere()
	wants(t, s.call("portfolio", holdingsCall).code, "session_expired")
	offer = s.call("session", `{"mode":"login"}`)
	requests = append(requests, m.press(offer.LoginURL))
	tokens = append(tokens, m.token())
	wants(t, s.call("session", `{"mode":"logout"}`).Status, "logged_out")
	m.must(0, "Already logged out", "logout")

	secrets := append(append(tokens, requests...), demo.APISecret, markerSecret, "request_token=", "callback?")
	for _, r := range requests {
		for _, secret := range []string{demo.APISecret, markerSecret} {
			sum := sha256.Sum256([]byte(demo.APIKey + r + secret))
			secrets = append(secrets, hex.EncodeToString(sum[:]))
		}
	}
	written := m.files(home)
	m.spare(written, secrets)
	checkAudit(t, written[audit])
}

// spare fails for every secret in what was written or printed.
func (m *machine) spare(written map[string][]byte, secrets []string) {
	m.t.Helper()
	written["what was printed"] = []byte(m.printed())
	for place, raw := range written {
		for i, secret := range secrets {
			if len(secret) < 8 || bytes.Contains(raw, []byte(secret)) {
				m.t.Errorf("secret %d is in %s", i, place)
			}
		}
	}
	if !strings.Contains(m.printed(), "level=DEBUG") || !strings.Contains(m.printed(), "kite call failed") {
		m.t.Error("nothing was logged at debug level")
	}
}

// checkAudit fails unless an audit log tells of everything that happened, in a chain that holds.
func checkAudit(t *testing.T, raw []byte) {
	t.Helper()
	report, err := intent.VerifyAudit(bytes.NewReader(raw), intent.Head{})
	if err != nil || !report.OK() {
		t.Errorf("%+v, %v", report, err)
	}
	for _, said := range []string{
		`"event":"login","user":"DM0001"`, `"event":"session_ended","user":"DM0001"`, `"event":"logout","user":"DM0001"`,
		`"event":"approval_asked","user":"DM0001","client":"t",`, `"event":"approval_accepted"`, `"event":"approval_declined"`,
		`"outcome":"sending"`, `"outcome":"placed"`, `"outcome":"unknown"`, `"symbol":"NSE:INFY","side":"BUY","quantity":1,"price":1800,`,
	} {
		if !bytes.Contains(raw, []byte(said)) {
			t.Errorf("the audit log has no %s", said)
		}
	}
}

// reuse brings a request token back a second time.
func (m *machine) reuse(link, requestToken string) {
	m.t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		m.t.Fatal(err)
	}
	params, err := url.ParseQuery(u.Query().Get("redirect_params"))
	if err != nil {
		m.t.Fatal(err)
	}
	back := "http://" + m.port + "/callback?status=success&request_token=" + requestToken + "&state=" + url.QueryEscape(params.Get("state"))
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, back, http.NoBody)
	if err != nil {
		m.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		m.t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	_, _ = m.Write(page)
	if err != nil || resp.StatusCode != http.StatusForbidden || !bytes.Contains(page, []byte("Kite refused the login")) {
		m.t.Fatalf("a reused request token: %s %s %v", resp.Status, page, err)
	}
}

// mistake runs a command of somebody who is not logged in, which must fail.
func (m *machine) mistake(env, stdin string, args ...string) {
	m.t.Helper()
	environ := append(append([]string{}, m.env...), "XDG_CONFIG_HOME="+filepath.Join(filepath.Dir(m.dir), "other"))
	if env != "" {
		environ = append(environ, env)
	}
	if cmd.Run(m.t.Context(), &cmd.Process{Args: append(args, "-vv"), In: strings.NewReader(stdin), Out: m, Err: m, Environ: environ, Now: m.clock}) == 0 {
		m.t.Errorf("kite-mcp %s with %s and %q did not fail", strings.Join(args, " "), env, stdin)
	}
}

// files reads everything that was written, but what has to hold secrets: the login and the key of the log of changes.
func (m *machine) files(dir string) map[string][]byte {
	m.t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "session.json" || d.Name() == "key" {
			return err
		}
		all[path], err = os.ReadFile(path) //nolint:gosec // below the test's own folder
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return all
}
