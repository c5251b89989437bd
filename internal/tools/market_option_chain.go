package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type chainInput struct {
	Exchange   string `json:"exchange,omitempty" jsonschema:"NSE, BSE, NFO, BFO, MCX, CDS or BCD, for get_by_tradingsymbol and get_by_exch_token (there also INDICES). option_chain: NFO (default) or BFO." check:"maxbytes=20"`
	Underlying string `json:"underlying,omitempty" jsonschema:"Name of what the options are on, such as NIFTY or INFY. Without it: the list of underlyings." check:"maxbytes=100"`
	Expiry     string `json:"expiry,omitempty" jsonschema:"Day of expiry as YYYY-MM-DD, from the list. Without it: the list of expiries, nearest first." check:"maxbytes=10"`
	Revision   string `json:"catalog_revision,omitempty" jsonschema:"meta.catalog_revision of the first page, so that all pages come from one list." check:"maxbytes=64"`
	Query      string `json:"query,omitempty" jsonschema:"Text to find, literal and case-insensitive; spaces are part of it. Needed for search_mode search; option_chain filters its list of underlyings by it." check:"maxbytes=100"`
	liveQuote
	longPages
}

// chainUnderlying is a name that options exist on.
type chainUnderlying struct {
	Underlying string `json:"underlying"`
	Exchange   string `json:"exchange"`
	Expiries   int    `json:"expiries"` // how many
}

// chainExpiry is a day on which options end.
type chainExpiry struct {
	Expiry  string `json:"expiry"`
	Strikes int    `json:"strikes"` // how many
}

// chain is one page of the strikes of an expiry.
type chain struct {
	Data       []chainStrike   `json:"data"`
	References chainReferences `json:"references"`
	Expiries   []string        `json:"expiries"`
	Pagination Pagination      `json:"pagination"`
	stamp
}

// chainStrike pairs call and put; a side that does not exist is null.
type chainStrike struct {
	Strike kite.Price `json:"strike"`
	Call   *contract  `json:"call"`
	Put    *contract  `json:"put"`
}

// chainReferences are what the strikes are compared with. What the instruments
// master does not have is null, never derived.
type chainReferences struct {
	Underlying *contract `json:"underlying"`
	Future     *contract `json:"future"` // of the same expiry
}

type contract struct {
	ID              string     `json:"id"`
	InstrumentToken uint32     `json:"instrument_token"`
	TradingSymbol   string     `json:"tradingsymbol"`
	LotSize         int64      `json:"lot_size"`
	TickSize        kite.Price `json:"tick_size"`
	Quote           *lastQuote `json:"quote,omitempty"`
}

// lastQuote is what a chain shows of a quote; mode quote has the rest. Numbers
// are as Kite sent them, and absent when it did not.
type lastQuote struct {
	LastPrice json.RawMessage `json:"last_price,omitempty"`
	Volume    json.RawMessage `json:"volume,omitempty"`
	OI        json.RawMessage `json:"oi,omitempty"`
	OHLC      json.RawMessage `json:"ohlc,omitempty"`
	Bid       *kite.Price     `json:"bid,omitempty"` // best of the depth; absent when nobody bids
	Ask       *kite.Price     `json:"ask,omitempty"`
}

func marketOptionChain() Mode {
	return Read("option_chain", ModeSpec{
		Title:       "Option chain",
		Description: "all strikes of one expiry with call and put side by side; without expiry the expiries, without underlying the underlyings",
		Tags:        []string{"option chain", "call", "put", "CE", "PE", "strike", "expiry", "F&O", "derivatives"},
		Examples: []string{
			`market {"mode":"option_chain","query":"NIFTY"}`,
			`market {"mode":"option_chain","underlying":"NIFTY"}`,
			`market {"mode":"option_chain","underlying":"NIFTY","expiry":"2026-12-08","limit":100}`,
		},
	}, optionChain)
}

func optionChain(ctx context.Context, env *Env, in chainInput) (any, error) {
	in.Exchange = cmp.Or(strings.ToUpper(in.Exchange), "NFO")
	master, err := env.Instruments.At(ctx, in.Revision)
	if err != nil {
		return nil, err
	}
	pages := in.or(250)
	meta := masterMeta(env, master)
	meta["exchange"] = in.Exchange
	if in.Underlying == "" {
		return in.underlyings(master, pages, meta), nil
	}
	days := master.Expiries(in.Exchange, in.Underlying)
	if len(days) == 0 {
		return nil, &Failure{
			Code: CodeNotFound, Message: "there are no options of " + quoted(in.Underlying) + " on " + in.Exchange,
			Hint: "Leave out underlying to see the list; query filters it",
		}
	}
	if in.Expiry == "" {
		return in.expiries(master, days, pages, meta), nil
	}
	found, ok := master.Chain(in.Exchange, in.Underlying, in.Expiry)
	if !ok {
		return nil, &Failure{
			Code: CodeNotFound, Message: fmt.Sprintf("no options of %s on %s expire on %s", quoted(in.Underlying), in.Exchange, in.Expiry),
			Hint: "The next expiries are " + strings.Join(days[:min(len(days), 5)], ", "),
		}
	}
	meta["underlying"], meta["expiry"] = found.Underlying, found.Expiry
	strikes, pagination := page(found.Strikes, pages)
	out := &chain{Data: make([]chainStrike, len(strikes)), Expiries: days, Pagination: pagination, stamp: stamp{Meta: meta}}
	out.References = chainReferences{Underlying: contractOf(master, found.Spot), Future: contractOf(master, found.Future)}
	for i, s := range strikes {
		out.Data[i] = chainStrike{Strike: s.Strike, Call: contractOf(master, s.Call), Put: contractOf(master, s.Put)}
	}
	in.ignore(&out.stamp, in.Query != "", "query")
	if in.LiveQuote {
		out.enrich(ctx, env)
	}
	return out, nil
}

