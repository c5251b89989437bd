package tui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

// finder is the text looked for in a page, and where it is.
type finder struct {
	query   string
	matches [][]render.Span // one span per line that a match touches
	at      int             // the current match
}

// set looks for a query in a page. The current match becomes the first one at or
// below line from.
func (f *finder) set(query string, lines []render.Line, from int) {
	f.query = query
	f.matches = findAll(lines, query)
	f.at = 0
	for i, m := range f.matches {
		if m[0].Line >= from {
			f.at = i
			break
		}
	}
}

// relayout looks again after the page was laid out anew and stays at the same
// match, which keeps its number.
func (f *finder) relayout(lines []render.Line) {
	at := f.at
	f.set(f.query, lines, 0)
	f.at = max(min(at, len(f.matches)-1), 0)
}

// step goes to the next or previous match, around the ends.
func (f *finder) step(by int) {
	if n := len(f.matches); n > 0 {
		f.at = ((f.at+by)%n + n) % n
	}
}

// line returns the line of the current match, false when there is none.
func (f *finder) line() (int, bool) {
	if len(f.matches) == 0 {
		return 0, false
	}
	return f.matches[f.at][0].Line, true
}

// place is a character of a page: its line and the columns it covers.
type place struct{ line, start, end int }

// findAll finds every occurrence in the visible text, also across line ends of a
// paragraph. Letter case counts only when the query has a capital.
func findAll(lines []render.Line, query string) [][]render.Span {
	fold := strings.ToLower(query) == query
	want := foldRunes(strings.Join(strings.Fields(query), " "), fold)
	if len(want) == 0 {
		return nil
	}
	text, places := flatten(lines, fold)
	var out [][]render.Span
	for i := 0; i+len(want) <= len(text); i++ {
		if !hasRunes(text[i:], want) {
			continue
		}
		out = append(out, spansOf(places[i:i+len(want)]))
		i += len(want) - 1
	}
	return out
}

func foldRunes(s string, fold bool) []rune {
	if !fold {
		return []rune(s)
	}
	return []rune(strings.Map(unicode.ToLower, s))
}

func hasRunes(text, want []rune) bool {
	for i, r := range want {
		if text[i] != r {
			return false
		}
	}
	return true
}

// flatten joins the lines of each paragraph by one blank and notes where every
// character is drawn. Blank lines stay line ends, which no query can hold.
func flatten(lines []render.Line, fold bool) ([]rune, []place) {
	var text []rune
	var places []place
	for n, l := range lines {
		trimmed := strings.TrimLeft(l.Plain, " ")
		col := len(l.Plain) - len(trimmed)
		separator := ' '
		if trimmed == "" {
			separator = '\n'
		}
		text, places = append(text, separator), append(places, place{n, col, col})
		for rest := trimmed; rest != ""; {
			cluster, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			if cluster == "" {
				break
			}
			for _, r := range foldRunes(cluster, fold) {
				text, places = append(text, r), append(places, place{n, col, col + w})
			}
			col += w
			rest = rest[len(cluster):]
		}
	}
	return text, places
}

// spansOf joins the places of one match into a span per line.
func spansOf(places []place) []render.Span {
	var out []render.Span
	for _, p := range places {
		if last := len(out) - 1; last >= 0 && out[last].Line == p.line {
			out[last].End = max(out[last].End, p.end)
			continue
		}
		if p.end > p.start {
			out = append(out, render.Span{Line: p.line, Start: p.start, End: p.end})
		}
	}
	if len(out) == 0 {
		out = []render.Span{{Line: places[0].line, Start: places[0].start, End: places[0].start}}
	}
	return out
}
