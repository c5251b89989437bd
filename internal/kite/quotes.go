package kite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Most instruments Kite takes in one call.
const (
	MaxQuoteInstruments = 500  // Quotes
	MaxLTPInstruments   = 1000 // LTP and OHLC
)

// Quote is the market state of one instrument. LTP fills only the token and the last price, OHLC also the four prices.
// It marshals as Kite's own object.
type Quote struct {
	InstrumentToken   uint32
	LastPrice         Price
	OHLC              OHLC
	Timestamp         time.Time // zero when not sent
	LastTradeTime     time.Time // zero when never traded and for indices
	LastQuantity      int64
	AveragePrice      Price // volume weighted, of the day
	Volume            int64
	BuyQuantity       int64
	SellQuantity      int64
	OI                int64
	OIDayHigh         int64
	OIDayLow          int64
	LowerCircuitLimit Price
	UpperCircuitLimit Price
	Depth             Depth
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's object, unmodified.
	Raw json.RawMessage
}

// OHLC is the day so far; Close is the close of the previous day.
type OHLC struct{ Open, High, Low, Close Price }

// Depth holds the levels that exist, best first; indices and closed sides have none.
type Depth struct{ Buy, Sell []Level }

// Level is one price of the order book.
type Level struct {
	Price    Price
	Quantity int64
	Orders   int64
}

// MarshalJSON returns Raw.
func (q Quote) MarshalJSON() ([]byte, error) { return rawObject(q.Raw), nil }

// Quotes reads full quotes of at most 500 instruments given as EXCHANGE:TRADINGSYMBOL. An instrument that Kite does
// not know or that never traded is missing from the result, without an error.
func (c *Client) Quotes(ctx context.Context, ids []string) (map[string]Quote, error) {
	return c.quotes(ctx, "quotes", "/quote", ids, MaxQuoteInstruments)
}

// LTP reads the last prices of at most 1000 instruments. Unknown ones are missing from the result.
func (c *Client) LTP(ctx context.Context, ids []string) (map[string]Quote, error) {
	return c.quotes(ctx, "last prices", "/quote/ltp", ids, MaxLTPInstruments)
}

// OHLC reads the day's four prices of at most 1000 instruments. Unknown ones are missing from the result.
func (c *Client) OHLC(ctx context.Context, ids []string) (map[string]Quote, error) {
	return c.quotes(ctx, "day prices", "/quote/ohlc", ids, MaxLTPInstruments)
}

func (c *Client) quotes(ctx context.Context, what, path string, ids []string, most int) (map[string]Quote, error) {
	asked, err := instrumentIDs(ids, most)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	raw, err := c.get(ctx, what, path, url.Values{"i": asked}, paceQuote)
	if err != nil {
		return nil, err
	}
	var rows map[string]json.RawMessage
	if rawRows, isList := list(raw); (!isList || len(rawRows) > 0) && json.Unmarshal(raw, &rows) != nil {
		return nil, unreadableList(what)
	}
	out := make(map[string]Quote, len(rows))
	for id, row := range rows {
		if string(row) != "null" {
			out[id] = readQuote(row)
		}
	}
	return out, nil
}

// instrumentIDs checks the form of ids and drops repetitions. All faulty ids are named at once.
func instrumentIDs(ids []string, most int) ([]string, error) {
	var bad []string
	seen := make(map[string]bool, len(ids))
	asked := make([]string, 0, len(ids))
	for _, id := range ids {
		exchange, symbol, ok := strings.Cut(id, ":")
		switch {
		case !ok, exchange == "", symbol == "", len(id) > 100, strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }):
			bad = append(bad, fmt.Sprintf("%q", shorten(id)))
		case !seen[id]:
			seen[id] = true
			asked = append(asked, id)
		}
	}
	switch {
	case len(bad) > 0:
		return nil, invalidArgument("not of the form EXCHANGE:TRADINGSYMBOL: " + strings.Join(bad[:min(len(bad), 10)], ", "))
	case len(asked) == 0:
		return nil, invalidArgument("no instruments given")
	case len(asked) > most:
		return nil, invalidArgument(fmt.Sprintf("%d instruments given, at most %d fit in one call", len(asked), most))
	}
	return asked, nil
}

func readQuote(raw json.RawMessage) Quote {
	r := readRow(raw)
	ohlc, depth := r.object("ohlc"), r.object("depth")
	q := Quote{
		InstrumentToken:   r.token(),
		LastPrice:         r.price("last_price"),
		OHLC:              OHLC{Open: ohlc.price("open"), High: ohlc.price("high"), Low: ohlc.price("low"), Close: ohlc.price("close")},
		Timestamp:         r.when("timestamp"),
		LastTradeTime:     r.when("last_trade_time"),
		LastQuantity:      r.count("last_quantity"),
		AveragePrice:      r.price("average_price"),
		Volume:            r.count("volume"),
		BuyQuantity:       r.count("buy_quantity"),
		SellQuantity:      r.count("sell_quantity"),
		OI:                r.count("oi"),
		OIDayHigh:         r.count("oi_day_high"),
		OIDayLow:          r.count("oi_day_low"),
		LowerCircuitLimit: r.price("lower_circuit_limit"),
		UpperCircuitLimit: r.price("upper_circuit_limit"),
		Depth:             Depth{Buy: readLevels(depth, "buy"), Sell: readLevels(depth, "sell")},
		Raw:               raw,
	}
	r.adopt("ohlc", ohlc)
	r.adopt("depth", depth)
	q.Problems = r.problems
	return q
}

// readLevels drops the padding: a level at price 0 is no bid at zero, it is no level.
func readLevels(depth *row, side string) []Level {
	rows, ok := list(depth.raw(side))
	if !ok {
		depth.bad(side)
	}
	levels := make([]Level, 0, len(rows))
	for _, raw := range rows {
		r := readRow(raw)
		if l := (Level{Price: r.price("price"), Quantity: r.count("quantity"), Orders: r.count("orders")}); l.Price != 0 {
			levels = append(levels, l)
		}
		depth.adopt(side, r)
	}
	return levels
}
