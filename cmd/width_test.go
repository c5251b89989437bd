package cmd_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/cmd"
)

// TestTablesFitTheTerminal: at 80 columns no line of a data command runs over, and
// no symbol is cut, since a part of one names nothing.
func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"holdings", "holdings --type summary", "holdings --type compact", "positions --view all", "funds",
		"orders", "orders --trades", "orders 2044000000000000001", "orders 2044000000000000004", "orders 2044000000000000003 --trades",
		"gtt", "gtt 900002", "gtt 900003", "quote NSE:INFY NFO:BANKNIFTY26DEC60000PE BSE:SENSEX NSE:IDEA",
		"history NSE:INFY --oi", "history NSE:IDEA --interval minute --since 2026-12-02", "instruments NIFTY --live", "instruments BANKNIFTY26DEC",
		"chain", "chain NIFTY", "chain BANKNIFTY --live", "chain NIFTY --expiries",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			var out, notes bytes.Buffer
			args := append(strings.Fields(line), "--demo", "--color", "always", "-q")
			status := cmd.Run(t.Context(), &cmd.Process{Args: args, In: strings.NewReader(""), Out: &out, Err: &notes, Environ: []string{"KITE_DEMO_NOW=" + demoNow}, Now: stopped})
			if status != 0 {
				t.Fatalf("status %d: %s", status, notes.String())
			}
			for row := range strings.Lines(out.String()) {
				row = strings.TrimRight(ansi.Strip(row), "\n")
				if n := ansi.StringWidth(row); n > 80 {
					t.Errorf("%d columns: %s", n, row)
				}
			}
			if line != "orders" || strings.Contains(out.String(), "NIFTY26D0826200CE") {
				return
			}
			t.Errorf("a symbol is cut:\n%s", out.String())
		})
	}
}
