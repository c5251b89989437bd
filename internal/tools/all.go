package tools

// All returns every tool in registry order, which listings and ties follow.
func All() []Tool {
	own, prices := portfolio(), market()
	orderBook, triggers := ordersRead(), gttRead()
	return []Tool{
		own,
		orders(),
		gtt(),
		prices,
		alerts(),
		mutualFunds(),
		session(),
		openKiteView(own, prices, orderBook, triggers),
		kiteExplorer(own),
		orderBook,
		triggers,
		help(),
		kiteHelp(),
		searchTools(),
		listToolsByCategory(),
	}
}
