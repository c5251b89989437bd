package cmd_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/kite-mcp/kite-mcp"

// mayImport is the dependency table of docs/architecture.md: a package of ours
// may import these others of ours. "*" is everything.
func mayImport() map[string][]string {
	return map[string][]string{
		".":                  {"cmd"},
		"cmd":                {"*"},
		"server":             {"internal/authz", "catalog", "completions", "internal/intent", "internal/kite", "internal/store", "internal/tools", "ui"},
		"tui":                {"catalog", "internal/kite", "internal/lint", "internal/render", "internal/tools"},
		"completions":        {"catalog", "internal/tools", "ui"},
		"internal/lint":      {"catalog"},
		"internal/tools":     {"catalog", "ui", "internal/kite"},
		"internal/intent":    {"internal/store", "internal/kite"},
		"internal/authz":     {"internal/store", "internal/kite"},
		"internal/host":      {"catalog"},
		"catalog":            {},
		"ui":                 {},
		"internal/kite":      {},
		"internal/kite/demo": {},
		"internal/render":    {},
		"internal/store":     {},
		"internal/config":    {},
		"internal/golden":    {},
	}
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
		{"charm.land/", []string{"internal/render", "tui"}, "the terminal belongs to internal/render and tui"},
		{"github.com/charmbracelet/bubbletea", nil, "version 1 stalls on silent terminals; use charm.land/bubbletea/v2"},
		{"github.com/charmbracelet/glamour", nil, "use charm.land/glamour/v2"},
		{"github.com/modelcontextprotocol/go-sdk", []string{"server", "internal/tools", "internal/host", "cmd"}, "return Go values; server and internal/tools/bind.go make MCP results"},
	}
}

// TestImports holds the whole module to the dependency table.
func TestImports(t *testing.T) {
	t.Parallel()
	table := mayImport()
	for path, imports := range modulePackages(t) {
		allowed, known := table[path]
		if !known {
			t.Errorf("package %s is not in the dependency table: decide its row in docs/architecture.md, then add it to cmd/imports_test.go and .golangci.yml", path)
			continue
		}
		for _, imported := range imports {
			checkImport(t, path, imported, allowed)
		}
	}
}

func checkImport(t *testing.T, path, imported string, allowed []string) {
	t.Helper()
	if rest, ours := strings.CutPrefix(imported, module+"/"); ours {
		if rest == "internal/golden" {
			t.Errorf("%s imports internal/golden outside of tests", path)
		} else if !slices.Contains(allowed, "*") && !slices.Contains(allowed, rest) {
			t.Errorf("%s must not import %s: dependencies point down the table of docs/architecture.md; pass the value as an argument, or declare a small interface in %s", path, rest, path)
		}
		return
	}
	for _, r := range restricted() {
		if strings.HasPrefix(imported, r.prefix) && !slices.Contains(r.allowed, path) {
			t.Errorf("%s must not import %s: %s", path, imported, r.instead)
		}
	}
	if imported == "flag" || imported == "testing" {
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
			path = "."
		}
		if path != "internal/golden" { // a test helper
			found[path] = p.Imports
		}
	}
	if len(found) < 10 {
		t.Fatalf("go list found only %d packages", len(found))
	}
	return found
}
