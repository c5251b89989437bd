package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type searchInput struct {
	SearchMode    string `json:"search_mode,omitempty" jsonschema:"search: all matches of query; the others: exact look-up of one key." check:"enum=search|get_by_id|get_by_tradingsymbol|get_by_isin|get_by_inst_token|get_by_exch_token,default=search"`
	Query         string `json:"query,omitempty" jsonschema:"Text to find, literal and case-insensitive; spaces are part of it. Needed for search_mode search; option_chain filters its list of underlyings by it." check:"maxbytes=100"`
	FilterOn      string `json:"filter_on,omitempty" jsonschema:"What query is compared with. id: EXCHANGE:TRADINGSYMBOL; underlying: exact name, NIFTY or NFO:NIFTY; the others by substring." check:"enum=id|name|isin|tradingsymbol|underlying,default=id"`
	ID            string `json:"id,omitempty" jsonschema:"EXCHANGE:TRADINGSYMBOL, for get_by_id." check:"maxbytes=100"`
	Exchange      string `json:"exchange,omitempty" jsonschema:"NSE, BSE, NFO, BFO, MCX, CDS or BCD, for get_by_tradingsymbol and get_by_exch_token (there also INDICES). option_chain: NFO (default) or BFO." check:"maxbytes=20"`
	TradingSymbol string `json:"tradingsymbol,omitempty" jsonschema:"Exact trading symbol such as INFY, for get_by_tradingsymbol." check:"maxbytes=100"`
	ISIN          string `json:"isin,omitempty" jsonschema:"Exact ISIN, for get_by_isin." check:"maxbytes=12"`
	InstToken     uint32 `json:"inst_token,omitempty" jsonschema:"instrument_token, for get_by_inst_token." check:"min=1,max=4294967295"`
	ExchToken     uint32 `json:"exch_token,omitempty" jsonschema:"exchange_token, for get_by_exch_token." check:"min=1,max=4294967295"`
	Verbosity     string `json:"verbosity,omitempty" jsonschema:"full adds exchange_token, tick_size, start-of-day last_price and, where known, ISIN, series, freeze quantity and circuit limits." check:"enum=compact|full,default=compact"`
	liveQuote
	longPages
}

// liveQuote is the wish for current prices.
type liveQuote struct {
	LiveQuote bool `json:"include_live_quote,omitempty" jsonschema:"Add current prices to what is on this page; needs a Kite login." check:"default=false"`
}

// longPages is paging of long lists, with defaults of their own.
type longPages struct {
	From  int `json:"from,omitempty" jsonschema:"First row, counted from 0." check:"min=0,default=0"`
	Limit int `json:"limit,omitempty" jsonschema:"Rows to return: 50 by default, for option_chain 250 strikes." check:"min=1,max=500"`
}

// or is the paging with a default for limit.
func (p longPages) or(limit int) paging {
	if p.Limit != 0 {
		limit = p.Limit
	}
	return paging{From: p.From, Limit: limit}
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
	Active          *bool       `json:"active,omitempty"`
	Expiry          string      `json:"expiry,omitempty"`
	Strike          *kite.Price `json:"strike,omitempty"`

	ExchangeToken *uint32     `json:"exchange_token,omitempty"`
	ISIN          string      `json:"isin,omitempty"`
	TickSize      *kite.Price `json:"tick_size,omitempty"`
	*kite.InstrumentDetails

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
			`market {"mode":"search","search_mode":"get_by_id","id":"NSE:INFY","verbosity":"full"}`,
		},
	}, search)
}

func search(ctx context.Context, env *Env, in searchInput) (rows[instrumentRow], error) {
	master, err := env.Instruments.Get(ctx)
	if err != nil {
		return rows[instrumentRow]{}, err
	}
	pages := in.or(50)
	found, err := in.find(master, pages)
	if err != nil {
		return rows[instrumentRow]{}, err
	}
	out := rows[instrumentRow]{
		Data:       make([]instrumentRow, 0, len(found.Rows)),
		Pagination: pageOf(pages.From, pages.Limit, found.Total, len(found.Rows)),
		stamp:      stamp{Meta: masterMeta(env, master)},
	}
	_, ignored := in.keys()
	for _, name := range ignored {
		out.ignore(name)
	}
	for _, i := range found.Rows {
		out.Data = append(out.Data, newInstrumentRow(i, master.Details(i.Token), in.Verbosity == "full"))
	}
	if in.LiveQuote && len(out.Data) > 0 {
		enrich(ctx, env, &out)
	}
	return out, nil
}

// masterMeta says which list a result comes from.
func masterMeta(env *Env, master *kite.Instruments) Meta {
	m := Meta{
		"instrument_data_source": "bod_instruments", "live_quote_enriched": false,
		"catalog_revision": master.Revision(), "catalog_date": master.Date(),
	}
	if env.Instruments.Stale() {
		m["stale"] = true
	}
	return m
}

// check implements checker.
func (in *searchInput) check() []string {
	wrong, _ := in.keys()
	return wrong
}

