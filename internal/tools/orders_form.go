package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// orderVariety is the variety of an order that is there, or is to be.
type orderVariety struct {
	Variety string `json:"variety,omitempty" jsonschema:"regular, co (cover), amo (after market), iceberg or auction. Default: regular; of modify and cancel, the order's own." check:"enum=regular|co|amo|iceberg|auction"`
}

// orderTerms are the terms that can be given when placing and when modifying.
type orderTerms struct {
	Price             float64 `json:"price,omitempty" jsonschema:"Limit price in rupees, a multiple of the tick size. For LIMIT and SL." check:"min=0.0001,max=100000000"`
	TriggerPrice      float64 `json:"trigger_price,omitempty" jsonschema:"Price in rupees that wakes a stop loss. For SL, SL-M and variety co." check:"min=0.0001,max=100000000"`
	Validity          string  `json:"validity,omitempty" jsonschema:"DAY, IOC (at once or not at all) or TTL (minutes). Default of a new order: DAY." check:"enum=DAY|IOC|TTL"`
	DisclosedQuantity int64   `json:"disclosed_quantity,omitempty" jsonschema:"Units shown to the market, at most the quantity." check:"min=1,max=100000000"`
	MarketProtection  float64 `json:"market_protection,omitempty" jsonschema:"Percent that MARKET or SL-M may move from the price, 1 to 100, or -1 for Kite's own. Default -1, never 0." check:"min=-1,max=100,nonzero"`
}

// check tells what a term says by itself.
func (t orderTerms) check() []string {
	var wrong []string
	for _, p := range []struct {
		name  string
		value float64
	}{{"price", t.Price}, {"trigger_price", t.TriggerPrice}, {"market_protection", t.MarketProtection}} {
		if _, ok := exact(p.value); !ok {
			wrong = append(wrong, p.name+": at most 4 decimals")
		}
	}
	if p := t.MarketProtection; p != 0 && p != -1 && p < 1 {
		wrong = append(wrong, "market_protection: must be -1 or from 1 to 100")
	}
	return wrong
}

// exact turns a number into a price without rounding.
func exact(f float64) (kite.Price, bool) {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(text, "."); len(decimals) > 4 {
		return 0, false
	}
	p, err := kite.ParsePrice(text)
	return p, err == nil
}

// price is exact of a number that check let through.
func price(f float64) kite.Price {
	p, _ := exact(f)
	return p
}

func stopLoss(orderType string) bool { return orderType == "SL" || orderType == "SL-M" }

// shape is an order as the rules of the exchange see it, new or modified.
type shape struct {
	variety, exchange, side, product, orderType, validity string
	price, trigger, protection                            kite.Price
	quantity, disclosed                                   int64
}

// check tells what contradicts itself or what Kite never takes.
func (s shape) check() []string {
	var wrong []string
	rule := func(broken bool, format string, a ...any) {
		if broken {
			wrong = append(wrong, fmt.Sprintf(format, a...))
		}
	}
	market, stop := kite.AtMarket(s.orderType), stopLoss(s.orderType)
	if s.orderType != "" {
		rule(!market && s.price == 0, "price: required for order type %s", s.orderType)
		rule(market && s.price != 0, "price: order type %s has none", s.orderType)
		rule(stop && s.trigger == 0, "trigger_price: required for order type %s", s.orderType)
		rule(!stop && s.trigger != 0 && s.variety != "co", "trigger_price: order type %s has none", s.orderType)
		rule(!market && s.protection != 0, "market_protection: order type %s has none", s.orderType)
	}
	if s.orderType == "SL" && s.price != 0 && s.trigger != 0 {
		rule(s.side == "BUY" && s.trigger > s.price, "trigger_price: must not be above the price of a stop loss that buys")
		rule(s.side == "SELL" && s.trigger < s.price, "trigger_price: must not be below the price of a stop loss that sells")
	}
	rule(s.quantity > 0 && s.disclosed > s.quantity, "disclosed_quantity: must be at most the quantity")
	rule(s.validity == "IOC" && s.exchange == "MCX", "validity: MCX takes no IOC orders through the API")
	rule(s.validity == "IOC" && (s.variety == "iceberg" || s.variety == "co"), "validity: variety %s takes no IOC", s.variety)
	if s.variety == "co" {
		rule(s.trigger == 0, "trigger_price: required for variety co")
		rule(stop, "order_type: variety co takes MARKET or LIMIT")
		rule(s.product != "" && s.product != "MIS", "product: variety co takes MIS")
	}
	shares := s.exchange == "NSE" || s.exchange == "BSE"
	rule((s.product == "CNC" || s.product == "MTF") && !shares, "product: %s is for shares on NSE and BSE; use NRML or MIS on %s", s.product, s.exchange)
	rule(s.product == "NRML" && shares, "product: NRML is for derivatives; use CNC or MIS on %s", s.exchange)
	return wrong
}

