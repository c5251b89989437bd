package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type placeGTTInput struct {
	Exchange        string `json:"exchange,omitempty" jsonschema:"Exchange of the instrument. Default of place: NSE." check:"enum=NSE|BSE|NFO|BFO|MCX|CDS"`
	TradingSymbol   string `json:"tradingsymbol" jsonschema:"Kite's symbol without the exchange, such as INFY; from market mode search." check:"form=symbol"`
	TransactionType string `json:"transaction_type" jsonschema:"BUY or SELL, of both legs." check:"enum=BUY|SELL"`
	Product         string `json:"product" jsonschema:"CNC (delivery), NRML (carry derivatives) or MTF (margin funded delivery)." check:"enum=CNC|NRML|MTF"`
	TriggerType     string `json:"trigger_type" jsonschema:"single (one price) or two-leg (one below and one above, whichever comes first)." check:"enum=single|two-leg"`
	gttTerms
}

// check implements checker.
func (in *placeGTTInput) check() []string {
	wrong := in.gttTerms.check()
	if in.TriggerType != "" {
		wrong = append(wrong, in.of(in.TriggerType, true)...)
	}
	return wrong
}

func (in *placeGTTInput) request() kite.GTTRequest {
	r := kite.GTTRequest{Type: in.TriggerType, Exchange: orElse(in.Exchange, "NSE"), TradingSymbol: in.TradingSymbol, LastPrice: price(in.LastPrice)}
	for range legsOf(in.TriggerType) {
		r.Legs = append(r.Legs, kite.GTTLeg{TransactionType: in.TransactionType, Product: in.Product})
	}
	in.into(&r)
	return r
}

// placeGTTPlan is a new trigger that nobody has approved yet. A last price that Kite gave moves, so nobody approves it.
type placeGTTPlan struct {
	Account string
	Request kite.GTTRequest
	last    kite.Price
	at      time.Time
}

func gttPlace() Mode {
	return Change("place", ModeSpec{
		Title: "Place a trigger", Ask: "Place this trigger", Effect: Destroy,
		Description: "sets a trigger that places limit orders later, after the person's approval",
		Tags:        []string{"set a stop", "target", "OCO", "good till triggered"},
		Examples: []string{
			`gtt {"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","product":"CNC","trigger_type":"single","trigger_value":1700,"quantity":1,"limit_price":1705}`,
			`gtt {"mode":"place","tradingsymbol":"INFY","transaction_type":"SELL","product":"CNC","trigger_type":"two-leg","lower_trigger_value":1700,"lower_quantity":1,"lower_limit_price":1695,"upper_trigger_value":2000,"upper_quantity":1,"upper_limit_price":2000}`,
		},
	}, planPlaceGTT, applyPlaceGTT)
}

func planPlaceGTT(ctx context.Context, env *Env, in placeGTTInput) (placeGTTPlan, error) {
	p := placeGTTPlan{Request: in.request(), at: env.Now()}
	c, account, err := accountID(ctx, env)
	if err != nil {
		return p, err
	}
	p.Account = account
	if wrong := checkInstrument(masterOf(ctx, env), shape{exchange: p.Request.Exchange}, p.Request.TradingSymbol); len(wrong) > 0 {
		return p, invalid(wrong...)
	}
	if p.last, err = lastOf(ctx, c, in.LastPrice, p.Request.ID()); err != nil {
		return p, err
	}
	if wrong := checkTrigger(ctx, env, p.Request, p.last); len(wrong) > 0 {
		return p, invalid(wrong...)
	}
	return p, nil
}

// Summary implements Plan.
func (p placeGTTPlan) Summary() string {
	return fmt.Sprintf("Account %s: place a %s.", p.Account, triggerText(p.Request))
}

// aside implements asider.
func (p placeGTTPlan) aside() string { return lastText(p.Request, p.last) }

// lastText says from which price Kite reckons, and where it is from.
func lastText(r kite.GTTRequest, last kite.Price) string {
	from := ", as read from Kite"
	if r.LastPrice != 0 {
		from = ", as given"
	}
	return "The last price is " + last.String() + from + "."
}

// Intent implements Plan.
func (p placeGTTPlan) Intent(string) kite.Intent {
	return kite.Intent{Account: p.Account, Action: "place a " + triggerText(p.Request), Expect: kite.Expect{PlaceGTT: &p.Request, After: p.at}}
}

func applyPlaceGTT(ctx context.Context, env *Env, p placeGTTPlan) (triggerReceipt, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return triggerReceipt{}, err
	}
	r := p.Request
	r.LastPrice = p.last
	id, err := c.PlaceGTT(ctx, r)
	if err != nil {
		return triggerReceipt{}, err
	}
	return newTriggerReceipt(env, id, triggerNote), nil
}
