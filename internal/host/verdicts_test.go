package host_test

import (
	"os"
	"strings"
	"testing"
)

// verdicts is the page that lists what both hosts say.
const verdicts = "../../docs/verification.md"

// TestVerdictsAreListed: the page has every server, whether or not the Inspector
// is at hand.
func TestVerdictsAreListed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(verdicts)
	must(t, err)
	for _, m := range mutations() {
		want := "| " + m.name + " | accepted"
		if len(m.reasons) > 0 {
			want = "| " + m.name + " | refused: " + string(m.reasons[0])
		}
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/verification.md lacks %q: run go test -tags=inspector ./internal/host -run TestInspectorAgrees -inspector PATH -update", want)
		}
	}
}
