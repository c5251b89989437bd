package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/golden"
)

// demoNow is the instant at which the demo exchange of every test stands still.
const demoNow = "2026-12-02T11:15:00+05:30"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kite-mcp": func() {
		status := cmd.Main(&cmd.Process{
			Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Now: stopped, //nolint:forbidigo // this is the program, as main.go runs it
		})
		os.Exit(status) //nolint:forbidigo // see above
	}})
}

// stopped is the clock of the program under test.
func stopped() time.Time { return time.Date(2026, 12, 2, 5, 45, 0, 0, time.UTC) }

// TestScript runs every command as a process. go test -update rewrites what the
// scripts compare with; look at the difference before committing it.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: golden.Updating(), RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("KITE_DEMO_NOW", demoNow)
			// A command that tries the network fails at once instead of reaching it.
			env.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
			env.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
			return os.CopyFS(filepath.Join(env.WorkDir, "catalog"), os.DirFS("testdata/catalog"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}

// status runs a command and fails unless it exits with the given status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		exit, ok := err.(*exec.ExitError) //nolint:errorlint // Exec returns it bare
		if !ok {
			ts.Fatalf("run: %v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
