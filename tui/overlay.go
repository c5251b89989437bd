package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/render"
)

// choice is a row of a picker and the message it sends when chosen.
type choice struct {
	text   string
	detail string // shown at the right, or below when there is a snippet
	below  string // second line, "" for none
	hit    int    // column of below that must be in sight
	msg    tea.Msg
}

// picker is an overlay with rows to choose from, and perhaps a text that narrows
// them.
type picker struct {
	*shared
	window
	title  string
	empty  string // shown instead of rows
	rows   []choice
	input  *input               // nil: no text
	change func(string) tea.Cmd // called when the text changes
	h      int
}

// Init does nothing: rows come with the overlay or by its change function.
func (p *picker) Init() tea.Cmd { return nil }

// Title names the overlay.
func (p *picker) Title() string { return p.title }

// Keys lists the keys of the overlay.
func (p *picker) Keys() []key.Binding { return p.keys.forList() }

func (p *picker) capturing() bool { return p.input != nil }

// Update handles a message.
func (p *picker) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sizeMsg:
		p.h = msg.h
		p.clamp(len(p.rows), p.visible())
	case tea.KeyPressMsg:
		return p.press(msg)
	case tea.PasteMsg:
		if p.input != nil {
			p.input.insert(msg.Content)
			return p.change(p.input.value())
		}
	case clickMsg:
		i := p.top + (msg.y-p.headRows())/p.rowHeight()
		if msg.y < p.headRows() || i >= len(p.rows) {
			return nil
		}
		again := i == p.cursor
		p.cursor = i
		if again {
			return p.choose()
		}
	case wheelMsg:
		p.cursor += msg.lines / 3
		p.clamp(len(p.rows), p.visible())
	}
	return nil
}

func (p *picker) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, p.keys.close):
		return p.say(popMsg{})
	case key.Matches(msg, p.keys.open):
		return p.choose()
	case p.input == nil:
		p.move(p.keys, msg, len(p.rows), p.visible())
	case msg.Text == "" && p.move(p.keys, onlyMoves(msg), len(p.rows), p.visible()):
	case p.input.update(msg):
		p.window = window{}
		return p.change(p.input.value())
	}
	return nil
}

// onlyMoves hides the editing keys of an input from the list below it.
func onlyMoves(msg tea.KeyPressMsg) tea.KeyPressMsg {
	switch msg.String() {
	case "up", "down", "pgup", "pgdown":
		return msg
	case "ctrl+n":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "ctrl+p":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	}
	return tea.KeyPressMsg{}
}

func (p *picker) choose() tea.Cmd {
	if p.cursor >= len(p.rows) {
		return nil
	}
	p.say(popMsg{})
	return p.say(p.rows[p.cursor].msg)
}

func (p *picker) headRows() int {
	if p.input != nil {
		return 2
	}
	return 1
}

func (p *picker) rowHeight() int {
	if len(p.rows) > 0 && p.rows[0].below != "" {
		return 2
	}
	return 1
}

func (p *picker) visible() int { return max((p.h-p.headRows())/p.rowHeight(), 1) }

// Draw draws title, text and rows.
func (p *picker) Draw(w, h int) string {
	lines := []string{p.styles.head.Render(" " + p.title)}
	if p.input != nil {
		lines = append(lines, " > "+p.input.draw(max(w-4, 1), p.styles))
	}
	if len(p.rows) == 0 {
		lines = append(lines, p.styles.faint.Render("   "+p.empty))
	}
	for i := p.top; i < len(p.rows) && len(lines) < h; i++ {
		r := p.rows[i]
		mark := "   "
		if i == p.cursor {
			mark = " > "
		}
		line := spread(mark+r.text, "  "+r.detail+" ", w, p.glyphs.more)
		if i == p.cursor {
			line = p.styles.cursor.Render(line)
		}
		lines = append(lines, line)
		if r.below != "" {
			lines = append(lines, p.styles.faint.Render(fit("     "+around(r.below, r.hit, w-6, p.glyphs.more), w, p.glyphs.more)))
		}
	}
	return block(lines, w, h, p.glyphs.more)
}

