package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// area is a clickable range of columns in the top or bottom line.
type area struct {
	start, end int
	press      tea.KeyPressMsg
}

// bar is the top line: the screens, where the pages come from, demo.
func (m *Model) bar() (string, []area) {
	var b strings.Builder
	b.WriteString(m.styles.bar.Render(" kite-mcp "))
	col := 10
	var areas []area
	for i, s := range m.screens {
		text := fmt.Sprintf(" %d %s ", i+1, s.Title())
		style := m.styles.tab
		if i == m.active {
			text, style = fmt.Sprintf("[%d %s]", i+1, s.Title()), m.styles.activeTab
		}
		areas = append(areas, area{col, col + len(text), tea.KeyPressMsg{Code: rune('1' + i), Text: string(rune('1' + i))}})
		col += len(text)
		b.WriteString(style.Render(text))
	}
	demo := ""
	if m.demo {
		demo = m.styles.badge.Render(" DEMO ")
	}
	// The source gives way before the warnings about it and about invented data.
	room := max(m.w-col-ansi.StringWidth(demo), 0)
	warning := m.warn(room)
	room -= ansi.StringWidth(warning)
	source := ansi.Truncate(" "+m.source+" ", room, m.glyphs.more)
	return b.String() + m.styles.bar.Render(strings.Repeat(" ", room-ansi.StringWidth(source))+source) + warning + demo, areas
}

// warn is the warning about the source: whole where the source fits beside it,
// else its last word.
func (m *Model) warn(room int) string {
	if m.warning == "" {
		return ""
	}
	text := " " + m.warning + " "
	if ansi.StringWidth(text)+ansi.StringWidth(m.source)+2 > room {
		words := strings.Fields(m.warning)
		text = " " + words[len(words)-1] + " "
	}
	return m.styles.badge.Render(ansi.Truncate(text, room, ""))
}

// hints is the bottom line: what happened, or else the most useful keys.
func (m *Model) hints() (string, []area) {
	if m.toast != "" {
		return fit(" "+m.styles.toast.Render(m.toast), m.w, m.glyphs.more), nil
	}
	var out strings.Builder
	out.WriteByte(' ')
	col := 1
	var areas []area
	for _, b := range m.hinted() {
		name, desc := m.hint(b)
		width := ansi.StringWidth(name + " " + desc)
		areas = append(areas, area{col, col + width, pressOf(b)})
		col += width + 2
		out.WriteString(m.styles.hintKey.Render(name) + " " + m.styles.faint.Render(desc) + "  ")
	}
	return fit(out.String(), m.w, m.glyphs.more), areas
}

// hinted chooses the keys that fit: those of the screen by their order, then the
// ones that always work. Moving needs no hint.
func (m *Model) hinted() []key.Binding {
	always := []key.Binding{m.keys.keys, m.keys.quit}
	if c, ok := m.top().(capturer); ok && c.capturing() {
		always = nil // letters are text now
	} else if len(m.overlays) > 0 {
		always = always[1:]
	}
	width := func(b key.Binding) int {
		name, desc := m.hint(b)
		return ansi.StringWidth(name+desc) + 3
	}
	room := m.w - 1
	for _, b := range always {
		room -= width(b)
	}
	var show []key.Binding
	for _, b := range m.top().Keys() {
		if room -= width(b); room < 0 || b.Help() == m.keys.up.Help() {
			break
		}
		show = append(show, b)
	}
	return append(show, always...)
}

// hint names a key in the few letters the hint line has room for.
func (m *Model) hint(b key.Binding) (name, desc string) {
	name, desc = b.Help().Key, b.Help().Desc
	switch desc {
	case m.keys.keys.Help().Desc:
		desc = "keys"
	case m.keys.nextLink.Help().Desc:
		desc = "link"
	case m.keys.find.Help().Desc:
		desc = "find"
	case m.keys.search.Help().Desc:
		desc = "search"
	case m.keys.pane.Help().Desc:
		desc = "pane"
	case m.keys.verify.Help().Desc:
		desc = "verify"
	}
	return name, desc
}
