package demo

// overnight is a position carried in from earlier days.
type overnight struct {
	Key          string `json:"key"`
	Product      string `json:"product"`
	Quantity     int64  `json:"quantity"`
	AveragePrice amount `json:"average_price"`
}

// seedOrder is an order of today and what became of it.
type seedOrder struct {
	OrderID          string  `json:"order_id"`
	At               string  `json:"at"` // time of day
	Key              string  `json:"key"`
	Side             string  `json:"side"`
	Qty              int64   `json:"qty"`
	Type             string  `json:"type"`
	Price            amount  `json:"price"`
	TriggerPrice     amount  `json:"trigger_price"`
	MarketProtection amount  `json:"market_protection"`
	Validity         string  `json:"validity"`
	Product          string  `json:"product"`
	End              string  `json:"end"`
	Fills            []int64 `json:"fills"`
}

// limitOn is a price as it would have been set on the given day: the seed's, moved by what the instrument moved since
// the seed's day. On the seed's own day it is the seed's.
func (a *account) limitOn(price amount, in *instrument, at instant) amount {
	if price == 0 {
		return 0
	}
	seedDay := tradingInstant(a.Clock)
	return max(in.tick, price+previousClose(in, at)-previousClose(in, seedDay))
}

// fillPrice is what an order was filled at: the market one second after it arrived when its limit allowed that, else
// its limit, which then was reached later.
func (a *account) fillPrice(o seedOrder, in *instrument, came, at instant) amount {
	limit := a.limitOn(o.Price, in, at)
	market := in.priceAt(instant{came.day, min(max(came.sec+1, 0), sessionLength-1)})
	switch {
	case limit == 0, o.Side == buy && market <= limit, o.Side == sell && market >= limit:
		return market
	default:
		return limit
	}
}

// position is a row of net or day positions as the wire has it.
type position struct {
	TradingSymbol     string `json:"tradingsymbol"`
	Exchange          string `json:"exchange"`
	InstrumentToken   uint32 `json:"instrument_token"`
	Product           string `json:"product"`
	Quantity          int64  `json:"quantity"`
	OvernightQuantity int64  `json:"overnight_quantity"`
	Multiplier        int64  `json:"multiplier"`
	AveragePrice      amount `json:"average_price"`
	ClosePrice        amount `json:"close_price"`
	LastPrice         amount `json:"last_price"`
	Value             amount `json:"value"`
	PnL               amount `json:"pnl"`
	M2M               amount `json:"m2m"`
	Unrealised        amount `json:"unrealised"`
	Realised          amount `json:"realised"`
	BuyQuantity       int64  `json:"buy_quantity"`
	BuyPrice          amount `json:"buy_price"`
	BuyValue          amount `json:"buy_value"`
	BuyM2M            amount `json:"buy_m2m"`
	SellQuantity      int64  `json:"sell_quantity"`
	SellPrice         amount `json:"sell_price"`
	SellValue         amount `json:"sell_value"`
	SellM2M           amount `json:"sell_m2m"`
	DayBuyQuantity    int64  `json:"day_buy_quantity"`
	DayBuyPrice       amount `json:"day_buy_price"`
	DayBuyValue       amount `json:"day_buy_value"`
	DaySellQuantity   int64  `json:"day_sell_quantity"`
	DaySellPrice      amount `json:"day_sell_price"`
	DaySellValue      amount `json:"day_sell_value"`
}

type positions struct {
	Net []position `json:"net"`
	Day []position `json:"day"`
}

// side is one side of a position: what was traded and at which total.
type side struct {
	quantity int64
	value    amount
}

func (s side) price() amount {
	if s.quantity == 0 {
		return 0
	}
	return s.value / amount(s.quantity)
}

// ledger collects what makes up one position.
type ledger struct {
	in       *instrument
	product  string
	carried  side // overnight; the quantity is negative for a short position, the value is at the average price
	buy      side // today
	sell     side // today
	previous amount
	last     amount
}

// positions returns both views of the book: net carries the overnight positions, day does not.
func (d *desk) positions() positions {
	out := positions{Net: []position{}, Day: []position{}}
	for _, l := range d.ledgers() {
		out.Net = append(out.Net, l.row())
		if l.buy.quantity+l.sell.quantity > 0 {
			l.carried = side{}
			out.Day = append(out.Day, l.row())
		}
	}
	return out
}

// ledgers groups by instrument and product, overnight positions first.
func (d *desk) ledgers() []*ledger {
	var all []*ledger
	find := func(key, product string) *ledger {
		in, ok := d.u.byID[key]
		if !ok || in.expired(d.instant()) {
			return nil
		}
		l := findLedger(all, in, product)
		if l == nil {
			l = &ledger{in: in, product: product, previous: previousClose(in, d.instant()), last: in.priceAt(d.instant())}
			all = append(all, l)
		}
		return l
	}
	for _, o := range d.Carried {
		if l := find(o.Key, o.Product); l != nil {
			l.carried = side{o.Quantity, o.AveragePrice * amount(o.Quantity)}
		}
	}
	for _, o := range d.Orders {
		if len(o.Fills) == 0 {
			continue
		}
		if l := find(o.id(), o.Product); l != nil {
			l.today(o.TransactionType).add(o.FilledQuantity, o.Spent)
		}
	}
	for _, m := range d.Moves {
		if from, to := find(m.Key, m.From), find(m.Key, m.To); from != nil && to != nil {
			m.move(from, to)
		}
	}
	return all
}

func findLedger(all []*ledger, in *instrument, product string) *ledger {
	for _, l := range all {
		if l.in == in && l.product == product {
			return l
		}
	}
	return nil
}

func (l *ledger) today(transaction string) *side {
	if transaction == sell {
		return &l.sell
	}
	return &l.buy
}

