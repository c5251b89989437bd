package cmd_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/config"
	"github.com/kite-mcp/kite-mcp/internal/golden"
)

// demoNow is the instant at which the demo exchange of every test stands still.
const demoNow = "2026-12-02T11:15:00+05:30"

// process is the program as a command of its own, for tests of what only a
// process has: a terminal, signals, a closed pipe.
const process = "kite-mcp-process"

// ticking is the program with a clock that moves on with every look, for more calls than Kite allows in a second.
const ticking = "kite-mcp-ticking"

func TestMain(m *testing.M) {
	var looks atomic.Int64
	testscript.Main(m, map[string]func(){
		process: func() { asProcess(func() time.Time { return stopped().In(time.Local) }) },
		ticking: func() {
			asProcess(func() time.Time { return stopped().Add(time.Duration(looks.Add(1)) * 100 * time.Millisecond) })
		},
	})
}

func asProcess(now func() time.Time) {
	os.Exit(cmd.Main(&cmd.Process{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Now: now})) //nolint:forbidigo // this is the program, as main.go runs it
}

// stopped is the clock of the program under test.
func stopped() time.Time { return time.Date(2026, 12, 2, 5, 45, 0, 0, time.UTC) }

// TestScript runs every command, in this process: a start takes longer than most
// commands. go test -update rewrites what the scripts compare with; look at the
// difference before committing it.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: golden.Updating(), RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("KITE_DEMO_NOW", demoNow)
			// A command that tries to reach Kite fails at once.
			env.Setenv("KITE_BASE_URL", "http://127.0.0.1:1")
			env.Values[feed] = new(string)
			return os.CopyFS(filepath.Join(env.WorkDir, "catalog"), os.DirFS("testdata/catalog"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"kite-mcp": func(ts *testscript.TestScript, neg bool, args []string) {
				if got := execute(ts, args); neg != (got != 0) {
					ts.Fatalf("exit status %d", got)
				}
			},
			"status": status,
			"server": otherServer,
			"feed": func(ts *testscript.TestScript, _ bool, args []string) {
				*ts.Value(feed).(*string) = ts.ReadFile(args[0])
			},
		},
	})
}

// feed is the key of what the next command reads from stdin.
const feed = "feed"

// execute runs a command line of a script and returns its exit status.
func execute(ts *testscript.TestScript, args []string) int {
	var environ []string
	for _, name := range []string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "MSYSTEM", "XDG_CONFIG_HOME"} {
		if v := ts.Getenv(name); v != "" {
			environ = append(environ, name+"="+v)
		}
	}
	for _, v := range config.Variables() {
		environ = append(environ, v.Name+"="+ts.Getenv(v.Name))
	}
	stdin := ts.Value(feed).(*string)
	in := strings.NewReader(*stdin)
	*stdin = ""
	return cmd.Run(context.Background(), &cmd.Process{
		Args: args, In: in, Out: ts.Stdout(), Err: ts.Stderr(), Environ: environ, Now: stopped, Dir: ts.MkAbs("."),
	})
}

// status runs a command and fails unless it exits with the given status:
// status N kite-mcp ARGUMENTS.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "kite-mcp" {
		ts.Fatalf("usage: status N kite-mcp ARGUMENTS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := execute(ts, args[2:]); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
