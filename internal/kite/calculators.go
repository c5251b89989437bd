package kite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// The calculators say what orders would bind and cost. They change nothing, so their calls are paced, bounded and
// repeated like reads. What they answer is Kite's reckoning at that moment, in rupees; nothing here adds to it.

// Margin is what one order or a basket would bind. It marshals as the parts that are not zero, in Kite's own digits.
type Margin struct {
	Segment string // equity or commodity; "" in the sums of a basket
	Total   Price
	parts   json.RawMessage
}

// MarshalJSON returns the parts.
func (m Margin) MarshalJSON() ([]byte, error) { return rawObject(m.parts), nil }

// BasketMargin is what several orders would bind: one by one, and together with the benefit of hedges.
type BasketMargin struct {
	Initial Margin `json:"initial"`
	Final   Margin `json:"final"`
}

// Charges is what an order would cost besides its value. It marshals as the parts that are not zero, in Kite's own digits.
type Charges struct {
	Total Price
	parts json.RawMessage
}

// MarshalJSON returns the parts.
func (c Charges) MarshalJSON() ([]byte, error) { return rawObject(c.parts), nil }

// PricedOrder is an order and the price that its charges are reckoned at.
type PricedOrder struct {
	OrderRequest
	At Price
}

// calcOrder is an order as the margin calculators take it. Only a market protection that somebody chose is sent: they
// are not documented to know the field.
type calcOrder struct {
	Exchange         string `json:"exchange"`
	TradingSymbol    string `json:"tradingsymbol"`
	TransactionType  string `json:"transaction_type"`
	Variety          string `json:"variety"`
	Product          string `json:"product"`
	OrderType        string `json:"order_type"`
	Quantity         int64  `json:"quantity"`
	Price            Price  `json:"price"`
	TriggerPrice     Price  `json:"trigger_price"`
	MarketProtection Price  `json:"market_protection,omitempty"`
}

// chargedOrder is an order as the charges calculator takes it: one that was filled, so it wants an id too.
type chargedOrder struct {
	OrderID         string `json:"order_id"`
	Exchange        string `json:"exchange"`
	TradingSymbol   string `json:"tradingsymbol"`
	TransactionType string `json:"transaction_type"`
	Variety         string `json:"variety"`
	Product         string `json:"product"`
	OrderType       string `json:"order_type"`
	Quantity        int64  `json:"quantity"`
	AveragePrice    Price  `json:"average_price"`
}

func calcOrders(orders []OrderRequest) []calcOrder {
	out := make([]calcOrder, 0, len(orders))
	for _, o := range orders {
		c := calcOrder{
			Exchange: o.Exchange, TradingSymbol: o.TradingSymbol, TransactionType: o.TransactionType, Variety: o.Variety, Product: o.Product,
			OrderType: o.OrderType, Quantity: o.Quantity, Price: o.Price, TriggerPrice: o.TriggerPrice,
		}
		if o.MarketProtection != AutoProtection {
			c.MarketProtection = o.MarketProtection
		}
		out = append(out, c)
	}
	return out
}

// OrderMargins asks what each order alone would bind, whatever else is held. The answer is in the order of the orders.
func (c *Client) OrderMargins(ctx context.Context, orders []OrderRequest) ([]Margin, error) {
	const what = "margins of orders"
	raw, err := c.calculate(ctx, what, "/margins/orders", nil, calcOrders(orders))
	if err != nil {
		return nil, err
	}
	return calcRows(what, raw, orders, readMargin)
}

// BasketMargins asks what orders would bind together, with or without regard to the positions that are held.
func (c *Client) BasketMargins(ctx context.Context, orders []OrderRequest, considerPositions bool) (BasketMargin, error) {
	const what = "margins of a basket"
	query := url.Values{"consider_positions": {strconv.FormatBool(considerPositions)}, "mode": {"compact"}}
	raw, err := c.calculate(ctx, what, "/margins/basket", query, calcOrders(orders))
	if err != nil {
		return BasketMargin{}, err
	}
	r := readRow(raw)
	initial, ok := readMargin(r.object("initial"))
	final, ok2 := readMargin(r.object("final"))
	if !ok || !ok2 {
		return BasketMargin{}, unusableAnswer(what)
	}
	return BasketMargin{Initial: initial, Final: final}, nil
}

