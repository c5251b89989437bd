package kite

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// GTT is a good-till-triggered order: one condition that waits at the broker and the orders it places, once. It
// marshals as Kite's own object.
type GTT struct {
	ID            int64
	UserID        string
	Type          string // single or two-leg
	Status        string // triggered says that orders were placed, not that they were filled
	Condition     GTTCondition
	Orders        []GTTOrder // the i-th belongs to the i-th trigger value
	ParentTrigger int64      // 0 when there is none
	CreatedAt     time.Time
	UpdatedAt     time.Time
	ExpiresAt     time.Time
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's object, unmodified.
	Raw json.RawMessage
}

// GTTCondition is what a trigger waits for.
type GTTCondition struct {
	Exchange        string
	TradingSymbol   string
	InstrumentToken uint32
	LastPrice       Price // when the trigger was placed, not now
	TriggerValues   []Price
}

// ID returns EXCHANGE:TRADINGSYMBOL.
func (c GTTCondition) ID() string { return c.Exchange + ":" + c.TradingSymbol }

// GTTOrder is one order of a trigger.
type GTTOrder struct {
	Exchange        string
	TradingSymbol   string
	TransactionType string // BUY or SELL
	Product         string
	OrderType       string
	Quantity        int64
	Price           Price
	Result          *GTTResult // nil until the trigger fired
}

// GTTResult is what became of placing the order of a fired trigger.
type GTTResult struct {
	Status          string // success or failed
	OrderID         string // empty when it failed
	RejectionReason string
	TriggeredAt     Price
	Timestamp       time.Time
}

// MarshalJSON returns Raw.
func (g GTT) MarshalJSON() ([]byte, error) { return rawObject(g.Raw), nil }

// GTTs reads all triggers that Kite still lists, in Kite's order.
func (c *Client) GTTs(ctx context.Context) ([]GTT, error) {
	raw, err := c.get(ctx, "GTT triggers", "/gtt/triggers", nil, paceOther)
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "GTT triggers", readGTT)
}

// GTT reads one trigger. One that Kite does not have is ErrNotFound.
func (c *Client) GTT(ctx context.Context, id int64) (GTT, error) {
	if id < 1 {
		return GTT{}, fmt.Errorf("read GTT trigger: %w", invalidArgument("a trigger id is a whole number of at least 1"))
	}
	raw, err := c.get(ctx, "GTT trigger", "/gtt/triggers/"+strconv.FormatInt(id, 10), nil, paceOther)
	if err != nil {
		return GTT{}, orNotFound(err)
	}
	g := readGTT(raw)
	if g.ID == 0 {
		return GTT{}, fmt.Errorf("read GTT trigger: %w", emptyAnswer("GTT trigger"))
	}
	return g, nil
}

func readGTT(raw json.RawMessage) GTT {
	r := readRow(raw)
	g := GTT{
		ID:            r.count("id"),
		UserID:        r.text("user_id"),
		Type:          r.text("type"),
		Status:        r.text("status"),
		ParentTrigger: r.count("parent_trigger"),
		CreatedAt:     r.when("created_at"),
		UpdatedAt:     r.when("updated_at"),
		ExpiresAt:     r.when("expires_at"),
		Raw:           raw,
	}
	condition := r.object("condition")
	g.Condition = GTTCondition{
		Exchange:        condition.text("exchange"),
		TradingSymbol:   condition.text("tradingsymbol"),
		InstrumentToken: condition.token(),
		LastPrice:       condition.price("last_price"),
		TriggerValues:   condition.prices("trigger_values"),
	}
	r.adopt("condition", condition)
	orders, ok := list(r.raw("orders"))
	if !ok {
		r.bad("orders")
	}
	for i, raw := range orders {
		o := readRow(raw)
		g.Orders = append(g.Orders, readGTTOrder(o))
		r.adopt("orders."+strconv.Itoa(i), o)
	}
	g.Problems = r.problems
	return g
}

func readGTTOrder(r *row) GTTOrder {
	o := GTTOrder{
		Exchange:        r.text("exchange"),
		TradingSymbol:   r.text("tradingsymbol"),
		TransactionType: r.text("transaction_type"),
		Product:         r.text("product"),
		OrderType:       r.text("order_type"),
		Quantity:        r.count("quantity"),
		Price:           r.price("price"),
	}
	if !r.has("result") {
		return o
	}
	result := r.object("result")
	outcome := result.object("order_result")
	o.Result = &GTTResult{
		Status:          outcome.text("status"),
		OrderID:         outcome.id("order_id"),
		RejectionReason: outcome.text("rejection_reason"),
		TriggeredAt:     result.price("triggered_at"),
		Timestamp:       result.when("timestamp"),
	}
	result.adopt("order_result", outcome)
	r.adopt("result", result)
	return o
}
