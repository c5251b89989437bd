package kite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	kiteconnect "github.com/zerodha/gokiteconnect/v4"
)

// Holding is one row of the demat holdings. It marshals as Kite's own row.
type Holding struct {
	Exchange            string
	TradingSymbol       string
	InstrumentToken     uint32
	ISIN                string
	Product             string
	Quantity            int64 // settled and still held
	T1Quantity          int64 // bought, not delivered yet; not part of Quantity
	UsedQuantity        int64 // sold or blocked today
	OpeningQuantity     int64
	RealisedQuantity    int64
	AuthorisedQuantity  int64
	AuthorisedDate      time.Time
	CollateralQuantity  int64 // pledged
	CollateralType      string
	Discrepancy         bool  // AveragePrice is not reliable
	AveragePrice        Price // 0 means unknown
	LastPrice           Price
	ClosePrice          Price // of the previous day
	PnL                 Price
	DayChange           Price // per share
	DayChangePercentage Price // percent, to four decimals
	MTF                 MTF
	// Problems names the fields that could not be read; they are zero above and as sent in Raw.
	Problems []string
	// Raw is Kite's row, unmodified.
	Raw json.RawMessage
}

// MTF is the margin-funded part of a holding. It is separate from Quantity and not in PnL.
type MTF struct {
	Quantity      int64
	UsedQuantity  int64
	AveragePrice  Price
	Value         Price
	InitialMargin Price
}

// ID returns EXCHANGE:TRADINGSYMBOL.
func (h Holding) ID() string { return h.Exchange + ":" + h.TradingSymbol }

// Total returns all shares that belong to the holder, delivered or not.
func (h Holding) Total() int64 { return h.Quantity + h.T1Quantity }

// MarshalJSON returns Raw.
func (h Holding) MarshalJSON() ([]byte, error) { return rawObject(h.Raw), nil }

// Holdings reads all demat holdings in Kite's order.
func (c *Client) Holdings(ctx context.Context) ([]Holding, error) {
	raw, err := c.get(ctx, "holdings", "/portfolio/holdings", nil, paceOther)
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "holdings", readHolding)
}

func readHolding(raw json.RawMessage) Holding {
	r := readRow(raw)
	mtf := r.object("mtf")
	h := Holding{
		Exchange:            r.text("exchange"),
		TradingSymbol:       r.text("tradingsymbol"),
		InstrumentToken:     r.token(),
		ISIN:                r.text("isin"),
		Product:             r.text("product"),
		Quantity:            r.count("quantity"),
		T1Quantity:          r.count("t1_quantity"),
		UsedQuantity:        r.count("used_quantity"),
		OpeningQuantity:     r.count("opening_quantity"),
		RealisedQuantity:    r.count("realised_quantity"),
		AuthorisedQuantity:  r.count("authorised_quantity"),
		AuthorisedDate:      r.when("authorised_date"),
		CollateralQuantity:  r.count("collateral_quantity"),
		CollateralType:      r.text("collateral_type"),
		Discrepancy:         r.flag("discrepancy"),
		AveragePrice:        r.price("average_price"),
		LastPrice:           r.price("last_price"),
		ClosePrice:          r.price("close_price"),
		PnL:                 r.price("pnl"),
		DayChange:           r.price("day_change"),
		DayChangePercentage: r.price("day_change_percentage"),
		MTF: MTF{
			Quantity:      mtf.count("quantity"),
			UsedQuantity:  mtf.count("used_quantity"),
			AveragePrice:  mtf.price("average_price"),
			Value:         mtf.price("value"),
			InitialMargin: mtf.price("initial_margin"),
		},
		Raw: raw,
	}
	r.adopt("mtf", mtf)
	h.Problems = r.problems
	return h
}

// HoldingCompact is a holding without prices. It marshals as Kite's own row.
type HoldingCompact struct {
	Exchange        string
	TradingSymbol   string
	InstrumentToken uint32
	T1Quantity      int64
	Quantity        int64
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's row, unmodified.
	Raw json.RawMessage
}

// MarshalJSON returns Raw.
func (h HoldingCompact) MarshalJSON() ([]byte, error) { return rawObject(h.Raw), nil }

// HoldingsCompact reads all holdings without prices.
func (c *Client) HoldingsCompact(ctx context.Context) ([]HoldingCompact, error) {
	raw, err := c.viaLibrary(ctx, "compact holdings", func(lib *kiteconnect.Client) { _, _ = lib.GetHoldingsCompact() })
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "compact holdings", func(raw json.RawMessage) HoldingCompact {
		r := readRow(raw)
		h := HoldingCompact{
			Exchange:        r.text("exchange"),
			TradingSymbol:   r.text("tradingsymbol"),
			InstrumentToken: r.token(),
			T1Quantity:      r.count("t1_quantity"),
			Quantity:        r.count("quantity"),
			Raw:             raw,
		}
		h.Problems = r.problems
		return h
	})
}