// OrderCharges asks what each order would cost in brokerage, taxes and fees. The answer is in the order of the orders.
func (c *Client) OrderCharges(ctx context.Context, orders []PricedOrder) ([]Charges, error) {
	const what = "charges of orders"
	body, plain := make([]chargedOrder, 0, len(orders)), make([]OrderRequest, 0, len(orders))
	for i, o := range orders {
		body = append(body, chargedOrder{
			OrderID: strconv.Itoa(i + 1), Exchange: o.Exchange, TradingSymbol: o.TradingSymbol, TransactionType: o.TransactionType, Variety: o.Variety,
			Product: o.Product, OrderType: o.OrderType, Quantity: o.Quantity, AveragePrice: o.At,
		})
		plain = append(plain, o.OrderRequest)
	}
	raw, err := c.calculate(ctx, what, "/charges/orders", nil, body)
	if err != nil {
		return nil, err
	}
	return calcRows(what, raw, plain, readCharges)
}

// calculate makes one POST that changes nothing.
func (c *Client) calculate(ctx context.Context, what, path string, query url.Values, orders any) (json.RawMessage, error) {
	body, err := json.Marshal(orders)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, newError(KindInternal, "the request to Kite could not be built"))
	}
	return c.do(ctx, what, paceOther, func(ctx context.Context) answer {
		req, err := c.newRequest(ctx, path, query)
		if err != nil {
			return answer{}
		}
		req.Method = http.MethodPost
		req.Body, req.ContentLength = readCloser{strings.NewReader(string(body))}, int64(len(body))
		req.Header.Set("Content-Type", "application/json")
		resp, a := c.exchange(ctx, req)
		_ = resp.Body.Close()
		return a
	})
}

// calcRows reads an answer row by row and makes sure that it is about the orders that were asked about: a figure that
// stands beside the wrong order is worse than none.
func calcRows[T any](what string, raw json.RawMessage, orders []OrderRequest, read func(*row) (T, bool)) ([]T, error) {
	all, ok := list(raw)
	if !ok || len(all) != len(orders) {
		return nil, unusableAnswer(what)
	}
	out := make([]T, 0, len(all))
	for i, one := range all {
		r := readRow(one)
		if r.text("exchange") != orders[i].Exchange || r.text("tradingsymbol") != orders[i].TradingSymbol {
			return nil, unusableAnswer(what)
		}
		v, ok := read(r)
		if !ok {
			return nil, unusableAnswer(what)
		}
		out = append(out, v)
	}
	return out, nil
}

func unusableAnswer(what string) error {
	return fmt.Errorf("read %s: %w", what, newError(KindUpstreamUnavailable, "Kite's answer about the "+what+" cannot be used"))
}

func readMargin(r *row) (m Margin, ok bool) {
	total, ok := readTotal(r)
	return Margin{Segment: r.text("type"), Total: total, parts: parts(r, "total", "var", "span", "exposure", "option_premium", "additional", "leverage")}, ok
}

func readCharges(r *row) (c Charges, ok bool) {
	charges := r.object("charges")
	total, ok := readTotal(charges)
	gst := member{key: []byte("gst"), value: charges.object("gst").raw("total")}
	charges.fields = append(charges.fields, gst) // the last one counts; the sum is what a person asks for
	return Charges{Total: total, parts: parts(charges, "total", "brokerage", "transaction_tax", "exchange_turnover_charge", "sebi_turnover_charge", "stamp_duty", "gst")}, ok
}

// readTotal reads the one number that must be there: its absence is not zero.
func readTotal(r *row) (Price, bool) {
	return r.price("total"), readAmount(r, "total") && len(r.problems) == 0
}

// readAmount reports whether a field is an amount that can be reckoned with: a number, and one that a few others can be
// added to. No account has a hundred million million rupees.
func readAmount(r *row, key string) bool {
	const most = 100_000_000_000_000 * priceScale
	units, ok := parseDecimal(r.number(key))
	return ok && json.Valid(r.number(key)) && units <= most && units >= -most
}

// parts picks numbers out of an object, the first always and the others when they are not zero.
func parts(r *row, names ...string) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range names {
		digits := r.number(name)
		if units, ok := parseDecimal(digits); !ok || units == 0 && i > 0 || !json.Valid(digits) {
			continue
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`"` + name + `":`)
		out.Write(digits)
	}
	out.WriteByte('}')
	return out.Bytes()
}
