package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// The smallest window that is drawn.
const (
	minColumns = 40
	minRows    = 10
)

// cachedPages is how many laid out pages are kept.
const cachedPages = 64

// resizeDelay is how long a window must keep its size before pages are laid out
// for it: dragging a border sends dozens of sizes.
const resizeDelay = 50 * time.Millisecond

// Model is the whole browser for Bubble Tea: window size, colours, and the stack
// of screens.
type Model struct {
	*shared
	w, h     int
	screens  []Screen // one per number key
	active   int
	overlays []Screen // the last one has the keys
	theme    Theme
	dark     bool
	mouse    bool
	source   string
	warning  string
	demo     bool
	term     string // "tmux", "screen" or ""
	resizes  int
	toast    string
}

// New makes a browser that has not loaded anything yet; everything it loads ends
// with ctx.
func New(ctx context.Context, opts Options) *Model {
	s := &shared{
		lib: opts.Library, keys: newKeyMap(), ascii: opts.ASCII, glyphs: newGlyphs(opts.ASCII), now: opts.Now,
		styles: newStyles(opts.Theme, true), pages: &pageCache{limit: cachedPages}, openURL: opts.OpenURL,
		do: func(work func(context.Context) tea.Msg) tea.Cmd { return func() tea.Msg { return work(ctx) } },
	}
	return &Model{
		shared: s, theme: opts.Theme, dark: true, mouse: !opts.NoMouse, source: oneLine(opts.Source), warning: oneLine(opts.Warning), demo: opts.Demo,
		toast:   oneLine(opts.Notice),
		term:    multiplexer(opts.Env),
		screens: []Screen{newHelpScreen(s, opts.Start), newSkillsScreen(s)},
	}
}

func multiplexer(env []string) string {
	name := ""
	for _, v := range env {
		switch {
		case strings.HasPrefix(v, "TMUX=") && v != "TMUX=":
			return "tmux"
		case strings.HasPrefix(v, "TERM=screen"):
			name = "screen"
		}
	}
	return name
}

// Init loads the tree and the skills and, for the automatic theme, asks for the
// background. The program already runs, so a terminal that stays silent costs
// nothing.
func (m *Model) Init() tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(m.screens)+1)
	for _, s := range m.screens {
		cmds = append(cmds, s.Init())
	}
	if m.theme == ThemeAuto || m.theme == ThemeHighContrast {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// Update handles a message, and then what screens said meanwhile.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmds := []tea.Cmd{m.handle(msg)}
	for len(m.outbox) > 0 {
		next := m.outbox[0]
		m.outbox = m.outbox[1:]
		cmds = append(cmds, m.handle(next))
	}
	return m, tea.Batch(cmds...)
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg)
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.styles = newStyles(m.theme, m.dark)
		return m.tell(restyled{})
	case tea.KeyPressMsg:
		m.toast = ""
		return m.press(msg)
	case pressMsg:
		return m.press(msg.press)
	case tea.PasteMsg:
		return m.top().Update(msg)
	case tea.MouseClickMsg:
		m.toast = ""
		return m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return m.wheel(msg.Mouse())
	case pushMsg:
		m.overlays = append(m.overlays, msg.screen)
		return tea.Batch(msg.screen.Init(), msg.screen.Update(m.body()))
	case popMsg:
		m.overlays = m.overlays[:max(len(m.overlays)-1, 0)]
	case openMsg:
		m.active, m.overlays = 0, nil
		return m.screens[0].Update(msg)
	case screenMsg:
		m.active, m.overlays = msg.number, nil
	case settleMsg:
		if msg.id != m.resizes {
			return nil
		}
		return m.tell(msg)
	case copyMsg:
		cmd, toast := copyCommand(msg, m.term)
		m.toast = toast
		return cmd
	case toastMsg:
		m.toast = oneLine(string(msg))
	case failedMsg:
		m.toast = oneLine(msg.err.Error())
	default:
		return m.answer(msg)
	}
	return nil
}

