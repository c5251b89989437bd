package kite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Order is a row of today's order book, or one state in the history of an order. It marshals as Kite's own row.
type Order struct {
	OrderID                 string // digits, too many for a number
	ExchangeOrderID         string
	ParentOrderID           string // of the legs of a cover order and the slices of a large one
	PlacedBy                string
	Status                  string // as Kite words it; words that are new are passed on
	StatusMessage           string // why it was refused or cancelled
	StatusMessageRaw        string
	OrderTimestamp          time.Time
	ExchangeTimestamp       time.Time
	ExchangeUpdateTimestamp time.Time
	Variety                 string
	Modified                bool
	Exchange                string
	TradingSymbol           string
	InstrumentToken         uint32
	TransactionType         string // BUY or SELL
	OrderType               string
	Product                 string
	Validity                string
	ValidityTTL             int64 // minutes
	Quantity                int64
	DisclosedQuantity       int64
	FilledQuantity          int64
	PendingQuantity         int64 // not zero when a partly filled order was cancelled: use Remaining
	CancelledQuantity       int64
	Price                   Price
	TriggerPrice            Price
	AveragePrice            Price // of the fills; 0 without any
	MarketProtection        Price // percent
	Tag                     string
	Tags                    []string
	GUID                    string
	// Problems names the fields that could not be read; they are zero above and as sent in Raw.
	Problems []string
	// Raw is Kite's row, unmodified.
	Raw json.RawMessage
}

// ID returns EXCHANGE:TRADINGSYMBOL.
func (o Order) ID() string { return o.Exchange + ":" + o.TradingSymbol }

// Terminal reports whether nothing more can happen to the order. Unknown statuses are not terminal.
func (o Order) Terminal() bool {
	return o.Status == "COMPLETE" || o.Status == "CANCELLED" || o.Status == "REJECTED"
}

// Remaining returns what may still be filled. Kite's own pending quantity keeps its value in a cancelled order.
func (o Order) Remaining() int64 {
	if o.Terminal() {
		return 0
	}
	return o.Quantity - o.FilledQuantity
}

// MarshalJSON returns Raw.
func (o Order) MarshalJSON() ([]byte, error) { return rawObject(o.Raw), nil }

// Orders reads the order book, which holds today's orders only, in Kite's order.
func (c *Client) Orders(ctx context.Context) ([]Order, error) {
	raw, err := c.get(ctx, "orders", "/orders", nil, paceOther)
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "orders", readOrder)
}

// OrderHistory reads the states that one of today's orders went through, oldest first. An order that Kite does not
// have is ErrNotFound.
func (c *Client) OrderHistory(ctx context.Context, orderID string) ([]Order, error) {
	raw, err := c.getOrder(ctx, "order history", orderID, "")
	if err != nil {
		return nil, err
	}
	states, err := decodeList(raw, "order history", readOrder)
	if err == nil && len(states) == 0 {
		err = fmt.Errorf("read order history: %w", newError(KindNotFound, "Kite has no order "+orderID+" today"))
	}
	return states, err
}

func readOrder(raw json.RawMessage) Order {
	r := readRow(raw)
	o := Order{
		OrderID:                 r.id("order_id"),
		ExchangeOrderID:         r.id("exchange_order_id"),
		ParentOrderID:           r.id("parent_order_id"),
		PlacedBy:                r.text("placed_by"),
		Status:                  r.text("status"),
		StatusMessage:           r.text("status_message"),
		StatusMessageRaw:        r.text("status_message_raw"),
		OrderTimestamp:          r.when("order_timestamp"),
		ExchangeTimestamp:       r.when("exchange_timestamp"),
		ExchangeUpdateTimestamp: r.when("exchange_update_timestamp"),
		Variety:                 r.text("variety"),
		Modified:                r.flag("modified"),
		Exchange:                r.text("exchange"),
		TradingSymbol:           r.text("tradingsymbol"),
		InstrumentToken:         r.token(),
		TransactionType:         r.text("transaction_type"),
		OrderType:               r.text("order_type"),
		Product:                 r.text("product"),
		Validity:                r.text("validity"),
		ValidityTTL:             r.count("validity_ttl"),
		Quantity:                r.count("quantity"),
		DisclosedQuantity:       r.count("disclosed_quantity"),
		FilledQuantity:          r.count("filled_quantity"),
		PendingQuantity:         r.count("pending_quantity"),
		CancelledQuantity:       r.count("cancelled_quantity"),
		Price:                   r.price("price"),
		TriggerPrice:            r.price("trigger_price"),
		AveragePrice:            r.price("average_price"),
		MarketProtection:        r.price("market_protection"),
		Tag:                     r.text("tag"),
		Tags:                    r.texts("tags"),
		GUID:                    r.text("guid"),
		Raw:                     raw,
	}
	o.Problems = r.problems
	return o
}

