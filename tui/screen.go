package tui

import (
	"context"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Screen is one view of the browser. It changes itself in Update and draws
// exactly the size it is given; only Model talks to Bubble Tea.
type Screen interface {
	Init() tea.Cmd
	Update(msg tea.Msg) tea.Cmd
	Draw(w, h int) string
	Keys() []key.Binding
	Title() string
}

// capturer is a screen that may be reading text: then letters belong to it.
type capturer interface{ capturing() bool }

// shared is what all screens of one Model use. Only the Bubble Tea loop touches
// it; commands get copies of what they need.
type shared struct {
	lib    Library
	keys   keyMap
	styles styles
	glyphs glyphs
	ascii  bool
	now    func() time.Time
	pages  *pageCache
	index  *index // nil until the tree is loaded
	skills []*Skill
	outbox []tea.Msg // what screens said, for Model

	// do makes a command of work that may take time. It carries the program's
	// context, which must not be stored in a struct.
	do      func(work func(context.Context) tea.Msg) tea.Cmd
	openURL func(ctx context.Context, url string) error
}

// Messages between Model and screens.
type (
	sizeMsg   struct{ w, h int } // the size of the body
	settleMsg struct{ id int }   // the window has kept its size for a moment
	treeMsg   struct {           // the tree was loaded, or could not be
		index *index
		err   error
	}
	screenMsg struct{ number int } // show this screen
	skillsMsg struct {
		skills []*Skill
		err    error
	}
	openMsg struct { // show a page
		key      catalog.Key
		fragment string
		skills   bool // it was chosen on the Skills screen
	}
	gotoMsg   struct{ line int }      // scroll the page to a line
	pushMsg   struct{ screen Screen } // put an overlay on top
	popMsg    struct{}                // close the overlay
	pressMsg  struct{ press tea.KeyPressMsg }
	toastMsg  string
	failedMsg struct{ err error } // work in the background failed
	restyled  struct{}            // colours changed
	clickMsg  struct{ x, y int }
	wheelMsg  struct{ x, y, lines int }
)

// say leaves a message for Model, which takes it before the next key: as a
// command it could come after keys that were typed ahead. It returns nil, so that
// it can stand where a command is returned.
func (s *shared) say(msg tea.Msg) tea.Cmd {
	s.outbox = append(s.outbox, msg)
	return nil
}

// fit cuts or pads a styled line to exactly w columns.
func fit(s string, w int, more string) string {
	if w <= 0 {
		return ""
	}
	n := ansi.StringWidth(s)
	if n > w {
		s = ansi.Truncate(s, w, more)
		n = ansi.StringWidth(s)
	}
	return s + strings.Repeat(" ", max(w-n, 0))
}

// block fits lines to exactly w x h.
func block(lines []string, w, h int, more string) string {
	out := make([]string, max(h, 0))
	for i := range out {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out[i] = fit(line, w, more)
	}
	return strings.Join(out, "\n")
}

// spread puts one text at the left and one at the right end of w columns. The
// left one gives way.
func spread(left, right string, w int, more string) string {
	room := w - ansi.StringWidth(right)
	if room <= 0 {
		return fit(right, w, more)
	}
	return fit(left, room, more) + right
}

// wrapWords breaks a text into lines of w columns.
func wrapWords(s string, w int) []string { return strings.Split(ansi.Wrap(s, max(w, 1), ""), "\n") }

// window keeps a cursor inside a list of n rows and inside the h rows shown.
type window struct{ cursor, top int }

func (v *window) clamp(n, h int) {
	h = max(h, 1)
	v.cursor = max(min(v.cursor, n-1), 0)
	v.top = max(min(v.top, n-h), 0)
	v.top = max(min(v.top, v.cursor), v.cursor-h+1)
}

// move handles the keys that every list understands.
func (v *window) move(k keyMap, msg tea.KeyPressMsg, n, h int) bool {
	switch {
	case key.Matches(msg, k.up):
		v.cursor--
	case key.Matches(msg, k.down):
		v.cursor++
	case key.Matches(msg, k.pageUp):
		v.cursor -= max(h-1, 1)
	case key.Matches(msg, k.pageDown):
		v.cursor += max(h-1, 1)
	case key.Matches(msg, k.halfUp):
		v.cursor -= max(h/2, 1)
	case key.Matches(msg, k.halfDown):
		v.cursor += max(h/2, 1)
	case key.Matches(msg, k.top):
		v.cursor = 0
	case key.Matches(msg, k.bottom):
		v.cursor = n - 1
	default:
		return false
	}
	v.clamp(n, h)
	return true
}
