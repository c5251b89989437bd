package demo

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// funds are the mutual funds of a user.
type funds struct {
	Holdings []fundHolding `json:"holdings"`
	Orders   []fundOrder   `json:"orders"`
	SIPs     []sip         `json:"sips"`
}

// seedFunds is the part of a seed about mutual funds.
type seedFunds struct {
	Holdings []fundHolding `json:"holdings"`
	SIPs     []sip         `json:"sips"`
}

// fundHolding is a row as the wire has it. Units have at most four decimals, like prices.
type fundHolding struct {
	Folio           string `json:"folio"`
	Fund            string `json:"fund"`
	TradingSymbol   string `json:"tradingsymbol"`
	AveragePrice    amount `json:"average_price"`
	LastPrice       amount `json:"last_price"`
	LastPriceDate   string `json:"last_price_date"`
	PnL             amount `json:"pnl"`
	Quantity        amount `json:"quantity"`
	PledgedQuantity amount `json:"pledged_quantity"`
}

type fundOrder struct {
	OrderID           string   `json:"order_id"`
	ExchangeOrderID   nullable `json:"exchange_order_id"`
	TradingSymbol     string   `json:"tradingsymbol"`
	Status            string   `json:"status"`
	StatusMessage     nullable `json:"status_message"`
	Folio             nullable `json:"folio"`
	Fund              string   `json:"fund"`
	OrderTimestamp    string   `json:"order_timestamp"`
	ExchangeTimestamp nullable `json:"exchange_timestamp"`
	SettlementID      nullable `json:"settlement_id"`
	TransactionType   string   `json:"transaction_type"`
	Variety           string   `json:"variety"`
	PurchaseType      string   `json:"purchase_type"`
	Quantity          amount   `json:"quantity"`
	Amount            amount   `json:"amount"`
	LastPrice         amount   `json:"last_price"`
	LastPriceDate     string   `json:"last_price_date"`
	AveragePrice      amount   `json:"average_price"`
	PlacedBy          string   `json:"placed_by"`
	Tag               nullable `json:"tag"`
}

// fundTrade is a row of the breakdown of a holding.
type fundTrade struct {
	Fund              string `json:"fund"`
	TradingSymbol     string `json:"tradingsymbol"`
	AveragePrice      amount `json:"average_price"`
	Variety           string `json:"variety"`
	ExchangeTimestamp string `json:"exchange_timestamp"`
	Amount            amount `json:"amount"`
	Folio             string `json:"folio"`
	Quantity          amount `json:"quantity"`
}

// fund is a scheme of the demo exchange. Its net asset value stands still.
type fund struct {
	symbol, amc, name, kind string
	nav                     amount
}

func fundList() []fund {
	return []fund{
		{"INF000D01AA1", "DEMO_MF", "DEMO FLEXI CAP FUND - DIRECT PLAN", "equity", 848_600},
		{"INF000D01AB9", "DEMO_MF", "DEMO LIQUID FUND - DIRECT PLAN", "debt", 20_814_984},
		{"INF000D01AC7", "DEMO_MF", "DEMO NIFTY INDEX FUND - DIRECT PLAN", "equity", 241_370},
		{"INF000D01AD5", "DEMO_MF", "DEMO TAX SAVER - DIRECT PLAN", "elss", 1_011_300},
		{"INF000E01AA0", "SAMPLE_MF", "SAMPLE BALANCED FUND - DIRECT PLAN", "hybrid", 546_800},
	}
}

func findFund(symbol string) (fund, bool) {
	all := fundList()
	i := slices.IndexFunc(all, func(f fund) bool { return f.symbol == symbol })
	if i < 0 {
		return fund{}, false
	}
	return all[i], true
}

func (d *desk) addSeedFunds() {
	d.Funds = funds{Holdings: slices.Clone(d.seed.MF.Holdings), SIPs: slices.Clone(d.seed.MF.SIPs), Orders: []fundOrder{}}
	for i := range d.Funds.Holdings {
		h := &d.Funds.Holdings[i]
		h.LastPriceDate = d.today().previousOpen().String()
	}
	if len(d.Funds.SIPs) > 0 { // the order of the last instalment
		s := d.Funds.SIPs[0]
		f, _ := findFund(s.TradingSymbol)
		o := d.fundOrder(f, buy, s.InstalmentAmount, 0, "sip")
		o.OrderTimestamp = stamp(instant{d.today().previousOpen(), 0}.time())
		d.completeFund(&o)
		d.Funds.Orders = append(d.Funds.Orders, o)
	}
}

