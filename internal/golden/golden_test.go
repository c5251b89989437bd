package golden_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/golden"
)

// recorder is a test that only remembers how it failed.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	panic(r)
}

// equal returns the failure of a comparison, "" when there was none.
func equal(t *testing.T, path, got string) (failed string) {
	t.Helper()
	r := &recorder{TB: t}
	defer func() {
		if recover() != nil {
			failed = r.failed
		}
	}()
	golden.Equal(r, path, []byte(got))
	return r.failed
}

func TestEqual(t *testing.T) {
	if golden.Updating() {
		t.Skip("-update rewrites what this test compares")
	}
	t.Chdir(t.TempDir())
	if err := golden.Write("testdata/deep/page.txt", []byte("one\ntwo\n")); err != nil {
		t.Fatal(err)
	}
	if got := equal(t, "testdata/deep/page.txt", "one\ntwo\n"); got != "" {
		t.Errorf("equal texts fail: %s", got)
	}
	for path, want := range map[string]string{"testdata/deep/page.txt": "differs", "testdata/gone.txt": "does not exist"} {
		if got := equal(t, path, "one\n2\n"); !strings.Contains(got, want) || !strings.Contains(got, "-update") {
			t.Errorf("%s: failure %q, want one that says %q and names -update", path, got, want)
		}
	}
}
