package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// keyMap is every key of the browser. The hint line, the key overlay, the
// command list and docs/keys.md read it; nothing else names a key.
type keyMap struct {
	// Everywhere.
	help, skills, search, commands, keys, mouse, repaint, suspend, quit, interrupt key.Binding
	// In lists and pages.
	up, down, left, right, pageUp, pageDown, halfUp, halfDown, top, bottom, open, close key.Binding
	// Help.
	nextLink, prevLink, follow, find, findNext, findPrev, outline, back, forward, tree, wrap, copyKey, copySource key.Binding
	// Skills.
	pane, verify, verifyAll, copyDigest, copySkill key.Binding
}

func bind(help, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
}

func newKeyMap() keyMap {
	return keyMap{
		help:      bind("1", "help pages", "1"),
		skills:    bind("2", "skills and manifests", "2"),
		search:    bind("s", "search everything", "s", "ctrl+k"),
		commands:  bind(":", "list of commands", ":"),
		keys:      bind("?", "keys of this screen", "?"),
		mouse:     bind("m", "mouse on or off", "m"),
		repaint:   bind("ctrl+l", "repaint", "ctrl+l"),
		suspend:   bind("ctrl+z", "suspend", "ctrl+z"),
		quit:      bind("q", "quit", "q"),
		interrupt: bind("ctrl+c", "quit, also while typing", "ctrl+c"),

		up:       bind("up/k", "up", "up", "k"),
		down:     bind("down/j", "down", "down", "j"),
		left:     bind("left/h", "close branch, pane to the left", "left", "h"),
		right:    bind("right/l", "open branch, pane to the right", "right", "l"),
		pageUp:   bind("pgup/b", "page up", "pgup", "b"),
		pageDown: bind("pgdn/space", "page down", "pgdown", "space"),
		halfUp:   bind("ctrl+u", "half a page up", "ctrl+u"),
		halfDown: bind("ctrl+d", "half a page down", "ctrl+d"),
		top:      bind("g/home", "top", "g", "home"),
		bottom:   bind("G/end", "bottom", "G", "end"),
		open:     bind("enter", "open", "enter"),
		close:    bind("esc", "close, clear find", "esc"),

		nextLink:   bind("tab", "next link", "tab"),
		prevLink:   bind("shift+tab", "previous link", "shift+tab"),
		follow:     bind("f+number", "follow link", "f"),
		find:       bind("/", "find in page", "/"),
		findNext:   bind("n", "next match", "n"),
		findPrev:   bind("N", "previous match", "N"),
		outline:    bind("o", "outline", "o"),
		back:       bind("[", "back", "[", "backspace", "alt+left"),
		forward:    bind("]", "forward", "]", "alt+right"),
		tree:       bind("t", "tree on or off", "t"),
		wrap:       bind("w", "wrap code and tables", "w"),
		copyKey:    bind("y", "copy key", "y"),
		copySource: bind("Y", "copy page source", "Y"),

		pane:       bind("tab", "list or details", "tab", "shift+tab"),
		verify:     bind("v", "verify digests", "v"),
		verifyAll:  bind("V", "verify all", "V"),
		copyDigest: bind("y", "copy digest", "y"),
		copySkill:  bind("Y", "copy skill as JSON", "Y"),
	}
}

// everywhere lists the keys of every screen.
func (k keyMap) everywhere() []key.Binding {
	return []key.Binding{k.help, k.skills, k.search, k.commands, k.keys, k.mouse, k.repaint, k.suspend, k.quit, k.interrupt}
}

// moving lists the keys that move within a list or page.
func (k keyMap) moving() []key.Binding {
	return []key.Binding{k.up, k.down, k.left, k.right, k.pageUp, k.pageDown, k.halfUp, k.halfDown, k.top, k.bottom}
}

// forHelp lists the keys of the help screen, the most useful first.
func (k keyMap) forHelp() []key.Binding {
	return append([]key.Binding{
		k.open, k.nextLink, k.find, k.search, k.outline, k.copyKey, k.follow, k.back, k.forward,
		k.findNext, k.findPrev, k.tree, k.wrap, k.prevLink, k.copySource, k.close,
	}, k.moving()...)
}

// forSkills lists the keys of the skills screen, the most useful first.
func (k keyMap) forSkills() []key.Binding {
	return append([]key.Binding{k.open, k.pane, k.verify, k.verifyAll, k.copyDigest, k.copySkill}, k.moving()...)
}

// forList lists the keys of an overlay with rows to choose from.
func (k keyMap) forList() []key.Binding {
	return []key.Binding{
		k.open, bind("esc", "close", k.close.Keys()...), bind("up/down", "choose", "up", "down"), bind("pgup/pgdn", "page", "pgdown", "pgup"),
	}
}

// forPrompt lists the keys while a line is typed.
func (k keyMap) forPrompt(enter string) []key.Binding {
	return []key.Binding{bind("enter", enter, k.open.Keys()...), bind("esc", "cancel", k.close.Keys()...)}
}

// forText lists the keys of an overlay that is only read.
func (k keyMap) forText() []key.Binding {
	return []key.Binding{bind("esc", "close", k.close.Keys()...), k.keys, k.up, k.down, k.pageUp, k.pageDown, k.top, k.bottom}
}

// all joins the keys of a screen with those of every screen, each once.
func (k keyMap) all(screen []key.Binding) []key.Binding {
	var out []key.Binding
	seen := map[string]bool{}
	for _, b := range append(append([]key.Binding{}, screen...), k.everywhere()...) {
		if id := strings.Join(b.Keys(), " "); !seen[id] {
			seen[id] = true
			out = append(out, b)
		}
	}
	return out
}

// pressOf returns the key press of a binding's first key, so that a command
// chosen from a list runs by the same path as its key.
func pressOf(b key.Binding) tea.KeyPressMsg {
	name := b.Keys()[0]
	special := map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "space": tea.KeySpace,
	}
	var press tea.KeyPressMsg
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		press.Mod, name = tea.ModCtrl, rest
	} else if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		press.Mod, name = tea.ModShift, rest
	}
	if code, ok := special[name]; ok {
		press.Code = code
		return press
	}
	press.Code = []rune(name)[0]
	if press.Mod == 0 {
		press.Text = name
	}
	return press
}