// answer takes what background work found and tells every screen.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case treeMsg:
		if msg.err == nil {
			m.index = msg.index
		}
	case skillsMsg:
		if msg.err == nil {
			m.skills = msg.skills
		}
	}
	return m.tell(msg)
}

// tell sends a message to every screen; those it does not concern ignore it.
func (m *Model) tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range slices.Concat(m.screens, m.overlays) {
		cmds = append(cmds, s.Update(msg))
	}
	return tea.Batch(cmds...)
}

// top is the screen that has the keys.
func (m *Model) top() Screen {
	if n := len(m.overlays); n > 0 {
		return m.overlays[n-1]
	}
	return m.screens[m.active]
}

// body is what the top and bottom line leave.
func (m *Model) body() sizeMsg { return sizeMsg{w: max(m.w, 1), h: max(m.h-2, 1)} }

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	first := m.w == 0 && m.h == 0
	m.w, m.h = max(msg.Width, 0), max(msg.Height, 0)
	m.resizes++
	cmd := m.tell(m.body())
	if first {
		return cmd
	}
	settle := settleMsg{m.resizes}
	return tea.Batch(cmd, tea.Tick(resizeDelay, func(time.Time) tea.Msg { return settle }))
}

// press gives a key to the program, then to the screen on top. While a screen
// reads text only the keys that are no text are the program's.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	k := m.keys
	switch {
	case key.Matches(msg, k.interrupt):
		return tea.Quit
	case key.Matches(msg, k.suspend):
		return tea.Suspend
	case key.Matches(msg, k.repaint):
		return tea.ClearScreen
	}
	top := m.top()
	if c, ok := top.(capturer); ok && c.capturing() {
		return top.Update(msg)
	}
	switch {
	case key.Matches(msg, k.quit):
		return tea.Quit
	case key.Matches(msg, k.help):
		m.active, m.overlays = 0, nil
	case key.Matches(msg, k.skills):
		m.active, m.overlays = 1, nil
	case key.Matches(msg, k.mouse):
		m.mouse = !m.mouse
		m.toast = onOff("mouse", m.mouse)
	case len(m.overlays) > 0:
		return top.Update(msg)
	case key.Matches(msg, k.search):
		return m.say(pushMsg{newSearch(m.shared)})
	case key.Matches(msg, k.commands):
		return m.say(pushMsg{newCommands(m.shared, k.all(top.Keys()))})
	case key.Matches(msg, k.keys):
		return m.say(pushMsg{newKeysOverlay(m.shared, top)})
	default:
		return top.Update(msg)
	}
	return nil
}

func (m *Model) click(at tea.Mouse) tea.Cmd {
	if m.tooSmall() || at.Button != tea.MouseLeft {
		return nil
	}
	var areas []area
	switch at.Y {
	case 0:
		_, areas = m.bar()
	case m.h - 1:
		_, areas = m.hints()
	default:
		return m.top().Update(clickMsg{x: at.X, y: at.Y - 1})
	}
	for _, a := range areas {
		if a.start <= at.X && at.X < a.end {
			return m.press(a.press)
		}
	}
	return nil
}

func (m *Model) wheel(at tea.Mouse) tea.Cmd {
	const lines = 3
	msg := wheelMsg{x: at.X, y: at.Y - 1, lines: lines}
	switch at.Button {
	case tea.MouseWheelUp:
		msg.lines = -lines
	case tea.MouseWheelDown:
	default:
		return nil
	}
	return m.top().Update(msg)
}

func (m *Model) tooSmall() bool { return m.w < minColumns || m.h < minRows }

// View draws the window.
func (m *Model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (m *Model) draw() string {
	if m.tooSmall() {
		if m.w == 0 || m.h == 0 {
			return ""
		}
		return block([]string{fmt.Sprintf("Need %dx%d, have %dx%d", minColumns, minRows, m.w, m.h)}, m.w, m.h, "")
	}
	bar, _ := m.bar()
	hints, _ := m.hints()
	body := m.body()
	return strings.Join([]string{bar, m.top().Draw(body.w, body.h), hints}, "\n")
}
