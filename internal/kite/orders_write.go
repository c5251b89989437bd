package kite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// AutoProtection leaves the market protection of an order to Kite.
const AutoProtection = Price(-1 * priceScale)

// OrderRequest is a new order. Fields that are zero are not sent.
type OrderRequest struct {
	Variety           string `json:"variety"` // regular, co, amo, iceberg or auction
	Exchange          string `json:"exchange"`
	TradingSymbol     string `json:"tradingsymbol"`
	TransactionType   string `json:"transaction_type"` // BUY or SELL
	Quantity          int64  `json:"quantity"`
	Product           string `json:"product"`
	OrderType         string `json:"order_type"`
	Price             Price  `json:"price"`
	TriggerPrice      Price  `json:"trigger_price"`
	Validity          string `json:"validity"`
	ValidityTTL       int64  `json:"validity_ttl"` // minutes
	DisclosedQuantity int64  `json:"disclosed_quantity"`
	IcebergLegs       int64  `json:"iceberg_legs"`
	IcebergQuantity   int64  `json:"iceberg_quantity"`
	MarketProtection  Price  `json:"market_protection"` // percent; 0 is AutoProtection where one is needed
	Tag               string `json:"tag"`
}

// ID returns EXCHANGE:TRADINGSYMBOL.
func (o OrderRequest) ID() string { return o.Exchange + ":" + o.TradingSymbol }

// AtMarket reports whether an order type has no limit price, which Kite takes only with market protection.
func AtMarket(orderType string) bool { return orderType == "MARKET" || orderType == "SL-M" }

func (o OrderRequest) form() url.Values {
	protection := o.MarketProtection
	if AtMarket(o.OrderType) && protection == 0 {
		protection = AutoProtection
	}
	f := url.Values{}
	add(f, "exchange", o.Exchange)
	add(f, "tradingsymbol", o.TradingSymbol)
	add(f, "transaction_type", o.TransactionType)
	add(f, "quantity", number(o.Quantity))
	add(f, "product", o.Product)
	add(f, "order_type", o.OrderType)
	add(f, "price", amount(o.Price))
	add(f, "trigger_price", amount(o.TriggerPrice))
	add(f, "validity", o.Validity)
	add(f, "validity_ttl", number(o.ValidityTTL))
	add(f, "disclosed_quantity", number(o.DisclosedQuantity))
	add(f, "iceberg_legs", number(o.IcebergLegs))
	add(f, "iceberg_quantity", number(o.IcebergQuantity))
	add(f, "market_protection", amount(protection))
	add(f, "tag", o.Tag)
	return f
}

func add(f url.Values, name, value string) {
	if value != "" {
		f.Set(name, value)
	}
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func amount(p Price) string {
	if p == 0 {
		return ""
	}
	return p.String()
}

// OrderChange is a modification of an order that is pending. What is zero is not sent and stays as it is.
type OrderChange struct {
	Variety           string `json:"variety"`
	OrderID           string `json:"order_id"`
	OrderType         string `json:"order_type,omitempty"`
	Quantity          int64  `json:"quantity,omitempty"`
	Price             Price  `json:"price,omitempty"`
	TriggerPrice      Price  `json:"trigger_price,omitempty"`
	Validity          string `json:"validity,omitempty"`
	ValidityTTL       int64  `json:"validity_ttl,omitempty"`
	DisclosedQuantity int64  `json:"disclosed_quantity,omitempty"`
	MarketProtection  Price  `json:"market_protection,omitempty"`
}

func (o OrderChange) form() url.Values {
	f := url.Values{}
	add(f, "order_type", o.OrderType)
	add(f, "quantity", number(o.Quantity))
	add(f, "price", amount(o.Price))
	add(f, "trigger_price", amount(o.TriggerPrice))
	add(f, "validity", o.Validity)
	add(f, "validity_ttl", number(o.ValidityTTL))
	add(f, "disclosed_quantity", number(o.DisclosedQuantity))
	add(f, "market_protection", amount(o.MarketProtection))
	return f
}

// Made reports whether an order looks as the change wants it.
func (o OrderChange) Made(row Order) bool {
	return fits(o.OrderType, row.OrderType) && fits(o.Quantity, row.Quantity) && fits(o.Price, row.Price) &&
		fits(o.TriggerPrice, row.TriggerPrice) && fits(o.Validity, row.Validity) && fits(o.ValidityTTL, row.ValidityTTL) &&
		fits(o.DisclosedQuantity, row.DisclosedQuantity)
}

func fits[T comparable](want, is T) bool {
	var nothing T
	return want == nothing || want == is
}

// OrderReceipt is what Kite answers to a change of an order: that it was received, not that it was accepted.
type OrderReceipt struct {
	OrderID  string       `json:"order_id"`
	Children []OrderChild `json:"children,omitempty"` // further orders that Kite made of a large one
}

// OrderChild is one further order, or why there is none.
type OrderChild struct {
	OrderID string          `json:"order_id,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// PlaceOrder sends a new order, once. ErrOutcomeUnknown means that the order may exist.
func (c *Client) PlaceOrder(ctx context.Context, o OrderRequest) (OrderReceipt, error) {
	if !ValidVariety(o.Variety) {
		return OrderReceipt{}, fmt.Errorf("place order: %w", invalidArgument("unknown variety of an order"))
	}
	return c.sendOrder(ctx, "place order", http.MethodPost, "/orders/"+o.Variety, o.form())
}

// ModifyOrder sends a change of a pending order, once. ErrOutcomeUnknown means that the order may have changed.
func (c *Client) ModifyOrder(ctx context.Context, o OrderChange) (OrderReceipt, error) {
	if !ValidVariety(o.Variety) || !ValidOrderID(o.OrderID) {
		return OrderReceipt{}, fmt.Errorf("modify order: %w", invalidArgument("unknown variety or malformed order id"))
	}
	return c.sendOrder(ctx, "modify order", http.MethodPut, "/orders/"+o.Variety+"/"+o.OrderID, o.form())
}

// CancelOrder cancels what is left of a pending order, once. ErrOutcomeUnknown means that it may be cancelled.
func (c *Client) CancelOrder(ctx context.Context, variety, orderID string) (OrderReceipt, error) {
	if !ValidVariety(variety) || !ValidOrderID(orderID) {
		return OrderReceipt{}, fmt.Errorf("cancel order: %w", invalidArgument("unknown variety or malformed order id"))
	}
	return c.sendOrder(ctx, "cancel order", http.MethodDelete, "/orders/"+variety+"/"+orderID, nil)
}

// sendOrder sends and reads the receipt. A success without an order id is no proof of an order.
func (c *Client) sendOrder(ctx context.Context, what, method, path string, form url.Values) (OrderReceipt, error) {
	raw, err := c.send(ctx, what, method, path, nil, form)
	if err != nil {
		return OrderReceipt{}, err
	}
	r := readRow(raw)
	receipt := OrderReceipt{OrderID: r.id("order_id")}
	var more struct {
		Children []OrderChild `json:"children"`
	}
	if json.Unmarshal(raw, &more) == nil {
		receipt.Children = more.Children
	}
	if !ValidOrderID(receipt.OrderID) {
		return OrderReceipt{}, fmt.Errorf("%s: %w", what, outcomeOf(newError(KindUpstreamUnavailable, "Kite's answer names no order")))
	}
	return receipt, nil
}

// ValidVariety reports whether Kite has orders of that variety.
func ValidVariety(s string) bool {
	switch s {
	case "regular", "co", "amo", "iceberg", "auction":
		return true
	}
	return false
}
