package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

const (
	singleGTT = "single"
	twoLegGTT = "two-leg"
)

// gttTerms are what a trigger waits for and places then: three values for type single, six for two-leg.
type gttTerms struct {
	LastPrice         float64 `json:"last_price,omitempty" jsonschema:"Price now in rupees. Default: read from Kite." check:"min=0.0001,max=100000000"`
	TriggerValue      float64 `json:"trigger_value,omitempty" jsonschema:"Price in rupees to wait for; type single." check:"min=0.0001,max=100000000"`
	Quantity          int64   `json:"quantity,omitempty" jsonschema:"Units of the order, a multiple of the lot size; type single." check:"min=1,max=100000000"`
	LimitPrice        float64 `json:"limit_price,omitempty" jsonschema:"Limit price of the order; type single." check:"min=0.0001,max=100000000"`
	LowerTriggerValue float64 `json:"lower_trigger_value,omitempty" jsonschema:"Price below the last one (stop loss of a holding); type two-leg." check:"min=0.0001,max=100000000"`
	LowerQuantity     int64   `json:"lower_quantity,omitempty" jsonschema:"Units of the lower order; type two-leg." check:"min=1,max=100000000"`
	LowerLimitPrice   float64 `json:"lower_limit_price,omitempty" jsonschema:"Limit price of the lower order; type two-leg." check:"min=0.0001,max=100000000"`
	UpperTriggerValue float64 `json:"upper_trigger_value,omitempty" jsonschema:"Price above the last one (target of a holding); type two-leg." check:"min=0.0001,max=100000000"`
	UpperQuantity     int64   `json:"upper_quantity,omitempty" jsonschema:"Units of the upper order; type two-leg." check:"min=1,max=100000000"`
	UpperLimitPrice   float64 `json:"upper_limit_price,omitempty" jsonschema:"Limit price of the upper order; type two-leg." check:"min=0.0001,max=100000000"`
}

// gttValue is one of the values of a trigger.
type gttValue struct {
	name  string
	given bool
	exact bool
}

// values are those of one type of trigger.
func (t gttTerms) values(kind string) []gttValue {
	money := func(name string, f float64) gttValue {
		_, ok := exact(f)
		return gttValue{name, f != 0, ok}
	}
	count := func(name string, n int64) gttValue { return gttValue{name, n != 0, true} }
	if kind == singleGTT {
		return []gttValue{money("trigger_value", t.TriggerValue), count("quantity", t.Quantity), money("limit_price", t.LimitPrice)}
	}
	return []gttValue{
		money("lower_trigger_value", t.LowerTriggerValue), count("lower_quantity", t.LowerQuantity), money("lower_limit_price", t.LowerLimitPrice),
		money("upper_trigger_value", t.UpperTriggerValue), count("upper_quantity", t.UpperQuantity), money("upper_limit_price", t.UpperLimitPrice),
	}
}

// check implements checker for what holds of any type.
func (t gttTerms) check() []string {
	var wrong []string
	values := append(t.values(singleGTT), t.values(twoLegGTT)...)
	_, ok := exact(t.LastPrice)
	for _, v := range append(values, gttValue{"last_price", true, ok}) {
		if !v.exact {
			wrong = append(wrong, v.name+": at most 4 decimals")
		}
	}
	return wrong
}

// of tells which values a type of trigger lacks, if all are needed, and which it has no use for.
func (t gttTerms) of(kind string, all bool) []string {
	var wrong []string
	other := twoLegGTT
	if kind == twoLegGTT {
		other = singleGTT
	}
	for _, v := range t.values(kind) {
		if all && !v.given {
			wrong = append(wrong, v.name+": required for trigger_type "+kind)
		}
	}
	for _, v := range t.values(other) {
		if v.given {
			wrong = append(wrong, v.name+": only with trigger_type "+other)
		}
	}
	return wrong
}

// into writes the values that were given into the legs of a trigger.
func (t gttTerms) into(r *kite.GTTRequest) {
	set := func(leg *kite.GTTLeg, trigger float64, quantity int64, limit float64) {
		leg.Trigger, leg.Quantity, leg.Price = or(price(trigger), leg.Trigger), or(quantity, leg.Quantity), or(price(limit), leg.Price)
	}
	if r.Type == singleGTT {
		set(&r.Legs[0], t.TriggerValue, t.Quantity, t.LimitPrice)
		return
	}
	set(&r.Legs[0], t.LowerTriggerValue, t.LowerQuantity, t.LowerLimitPrice)
	set(&r.Legs[1], t.UpperTriggerValue, t.UpperQuantity, t.UpperLimitPrice)
}

// legsOf is how many orders a type of trigger has.
func legsOf(kind string) int {
	if kind == twoLegGTT {
		return 2
	}
	return 1
}

