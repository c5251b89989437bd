package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type modifyInput struct {
	orderInput
	orderVariety
	Quantity  int64  `json:"quantity,omitempty" jsonschema:"Units (not lots), a multiple of the lot size." check:"min=1,max=100000000"`
	OrderType string `json:"order_type,omitempty" jsonschema:"MARKET, LIMIT, SL (stop loss limit) or SL-M (stop loss market)." check:"enum=MARKET|LIMIT|SL|SL-M"`
	orderTerms
}

// check implements checker.
func (in *modifyInput) check() []string {
	wrong := in.orderTerms.check()
	if in.Quantity == 0 && in.OrderType == "" && in.orderTerms == (orderTerms{}) {
		wrong = append(wrong, "quantity, price, trigger_price, order_type, validity, disclosed_quantity or market_protection: at least one is required for mode modify")
	}
	if in.Validity == "TTL" {
		wrong = append(wrong, "validity: TTL can be chosen when placing only")
	}
	return wrong
}

// modifyPlan is a change of a pending order that nobody has approved yet.
type modifyPlan struct {
	Account string
	Change  kite.OrderChange
	Changes []string // old -> new
	Order   string   // which order
	filled  string
}

func ordersModify() Mode {
	return Change("modify", ModeSpec{
		Title: "Modify an order", Ask: "Modify this order", Effect: Destroy,
		Description: "changes a pending order after the person's approval; what is not given stays as it is",
		Tags:        []string{"change order", "modify order", "new price"},
		Examples:    []string{`orders {"mode":"modify","order_id":"2044000000000000002","price":1600}`},
	}, planModify, applyModify)
}

func planModify(ctx context.Context, env *Env, in modifyInput) (modifyPlan, error) {
	old, account, err := pendingOrder(ctx, env, in.OrderID, in.Variety)
	if err != nil {
		return modifyPlan{}, err
	}
	change := kite.OrderChange{
		Variety: old.Variety, OrderID: old.OrderID, OrderType: in.OrderType, Quantity: in.Quantity, Price: price(in.Price), TriggerPrice: price(in.TriggerPrice),
		Validity: in.Validity, DisclosedQuantity: in.DisclosedQuantity, MarketProtection: price(in.MarketProtection),
	}
	after := changed(old, change)
	wrong := after.check()
	if in.Quantity > 0 && in.Quantity <= old.FilledQuantity {
		wrong = append(wrong, fmt.Sprintf("quantity: %d are filled already; it must be more", old.FilledQuantity))
	}
	wrong = append(wrong, checkInstrument(masterOf(ctx, env), after, old.TradingSymbol)...)
	changes := differences(old, change)
	if len(changes) == 0 && len(wrong) == 0 {
		wrong = append(wrong, "nothing would change: the order is like that already")
	}
	if len(wrong) > 0 {
		return modifyPlan{}, invalid(wrong...)
	}
	if kite.AtMarket(after.orderType) && change.MarketProtection == 0 {
		// Kite refuses a market order without it, also one that only changes its trigger.
		change.MarketProtection = orProtection(old.MarketProtection)
	}
	return modifyPlan{
		Account: account, Change: change, Changes: changes, Order: orderText(old),
		filled: fmt.Sprintf("Filled %d, pending %d.", old.FilledQuantity, old.Remaining()),
	}, nil
}

func orProtection(p kite.Price) kite.Price {
	if p == 0 {
		return kite.AutoProtection
	}
	return p
}

// changed is the order as it would be. Prices that the new type has no use for are gone, unless they were given.
func changed(old kite.Order, c kite.OrderChange) shape {
	s := shape{
		variety: old.Variety, exchange: old.Exchange, side: old.TransactionType, product: old.Product, orderType: orElse(c.OrderType, old.OrderType),
		validity: orElse(c.Validity, old.Validity), price: c.Price, trigger: c.TriggerPrice, protection: c.MarketProtection,
		quantity: or(c.Quantity, old.Quantity), disclosed: or(c.DisclosedQuantity, old.DisclosedQuantity),
	}
	if !kite.AtMarket(s.orderType) {
		s.price = or(s.price, old.Price)
	}
	if stopLoss(s.orderType) || s.variety == "co" {
		s.trigger = or(s.trigger, old.TriggerPrice)
	}
	return s
}

func or[T int64 | kite.Price](given, old T) T {
	if given == 0 {
		return old
	}
	return given
}

// differences are the changes as the person reads them.
func differences(old kite.Order, c kite.OrderChange) []string {
	var out []string
	differ := func(what, from, to string, given bool) {
		if given && from != to {
			out = append(out, what+" "+from+" → "+to)
		}
	}
	differ("quantity", units(old.Quantity), units(c.Quantity), c.Quantity != 0)
	differ("type", plain(old.OrderType), c.OrderType, c.OrderType != "")
	differ("price", old.Price.String(), c.Price.String(), c.Price != 0)
	differ("trigger", old.TriggerPrice.String(), c.TriggerPrice.String(), c.TriggerPrice != 0)
	differ("validity", plain(old.Validity), c.Validity, c.Validity != "")
	differ("disclosed", units(old.DisclosedQuantity), units(c.DisclosedQuantity), c.DisclosedQuantity != 0)
	differ("market protection", old.MarketProtection.String(), c.MarketProtection.String(), c.MarketProtection != 0)
	return out
}

func units(n int64) string { return strconv.FormatInt(n, 10) }

// orderText is a pending order as the person knows it.
func orderText(o kite.Order) string {
	text := fmt.Sprintf("%s %d %s, %s, %s", plain(o.TransactionType), o.Quantity, plain(o.ID()), plain(o.Product), plain(o.OrderType))
	if o.Price != 0 {
		text += " at " + o.Price.String()
	}
	if o.TriggerPrice != 0 {
		text += ", trigger " + o.TriggerPrice.String()
	}
	text += ", " + o.Variety
	if o.Tag != "" {
		text += ", tag " + plain(o.Tag)
	}
	return text + " (order " + o.OrderID + ")"
}

// Summary implements Plan.
func (p modifyPlan) Summary() string {
	return fmt.Sprintf("Account %s: modify %s: %s.", p.Account, p.Order, strings.Join(p.Changes, ", "))
}

// aside implements asider.
func (p modifyPlan) aside() string { return p.filled }

// Intent implements Plan.
func (p modifyPlan) Intent(string) kite.Intent {
	return kite.Intent{Account: p.Account, Action: "modify " + p.Order + ": " + strings.Join(p.Changes, ", "), Ref: p.Change.OrderID, Expect: kite.Expect{Modify: &p.Change}}
}

func applyModify(ctx context.Context, env *Env, p modifyPlan) (orderReceipt, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return orderReceipt{}, err
	}
	got, err := c.ModifyOrder(ctx, p.Change)
	if err != nil {
		return orderReceipt{}, err
	}
	return newReceipt(env, got), nil
}
