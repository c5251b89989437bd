package tui_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/golden"
	"github.com/kite-mcp/kite-mcp/tui"
)

func TestGeneratedKeys(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "docs", "keys.md")
	if golden.Updating() {
		if err := golden.Write(page, []byte(tui.KeysMarkdown())); err != nil {
			t.Fatal(err)
		}
	}
	got, err := fs.ReadFile(os.DirFS(filepath.Dir(page)), filepath.Base(page))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), tui.KeysMarkdown()); diff != "" {
		t.Errorf("docs/keys.md is not what tui/keys.go says; go test ./tui -update writes it:\n%s", diff)
	}
}

// TestNoKeyClashes looks at what each screen and the program together answer to.
func TestNoKeyClashes(t *testing.T) {
	t.Parallel()
	for name, bindings := range tui.ScreenKeys() {
		var seen []string
		for _, b := range bindings {
			for _, k := range b.Keys() {
				if slices.Contains(seen, k) {
					t.Errorf("%s: %q means two things, one of them %q", name, k, b.Help().Desc)
				}
				seen = append(seen, k)
			}
			if b.Help().Key == "" || b.Help().Desc == "" {
				t.Errorf("%s: %q has no help", name, b.Keys())
			}
		}
	}
}
