package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// The sub-tabs of a skill.
const (
	tabManifest = iota
	tabFrontmatter
	tabText
	tabCount
)

// fileText is the SKILL.md of a skill, or why it cannot be shown.
type fileText struct {
	uri string
	raw []byte
	err error
}

// skillTextMsg carries one.
type skillTextMsg fileText

// skillsScreen is screen 2: the skills, and of one of them the manifest, the
// frontmatter and the text.
type skillsScreen struct {
	*shared
	list     window
	details  window // row of the manifest, or first line of a text
	inRight  bool   // the details have the keys
	tab      int
	w, h     int
	loaded   bool
	err      error // of loading
	findings map[string]Finding
	texts    map[string]fileText

	shown      shownText // what shownLines holds
	shownLines []string
}

// shownText names a text wrapped for one width.
type shownText struct {
	uri        string
	tab, width int
}

func newSkillsScreen(s *shared) *skillsScreen {
	return &skillsScreen{shared: s, findings: map[string]Finding{}, texts: map[string]fileText{}}
}

// Init loads the skills.
func (s *skillsScreen) Init() tea.Cmd {
	lib := s.lib
	return s.do(func(ctx context.Context) tea.Msg {
		skills, err := lib.Skills(ctx)
		if err != nil {
			return skillsMsg{err: fmt.Errorf("load the skills: %w", err)}
		}
		return skillsMsg{skills: skills}
	})
}

// Title names the screen in the top line.
func (s *skillsScreen) Title() string { return "Skills" }

// Keys lists the keys of the screen.
func (s *skillsScreen) Keys() []key.Binding { return s.keys.forSkills() }

// Update handles a message.
func (s *skillsScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sizeMsg:
		s.w, s.h = msg.w, msg.h
		s.clampAll()
	case skillsMsg:
		s.loaded, s.err = true, msg.err
		s.clampAll()
		return s.readText()
	case skillTextMsg:
		s.texts[msg.uri] = fileText(msg)
		s.shown = shownText{}
	case verifiedMsg:
		return s.verified(msg)
	case tea.KeyPressMsg:
		return s.press(msg)
	case clickMsg:
		return s.click(msg)
	case wheelMsg:
		if msg.x < s.listWidth() {
			return s.moveList(func(v *window) { v.cursor += msg.lines / 3 })
		}
		s.details.cursor += msg.lines
		s.clampAll()
	}
	return nil
}

func (s *skillsScreen) rows() int { return max(s.h-3, 1) } // below head and tabs, above the status

func (s *skillsScreen) clampAll() {
	s.list.clamp(len(s.skills), max(s.h-2, 1))
	if s.tab == tabManifest {
		s.details.clamp(s.detailCount(), s.rows())
	} else {
		s.details.clamp(max(s.detailCount()-s.rows()+1, 1), 1)
	}
}

func (s *skillsScreen) detailCount() int {
	if s.tab == tabManifest {
		if skill := s.selected(); skill != nil {
			return len(skill.Resources)
		}
		return 0
	}
	return len(s.textLines(max(s.w-s.listWidth()-gutter, 1)))
}

func (s *skillsScreen) selected() *Skill {
	if s.list.cursor >= len(s.skills) {
		return nil
	}
	return s.skills[s.list.cursor]
}