// Trade is one fill of one of today's orders. It marshals as Kite's own row.
type Trade struct {
	TradeID           string
	OrderID           string
	ExchangeOrderID   string
	Exchange          string
	TradingSymbol     string
	InstrumentToken   uint32
	TransactionType   string // BUY or SELL
	Product           string
	Quantity          int64
	AveragePrice      Price
	FillTimestamp     time.Time
	ExchangeTimestamp time.Time
	OrderTime         string // of the day, without a date
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's row, unmodified.
	Raw json.RawMessage
}

// ID returns EXCHANGE:TRADINGSYMBOL.
func (t Trade) ID() string { return t.Exchange + ":" + t.TradingSymbol }

// MarshalJSON returns Raw.
func (t Trade) MarshalJSON() ([]byte, error) { return rawObject(t.Raw), nil }

// Trades reads all fills of today, in Kite's order.
func (c *Client) Trades(ctx context.Context) ([]Trade, error) {
	raw, err := c.get(ctx, "trades", "/trades", nil, paceOther)
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "trades", readTrade)
}

// OrderTrades reads the fills of one of today's orders; none is an empty list.
func (c *Client) OrderTrades(ctx context.Context, orderID string) ([]Trade, error) {
	raw, err := c.getOrder(ctx, "trades of an order", orderID, "/trades")
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "trades of an order", readTrade)
}

func readTrade(raw json.RawMessage) Trade {
	r := readRow(raw)
	t := Trade{
		TradeID:           r.id("trade_id"),
		OrderID:           r.id("order_id"),
		ExchangeOrderID:   r.id("exchange_order_id"),
		Exchange:          r.text("exchange"),
		TradingSymbol:     r.text("tradingsymbol"),
		InstrumentToken:   r.token(),
		TransactionType:   r.text("transaction_type"),
		Product:           r.text("product"),
		Quantity:          r.count("quantity"),
		AveragePrice:      r.price("average_price"),
		FillTimestamp:     r.when("fill_timestamp"),
		ExchangeTimestamp: r.when("exchange_timestamp"),
		OrderTime:         r.text("order_timestamp"),
		Raw:               raw,
	}
	t.Problems = r.problems
	return t
}

// ValidOrderID reports whether an id can be one of Kite's: 1 to 32 letters and digits, so that it cannot lead a path
// elsewhere.
func ValidOrderID(id string) bool {
	if len(id) < 1 || len(id) > 32 {
		return false
	}
	for _, b := range []byte(id) {
		if (b < '0' || b > '9') && (b < 'A' || b > 'Z') && (b < 'a' || b > 'z') {
			return false
		}
	}
	return true
}

func (c *Client) getOrder(ctx context.Context, what, orderID, rest string) (json.RawMessage, error) {
	if !ValidOrderID(orderID) {
		return nil, fmt.Errorf("read %s: %w", what, invalidArgument("an order id is 1 to 32 letters or digits"))
	}
	raw, err := c.get(ctx, what, "/orders/"+orderID+rest, nil, paceOther)
	return raw, orNotFound(err)
}
