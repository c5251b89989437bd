package cmd_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestProtocolPage: docs/protocol.md names only tests that exist, and names one
// for every promise.
func TestProtocolPage(t *testing.T) {
	t.Parallel()
	root := os.DirFS("..")
	page, err := fs.ReadFile(root, "docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)`)
	err = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(root, path)
		for _, m := range declaration.FindAllSubmatch(source, -1) {
			defined[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| The program") {
			continue
		}
		named := name.FindAllStringSubmatch(line, -1)
		if len(named) == 0 {
			t.Errorf("docs/protocol.md: no test holds this promise: %s", line)
		}
		for _, m := range named {
			if !defined[m[1]] {
				t.Errorf("docs/protocol.md: there is no %s", m[1])
			}
		}
	}
}
