package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type placeInput struct {
	orderVariety
	Exchange        string `json:"exchange,omitempty" jsonschema:"Exchange to trade on." check:"enum=NSE|BSE|NFO|BFO|MCX|CDS|BCD,default=NSE"`
	TradingSymbol   string `json:"tradingsymbol" jsonschema:"Kite's symbol without the exchange, such as INFY; from market mode search." check:"form=symbol"`
	TransactionType string `json:"transaction_type" jsonschema:"BUY or SELL." check:"enum=BUY|SELL"`
	placeQuantity
	Product   string `json:"product" jsonschema:"CNC (delivery), MIS (intraday), NRML (carry derivatives) or MTF (margin funded delivery)." check:"enum=CNC|MIS|NRML|MTF"`
	OrderType string `json:"order_type" jsonschema:"MARKET, LIMIT, SL (stop loss limit) or SL-M (stop loss market)." check:"enum=MARKET|LIMIT|SL|SL-M"`
	orderTerms
	ValidityTTL     int64  `json:"validity_ttl,omitempty" jsonschema:"Life in minutes, with validity TTL." check:"min=1,max=375"`
	IcebergLegs     int64  `json:"iceberg_legs,omitempty" jsonschema:"Number of parts, with variety iceberg." check:"min=2,max=50"`
	IcebergQuantity int64  `json:"iceberg_quantity,omitempty" jsonschema:"Units of each part, with variety iceberg." check:"min=1,max=100000000"`
	Tag             string `json:"tag,omitempty" jsonschema:"Own mark, 1 to 20 letters or digits. Default: one that finds the order again." check:"form=tag"`
}

// placeQuantity is a required quantity; modify has an optional one of the same form.
type placeQuantity struct {
	Quantity int64 `json:"quantity" jsonschema:"Units (not lots), a multiple of the lot size." check:"min=1,max=100000000"`
}

