package demo

import (
	"encoding/json"
	"slices"
)

// calcOrder is an order as the calculators get it: JSON, never placed.
type calcOrder struct {
	OrderID      string      `json:"order_id"`
	Exchange     string      `json:"exchange"`
	Symbol       string      `json:"tradingsymbol"`
	Side         string      `json:"transaction_type"`
	Variety      string      `json:"variety"`
	Product      string      `json:"product"`
	Type         string      `json:"order_type"`
	Quantity     json.Number `json:"quantity"`
	Price        json.Number `json:"price"`
	TriggerPrice json.Number `json:"trigger_price"`
	AveragePrice json.Number `json:"average_price"`
	Protection   json.Number `json:"market_protection"`
}

type pnl struct {
	Realised   amount `json:"realised"`
	Unrealised amount `json:"unrealised"`
}

type orderMargin struct {
	Type          string  `json:"type"`
	TradingSymbol string  `json:"tradingsymbol"`
	Exchange      string  `json:"exchange"`
	Span          amount  `json:"span"`
	Exposure      amount  `json:"exposure"`
	OptionPremium amount  `json:"option_premium"`
	Additional    amount  `json:"additional"`
	BO            amount  `json:"bo"`
	Cash          amount  `json:"cash"`
	Var           amount  `json:"var"`
	PnL           pnl     `json:"pnl"`
	Leverage      int64   `json:"leverage"`
	Charges       charges `json:"charges"`
	Total         amount  `json:"total"`
}

type charges struct {
	TransactionTax         amount `json:"transaction_tax"`
	TransactionTaxType     string `json:"transaction_tax_type"`
	ExchangeTurnoverCharge amount `json:"exchange_turnover_charge"`
	SEBITurnoverCharge     amount `json:"sebi_turnover_charge"`
	Brokerage              amount `json:"brokerage"`
	StampDuty              amount `json:"stamp_duty"`
	GST                    gst    `json:"gst"`
	Total                  amount `json:"total"`
}

type gst struct {
	IGST  amount `json:"igst"`
	CGST  amount `json:"cgst"`
	SGST  amount `json:"sgst"`
	Total amount `json:"total"`
}

type basketMargin struct {
	Initial orderMargin   `json:"initial"`
	Final   orderMargin   `json:"final"`
	Orders  []orderMargin `json:"orders"`
	Charges charges       `json:"charges"`
}

type orderCharge struct {
	TransactionType string  `json:"transaction_type"`
	TradingSymbol   string  `json:"tradingsymbol"`
	Exchange        string  `json:"exchange"`
	Variety         string  `json:"variety"`
	Product         string  `json:"product"`
	OrderType       string  `json:"order_type"`
	Quantity        int64   `json:"quantity"`
	Price           amount  `json:"price"`
	Charges         charges `json:"charges"`
}

// calcForm is one order of a calculation, checked.
type calcForm struct {
	orderForm
	in    *instrument
	price amount
}

// maxCalc is how many orders one calculation takes.
const maxCalc = 50

// parseCalc reads the orders of a calculation. Only what the calculation needs is checked: it answers what would be
// bound, not whether the order is allowed.
func (c call) parseCalc() ([]calcForm, *apiError) {
	var orders []calcOrder
	if json.Unmarshal(c.body, &orders) != nil {
		return nil, invalid("Invalid JSON: an array of orders is needed.")
	}
	if len(orders) == 0 || len(orders) > maxCalc {
		return nil, invalid("Between 1 and %d orders are needed.", maxCalc)
	}
	var out []calcForm
	for _, o := range orders {
		in, ok := c.d.u.byID[o.Exchange+":"+o.Symbol]
		quantity, ok2 := parseDecimal(o.Quantity.String())
		switch {
		case !ok || in.index() || in.expired(c.d.instant()):
			return nil, invalid("Invalid `tradingsymbol`.")
		case o.Side != buy && o.Side != sell:
			return nil, invalid("Invalid `transaction_type`.")
		case !ok2 || quantity <= 0 || quantity%rupee != 0 || quantity > maxQuantity*rupee:
			return nil, invalid("Invalid `quantity`.")
		case !slices.Contains([]string{productCNC, productMIS, productNRML, productMTF}, o.Product):
			return nil, invalid("Invalid `product`.")
		}
		f, e := o.form(int64(quantity / rupee))
		if e != nil {
			return nil, e
		}
		if e := checkProduct(f, in); e != nil {
			return nil, e
		}
		price := c.d.calcPrice(f, in)
		if tooLarge(in, f.Quantity, price) {
			return nil, invalid("The value of the order is too large.")
		}
		out = append(out, calcForm{f, in, price})
	}
	return out, nil
}

