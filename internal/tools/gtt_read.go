package tools

// gttRead is the reading half of gtt, for the Kite app: whatever it is told, it
// cannot change a trigger.
func gttRead() Tool {
	const name = "gtt_read"
	return Define(Spec{
		Name:        name,
		Title:       "GTT triggers for the Kite app",
		Category:    Views,
		Description: "Reads good-till-triggered orders for the Kite app. Needs a Kite login, changes nothing.",
		Tags:        []string{"app", "read"},
		HelpKeys:    []string{"/triggers-and-alerts/audit"},
		Audience:    WithApps,
		App:         App{Internal: true, Numbered: true},
	}, alias(name, gtt(), "list", "get")...)
}