// around cuts the beginning of a line that is too long when column at would
// otherwise be out of sight.
func around(s string, at, w int, more string) string {
	if w < 1 || at < w*2/3 || ansi.StringWidth(s) <= w {
		return s
	}
	return more + ansi.TruncateLeft(s, at-w/3, "")
}

func newOutline(s *shared, v *pageView, y int) Screen {
	p := &picker{shared: s, title: "Outline of " + v.key.String()}
	for i, h := range v.doc.Headings {
		p.rows = append(p.rows, choice{text: strings.Repeat("  ", h.Level-1) + h.Text, msg: gotoMsg{h.Line}})
		if h.Line <= y {
			p.cursor = i
		}
	}
	return p
}

func newCommands(s *shared, keys []key.Binding) Screen {
	p := &picker{shared: s, title: "Commands", empty: "no such command", input: &input{}}
	p.change = func(text string) tea.Cmd {
		p.rows = nil
		for _, b := range keys {
			if h := b.Help(); strings.Contains(strings.ToLower(h.Desc), strings.ToLower(strings.TrimSpace(text))) {
				p.rows = append(p.rows, choice{text: h.Desc, detail: h.Key, msg: pressMsg{pressOf(b)}})
			}
		}
		return nil
	}
	p.change("")
	return p
}

// searchDelay is how long typing must pause before a search starts.
const searchDelay = 80 * time.Millisecond

// searchScreen is the picker over search results.
type searchScreen struct {
	*picker
	request int
}

type (
	searchDueMsg struct {
		id   int
		text string
	}
	hitsMsg struct {
		id   int
		hits []catalog.Hit
		err  error
	}
)

func newSearch(s *shared) Screen {
	sc := &searchScreen{picker: &picker{shared: s, title: "Search everything", empty: "type words; all of them must occur", input: &input{}}}
	sc.change = func(text string) tea.Cmd {
		sc.request++
		due := searchDueMsg{id: sc.request, text: text}
		if strings.TrimSpace(text) == "" {
			sc.show(nil, "type words; all of them must occur")
			return nil
		}
		return tea.Tick(searchDelay, func(time.Time) tea.Msg { return due })
	}
	return sc
}

// Update starts due searches and takes the newest answer.
func (s *searchScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case searchDueMsg:
		if msg.id != s.request {
			return nil
		}
		lib := s.lib
		return s.do(func(ctx context.Context) tea.Msg {
			hits, err := lib.Search(ctx, msg.text)
			return hitsMsg{id: msg.id, hits: hits, err: err}
		})
	case hitsMsg:
		switch {
		case msg.id != s.request:
		case msg.err != nil:
			s.show(nil, "search: "+render.Clean(msg.err.Error()))
		default:
			s.show(msg.hits, "nothing found")
		}
		return nil
	}
	return s.picker.Update(msg)
}

func (s *searchScreen) show(hits []catalog.Hit, empty string) {
	s.rows, s.empty = nil, empty
	for _, h := range hits {
		snippet := oneLine(h.Snippet)
		s.rows = append(s.rows, choice{
			text: oneLine(h.Title), detail: h.Key.String(), below: snippet + " ", hit: hitColumn(snippet, s.input.value()), msg: openMsg{key: h.Key},
		})
	}
	s.clamp(len(s.rows), s.visible())
}

// hitColumn returns the column of the first word of the query, 0 when it is not
// in this line.
func hitColumn(snippet, query string) int {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return 0
	}
	before, _, found := strings.Cut(strings.ToLower(snippet), words[0])
	if !found {
		return 0
	}
	return ansi.StringWidth(before)
}

func oneLine(s string) string { return strings.Join(strings.Fields(render.Clean(s)), " ") }

