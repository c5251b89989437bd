package render

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	astext "github.com/yuin/goldmark/extension/ast"
)

// column is what the cells of a column need.
type column struct {
	header  string
	align   astext.Alignment
	natural int // columns of the widest cell
	least   int // columns of the longest word
	width   int // what it gets
}

// table draws a table no wider than it needs to be; cells wrap between words.
// One whose longest words do not fit becomes one "header: value" line per cell.
// The styling library's own tables stretch to the full width and break words.
func (l *layout) table(n *astext.Table, width int) ([]string, error) {
	columns := l.measure(n)
	if !fitColumns(columns, width, l.opts.NoWrap) {
		return l.records(n, columns, width)
	}
	var out []string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		lines, err := l.row(row, columns)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
		if row.Kind() == astext.KindTableHeader {
			out = append(out, l.leaf.faint(l.rule(columns)))
		}
	}
	return out, nil
}

// measure rewrites the cells for drawing and measures them.
func (l *layout) measure(n *astext.Table) []column {
	columns := make([]column, len(n.Alignments))
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		i := 0
		for cell := row.FirstChild(); cell != nil && i < len(columns); cell = cell.NextSibling() {
			c := &columns[i]
			c.align = n.Alignments[i]
			if row.Kind() == astext.KindTableHeader {
				c.header = l.label(cell)
			}
			l.inline(cell, true)
			text := l.drawn(cell)
			c.natural = max(c.natural, ansi.StringWidth(text), 1)
			for word := range strings.SplitSeq(text, " ") { // not at the no-break space of a link's mark
				c.least = max(c.least, ansi.StringWidth(word), 1)
			}
			i++
		}
	}
	return columns
}

// fitColumns gives every column its natural width if that fits, or else its
// longest word and a share of the rest. It reports whether that fits.
func fitColumns(columns []column, width int, noWrap bool) bool {
	room := width - 3*len(columns) + 1 // a blank at both sides, a line between
	natural, least := 0, 0
	for i := range columns {
		natural += columns[i].natural
		least += columns[i].least
		columns[i].width = columns[i].natural
	}
	if natural <= room || noWrap {
		return true
	}
	if least > room {
		return false
	}
	spare, wanted := room-least, natural-least
	for i := range columns {
		c := &columns[i]
		c.width = c.least + (c.natural-c.least)*spare/wanted
	}
	return true
}

// row draws the cells of one row beside each other.
func (l *layout) row(row ast.Node, columns []column) ([]string, error) {
	cells := make([][]string, len(columns))
	height := 1
	i := 0
	for cell := row.FirstChild(); cell != nil && i < len(columns); i++ {
		next := cell.NextSibling()
		lines, err := l.cell(cell, columns[i].width, row.Kind() == astext.KindTableHeader)
		if err != nil {
			return nil, err
		}
		cells[i], height = lines, max(height, len(lines))
		cell = next
	}
	separator := l.leaf.faint(l.pick("│", "|"))
	out := make([]string, height)
	for y := range out {
		var b strings.Builder
		for i, c := range columns {
			if i > 0 {
				b.WriteString(separator)
			}
			text := ""
			if y < len(cells[i]) {
				text = cells[i][y]
			}
			b.WriteString(" " + aligned(text, c) + " ")
		}
		out[y] = b.String()
	}
	return out, nil
}

// cell draws one cell. Most hold nothing but text, which needs no styling.
func (l *layout) cell(cell ast.Node, width int, header bool) ([]string, error) {
	if !header && onlyText(cell) {
		return strings.Split(ansi.Wrap(l.drawn(cell), width, ""), "\n"), nil
	}
	p := ast.NewParagraph()
	into := ast.Node(p)
	if header {
		strong := ast.NewEmphasis(2)
		p.AppendChild(p, strong)
		into = strong
	}
	for c := cell.FirstChild(); c != nil; c = cell.FirstChild() {
		into.AppendChild(into, c)
	}
	lines, err := l.leaf.render(l.src, p, width)
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines, err
}

func onlyText(n ast.Node) bool {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() != ast.KindText {
			return false
		}
	}
	return true
}

func aligned(text string, c column) string {
	space := max(c.width-ansi.StringWidth(text), 0)
	left := 0
	switch c.align {
	case astext.AlignRight:
		left = space
	case astext.AlignCenter:
		left = space / 2
	case astext.AlignLeft, astext.AlignNone:
	}
	return strings.Repeat(" ", left) + text + strings.Repeat(" ", space-left)
}

func (l *layout) rule(columns []column) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = strings.Repeat(l.pick("─", "-"), c.width+2)
	}
	return strings.Join(parts, l.pick("┼", "+"))
}

// drawn returns the text of rewritten inline content.
func (l *layout) drawn(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(l.src))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func (l *layout) records(n *astext.Table, columns []column, width int) ([]string, error) {
	var out []string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if row.Kind() == astext.KindTableHeader {
			continue
		}
		i := 0
		for cell := row.FirstChild(); cell != nil && i < len(columns); i++ {
			next := cell.NextSibling()
			cell.InsertBefore(cell, cell.FirstChild(), l.text(columns[i].header+": ", true))
			lines, err := l.cell(cell, width, false)
			if err != nil {
				return nil, err
			}
			out = append(out, lines...)
			cell = next
		}
		out = append(out, "")
	}
	return out[:max(len(out)-1, 0)], nil
}
