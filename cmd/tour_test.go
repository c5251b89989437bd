package cmd_test

import (
	"strings"
	"testing"
)

// TestDemoTour: each command that the demo says to try works, but for those that serve until they are stopped.
func TestDemoTour(t *testing.T) {
	t.Parallel()
	tour, _, _ := run(t, "", nil, "demo")
	tried := 0
	for line := range strings.Lines(tour) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "kite-mcp ")
		command, _, explained := strings.Cut(command, "  ")
		if !ok || explained {
			continue
		}
		tried++
		if out, stderr, status := run(t, "", nil, strings.Fields(command)...); status != 0 || out == "" {
			t.Errorf("%s: status %d, %s", command, status, stderr)
		}
	}
	if tried < 9 {
		t.Errorf("only %d commands in\n%s", tried, tour)
	}
}
