//go:build unix

package cmd_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/kite-mcp/kite-mcp/internal/termtest"
)

// answering runs the program on a terminal where a person answers its question, and returns all it wrote there.
func answering(t *testing.T, env []string, answer string, args ...string) string {
	t.Helper()
	c := program(t, env, args...)
	f, err := pty.StartWithSize(c, &tall)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	read := make(chan string)
	go func() {
		var all strings.Builder
		answered := false
		for buf := make([]byte, 4096); ; {
			n, err := f.Read(buf)
			all.Write(buf[:n])
			if !answered && strings.Contains(all.String(), "[y/N] ") {
				answered = true
				_, _ = io.WriteString(f, answer+"\n")
			}
			if err != nil { // EIO when the program has gone
				read <- strings.ReplaceAll(all.String(), "\r\n", "\n")
				return
			}
		}
	}()
	select {
	case out := <-read:
		_ = c.Wait() // its status is in what it wrote
		return out
	case <-time.After(termtest.Limit):
		t.Fatalf("kite-mcp %s did not end", strings.Join(args, " "))
		return ""
	}
}

// TestOrderOnATerminal: the person reads the order and types y; another answer sends nothing. What was decided is
// there for the next command.
func TestOrderOnATerminal(t *testing.T) {
	t.Parallel()
	env := []string{"KITE_DEMO_STATE=" + filepath.Join(t.TempDir(), "demo.json"), "TERM=dumb"}
	buy := func(quantity string) []string {
		return []string{"tools", "call", "orders", "mode=place", "tradingsymbol=INFY", "transaction_type=BUY", "quantity=" + quantity, "product=CNC", "order_type=LIMIT", "price=1800", "--demo"}
	}
	out := answering(t, env, "y", buy("1")...)
	if !strings.Contains(out, "Account DM0001: BUY 1 NSE:INFY, CNC, LIMIT at 1800, DAY, regular. Value 1800.00 rupees. ") || !strings.Contains(out, "\nPlace this order? [y/N] ") || !strings.Contains(out, `"status": "submitted"`) {
		t.Errorf("yes: %q", out)
	}
	out = answering(t, env, "n", buy("2")...)
	if !strings.Contains(out, "declined; nothing was sent to Kite") || strings.Contains(out, "submitted") {
		t.Errorf("no: %q", out)
	}
	// The same again: the log of the first command knows.
	out = answering(t, env, "", buy("1")...)
	if !strings.Contains(out, "likely duplicate") || !strings.Contains(out, "nothing was sent to Kite") {
		t.Errorf("enter: %q", out)
	}
	stdout, _, status := run(t, "", append(env, "KITE_DEMO_NOW="+demoNow), "activity", "--demo")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if status != 0 || len(lines) != 4 || !strings.Contains(stdout, "\tplaced\tBUY 1 NSE:INFY") || !strings.Contains(stdout, "\tdeclined\tBUY 2 NSE:INFY") {
		t.Errorf("activity, status %d: %q", status, stdout)
	}
	book, _, _ := run(t, "", append(env, "KITE_DEMO_NOW="+demoNow), "orders", "--demo")
	if strings.Count(book, "\tINFY\t") != 2 { // one of them is the seed's
		t.Errorf("book: %q", book)
	}
}
