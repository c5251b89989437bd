package tools

// All returns every tool in registry order, which listings and ties follow.
func All() []Tool {
	own, prices := portfolio(), market()
	return []Tool{
		own,
		orders(),
		gtt(),
		prices,
		alerts(),
		mutualFunds(),
		session(),
		openKiteView(own, prices),
		kiteExplorer(own),
		ordersRead(),
		gttRead(),
		help(),
		kiteHelp(),
		searchTools(),
		listToolsByCategory(),
	}
}
