package tui_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/render"
)

func TestTree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Start = catalog.Key{}
		d := drive(t, opts, 80, 24)
		d.wants("* /", "> /orders")
		d.keys("down", "right")
		d.wants("v /orders", "    prepare")
		d.keys("down", "enter")
		if d.page() != "/orders/prepare" {
			t.Errorf("on %s", d.page())
		}
		d.keys("left") // from the page into the tree
		d.keys("left") // to the parent
		d.keys("left") // and close it
		d.wants("> /orders")
		d.keys("G", "enter")
		if d.page() != "/troubleshooting" {
			t.Errorf("on %s", d.page())
		}
		d.wants("    execution")
	})
}

func TestLinksAndHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("tab")
		d.wants("[1]>prepare")
		d.keys("enter")
		if d.page() != "/orders/prepare" {
			t.Fatalf("on %s", d.page())
		}
		d.wants("back: /orders/reconcile")
		d.keys("f", "1") // to a heading of the page before
		if d.page() != "/orders/reconcile" {
			t.Fatalf("on %s", d.page())
		}
		if got := d.line(3); !strings.HasSuffix(got, "│ Partial fills") {
			t.Errorf("the fragment is not on top: %q", got)
		}
		d.keys("backspace", "[")
		if d.page() != "/orders/reconcile" {
			t.Fatalf("on %s", d.page())
		}
		d.wants("[1]>prepare", "back: -") // the selected link came back
		d.keys("[")
		if !strings.Contains(d.line(-1), "no page to go back to") {
			t.Errorf("got %q", d.line(-1))
		}
		d.keys("]", "alt+right")
		d.wants("back: /orders/prepare")
		if got := d.line(3); !strings.HasSuffix(got, "│ Partial fills") {
			t.Errorf("the scroll position is lost: %q", got)
		}
		d.keys("f", "2") // inline code that is a key
		if d.page() != "/troubleshooting" {
			t.Errorf("on %s", d.page())
		}
	})
}

func TestLinkToHeadingOfAnotherPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("f", "3")
		if d.page() != "/troubleshooting/execution" || !strings.HasSuffix(d.line(3), "│ No fill yet") {
			t.Errorf("on %s, top %q", d.page(), d.line(3))
		}
	})
}

func TestManyLinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		for i := range 12 {
			to := "prepare.md"
			if i == 11 {
				to = "SKILL.md"
			}
			fmt.Fprintf(&b, "[link](%s)\n\n", to)
		}
		opts := options(t)
		opts.Library = altered{Library: opts.Library, bodies: map[string]string{"/orders/reconcile": b.String()}}
		d := drive(t, opts, 80, 24)
		d.keys("f", "1")
		d.wants("follow link number: 1")
		d.keys("2")
		if d.page() != "/orders" {
			t.Errorf("f12 leads to %s", d.page())
		}
		d.keys("[", "f", "1", "enter")
		if d.page() != "/orders/prepare" {
			t.Errorf("f1 enter leads to %s", d.page())
		}
		d.keys("[", "f", "9")
		if d.page() != "/orders/prepare" {
			t.Errorf("f9 leads to %s", d.page())
		}
		d.keys("[", "f", "esc")
		d.lacks("follow link number")
	})
}

func TestBrokenAndExternalLinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var opened []string
		opts := options(t)
		opts.OpenURL = func(_ context.Context, url string) error {
			opened = append(opened, url)
			return nil
		}
		long := "https://example.com/" + strings.Repeat("path/", 20) + "end"
		opts.Library = altered{Library: opts.Library, bodies: map[string]string{
			"/orders/reconcile": "[a](nope.md) [b](../../out.md) [c](javascript:alert) [d](" + long + ") [e](#nowhere)",
		}}
		d := drive(t, opts, 80, 24)
		d.wants("[1] a (broken link)")
		d.keys("f", "1")
		d.wants("broken link: orders/nope.md is not in the catalog")
		d.keys("f", "2")
		d.wants("broken link: link")
		d.keys("f", "3")
		d.wants("javascript:alert", "y copies it, esc closes.")
		d.lacks("enter opens it")
		d.keys("enter", "esc", "f", "4")
		joined := strings.ReplaceAll(strings.ReplaceAll(d.screen(), "\n", ""), " ", "")
		if !strings.Contains(joined, long) {
			t.Errorf("the link is not shown in full:\n%s", d.screen())
		}
		if opened != nil {
			t.Errorf("opened %q too early", opened)
		}
		d.keys("enter")
		d.wants("opened in the browser")
		if len(opened) != 1 || opened[0] != long {
			t.Errorf("opened %q", opened)
		}
		d.keys("f", "5")
		d.wants("no heading #nowhere on this page")
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("/", "text:fill")
		d.wants(`/fill`, `match 1 of`)
		d.keys("enter")
		all := d.screen()
		d.keys("/", "text:Fill", "enter")
		if d.screen() == all {
			t.Error("a capital does not make the find case-sensitive")
		}
		d.keys("/", "text:is not finished", "enter")
		d.wants(`match 1 of 1 "is not finished"`, "is not")
		d.resize(140, 40)
		d.wants(`match 1 of 1 "is not finished"`)
		d.keys("esc")
		d.lacks("match 1")
		d.keys("/", "text:zzz", "enter")
		d.wants("not on this page", `no match "zzz"`)
		d.keys("/", "esc")
		d.lacks("no match")
	})
}

func TestFindAcrossLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("/", "text:what the order book says", "enter")
		d.wants("match 1 of 1")
		d.keys("/", "text:你好", "enter")
		d.wants("match 1 of 1")
	})
}

func TestFindSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("/", "text:the", "enter", "N")
		last := d.line(-2)
		if !strings.Contains(last, "of") || strings.Contains(last, "match 1 ") {
			t.Errorf("N does not wrap around: %q", last)
		}
		d.keys("n")
		d.wants("match 1 of")
	})
}

func TestTypingIsNeverACommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("/", "text:q2?s:")
		d.wants("/q2?s:")
		d.keys("esc", "s", "text:q1?", "esc")
		if len(d.effects) > 1 { // the first is the question for the background
			t.Errorf("effects %q", d.effects)
		}
	})
}

func TestScrollingStaysInside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("right", "right", "G")
		d.wants("100%")
		bottom := d.screen()
		d.keys("down", "pgdown", "space", "ctrl+d")
		if d.screen() != bottom {
			t.Error("scrolled past the end")
		}
		d.keys("g", "up", "pgup", "b", "ctrl+u")
		d.wants("line 1-")
	})
}

func TestWrapOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.lacks(`"limit":100,"comment"`)
		d.keys("right", "right", "w")
		d.wants("wrapping of code and tables off")
		d.keys("right", "right", "right")
		d.wants(`"comment":"a call that is f`)
		d.keys("left", "left", "left", "w")
		d.wants("wrapping of code and tables on", "Compare what you meant")
	})
}

func TestResizeKeepsThePlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("right", "right", "pgdown", "down", "down")
		before := d.screen()
		for _, size := range [][2]int{{140, 40}, {41, 11}, {5, 2}, {0, 0}, {300, 5}, {1, 300}, {80, 24}} {
			d.resize(size[0], size[1])
			_ = d.content()
		}
		if got := d.screen(); got != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, got)
		}
	})
}

func TestTooSmall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 30, 9)
		if got := d.line(0); got != "Need 40x10, have 30x9" {
			t.Errorf("got %q", got)
		}
		d.resize(7, 1)
		if got := d.line(0); got != "Need 40" {
			t.Errorf("got %q", got)
		}
	})
}

func TestDrawer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 60, 16)
		d.lacks("Tree")
		d.keys("t")
		d.wants("Tree", "v /orders")
		d.keys("up", "enter")
		if d.page() != "/orders/prepare" {
			t.Errorf("on %s", d.page())
		}
		d.resize(100, 30)
		d.wants("Tree")
		d.keys("t")
		d.lacks("Tree")
	})
}

func TestCopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Env = []string{"TERM=tmux-256color", "TMUX=/tmp/x,1,0"}
		d := drive(t, opts, 80, 24)
		d.effects = nil
		d.keys("y")
		d.wants("/orders/reconcile sent to the clipboard")
		if len(d.effects) != 2 || !strings.Contains(d.effects[0], "/orders/reconcile") || !strings.Contains(d.effects[1], "\x1bPtmux;") {
			t.Errorf("effects %q", d.effects)
		}
		d.effects = nil
		d.keys("Y")
		if !strings.Contains(d.effects[0], "# Reconcile fills") {
			t.Errorf("effects %q", d.effects)
		}
	})
}

func TestCopyTooMuch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Library = altered{Library: opts.Library, bodies: map[string]string{"/orders/reconcile": strings.Repeat("word ", 60_000)}}
		d := drive(t, opts, 80, 24)
		d.wants("page over 256 KiB, shown as source")
		d.effects = nil
		d.keys("Y")
		d.wants("too long for the clipboard")
		if d.effects != nil {
			t.Errorf("effects %q", d.effects)
		}
	})
}

func TestUnknownPageAndErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Start = key(t, "/orders/reconsile")
		d := drive(t, opts, 80, 24)
		d.wants("gone", "/orders/reconcile", "Nearest page")
		opts.Start = key(t, "/orders/reconcile")
		opts.Library = altered{Library: opts.Library, errs: map[string]error{"/orders/reconcile": errors.New("disk \x1b[31mfell off")}}
		d = drive(t, opts, 80, 24)
		d.wants("read /orders/reconcile: disk fell off")
		d.keys("up", "enter")
		if d.page() != "/orders/prepare" {
			t.Errorf("on %s", d.page())
		}
		d.lacks("disk")
	})
}

func TestHostilePage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		evil := "# T\x1b]0;owned\a\n\n\x1b[2J \u202ereversed &#27;]52;c;eA== [l\x1b[1m](x\x1b[2J.md)\n\n```\n\x1b[H\tcode\n```\n"
		opts := options(t)
		opts.Library = altered{Library: opts.Library, bodies: map[string]string{"/orders/reconcile": evil}}
		opts.Source = "dir \x1b[31m\nx"
		d := drive(t, opts, 140, 40)
		for _, keys := range [][]string{nil, {"f", "1"}, {"tab"}, {"o"}} {
			d.keys(keys...)
			content := d.content()
			for _, bad := range []string{"\x1b]", "\x1b[2J", "\x1b[H", "\u202e", "\t"} {
				if strings.Contains(content, bad) {
					t.Errorf("after %v the screen holds %q", keys, bad)
				}
			}
		}
		d.effects = nil
		d.keys("esc", "Y")
		if got := strings.TrimPrefix(d.effects[0], "tea.setClipboardMsg "); render.Clean(got) != got {
			t.Errorf("copied %q", got)
		}
	})
}

// TestLateAnswers opens two pages before either was laid out: the second one
// wins whatever order the answers come in.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.hold = true
		d.keys("up", "enter")
		first := d.held
		d.held = nil
		d.keys("left", "up", "enter")
		second := d.held
		d.hold = false
		for _, cmd := range append(second, first...) {
			d.run(cmd)
		}
		d.wants("Read [1] reconcile first")
		if d.page() != "/orders" {
			t.Errorf("on %s", d.page())
		}
	})
}

func TestMouse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
		click(8, 4) // prepare, in the tree
		if d.page() != "/orders/reconcile" {
			t.Error("the first click opens")
		}
		click(8, 4)
		if d.page() != "/orders/prepare" {
			t.Errorf("on %s", d.page())
		}
		click(45, 5) // the link of that page
		d.wants("[1]>")
		click(45, 5)
		if d.page() != "/orders/reconcile" {
			t.Errorf("on %s", d.page())
		}
		d.send(tea.MouseWheelMsg{X: 50, Y: 10, Button: tea.MouseWheelUp})
		d.send(tea.MouseWheelMsg{X: 50, Y: 10, Button: tea.MouseWheelDown})
		click(22, 0) // the second screen
		d.wants("[2 Skills]")
		click(5, 23) // "enter open" in the hint line
		d.wants("[1 Help]")
		if got := d.model.View().MouseMode; got != tea.MouseModeCellMotion {
			t.Errorf("mouse mode %v", got)
		}
		d.keys("m")
		d.wants("mouse off")
		if got := d.model.View().MouseMode; got != tea.MouseModeNone {
			t.Errorf("mouse mode %v", got)
		}
	})
}

func TestQuitAndSystemKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		for keys, want := range map[string]string{"q": "tea.QuitMsg", "ctrl+c": "tea.QuitMsg", "ctrl+z": "tea.SuspendMsg", "ctrl+l": "tea.clearScreenMsg"} {
			d.effects = nil
			d.keys(keys)
			if len(d.effects) != 1 || !strings.HasPrefix(d.effects[0], want) {
				t.Errorf("%s: effects %q", keys, d.effects)
			}
		}
		d.effects = nil
		d.keys("esc", "esc", "esc")
		if d.effects != nil {
			t.Errorf("esc: effects %q", d.effects)
		}
		d.keys("s", "text:q", "ctrl+c")
		if len(d.effects) != 1 {
			t.Errorf("ctrl+c while typing: effects %q", d.effects)
		}
	})
}
