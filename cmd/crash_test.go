package cmd_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/tui"
)

// TestCrashed: the stack is in a file of the state folder that only its owner
// can read; the terminal gets one line that names it.
func TestCrashed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	crash := &tui.CrashError{Value: "index out of range", Stack: []byte("goroutine 7 [running]:\n")}
	err := cmd.Crashed(&cmd.Process{Environ: []string{"XDG_STATE_HOME=" + dir, "HOME=" + dir, "LocalAppData=" + dir}, Now: stopped}, crash)
	files, globErr := filepath.Glob(filepath.Join(dir, "kite-mcp", "crash-*.txt"))
	if runtime.GOOS == "darwin" {
		files, globErr = filepath.Glob(filepath.Join(dir, "Library", "Application Support", "kite-mcp", "crash-*.txt"))
	}
	if globErr != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, globErr)
	}
	want := "The browser crashed: index out of range. This is a fault of kite-mcp, please report it with " + files[0] + "."
	if got := err.Error(); !strings.EqualFold(got, want) {
		t.Errorf("message %q, want %q", got, want)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(text), "index out of range") || !strings.Contains(string(text), "goroutine 7") {
		t.Errorf("the file says %q, %v", text, err)
	}
	info, err := os.Stat(files[0])
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	err = cmd.Crashed(&cmd.Process{Now: stopped}, crash)
	if err == nil || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("without a state folder: %v", err)
	}
}
