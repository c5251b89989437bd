package kite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// GTTRequest is a trigger as it is to be: new, or in place of another.
type GTTRequest struct {
	Type          string   `json:"type"` // single or two-leg
	Exchange      string   `json:"exchange"`
	TradingSymbol string   `json:"tradingsymbol"`
	LastPrice     Price    `json:"last_price"` // now; Kite reckons from it on which side a trigger waits
	Legs          []GTTLeg `json:"legs"`       // ascending by trigger
}

// GTTLeg is one price to wait for and the limit order that is placed then.
type GTTLeg struct {
	Trigger         Price  `json:"trigger"`
	TransactionType string `json:"transaction_type"`
	Product         string `json:"product"`
	Quantity        int64  `json:"quantity"`
	Price           Price  `json:"price"`
}

// ID returns EXCHANGE:TRADINGSYMBOL.
func (g GTTRequest) ID() string { return g.Exchange + ":" + g.TradingSymbol }

// Request returns the trigger as a request that would change nothing but its last price.
func (g GTT) Request() GTTRequest {
	r := GTTRequest{Type: g.Type, Exchange: g.Condition.Exchange, TradingSymbol: g.Condition.TradingSymbol, LastPrice: g.Condition.LastPrice}
	for i, o := range g.Orders {
		leg := GTTLeg{TransactionType: o.TransactionType, Product: o.Product, Quantity: o.Quantity, Price: o.Price}
		if i < len(g.Condition.TriggerValues) {
			leg.Trigger = g.Condition.TriggerValues[i]
		}
		r.Legs = append(r.Legs, leg)
	}
	return r
}

// Made reports whether a trigger is as the request wants it. The last price is of the moment and not compared.
func (g GTTRequest) Made(row GTT) bool {
	is := row.Request()
	return is.Type == g.Type && is.Exchange == g.Exchange && is.TradingSymbol == g.TradingSymbol && slices.Equal(is.Legs, g.Legs)
}

func (g GTTRequest) form() (url.Values, error) {
	type order struct {
		Exchange        string `json:"exchange"`
		TradingSymbol   string `json:"tradingsymbol"`
		TransactionType string `json:"transaction_type"`
		Quantity        int64  `json:"quantity"`
		OrderType       string `json:"order_type"`
		Product         string `json:"product"`
		Price           Price  `json:"price"`
	}
	values, orders := []Price{}, []order{}
	for _, l := range g.Legs {
		values = append(values, l.Trigger)
		orders = append(orders, order{g.Exchange, g.TradingSymbol, l.TransactionType, l.Quantity, "LIMIT", l.Product, l.Price})
	}
	condition, err := json.Marshal(struct {
		Exchange      string  `json:"exchange"`
		TradingSymbol string  `json:"tradingsymbol"`
		TriggerValues []Price `json:"trigger_values"`
		LastPrice     Price   `json:"last_price"`
	}{g.Exchange, g.TradingSymbol, values, g.LastPrice})
	if err != nil {
		return nil, fmt.Errorf("encode GTT condition: %w", err)
	}
	legs, err := json.Marshal(orders)
	if err != nil {
		return nil, fmt.Errorf("encode GTT orders: %w", err)
	}
	return url.Values{"type": {g.Type}, "condition": {string(condition)}, "orders": {string(legs)}}, nil
}

// PlaceGTT sends a new trigger, once, and returns its id. ErrOutcomeUnknown means that the trigger may exist.
func (c *Client) PlaceGTT(ctx context.Context, g GTTRequest) (int64, error) {
	form, err := g.form()
	if err != nil {
		return 0, err
	}
	return c.sendGTT(ctx, "place GTT trigger", http.MethodPost, "/gtt/triggers", form)
}

// ModifyGTT replaces a trigger, once. ErrOutcomeUnknown means that it may be replaced.
func (c *Client) ModifyGTT(ctx context.Context, id int64, g GTTRequest) (int64, error) {
	form, err := g.form()
	if err != nil {
		return 0, err
	}
	return c.sendGTT(ctx, "modify GTT trigger", http.MethodPut, "/gtt/triggers/"+strconv.FormatInt(id, 10), form)
}

// DeleteGTT removes a trigger, once. ErrOutcomeUnknown means that it may be gone.
func (c *Client) DeleteGTT(ctx context.Context, id int64) (int64, error) {
	return c.sendGTT(ctx, "delete GTT trigger", http.MethodDelete, "/gtt/triggers/"+strconv.FormatInt(id, 10), nil)
}

func (c *Client) sendGTT(ctx context.Context, what, method, path string, form url.Values) (int64, error) {
	raw, err := c.send(ctx, what, method, path, nil, form)
	if err != nil {
		return 0, err
	}
	id := readRow(raw).count("trigger_id")
	if id < 1 {
		return 0, fmt.Errorf("%s: %w", what, outcomeOf(newError(KindUpstreamUnavailable, "Kite's answer names no trigger")))
	}
	return id, nil
}