func (s *side) add(quantity int64, value amount) {
	s.quantity += quantity
	s.value += value
}

// net is the quantity held now.
func (l *ledger) net() int64 { return l.carried.quantity + l.buy.quantity - l.sell.quantity }

// multiplier is how many units of money one unit of price is for a quantity of one.
func (in *instrument) multiplier() int64 {
	switch in.exchange {
	case "CDS", "BCD":
		return 1000
	case "MCX":
	default:
		return 1
	}
	switch in.name {
	case "GOLD", "CRUDEOIL":
		return 100
	case "GOLDM", "CRUDEOILM":
		return 10
	case "SILVER":
		return 30
	case "SILVERM", "ALUMINIUM", "LEAD", "ZINC":
		return 5
	case "NATURALGAS":
		return 1250
	case "NATGASMINI":
		return 250
	case "COPPER":
		return 2500
	default:
		return 1
	}
}

// money is what a quantity at a price is worth.
func (in *instrument) money(price amount, quantity int64) amount {
	return price * amount(quantity*in.multiplier())
}

// row computes the figures. P&L stands under unrealised, as on the real wire.
func (l *ledger) row() position {
	bought, sold := l.buy, l.sell
	buyM2M, sellM2M := bought.value, sold.value
	if n := l.carried.quantity; n > 0 {
		bought.add(n, l.carried.value)
		buyM2M += l.previous * amount(n)
	} else if n < 0 {
		sold.add(-n, -l.carried.value)
		sellM2M -= l.previous * amount(n)
	}
	m := amount(l.in.multiplier())
	p := position{
		TradingSymbol: l.in.symbol, Exchange: l.in.exchange, InstrumentToken: l.in.token, Product: l.product,
		Quantity: l.net(), OvernightQuantity: l.carried.quantity, Multiplier: int64(m), LastPrice: l.last,
		BuyQuantity: bought.quantity, BuyPrice: bought.price(), BuyValue: bought.value * m, BuyM2M: buyM2M * m,
		SellQuantity: sold.quantity, SellPrice: sold.price(), SellValue: sold.value * m, SellM2M: sellM2M * m,
		DayBuyQuantity: l.buy.quantity, DayBuyPrice: l.buy.price(), DayBuyValue: l.buy.value * m,
		DaySellQuantity: l.sell.quantity, DaySellPrice: l.sell.price(), DaySellValue: l.sell.value * m,
	}
	switch {
	case p.Quantity > 0:
		p.AveragePrice = p.BuyPrice
	case p.Quantity < 0:
		p.AveragePrice = p.SellPrice
	}
	if l.carried.quantity != 0 {
		p.ClosePrice = l.previous // a position opened today has none
	}
	held := l.in.money(l.last, p.Quantity)
	p.Value = p.SellValue - p.BuyValue
	p.PnL = p.Value + held
	p.M2M = p.SellM2M - p.BuyM2M + held
	p.Unrealised = p.PnL
	return p
}

// conversion is a part of a position that was moved to another product.
type conversion struct {
	Key       string `json:"key"`
	From      string `json:"from"`
	To        string `json:"to"`
	Side      string `json:"side"`
	Overnight bool   `json:"overnight"`
	Quantity  int64  `json:"quantity"`
	Price     amount `json:"price"`
}

func (m conversion) move(from, to *ledger) {
	value := m.Price * amount(m.Quantity)
	if m.Overnight {
		n := m.Quantity
		if m.Side == sell {
			n, value = -n, -value
		}
		from.carried.add(-n, -value)
		to.carried.add(n, value)
		return
	}
	from.today(m.Side).add(-m.Quantity, -value)
	to.today(m.Side).add(m.Quantity, value)
}

// answerConvert moves a position between products.
func answerConvert(c call) (any, *apiError) {
	f := &fields{form: c.form}
	m := conversion{
		Key:       f.word("exchange", true) + ":" + f.word("tradingsymbol", true),
		From:      f.word("old_product", true, productCNC, productMIS, productNRML, productMTF),
		To:        f.word("new_product", true, productCNC, productMIS, productNRML, productMTF),
		Side:      f.word("transaction_type", true, buy, sell),
		Overnight: f.word("position_type", true, "day", "overnight") == "overnight",
		Quantity:  f.count("quantity", true),
	}
	if f.bad != nil {
		return nil, f.bad
	}
	d := c.d
	in := d.u.byID[m.Key]
	if in == nil || m.From == m.To || m.Quantity == 0 || m.Quantity%in.lot != 0 {
		return nil, invalid("Invalid position conversion.")
	}
	if e := checkProduct(orderForm{Product: m.To}, in); e != nil {
		return nil, e
	}
	l := findLedger(d.ledgers(), in, m.From)
	if l == nil {
		return nil, invalid("There is no such position to convert.")
	}
	part, open := *l.today(m.Side), l.net()
	if m.Overnight {
		part = l.carried
	}
	if m.Side == sell {
		open = -open
		part.quantity, part.value = max(part.quantity, -part.quantity), max(part.value, -part.value)
	}
	if m.Quantity > min(part.quantity, open) {
		return nil, invalid("Quantity is more than what can be converted, %d.", max(0, min(part.quantity, open)))
	}
	m.Price = part.price()
	form := orderForm{Exchange: in.exchange, TradingSymbol: in.symbol, Side: m.Side, Product: m.To, Quantity: m.Quantity}
	more := needs(in, form, m.Price).Total
	form.Product = m.From
	more -= needs(in, form, m.Price).Total
	if free := d.available(m.To); more > free && more > 0 {
		return nil, marginRefused(more, free)
	}
	d.Moves, d.changed = append(d.Moves, m), true
	return true, nil
}
