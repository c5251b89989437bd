package demo

import (
	"strings"
	"time"
)

// overnight is a position carried in from earlier days.
type overnight struct {
	Key          string `json:"key"`
	Product      string `json:"product"`
	Quantity     int64  `json:"quantity"`
	AveragePrice amount `json:"average_price"`
}

// seedOrder is an order of today and what became of it.
type seedOrder struct {
	At      string  `json:"at"` // time of day
	Key     string  `json:"key"`
	Side    string  `json:"side"`
	Qty     int64   `json:"qty"`
	Type    string  `json:"type"`
	Price   amount  `json:"price"`
	Product string  `json:"product"`
	End     string  `json:"end"`
	Fills   []int64 `json:"fills"`
}

func (o seedOrder) filled() (n int64) {
	for _, f := range o.Fills {
		n += f
	}
	return n
}

// open reports whether the order still binds money.
func (o seedOrder) open() bool { return o.End == "OPEN" || o.End == "TRIGGER PENDING" }

// limitOn is the limit price as it would have been set on the given day: the seed's, moved by what the instrument
// moved since the seed's day. On the seed's own day it is the seed's.
func (a *account) limitOn(o seedOrder, in *instrument, at instant) amount {
	if o.Price == 0 {
		return 0
	}
	seedDay := tradingInstant(a.Clock)
	return max(in.tick, o.Price+previousClose(in, at)-previousClose(in, seedDay))
}

