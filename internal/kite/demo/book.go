package demo

import (
	"fmt"
	"strconv"
	"time"
)

// book is all that the exchange keeps for one user. It is stored as JSON between runs.
type book struct {
	User      string       `json:"user"`
	At        moment       `json:"at"` // how far the engine has come
	Margins   seedMargins  `json:"margins"`
	Holdings  []holding    `json:"holdings"`
	Carried   []overnight  `json:"carried"`
	Orders    []*order     `json:"orders"` // of the day, and what waits for the next
	Moves     []conversion `json:"moves"`
	GTTs      []*gtt       `json:"gtts"`
	Alerts    []*alert     `json:"alerts"`
	Funds     funds        `json:"funds"`
	Numbers   numbers      `json:"numbers"`
	OrdersDay int          `json:"orders_day"` // placed today, legs included
}

// numbers count what gets an id. Those of different users never meet.
type numbers struct {
	Order int64 `json:"order"`
	Trade int64 `json:"trade"`
	GTT   int64 `json:"gtt"`
	Alert int64 `json:"alert"`
	MF    int64 `json:"mf"`
}

// desk is where a book is worked on: together with the prices and the hours.
type desk struct {
	*book
	seed    *account
	u       *universe
	hours   hours
	changed bool // since the book was last stored
}

func (d *desk) instant() instant { return d.At.instant() }

// stamp is the present as the exchange writes it.
func (d *desk) stamp() string { return stamp(d.hours.shown(d.At)) }

func (d *desk) today() date { return d.instant().day }

// newBook opens the book of a user at a moment: the seed's holdings and, at the prices of that day, its orders.
func newBook(seed *account, u *universe, h hours, at moment) *book {
	b := &book{User: seed.user(), At: at, Margins: seed.Margins, Carried: seed.PositionsOvernight}
	b.Numbers = numbers{Order: seed.first, Trade: seed.first, GTT: 900_100 + seed.first, Alert: seed.first, MF: seed.first}
	b.Holdings = append(b.Holdings, seed.Holdings...)
	d := &desk{book: b, seed: seed, u: u, hours: h}
	for _, s := range seed.OrdersToday {
		d.addSeedOrder(s)
	}
	d.addSeedGTTs()
	d.addSeedAlerts()
	d.addSeedFunds()
	b.OrdersDay = len(b.Orders)
	return b
}

// arrival is when a seed order came in. An account opened earlier in the day than the seed was written has all of them
// proportionally earlier: none lies in the future.
func (d *desk) arrival(s seedOrder) instant {
	at := d.instant()
	sec := 0
	if clock, err := time.Parse(time.TimeOnly, s.At); err == nil {
		sec = clock.Hour()*3600 + clock.Minute()*60 + clock.Second() - openSecond
	}
	written := tradingInstant(d.seed.Clock).sec
	return instant{at.day, sec * min(at.sec, written) / written}
}

func (d *desk) addSeedOrder(s seedOrder) {
	in, ok := d.u.byID[s.Key]
	if !ok || in.expired(d.instant()) {
		return
	}
	came := d.arrival(s)
	then := stamp(came.time())
	number := d.nextNumber()
	o := &order{orderRow: orderRow{
		AccountID: d.User, PlacedBy: d.User, OrderID: s.OrderID, OrderTimestamp: then, Variety: varietyRegular,
		Exchange: in.exchange, TradingSymbol: in.symbol, InstrumentToken: in.token, OrderType: s.Type, TransactionType: s.Side,
		Validity: validDay, Product: s.Product, Quantity: s.Qty, PendingQuantity: s.Qty, MarketProtection: s.MarketProtection,
		Price: d.seed.limitOn(s.Price, in, d.instant()), TriggerPrice: d.seed.limitOn(s.TriggerPrice, in, d.instant()), Tags: []string{},
	}, Fills: []tradeRow{}, Number: number, Placed: momentOf(came.time()), Stage: stageDone, Due: never}
	if s.Validity != "" {
		o.Validity = s.Validity
	}
	o.enter(statusReceived)
	o.enter(statusValidating)
	d.Orders = append(d.Orders, o)
	if s.End == statusRejected {
		o.reject(fmt.Sprintf(noFunds, (o.Price * amount(o.Quantity)).rupees(), d.Margins.Equity.Cash.rupees()))
		return
	}
	o.enter(statusOpenPending)
	o.ExchangeOrderID = nullable(exchangeID(number))
	o.Opened, o.Cap = o.Placed+1, o.Price
	reached := nullable(stamp(d.hours.shown(o.Opened)))
	o.ExchangeTimestamp, o.ExchangeUpdateTimestamp = reached, reached
	d.endSeedOrder(o, s, in, came)
}

// endSeedOrder brings a seed order to where it is now.
func (d *desk) endSeedOrder(o *order, s seedOrder, in *instrument, came instant) {
	if s.End == statusTriggerPending {
		o.enter(statusTriggerPending)
		o.Stage = stageTriggering
	} else {
		o.enter(statusOpen)
		o.Stage = stageWorking
	}
	price := d.seed.fillPrice(s, in, came, d.instant())
	for i, n := range s.Fills {
		d.addFill(o, n, price, momentOf(came.time())+moment(1+i))
	}
	switch s.End {
	case statusComplete:
		o.Stage = stageDone
		o.enter(statusComplete)
	case statusCancelled:
		o.Stage = stageDone
		o.CancelledQuantity = o.Quantity - o.FilledQuantity
		o.enter(statusCancelled)
	default:
		o.Due, o.Expires = d.At+1, d.hours.closes(momentOf(came.time()))
	}
}

func (d *desk) nextNumber() int64 {
	d.Numbers.Order++
	return d.Numbers.Order
}

// exchangeID is the number that the exchange itself gives an order.
func exchangeID(n int64) string { return strconv.FormatInt(11_000_000+n, 10) }
