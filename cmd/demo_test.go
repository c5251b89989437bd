//go:build unix

package cmd_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// exchangeCall sends a call to an exchange as its user; a broken connection is status 0.
func exchangeCall(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	r.Header.Set("X-Kite-Version", "3")
	r.Header.Set("Authorization", "token "+demo.APIKey+":"+demo.AccessToken)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(b)
}

// The exchange is served for other programs: its address is all of stdout, calls work over a real connection, and a
// signal ends it although one of them hangs for ever.
func TestDemoServe(t *testing.T) {
	t.Parallel()
	c := program(t, []string{"KITE_DEMO_FAULTS=margins:hang"}, "demo", "serve", "--users")
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }() // ended already, unless the test failed
	lines := bufio.NewReader(stdout)
	base, err := lines.ReadString('\n')
	base = strings.TrimSpace(base)
	if err != nil || !strings.HasPrefix(base, "http://127.0.0.1:") {
		t.Fatalf("first line %q, %v", base, err)
	}
	call := func(method, path, body string) (int, string) { return exchangeCall(t, method, base+path, body) }
	order := "exchange=NSE&tradingsymbol=INFY&transaction_type=BUY&order_type=LIMIT&product=CNC&quantity=1&price=1900"
	for _, step := range [][3]string{
		{"GET /user/profile", "", "DM0001"},
		{"POST /orders/regular", order, "2044000000000000008"},
		{"POST /__demo/clock", `{"advance":"1s"}`, "11:15:01"},
		{"GET /orders", "", `"COMPLETE","status_message":null`},
		{"GET /connect/login?v=3&api_key=demo_key", "", "DM0003"},
		{"GET /__demo/requests", "", "REDACTED"},
	} {
		method, path, _ := strings.Cut(step[0], " ")
		if status, body := call(method, path, step[1]); status != 200 || !strings.Contains(body, step[2]) {
			t.Errorf("%s: %d %.300s", step[0], status, body)
		}
	}
	hung := make(chan struct{})
	go func() {
		defer close(hung)
		call(http.MethodGet, "/user/margins", "")
	}()
	for range 5000 { // until the call is taken: then the fault is used up
		if _, body := call(http.MethodGet, "/__demo/faults", ""); strings.Contains(body, `"faults":""`) {
			break
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(lines) // ends with the process
	if err := c.Wait(); err != nil || len(rest) > 0 {
		t.Errorf("ended with %v and %q on stdout", err, rest)
	}
	<-hung
}
