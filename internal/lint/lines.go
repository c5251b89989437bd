package lint

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// lineTable finds lines and columns of byte offsets.
type lineTable struct {
	raw    []byte
	starts []int // offset of each line
}

func newLineTable(raw []byte) lineTable {
	t := lineTable{raw: raw, starts: make([]int, 1, 1+bytes.Count(raw, []byte("\n")))}
	for at, c := range raw {
		if c == '\n' {
			t.starts = append(t.starts, at+1)
		}
	}
	return t
}

// position converts a byte offset.
func (t lineTable) position(offset int) Position {
	offset = min(max(offset, 0), len(t.raw))
	line, found := slices.BinarySearch(t.starts, offset)
	if !found {
		line--
	}
	return Position{Line: line + 1, Column: utf8.RuneCount(t.raw[t.starts[line]:offset]) + 1, Offset: offset}
}

// end converts the offset where a range ends, which is its start in a file whose
// lines are not known.
func (t lineTable) end(start Position, offset int) Position {
	if t.raw == nil || offset < start.Offset {
		return Position{Line: start.Line, Column: start.Column, Offset: max(offset, start.Offset)}
	}
	return t.position(offset)
}

// text returns a line without its ending, "" when there is no such line.
func (t lineTable) text(line int) string {
	if line < 1 || line > len(t.starts) {
		return ""
	}
	end := len(t.raw)
	if line < len(t.starts) {
		end = t.starts[line]
	}
	return strings.TrimRight(string(t.raw[t.starts[line-1]:end]), "\r\n")
}