// check implements checker.
func (in *chainInput) check() []string {
	var wrong []string
	if !slices.Contains([]string{"", "NFO", "BFO"}, strings.ToUpper(in.Exchange)) {
		wrong = append(wrong, "exchange: must be NFO or BFO for option chains")
	}
	if _, err := time.Parse(time.DateOnly, in.Expiry); in.Expiry != "" && err != nil {
		wrong = append(wrong, "expiry: must be a day as YYYY-MM-DD")
	}
	if in.Expiry != "" && in.Underlying == "" {
		wrong = append(wrong, "underlying: required with expiry")
	}
	return wrong
}

func (in *chainInput) ignore(s *stamp, given bool, name string) {
	if given {
		s.ignore(name)
	}
}

func (in *chainInput) underlyings(master *kite.Instruments, pages paging, meta Meta) any {
	names := slices.DeleteFunc(master.Underlyings(in.Exchange), func(name string) bool {
		return !strings.Contains(strings.ToUpper(name), strings.ToUpper(in.Query))
	})
	shown, pagination := page(names, pages)
	out := &rows[chainUnderlying]{Data: make([]chainUnderlying, len(shown)), Pagination: pagination, stamp: stamp{Meta: meta}}
	for i, name := range shown {
		out.Data[i] = chainUnderlying{Underlying: name, Exchange: in.Exchange, Expiries: len(master.Expiries(in.Exchange, name))}
	}
	in.ignore(&out.stamp, in.LiveQuote, "include_live_quote")
	return out
}

func (in *chainInput) expiries(master *kite.Instruments, days []string, pages paging, meta Meta) any {
	shown, pagination := page(days, pages)
	out := &rows[chainExpiry]{Data: make([]chainExpiry, len(shown)), Pagination: pagination, stamp: stamp{Meta: meta}}
	for i, day := range shown {
		c, _ := master.Chain(in.Exchange, in.Underlying, day) // the days are those of chains
		out.Data[i] = chainExpiry{Expiry: day, Strikes: len(c.Strikes)}
		meta["underlying"] = c.Underlying
	}
	in.ignore(&out.stamp, in.Query != "", "query")
	in.ignore(&out.stamp, in.LiveQuote, "include_live_quote")
	return out
}

// contractOf is what a chain shows of an instrument; nil when there is none.
func contractOf(master *kite.Instruments, token uint32) *contract {
	i, ok := master.ByToken(token)
	if !ok {
		return nil
	}
	return &contract{ID: i.ID(), InstrumentToken: i.Token, TradingSymbol: i.TradingSymbol, LotSize: i.LotSize, TickSize: i.TickSize}
}

// enrich adds quotes to the contracts of the page and to the references. What
// could be read stays when the rest could not.
func (c *chain) enrich(ctx context.Context, env *Env) {
	all := []*contract{c.References.Underlying, c.References.Future}
	for i := range c.Data {
		all = append(all, c.Data[i].Call, c.Data[i].Put)
	}
	all = slices.DeleteFunc(all, func(k *contract) bool { return k == nil })
	ids := make([]string, len(all))
	for i, k := range all {
		ids[i] = k.ID
	}
	if len(ids) == 0 {
		return
	}
	live, err := liveQuotes(ctx, env, ids)
	for _, k := range all {
		if q, ok := live[k.ID]; ok {
			k.Quote = newLastQuote(q)
		}
	}
	if err != nil {
		c.Meta["live_quote_error"] = Explain(err)
		return
	}
	c.Meta["live_quote_enriched"] = true
	c.Meta["live_quote_fields"] = []string{"last_price", "volume", "oi", "ohlc", "bid", "ask"}
}

func newLastQuote(q kite.Quote) *lastQuote {
	var out lastQuote
	if json.Unmarshal(q.Raw, &out) != nil {
		return nil // one unreadable quote does not cost the others theirs
	}
	out.Bid, out.Ask = bestPrice(q.Depth.Buy), bestPrice(q.Depth.Sell)
	return &out
}

func bestPrice(levels []kite.Level) *kite.Price {
	if len(levels) == 0 {
		return nil
	}
	return &levels[0].Price
}
