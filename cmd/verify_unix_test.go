//go:build unix

package cmd_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kite-mcp/kite-mcp/cmd"
)

// TestWaitingForAPipeEnds: opening a pipe that nobody writes to waits for ever, and an interrupt ends it all the same,
// wherever a person may name a file.
func TestWaitingForAPipeEnds(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { // lets the open return
		if w, err := syscall.Open(pipe, syscall.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			_ = syscall.Close(w)
		}
	})
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, setting := range []string{"KITE_DEMO_INSTRUMENTS", "KITE_DEMO_STATE"} {
		if out, stderr, status := run(t, "", []string{setting + "=" + pipe}, "holdings", "--demo"); status != 2 || !strings.Contains(stderr, "is not a regular file") {
			t.Errorf("%s: status %d, said %q and %q", setting, status, out, stderr)
		}
	}
	for _, args := range [][]string{
		{"admin", "audit", "verify", pipe}, {"manifest", "--check", pipe}, {"tools", "call", "portfolio", "--args", "@" + pipe, "--demo"}, {"lint", pipe},
	} {
		var out, errs bytes.Buffer
		status := cmd.Run(ctx, &cmd.Process{Args: args, In: strings.NewReader(""), Out: &out, Err: &errs, Now: stopped})
		if status != 130 || out.Len() != 0 { // interrupted
			t.Errorf("%q: status %d, said %q and %q", args, status, out.String(), errs.String())
		}
	}
}