// form is the order as the risk check sees one; its price is what it was or will be filled at, if that is known.
func (o calcOrder) form(quantity int64) (orderForm, *apiError) {
	f := orderForm{
		Variety: o.Variety, Exchange: o.Exchange, TradingSymbol: o.Symbol, Side: o.Side, Type: o.Type, Product: o.Product,
		Quantity: quantity, Protection: -rupee,
	}
	for _, v := range []struct {
		text json.Number
		into *amount
	}{{o.Price, &f.Price}, {o.AveragePrice, &f.Price}, {o.TriggerPrice, &f.Trigger}, {o.Protection, &f.Protection}} {
		p, ok := parseDecimal(v.text.String())
		switch {
		case v.text == "":
		case !ok || p < 0 && v.into != &f.Protection:
			return f, invalid("Invalid `price`.")
		case p != 0:
			*v.into = p
		}
	}
	return f, nil
}

// calcPrice is the price that an order is reckoned at: its own, or that of the market with protection, as the risk
// check does.
func (d *desk) calcPrice(f orderForm, in *instrument) amount {
	switch {
	case f.Price > 0:
		return f.Price
	case f.Type == typeSLM && f.Trigger > 0:
		return d.reckoned(f, in)
	default:
		f.Type = typeMarket
		return d.reckoned(f, in)
	}
}

func (f calcForm) margin(n need, compact bool) orderMargin {
	kind := "equity"
	if f.in.exchange == "MCX" {
		kind = "commodity"
	}
	m := orderMargin{
		Type: kind, TradingSymbol: f.in.symbol, Exchange: f.in.exchange, Span: n.Span, Exposure: n.Exposure,
		OptionPremium: n.Premium, Var: n.Var, Leverage: n.Leverage, Total: n.Total,
	}
	if !compact {
		m.Charges = chargesOf(f.in, f.orderForm, f.price)
	}
	return m
}

func answerOrderMargins(c call) (any, *apiError) {
	orders, e := c.parseCalc()
	if e != nil {
		return nil, e
	}
	out := make([]orderMargin, 0, len(orders))
	for _, f := range orders {
		out = append(out, f.margin(needs(f.in, f.orderForm, f.price), c.r.URL.Query().Get("mode") == "compact"))
	}
	return out, nil
}

// answerBasket reckons orders one after the other. The initial margin is that of each order alone; the final one knows
// that a later order closes or covers what an earlier one opens and, when asked, what is held already.
func answerBasket(c call) (any, *apiError) {
	orders, e := c.parseCalc()
	if e != nil {
		return nil, e
	}
	query := c.r.URL.Query()
	var all []*ledger
	if query.Get("consider_positions") == "true" {
		all = c.d.ledgers()
	}
	held := map[string]int64{}
	for _, l := range all {
		held[l.in.id()+l.product] = l.net()
	}
	groups := map[optionGroup]optionBook{}
	var out basketMargin
	for _, f := range orders {
		n := needs(f.in, f.orderForm, f.price)
		out.Initial.sum(n)
		out.Orders = append(out.Orders, f.margin(n, query.Get("mode") == "compact"))
		out.Charges.sum(chargesOf(f.in, f.orderForm, f.price))
		key, change := f.in.id()+f.Product, f.signed()
		before := held[key]
		held[key] += change
		f.Quantity -= closedBy(before, change)
		n = needs(f.in, f.orderForm, f.price)
		if g, ok := groupOf(f.in, f.Product); ok {
			b, known := groups[g]
			if !known {
				b = optionBookOf(all, g)
			}
			b.trade(f.in, before, change, c.d.u.lastPrice(f.in, c.d.instant()), f.price)
			groups[g] = b
			n.Total, n.Span = n.Total-n.Span, 0 // of the whole group, below
		}
		out.Final.sum(n)
	}
	for g, b := range groups {
		before := optionBookOf(all, g)
		more := max(0, b.bound()-before.bound())
		out.Final.sum(need{Span: more, Total: more})
	}
	return out, nil
}

