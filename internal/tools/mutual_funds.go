package tools

func mutualFunds() Tool {
	return Define(Spec{
		Name:     "mutual_funds",
		Title:    "Mutual funds",
		Category: Portfolio,
		Description: "Reads mutual fund holdings by folio: units, average cost, latest net asset value (NAV) and pledged units. " +
			"Use it for funds held through Kite; shares and ETFs are in portfolio holdings, whose totals do not include funds. " +
			"Needs a Kite login, changes nothing. " +
			"Amounts are rupees; last_price is the NAV of last_price_date, not live. pnl may be 0: compute it from units and prices.",
		Tags:     []string{"mutual fund", "read"},
		HelpKeys: []string{"/holdings"},
	},
		mutualFundsHoldings(),
	)
}
