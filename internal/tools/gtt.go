package tools

func gtt() Tool {
	return Define(Spec{
		Name:     "gtt",
		Title:    "GTT triggers",
		Category: Triggers,
		Description: "Reads, places, modifies and deletes good-till-triggered orders (GTT): stops, targets and OCO pairs that wait at the broker. " +
			"Use it for what will be sent when a price is reached; use orders for what was sent today, alerts for notifications. " +
			"Needs a Kite login; place, modify and delete, where listed, ask the person each time. " +
			"Status triggered says that an order was placed, not that it was filled: orders[i].result tells. condition.last_price is the price at placement, so compare triggers with a live price.",
		Tags:     []string{"trigger"},
		HelpKeys: []string{"/triggers-and-alerts", "/triggers-and-alerts/audit"},
	},
		gttList(),
		gttGet(),
		gttPlace(),
		gttModify(),
		gttDelete(),
	)
}