func (in *placeInput) request() kite.OrderRequest {
	o := kite.OrderRequest{
		Variety: orElse(in.Variety, "regular"), Exchange: orElse(in.Exchange, "NSE"), TradingSymbol: in.TradingSymbol, TransactionType: in.TransactionType,
		Quantity: in.Quantity, Product: in.Product, OrderType: in.OrderType, Price: price(in.Price), TriggerPrice: price(in.TriggerPrice),
		Validity: orElse(in.Validity, "DAY"), ValidityTTL: in.ValidityTTL, DisclosedQuantity: in.DisclosedQuantity,
		IcebergLegs: in.IcebergLegs, IcebergQuantity: in.IcebergQuantity, MarketProtection: price(in.MarketProtection), Tag: in.Tag,
	}
	return o
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func shapeOf(o kite.OrderRequest) shape {
	return shape{
		variety: o.Variety, exchange: o.Exchange, side: o.TransactionType, product: o.Product, orderType: o.OrderType, validity: o.Validity,
		price: o.Price, trigger: o.TriggerPrice, protection: o.MarketProtection, quantity: o.Quantity, disclosed: o.DisclosedQuantity,
	}
}

// check implements checker.
func (in *placeInput) check() []string {
	o := in.request()
	wrong := in.orderTerms.check()
	wrong = append(wrong, besides(wrong, shapeOf(o).check())...)
	rule := func(broken bool, text string) {
		if broken {
			wrong = append(wrong, text)
		}
	}
	if exchange, symbol, both := strings.Cut(in.TradingSymbol, ":"); both {
		wrong = append(wrong, fmt.Sprintf("tradingsymbol: is without the exchange; write exchange %s and tradingsymbol %s", quoted(exchange), quoted(symbol)))
	}
	rule(o.Validity == "TTL" && in.ValidityTTL == 0, "validity_ttl: required for validity TTL")
	rule(o.Validity != "TTL" && in.ValidityTTL != 0, "validity_ttl: only with validity TTL")
	if o.Variety == "iceberg" {
		rule(in.IcebergLegs == 0, "iceberg_legs: required for variety iceberg")
		rule(in.IcebergQuantity == 0, "iceberg_quantity: required for variety iceberg")
		legs, each := in.IcebergLegs, in.IcebergQuantity
		rule(legs > 0 && each > 0 && in.Quantity > 0 && (legs*each < in.Quantity || (legs-1)*each >= in.Quantity), "iceberg_legs: the parts must add up to the quantity")
	} else {
		rule(in.IcebergLegs != 0, "iceberg_legs: only with variety iceberg")
		rule(in.IcebergQuantity != 0, "iceberg_quantity: only with variety iceberg")
	}
	rule(o.Variety == "auction", "variety: an auction order needs an auction number, which Kite's own apps ask for")
	return wrong
}

// placePlan is a new order that nobody has approved yet.
type placePlan struct {
	Account string
	Order   kite.OrderRequest
	at      time.Time  // on the clock of the exchange
	last    kite.Price // for an estimate; it moves, so nobody approves it
	client  *kite.Client
	wait    time.Duration // for figures
}

func ordersPlace() Mode {
	return Change("place", ModeSpec{
		Title: "Place an order", Ask: "Place this order", Effect: Destroy,
		Description: "sends a new order after the person's approval",
		Tags:        []string{"buy", "sell", "place order", "square off", "stop loss", "iceberg", "after market order"},
		Examples: []string{
			`orders {"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":1,"product":"CNC","order_type":"LIMIT","price":1500}`,
			`orders {"mode":"place","tradingsymbol":"INFY","transaction_type":"SELL","quantity":1,"product":"MIS","order_type":"MARKET"}`,
		},
	}, planPlace, applyPlace)
}

func planPlace(ctx context.Context, env *Env, in placeInput) (placePlan, error) {
	p := placePlan{Order: in.request(), at: env.Now(), wait: env.Figures}
	if p.wait == 0 {
		p.wait = 2 * time.Second
	}
	if wrong := checkInstrument(masterOf(ctx, env), shapeOf(p.Order), p.Order.TradingSymbol); len(wrong) > 0 {
		return p, invalid(wrong...)
	}
	c, account, err := accountID(ctx, env)
	if err != nil {
		return p, err
	}
	p.Account, p.client = account, c
	if p.Order.Price == 0 {
		got, err := c.LTP(ctx, []string{p.Order.ID()})
		if noLogin(err) {
			return p, err
		}
		p.last = got[p.Order.ID()].LastPrice // without it there is no estimate
	}
	return p, nil
}

// action is the order in one line.
func (p placePlan) action() string {
	o := p.Order
	parts := []string{fmt.Sprintf("%s %d %s", o.TransactionType, o.Quantity, plain(o.ID())), o.Product, o.OrderType}
	if o.Price != 0 {
		parts[2] += " at " + o.Price.String()
	}
	if o.TriggerPrice != 0 {
		parts = append(parts, "trigger "+o.TriggerPrice.String())
	}
	validity := o.Validity
	if o.ValidityTTL > 0 {
		validity += fmt.Sprintf(" %d minutes", o.ValidityTTL)
	}
	parts = append(parts, validity, o.Variety)
	if kite.AtMarket(o.OrderType) {
		parts = append(parts, protectionText(o.MarketProtection))
	}
	if o.IcebergLegs > 0 {
		parts = append(parts, fmt.Sprintf("%d parts of %d", o.IcebergLegs, o.IcebergQuantity))
	}
	if o.DisclosedQuantity > 0 {
		parts = append(parts, fmt.Sprintf("%d disclosed", o.DisclosedQuantity))
	}
	if o.Tag != "" {
		parts = append(parts, "tag "+o.Tag)
	}
	return strings.Join(parts, ", ")
}

func protectionText(p kite.Price) string {
	if p == 0 || p == kite.AutoProtection {
		return "market protection automatic"
	}
	return "market protection " + p.String() + "%"
}

// Summary implements Plan.
func (p placePlan) Summary() string {
	text := fmt.Sprintf("Account %s: %s.", p.Account, p.action())
	if p.Order.Price != 0 && valued(p.Order.Exchange) {
		text += " Value " + value(p.Order.Quantity, p.Order.Price) + " rupees."
	}
	return text
}

// aside implements asider.
func (p placePlan) aside() string {
	switch {
	case !valued(p.Order.Exchange):
		return "Its value is not known: Kite does not tell what a unit is worth there."
	case p.Order.Price != 0:
		return ""
	case p.last == 0:
		return "Its value is not known: there is no last price."
	}
	return fmt.Sprintf("Estimated value %s rupees at the last price %s.", value(p.Order.Quantity, p.last), p.last)
}

// reckon implements reckoner.
func (p placePlan) reckon(ctx context.Context) (alarm, facts string, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	price := p.last
	if p.Order.Price != 0 {
		price = p.Order.Price
	}
	f := reckon(ctx, p.client, reckoning{orders: []kite.OrderRequest{p.Order}, prices: []kite.Price{price}, positions: true})
	return f.alarm(), f.text(), f.ended
}

// Intent implements Plan.
func (p placePlan) Intent(id string) kite.Intent {
	o := p.Order
	expect := kite.ExpectPlace{Exchange: o.Exchange, Symbol: o.TradingSymbol, Side: o.TransactionType, Quantity: o.Quantity, Price: o.Price}
	if o.Variety == "iceberg" {
		expect.Quantity = 0 // the book has the parts
	}
	tag := o.Tag
	if tag == "" && id != "" {
		tag, expect.Generated = tagOf(id), true
	}
	return kite.Intent{Account: p.Account, Action: p.action(), Tag: tag, Expect: kite.Expect{Place: &expect, After: p.at}}
}

func applyPlace(ctx context.Context, env *Env, p placePlan) (orderReceipt, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return orderReceipt{}, err
	}
	order := p.Order
	order.Tag = env.intent.Tag
	got, err := c.PlaceOrder(ctx, order)
	if err != nil {
		return orderReceipt{}, err
	}
	return newReceipt(env, got), nil
}
