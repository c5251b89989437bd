package tools

// ordersRead is the reading half of orders, for the Kite app: whatever it is
// told, it cannot change an order.
func ordersRead() Tool {
	const name = "orders_read"
	return Define(Spec{
		Name:        name,
		Title:       "Orders for the Kite app",
		Category:    Views,
		Description: "Reads today's order book, history and trades for the Kite app. Needs a Kite login, changes nothing.",
		Tags:        []string{"app", "read"},
		HelpKeys:    []string{"/orders/reconcile"},
		Audience:    WithApps,
		App:         App{Internal: true, Numbered: true},
	}, alias(name, orders(), "list", "history", "trades", "all_trades")...)
}
