package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// floorSource imports what the program imports from others and does nothing.
const floorSource = `package main

import (
	_ "charm.land/bubbletea/v2"
	_ "charm.land/glamour/v2"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/spf13/cobra"
	_ "github.com/zerodha/gokiteconnect/v4"
)

func main() {}
`

// BenchmarkStart runs the built binary. Budgets: version and piped help at most
// 1.10 times the floor, which is a program that only imports our dependencies
// (about 18 ms on two idle cores); tree as help.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	source := filepath.Join(dir, "floor.go")
	if err := os.WriteFile(source, []byte(floorSource), 0o600); err != nil {
		b.Fatal(err)
	}
	build(b, filepath.Join(dir, "floor"), source)
	build(b, filepath.Join(dir, "kite-mcp"), ".")
	for _, tt := range []struct {
		name, program string
		args          []string
	}{
		{"floor", "floor", nil},
		{"version", "kite-mcp", []string{"version"}},
		{"help-root", "kite-mcp", []string{"help", "/"}},
		{"help-orders", "kite-mcp", []string{"help", "/orders"}},
		{"tree", "kite-mcp", []string{"tree"}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				c := exec.CommandContext(b.Context(), filepath.Join(dir, tt.program), tt.args...) //nolint:gosec // built above
				if out, err := c.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}

// build compiles with the flags of a release.
func build(b *testing.B, output, source string) {
	b.Helper()
	c := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", output, source) //nolint:gosec // the paths are ours
	c.Dir = ".."
	c.Env = append(c.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", source, err, out)
	}
}
