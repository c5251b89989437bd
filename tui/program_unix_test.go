//go:build unix

package tui_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/termtest"
	"github.com/kite-mcp/kite-mcp/tui"
)

// running is the browser on a terminal.
type running struct {
	*termtest.Terminal
	tb     testing.TB
	tty    *os.File
	before *term.State
	done   chan error
}

func launch(ctx context.Context, t *testing.T, opts tui.Options) *running {
	t.Helper()
	// The terminal's own end stays open: the library's reader may still ask for
	// its descriptor a moment after the program has ended.
	terminal, tty := termtest.Open(t, 80, 24)
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	r := &running{Terminal: terminal, tb: t, tty: tty, before: before, done: make(chan error, 1)}
	opts.In, opts.Out, opts.Env, opts.Profile = tty, tty, []string{"TERM=xterm-256color"}, colorprofile.ANSI256
	go func() { r.done <- tui.Run(ctx, opts) }()
	return r
}

// ends waits for the program and checks that it left the terminal as it was.
func (r *running) ends() error {
	r.tb.Helper()
	select {
	case err := <-r.done:
		after, stateErr := term.GetState(r.tty.Fd())
		if stateErr != nil {
			r.tb.Fatal(stateErr)
		}
		if diff := cmp.Diff(*r.before, *after, cmp.AllowUnexported(term.State{})); diff != "" {
			r.tb.Errorf("the terminal is left changed: %s", diff)
		}
		return err
	case <-time.After(termtest.Limit):
		r.tb.Fatalf("the program does not end:\n%s", r.Text())
		return nil
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	tt := launch(t.Context(), t, options(t))
	tt.Shows("Reconcile fills")
	if !tt.Screen.IsAltScreen() {
		t.Error("not on the alternate screen")
	}
	tt.Types("sexecution")
	tt.Shows("> Execution")
	tt.Types("\r")
	tt.Shows("Wait a moment")
	tt.Types("[")
	tt.Shows("Reconcile fills")
	tt.Types("q")
	if err := tt.ends(); err != nil {
		t.Error(err)
	}
}

func TestProgramEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	tt := launch(ctx, t, options(t))
	tt.Shows("Reconcile fills")
	cause := errors.New("the session hung up")
	cancel(cause)
	if err := tt.ends(); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// panics is a library that breaks while the screen is up.
type panics struct{ tui.Library }

func (panics) Search(context.Context, string) ([]catalog.Hit, error) { panic("library broke") }

func TestProgramEndsAfterAPanic(t *testing.T) {
	t.Parallel()
	opts := options(t)
	opts.Library = panics{opts.Library}
	tt := launch(t.Context(), t, opts)
	tt.Shows("Reconcile fills")
	tt.Types("sx")
	crash, ok := errors.AsType[*tui.CrashError](tt.ends())
	if !ok || crash.Error() != "the browser crashed: library broke" || !bytes.Contains(crash.Stack, []byte("Search")) {
		t.Errorf("got %v", crash)
	}
	tt.Until("the main screen", func() bool { return !tt.Screen.IsAltScreen() })
}
