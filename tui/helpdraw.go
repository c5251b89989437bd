package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

// Widths at which the layout changes, and of its fixed columns.
const (
	narrowBelow = 70
	wideFrom    = 120
	treeColumns = 26
	treeWide    = 30
	detailWide  = 36
	gutter      = 2 // a line and a blank
)

func (s *helpScreen) narrow() bool { return s.w < narrowBelow }

func (s *helpScreen) treeWidth() int {
	tree, _, _ := s.columns()
	return tree
}

// columns divides the width as it is drawn; a hidden pane has none.
func (s *helpScreen) columns() (tree, page, detail int) {
	if s.narrow() && s.drawer {
		return s.w, 0, 0
	}
	return s.panes()
}

// panes divides the width while no drawer covers the page.
func (s *helpScreen) panes() (tree, page, detail int) {
	switch {
	case s.narrow() || s.hidden:
	case s.w >= wideFrom:
		tree = treeWide
	default:
		tree = treeColumns
	}
	page = s.w - 1
	if tree > 0 {
		page -= tree + gutter - 1
	}
	if s.w >= wideFrom {
		detail = detailWide
		page -= detail + gutter
	}
	return tree, page, detail
}

// textWidth is the width pages are laid out for.
func (s *helpScreen) textWidth() int {
	_, page, _ := s.panes()
	return max(min(page-1, maxPageWidth), 1)
}

// Draw draws the panes, their heads and the line that says where the reader is.
func (s *helpScreen) Draw(w, h int) string {
	tree, page, detail := s.columns()
	var columns [][]string
	var widths []int
	if tree > 0 {
		rows := s.tree.draw(tree, s.focus == paneTree || s.drawer, s.key, s.styles, s.glyphs)
		columns = append(columns, append([]string{s.styles.head.Render(" Tree")}, rows...))
		widths = append(widths, tree)
	}
	if page > 0 {
		columns, widths = append(columns, s.pageRows(page)), append(widths, page)
	}
	if detail > 0 {
		columns, widths = append(columns, s.detailRows(detail)), append(widths, detail)
	}
	line := s.styles.faint.Render(s.glyphs.column) + " "
	var out []string
	for i := range max(h-1, 0) {
		var b strings.Builder
		if tree == 0 {
			b.WriteByte(' ')
		}
		for c, rows := range columns {
			if c > 0 {
				b.WriteString(line)
			}
			row := ""
			if i < len(rows) {
				row = rows[i]
			}
			b.WriteString(fit(row, widths[c], s.glyphs.more))
		}
		out = append(out, b.String())
	}
	return block(append(out, s.status(w)), w, h, s.glyphs.more)
}

func (s *helpScreen) pageRows(w int) []string {
	kind := ""
	if v := s.page.view; v != nil && v.key == s.key {
		kind = v.page.Kind.String()
		if v.gone {
			kind = "gone"
		}
	}
	style := s.styles.head
	if s.focus == panePage && !s.drawer {
		style = style.Underline(true)
	}
	head := spread(style.Render(s.key.String()), s.styles.faint.Render(kind+" "), w, s.glyphs.more)
	switch {
	case s.err != nil:
		return append([]string{head, ""}, render.Source(s.err.Error()+". Enter on the page in the tree tries again.", w-1).Plain()...)
	case s.page.view == nil:
		return []string{head, "", s.styles.faint.Render("loading")}
	}
	return append([]string{head, ""}, s.page.draw(s.styles)...)
}

// status is the last line: history at the left; position, find and typed numbers
// at the right.
func (s *helpScreen) status(w int) string {
	switch {
	case s.prompt != nil:
		right := " " + s.matchCount() + " "
		return spread(" /"+s.prompt.draw(w-len(right)-2, s.styles), right, w, s.glyphs.more)
	case s.numbers != nil:
		return fit(" follow link number: "+s.numbers.draw(max(w-21, 1), s.styles), w, s.glyphs.more)
	}
	left := " back: " + last(s.back)
	if w >= wideFrom {
		left += "   forward: " + last(s.forward)
	}
	lines, percent := s.page.position()
	right := lines
	if s.page.find.query != "" {
		right += "   " + s.matchCount()
	}
	if v := s.page.view; v != nil && v.doc.Note != "" {
		right = v.doc.Note + "   " + right
	}
	return s.styles.faint.Render(spread(left, right+"   "+percent+" ", w, s.glyphs.more))
}

func last(visits []visit) string {
	if len(visits) == 0 {
		return "-"
	}
	if v := visits[len(visits)-1]; !v.skills {
		return v.key.String()
	}
	return "Skills"
}

func (s *helpScreen) matchCount() string {
	f := s.page.find
	switch {
	case f.query == "":
		return "type to find"
	case len(f.matches) == 0:
		return fmt.Sprintf("no match %q", f.query)
	}
	return fmt.Sprintf("match %d of %d %q", f.at+1, len(f.matches), f.query)
}

