package cmd_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/kite-mcp/kite-mcp/cmd"
)

// TestColorPrecedence walks the precedence: --color, NO_COLOR, CLICOLOR_FORCE,
// CLICOLOR, TERM, terminal.
func TestColorPrecedence(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no pseudo-terminal")
	}
	master, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = terminal.Close()
		_ = master.Close()
	})
	tests := []struct {
		flag, env      string
		onTTY, onPipes bool
	}{
		{"auto", "TERM=xterm", true, false},
		{"auto", "TERM=dumb", false, false},
		{"auto", "", false, false},
		{"auto", "TERM=xterm CLICOLOR=0", false, false},
		{"auto", "TERM=xterm CLICOLOR=1", true, false},
		{"auto", "TERM=dumb CLICOLOR_FORCE=1", true, true},
		{"auto", "TERM=xterm CLICOLOR_FORCE=0", true, false},
		{"auto", "TERM=xterm CLICOLOR=0 CLICOLOR_FORCE=1", true, true},
		{"auto", "TERM=xterm NO_COLOR=1", false, false},
		{"auto", "TERM=xterm NO_COLOR=", true, false},
		{"auto", "TERM=xterm NO_COLOR=0 CLICOLOR_FORCE=1", false, false},
		{"always", "TERM=dumb NO_COLOR=1 CLICOLOR=0", true, true},
		{"never", "TERM=xterm CLICOLOR_FORCE=1", false, false},
	}
	for _, tt := range tests {
		for out, want := range map[*os.File]bool{terminal: tt.onTTY, nil: tt.onPipes} {
			p := &cmd.Process{In: strings.NewReader(""), Out: &strings.Builder{}, Err: &strings.Builder{}, Environ: strings.Fields(tt.env), Now: stopped}
			if out != nil {
				p.Out = out
			}
			if got := cmd.Colors(p, tt.flag); got != want {
				t.Errorf("--color %s, %q, terminal %v: %v, want %v", tt.flag, tt.env, out != nil, got, want)
			}
		}
	}
}