func (s *skillsScreen) press(msg tea.KeyPressMsg) tea.Cmd {
	k := s.keys
	skill := s.selected()
	switch {
	case skill == nil && !s.loaded:
		return s.say(toastMsg("the skills are still loading"))
	case skill == nil:
		return nil
	case key.Matches(msg, k.pane):
		s.inRight = !s.inRight
	case key.Matches(msg, k.left):
		s.setTab(s.tab - 1)
	case key.Matches(msg, k.right):
		s.setTab(s.tab + 1)
	case key.Matches(msg, k.verify):
		return s.verify("of "+skill.Name, []*Skill{skill})
	case key.Matches(msg, k.verifyAll):
		return s.verify(fmt.Sprintf("in %d skills", len(s.skills)), s.skills)
	case key.Matches(msg, k.copyDigest):
		entry := s.entry()
		return s.copyText("digest of "+entry.URI, entry.Digest)
	case key.Matches(msg, k.copySkill):
		return s.copySkill(skill)
	case key.Matches(msg, k.open):
		return s.open()
	case s.inRight:
		n, h := s.detailCount(), s.rows()
		if s.tab != tabManifest {
			n, h = max(n-h+1, 1), 1
		}
		s.details.move(k, msg, n, h)
	default:
		return s.moveList(func(v *window) { v.move(k, msg, len(s.skills), s.h-2) })
	}
	return nil
}

// moveList moves to another skill and starts its details from the top.
func (s *skillsScreen) moveList(move func(*window)) tea.Cmd {
	before := s.list.cursor
	move(&s.list)
	s.list.clamp(len(s.skills), max(s.h-2, 1))
	if s.list.cursor == before {
		return nil
	}
	s.details = window{}
	return s.readText()
}

func (s *skillsScreen) setTab(tab int) {
	if tab = max(min(tab, tabCount-1), 0); tab != s.tab {
		s.tab, s.details = tab, window{}
	}
}

// entry is the manifest row that keys act on: SKILL.md while the list has them.
func (s *skillsScreen) entry() catalog.ManifestEntry {
	skill := s.selected()
	if s.inRight && s.tab == tabManifest && s.details.cursor < len(skill.Resources) {
		return skill.Resources[s.details.cursor]
	}
	for _, e := range skill.Resources {
		if e.URI == skill.URI {
			return e
		}
	}
	return catalog.ManifestEntry{URI: skill.URI}
}

func (s *skillsScreen) open() tea.Cmd {
	uri := s.entry().URI
	if s.index == nil {
		return s.say(toastMsg("the pages are still loading"))
	}
	k, ok := s.index.byURI[uri]
	if !ok {
		return s.say(toastMsg(uri + " is not a help page"))
	}
	return s.say(openMsg{key: k, skills: true})
}

// readText fetches the SKILL.md on show, once.
func (s *skillsScreen) readText() tea.Cmd {
	skill := s.selected()
	if skill == nil || s.texts[skill.URI].raw != nil {
		return nil
	}
	lib, uri, k := s.lib, skill.URI, skill.Key
	return s.do(func(ctx context.Context) tea.Msg {
		page, err := lib.Page(ctx, k)
		if err != nil {
			return skillTextMsg{uri: uri, err: err}
		}
		return skillTextMsg{uri: uri, raw: page.Raw}
	})
}

// copySkill copies a skill as it stands in skills/list.
func (s *skillsScreen) copySkill(skill *Skill) tea.Cmd {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	var entry any = skill.Skill
	if skill.Entry != nil {
		entry = skill.Entry
	}
	if err := enc.Encode(entry); err != nil {
		return s.say(failedMsg{fmt.Errorf("encode %s: %w", skill.URI, err)})
	}
	return s.copyText(skill.URI+" as JSON", b.String())
}

func (s *skillsScreen) click(msg clickMsg) tea.Cmd {
	row := msg.y - 1
	switch {
	case row < 0 && msg.x >= s.listWidth():
		s.setTab((s.tab + 1) % tabCount)
	case row < 0 || row >= s.h-2:
	case msg.x < s.listWidth():
		i := row + s.list.top
		if i >= len(s.skills) {
			return nil
		}
		again := i == s.list.cursor && !s.inRight
		s.inRight = false
		if again {
			return s.open()
		}
		return s.moveList(func(v *window) { v.cursor = i })
	case s.tab == tabManifest && row >= 1:
		i := row - 1 + s.details.top
		again := i == s.details.cursor && s.inRight
		s.inRight = true
		if again {
			return s.open()
		}
		s.details.cursor = i
		s.clampAll()
	default:
		s.inRight = true
	}
	return nil
}
