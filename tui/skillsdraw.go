package tui

import (
	"fmt"
	"path"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/render"
)

// listWidth fits the longest name, as long as most of the width is left.
func (s *skillsScreen) listWidth() int {
	longest := len("Skills")
	for _, skill := range s.skills {
		longest = max(longest, ansi.StringWidth(render.Clean(skill.Name)))
	}
	const mark, count = 3, 7
	return max(min(longest+mark+count+len(" "+s.filesLabel()), s.w*2/5), 1)
}

// filesLabel follows the number of files where there is room.
func (s *skillsScreen) filesLabel() string {
	if s.w >= wideFrom {
		return "files CHANGED"
	}
	return ""
}

// Draw draws the list, and the chosen tab of the skill under the cursor.
func (s *skillsScreen) Draw(w, h int) string {
	left := s.listWidth()
	right := max(w-left-gutter, 1)
	count := "files "
	if s.w >= wideFrom {
		count = ""
	}
	rows := [][2]string{{s.styles.head.Render(spread(" Skills", count, left, "")), s.head(right)}}
	list, details := s.listRows(left), s.detailRows(right)
	for i := range max(h-2, 0) {
		var row [2]string
		if i < len(list) {
			row[0] = list[i]
		}
		if i < len(details) {
			row[1] = details[i]
		}
		rows = append(rows, row)
	}
	line := s.styles.faint.Render(s.glyphs.column) + " "
	out := make([]string, 0, h)
	for _, r := range rows[:min(len(rows), max(h-1, 0))] {
		out = append(out, fit(r[0], left, s.glyphs.more)+line+fit(r[1], right, s.glyphs.more))
	}
	return block(append(out, s.status(w)), w, h, s.glyphs.more)
}

func (s *skillsScreen) head(w int) string {
	skill := s.selected()
	if skill == nil {
		return ""
	}
	names := []string{"Manifest", "Frontmatter", "Text"}
	for i, n := range names {
		if i == s.tab {
			names[i] = s.styles.head.Underline(true).Render("[" + n + "]")
		}
	}
	tabs := " < " + strings.Join(names, " | ") + " >"
	return spread(s.styles.head.Render(render.Clean(skill.Name)), tabs, w, s.glyphs.more)
}

func (s *skillsScreen) listRows(w int) []string {
	if len(s.skills) == 0 {
		if !s.loaded {
			return []string{s.styles.faint.Render("  loading")}
		}
		if s.err != nil {
			return []string{"  not loaded"}
		}
		return []string{"  no skills"}
	}
	var out []string
	for i := s.list.top; i < len(s.skills); i++ {
		skill := s.skills[i]
		mark := "   "
		if i == s.list.cursor {
			mark = " * "
		}
		files := fmt.Sprintf(" %3d ", len(skill.Resources))
		if s.w >= wideFrom {
			files = fmt.Sprintf("%3d files %-7s ", len(skill.Resources), s.state(skill))
		} else if state := s.state(skill); state != "" {
			files += state + " "
		}
		line := spread(mark+render.Clean(skill.Name), files, w, s.glyphs.more)
		switch {
		case i == s.list.cursor && !s.inRight:
			line = s.styles.cursor.Render(line)
		case i == s.list.cursor:
			line = s.styles.unfocused.Render(line)
		}
		out = append(out, line)
	}
	return out
}

func (s *skillsScreen) detailRows(w int) []string {
	skill := s.selected()
	switch {
	case skill == nil && s.err != nil:
		return append([]string{""}, wrapWords(oneLine(s.err.Error()), w-1)...)
	case skill == nil:
		return nil
	}
	if s.tab != tabManifest {
		lines := s.textLines(w)
		return lines[min(s.details.top, len(lines)):]
	}
	rows := []string{s.styles.faint.Render(fmt.Sprintf("%6s %-14s %-7s %s", "bytes", "sha256", "state", "file"))}
	dir := strings.TrimSuffix(skill.URI, catalog.SkillFile)
	for i := s.details.top; i < len(skill.Resources); i++ {
		e := skill.Resources[i]
		v := s.findings[e.URI].Verdict
		file := render.Clean(strings.TrimPrefix(e.URI, dir))
		line := fmt.Sprintf("%6s %-14s %-7s %s", thousands(int(e.Size)), shortDigest(render.Clean(e.Digest)), verdictWord(v), file)
		switch {
		case i == s.details.cursor && s.inRight:
			line = s.styles.cursor.Render(fit(line, w, s.glyphs.more))
		case v > VerdictOK:
			line = s.styles.bad.Render(line)
		}
		rows = append(rows, line)
	}
	if skill.Dynamic {
		rows = append(rows[:0], wrapWords("The server publishes no digests of this skill: its files can change at any time and nothing verifies them.", min(w-1, maxPageWidth))...)
	}
	rows = append(rows, "", s.styles.faint.Render("Description"))
	return append(rows, wrapWords(oneLine(skill.Description), min(w-1, maxPageWidth))...)
}

// textLines is the frontmatter or the whole file, as it is written.
func (s *skillsScreen) textLines(w int) []string {
	skill := s.selected()
	if skill == nil {
		return nil
	}
	text := s.texts[skill.URI]
	raw := text.raw
	switch {
	case text.err != nil:
		return wrapWords(oneLine(text.err.Error()), w-1)
	case raw == nil:
		return []string{s.styles.faint.Render("loading")}
	}
	want := shownText{uri: skill.URI, tab: s.tab, width: min(w, maxPageWidth)}
	if s.shown == want {
		return s.shownLines
	}
	if s.tab == tabFrontmatter {
		at := catalog.Split(raw)
		raw = raw[at.Start:at.End]
		if !at.Closed {
			raw = []byte("none")
		}
	}
	s.shown, s.shownLines = want, render.Source(string(raw), want.width).Plain()
	return s.shownLines
}

func (s *skillsScreen) status(w int) string {
	skill := s.selected()
	if skill == nil {
		return ""
	}
	if f := s.finding(skill); f.Detail != "" {
		file := strings.TrimPrefix(f.URI, strings.TrimSuffix(skill.URI, catalog.SkillFile))
		return s.styles.bad.Render(fit(" "+oneLine(file+": "+f.Detail), w, s.glyphs.more))
	}
	name := "name = folder: ok"
	if folder := path.Base(path.Dir(skill.URI)); folder != skill.Name {
		name = "name is not the folder's: " + render.Clean(folder)
	}
	return s.styles.faint.Render(spread(" "+render.Clean(skill.URI), name+" ", w, s.glyphs.more))
}
