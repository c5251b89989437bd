package tools

import (
	"context"
	"encoding/json"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type searchInput struct {
	SearchMode string `json:"search_mode,omitempty" jsonschema:"search: all matches of query." check:"enum=search,default=search"`
	Query      string `json:"query" jsonschema:"Text to find, literal and case-insensitive; spaces are part of it." check:"maxbytes=100"`
	FilterOn   string `json:"filter_on,omitempty" jsonschema:"What query is compared with. id: EXCHANGE:TRADINGSYMBOL; underlying: exact name, NIFTY or NFO:NIFTY; the others by substring." check:"enum=id|name|isin|tradingsymbol|underlying,default=id"`
	Verbosity  string `json:"verbosity,omitempty" jsonschema:"full adds exchange_token, tick_size, start-of-day last_price and ISIN where known." check:"enum=compact|full,default=compact"`
	LiveQuote  bool   `json:"include_live_quote,omitempty" jsonschema:"Add current prices to the rows of this page; needs a Kite login." check:"default=false"`
	searchPages
}

// searchPages is paging with the smaller default of a search.
type searchPages struct {
	From  int `json:"from,omitempty" jsonschema:"First row, counted from 0." check:"min=0,default=0"`
	Limit int `json:"limit,omitempty" jsonschema:"Rows to return." check:"min=1,max=500,default=50"`
}

// instrumentRow is one instrument as search shows it. What the instruments
// master does not have is absent, never guessed from the symbol.
type instrumentRow struct {
	ID              string      `json:"id"`
	InstrumentToken uint32      `json:"instrument_token"`
	TradingSymbol   string      `json:"tradingsymbol"`
	Exchange        string      `json:"exchange"`
	Name            string      `json:"name"`
	InstrumentType  string      `json:"instrument_type"`
	Segment         string      `json:"segment"`
	LotSize         int64       `json:"lot_size"`
	Expiry          string      `json:"expiry,omitempty"`
	Strike          *kite.Price `json:"strike,omitempty"`

	ExchangeToken *uint32     `json:"exchange_token,omitempty"`
	ISIN          string      `json:"isin,omitempty"`
	TickSize      *kite.Price `json:"tick_size,omitempty"`

	LastPrice         json.RawMessage `json:"last_price,omitempty"`
	LowerCircuitLimit json.RawMessage `json:"lower_circuit_limit,omitempty"`
	UpperCircuitLimit json.RawMessage `json:"upper_circuit_limit,omitempty"`
	OHLC              json.RawMessage `json:"ohlc,omitempty"`
	Timestamp         json.RawMessage `json:"timestamp,omitempty"`
}

func marketSearch() Mode {
	return Read("search", ModeSpec{
		Title:       "Find instruments",
		Description: "rows of today's instruments master, for exact ids, tokens, lots, expiries and strikes",
		Tags:        []string{"search", "find", "symbol", "token", "lot size", "expiry", "strike", "ISIN", "option"},
		Examples: []string{
			`market {"mode":"search","query":"INFY","filter_on":"tradingsymbol","limit":20}`,
			`market {"mode":"search","query":"NFO:NIFTY","filter_on":"underlying","limit":50}`,
		},
	}, search)
}

func search(ctx context.Context, env *Env, in searchInput) (rows[instrumentRow], error) {
	master, err := env.Instruments.Get(ctx)
	if err != nil {
		return rows[instrumentRow]{}, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = 50
	}
	found, err := master.Search(kite.SearchQuery{Text: in.Query, On: kite.FilterOn(in.FilterOn), From: in.From, Limit: limit})
	if err != nil {
		return rows[instrumentRow]{}, err
	}
	out := rows[instrumentRow]{
		Data:       make([]instrumentRow, 0, len(found.Rows)),
		Pagination: pageOf(in.From, limit, found.Total, len(found.Rows)),
		stamp: stamp{Meta: Meta{
			"instrument_data_source": "bod_instruments", "live_quote_enriched": false,
			"catalog_revision": master.Revision(), "catalog_date": master.Date(),
		}},
	}
	for _, i := range found.Rows {
		out.Data = append(out.Data, newInstrumentRow(i, in.Verbosity == "full"))
	}
	if in.LiveQuote && len(out.Data) > 0 {
		enrich(ctx, env, &out)
	}
	return out, nil
}

func newInstrumentRow(i kite.Instrument, full bool) instrumentRow {
	r := instrumentRow{
		ID: i.ID(), InstrumentToken: i.Token, TradingSymbol: i.TradingSymbol, Exchange: i.Exchange, Name: i.Name,
		InstrumentType: i.Type, Segment: i.Segment, LotSize: i.LotSize, Expiry: i.Expiry,
	}
	if i.Type == "CE" || i.Type == "PE" {
		r.Strike = &i.Strike
	}
	if full {
		r.ExchangeToken, r.ISIN, r.TickSize, r.LastPrice = &i.ExchangeToken, i.ISIN, &i.TickSize, json.RawMessage(i.LastPrice.String())
	}
	return r
}

// enrich adds current prices. A search that cannot be priced is still a search:
// the failure is noted and the rows stay.
func enrich(ctx context.Context, env *Env, out *rows[instrumentRow]) {
	ids := make([]string, len(out.Data))
	for i, r := range out.Data {
		ids[i] = r.ID
	}
	live, err := liveQuotes(ctx, env, ids)
	if err != nil {
		out.Meta["live_quote_error"] = Explain(err)
		return
	}
	for i := range out.Data {
		r := &out.Data[i]
		q, ok := live[r.ID]
		if !ok {
			continue
		}
		r.LastPrice, r.LowerCircuitLimit, r.UpperCircuitLimit = q["last_price"], q["lower_circuit_limit"], q["upper_circuit_limit"]
		r.OHLC, r.Timestamp = q["ohlc"], q["timestamp"]
	}
	out.Meta["live_quote_enriched"] = true
	out.Meta["live_quote_fields"] = []string{"last_price", "lower_circuit_limit", "upper_circuit_limit", "ohlc", "timestamp"}
}

// liveQuotes returns Kite's quote fields by id, as received.
func liveQuotes(ctx context.Context, env *Env, ids []string) (map[string]map[string]json.RawMessage, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return nil, err
	}
	got, err := c.Quotes(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string]map[string]json.RawMessage, len(got))
	for id, q := range got {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(q.Raw, &fields); err != nil {
			continue // one unreadable quote does not cost the others theirs
		}
		out[id] = fields
	}
	return out, nil
}
