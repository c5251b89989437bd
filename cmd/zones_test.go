package cmd_test

import (
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestZones: the zone of the machine, and whether it has a list of zones at all, changes no answer. Times are IST
// because they are made so, not because the machine is in India.
func TestZones(t *testing.T) {
	t.Parallel()
	calls := []string{
		"orders -o json", "orders 2044000000000000001 -o json", "orders --trades -o json", "gtt -o json", "holdings -o json",
		"history 408065 -o json", "history 408065 --interval 60minute --since 2026-12-01", "quote NSE:INFY -o json",
		"tools call alerts mode=get history=true -o json", "tools call session mode=status -o json", "instruments NIFTY -o json",
	}
	answers := func(env ...string) map[string]string {
		out := map[string]string{}
		for _, call := range calls {
			c := exec.CommandContext(t.Context(), process, append(strings.Fields(call), "--demo")...) //nolint:gosec // the program under test
			c.Env = append([]string{"KITE_DEMO_NOW=" + demoNow}, env...)
			answer, err := c.Output()
			if err != nil {
				t.Errorf("%s with %v: %v", call, env, err)
			}
			out[call] = string(answer)
		}
		return out
	}
	want := answers("TZ=Asia/Kolkata")
	if got := want["tools call session mode=status -o json"]; !strings.Contains(got, `"kite_session_expires_at":"2026-12-03T06:00:00+05:30","seconds_left":67500`) {
		t.Errorf("session: %s", got)
	}
	for _, env := range [][]string{{"TZ=America/New_York"}, {"TZ=UTC"}, {"TZ=Nowhere/None", "ZONEINFO=" + t.TempDir()}, {"TZ=:/dev/null"}} {
		if d := cmp.Diff(want, answers(env...)); d != "" {
			t.Errorf("%v (-India +there):\n%s", env, d)
		}
	}
	// No source of the program looks a zone up or takes the machine's.
	for file, text := range sources(t) {
		for _, name := range []string{"LoadLocation", "time.Local", ".Local()"} {
			if strings.Contains(text, name) {
				t.Errorf("%s uses %s", file, name)
			}
		}
	}
}

// sources are the Go files of the program, without tests.
func sources(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS("..")
	out := map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		out[name] = string(text)
		return err
	})
	if err != nil || len(out) < 100 {
		t.Fatalf("%d sources, %v", len(out), err)
	}
	return out
}
