package tui

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// CrashError is a panic inside the browser. Stack is for a file, not for the
// terminal.
type CrashError struct {
	Value any
	Stack []byte
}

func (e *CrashError) Error() string { return fmt.Sprintf("the browser crashed: %v", e.Value) }

// guarded turns a panic of the model or of its commands into an orderly end.
// Bubble Tea's own net closes the input while it is being read and prints the
// stack over the screen.
type guarded struct {
	tea.Model
	quit func() // ends the program, from any goroutine

	crash atomic.Pointer[CrashError] // the first one
}

func (g *guarded) Init() tea.Cmd {
	defer g.catch()
	return g.guard(g.Model.Init())
}

func (g *guarded) Update(msg tea.Msg) (self tea.Model, cmd tea.Cmd) {
	self = g
	defer g.catch()
	g.Model, cmd = g.Model.Update(msg)
	return self, g.guard(cmd)
}

func (g *guarded) View() tea.View {
	defer g.catch()
	return g.Model.View()
}

// guard covers a command, and those that it expands to.
func (g *guarded) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer g.catch()
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = g.guard(c)
			}
		}
		return msg
	}
}

// catch keeps the first panic and ends the program. Quitting waits for the event
// loop, which may be the caller.
func (g *guarded) catch() {
	v := recover()
	if v == nil {
		return
	}
	if g.crash.CompareAndSwap(nil, &CrashError{Value: v, Stack: debug.Stack()}) {
		go g.quit()
	}
}
