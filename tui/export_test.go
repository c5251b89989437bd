package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// KeyGroup is a section of the page about keys.
type KeyGroup struct {
	Title string
	Keys  []key.Binding
}

// KeyGroups returns every key by where it works, each once.
func KeyGroups() []KeyGroup {
	k := newKeyMap()
	moving := len(k.moving())
	help, skills := k.forHelp(), k.forSkills()
	return []KeyGroup{
		{"Everywhere", k.everywhere()},
		{"Moving", k.moving()},
		{"Help", help[:len(help)-moving]},
		{"Skills", skills[:len(skills)-moving]},
		{"Search, outline, command list", k.forList()},
	}
}

// FollowKey is the key that takes a number behind it.
func FollowKey() key.Binding { return newKeyMap().follow }

// ScreenKeys returns what each screen and overlay answers to, by its name. Those
// of the program itself are included where they work.
func ScreenKeys() map[string][]key.Binding {
	k := newKeyMap()
	return map[string][]key.Binding{
		"help": k.all(k.forHelp()), "skills": k.all(k.forSkills()), "list": k.forList(), "text": k.forText(), "prompt": k.forPrompt("keep"),
	}
}

// Guard wraps a model as Run does; the function returns what broke, if anything.
func Guard(m tea.Model, quit func()) (tea.Model, func() *CrashError) {
	g := &guarded{Model: m, quit: quit}
	return g, g.crash.Load
}