func (m *orderMargin) sum(n need) {
	m.Span += n.Span
	m.Exposure += n.Exposure
	m.OptionPremium += n.Premium
	m.Var += n.Var
	m.Total += n.Total
}

func (c *charges) sum(more charges) {
	c.TransactionTax += more.TransactionTax
	c.ExchangeTurnoverCharge += more.ExchangeTurnoverCharge
	c.SEBITurnoverCharge += more.SEBITurnoverCharge
	c.Brokerage += more.Brokerage
	c.StampDuty += more.StampDuty
	c.GST.IGST += more.GST.IGST
	c.GST.Total += more.GST.Total
	c.Total += more.Total
}

func answerCharges(c call) (any, *apiError) {
	orders, e := c.parseCalc()
	if e != nil {
		return nil, e
	}
	out := make([]orderCharge, 0, len(orders))
	for _, f := range orders {
		out = append(out, orderCharge{
			TransactionType: f.Side, TradingSymbol: f.in.symbol, Exchange: f.in.exchange, Variety: f.Variety, Product: f.Product,
			OrderType: f.Type, Quantity: f.Quantity, Price: f.price, Charges: chargesOf(f.in, f.orderForm, f.price),
		})
	}
	return out, nil
}

// rates are charges in parts per hundred million of the traded value, which is price x quantity x multiplier. The stamp
// duty is the buyer's; GST is 18 percent of brokerage, turnover charge and SEBI's charge.
type rates struct {
	taxBuy, taxSell, turnover, stamp amount
	brokerage                        amount // 0 for none; capped at 20 rupees
	flat                             bool   // 20 rupees whatever the value
	taxType                          string
}

const sebiRate = 100 // ten rupees a crore

func ratesOf(in *instrument, product string) rates {
	switch {
	case in.exchange == "MCX":
		return rates{taxSell: 10_000, turnover: 2_600, stamp: 2_000, brokerage: 30_000, taxType: "ctt"}
	case in.exchange == "CDS" || in.exchange == "BCD":
		return rates{turnover: 350, stamp: 100, brokerage: 30_000, taxType: "stt"}
	case in.kind == "FUT":
		return rates{taxSell: 20_000, turnover: 1_730, stamp: 2_000, brokerage: 30_000, taxType: "stt"}
	case in.derivative():
		return rates{taxSell: 100_000, turnover: 35_030, stamp: 3_000, flat: true, taxType: "stt"}
	case product == productMIS:
		return rates{taxSell: 25_000, turnover: 2_970, stamp: 3_000, brokerage: 30_000, taxType: "stt"}
	default:
		return rates{taxBuy: 100_000, taxSell: 100_000, turnover: 2_970, stamp: 15_000, taxType: "stt"}
	}
}

// chargesOf reckons taxes and fees of an order at a price.
func chargesOf(in *instrument, o orderForm, price amount) charges {
	r := ratesOf(in, o.Product)
	value := in.money(price, o.Quantity)
	part := func(rate amount) amount { return mulDiv(value, rate, 100_000_000) }
	c := charges{
		TransactionTaxType: r.taxType, TransactionTax: part(r.taxBuy), ExchangeTurnoverCharge: part(r.turnover),
		SEBITurnoverCharge: part(sebiRate), StampDuty: part(r.stamp), Brokerage: min(part(r.brokerage), 20*rupee),
	}
	if r.flat {
		c.Brokerage = 20 * rupee
	}
	if o.Side == sell {
		c.TransactionTax, c.StampDuty = part(r.taxSell), 0
	}
	c.GST.IGST = ((c.Brokerage + c.ExchangeTurnoverCharge + c.SEBITurnoverCharge) * 18).per(100)
	c.GST.Total = c.GST.IGST
	c.Total = c.TransactionTax + c.ExchangeTurnoverCharge + c.SEBITurnoverCharge + c.Brokerage + c.StampDuty + c.GST.Total
	return c
}
