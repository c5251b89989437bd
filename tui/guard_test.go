package tui_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/tui"
)

// fragile panics in one place.
type fragile struct{ at string }

func (b fragile) fail(at string) {
	if b.at == at {
		panic("broken " + at)
	}
}

func (b fragile) Init() tea.Cmd {
	b.fail("init")
	return func() tea.Msg { b.fail("first command"); return nil }
}

func (b fragile) Update(tea.Msg) (tea.Model, tea.Cmd) {
	b.fail("update")
	return b, tea.Batch(func() tea.Msg { return 1 }, func() tea.Msg { b.fail("command of a batch"); return 2 })
}

func (b fragile) View() tea.View {
	b.fail("view")
	return tea.View{}
}

// TestGuard: wherever the browser breaks, the program is asked to end once, and
// what broke is kept.
func TestGuard(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"", "init", "first command", "update", "command of a batch", "view"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			quit := make(chan struct{}, 2)
			model, crash := tui.Guard(fragile{at}, func() { quit <- struct{}{} })
			run(model.Init())
			for range 2 {
				next, cmd := model.Update(nil)
				if next == nil {
					t.Fatal("no model is left to draw")
				}
				run(cmd)
				next.View()
			}
			switch err := crash(); {
			case at == "" && err != nil:
				t.Error(err)
			case at != "" && (err == nil || err.Value != "broken "+at || len(err.Stack) == 0):
				t.Errorf("got %v", err)
			case at != "":
				<-quit
			}
			if len(quit) > 0 {
				t.Error("asked to end again")
			}
		})
	}
}

// run runs a command and what it expands to.
func run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, ok := cmd().(tea.BatchMsg); ok {
		for _, c := range batch {
			run(c)
		}
	}
}
