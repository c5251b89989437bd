//go:build unix

package host_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/host"
)

// TestNoChildIsLeft: a wrapper that does not end with its input, and one that
// leaves something behind, are gone when the connection is. Whoever is alive
// holds the pipe open.
func TestNoChildIsLeft(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"ignores the end of its input":  `sleep 1000 >"$0" & echo no JSON; wait`,
		"ignores the request to end":    `trap "" TERM; sleep 1000 >"$0" & echo no JSON; while :; do wait; done`,
		"leaves a program behind":       `sleep 1000 >"$0" 2>/dev/null </dev/null & echo no JSON`,
		"leaves one that has the pipes": `sleep 1000 3>"$0" & echo no JSON`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			fifo := filepath.Join(dir, "alive")
			must(t, syscall.Mkfifo(fifo, 0o600))
			gone := make(chan error, 1)
			go func() {
				f, err := os.OpenInRoot(dir, "alive") // until somebody writes
				if err == nil {
					_, err = io.Copy(io.Discard, f) // until nobody does
				}
				gone <- err
			}()
			_, err := host.Dial(t.Context(), host.Target{Command: []string{"sh", "-c", script, fifo}}, host.Options{Grace: 20 * time.Millisecond})
			if err == nil {
				t.Fatal("that is no server")
			}
			select {
			case err := <-gone:
				must(t, err)
			case <-time.After(time.Minute):
				t.Error("a child is left")
			}
		})
	}
}
