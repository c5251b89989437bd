package kite

import (
	"context"
	"encoding/json"
)

// MFHolding is what is held of a mutual fund under one folio. It marshals as Kite's own row.
type MFHolding struct {
	Folio           string
	Fund            string
	TradingSymbol   string      // the ISIN
	Quantity        json.Number // units, which are fractions
	PledgedQuantity json.Number
	AveragePrice    Price // to four decimals; Raw has all of them
	LastPrice       Price // net asset value
	LastPriceDate   string
	PnL             Price
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's row, unmodified.
	Raw json.RawMessage
}

// MarshalJSON returns Raw.
func (h MFHolding) MarshalJSON() ([]byte, error) { return rawObject(h.Raw), nil }

// MFHoldings reads the mutual fund holdings, in Kite's order.
func (c *Client) MFHoldings(ctx context.Context) ([]MFHolding, error) {
	raw, err := c.get(ctx, "mutual fund holdings", "/mf/holdings", nil, paceOther)
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "mutual fund holdings", func(raw json.RawMessage) MFHolding {
		r := readRow(raw)
		h := MFHolding{
			Folio:           r.id("folio"),
			Fund:            r.text("fund"),
			TradingSymbol:   r.text("tradingsymbol"),
			Quantity:        r.exact("quantity"),
			PledgedQuantity: r.exact("pledged_quantity"),
			AveragePrice:    r.price("average_price"),
			LastPrice:       r.price("last_price"),
			LastPriceDate:   r.text("last_price_date"),
			PnL:             r.price("pnl"),
			Raw:             raw,
		}
		h.Problems = r.problems
		return h
	})
}
