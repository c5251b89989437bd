package tools

func portfolio() Tool {
	return Define(Spec{
		Name:     "portfolio",
		Title:    "Portfolio and funds",
		Category: Portfolio,
		Description: "Reads the account: profile, funds and margins, delivery holdings with profit and loss (P&L), and open or closed positions. " +
			"Use it for what the user owns or owes; use market for prices of anything else. Needs a Kite login, changes nothing. " +
			"Holdings and positions come in pages of up to 500 rows; totals come from holdings with type summary, never from adding pages. " +
			"Net and day positions describe the same trades: never add them.",
		Tags:     []string{"account", "read"},
		App:      App{Opens: true, Numbered: true},
		HelpKeys: []string{"/holdings", "/holdings/concentration", "/holdings/positions", "/daily-review/account-briefing"},
	},
		portfolioProfile(),
		portfolioMargins(),
		portfolioHoldings(),
		portfolioPositions(),
	)
}
