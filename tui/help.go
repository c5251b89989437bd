package tui

import (
	"context"
	"fmt"
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/render"
)

// The panes of the help screen that take keys.
type pane int

const (
	paneTree pane = iota
	panePage
)

// visit is a place in the history.
type visit struct {
	key      catalog.Key
	y, lines int // first line shown, of how many: the layout may change meanwhile
	link     int
	focus    pane
	skills   bool // the next page was opened from the Skills screen: back leads there
}

// arrival says what to do when a requested page comes.
type arrival struct {
	relayout bool   // the same page in another layout
	fragment string // scroll to this heading
	visit    *visit // return to this place
}

// helpScreen is screen 1: the tree, a page, and details beside it.
type helpScreen struct {
	*shared
	w, h          int
	tree          tree
	page          pager
	focus         pane
	key           catalog.Key // on show, or requested
	hidden        bool        // the tree is off
	drawer        bool        // on a narrow screen: the tree is shown instead of the page
	noWrap        bool
	back, forward []visit
	request       int // id of the latest request; older answers are dropped
	arrival       arrival
	err           error
	prompt        *input // find is being typed
	findFrom      int    // the line on top when that began
	numbers       *input // a link number is being typed
}

func newHelpScreen(s *shared, start catalog.Key) *helpScreen {
	return &helpScreen{shared: s, key: start, page: pager{link: -1}}
}

// Init loads the tree; the first page follows it.
func (s *helpScreen) Init() tea.Cmd {
	lib := s.lib
	return s.do(func(ctx context.Context) tea.Msg {
		nodes, err := lib.Tree(ctx)
		if err != nil {
			return treeMsg{err: fmt.Errorf("load the tree: %w", err)}
		}
		return treeMsg{index: newIndex(nodes)}
	})
}

// Title names the screen in the top line.
func (s *helpScreen) Title() string { return "Help" }

// Keys lists the keys of the screen.
func (s *helpScreen) Keys() []key.Binding {
	switch {
	case s.prompt != nil:
		return s.keys.forPrompt("keep the matches")
	case s.numbers != nil:
		return s.keys.forPrompt("follow the link")
	}
	return s.keys.forHelp()
}

func (s *helpScreen) capturing() bool { return s.prompt != nil || s.numbers != nil }

// Update handles a message.
func (s *helpScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sizeMsg:
		first := s.w == 0
		s.w, s.h = msg.w, msg.h
		s.resize()
		if first {
			return s.load(arrival{})
		}
	case treeMsg:
		if s.err = msg.err; s.err != nil {
			return nil
		}
		s.tree.load(msg.index, s.key)
		return s.load(arrival{})
	case settleMsg, restyled:
		return s.load(arrival{relayout: true})
	case pageMsg:
		return s.arrived(msg)
	case openMsg:
		cmd := s.open(msg.key, msg.fragment)
		if n := len(s.back); msg.skills && n > 0 {
			s.back[n-1].skills = true
		}
		return cmd
	case gotoMsg:
		s.focus = panePage
		s.page.scrollTo(msg.line)
	case tea.KeyPressMsg:
		return s.press(msg)
	case tea.PasteMsg:
		if s.prompt != nil {
			s.prompt.insert(msg.Content)
			s.search()
		}
	case clickMsg:
		return s.click(msg)
	case wheelMsg:
		s.wheel(msg)
	}
	return nil
}

func (s *helpScreen) resize() {
	s.tree.h, s.page.h = max(s.h-2, 1), max(s.h-3, 1) // head, status; a blank line above the page
	s.tree.clamp(len(s.tree.rows), s.tree.h)
	if s.page.view != nil {
		s.page.relayout(s.page.view)
	}
}

// load asks for the current page in the current layout.
func (s *helpScreen) load(a arrival) tea.Cmd {
	if s.index == nil || s.w == 0 {
		return nil // the tree or the size will come and ask again
	}
	if a.relayout && s.page.view != nil && s.page.view.key != s.key {
		a = s.arrival // another page is on its way: it only changes its layout
	}
	req := request{key: s.key, width: s.textWidth(), style: s.styles.page, noWrap: s.noWrap}
	s.request++
	s.arrival = a
	if v := s.pages.get(req); v != nil {
		return s.arrived(pageMsg{id: s.request, view: v})
	}
	return s.shared.load(s.request, req)
}

