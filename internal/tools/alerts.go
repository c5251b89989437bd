package tools

func alerts() Tool {
	return Define(Spec{
		Name:     "alerts",
		Title:    "Price alerts",
		Category: Triggers,
		Description: "Reads price alerts: simple ones, which only notify, and ato ones, which place a basket of orders when they fire. " +
			"Use it for what the user asked to be told about; use gtt for stop and target orders, market for prices now. " +
			"Needs a Kite login, changes nothing. " +
			"An alert that fired is no proof of a trade. Indices have exchange INDICES here. Histories are asked for one by one, so ask for few.",
		Tags:     []string{"alert", "notification", "read"},
		HelpKeys: []string{"/triggers-and-alerts", "/triggers-and-alerts/audit"},
	},
		alertsGet(),
	)
}
