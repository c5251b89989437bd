package cmd_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// run runs a command line in this process.
func run(t *testing.T, stdin string, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cmd.Run(t.Context(), &cmd.Process{Args: args, In: strings.NewReader(stdin), Out: &out, Err: &errs, Environ: env, Now: stopped})
	return out.String(), errs.String(), status
}

// startExchange runs a demo exchange on a port of its own, its clock stopped, and
// returns its address.
func startExchange(t *testing.T) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, demoNow)
	if err != nil {
		t.Fatal(err)
	}
	x, err := demo.New(demo.Options{Now: stopped, Clock: demo.Clock{Frozen: at}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(x.Handler())
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestRealLogin goes the way of a real login to an exchange that is reached
// over HTTP on this machine.
func TestRealLogin(t *testing.T) {
	t.Parallel()
	kite := startExchange(t)
	login := []string{"KITE_BASE_URL=" + kite, "KITE_API_KEY=" + demo.APIKey, "KITE_ACCESS_TOKEN=" + demo.AccessToken}

	real, stderr, status := run(t, "", login, "holdings")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	pretended, _, _ := run(t, "", []string{"KITE_DEMO_NOW=" + demoNow}, "holdings", "--demo")
	if diff := cmp.Diff(pretended, real); diff != "" {
		t.Errorf("(-demo +login):\n%s", diff)
	}
	if out, _, status := run(t, "", login, "holdings", "-o", "json"); status != 0 || strings.Contains(out, `"demo":true`) {
		t.Errorf("a real account is marked as demo: status %d, %s", status, out)
	}

	wrong := []string{"KITE_BASE_URL=" + kite, "KITE_API_KEY=" + demo.APIKey, "KITE_ACCESS_TOKEN=yesterday"}
	if _, stderr, status := run(t, "", wrong, "holdings"); status != 4 || !strings.Contains(stderr, "KITE_ACCESS_TOKEN") || strings.Contains(stderr, "yesterday") {
		t.Errorf("expired token: status %d, %s", status, stderr)
	}
}

// TestDemoSettings: what the demo exchange cannot use is wrong usage, and named.
func TestDemoSettings(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(list, []byte("no list\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"KITE_DEMO_FAULTS=nope:503":           `KITE_DEMO_FAULTS: demo fault "nope:503": unknown route`,
		"KITE_DEMO_INSTRUMENTS=" + list:       "Check KITE_DEMO_INSTRUMENTS",
		"KITE_DEMO_INSTRUMENTS=" + list + "x": "list.csvx: no such file",
	} {
		if out, stderr, status := run(t, "", []string{setting}, "holdings", "--demo"); status != 2 || out != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s%s", setting, status, out, stderr)
		}
	}
}

// TestInstrumentsURL reads the instruments master from a mirror, which gets no
// credentials.
func TestInstrumentsURL(t *testing.T) {
	t.Parallel()
	x, err := demo.New(demo.Options{Now: stopped})
	if err != nil {
		t.Fatal(err)
	}
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent := r.Header.Get("Authorization"); sent != "" {
			t.Errorf("the mirror got Authorization %q", sent)
		}
		r.URL.Path = "/instruments"
		r.Header.Set("Authorization", "token "+demo.APIKey+":"+demo.AccessToken)
		r.Header.Set("X-Kite-Version", "3")
		x.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(mirror.Close)
	env := []string{"KITE_BASE_URL=http://127.0.0.1:1", "KITE_API_KEY=k", "KITE_ACCESS_TOKEN=t", "INSTRUMENTS_URL=" + mirror.URL + "/today.csv"}
	out, stderr, status := run(t, "", env, "instruments", "INFY", "--limit", "1", "-q")
	if status != 0 || !strings.Contains(out, "\nNSE:INFY\t") {
		t.Errorf("status %d, %s%s", status, out, stderr)
	}
}

// TestDemoOpensNoConnection: with --demo nothing is dialled, whatever addresses
// and credentials the environment holds.
func TestDemoOpensNoConnection(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 100)
	trap := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	env := []string{
		"KITE_DEMO_NOW=" + demoNow, "KITE_API_KEY=real", "KITE_ACCESS_TOKEN=real", "KITE_API_SECRET=real",
		"KITE_BASE_URL=" + trap.URL, "KITE_LOGIN_BASE_URL=" + trap.URL, "INSTRUMENTS_URL=" + trap.URL + "/instruments",
	}
	for _, args := range []string{
		"holdings", "positions", "funds", "quote NSE:INFY", "instruments INFY",
		"tools call portfolio mode=profile", "tools call market mode=search query=INFY include_live_quote=true",
	} {
		if _, stderr, status := run(t, "", env, append(strings.Fields(args), "--demo")...); status != 0 {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	for _, tc := range agreeing {
		structured(t, calledStdio(t, env, modernEra, tc.tool, tc.arguments))
	}
	trap.Close() // waits for what still runs
	close(reached)
	for path := range reached {
		t.Errorf("a demo command called %s", path)
	}
}
