package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

// input is one line of typed text. The one of bubbles reaches for the system's
// clipboard when the program starts and panics on negative widths.
type input struct {
	text []rune
	at   int
}

// maxInput bounds pasted text.
const maxInput = 500

func (in *input) value() string { return string(in.text) }

// insert adds text at the cursor; line ends become blanks.
func (in *input) insert(s string) {
	add := []rune(strings.Join(strings.FieldsFunc(render.Clean(s), func(r rune) bool { return r == '\n' || r == '\t' }), " "))
	add = add[:max(min(len(add), maxInput-len(in.text)), 0)]
	in.text = slices.Insert(in.text, in.at, add...)
	in.at += len(add)
}

// update handles a key press and reports whether the text changed.
func (in *input) update(msg tea.KeyPressMsg) bool {
	before := len(in.text)
	switch msg.String() {
	case "left", "ctrl+b":
		in.at = max(in.at-1, 0)
	case "right", "ctrl+f":
		in.at = min(in.at+1, len(in.text))
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.text)
	case "backspace", "ctrl+h":
		in.cut(in.at-1, in.at)
	case "delete":
		in.cut(in.at, in.at+1)
	case "ctrl+u":
		in.cut(0, in.at)
	case "ctrl+w":
		i := in.at
		for i > 0 && unicode.IsSpace(in.text[i-1]) {
			i--
		}
		for i > 0 && !unicode.IsSpace(in.text[i-1]) {
			i--
		}
		in.cut(i, in.at)
	default:
		if msg.Text != "" && msg.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
			in.insert(msg.Text)
		}
	}
	return len(in.text) != before
}

func (in *input) cut(from, to int) {
	from, to = max(from, 0), min(to, len(in.text))
	if from < to {
		in.text = slices.Delete(in.text, from, to)
		in.at = from
	}
}

// draw shows the text around the cursor in w columns.
func (in *input) draw(w int, st styles) string {
	head, tail := string(in.text[:in.at]), string(in.text[in.at:])
	under, _ := ansi.FirstGraphemeCluster(tail, ansi.GraphemeWidth)
	if under == "" {
		under = " "
	} else {
		tail = tail[len(under):]
	}
	if over := ansi.StringWidth(head) + ansi.StringWidth(under) - max(w, 1); over > 0 {
		head = ansi.TruncateLeft(head, over, "")
	}
	return ansi.Truncate(head+st.cursor.Render(under)+tail, max(w, 0), "")
}