// checkTrigger holds a trigger to its instrument and to the last price.
func checkTrigger(ctx context.Context, env *Env, r kite.GTTRequest, last kite.Price) []string {
	var wrong []string
	for i, leg := range r.Legs {
		name := ""
		if r.Type == twoLegGTT {
			name = []string{"lower_", "upper_"}[i]
		}
		s := shape{exchange: r.Exchange, side: leg.TransactionType, product: leg.Product, quantity: leg.Quantity, price: leg.Price, trigger: leg.Trigger}
		found := s.check()
		found = append(found, checkInstrument(masterOf(ctx, env), s, r.TradingSymbol)...)
		names := strings.NewReplacer("quantity:", name+"quantity:", "trigger_price:", name+"trigger_value:", "price:", name+"limit_price:")
		for _, f := range found {
			if f = renamed(names, f); !slices.Contains(wrong, f) {
				wrong = append(wrong, f)
			}
		}
	}
	switch {
	case r.Type == twoLegGTT && (r.Legs[0].Trigger >= last || r.Legs[1].Trigger <= last):
		wrong = append(wrong, fmt.Sprintf("lower_trigger_value, upper_trigger_value: must lie below and above the last price %s", last))
	case r.Type == singleGTT && r.Legs[0].Trigger == last:
		wrong = append(wrong, fmt.Sprintf("trigger_value: is the last price %s already", last))
	}
	return wrong
}

// renamed gives the violation of an order the name that the argument has in a trigger.
func renamed(names *strings.Replacer, violation string) string {
	name, rest, _ := strings.Cut(violation, ": ")
	if name == "trigger_price" || name == "price" || name == "quantity" {
		return names.Replace(name+":") + " " + rest
	}
	return violation
}

// lastOf is the last price that was given, or Kite's.
func lastOf(ctx context.Context, c *kite.Client, given float64, id string) (kite.Price, error) {
	if given != 0 {
		return price(given), nil
	}
	got, err := c.LTP(ctx, []string{id})
	if err != nil {
		return 0, err
	}
	if got[id].LastPrice <= 0 {
		return 0, invalid("last_price: Kite has none of " + plain(id) + "; give it")
	}
	return got[id].LastPrice, nil
}

// triggerText is a trigger as the person knows it.
func triggerText(r kite.GTTRequest) string {
	parts := make([]string, len(r.Legs))
	for i, leg := range r.Legs {
		when := "when the price reaches "
		if r.Type == twoLegGTT {
			when = []string{"at or below ", "at or above "}[min(i, 1)]
		}
		parts[i] = fmt.Sprintf("%s%s, %s %d at limit %s, %s", when, leg.Trigger, plain(leg.TransactionType), leg.Quantity, leg.Price, plain(leg.Product))
	}
	return fmt.Sprintf("%s trigger on %s: %s", plain(r.Type), plain(r.ID()), strings.Join(parts, "; "))
}

// activeTrigger reads the trigger that is to be changed. One that is over is refused without asking anybody.
func activeTrigger(ctx context.Context, env *Env, id int64) (*kite.Client, string, kite.GTT, error) {
	c, account, err := accountID(ctx, env)
	if err != nil {
		return nil, "", kite.GTT{}, err
	}
	g, err := c.GTT(ctx, id)
	if err != nil {
		return nil, "", g, hinted(err, "gtt mode list has the ids")
	}
	switch g.Status {
	case "triggered", "deleted", "expired", "cancelled", "rejected":
		return nil, "", g, &Failure{Code: CodeRejected, Message: "the trigger is " + g.Status + " already; nothing was sent to Kite", Hint: "gtt mode get shows what became of it"}
	}
	if r := g.Request(); (r.Type != singleGTT && r.Type != twoLegGTT) || len(r.Legs) != legsOf(r.Type) || len(g.Problems) > 0 {
		return nil, "", g, &Failure{Code: CodeRejected, Message: "this trigger has a form that this program does not know; nothing was sent to Kite", Hint: "change it in Kite's own app"}
	}
	return c, account, g, nil
}

// triggerReceipt is the result of a change of a trigger.
type triggerReceipt struct {
	TriggerID int64  `json:"trigger_id"`
	Status    string `json:"status"` // submitted
	Intent    string `json:"intent"` // in session mode activity
	Note      string `json:"note"`
	stamp
}

func (r *triggerReceipt) receipt() string { return strconv.FormatInt(r.TriggerID, 10) }

func newTriggerReceipt(env *Env, id int64, note string) triggerReceipt {
	return triggerReceipt{TriggerID: id, Status: "submitted", Intent: env.intent.ID, Note: note}
}

const triggerNote = "Kite keeps the trigger. It fires once, on the last price, in market hours, and places a limit order for that day, which may or may not be filled; gtt mode get shows it"
