package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// previewInput is one order, or a basket of them. What is wrong with an order is part of the answer.
type previewInput struct {
	placeInput
	Basket            []json.RawMessage `json:"basket,omitempty" jsonschema:"1 to 20 orders in place of one: objects of place's arguments." check:"min=1,max=20"`
	ConsiderPositions *bool             `json:"consider_positions,omitempty" jsonschema:"Whether margins count what is held." check:"default=true"`

	wrong []string // of the one order
}

// check implements checker; the orders of a basket are checked one by one.
func (in *previewInput) check() []string {
	switch {
	case in.Basket == nil:
		return in.placeInput.check()
	case in.placeInput != placeInput{}:
		return []string{"basket: has the orders; no argument of an order stands beside it"}
	}
	return nil
}

// keep implements lenient.
func (in *previewInput) keep(wrong []string) (kept, refused []string) {
	for _, w := range wrong {
		switch name, _, _ := strings.Cut(w, ":"); {
		case name == "basket" || name == "consider_positions":
			refused = append(refused, w)
		case in.Basket == nil:
			kept = append(kept, w)
		case !strings.HasSuffix(w, requiredFor("mode", "preview")):
			refused = append(refused, w)
		}
	}
	in.wrong = kept
	return kept, refused
}

// previewed is one order of the answer.
type previewed struct {
	Order          placeInput    `json:"order"`
	Violations     []string      `json:"violations"`
	EstimatedValue json.Number   `json:"estimated_value,omitempty"`
	Instrument     previewedOn   `json:"instrument,omitzero"`
	Margin         *kite.Margin  `json:"margin,omitempty"`
	Charges        *kite.Charges `json:"charges,omitempty"`
}

// previewedOn is what the rules for an order depend on.
type previewedOn struct {
	LotSize           int64      `json:"lot_size,omitempty"`
	TickSize          kite.Price `json:"tick_size,omitempty"`
	LowerCircuitLimit kite.Price `json:"lower_circuit_limit,omitempty"`
	UpperCircuitLimit kite.Price `json:"upper_circuit_limit,omitempty"`
	LastPrice         kite.Price `json:"last_price,omitempty"`
}

// purse is the money of a segment.
type purse struct {
	Enabled    bool       `json:"enabled"`
	Net        kite.Price `json:"net"`
	Collateral kite.Price `json:"collateral"` // of net, what pledged shares count for
}

type purses struct {
	Equity    purse `json:"equity"`
	Commodity purse `json:"commodity"`
}

// preview is what would happen.
type preview struct {
	Data      []previewed        `json:"data"`
	Basket    *kite.BasketMargin `json:"basket,omitempty"`
	Available *purses            `json:"available,omitempty"`
	Shortfall *shortfall         `json:"shortfall,omitempty"`
	stamp
}

func ordersPreview() Mode {
	placing := newMode[placeInput]("place", ModeSpec{})
	return Read("preview", ModeSpec{
		Title:       "Preview an order",
		Description: "violations, margin, charges and shortfall of a new order or basket; sends nothing",
		Tags:        []string{"margin", "charges", "brokerage", "funds needed", "can I afford", "hedge"},
		Examples: []string{
			`orders {"mode":"preview","tradingsymbol":"INFY","transaction_type":"BUY","quantity":1,"product":"CNC","order_type":"LIMIT","price":1800}`,
		},
	}, func(ctx context.Context, env *Env, in previewInput) (preview, error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return preview{}, err
		}
		p := &previewing{env: env, client: c, basket: in.Basket != nil, positions: in.ConsiderPositions == nil || *in.ConsiderPositions}
		if !p.basket {
			p.add(in.placeInput, in.wrong)
		}
		for _, raw := range in.Basket {
			p.add(placing.orderOf(raw))
		}
		return p.answer(ctx)
	})
}

// orderOf reads one order of a basket with the rules of place.
func (m Mode) orderOf(raw json.RawMessage) (placeInput, []string) {
	var in placeInput
	fields, err := splitObject(raw)
	if err != nil {
		return in, []string{Explain(err).Message}
	}
	wrong := fill(m.args, fields, reflect.ValueOf(&in).Elem(), "required")
	for _, name := range fields.left() {
		wrong = append(wrong, quoted(name)+": not an argument of an order")
	}
	return in, append(wrong, besides(wrong, in.check())...)
}

// previewing is a preview being made.
type previewing struct {
	env               *Env
	client            *kite.Client
	basket, positions bool
	rows              []previewed
	leftOut           []string
}

// add takes an order on as it would be sent.
func (p *previewing) add(in placeInput, wrong []string) {
	o := in.request()
	in.Variety, in.Exchange, in.Validity = o.Variety, o.Exchange, o.Validity
	if kite.AtMarket(o.OrderType) && in.MarketProtection == 0 {
		in.MarketProtection = -1
	}
	p.rows = append(p.rows, previewed{Order: in, Violations: append([]string{}, wrong...)})
}

