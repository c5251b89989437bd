package tui_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/tui"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("2", "ctrl+k")
		d.wants("Search everything", "type words")
		d.keys("text:  gone")
		d.wants("nothing found")
		d.keys("ctrl+u", "text:execution")
		d.wants("> Execution", "/troubleshooting/execution")
		d.keys("down", "up", "enter")
		d.wants("[1 Help]")
		if d.page() != "/troubleshooting/execution" {
			t.Errorf("on %s", d.page())
		}
		d.keys("s", "esc")
		d.wants("/troubleshooting/execution", "back: /orders/reconcile")
	})
}

func TestSnippetShowsTheHit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fsys := files()
		fsys["orders/prepare.md"].Data = []byte("---\ndescription: d\n---\n\n# Prepare\n\n" + strings.Repeat("filler ", 30) + "needle and more\n")
		c, err := catalog.Load(fsys)
		if err != nil {
			t.Fatal(err)
		}
		opts := options(t)
		opts.Library = tui.NewCatalogLibrary(c)
		d := drive(t, opts, 80, 24)
		d.keys("s", "text:Needle")
		d.wants("needle and more", "…")
	})
}

// recorder counts searches and may refuse them.
type recorder struct {
	tui.Library
	asked *[]string
	err   error
}

func (r recorder) Search(ctx context.Context, text string) ([]catalog.Hit, error) {
	*r.asked = append(*r.asked, text)
	if r.err != nil {
		return nil, r.err
	}
	return r.Library.Search(ctx, text)
}

func TestSearchWaitsForAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		opts := options(t)
		opts.Library = recorder{Library: opts.Library, asked: &asked}
		d := drive(t, opts, 80, 24)
		d.keys("s")
		d.hold = true
		d.keys("text:fill")
		typed := d.held
		d.hold = false
		for i := range typed { // timers end in any order; only the last text is searched
			d.run(typed[len(typed)-1-i])
		}
		if strings.Join(asked, ",") != "fill" {
			t.Errorf("searched %q", asked)
		}
		d.wants("Reconcile fills")
	})
}

func TestSearchFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		opts := options(t)
		opts.Library = recorder{Library: opts.Library, asked: &asked, err: errors.New("server is away")}
		d := drive(t, opts, 80, 24)
		d.keys("s", "text:x", "enter")
		d.wants("search: server is away")
	})
}

func TestCommandsRunEveryKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys(":", "text:outline", "enter")
		d.wants("Outline of /orders/reconcile")
		d.keys("G", "enter", ":", "text:skills and", "enter")
		d.wants("[2 Skills]")
		d.keys(":", "text:verify all", "enter")
		d.wants("verified, 11:15:00")
		d.keys(":", "down", "enter")
		d.keys(":", "text:nonsense")
		d.wants("no such command")
		d.effects = nil
		d.keys("ctrl+w", "text:quit", "enter")
		if len(d.effects) != 1 || !strings.HasPrefix(d.effects[0], "tea.QuitMsg") {
			t.Errorf("effects %q", d.effects)
		}
	})
}

func TestOutlineJumps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("o", "down", "enter")
		if !strings.HasSuffix(d.line(3), "│ Partial fills") {
			t.Errorf("top line %q", d.line(3))
		}
	})
}

func TestKeysOverlay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		before := d.screen()
		d.keys("?", "pgdown", "G", "g", "down", "up")
		d.wants("Keys: Help", "enter")
		d.keys("?")
		if d.screen() != before {
			t.Error("? does not close its overlay")
		}
		d.keys("?", "esc")
		if d.screen() != before {
			t.Error("esc does not close the overlay")
		}
	})
}

func TestPasteAndEdit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("/")
		d.send(tea.PasteMsg{Content: "the\x1b[31m\norder"})
		d.wants("/the order", "match 1 of")
		d.keys("home", "text:x", "backspace", "right", "left", "end", "ctrl+w", "text:order book")
		d.wants("/the order book", "match 1 of")
		d.keys("ctrl+a", "ctrl+f", "ctrl+b", "ctrl+e", "ctrl+u")
		d.wants("type to find")
		d.send(tea.PasteMsg{Content: strings.Repeat("long ", 400)})
		_ = d.content()
	})
}

func TestPickerMouse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("o")
		d.send(tea.MouseWheelMsg{X: 1, Y: 5, Button: tea.MouseWheelDown})
		d.send(tea.MouseWheelMsg{X: 1, Y: 5, Button: tea.MouseWheelUp})
		d.send(tea.MouseClickMsg{X: 5, Y: 3, Button: tea.MouseLeft})
		d.wants(" >   Partial fills")
		d.send(tea.MouseClickMsg{X: 5, Y: 3, Button: tea.MouseLeft})
		if !strings.HasSuffix(d.line(3), "│ Partial fills") {
			t.Errorf("top line %q", d.line(3))
		}
	})
}