// fillPrice is what the order was filled at: the market one second after it arrived when its limit allowed that, else
// its limit, which then was reached later.
func (a *account) fillPrice(o seedOrder, in *instrument, at instant) amount {
	limit := a.limitOn(o, in, at)
	arrival, err := time.Parse(time.TimeOnly, o.At)
	if err != nil {
		return limit
	}
	sec := arrival.Hour()*3600 + arrival.Minute()*60 + arrival.Second() + 1 - openSecond
	market := in.priceAt(instant{at.day, min(max(sec, 0), sessionLength-1)})
	switch {
	case limit == 0, o.Side == "BUY" && market <= limit, o.Side == "SELL" && market >= limit:
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

// positions returns both views of the seed's trades: net carries the overnight positions, day does not.
func (a *account) positions(u *universe, at instant) positions {
	out := positions{Net: []position{}, Day: []position{}}
	for _, l := range a.ledgers(u, at) {
		out.Net = append(out.Net, l.row())
		if l.buy.quantity+l.sell.quantity > 0 {
			l.carried = side{}
			out.Day = append(out.Day, l.row())
		}
	}
	return out
}

// ledgers groups by instrument and product, overnight positions first.
func (a *account) ledgers(u *universe, at instant) []*ledger {
	var all []*ledger
	find := func(key, product string) *ledger {
		in, ok := u.byID[key]
		if !ok || in.expired(at) {
			return nil
		}
		for _, l := range all {
			if l.in == in && l.product == product {
				return l
			}
		}
		l := &ledger{in: in, product: product, previous: previousClose(in, at), last: in.priceAt(at)}
		all = append(all, l)
		return l
	}
	for _, o := range a.PositionsOvernight {
		if l := find(o.Key, o.Product); l != nil {
			l.carried = side{o.Quantity, o.AveragePrice * amount(o.Quantity)}
		}
	}
	for _, o := range a.OrdersToday {
		n := o.filled()
		if n == 0 {
			continue
		}
		l := find(o.Key, o.Product)
		if l == nil {
			continue
		}
		s := &l.buy
		if o.Side == "SELL" {
			s = &l.sell
		}
		s.quantity += n
		s.value += a.fillPrice(o, l.in, at) * amount(n)
	}
	return all
}

// row computes the figures. All demo positions are in segments where one unit of price is one unit of money, so the
// multiplier is 1. P&L stands under unrealised, as on the real wire.
func (l *ledger) row() position {
	buy, sell := l.buy, l.sell
	buyM2M, sellM2M := buy.value, sell.value
	if n := l.carried.quantity; n > 0 {
		buy.quantity += n
		buy.value += l.carried.value
		buyM2M += l.previous * amount(n)
	} else if n < 0 {
		sell.quantity -= n
		sell.value -= l.carried.value
		sellM2M -= l.previous * amount(n)
	}
	quantity := l.carried.quantity + l.buy.quantity - l.sell.quantity
	p := position{
		TradingSymbol: l.in.symbol, Exchange: l.in.exchange, InstrumentToken: l.in.token, Product: l.product,
		Quantity: quantity, OvernightQuantity: l.carried.quantity, Multiplier: 1, LastPrice: l.last,
		BuyQuantity: buy.quantity, BuyPrice: buy.price(), BuyValue: buy.value, BuyM2M: buyM2M,
		SellQuantity: sell.quantity, SellPrice: sell.price(), SellValue: sell.value, SellM2M: sellM2M,
		DayBuyQuantity: l.buy.quantity, DayBuyPrice: l.buy.price(), DayBuyValue: l.buy.value,
		DaySellQuantity: l.sell.quantity, DaySellPrice: l.sell.price(), DaySellValue: l.sell.value,
	}
	switch {
	case quantity > 0:
		p.AveragePrice = buy.price()
	case quantity < 0:
		p.AveragePrice = sell.price()
	}
	if l.carried.quantity != 0 {
		p.ClosePrice = l.previous // a position opened today has none
	}
	held := l.last * amount(quantity)
	p.Value = sell.value - buy.value
	p.PnL = p.Value + held
	p.M2M = sellM2M - buyM2M + held
	p.Unrealised = p.PnL
	return p
}

type margins struct {
	Equity    segment `json:"equity"`
	Commodity segment `json:"commodity"`
}

type segment struct {
	Enabled   bool      `json:"enabled"`
	Net       amount    `json:"net"`
	Available available `json:"available"`
	Utilised  utilised  `json:"utilised"`
}

type available struct {
	AdhocMargin    amount `json:"adhoc_margin"`
	Cash           amount `json:"cash"`
	OpeningBalance amount `json:"opening_balance"`
	LiveBalance    amount `json:"live_balance"`
	Collateral     amount `json:"collateral"`
	IntradayPayin  amount `json:"intraday_payin"`
}

type utilised struct {
	Debits           amount `json:"debits"`
	Exposure         amount `json:"exposure"`
	M2MRealised      amount `json:"m2m_realised"`
	M2MUnrealised    amount `json:"m2m_unrealised"`
	OptionPremium    amount `json:"option_premium"`
	Payout           amount `json:"payout"`
	Span             amount `json:"span"`
	HoldingSales     amount `json:"holding_sales"`
	Turnover         amount `json:"turnover"`
	LiquidCollateral amount `json:"liquid_collateral"`
	StockCollateral  amount `json:"stock_collateral"`
	Delivery         amount `json:"delivery"`
}

// What a position binds, as parts of its value. The derivative rates are far below real ones, so that an account with
// two index positions is not bankrupt from the start.
const (
	spanPart     = 50  // 2 percent
	exposurePart = 200 // 0.5 percent
	intradayPart = 5   // 20 percent
)

// margins follows the money of the positions and open orders. Pledged shares are all stock collateral.
func (a *account) margins(u *universe, at instant) margins {
	seed := a.Margins.Equity
	var use utilised
	var shares amount // bound by intraday shares and open orders
	for _, l := range a.ledgers(u, at) {
		row := l.row()
		size := l.last * amount(max(row.Quantity, -row.Quantity))
		switch {
		case l.in.derivative():
			use.Span += size / spanPart
			use.Exposure += size / exposurePart
			use.M2MUnrealised += row.M2M
		case l.product == "MIS":
			shares += row.BuyValue / intradayPart
		default:
			use.HoldingSales += l.sell.value
		}
		use.Turnover += l.buy.value + l.sell.value
	}
	for _, o := range a.OrdersToday {
		in, known := u.byID[o.Key]
		if !known || !o.open() || o.Side != "BUY" || in.expired(at) {
			continue
		}
		bound := a.limitOn(o, in, at) * amount(o.Qty-o.filled())
		if o.Product == "MIS" {
			bound /= intradayPart
		}
		shares += bound
	}
	use.StockCollateral = seed.Collateral
	use.Debits = use.Span + use.Exposure + shares
	live := seed.Cash + seed.Collateral + seed.IntradayPayin - use.Debits
	return margins{Equity: segment{
		Enabled: seed.Enabled,
		Net:     live,
		Available: available{
			Cash: seed.Cash, OpeningBalance: seed.Cash, LiveBalance: live,
			Collateral: seed.Collateral, IntradayPayin: seed.IntradayPayin,
		},
		Utilised: use,
	}, Commodity: segment{Enabled: a.Margins.Commodity.Enabled}}
}

// segmentOf returns the margins of one segment by its path name.
func (m margins) segmentOf(name string) (segment, bool) {
	switch strings.ToLower(name) {
	case "equity":
		return m.Equity, true
	case "commodity":
		return m.Commodity, true
	default:
		return segment{}, false
	}
}