func (p *previewing) answer(ctx context.Context) (preview, error) {
	if err := p.look(ctx); err != nil {
		return preview{}, err
	}
	out := preview{Data: p.rows}
	var valid []*previewed
	var ask reckoning
	for i := range p.rows {
		if row := &p.rows[i]; len(row.Violations) == 0 {
			valid, ask.orders, ask.prices = append(valid, row), append(ask.orders, row.Order.request()), append(ask.prices, row.price())
		}
	}
	whole := len(valid) == len(p.rows)
	ask.basket, ask.positions = p.basket && whole, p.positions && whole
	if len(valid) > 0 {
		f := reckon(ctx, p.client, ask)
		if f.ended != nil {
			return preview{}, f.ended
		}
		p.leftOut = append(p.leftOut, f.leftOut...)
		for i, row := range valid {
			row.take(f, i)
		}
		if out.Available = pursesOf(f.funds); whole {
			out.Basket, out.Shortfall = f.basket, f.shortfall()
		}
		if f.funds != nil && f.margins != nil {
			if _, known := f.usable(); !known {
				p.leftOut = append(p.leftOut, "shortfall: the orders draw on a segment that is not enabled, or on two")
			}
		}
	}
	if !whole {
		p.leftOut = append(p.leftOut, "margin, charges and basket: only of orders without violations")
	}
	out.Meta = Meta{"note": "estimates of Kite's calculators; no order was sent"}
	if len(p.leftOut) > 0 {
		out.Meta["left_out"] = p.leftOut
	}
	return out, nil
}

// look holds the orders to the instruments master and to what is quoted now.
func (p *previewing) look(ctx context.Context) error {
	master := masterOf(ctx, p.env)
	if master == nil {
		p.leftOut = append(p.leftOut, "lot_size and tick_size: the instruments master is not there; Kite checks them")
	}
	var ids []string
	for i := range p.rows {
		row := &p.rows[i]
		o := row.Order.request()
		if o.TradingSymbol == "" || strings.Contains(o.TradingSymbol, ":") { // a violation already
			continue
		}
		row.Violations = append(row.Violations, besides(row.Violations, checkInstrument(master, shapeOf(o), o.TradingSymbol))...)
		in, unknown := knownInstrument(master, o.Exchange, o.TradingSymbol)
		if in != nil {
			row.Instrument.LotSize, row.Instrument.TickSize = in.LotSize, in.TickSize
		}
		if unknown == nil {
			ids = append(ids, o.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	quotes, err := p.client.Quotes(ctx, ids)
	var f figures
	f.note("last_price and circuit limits", err)
	p.leftOut = append(p.leftOut, f.leftOut...)
	for i := range p.rows {
		row := &p.rows[i]
		row.quoted(quotes[row.Order.request().ID()])
	}
	return f.ended
}

// quoted adds what the market says about an order.
func (row *previewed) quoted(q kite.Quote) {
	o := row.Order.request()
	row.Instrument.LastPrice, row.Instrument.LowerCircuitLimit, row.Instrument.UpperCircuitLimit = q.LastPrice, q.LowerCircuitLimit, q.UpperCircuitLimit
	if price := row.price(); price != 0 && o.Quantity != 0 && valued(o.Exchange) {
		row.EstimatedValue = json.Number(strings.TrimRight(strings.TrimRight(exactValue(o.Quantity, price).FloatString(4), "0"), "."))
	}
	if q.UpperCircuitLimit == 0 || o.Variety == "amo" { // an index, no quote, or a day with limits of its own
		return
	}
	var wrong []string
	for _, p := range []struct {
		name  string
		price kite.Price
	}{{"price", o.Price}, {"trigger_price", o.TriggerPrice}} {
		switch {
		case p.price == 0:
		case p.price < q.LowerCircuitLimit:
			wrong = append(wrong, fmt.Sprintf("%s: below today's lower circuit limit %s", p.name, q.LowerCircuitLimit))
		case p.price > q.UpperCircuitLimit:
			wrong = append(wrong, fmt.Sprintf("%s: above today's upper circuit limit %s", p.name, q.UpperCircuitLimit))
		}
	}
	row.Violations = append(row.Violations, besides(row.Violations, wrong)...)
}

// price is what the order is reckoned at: its own, or the last one when it takes what the market offers; 0 of an order
// that lacks its price.
func (row *previewed) price() kite.Price {
	if o := row.Order.request(); !kite.AtMarket(o.OrderType) {
		return o.Price
	}
	return row.Instrument.LastPrice
}

// take adds the figures of the order.
func (row *previewed) take(f figures, i int) {
	if f.margins != nil {
		row.Margin = &f.margins[i]
	}
	row.Charges = f.charges[i]
}

func pursesOf(m *kite.Margins) *purses {
	if m == nil {
		return nil
	}
	purseOf := func(s kite.Segment) purse { return purse{s.Enabled, s.Net, s.Available.Collateral} }
	return &purses{purseOf(m.Equity), purseOf(m.Commodity)}
}
