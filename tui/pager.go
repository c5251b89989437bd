package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

// pager shows one laid out page: scrolling, links, find.
type pager struct {
	view *pageView // nil until the first page is there
	h    int       // rows shown
	y, x int       // first line and column shown
	link int       // selected link, -1 for none
	find finder

	// Where the reader was when the page last had anchorLines lines: after any
	// number of layouts the page returns to exactly this place.
	anchorY, anchorLines int
}

// show displays a page from its top.
func (p *pager) show(v *pageView) {
	p.view, p.y, p.x, p.link = v, 0, 0, -1
	p.anchor()
	p.find.set(p.find.query, v.doc.Lines, 0)
}

// relayout displays the same page in another layout at the same place.
func (p *pager) relayout(v *pageView) {
	p.view, p.x = v, 0
	n := len(v.doc.Lines)
	p.y = p.anchorY
	if n != p.anchorLines && p.anchorLines > 0 {
		p.y = p.anchorY * n / p.anchorLines
	}
	p.clamp()
	p.link = min(p.link, len(v.doc.Links)-1)
	p.find.relayout(v.doc.Lines)
}

func (p *pager) anchor() {
	p.clamp()
	if p.view != nil {
		p.anchorY, p.anchorLines = p.y, len(p.view.doc.Lines)
	}
}

func (p *pager) clamp() {
	n := 0
	if p.view != nil {
		n = len(p.view.doc.Lines)
	}
	p.y = max(min(p.y, n-max(p.h, 1)), 0)
	p.x = max(p.x, 0)
}

func (p *pager) scrollTo(line int) {
	p.y = line
	p.anchor()
}

// reveal scrolls as little as possible to show a line, with two more around it.
func (p *pager) reveal(line int) {
	const around = 2
	if line < p.y+around {
		p.y = line - around
	}
	if line >= p.y+p.h-around {
		p.y = line - p.h + around + 1
	}
	p.anchor()
}

// scroll handles the scrolling keys.
func (p *pager) scroll(k keyMap, msg tea.KeyPressMsg) bool {
	page := max(p.h-1, 1)
	switch {
	case key.Matches(msg, k.up):
		p.y--
	case key.Matches(msg, k.down):
		p.y++
	case key.Matches(msg, k.pageUp):
		p.y -= page
	case key.Matches(msg, k.pageDown):
		p.y += page
	case key.Matches(msg, k.halfUp):
		p.y -= max(p.h/2, 1)
	case key.Matches(msg, k.halfDown):
		p.y += max(p.h/2, 1)
	case key.Matches(msg, k.top):
		p.y = 0
	case key.Matches(msg, k.bottom) && p.view != nil:
		p.y = len(p.view.doc.Lines)
	default:
		return false
	}
	p.anchor()
	return true
}

// shift moves a page that is wider than its pane sideways.
func (p *pager) shift(by, w int) bool {
	if p.view == nil || !p.view.noWrap {
		return false
	}
	widest := 0
	for _, l := range p.view.doc.Lines {
		widest = max(widest, ansi.StringWidth(l.Plain))
	}
	x := max(min(p.x+by, widest-w), 0)
	moved := x != p.x
	p.x = x
	return moved
}

// nextLink selects the next or previous link, beginning with the first one in
// sight. It returns false when the page has none.
func (p *pager) nextLink(by int) bool {
	if p.view == nil || len(p.view.doc.Links) == 0 {
		return false
	}
	links := p.view.doc.Links
	n := len(links)
	if p.link < 0 {
		p.link = max(slices.IndexFunc(links, func(l render.Link) bool { return lineOfLink(l) >= p.y }), 0)
		if by < 0 {
			p.link = (p.link - 1 + n) % n
		}
	} else {
		p.link = ((p.link+by)%n + n) % n
	}
	p.reveal(lineOfLink(links[p.link]))
	return true
}

// lineOfLink returns the first line of a link. A link without visible text has
// no span and counts as the top.
func lineOfLink(l render.Link) int {
	if len(l.Spans) == 0 {
		return 0
	}
	return l.Spans[0].Line
}

// linkAt returns the link drawn at a column and row of the pane, -1 for none.
func (p *pager) linkAt(x, y int) int {
	if p.view == nil {
		return -1
	}
	return slices.IndexFunc(p.view.doc.Links, func(l render.Link) bool {
		return slices.ContainsFunc(l.Spans, func(s render.Span) bool {
			return s.Line == y+p.y && s.Start <= x+p.x && x+p.x < s.End
		})
	})
}

// stepMatch goes to the next or previous match and shows it.
func (p *pager) stepMatch(by int) {
	p.find.step(by)
	if line, ok := p.find.line(); ok {
		p.reveal(line)
	}
}

// paint is a range of columns drawn in another style, perhaps as another text.
type paint struct {
	start, end int
	style      lipgloss.Style
	text       string
}

// draw returns the rows of the pane.
func (p *pager) draw(st styles) []string {
	if p.view == nil {
		return nil
	}
	lines := p.view.doc.Lines
	var out []string
	for i := p.y; i < min(p.y+p.h, len(lines)); i++ {
		text := repaint(lines[i], p.paints(i, st))
		if p.x > 0 {
			text = ansi.TruncateLeft(text, p.x, "")
		}
		out = append(out, text)
	}
	return out
}

// paints collects what is highlighted in a line, without overlaps, from left to
// right. A selected link carries ">" too: meaning never depends on colour.
func (p *pager) paints(line int, st styles) []paint {
	var out []paint
	if p.link >= 0 && p.link < len(p.view.doc.Links) {
		for i, s := range p.view.doc.Links[p.link].Spans {
			if s.Line != line {
				continue
			}
			text := ansi.Cut(p.view.doc.Lines[line].Plain, s.Start, s.End)
			if i == 0 {
				text = strings.Replace(text, "] ", "]>", 1)
			}
			out = append(out, paint{s.Start, s.End, st.link, text})
		}
	}
	for i, m := range p.find.matches {
		for _, s := range m {
			if s.Line != line || slices.ContainsFunc(out, func(o paint) bool { return s.Start < o.end && o.start < s.End }) {
				continue
			}
			style := st.match
			if i == p.find.at {
				style = st.current
			}
			out = append(out, paint{s.Start, s.End, style, ""})
		}
	}
	slices.SortFunc(out, func(a, b paint) int { return a.start - b.start })
	return out
}

func repaint(l render.Line, paints []paint) string {
	if len(paints) == 0 {
		return l.Text
	}
	var b strings.Builder
	at := 0
	for _, p := range paints {
		b.WriteString(ansi.Cut(l.Text, at, p.start))
		text := p.text
		if text == "" {
			text = ansi.Cut(l.Plain, p.start, p.end)
		}
		b.WriteString(p.style.Render(text))
		at = p.end
	}
	b.WriteString(ansi.TruncateLeft(l.Text, at, ""))
	return b.String()
}

// position describes where the reader is, such as "line 12-31 of 58".
func (p *pager) position() (lines, percent string) {
	if p.view == nil {
		return "", ""
	}
	n := len(p.view.doc.Lines)
	last := min(p.y+p.h, n)
	done := 100
	if n > 0 {
		done = last * 100 / n
	}
	return fmt.Sprintf("line %d-%d of %d", min(p.y+1, n), last, n), fmt.Sprintf("%d%%", done)
}
