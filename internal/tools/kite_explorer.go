package tools

// kiteExplorer is how a host's own button opens the Kite app: on the first
// holdings.
func kiteExplorer(portfolio Tool) Tool {
	return Define(Spec{
		Name:        "kite_explorer",
		Title:       "Kite explorer",
		Category:    Views,
		Description: "Opens the Kite app on the first 100 holdings. Needs a Kite login, changes nothing.",
		Tags:        []string{"app", "launcher"},
		Examples:    []string{`kite_explorer {}`},
		HelpKeys:    []string{"/holdings"},
		Audience:    WithApps,
		App:         App{Opens: true, Internal: true, Entrypoints: true},
	}, lend(portfolio, "holdings", "", nil, map[string]any{"type": "full", "from": 0, "limit": 100}, ModeSpec{}))
}
