package render

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Some characters must pass the styling library untouched: it undoes backslash
// escapes and entities a second time, inside code too, and breaks lines at every
// hyphen. They travel as private characters of the same width and are restored
// by scan.
const (
	shieldBase  = 0xe000
	shieldFirst = shieldBase + ' '
	shieldLast  = shieldBase + '~'
)

// shield hides escapes and entities, and hyphens in text that must not break
// there. A text that already holds one of our private characters loses it: it
// has no meaning and would turn into ASCII.
func shield(s string, keep bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\\' || r == '&' || r == '-' && keep:
			return shieldBase + r
		case r >= shieldFirst && r <= shieldLast:
			return '\ufffd'
		}
		return r
	}, s)
}

func unshield(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= shieldFirst && r <= shieldLast:
			return r - shieldBase
		case r == '\u00a0':
			return ' '
		}
		return r
	}, s)
}

// tag returns an OSC 8 sequence. The wrapping code of the styling library keeps
// hyperlinks across line ends, so they carry our positions through it; scan
// reads and removes them, and Clean kept others from coming in.
func tag(name byte, index int) string {
	return ansi.SetHyperlink(string(name) + strconv.Itoa(index))
}

// untag ends a tag.
func untag() string { return ansi.ResetHyperlink() }

// spot is where a tag begins and ends within one line.
type spot struct {
	name       string
	start, end int
}

// scan reads one styled line: it removes the tags, restores shielded characters
// and trims trailing blanks.
func scan(styled string) (Line, []spot) {
	var s scanner
	var state byte
	for rest := styled; rest != ""; {
		seq, width, n, next := ansi.DecodeSequence(rest, state, nil)
		s.add(seq, width)
		rest, state = rest[n:], next
	}
	s.closeTag()
	if s.coloured {
		s.text.WriteString(ansi.ResetStyle)
	}
	return Line{Text: s.text.String(), Plain: s.plain.String()}, s.spots
}

type scanner struct {
	text, plain strings.Builder
	coloured    bool   // text holds a style that is not reset yet
	pending     string // blanks and styles that only count if text follows
	blanks      int    // blanks in pending
	col         int
	open        string
	start       int
	spots       []spot
}

func (s *scanner) add(seq string, width int) {
	switch {
	case width > 0 && (seq == " " || seq == "\u00a0"):
		s.pending += " "
		s.blanks++
		s.col++
	case width > 0:
		seq = unshield(seq)
		if i := strings.LastIndexByte(s.pending, '\x1b'); i >= 0 {
			s.coloured = !strings.HasPrefix(s.pending[i:], ansi.ResetStyle)
		}
		s.text.WriteString(s.pending + seq)
		s.plain.WriteString(strings.Repeat(" ", s.blanks) + seq)
		s.pending, s.blanks = "", 0
		s.col += width
	case ansi.HasOscPrefix(seq):
		s.closeTag()
		if _, name, ok := strings.Cut(strings.TrimSuffix(seq, "\a"), ";;"); ok && name != "" {
			s.open, s.start = name, s.col
		}
	case ansi.HasCsiPrefix(seq):
		s.pending += seq
	case width == 0 && seq >= " ": // a lone combining mark belongs to its neighbour
		s.text.WriteString(seq)
		s.plain.WriteString(seq)
	}
}

func (s *scanner) closeTag() {
	if s.open != "" {
		s.spots = append(s.spots, spot{name: s.open, start: s.start, end: s.col})
	}
	s.open = ""
}

// expandTabs replaces tabs by blanks up to the next column that divides by four.
func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	col := 0
	for part := range strings.SplitAfterSeq(s, "\t") {
		text, tab := strings.CutSuffix(part, "\t")
		b.WriteString(text)
		col += ansi.StringWidth(text)
		if tab {
			n := 4 - col%4
			b.WriteString(strings.Repeat(" ", n))
			col += n
		}
	}
	return b.String()
}

// wrapSource cuts a line of code at width, behind a comma or blank where there is
// one in the second half. Nothing is lost; continued lines are indented by two.
func wrapSource(line string, width int) []string {
	var out []string
	indent := ""
	start, at, breakAt := 0, 0, 0 // byte offsets
	col, breakCol := 0, 0
	for at < len(line) {
		cluster, w := ansi.FirstGraphemeCluster(line[at:], ansi.GraphemeWidth)
		room := max(width-len(indent), 1)
		if col+w > room && at > start {
			if breakAt <= start || breakCol <= room/2 {
				breakAt, breakCol = at, col
			}
			out = append(out, indent+line[start:breakAt])
			start, col = breakAt, col-breakCol
			if width >= 20 {
				indent = codeIndent
			}
			continue
		}
		at, col = at+len(cluster), col+w
		if cluster == " " || cluster == "," && !startsWithDigit(line[at:]) { // 18,805 stays whole
			breakAt, breakCol = at, col
		}
	}
	return append(out, indent+line[start:])
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