// Position is what is held (net) or was traded today (day) in one instrument and product. It marshals as Kite's own row.
type Position struct {
	Exchange          string
	TradingSymbol     string
	InstrumentToken   uint32
	Product           string
	Quantity          int64 // below zero is short, zero is closed
	OvernightQuantity int64
	Multiplier        Price // money per unit of price; 1 outside commodities and currencies
	AveragePrice      Price
	ClosePrice        Price
	LastPrice         Price
	Value             Price
	PnL               Price
	M2M               Price
	Unrealised        Price
	Realised          Price
	BuyQuantity       int64
	BuyPrice          Price
	BuyValue          Price
	BuyM2M            Price
	SellQuantity      int64
	SellPrice         Price
	SellValue         Price
	SellM2M           Price
	DayBuyQuantity    int64
	DayBuyPrice       Price
	DayBuyValue       Price
	DaySellQuantity   int64
	DaySellPrice      Price
	DaySellValue      Price
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's row, unmodified.
	Raw json.RawMessage
}

// ID returns EXCHANGE:TRADINGSYMBOL.
func (p Position) ID() string { return p.Exchange + ":" + p.TradingSymbol }

// MarshalJSON returns Raw.
func (p Position) MarshalJSON() ([]byte, error) { return rawObject(p.Raw), nil }

// Positions holds the two views of the same trades. Adding them up would count everything twice.
type Positions struct {
	Net []Position `json:"net"` // what is held now, including overnight
	Day []Position `json:"day"` // what today's trades alone came to
}

// Positions reads both views.
func (c *Client) Positions(ctx context.Context) (Positions, error) {
	raw, err := c.get(ctx, "positions", "/portfolio/positions", nil, paceOther)
	if err != nil {
		return Positions{}, err
	}
	var views struct {
		Net json.RawMessage `json:"net"`
		Day json.RawMessage `json:"day"`
	}
	// An empty account may answer with an empty list in place of the object.
	if rows, isList := list(raw); (!isList || len(rows) > 0) && json.Unmarshal(raw, &views) != nil {
		return Positions{}, unreadableList("positions")
	}
	net, err := decodeList(views.Net, "positions", readPosition)
	if err != nil {
		return Positions{}, err
	}
	day, err := decodeList(views.Day, "positions", readPosition)
	if err != nil {
		return Positions{}, err
	}
	return Positions{Net: net, Day: day}, nil
}

func readPosition(raw json.RawMessage) Position {
	r := readRow(raw)
	p := Position{
		Exchange:          r.text("exchange"),
		TradingSymbol:     r.text("tradingsymbol"),
		InstrumentToken:   r.token(),
		Product:           r.text("product"),
		Quantity:          r.count("quantity"),
		OvernightQuantity: r.count("overnight_quantity"),
		Multiplier:        r.price("multiplier"),
		AveragePrice:      r.price("average_price"),
		ClosePrice:        r.price("close_price"),
		LastPrice:         r.price("last_price"),
		Value:             r.price("value"),
		PnL:               r.price("pnl"),
		M2M:               r.price("m2m"),
		Unrealised:        r.price("unrealised"),
		Realised:          r.price("realised"),
		BuyQuantity:       r.count("buy_quantity"),
		BuyPrice:          r.price("buy_price"),
		BuyValue:          r.price("buy_value"),
		BuyM2M:            r.price("buy_m2m"),
		SellQuantity:      r.count("sell_quantity"),
		SellPrice:         r.price("sell_price"),
		SellValue:         r.price("sell_value"),
		SellM2M:           r.price("sell_m2m"),
		DayBuyQuantity:    r.count("day_buy_quantity"),
		DayBuyPrice:       r.price("day_buy_price"),
		DayBuyValue:       r.price("day_buy_value"),
		DaySellQuantity:   r.count("day_sell_quantity"),
		DaySellPrice:      r.price("day_sell_price"),
		DaySellValue:      r.price("day_sell_value"),
		Raw:               raw,
	}
	p.Problems = r.problems
	return p
}

// decodeList reads every element on its own, so that a bad one spoils nothing else. The result is never nil. An empty
// object stands for an empty list in answers of empty accounts.
func decodeList[T any](raw json.RawMessage, what string, read func(json.RawMessage) T) ([]T, error) {
	rows, ok := list(raw)
	if !ok && string(raw) != "{}" {
		return nil, unreadableList(what)
	}
	out := make([]T, 0, len(rows))
	for _, r := range rows {
		out = append(out, read(r))
	}
	return out, nil
}

func unreadableList(what string) error {
	return fmt.Errorf("read %s: %w", what, newError(KindUpstreamUnavailable, "Kite sent "+what+" that cannot be read"))
}
