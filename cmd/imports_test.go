package cmd_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kite-mcp/kite-mcp"

// room is a line of the dependency table: what a package may import of ours.
type room struct {
	row     int
	imports []string
	helper  bool // of tests
}

// rooms reads the dependency table of docs/architecture.md.
func rooms(t *testing.T) map[string]room {
	t.Helper()
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("(?m)^\\| (\\d) \\| `([a-z/]+)` \\| (.+) \\|$")
	name := regexp.MustCompile("`([a-z/]+)`")
	table := map[string]room{}
	for _, m := range line.FindAllStringSubmatch(string(page), -1) {
		row, _ := strconv.Atoi(m[1]) // the pattern has a digit
		r := room{row: row, helper: strings.Contains(m[3], "tests only import it")}
		for _, n := range name.FindAllStringSubmatch(m[3], -1) {
			r.imports = append(r.imports, n[1])
		}
		table[m[2]] = r
	}
	if all := table["cmd"]; all.imports == nil {
		for name, r := range table {
			if r.row < all.row && !r.helper {
				all.imports = append(all.imports, name)
			}
		}
		table["cmd"] = all
	}
	return table
}

// restricted lists the modules that only some packages may import, and what to
// do elsewhere.
func restricted() []struct {
	prefix  string
	allowed []string
	instead string
} {
	return []struct {
		prefix  string
		allowed []string
		instead string
	}{
		{"github.com/spf13/cobra", []string{"cmd"}, "commands belong to cmd"},
		{"github.com/zerodha/gokiteconnect", []string{"internal/kite"}, "call kite.Client: it adds contexts, pacing and typed errors"},
		{"charm.land/glamour", []string{"internal/render"}, "internal/render turns Markdown into terminal text"},
		{"charm.land/", []string{"internal/render", "tui"}, "the terminal belongs to tui"},
		{"github.com/charmbracelet/bubbletea", nil, "version 1 stalls on silent terminals; use charm.land/bubbletea/v2"},
		{"github.com/charmbracelet/glamour", nil, "use charm.land/glamour/v2"},
		{"go.etcd.io/bbolt", []string{"internal/store"}, "use store.Store"},
		{"github.com/modelcontextprotocol/go-sdk", []string{"server", "internal/host", "internal/tools"}, "return Go values; server and internal/tools/bind.go make MCP results"},
	}
}

// TestImports holds the whole module to the dependency table.
func TestImports(t *testing.T) {
	t.Parallel()
	table := rooms(t)
	packages := modulePackages(t)
	for path, r := range table {
		if _, exists := packages[path]; !exists {
			t.Errorf("docs/architecture.md: the dependency table has a package %s, which does not exist", path)
		}
		for _, allowed := range r.imports {
			if below, ok := table[allowed]; !ok || below.row >= r.row {
				t.Errorf("docs/architecture.md: %s in row %d may not be allowed to import %s in row %d", path, r.row, allowed, below.row)
			}
		}
	}
	for path, imports := range packages {
		r, known := table[path]
		if !known {
			t.Errorf("package %s is not in the dependency table: decide its row in docs/architecture.md, then say the same in .golangci.yml", path)
			continue
		}
		for _, imported := range imports {
			checkImport(t, path, imported, r)
		}
	}
}

func checkImport(t *testing.T, path, imported string, importer room) {
	t.Helper()
	if rest, ours := strings.CutPrefix(imported, module+"/"); ours {
		if !slices.Contains(importer.imports, rest) {
			t.Errorf("%s must not import %s: the dependency table of docs/architecture.md does not allow it; pass the value as an argument, or declare a small interface in %s", path, rest, path)
		}
		return
	}
	for _, r := range restricted() {
		if strings.HasPrefix(imported, r.prefix) && !slices.Contains(r.allowed, path) {
			t.Errorf("%s must not import %s: %s", path, imported, r.instead)
		}
	}
	if (imported == "flag" || imported == "testing") && !importer.helper {
		t.Errorf("%s imports %s outside of tests", path, imported)
	}
}

// modulePackages returns the packages of the module with what their non-test
// files import.
func modulePackages(t *testing.T) map[string][]string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	c.Dir = ".."
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := map[string][]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if path == "" {
			path = "main"
		}
		found[path] = p.Imports
	}
	if len(found) < 10 {
		t.Fatalf("go list found only %d packages", len(found))
	}
	return found
}