// textOverlay shows lines to read.
type textOverlay struct {
	*shared
	window
	title string
	lines []string
	h     int
	enter func() tea.Cmd // what enter does, nil for nothing
	copy  string         // what y copies, "" for nothing
}

// Init does nothing.
func (o *textOverlay) Init() tea.Cmd { return nil }

// Title names the overlay.
func (o *textOverlay) Title() string { return o.title }

// Keys lists the keys of the overlay.
func (o *textOverlay) Keys() []key.Binding {
	keys := o.keys.forText()
	if o.enter != nil {
		keys = append([]key.Binding{o.keys.open}, keys...)
	}
	return keys
}

// Update handles a message.
func (o *textOverlay) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sizeMsg:
		o.h = msg.h
	case tea.KeyPressMsg:
		switch {
		case key.Matches(msg, o.keys.close) || key.Matches(msg, o.keys.keys):
			return o.say(popMsg{})
		case key.Matches(msg, o.keys.open) && o.enter != nil:
			return o.enter()
		case key.Matches(msg, o.keys.copyKey) && o.copy != "":
			return o.copyText("the link", o.copy)
		default:
			// The text scrolls as one row per position.
			o.cursor = o.top
			o.move(o.keys, msg, max(len(o.lines)-o.rows()+1, 1), 1)
		}
	case wheelMsg:
		o.cursor = o.top + msg.lines
		o.clamp(max(len(o.lines)-o.rows()+1, 1), 1)
	}
	return nil
}

func (o *textOverlay) rows() int { return max(o.h-2, 1) }

// Draw draws title and text.
func (o *textOverlay) Draw(w, h int) string {
	title := " " + o.title
	if len(o.lines) > o.rows() {
		title = spread(title, fmt.Sprintf("%d-%d of %d ", o.top+1, min(o.top+o.rows(), len(o.lines)), len(o.lines)), w, o.glyphs.more)
	}
	lines := append([]string{o.styles.head.Render(title), ""}, o.lines[min(o.top, len(o.lines)):]...)
	return block(lines, w, h, o.glyphs.more)
}

func newKeysOverlay(s *shared, screen Screen) Screen {
	o := &textOverlay{shared: s, title: "Keys: " + screen.Title() + "   (esc closes)"}
	widest := 0
	keys := s.keys.all(screen.Keys())
	for _, b := range keys {
		widest = max(widest, ansi.StringWidth(strings.Join(b.Keys(), ", ")))
	}
	for _, b := range keys {
		names := strings.Join(b.Keys(), ", ")
		if b.Help().Key == s.keys.follow.Help().Key {
			names = b.Help().Key
		}
		o.lines = append(o.lines, "   "+s.styles.hintKey.Render(fit(names, widest, ""))+"  "+b.Help().Desc)
	}
	return o
}

// newLinkOverlay shows an external link in full before it is opened.
func newLinkOverlay(s *shared, url string) Screen {
	url = render.Clean(url)
	o := &textOverlay{shared: s, title: "External link", copy: url}
	o.lines = append(o.lines, "   This link leaves kite-mcp:", "")
	for _, line := range render.Source(url, 60).Lines {
		o.lines = append(o.lines, "     "+s.styles.emphasis.Render(line.Plain))
	}
	if s.openURL == nil || !openable(url) {
		o.lines = append(o.lines, "", "   y copies it, esc closes.")
		return o
	}
	o.lines = append(o.lines, "", "   enter opens it in the browser, y copies it, esc closes.")
	open := s.openURL
	o.enter = func() tea.Cmd {
		s.say(popMsg{})
		return s.do(func(ctx context.Context) tea.Msg {
			if err := open(ctx, url); err != nil {
				return failedMsg{fmt.Errorf("open the link: %w", err)}
			}
			return toastMsg("opened in the browser")
		})
	}
	return o
}

// openable keeps links that make programs run away from the system's opener.
func openable(url string) bool {
	lower := strings.ToLower(url)
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "mailto:")
}
