package tools

func alerts() Tool {
	return Define(Spec{
		Name:     "alerts",
		Title:    "Price alerts",
		Category: Triggers,
		Description: "Reads, creates, modifies and deletes price alerts: simple ones, which only notify, and ato ones, which place a basket of orders when they fire. " +
			"Use it for what the user asked to be told about; use gtt for stop and target orders, market for prices now. " +
			"Needs a Kite login; create, modify and delete, where listed, ask the person each time. " +
			"An alert that fired is no proof of a trade. Indices have exchange INDICES here. Histories are asked for one by one, so ask for few.",
		Tags:     []string{"alert", "notification"},
		HelpKeys: []string{"/triggers-and-alerts", "/triggers-and-alerts/audit"},
	},
		alertsGet(),
		alertsCreate(),
		alertsModify(),
		alertsDelete(),
	)
}