// masterOf is today's instruments master; nil when it is not there in time.
func masterOf(ctx context.Context, env *Env) *kite.Instruments {
	if env.Instruments == nil {
		return nil
	}
	const patience = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	master, err := env.Instruments.Get(ctx)
	if err != nil {
		return nil
	}
	return master
}

// checkInstrument holds an order to the instruments master: that the instrument exists, its lot and its tick. Without a
// master nothing is checked, and Kite does.
func checkInstrument(master *kite.Instruments, s shape, symbol string) []string {
	in, unknown := knownInstrument(master, s.exchange, symbol)
	if in == nil {
		return unknown
	}
	var wrong []string
	if in.Segment == "INDICES" {
		wrong = append(wrong, "tradingsymbol: an index cannot be traded; use a future, an option or a fund")
	}
	if in.LotSize > 1 && s.quantity%in.LotSize != 0 {
		wrong = append(wrong, fmt.Sprintf("quantity: must be a multiple of the lot size %d", in.LotSize))
	}
	for _, p := range []struct {
		name  string
		value kite.Price
	}{{"price", s.price}, {"trigger_price", s.trigger}} {
		if in.TickSize > 0 && p.value%in.TickSize != 0 {
			wrong = append(wrong, fmt.Sprintf("%s: must be a multiple of the tick size %s", p.name, in.TickSize))
		}
	}
	return wrong
}

// knownInstrument finds an instrument in the master, else says that it does not exist. It returns neither without a
// master.
func knownInstrument(master *kite.Instruments, exchange, symbol string) (in *kite.Instrument, unknown []string) {
	if master == nil {
		return nil, nil
	}
	found, ok := master.ByID(exchange + ":" + symbol)
	if !ok {
		return nil, []string{fmt.Sprintf("tradingsymbol: today's instruments master has no %s on %s; find it with market mode search", quoted(symbol), exchange)}
	}
	return &found, nil
}

// plain shows a word that came from Kite or a caller: as it is when it is an ordinary name, else quoted, so that it
// cannot pass for a part of the sentence.
func plain(s string) string {
	if ordinaryName(s) && !strings.Contains(s, ". ") && !strings.Contains(s, ": ") {
		return s
	}
	return quoted(s)
}

// ordinaryName reports whether s is 1 to 61 letters, digits and the marks that names of instruments have, such as
// NSE:M&M; it does not begin with a mark.
func ordinaryName(s string) bool {
	const most = 61
	mark := func(r rune) bool { return strings.ContainsRune("&_. :-", r) }
	strange := func(r rune) bool { return !letterOrDigit(r) && !mark(r) }
	return s != "" && len(s) <= most && !mark(rune(s[0])) && !strings.ContainsFunc(s, strange)
}

func letterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// accountID reads whose account a client is for.
func accountID(ctx context.Context, env *Env) (*kite.Client, string, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return nil, "", err
	}
	p, err := c.Profile(ctx)
	if err != nil {
		return nil, "", err
	}
	return c, p.UserID, nil
}

// receiptNote is what an answer to a change does not say.
const receiptNote = "Kite received this; that is not execution. orders mode history with the order_id shows what became of it"

// orderReceipt is the result of a change of an order.
type orderReceipt struct {
	OrderID  string            `json:"order_id"`
	Status   string            `json:"status"` // submitted
	Tag      string            `json:"tag,omitempty"`
	Children []kite.OrderChild `json:"children,omitempty"`
	Intent   string            `json:"intent"` // in session mode activity
	Note     string            `json:"note"`
	stamp
}

func (r *orderReceipt) receipt() string { return r.OrderID }

func newReceipt(env *Env, got kite.OrderReceipt) orderReceipt {
	return orderReceipt{OrderID: got.OrderID, Status: "submitted", Tag: env.intent.Tag, Children: got.Children, Intent: env.intent.ID, Note: receiptNote}
}

// pendingOrder reads the order that is to be changed. One that is over is refused without asking anybody.
func pendingOrder(ctx context.Context, env *Env, orderID, variety string) (kite.Order, string, error) {
	c, account, err := accountID(ctx, env)
	if err != nil {
		return kite.Order{}, "", err
	}
	book, err := c.Orders(ctx)
	if err != nil {
		return kite.Order{}, "", err
	}
	for _, o := range book {
		switch {
		case o.OrderID != orderID:
			continue
		case o.Terminal():
			return o, account, &Failure{Code: CodeRejected, Message: "the order is " + o.Status + " already; nothing was sent to Kite", Hint: "orders mode history shows how it ended"}
		case variety != "" && variety != o.Variety:
			return o, account, invalid("variety: the order is " + plain(o.Variety))
		case !kite.ValidVariety(o.Variety):
			return o, account, &Failure{Code: CodeRejected, Message: "this program does not know orders of the variety " + plain(o.Variety) + "; nothing was sent to Kite"}
		}
		return o, account, nil
	}
	return kite.Order{}, account, &Failure{Code: CodeNotFound, Message: "today's order book has no order " + orderID, Hint: whereOrderIDsAre}
}
