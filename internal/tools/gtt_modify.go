package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type modifyGTTInput struct {
	triggerInput
	Exchange        string `json:"exchange,omitempty" jsonschema:"Exchange of the instrument. Default of place: NSE." check:"enum=NSE|BSE|NFO|BFO|MCX|CDS"`
	TradingSymbol   string `json:"tradingsymbol,omitempty" jsonschema:"Kite's symbol without the exchange, such as INFY; from market mode search." check:"form=symbol"`
	TransactionType string `json:"transaction_type,omitempty" jsonschema:"BUY or SELL, of both legs." check:"enum=BUY|SELL"`
	Product         string `json:"product,omitempty" jsonschema:"CNC (delivery), NRML (carry derivatives) or MTF (margin funded delivery)." check:"enum=CNC|NRML|MTF"`
	TriggerType     string `json:"trigger_type,omitempty" jsonschema:"single (one price) or two-leg (one below and one above, whichever comes first)." check:"enum=single|two-leg"`
	gttTerms
}

// merged is the trigger with what was given in place of what it had. Kite replaces a trigger whole: what is not sent
// would be gone.
func (in *modifyGTTInput) merged(old kite.GTT) (kite.GTTRequest, []string) {
	r := old.Request()
	sides, products := r.Legs[0].TransactionType, r.Legs[0].Product
	r.Type, r.Exchange, r.TradingSymbol, r.LastPrice = orElse(in.TriggerType, r.Type), orElse(in.Exchange, r.Exchange), orElse(in.TradingSymbol, r.TradingSymbol), price(in.LastPrice)
	another := r.Type != old.Type
	if another {
		r.Legs = nil
		for range legsOf(r.Type) {
			r.Legs = append(r.Legs, kite.GTTLeg{TransactionType: sides, Product: products})
		}
	}
	for i := range r.Legs {
		r.Legs[i].TransactionType, r.Legs[i].Product = orElse(in.TransactionType, r.Legs[i].TransactionType), orElse(in.Product, r.Legs[i].Product)
	}
	wrong := in.of(r.Type, another)
	if len(wrong) == 0 {
		in.into(&r)
	}
	return r, wrong
}

// modifyGTTPlan is a change of a trigger that nobody has approved yet.
type modifyGTTPlan struct {
	Account string
	ID      int64
	Old     string
	Changes []string // old -> new
	Request kite.GTTRequest
	last    kite.Price
}

func gttModify() Mode {
	return Change("modify", ModeSpec{
		Title: "Modify a trigger", Ask: "Modify this trigger", Effect: Destroy,
		Description: "changes an active trigger after the person's approval; what is not given stays as it is",
		Tags:        []string{"move a stop", "trail"},
		Examples:    []string{`gtt {"mode":"modify","trigger_id":900001,"trigger_value":1450,"limit_price":1452}`},
	}, planModifyGTT, applyModifyGTT)
}

func planModifyGTT(ctx context.Context, env *Env, in modifyGTTInput) (modifyGTTPlan, error) {
	c, account, old, err := activeTrigger(ctx, env, in.TriggerID)
	if err != nil {
		return modifyGTTPlan{}, err
	}
	r, wrong := in.merged(old)
	if len(wrong) > 0 {
		return modifyGTTPlan{}, invalid(wrong...)
	}
	p := modifyGTTPlan{Account: account, ID: old.ID, Old: triggerText(old.Request()), Changes: triggerChanges(old.Request(), r), Request: r}
	if len(p.Changes) == 0 {
		return p, invalid("nothing would change: the trigger is like that already")
	}
	if p.last, err = lastOf(ctx, c, in.LastPrice, r.ID()); err != nil {
		return p, err
	}
	if wrong := checkTrigger(ctx, env, r, p.last); len(wrong) > 0 {
		return p, invalid(wrong...)
	}
	return p, nil
}

// triggerChanges are the changes as the person reads them. Another type is told as a whole.
func triggerChanges(old, r kite.GTTRequest) []string {
	if old.Type != r.Type {
		return []string{"the whole trigger → " + triggerText(r)}
	}
	var out []string
	differ := func(what, from, to string) {
		if from != to {
			out = append(out, what+" "+from+" → "+to)
		}
	}
	differ("instrument", plain(old.ID()), plain(r.ID()))
	for i, leg := range r.Legs {
		name := ""
		if r.Type == twoLegGTT {
			name = []string{"lower ", "upper "}[i]
		}
		was := old.Legs[i]
		differ(name+"trigger", was.Trigger.String(), leg.Trigger.String())
		differ(name+"side", plain(was.TransactionType), leg.TransactionType)
		differ(name+"quantity", units(was.Quantity), units(leg.Quantity))
		differ(name+"limit", was.Price.String(), leg.Price.String())
		differ(name+"product", plain(was.Product), leg.Product)
	}
	return out
}

// Summary implements Plan.
func (p modifyGTTPlan) Summary() string {
	return fmt.Sprintf("Account %s: modify the %s (trigger %d): %s.", p.Account, p.Old, p.ID, strings.Join(p.Changes, ", "))
}

// aside implements asider.
func (p modifyGTTPlan) aside() string { return lastText(p.Request, p.last) }

// Intent implements Plan.
func (p modifyGTTPlan) Intent(string) kite.Intent {
	return kite.Intent{
		Account: p.Account, Action: fmt.Sprintf("modify trigger %d, %s: %s", p.ID, p.Old, strings.Join(p.Changes, ", ")), Ref: units(p.ID),
		Expect: kite.Expect{ModifyGTT: &p.Request, GTT: p.ID},
	}
}

func applyModifyGTT(ctx context.Context, env *Env, p modifyGTTPlan) (triggerReceipt, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return triggerReceipt{}, err
	}
	r := p.Request
	r.LastPrice = p.last
	id, err := c.ModifyGTT(ctx, p.ID, r)
	if err != nil {
		return triggerReceipt{}, err
	}
	return newTriggerReceipt(env, id, triggerNote), nil
}