// detailRows describes the page: outline, file, digest, frontmatter, links.
func (s *helpScreen) detailRows(w int) []string {
	v := s.page.view
	if v == nil {
		return nil
	}
	rows := []string{s.styles.head.Render("Outline")}
	rows = append(rows, s.outlineRows(v, max(s.h/2-2, 1))...)
	rows = append(rows, s.styles.faint.Render(strings.Repeat(s.glyphs.row, max(w-1, 0))))
	switch {
	case v.page.Path != "":
		rows = append(rows, field("File", render.Clean(v.page.Path)))
		if v.uri == "" {
			rows = append(rows, field("URI", "none, help only"))
		} else {
			rows = append(rows, field("URI", render.Clean(v.uri)))
		}
		rows = append(rows, field("Bytes", thousands(len(v.page.Raw))), field("sha256", shortDigest(v.digest)+"  "+s.digestState(v)))
	case v.gone:
	case v.page.Body == nil:
		rows = append(rows, "No file: made from the directory")
	default:
		rows = append(rows, "No file of its own")
	}
	if len(v.front) > 0 {
		rows = append(rows, s.styles.head.Render("Frontmatter"))
		front := render.Source(strings.Join(v.front, "\n"), w-3).Plain()
		for _, line := range front[:min(len(front), 8)] {
			rows = append(rows, "  "+line)
		}
	}
	links := fmt.Sprintf("%d out", len(v.targets))
	if n := v.broken(); n > 0 {
		links += ", " + s.styles.bad.Render(fmt.Sprintf("%d broken", n))
	}
	return append(rows, field("Links", links))
}

// outlineRows lists the headings around the one that the reader is in.
func (s *helpScreen) outlineRows(v *pageView, h int) []string {
	var view window
	for i, heading := range v.doc.Headings {
		if heading.Line <= s.page.y {
			view.cursor = i
		}
	}
	n := len(v.doc.Headings)
	view.top = view.cursor - h/2
	view.clamp(n, h)
	var rows []string
	for i := view.top; i < min(view.top+h, n); i++ {
		mark := "  "
		if i == view.cursor {
			mark = "> "
		}
		row := mark + strings.Repeat("  ", max(v.doc.Headings[i].Level-1, 0)) + v.doc.Headings[i].Text
		if i == view.cursor {
			row = s.styles.emphasis.Render(row)
		}
		rows = append(rows, row)
	}
	return rows
}

// digestState compares the page with the manifest of its skill.
func (s *helpScreen) digestState(v *pageView) string {
	for _, skill := range s.skills {
		for _, entry := range skill.Resources {
			if entry.URI != v.uri {
				continue
			}
			if entry.Digest == v.digest && entry.Size == int64(len(v.page.Raw)) {
				return s.styles.good.Render("ok")
			}
			return s.styles.bad.Render("CHANGED")
		}
	}
	return s.styles.faint.Render("no manifest")
}

func field(name, value string) string { return fmt.Sprintf("%-7s %s", name, value) }

// shortDigest abbreviates a digest to its first eight and last four digits.
func shortDigest(digest string) string {
	hex := strings.TrimPrefix(digest, "sha256:")
	if len(hex) < 16 {
		return hex
	}
	return hex[:8] + ".." + hex[len(hex)-4:]
}

// thousands groups digits by three.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// click selects what is under the pointer and opens it when it was selected.
func (s *helpScreen) click(msg clickMsg) tea.Cmd {
	tree, page, _ := s.columns()
	row := msg.y - 1 // below the heads
	switch {
	case row < 0 || row >= s.h-2:
		return nil
	case msg.x < tree:
		i := row + s.tree.top
		if i >= len(s.tree.rows) {
			return nil
		}
		again := i == s.tree.cursor && s.focus == paneTree
		s.tree.cursor, s.focus = i, paneTree
		if again {
			return s.enter()
		}
	case msg.x < s.pageStart(tree)+page:
		s.focus = panePage
		if i := s.page.linkAt(msg.x-s.pageStart(tree), row-1); i >= 0 {
			again := i == s.page.link
			s.page.link = i
			if again {
				return s.followLink(i)
			}
		}
	}
	return nil
}

func (s *helpScreen) pageStart(tree int) int {
	if tree == 0 {
		return 1
	}
	return tree + gutter
}

func (s *helpScreen) wheel(msg wheelMsg) {
	if tree, _, _ := s.columns(); msg.x < tree {
		s.tree.top += msg.lines
		s.tree.cursor += msg.lines
		s.tree.clamp(len(s.tree.rows), s.tree.h)
		return
	}
	s.page.y += msg.lines
	s.page.anchor()
}
