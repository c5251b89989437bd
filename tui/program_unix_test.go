//go:build unix

package tui_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/tui"
)

// terminal is a pseudo-terminal with an emulator behind it: what a person sees,
// and what the program gets back.
type terminal struct {
	tb            testing.TB
	keyboard, tty *os.File
	screen        *vt.SafeEmulator
	mu            sync.Mutex
	changed       chan struct{} // closed and replaced at every output
	before        *term.State
	done          chan error
}

// limit is how long a wait may take on a busy machine before it counts as hung.
const limit = 30 * time.Second

func launch(ctx context.Context, t *testing.T, opts tui.Options) *terminal {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	tt := &terminal{tb: t, keyboard: keyboard, tty: tty, screen: vt.NewSafeEmulator(80, 24), changed: make(chan struct{}), before: before, done: make(chan error, 1)}
	go func() { _, _ = io.Copy(tt, keyboard) }()
	go func() { _, _ = io.Copy(keyboard, tt.screen) }() // answers to queries
	// The terminal's own end stays open: the library's reader may still ask for
	// its descriptor a moment after the program has ended.
	t.Cleanup(func() { _ = keyboard.Close() })
	opts.In, opts.Out, opts.Env, opts.Profile = tty, tty, []string{"TERM=xterm-256color"}, colorprofile.ANSI256
	go func() { tt.done <- tui.Run(ctx, opts) }()
	return tt
}

// Write draws output of the program.
func (tt *terminal) Write(p []byte) (int, error) {
	n, err := tt.screen.Write(p)
	tt.mu.Lock()
	close(tt.changed)
	tt.changed = make(chan struct{})
	tt.mu.Unlock()
	return n, err
}

// shows waits until the screen holds a text.
func (tt *terminal) shows(text string) {
	tt.tb.Helper()
	deadline := time.After(limit)
	for {
		tt.mu.Lock()
		changed := tt.changed
		tt.mu.Unlock()
		if strings.Contains(ansi.Strip(tt.screen.Render()), text) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			tt.tb.Fatalf("the terminal never shows %q:\n%s", text, tt.screen.Render())
		}
	}
}

func (tt *terminal) types(s string) {
	tt.tb.Helper()
	if _, err := tt.keyboard.WriteString(s); err != nil {
		tt.tb.Fatal(err)
	}
}

// ends waits for the program and checks that it left the terminal as it was.
func (tt *terminal) ends() error {
	tt.tb.Helper()
	select {
	case err := <-tt.done:
		after, stateErr := term.GetState(tt.tty.Fd())
		if stateErr != nil {
			tt.tb.Fatal(stateErr)
		}
		if diff := cmp.Diff(*tt.before, *after, cmp.AllowUnexported(term.State{})); diff != "" {
			tt.tb.Errorf("the terminal is left changed: %s", diff)
		}
		return err
	case <-time.After(limit):
		tt.tb.Fatalf("the program does not end:\n%s", tt.screen.Render())
		return nil
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	tt := launch(t.Context(), t, options(t))
	tt.shows("Reconcile fills")
	if !tt.screen.IsAltScreen() {
		t.Error("not on the alternate screen")
	}
	tt.types("sexecution")
	tt.shows("> Execution")
	tt.types("\r")
	tt.shows("Wait a moment")
	tt.types("[")
	tt.shows("Reconcile fills")
	tt.types("q")
	if err := tt.ends(); err != nil {
		t.Error(err)
	}
}

func TestProgramEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	tt := launch(ctx, t, options(t))
	tt.shows("Reconcile fills")
	cause := errors.New("the session hung up")
	cancel(cause)
	if err := tt.ends(); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// panics is a library that breaks while the screen is up.
type panics struct{ tui.Library }

func (panics) Search(context.Context, string) ([]catalog.Hit, error) { panic("library broke") }

func TestProgramRestoresTheTerminalAfterAPanic(t *testing.T) {
	t.Parallel()
	opts := options(t)
	opts.Library = panics{opts.Library}
	tt := launch(t.Context(), t, opts)
	tt.shows("Reconcile fills")
	tt.types("sx")
	if err := tt.ends(); !errors.Is(err, tea.ErrProgramPanic) {
		t.Errorf("got %v", err)
	}
}