// keys reports keys that the search mode needs and did not get, and names those
// it got and does not look at.
func (in *searchInput) keys() (wrong, ignored []string) {
	mode := in.SearchMode
	if mode == "" {
		mode = "search"
	}
	needs := map[string][]string{
		"search": {"query"}, "get_by_id": {"id"}, "get_by_tradingsymbol": {"exchange", "tradingsymbol"}, "get_by_isin": {"isin"},
		"get_by_inst_token": {"inst_token"}, "get_by_exch_token": {"exchange", "exch_token"},
	}[mode]
	for _, arg := range []struct {
		name  string
		given bool
	}{
		{"query", in.Query != ""},
		{"filter_on", in.FilterOn != ""},
		{"id", in.ID != ""},
		{"exchange", in.Exchange != ""},
		{"tradingsymbol", in.TradingSymbol != ""},
		{"isin", in.ISIN != ""},
		{"inst_token", in.InstToken != 0},
		{"exch_token", in.ExchToken != 0},
	} {
		needed := slices.Contains(needs, arg.name)
		switch {
		case needed && !arg.given:
			wrong = append(wrong, fmt.Sprintf("%s: required for search_mode %s", arg.name, mode))
		case !needed && arg.given && (arg.name != "filter_on" || mode != "search"):
			ignored = append(ignored, arg.name)
		}
	}
	if mode == "get_by_id" && in.ID != "" && !strings.Contains(in.ID, ":") {
		wrong = append(wrong, "id: "+quoted(in.ID)+" is not EXCHANGE:TRADINGSYMBOL")
	}
	return wrong, ignored
}

// find runs the search or the look-up.
func (in *searchInput) find(master *kite.Instruments, pages paging) (kite.SearchResult, error) {
	var (
		hits []kite.Instrument
		key  string
		err  error
	)
	one := func(i kite.Instrument, ok bool) {
		if ok {
			hits = append(hits, i)
		}
	}
	exchange := strings.ToUpper(in.Exchange)
	switch in.SearchMode {
	case "get_by_id":
		key = "id " + in.ID
		one(byID(master, in.ID))
	case "get_by_tradingsymbol":
		key = "id " + exchange + ":" + in.TradingSymbol
		one(byID(master, exchange+":"+in.TradingSymbol))
	case "get_by_isin":
		key = "ISIN " + in.ISIN
		hits, err = master.ByISIN(strings.ToUpper(in.ISIN))
	case "get_by_inst_token":
		key = fmt.Sprintf("instrument_token %d", in.InstToken)
		one(master.ByToken(in.InstToken))
	case "get_by_exch_token":
		key = fmt.Sprintf("exchange_token %d on %s", in.ExchToken, exchange)
		one(master.ByExchangeToken(exchange, in.ExchToken))
	default:
		return master.Search(kite.SearchQuery{Text: in.Query, On: kite.FilterOn(in.FilterOn), From: pages.From, Limit: pages.Limit})
	}
	if err != nil {
		return kite.SearchResult{}, err
	}
	if len(hits) == 0 {
		return kite.SearchResult{}, &Failure{
			Code: CodeNotFound, Message: "today's instruments master has no " + strings.ToValidUTF8(key, "?"),
			Hint: "Find it with search_mode search and a part of its symbol or name",
		}
	}
	page, _ := page(hits, pages)
	return kite.SearchResult{Rows: page, Total: len(hits)}, nil
}

// byID takes an id in any case: symbols are in upper case.
func byID(master *kite.Instruments, id string) (kite.Instrument, bool) {
	if i, ok := master.ByID(id); ok {
		return i, true
	}
	return master.ByID(strings.ToUpper(id))
}

func newInstrumentRow(i kite.Instrument, details kite.InstrumentDetails, full bool) instrumentRow {
	r := instrumentRow{
		ID: i.ID(), InstrumentToken: i.Token, TradingSymbol: i.TradingSymbol, Exchange: i.Exchange, Name: i.Name,
		InstrumentType: i.Type, Segment: i.Segment, LotSize: i.LotSize, Expiry: i.Expiry,
	}
	if details.Active != "" {
		active := details.Active == "true"
		r.Active = &active
	}
	if i.Type == "CE" || i.Type == "PE" {
		r.Strike = &i.Strike
	}
	if full {
		r.ExchangeToken, r.ISIN, r.TickSize, r.InstrumentDetails = &i.ExchangeToken, i.ISIN, &i.TickSize, &details
		r.LastPrice = number(&i.LastPrice)
		r.LowerCircuitLimit, r.UpperCircuitLimit = number(details.LowerCircuitLimit), number(details.UpperCircuitLimit)
	}
	return r
}

func number(p *kite.Price) json.RawMessage {
	if p == nil {
		return nil
	}
	return json.RawMessage(p.String())
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
		var fields map[string]json.RawMessage
		if json.Unmarshal(q.Raw, &fields) != nil {
			continue // one unreadable quote does not cost the others theirs
		}
		r.LastPrice, r.LowerCircuitLimit, r.UpperCircuitLimit = fields["last_price"], fields["lower_circuit_limit"], fields["upper_circuit_limit"]
		r.OHLC, r.Timestamp = fields["ohlc"], fields["timestamp"]
	}
	out.Meta["live_quote_enriched"] = true
	out.Meta["live_quote_fields"] = []string{"last_price", "lower_circuit_limit", "upper_circuit_limit", "ohlc", "timestamp"}
}

// liveQuotes returns quotes by id, in as many calls as their number takes. An
// error comes with what was read before it.
func liveQuotes(ctx context.Context, env *Env, ids []string) (map[string]kite.Quote, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[string]kite.Quote, len(ids))
	for batch := range slices.Chunk(ids, kite.MaxQuoteInstruments) {
		got, err := c.Quotes(ctx, batch)
		if err != nil {
			return all, err
		}
		maps.Copy(all, got)
	}
	return all, nil
}
