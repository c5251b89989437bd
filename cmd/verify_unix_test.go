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

// TestVerifyOfAPipeEnds: opening a pipe that nobody writes to waits for ever, and an interrupt ends it all the same.
func TestVerifyOfAPipeEnds(t *testing.T) {
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
	var out, errs bytes.Buffer
	status := cmd.Run(ctx, &cmd.Process{Args: []string{"admin", "audit", "verify", pipe}, In: strings.NewReader(""), Out: &out, Err: &errs, Now: stopped})
	if status != 130 || out.Len() != 0 { // interrupted
		t.Errorf("status %d, said %q", status, out.String())
	}
}
