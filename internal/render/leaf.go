package render

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"charm.land/glamour/v2/ansi"
	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// leafRenderer styles and wraps one heading, paragraph or cell with glamour.
type leafRenderer struct {
	opts   ansi.Options
	colors palette
	widths map[int]renderer.Renderer
}

func newLeafRenderer(o Options) *leafRenderer {
	p := paletteOf(o.Style)
	return &leafRenderer{
		opts:   ansi.Options{Styles: styles(p)},
		colors: p,
		widths: map[int]renderer.Renderer{},
	}
}

// render returns the lines of one block. It moves the block out of its tree.
func (r *leafRenderer) render(src []byte, block ast.Node, width int) ([]string, error) {
	width = max(width, 1)
	rend := r.widths[width]
	if rend == nil {
		opts := r.opts
		opts.WordWrap = width
		rend = renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ansi.NewRenderer(opts), 1)))
		r.widths[width] = rend
	}
	doc := ast.NewDocument()
	doc.AppendChild(doc, block)
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if err := rend.Render(w, src, doc); err != nil {
		return nil, fmt.Errorf("style %s: %w", block.Kind(), err)
	}
	if err := w.Flush(); err != nil {
		return nil, fmt.Errorf("style %s: %w", block.Kind(), err)
	}
	return trimBlank(strings.Split(b.String(), "\n")), nil
}

// trimBlank drops empty lines at both ends.
func trimBlank(lines []string) []string {
	blank := func(s string) bool {
		return strings.Trim(xansi.Strip(s), " ") == "" && !strings.Contains(s, "\x1b]8;;H")
	}
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func (r *leafRenderer) code(s string) string   { return r.paint(r.colors.code, s) }
func (r *leafRenderer) faint(s string) string  { return r.paint(r.colors.faint, s) }
func (r *leafRenderer) marker(s string) string { return r.paint(r.colors.marker, s) }

// paint colours a text with an SGR parameter list such as "38;5;244".
func (r *leafRenderer) paint(color, s string) string {
	if color == "" || s == "" {
		return s
	}
	return "\x1b[38;5;" + color + "m" + s + "\x1b[m"
}

// palette names the colours of a style by their number of 256; "" is the colour
// of the terminal.
type palette struct {
	title, heading, link, code, faint, marker string
	boldLinks, boldCode                       bool
}

func paletteOf(s Style) palette {
	switch s {
	case Light:
		return palette{title: "26", heading: "25", link: "30", code: "94", faint: "246", marker: "25"}
	case HighContrast:
		return palette{title: "15", heading: "15", link: "14", code: "11", boldLinks: true, boldCode: true}
	case None:
		return palette{}
	default:
		return palette{title: "81", heading: "75", link: "79", code: "180", faint: "240", marker: "75"}
	}
}

// styles builds the style sheet. Margins and indents stay zero: layout places
// the blocks.
func styles(p palette) ansi.StyleConfig {
	yes := true
	color := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	underline := ansi.StylePrimitive{Color: color(p.link), Underline: &yes}
	if p.boldLinks {
		underline.Bold = &yes
	}
	code := ansi.StylePrimitive{Color: color(p.code)}
	if p.boldCode {
		code.Bold = &yes
	}
	return ansi.StyleConfig{
		Heading:       ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: color(p.heading), Bold: &yes}},
		H1:            ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: color(p.title), Bold: &yes, Underline: &yes}},
		Strong:        ansi.StylePrimitive{Bold: &yes},
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		LinkText:      underline,
		Code:          ansi.StyleBlock{StylePrimitive: code},
	}
}
