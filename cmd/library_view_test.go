package cmd_test

import (
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/cmd"
)

// FuzzViewKey: whatever a server calls its pages, each has a key of its own, which
// a person can type and a terminal can draw.
func FuzzViewKey(f *testing.F) {
	for _, word := range []string{
		"/", "", "/orders", "/a/b.md", "/a/b.MD/c", "/a%20b/*?", `/a\b`, "/../..", "//a//", "notes://x/y.md", "http://", "/a\x1b[2J", "/\u202ea", "\xff/\xc2", "/" + strings.Repeat("a", 2000), "/" + strings.Repeat("/a", 600), "/a~2",
	} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		keys := cmd.ViewKey(word)
		if keys[0] == keys[1] {
			t.Fatalf("%q: both pages have the key %s", word, keys[0])
		}
		for _, k := range keys {
			again, err := catalog.ParseKey(k.String())
			if err != nil || again != k {
				t.Errorf("%q: key %q: %v", word, k, err)
			}
			if strings.ContainsFunc(k.String(), func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e }) {
				t.Errorf("%q: key %q would steer a terminal", word, k)
			}
		}
	})
}
