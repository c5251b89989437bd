package cmd_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/cmd"
)

// TestTablesFitTheTerminal: at 80 columns no line of a data command runs over, and
// no id, time or symbol is cut, since a part of one says nothing.
func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"holdings", "holdings --type summary", "holdings --type compact", "positions --view all", "funds",
		"orders", "orders --trades", "orders 2044000000000000001", "orders 2044000000000000003", "orders 2044000000000000005", "orders 2044000000000000003 --trades",
		"gtt", "gtt 900002", "gtt 900003", "quote NSE:INFY NFO:BANKNIFTY26DEC60000PE BSE:SENSEX NSE:IDEA",
		"history NSE:INFY --oi", "history NSE:IDEA --interval minute --since 2026-12-02", "instruments NIFTY --live", "instruments BANKNIFTY26DEC",
		"chain", "chain NIFTY", "chain BANKNIFTY --live", "chain NIFTY --expiries",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			out := fitting(t, line, "")
			if cut := regexp.MustCompile(`\S*[0-9]~`).FindString(out); cut != "" {
				t.Errorf("an id, a time or a symbol is cut to %s:\n%s", cut, out)
			}
			if line == "orders" && !strings.Contains(out, "NIFTY26D0826200CE") {
				t.Errorf("a symbol is cut:\n%s", out)
			}
		})
	}
	for _, line := range []string{"holdings", "positions", "orders", "orders --trades", "gtt"} { // symbols of ten kilobytes
		t.Run("evil "+line, func(t *testing.T) {
			t.Parallel()
			fitting(t, line, "*:evil*0")
		})
	}
}

// fitting runs a command as on a terminal of 80 columns and reports lines that run
// over. It returns what was printed.
func fitting(t *testing.T, line, faults string) string {
	t.Helper()
	var out, notes bytes.Buffer
	status := cmd.Run(t.Context(), &cmd.Process{
		Args: append(strings.Fields(line), "--demo", "--color", "always", "-q"), In: strings.NewReader(""), Out: &out, Err: &notes,
		Environ: []string{"KITE_DEMO_NOW=" + demoNow, "KITE_DEMO_FAULTS=" + faults}, Now: stopped,
	})
	if status != 0 {
		t.Fatalf("status %d: %s", status, notes.String())
	}
	for row := range strings.Lines(out.String()) {
		row = strings.TrimRight(ansi.Strip(row), "\n")
		if n := ansi.StringWidth(row); n > 80 {
			t.Errorf("%d columns: %.200s", n, row)
		}
	}
	return out.String()
}