func (s *helpScreen) arrived(msg pageMsg) tea.Cmd {
	if msg.id != s.request {
		return nil
	}
	s.err = msg.err
	if msg.err != nil {
		return nil
	}
	if !msg.view.gone {
		s.pages.put(msg.view)
	}
	a := s.arrival
	if a.relayout && s.page.view != nil && s.page.view.key == msg.view.key {
		s.page.relayout(msg.view)
		return nil
	}
	s.page.show(msg.view)
	if a.visit != nil {
		s.page.anchorY, s.page.anchorLines, s.page.link = a.visit.y, a.visit.lines, a.visit.link
		s.page.relayout(msg.view)
		s.focus = a.visit.focus
	}
	if a.fragment == "" {
		return nil
	}
	line, ok := msg.view.lineOf(a.fragment)
	if !ok {
		return s.say(toastMsg("no heading #" + render.Clean(a.fragment) + " on this page"))
	}
	s.page.scrollTo(line)
	return nil
}

// open shows a page and remembers the one before it.
func (s *helpScreen) open(k catalog.Key, fragment string) tea.Cmd {
	if s.page.view != nil {
		s.back = append(s.back, s.here())
		s.forward = nil
	}
	return s.jump(k, arrival{fragment: fragment})
}

func (s *helpScreen) jump(k catalog.Key, a arrival) tea.Cmd {
	s.key = k
	s.focus, s.drawer = panePage, false
	s.tree.reveal(k)
	return s.load(a)
}

func (s *helpScreen) here() visit {
	return visit{key: s.key, y: s.page.anchorY, lines: s.page.anchorLines, link: s.page.link, focus: s.focus}
}

// travel goes one step through the history: from the end of one stack to the
// other.
func (s *helpScreen) travel(from, to *[]visit, none string) tea.Cmd {
	n := len(*from)
	if n == 0 {
		return s.say(toastMsg(none))
	}
	v := (*from)[n-1]
	*from = (*from)[:n-1]
	*to = append(*to, s.here())
	if v.skills {
		s.say(screenMsg{1})
	}
	return s.jump(v.key, arrival{visit: &v})
}

func (s *helpScreen) press(msg tea.KeyPressMsg) tea.Cmd {
	k := s.keys
	switch {
	case s.prompt != nil:
		return s.typeQuery(msg)
	case s.numbers != nil:
		return s.typeNumber(msg)
	case key.Matches(msg, k.find):
		s.prompt, s.findFrom, s.focus, s.drawer = &input{}, s.page.y, panePage, false
	case key.Matches(msg, k.findNext):
		s.page.stepMatch(1)
	case key.Matches(msg, k.findPrev):
		s.page.stepMatch(-1)
	case key.Matches(msg, k.outline):
		return s.showOutline()
	case key.Matches(msg, k.back):
		return s.travel(&s.back, &s.forward, "no page to go back to")
	case key.Matches(msg, k.forward):
		return s.travel(&s.forward, &s.back, "no page to go forward to")
	case key.Matches(msg, k.tree):
		return s.toggleTree()
	case key.Matches(msg, k.wrap):
		s.noWrap = !s.noWrap
		return tea.Batch(s.load(arrival{relayout: true}), s.say(toastMsg(onOff("wrapping of code and tables", !s.noWrap))))
	case key.Matches(msg, k.copyKey):
		return s.copyText(s.key.String(), s.key.String())
	case key.Matches(msg, k.copySource):
		return s.copySource()
	case key.Matches(msg, k.follow):
		return s.startNumber()
	case key.Matches(msg, k.nextLink):
		s.tab(1)
	case key.Matches(msg, k.prevLink):
		s.tab(-1)
	case key.Matches(msg, k.close):
		s.page.find = finder{}
		s.page.link, s.drawer = -1, false
	case key.Matches(msg, k.open):
		return s.enter()
	default:
		s.move(msg)
	}
	return nil
}

// move scrolls the pane in use or goes to the other one.
func (s *helpScreen) move(msg tea.KeyPressMsg) {
	const step = 8
	k := s.keys
	_, width, _ := s.columns()
	switch {
	case s.focus == paneTree || s.drawer:
		if !s.tree.update(k, msg) && key.Matches(msg, k.right) {
			s.focus, s.drawer = panePage, false
		}
	case key.Matches(msg, k.left):
		if !s.page.shift(-step, width) && s.treeWidth() > 0 {
			s.focus = paneTree
		}
	case key.Matches(msg, k.right):
		s.page.shift(step, width)
	default:
		s.page.scroll(k, msg)
	}
}

