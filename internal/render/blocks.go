package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	astext "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// minWidth is the narrowest a nested block gets; deeper ones stop moving right.
const minWidth = 8

// layout is the state of one run.
type layout struct {
	opts     Options
	leaf     *leafRenderer
	src      []byte // the page, and behind it every text that replaces a part of it
	root     ast.Node
	noTables bool
	links    []Link
	headings []Heading
	note     string
}

func newLayout(markdown string, opts Options) *layout {
	l := &layout{opts: opts, leaf: newLeafRenderer(opts), src: []byte(markdown), noTables: tablesTooLarge(markdown)}
	extensions := []goldmark.Extender{extension.Strikethrough, extension.TaskList}
	if l.noTables {
		l.note = "a table is too large, tables are shown as source"
	} else {
		extensions = append(extensions, extension.Table)
	}
	l.root = goldmark.New(goldmark.WithExtensions(extensions...)).Parser().Parse(text.NewReader(l.src))
	return l
}

// finish reads the tags out of the styled lines.
func (l *layout) finish(lines []string) *Document {
	doc := &Document{Links: l.links, Headings: l.headings, Note: l.note}
	for i, styled := range lines {
		line, spots := scan(styled)
		if w := ansi.StringWidth(line.Plain); w > l.opts.Width && !l.opts.NoWrap {
			line = Line{Text: ansi.Truncate(line.Text, l.opts.Width, ""), Plain: ansi.Truncate(line.Plain, l.opts.Width, "")}
		}
		doc.Lines = append(doc.Lines, line)
		for _, s := range spots {
			index, err := strconv.Atoi(s.name[1:])
			if err != nil {
				continue
			}
			if s.name[0] == 'H' {
				doc.Headings[index-1].Line = i
			} else if s.end > s.start {
				link := &doc.Links[index-1]
				link.Spans = append(link.Spans, Span{Line: i, Start: s.start, End: s.end})
			}
		}
	}
	return doc
}

// blocks lays out the children of a container, a blank line between them unless
// they are the parts of a tight list item.
func (l *layout) blocks(parent ast.Node, width, depth int) ([]string, error) {
	var out []string
	for n := parent.FirstChild(); n != nil; {
		next := n.NextSibling() // rendering moves n into a document of its own
		tight := n.Kind() == ast.KindTextBlock || n.PreviousSibling() != nil && n.PreviousSibling().Kind() == ast.KindTextBlock
		lines, err := l.block(n, width, depth)
		if err != nil {
			return nil, err
		}
		if len(lines) > 0 {
			if len(out) > 0 && !tight {
				out = append(out, "")
			}
			out = append(out, lines...)
		}
		n = next
	}
	return out, nil
}

func (l *layout) block(n ast.Node, width, depth int) ([]string, error) {
	if depth > maxDepth || n.Type() == ast.TypeBlock && inlineDepth(n) > maxDepth {
		return l.source(n, width), nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		return l.heading(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return l.paragraph(n, width)
	case *ast.List:
		return l.list(n, width, depth)
	case *ast.Blockquote:
		return l.quote(n, width, depth)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return l.code(n, width), nil
	case *ast.HTMLBlock:
		return l.html(n, width), nil
	case *astext.Table:
		return l.table(n, width)
	case *ast.ThematicBreak:
		return []string{l.leaf.faint(strings.Repeat(l.pick("─", "-"), width))}, nil
	default: // definitions of reference links, and whatever a later parser adds
		return nil, nil
	}
}

func (l *layout) pick(unicode, ascii string) string {
	if l.opts.ASCII {
		return ascii
	}
	return unicode
}

func (l *layout) heading(n *ast.Heading, width int) ([]string, error) {
	l.headings = append(l.headings, Heading{Level: n.Level, Text: l.label(n)})
	l.inline(n, false)
	mark := l.raw(tag('H', len(l.headings)) + untag())
	if n.FirstChild() == nil {
		n.AppendChild(n, mark)
	} else {
		n.InsertBefore(n, n.FirstChild(), mark)
	}
	return l.leaf.render(l.src, n, width)
}

func (l *layout) paragraph(n ast.Node, width int) ([]string, error) {
	if l.noTables && hasDelimiterRow(n, l.src) {
		return l.source(n, width), nil
	}
	var out []string
	for _, part := range splitHardBreaks(n) {
		l.inline(part, false)
		lines, err := l.leaf.render(l.src, part, width)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	return out, nil
}

// splitHardBreaks makes one paragraph per line that the author ended on purpose:
// the styling library joins them.
func splitHardBreaks(n ast.Node) []ast.Node {
	part := ast.NewParagraph()
	parts := []ast.Node{part}
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		part.AppendChild(part, c)
		if t, ok := c.(*ast.Text); ok && t.HardLineBreak() {
			part = ast.NewParagraph()
			parts = append(parts, part)
		}
		c = next
	}
	return parts
}

func hasDelimiterRow(n ast.Node, src []byte) bool {
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		if isDelimiterRow(string(at.Value(src))) {
			return true
		}
	}
	return false
}

func (l *layout) list(n *ast.List, width, depth int) ([]string, error) {
	markerWidth, number := 2, n.Start
	if n.IsOrdered() {
		markerWidth = len(strconv.Itoa(n.Start+n.ChildCount()-1)) + 2
	}
	var out []string
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := l.pick("•", "-")
		if n.IsOrdered() {
			marker = fmt.Sprintf("%*d.", markerWidth-2, number)
			number++
		}
		if box := taskBox(item); box != "" {
			marker, markerWidth = box, 4
		}
		lines, err := l.blocks(item, max(width-markerWidth, minWidth), depth+1)
		if err != nil {
			return nil, err
		}
		if len(lines) == 0 {
			lines = []string{""}
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, "")
		}
		out = append(out, l.leaf.marker(marker)+" "+lines[0])
		out = append(out, indent(lines[1:], strings.Repeat(" ", markerWidth))...)
	}
	return out, nil
}

// taskBox returns the box of a task item, "" for other items.
func taskBox(item ast.Node) string {
	if item.FirstChild() == nil || item.FirstChild().FirstChild() == nil {
		return ""
	}
	box, ok := item.FirstChild().FirstChild().(*astext.TaskCheckBox)
	switch {
	case !ok:
		return ""
	case box.IsChecked:
		return "[x]"
	}
	return "[ ]"
}

func (l *layout) quote(n ast.Node, width, depth int) ([]string, error) {
	lines, err := l.blocks(n, max(width-2, minWidth), depth+1)
	if err != nil {
		return nil, err
	}
	return indent(lines, l.leaf.faint(l.pick("│", "|"))+" "), nil
}

func indent(lines []string, prefix string) []string {
	for i, line := range lines {
		if line != "" || strings.TrimSpace(prefix) != "" {
			lines[i] = prefix + line
		}
	}
	return lines
}
