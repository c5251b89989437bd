package tui_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/tui"
)

// reconcile is long enough to scroll and has every kind of link.
const reconcile = `---
description: Compare fills with intentions. Use when orders were sent.
---

# Reconcile fills

Compare what you meant to do with what the order book says. Fills may be partial.

1. Read the order book:

   ` + "```text\n   orders({\"mode\":\"list\",\"from\":0,\"limit\":100,\"comment\":\"a call that is far too long for a pane of this width\"})\n   ```" + `

2. Sum the fills per order; [prepare](prepare.md) is the place to go when a quantity is left over.

## Partial fills

| Status | filled | open |
|---|---|---:|
| in flight | ` + "`filled_quantity`" + ` | 10 |
| COMPLETE | all of it | 0 |

A row with Pending above 0 is not finished. See ` + "`/troubleshooting`" + ` first.

## When to stop

- Fills and trades differ after three reads.
- [Execution](../troubleshooting/execution.md#no-fill-yet) explains errors.
- The broker writes about it at <https://kite.trade/docs>.

## Uncertainty

Trades can be late. Wide text: 你好, ₹ 1,000.
`

func files() fstest.MapFS {
	page := func(description, body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\ndescription: " + description + "\n---\n\n" + body)}
	}
	skill := func(name, body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: All about " + name + ". Use when it matters.\n---\n\n" + body)}
	}
	return fstest.MapFS{
		"index.md":                     {Data: []byte("# Kite help\n\nStart with `/orders` or `/troubleshooting`.\n")},
		"orders/SKILL.md":              skill("orders", "# Orders\n\nRead [reconcile](reconcile.md) first.\n"),
		"orders/prepare.md":            page("Prepare an order. Use before buying.", "# Prepare an order\n\nBack to [the book](reconcile.md#partial-fills).\n"),
		"orders/reconcile.md":          {Data: []byte(reconcile)},
		"troubleshooting/SKILL.md":     skill("troubleshooting", "# Troubleshooting\n\nSomething failed.\n"),
		"troubleshooting/execution.md": page("Orders that failed. Use when a fill is missing.", "# Execution\n\n"+strings.Repeat("Wait a moment.\n\n", 30)+"## No fill yet\n\nIt will come.\n\n"+strings.Repeat("More.\n\n", 30)),
	}
}

func library(tb testing.TB) tui.Library {
	tb.Helper()
	c, err := catalog.Load(files())
	if err != nil {
		tb.Fatal(err)
	}
	return tui.NewCatalogLibrary(c)
}

// altered is a library whose pages can be replaced or refused.
type altered struct {
	tui.Library
	bodies map[string]string
	errs   map[string]error
	found  []tui.Finding // what Verify says instead, about skills that were asked for
}

func (l altered) Verify(ctx context.Context, skills []*tui.Skill) ([]tui.Finding, error) {
	found, err := l.Library.Verify(ctx, skills)
	for i, f := range found {
		for _, other := range l.found {
			if f.URI == other.URI {
				found[i] = other
			}
		}
	}
	return found, err
}

func (l altered) Page(ctx context.Context, k catalog.Key) (*catalog.Page, error) {
	if err := l.errs[k.String()]; err != nil {
		return nil, err
	}
	page, err := l.Library.Page(ctx, k)
	if body, ok := l.bodies[k.String()]; ok && err == nil {
		changed := *page
		changed.Raw, changed.Body = []byte(body), []byte(body)
		return &changed, nil
	}
	return page, err
}

// driver runs a Model without a terminal: it delivers messages and runs commands
// until nothing is left to do. It must run inside synctest, which makes timers
// instant.
type driver struct {
	tb      testing.TB
	model   *tui.Model
	w, h    int
	effects []string // messages meant for Bubble Tea itself
	held    []tea.Cmd
	hold    bool // keep commands instead of running them
}

func options(tb testing.TB) tui.Options {
	tb.Helper()
	return tui.Options{
		Library: library(tb), Start: key(tb, "/orders/reconcile"), Source: "embedded", Demo: true,
		Now: func() time.Time { return time.Date(2026, 12, 2, 11, 15, 0, 0, time.UTC) },
	}
}

func key(tb testing.TB, s string) catalog.Key {
	tb.Helper()
	k, err := catalog.ParseKey(s)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func drive(tb testing.TB, opts tui.Options, w, h int) *driver {
	tb.Helper()
	d := &driver{tb: tb, model: tui.New(tb.Context(), opts)}
	d.run(d.model.Init())
	d.resize(w, h)
	return d
}

func (d *driver) resize(w, h int) {
	d.w, d.h = w, h
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
}

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.model.Update(msg)
	d.run(cmd)
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if d.hold {
		d.held = append(d.held, cmd)
		return
	}
	msg := cmd()
	if msg == nil {
		return
	}
	if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		for i := range v.Len() { // a batch or a sequence
			next, _ := reflect.TypeAssert[tea.Cmd](v.Index(i))
			d.run(next)
		}
		return
	}
	if strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), "charm.land/bubbletea") {
		d.effects = append(d.effects, fmt.Sprintf("%T %v", msg, msg))
		return
	}
	d.send(msg)
}

// keys presses keys by name; "text:abc" types letters.
func (d *driver) keys(names ...string) {
	d.tb.Helper()
	for _, name := range names {
		if text, ok := strings.CutPrefix(name, "text:"); ok {
			for _, r := range text {
				d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			continue
		}
		d.send(press(name))
	}
}

func press(name string) tea.KeyPressMsg {
	special := map[string]tea.KeyPressMsg{
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "backspace": {Code: tea.KeyBackspace},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "space": {Code: tea.KeySpace, Text: " "},
		"alt+left": {Code: tea.KeyLeft, Mod: tea.ModAlt}, "alt+right": {Code: tea.KeyRight, Mod: tea.ModAlt},
	}
	if msg, ok := special[name]; ok {
		return msg
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(letter)[0], Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// screen returns what a person sees, without trailing blanks.
func (d *driver) screen() string {
	d.tb.Helper()
	lines := strings.Split(ansi.Strip(d.content()), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// content returns the styled screen and checks its size.
func (d *driver) content() string {
	d.tb.Helper()
	content := d.model.View().Content
	if d.w == 0 || d.h == 0 {
		if content != "" {
			d.tb.Fatalf("a window without cells shows %q", content)
		}
		return content
	}
	lines := strings.Split(content, "\n")
	if len(lines) != d.h {
		d.tb.Fatalf("%dx%d: %d lines", d.w, d.h, len(lines))
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n > d.w {
			d.tb.Fatalf("%dx%d: line %d is %d columns wide: %q", d.w, d.h, i, n, l)
		}
	}
	return content
}

func (d *driver) line(i int) string {
	d.tb.Helper()
	lines := strings.Split(strings.TrimSuffix(d.screen(), "\n"), "\n")
	if i < 0 {
		i += len(lines)
	}
	return lines[i]
}

func (d *driver) wants(texts ...string) {
	d.tb.Helper()
	screen := d.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			d.tb.Errorf("the screen lacks %q:\n%s", text, screen)
		}
	}
}

func (d *driver) lacks(text string) {
	d.tb.Helper()
	if screen := d.screen(); strings.Contains(screen, text) {
		d.tb.Errorf("the screen has %q:\n%s", text, screen)
	}
}

// page returns the key in the head of the page pane.
func (d *driver) page() string {
	d.tb.Helper()
	_, head, _ := strings.Cut(d.line(1), "/")
	return "/" + strings.Fields(head + " ")[0]
}