func (s *helpScreen) toggleTree() tea.Cmd {
	if s.narrow() {
		s.drawer = !s.drawer
		s.focus = panePage
		return nil
	}
	s.hidden = !s.hidden
	if s.hidden {
		s.focus = panePage
	}
	return s.load(arrival{relayout: true})
}

// tab selects the next link; on a page without one it changes the pane.
func (s *helpScreen) tab(by int) {
	switch {
	case s.page.nextLink(by):
		s.focus, s.drawer = panePage, false
	case s.focus == panePage && s.treeWidth() > 0:
		s.focus = paneTree
	default:
		s.focus = panePage
	}
}

func (s *helpScreen) enter() tea.Cmd {
	if s.focus == paneTree || s.drawer {
		n, ok := s.tree.selected()
		if !ok {
			return nil
		}
		s.tree.open[n.Key] = true
		s.tree.build()
		return s.open(n.Key, "")
	}
	if s.page.link < 0 {
		return s.say(toastMsg("no link selected; tab selects one"))
	}
	return s.followLink(s.page.link)
}

// followLink goes where a link leads. An external one is first shown in full.
func (s *helpScreen) followLink(i int) tea.Cmd {
	t := s.page.view.targets[i]
	s.page.link = i
	switch {
	case t.broken != "":
		return s.say(toastMsg("broken link: " + render.Clean(t.broken)))
	case t.url != "":
		return s.say(pushMsg{newLinkOverlay(s.shared, t.url)})
	case t.key == s.key && t.fragment != "":
		return s.open(s.key, t.fragment)
	}
	return s.open(t.key, t.fragment)
}

func (s *helpScreen) startNumber() tea.Cmd {
	if s.page.view == nil || len(s.page.view.doc.Links) == 0 {
		return s.say(toastMsg("no links on this page"))
	}
	s.numbers, s.focus, s.drawer = &input{}, panePage, false
	return nil
}

// typeNumber reads a link number and follows as soon as no longer one can match.
func (s *helpScreen) typeNumber(msg tea.KeyPressMsg) tea.Cmd {
	links := len(s.page.view.doc.Links)
	if msg.Text >= "0" && msg.Text <= "9" && len(msg.Text) == 1 {
		s.numbers.insert(msg.Text)
	}
	n, _ := strconv.Atoi(s.numbers.value())
	done := key.Matches(msg, s.keys.open) || n*10 > links
	switch {
	case msg.Text == "" && !key.Matches(msg, s.keys.open) || n == 0 || n > links:
		s.numbers = nil
		if n > links {
			return s.say(toastMsg(fmt.Sprintf("no link %d on this page", n)))
		}
	case done:
		s.numbers = nil
		return s.followLink(n - 1)
	}
	return nil
}

// typeQuery reads the text to find; matches follow every key.
func (s *helpScreen) typeQuery(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, s.keys.close):
		s.prompt, s.page.find = nil, finder{}
		s.page.scrollTo(s.findFrom)
	case key.Matches(msg, s.keys.open):
		s.prompt = nil
		if s.page.find.query != "" && len(s.page.find.matches) == 0 {
			return s.say(toastMsg("not on this page; s searches everything"))
		}
	case s.prompt.update(msg):
		s.search()
	}
	return nil
}

func (s *helpScreen) search() {
	if s.page.view == nil {
		return
	}
	s.page.find.set(s.prompt.value(), s.page.view.doc.Lines, s.findFrom)
	if line, ok := s.page.find.line(); ok {
		s.page.reveal(line)
	}
}

func (s *helpScreen) copySource() tea.Cmd {
	if s.page.view == nil {
		return nil
	}
	return s.copyText("source of "+s.key.String(), string(s.page.view.page.Raw))
}

func (s *helpScreen) showOutline() tea.Cmd {
	if s.page.view == nil || len(s.page.view.doc.Headings) == 0 {
		return s.say(toastMsg("no headings on this page"))
	}
	return s.say(pushMsg{newOutline(s.shared, s.page.view, s.page.y)})
}

func onOff(what string, on bool) string {
	if on {
		return what + " on"
	}
	return what + " off"
}
