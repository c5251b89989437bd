// Package termtest is a terminal for tests: a pseudo-terminal with an emulator
// behind it. A screen is repainted in differences, so a test asks what a person
// would see, never which bytes were sent. Only tests import it; start at Open or
// Start.
package termtest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Limit is how long a wait may take on a busy machine before it counts as hung.
const Limit = time.Minute

// Terminal is a screen with a keyboard.
type Terminal struct {
	Screen *vt.SafeEmulator

	tb       testing.TB
	keyboard *os.File
	closed   chan struct{} // nobody has the other end any more
	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at every output
}

// Open returns a terminal and its other end, for a program that runs inside the
// test.
func Open(tb testing.TB, columns, rows int) (*Terminal, *os.File) {
	tb.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		tb.Fatal(err)
	}
	if err := pty.Setsize(keyboard, size(columns, rows)); err != nil {
		tb.Fatal(err)
	}
	return attach(tb, keyboard, columns, rows), tty
}

// Start starts a program on a terminal of its own.
func Start(tb testing.TB, c *exec.Cmd, columns, rows int) *Terminal {
	tb.Helper()
	keyboard, err := pty.StartWithSize(c, size(columns, rows))
	if err != nil {
		tb.Fatal(err)
	}
	return attach(tb, keyboard, columns, rows)
}

func size(columns, rows int) *pty.Winsize {
	return &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)} //nolint:gosec // a few hundred
}

func attach(tb testing.TB, keyboard *os.File, columns, rows int) *Terminal {
	tb.Helper()
	t := &Terminal{
		Screen: vt.NewSafeEmulator(columns, rows), tb: tb, keyboard: keyboard,
		closed: make(chan struct{}), changed: make(chan struct{}),
	}
	go func() {
		defer close(t.closed)
		_, _ = io.Copy(t, keyboard) // ends with EIO when the program has gone
	}()
	go func() { _, _ = io.Copy(keyboard, t.Screen) }() // answers to queries
	tb.Cleanup(func() { _ = keyboard.Close() })
	return t
}

// Write draws output of the program.
func (t *Terminal) Write(p []byte) (int, error) {
	n, err := t.Screen.Write(p)
	t.mu.Lock()
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
	return n, err
}

// Text is what the screen shows, without styles.
func (t *Terminal) Text() string { return ansi.Strip(t.Screen.Render()) }

// Shows waits until the screen holds a text.
func (t *Terminal) Shows(text string) {
	t.tb.Helper()
	t.Until(fmt.Sprintf("%q", text), func() bool { return strings.Contains(t.Text(), text) })
}

// Until waits until the screen is as it should be.
func (t *Terminal) Until(what string, holds func() bool) {
	t.tb.Helper()
	deadline := time.After(Limit)
	for {
		t.mu.Lock()
		changed := t.changed
		t.mu.Unlock()
		if holds() {
			return
		}
		select {
		case <-changed:
		case <-t.closed:
			if !holds() {
				t.tb.Fatalf("the program ended before the terminal showed %s:\n%s", what, t.Text())
			}
			return
		case <-deadline:
			t.tb.Fatalf("the terminal never shows %s:\n%s", what, t.Text())
		}
	}
}

// Types sends keys.
func (t *Terminal) Types(keys string) {
	t.tb.Helper()
	if _, err := t.keyboard.WriteString(keys); err != nil {
		t.tb.Fatal(err)
	}
}

// Closed waits until no process has the terminal's other end any more.
func (t *Terminal) Closed() {
	t.tb.Helper()
	select {
	case <-t.closed:
	case <-time.After(Limit):
		t.tb.Fatalf("the terminal is still in use:\n%s", t.Text())
	}
}
