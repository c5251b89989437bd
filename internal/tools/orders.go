package tools

func orders() Tool {
	return Define(Spec{
		Name:     "orders",
		Title:    "Orders and trades",
		Category: Orders,
		Description: "Reads today's order book, history and trades (fills), previews margin and charges, and places, modifies and cancels orders. " +
			"Use it for what was placed, filled, rejected or is pending; use portfolio positions for what is held now, gtt and alerts for triggers that wait at the broker. " +
			"Needs a Kite login; place, modify and cancel, where listed, ask the person each time, send once and are never repeated: after outcome_unknown read session activity. " +
			"Only today exists. An order id is text of up to 20 digits, never a number; a part-filled order is OPEN with filled_quantity above 0; a receipt is not execution.",
		Tags:     []string{"order", "trade"},
		HelpKeys: []string{"/orders", "/orders/reconcile", "/orders/prepare", "/orders/margin-check", "/troubleshooting/execution"},
	},
		ordersList(),
		ordersHistory(),
		ordersTrades(),
		ordersAllTrades(),
		ordersPreview(),
		ordersPlace(),
		ordersModify(),
		ordersCancel(),
	)
}

// whereOrderIDsAre is what to do about an id that Kite does not know.
const whereOrderIDsAre = "orders mode list has today's order ids; orders of earlier days are gone"

// onlyToday explains an empty list of orders or trades.
const onlyToday = "Kite has orders and trades of today only; none does not mean that nothing was traded on earlier days"

// today notes what an empty list means.
func today[T any](r rows[T]) rows[T] {
	if r.Pagination.Total == 0 {
		r.Meta = Meta{"note": onlyToday}
	}
	return r
}
