package tui

import (
	"charm.land/lipgloss/v2"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

// Theme chooses the colours of the browser.
type Theme int

// The themes. Auto asks the terminal for its background and is dark until it
// answers.
const (
	ThemeAuto Theme = iota
	ThemeDark
	ThemeLight
	ThemeHighContrast
	ThemeNone
)

// ParseTheme reads the name of a theme: auto, dark, light, high-contrast, none.
func ParseTheme(name string) (Theme, bool) {
	for i, n := range ThemeNames() {
		if n == name {
			return Theme(i), true
		}
	}
	return ThemeAuto, false
}

// ThemeNames returns the names ParseTheme knows.
func ThemeNames() []string { return []string{"auto", "dark", "light", "high-contrast", "none"} }

// styles holds every style of the browser.
type styles struct {
	page                                       render.Style
	bar, tab, activeTab, badge                 lipgloss.Style
	head, faint, cursor, unfocused             lipgloss.Style
	link, match, current                       lipgloss.Style
	good, bad, hintKey, toast, input, emphasis lipgloss.Style
}

// colors names the few colours a theme consists of; "" is the terminal's own.
type colors struct{ accent, faint, good, bad, match, bar, barText string }

func newStyles(theme Theme, dark bool) styles {
	page, c := render.Dark, colors{accent: "75", faint: "244", good: "78", bad: "203", match: "58", bar: "236", barText: "252"}
	switch {
	case theme == ThemeNone:
		page, c = render.None, colors{}
	case theme == ThemeHighContrast:
		page, c = render.HighContrast, colors{accent: "14", good: "10", bad: "9", match: "4", bar: "0", barText: "15"}
		if !dark {
			c = colors{accent: "4", good: "2", bad: "1", match: "11", bar: "15", barText: "0"}
		}
	case theme == ThemeLight || theme == ThemeAuto && !dark:
		page, c = render.Light, colors{accent: "25", faint: "243", good: "28", bad: "160", match: "222", bar: "254", barText: "236"}
	}
	plain := lipgloss.NewStyle()
	fg := func(color string) lipgloss.Style {
		if color == "" {
			return plain
		}
		return plain.Foreground(lipgloss.Color(color))
	}
	bar := fg(c.barText)
	match := plain.Underline(true).Bold(true)
	if c.bar != "" {
		bar = bar.Background(lipgloss.Color(c.bar))
		match = plain.Background(lipgloss.Color(c.match))
	}
	return styles{
		page: page,
		bar:  bar, tab: bar, activeTab: bar.Bold(true), badge: bar.Bold(true).Reverse(true),
		head: fg(c.accent).Bold(true), faint: fg(c.faint),
		cursor: plain.Reverse(true), unfocused: plain.Bold(true),
		link: plain.Reverse(true), match: match, current: plain.Reverse(true).Bold(true),
		good: fg(c.good), bad: fg(c.bad).Bold(true),
		hintKey: fg(c.accent).Bold(true), toast: plain.Bold(true), input: plain, emphasis: plain.Bold(true),
	}
}

// glyphs are the characters that differ between ASCII and Unicode terminals.
type glyphs struct{ column, row, more string }

func newGlyphs(ascii bool) glyphs {
	if ascii {
		return glyphs{column: "|", row: "-", more: "~"}
	}
	return glyphs{column: "│", row: "─", more: "…"}
}
