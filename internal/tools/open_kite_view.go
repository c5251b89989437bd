package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/kite-mcp/kite-mcp/ui"
)

// openKiteView opens a screen of the Kite app. Its modes are the views of
// ui/views.json, each lent by the tool whose data it shows.
func openKiteView(lenders ...Tool) Tool {
	const name, selector = "open_kite_view", "view"
	views, err := ui.Views()
	modes := make([]Mode, 0, len(views))
	for _, v := range views {
		spec := ModeSpec{Title: v.Title, Description: v.Description, Tags: []string{v.Name}}
		arguments := maps.Clone(v.Example)
		arguments[selector] = v.Name
		example, marshalErr := json.Marshal(arguments)
		if err == nil {
			err = marshalErr
		}
		spec.Examples = []string{name + " " + string(example)}
		modes = append(modes, viewMode(lenders, v, spec))
	}
	if err != nil { // of a broken build; New reports it
		modes = append(modes, Mode{Name: "broken", ModeSpec: ModeSpec{}, err: fmt.Errorf("ui/views.json: %w", err)})
	}
	return Define(Spec{
		Name:     name,
		Title:    "Open a Kite screen",
		Category: Views,
		Description: "Opens an interactive screen of the Kite app with the data already in it. Use it when the person wants to see, browse or compare; " +
			"use the data tools when the answer is for you to work with. Needs a Kite login, changes nothing. Returns the data too, as the tool of that screen does.",
		Tags:     []string{"app", "screen", "show", "view"},
		HelpKeys: []string{"/holdings", "/market-data"},
		Audience: WithApps,
		App:      App{Opens: true, Linked: true},
		Selector: selector,
	}, modes...)
}

func viewMode(lenders []Tool, v ui.View, spec ModeSpec) Mode {
	for _, lender := range lenders {
		if lender.Name == v.Tool {
			m := lend(lender, v.Mode, v.Name, v.Accepts, v.Arguments, spec)
			for i, a := range m.args {
				m.args[i].doc = cmp.Or(v.Describe[a.name], a.doc)
			}
			return m
		}
	}
	return Mode{Name: v.Name, ModeSpec: spec, err: fmt.Errorf("ui/views.json: no tool %s lends a view", v.Tool)}
}
