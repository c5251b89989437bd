package tools

import "github.com/google/jsonschema-go/jsonschema"

func market() Tool {
	return Define(Spec{
		Name:     "market",
		Title:    "Market data",
		Category: Market,
		Description: "Reads prices and finds instruments: full quote with depth and circuit limits, last price (ltp), day's ohlc, and search of the instruments master. " +
			"Search first to get the exact EXCHANGE:TRADINGSYMBOL; use portfolio for what the account holds. Prices need a Kite login with market data; search without live quotes needs none. " +
			"A snapshot in rupees, not a stream; about one price call a second. An id without a quote is listed in meta.missing, it is not zero.",
		Tags:     []string{"price", "instrument", "read"},
		HelpKeys: []string{"/market-data", "/market-data/resolve", "/troubleshooting/data"},
		Output:   marketOutput(),
	},
		marketQuote(),
		marketLTP(),
		marketOHLC(),
		marketSearch(),
	)
}

// marketOutput says what all modes share.
func marketOutput() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"data":       {Description: "quotes by id, or instrument rows"},
			"pagination": {Type: "object", Description: "search only"},
			"meta":       {Type: "object"},
		},
		PropertyOrder: []string{"data", "pagination", "meta"},
		Required:      []string{"data", "meta"},
	}
}
