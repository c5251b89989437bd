package tools

import "github.com/google/jsonschema-go/jsonschema"

func market() Tool {
	return Define(Spec{
		Name:     "market",
		Title:    "Market data",
		Category: Market,
		Description: "Reads prices and finds instruments: full quote with depth and circuit limits, last price (ltp), day's ohlc, historical candles, search of the instruments master, and option chains. " +
			"Search first to get the exact EXCHANGE:TRADINGSYMBOL or token; use portfolio for what the account holds. Prices need a Kite login with market data; search without live quotes needs none. " +
			"Snapshots in rupees, not a stream; about one price call and three candle calls a second. An id without a quote is listed in meta.missing, it is not zero.",
		Tags:     []string{"price", "instrument", "read"},
		App:      App{Opens: true, Numbered: true},
		HelpKeys: []string{"/market-data", "/market-data/resolve", "/technical-analysis", "/troubleshooting/data"},
		Output:   marketOutput(),
	},
		marketQuote(),
		marketLTP(),
		marketOHLC(),
		marketHistorical(),
		marketSearch(),
		marketOptionChain(),
	)
}

// marketOutput says what all modes share.
func marketOutput() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"data":       {Description: "quotes by id, candles, instrument rows, or strikes"},
			"references": {Type: "object", Description: "option_chain: the underlying and the future"},
			"expiries":   {Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: "option_chain: all of this underlying"},
			"pagination": {Type: "object", Description: "search and option_chain"},
			"meta":       {Type: "object"},
		},
		PropertyOrder: []string{"data", "references", "expiries", "pagination", "meta"},
		Required:      []string{"data", "meta"},
	}
}
