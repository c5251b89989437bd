package render

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	astext "github.com/yuin/goldmark/extension/ast"
)

const codeIndent = "  "

// code draws a code block as it is written. It is not highlighted: most of ours
// are tool calls, and highlighting costs more than all the rest of a page.
func (l *layout) code(n ast.Node, width int) []string {
	var out []string
	for _, line := range l.sourceLines(n, max(width-len(codeIndent), minWidth)) {
		out = append(out, codeIndent+l.leaf.code(line))
	}
	return out
}

// source draws a block that is not worth or not safe to lay out.
func (l *layout) source(n ast.Node, width int) []string {
	if l.note == "" {
		l.note = "nested too deeply, partly shown as source"
	}
	for n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		n = n.FirstChild()
	}
	var out []string
	for _, line := range l.sourceLines(n, width) {
		out = append(out, l.leaf.code(line))
	}
	return out
}

func (l *layout) sourceLines(n ast.Node, width int) []string {
	if l.opts.NoWrap {
		width = MaxBytes * 4 // wider than any line of a page
	}
	var out []string
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		line := expandTabs(strings.TrimRight(Clean(string(at.Value(l.src))), "\n"))
		out = append(out, wrapSource(shield(line, false), width)...)
	}
	return out
}

// html shows markup as source and hides comments.
func (l *layout) html(n *ast.HTMLBlock, width int) []string {
	if n.HTMLBlockType == ast.HTMLBlockType2 {
		return nil
	}
	return l.code(n, width)
}

// inlineDepth measures how deep emphasis nests in a block.
func inlineDepth(block ast.Node) int {
	deepest, depth := 0, 0
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case n != block && n.Type() == ast.TypeBlock && n.Kind() != astext.KindTableHeader && n.Kind() != astext.KindTableRow && n.Kind() != astext.KindTableCell:
			return ast.WalkSkipChildren, nil
		case n.Type() != ast.TypeInline:
		case entering:
			depth++
			deepest = max(deepest, depth)
		default:
			depth--
		}
		return ast.WalkContinue, nil
	})
	return deepest
}