func (d *desk) fundOrder(f fund, side string, money, units amount, variety string) fundOrder {
	d.Numbers.MF++
	o := fundOrder{
		OrderID: d.fundID(), TradingSymbol: f.symbol, Status: statusOpen, Fund: f.name, OrderTimestamp: d.stamp(), TransactionType: side,
		Variety: variety, PurchaseType: "FRESH", Quantity: units, Amount: money, LastPrice: f.nav,
		LastPriceDate: d.today().previousOpen().String(), PlacedBy: d.User,
	}
	for _, h := range d.Funds.Holdings {
		if h.TradingSymbol == f.symbol {
			o.PurchaseType, o.Folio = "ADDITIONAL", nullable(h.Folio)
		}
	}
	return o
}

func (d *desk) fundID() string {
	h := mix(fundLane, hashable(d.Numbers.MF))
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", h>>32, h>>16&0xffff, h>>4&0xfff, h&0xfff, d.Numbers.MF)
}

const fundLane = 331

// completeFund allots an order at the net asset value.
func (d *desk) completeFund(o *fundOrder) {
	f, _ := findFund(o.TradingSymbol)
	o.Status, o.AveragePrice = statusComplete, f.nav
	o.ExchangeOrderID = nullable(strconv.FormatInt(250_000_000+d.Numbers.MF, 10))
	o.ExchangeTimestamp, o.SettlementID = nullable(d.today().String()), "2122061"
	if o.TransactionType == buy {
		o.Quantity = (o.Amount * rupee).per(int64(f.nav)) / 10 * 10 // units have three decimals
	} else {
		o.Amount = (o.Quantity * f.nav).per(int64(rupee))
	}
}

// rollFunds allots yesterday's orders.
func (d *desk) rollFunds() {
	for i := range d.Funds.Holdings {
		d.Funds.Holdings[i].LastPriceDate = d.today().previousOpen().String()
	}
	for i := range d.Funds.Orders {
		if o := &d.Funds.Orders[i]; o.Status == statusOpen {
			d.completeFund(o)
			d.allot(*o)
		}
	}
}

func (d *desk) allot(o fundOrder) {
	i := slices.IndexFunc(d.Funds.Holdings, func(h fundHolding) bool { return h.TradingSymbol == o.TradingSymbol })
	if i < 0 {
		folio := strconv.FormatInt(31_000_100+d.Numbers.MF, 10)
		d.Funds.Holdings = append(d.Funds.Holdings, fundHolding{
			Folio: folio, Fund: o.Fund, TradingSymbol: o.TradingSymbol, LastPrice: o.LastPrice, LastPriceDate: o.LastPriceDate,
		})
		i = len(d.Funds.Holdings) - 1
	}
	h := &d.Funds.Holdings[i]
	if o.TransactionType == sell {
		h.Quantity = max(0, h.Quantity-o.Quantity)
		return
	}
	// Both products are of four and four decimals; a thousandth of a unit is lost nowhere.
	cost := h.AveragePrice*(h.Quantity/10) + o.AveragePrice*(o.Quantity/10)
	h.Quantity += o.Quantity
	h.AveragePrice = cost.per(int64(h.Quantity / 10))
}

func answerFundHoldings(c call) (any, *apiError) { return rows(c.d.Funds.Holdings), nil }

func answerFundHolding(c call) (any, *apiError) {
	rows := []fundTrade{}
	for _, h := range c.d.Funds.Holdings {
		if h.TradingSymbol == c.args[0] {
			rows = append(rows, fundTrade{
				Fund: h.Fund, TradingSymbol: h.TradingSymbol, AveragePrice: h.AveragePrice, Variety: "sip", Folio: h.Folio,
				ExchangeTimestamp: h.LastPriceDate + " 00:00:00", Amount: (h.AveragePrice * (h.Quantity / 10)).per(1000), Quantity: h.Quantity,
			})
		}
	}
	if len(rows) == 0 {
		return nil, unknown("Holding")
	}
	return rows, nil
}

