package tools

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// figures are what Kite reckons about orders. What it did not answer is nil, and leftOut says why.
type figures struct {
	orders  []kite.OrderRequest
	margins []kite.Margin // one for each order
	charges []*kite.Charges
	basket  *kite.BasketMargin
	funds   *kite.Margins
	leftOut []string
	ended   error // the login, so that nothing can be answered
}

// reckoning is what to ask Kite.
type reckoning struct {
	orders    []kite.OrderRequest
	prices    []kite.Price // what charges are reckoned at; 0 when not known
	basket    bool
	positions bool // count what is held
}

// reckon asks the calculators and reads the funds, all at once. Nothing is ordered by it.
func reckon(ctx context.Context, c *kite.Client, r reckoning) figures {
	f := figures{orders: r.orders, charges: make([]*kite.Charges, len(r.orders))}
	var funds, margins, charges, basket error
	var all sync.WaitGroup
	all.Go(func() { funds = f.askFunds(ctx, c) })
	all.Go(func() { f.margins, margins = c.OrderMargins(ctx, r.orders) })
	all.Go(func() { charges = f.askCharges(ctx, c, r.prices) })
	if r.basket {
		all.Go(func() { basket = f.askBasket(ctx, c, r.positions) })
	}
	all.Wait()
	f.note("margin", margins)
	f.note("charges", charges)
	f.note("basket", basket)
	f.note("available", funds)
	if !r.basket && r.positions && f.shortfall() != nil {
		f.note("margin with positions", f.askBasket(ctx, c, true)) // the order may close what is held
	}
	return f
}

// note keeps why a part is missing.
func (f *figures) note(what string, err error) {
	if err == nil {
		return
	}
	if noLogin(err) {
		f.ended = err
	}
	f.leftOut = append(f.leftOut, what+": "+Explain(err).Message)
}

// noLogin reports whether a call failed because nobody is logged in any more, so that every other will, too.
func noLogin(err error) bool {
	return errors.Is(err, kite.ErrSessionExpired) || errors.Is(err, kite.ErrNotAuthenticated)
}

func (f *figures) askFunds(ctx context.Context, c *kite.Client) error {
	funds, err := c.Margins(ctx)
	if err != nil {
		return err
	}
	if funds.Equity.Unclear || funds.Commodity.Unclear { // what is missing would read as no money
		return &Failure{Message: "Kite's answer about the funds cannot be used"}
	}
	f.funds = &funds
	return nil
}

func (f *figures) askBasket(ctx context.Context, c *kite.Client, positions bool) error {
	basket, err := c.BasketMargins(ctx, f.orders, positions)
	if err == nil {
		f.basket = &basket
	}
	return err
}

// askCharges asks for the charges of the orders whose price is known.
func (f *figures) askCharges(ctx context.Context, c *kite.Client, prices []kite.Price) error {
	var priced []kite.PricedOrder
	var of []int
	for i, o := range f.orders {
		if prices[i] != 0 {
			priced, of = append(priced, kite.PricedOrder{OrderRequest: o, At: prices[i]}), append(of, i)
		}
	}
	if len(priced) > 0 {
		got, err := c.OrderCharges(ctx, priced)
		if err != nil {
			return err
		}
		for i := range got {
			f.charges[of[i]] = &got[i]
		}
	}
	if len(priced) < len(f.orders) {
		return &Failure{Message: "an order has neither a price nor a last price"}
	}
	return nil
}

// shortfall is what the funds lack for orders.
type shortfall struct {
	Required  kite.Price `json:"required"`
	Available kite.Price `json:"available"`
	Missing   kite.Price `json:"missing"`
}

// shortfall compares what Kite wants with what there is; nil when the funds suffice or one of the two is not known. An
// order that closes or hedges what is held needs the less of what it binds alone and with the positions.
func (f *figures) shortfall() *shortfall {
	if f.funds == nil || len(f.margins) == 0 {
		return nil
	}
	required := f.margins[0].Total
	switch {
	case len(f.orders) > 1 && f.basket == nil:
		return nil
	case len(f.orders) > 1:
		required = f.basket.Initial.Total
	case f.basket != nil:
		required = min(required, f.basket.Final.Total)
	}
	available, known := f.usable()
	if !known || required <= available {
		return nil
	}
	return &shortfall{Required: required, Available: available, Missing: required - available}
}

// usable is the money that all of the orders may bind. Pledged shares buy no shares for delivery.
func (f *figures) usable() (money kite.Price, known bool) {
	segment, delivery := kite.Segment{}, true // of no known name: not enabled
	switch f.margins[0].Segment {
	case "equity":
		segment = f.funds.Equity
	case "commodity":
		segment = f.funds.Commodity
	}
	for i, o := range f.orders {
		if f.margins[i].Segment != f.margins[0].Segment {
			return 0, false // two purses
		}
		delivery = delivery && (o.Product == "CNC" || o.Product == "MTF")
	}
	if delivery {
		return segment.Net - segment.Available.Collateral, segment.Enabled
	}
	return segment.Net, segment.Enabled
}

// alarm is the shortfall in words, "" when there is none.
func (f *figures) alarm() string {
	short := f.shortfall()
	if short == nil {
		return ""
	}
	return fmt.Sprintf("Funds are short by %s rupees: required are %s, available %s.", rupees(short.Missing), rupees(short.Required), rupees(max(0, short.Available)))
}

// text tells margin and charges of one order, or that they are not known.
func (f *figures) text() string {
	charges := f.charges[0]
	if f.margins == nil && charges == nil {
		return "Margin and charges are not known."
	}
	var parts []string
	switch {
	case f.margins == nil:
		parts = append(parts, "Margin is not known.")
	case f.funds == nil:
		parts = append(parts, fmt.Sprintf("Margin %s rupees; the funds are not known.", rupees(f.margins[0].Total)))
	default:
		margin := "Margin " + rupees(f.margins[0].Total) + " rupees"
		if f.basket != nil {
			margin += ", with the positions held " + rupees(f.basket.Final.Total)
		}
		if money, known := f.usable(); known {
			margin += ", available " + rupees(money)
		}
		parts = append(parts, margin+".")
	}
	if charges == nil {
		parts = append(parts, "Charges are not known.")
	} else {
		parts = append(parts, "Charges "+rupees(charges.Total)+" rupees.")
	}
	return strings.Join(parts, " ")
}

func rupees(p kite.Price) string { return value(1, p) }

// valued reports whether quantity times price is money: on the other exchanges a unit is a lot, and Kite does not say
// of how much before there is a position.
func valued(exchange string) bool {
	switch exchange {
	case "NSE", "BSE", "NFO", "BFO":
		return true
	}
	return false
}

// value is the price of a quantity in rupees; the largest ones do not fit a Price.
func value(quantity int64, each kite.Price) string { return exactValue(quantity, each).FloatString(2) }

func exactValue(quantity int64, each kite.Price) *big.Rat {
	const unitsPerRupee = 10_000
	units := new(big.Int).Mul(big.NewInt(quantity), big.NewInt(int64(each)))
	return new(big.Rat).SetFrac(units, big.NewInt(unitsPerRupee))
}
