package tools

// All returns every tool in registry order, which listings and ties follow.
func All() []Tool {
	return []Tool{
		portfolio(),
		orders(),
		gtt(),
		market(),
		alerts(),
		mutualFunds(),
		session(),
		help(),
		kiteHelp(),
		searchTools(),
		listToolsByCategory(),
	}
}