// answerFundOrders lists the orders of a range of dates; without one, of the last seven days.
func answerFundOrders(c call) (any, *apiError) {
	query := c.r.URL.Query()
	from, to := query.Get("from"), query.Get("to")
	for _, s := range []string{from, to} {
		if _, err := time.Parse(time.DateOnly, s); err != nil && s != "" {
			return nil, invalid("Invalid date, expected YYYY-MM-DD.")
		}
	}
	if from == "" {
		from = (c.d.today() - 7).String()
	}
	if to == "" {
		to = "9999-12-31"
	}
	rows := []fundOrder{}
	for _, o := range c.d.Funds.Orders {
		if day := o.OrderTimestamp[:len(time.DateOnly)]; from <= day && day <= to {
			rows = append(rows, o)
		}
	}
	return rows, nil
}

func (c call) findFundOrder() (*fundOrder, *apiError) {
	i := slices.IndexFunc(c.d.Funds.Orders, func(o fundOrder) bool { return o.OrderID == c.args[0] })
	if i < 0 {
		return nil, unknown("Order")
	}
	return &c.d.Funds.Orders[i], nil
}

func answerFundOrder(c call) (any, *apiError) {
	o, e := c.findFundOrder()
	if e != nil {
		return nil, e
	}
	return o, nil
}

func answerPlaceFund(c call) (any, *apiError) {
	f := &fields{form: c.form}
	symbol, side := f.word("tradingsymbol", true), f.word("transaction_type", true, buy, sell)
	money, units := f.money("amount", false), f.money("quantity", false)
	tag := f.word("tag", false)
	scheme, ok := findFund(symbol)
	switch {
	case f.bad != nil:
	case !ok:
		f.fail(invalid("Invalid `tradingsymbol`."))
	case side == buy && money < 100*rupee:
		f.fail(invalid("Minimum purchase amount is 100."))
	case side == sell && units <= 0:
		f.fail(invalid("Missing `quantity`."))
	case side == sell && units > c.d.unitsOf(symbol):
		f.fail(invalid("Quantity is more than what is held."))
	}
	if f.bad != nil {
		return nil, f.bad
	}
	if side == buy {
		units = 0
	} else {
		money = 0
	}
	o := c.d.fundOrder(scheme, side, money, units, "regular")
	o.Tag = nullable(tag)
	c.d.changed = true
	c.d.Funds.Orders = append(c.d.Funds.Orders, o)
	return map[string]string{"order_id": o.OrderID}, nil
}

func (d *desk) unitsOf(symbol string) (n amount) {
	for _, h := range d.Funds.Holdings {
		if h.TradingSymbol == symbol {
			n += h.Quantity - h.PledgedQuantity
		}
	}
	return n
}

func answerCancelFund(c call) (any, *apiError) {
	o, e := c.findFundOrder()
	if e != nil {
		return nil, e
	}
	if o.Status != statusOpen {
		return nil, invalid("The order is %s.", o.Status)
	}
	c.d.changed = true
	o.Status = statusCancelled
	return map[string]string{"order_id": o.OrderID}, nil
}

func answerAllotments(c call) (any, *apiError) {
	isins := []string{}
	for _, h := range c.d.Funds.Holdings {
		isins = append(isins, h.TradingSymbol)
	}
	return isins, nil
}

// answerFundList writes the CSV of all schemes.
func answerFundList(c call) (any, *apiError) {
	var b bytes.Buffer
	b.WriteString("tradingsymbol,amc,name,purchase_allowed,redemption_allowed,minimum_purchase_amount,purchase_amount_multiplier," +
		"minimum_additional_purchase_amount,minimum_redemption_quantity,redemption_quantity_multiplier,dividend_type,scheme_type,plan," +
		"settlement_type,last_price,last_price_date\n")
	day := c.at.day.previousOpen().String()
	for _, f := range fundList() {
		fmt.Fprintf(&b, "%s,%s,%s,1,1,100.0,1.0,100.0,0.001,0.001,growth,%s,direct,T3,%s,%s\n", f.symbol, f.amc, f.name, f.kind, decimal(f.nav), day)
	}
	return csvList{plain: b.Bytes()}, nil
}

// formOf reads the body of a write as a form.
func formOf(body []byte) (url.Values, *apiError) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, invalid("Invalid form.")
	}
	return form, nil
}
