package demo

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// holding returns the row of a share, also when it was bought on the other exchange: the depository knows only ISINs.
func (d *desk) holding(in *instrument) *holding {
	isin := d.u.isin(in)
	for i := range d.Holdings {
		if h := &d.Holdings[i]; h.ISIN == isin || h.Exchange == in.exchange && h.TradingSymbol == in.symbol {
			return h
		}
	}
	return nil
}

// sellable is how many shares can be sold out of the demat account and today's purchases, besides the given order.
// Pledged shares cannot.
func (d *desk) sellable(in *instrument, besides *order) int64 {
	var n int64
	if h := d.holding(in); h != nil {
		n = h.Quantity + h.T1Quantity - h.CollateralQuantity
	}
	n += max(0, d.boughtToday(in))
	for _, o := range d.Orders {
		if o != besides && o.ExchangeOrderID != "" && o.Product == productCNC && o.TransactionType == sell && d.u.byID[o.id()] == in {
			n -= o.remaining()
		}
	}
	return max(n, 0)
}

// boughtToday is the delivery bought today and not sold again.
func (d *desk) boughtToday(in *instrument) int64 {
	l := findLedger(d.ledgers(), in, productCNC)
	if l == nil {
		return 0
	}
	return d.delivered(l)
}

// delivered is what a day brings into the demat account. Sales come out of it first; those a seed has forgotten to take
// out make it negative.
func (d *desk) delivered(l *ledger) int64 {
	var taken int64
	if h := d.holding(l.in); h != nil {
		taken = h.UsedQuantity
	}
	return l.buy.quantity - max(0, l.sell.quantity-taken)
}

// unauthorised reports whether a sale needs a consent at the depository that is not there.
func (d *desk) unauthorised(in *instrument, quantity int64) bool {
	h := d.holding(in)
	return !d.seed.consent && h != nil && h.Quantity+h.T1Quantity > 0 && h.AuthorisedQuantity < quantity
}

// deliver takes shares that were just sold out of the demat account: settled ones first, then those on their way.
func (d *desk) deliver(o *order, quantity int64) {
	if o.Product != productCNC || o.TransactionType != sell {
		return
	}
	h := d.holding(d.u.byID[o.id()])
	if h == nil {
		return
	}
	settled := min(quantity, h.Quantity)
	coming := min(quantity-settled, h.T1Quantity)
	h.Quantity -= settled
	h.T1Quantity -= coming
	h.UsedQuantity += settled + coming
}

// roll begins the next day of trading: the day's business is settled and the order book is empty, but for what waited
// for this morning.
func (d *desk) roll() {
	yesterday := *d
	book := *d.book
	book.At = d.At - 1
	yesterday.book = &book
	d.settle(yesterday.ledgers())
	var waiting []*order
	for _, o := range d.Orders {
		if o.Stage == stageWaiting || o.Stage == stageCancelling && o.ExchangeOrderID == "" {
			waiting = append(waiting, o)
		}
	}
	d.Orders, d.Moves, d.OrdersDay = waiting, nil, len(waiting)
	d.rollFunds()
}

// settle books the trades of a day. Money moves, deliveries arrive, intraday positions are squared off at the last
// price, derivatives are carried or, on their last day, end at it.
func (d *desk) settle(ledgers []*ledger) {
	bought := map[*ledger]int64{}
	for _, l := range ledgers {
		bought[l] = d.delivered(l)
	}
	d.arrive()
	var carried []overnight
	for _, l := range ledgers {
		row := l.row()
		money := &d.Margins.Equity.Cash
		derivative := l.in.derivative()
		switch {
		case derivative && l.in.kind == "FUT":
			*money += row.M2M
		case derivative:
			*money += row.DaySellValue - row.DayBuyValue
		case l.product == productMIS:
			*money += row.PnL
		case l.product == productMTF:
			*money -= (row.DayBuyValue - row.DaySellValue) / fundedPart
			d.fundShares(l)
		default:
			*money += row.DaySellValue - row.DayBuyValue
			d.takeIn(l, bought[l])
		}
		if !derivative || row.Quantity == 0 {
			continue
		}
		if !l.in.expired(d.instant()) && l.product != productMIS {
			carried = append(carried, overnight{l.in.id(), l.product, row.Quantity, row.AveragePrice})
		} else if l.in.kind != "FUT" {
			*money += l.in.money(l.last, row.Quantity)
		}
	}
	d.Carried = carried
}

// arrive settles what was bought the day before and begins the day of every holding.
func (d *desk) arrive() {
	for i := range d.Holdings {
		h := &d.Holdings[i]
		h.Quantity += h.T1Quantity
		h.T1Quantity, h.UsedQuantity, h.AuthorisedQuantity = 0, 0, 0
		h.RealisedQuantity, h.OpeningQuantity = h.Quantity, h.Quantity
	}
	d.Holdings = slices.DeleteFunc(d.Holdings, func(h holding) bool { return h.Quantity == 0 && h.MTF.Quantity == 0 })
}

// takeIn adds what was bought for delivery: it is on its way until the next day.
func (d *desk) takeIn(l *ledger, n int64) {
	h := d.holding(l.in)
	if n < 0 && h != nil {
		h.Quantity = max(0, h.Quantity+n)
		h.RealisedQuantity, h.OpeningQuantity = h.Quantity, h.Quantity
	}
	if n <= 0 {
		return
	}
	if h == nil {
		d.Holdings = append(d.Holdings, d.newHolding(l.in))
		h = &d.Holdings[len(d.Holdings)-1]
	}
	held := h.Quantity + h.T1Quantity
	h.AveragePrice = (h.AveragePrice*amount(held) + l.buy.price()*amount(n)).per(held + n)
	h.T1Quantity += n
	h.OpeningQuantity += n
}

// fundShares adds what was bought with borrowed money.
func (d *desk) fundShares(l *ledger) {
	n := l.buy.quantity - l.sell.quantity
	h := d.holding(l.in)
	if h == nil && n > 0 {
		d.Holdings = append(d.Holdings, d.newHolding(l.in))
		h = &d.Holdings[len(d.Holdings)-1]
	}
	if h == nil || n == 0 {
		return
	}
	m := &h.MTF
	if n > 0 {
		m.AveragePrice = (m.AveragePrice*amount(m.Quantity) + l.buy.price()*amount(n)).per(m.Quantity + n)
	}
	m.Quantity = max(0, m.Quantity+n)
	m.Value = m.AveragePrice * amount(m.Quantity)
	m.InitialMargin = m.Value / fundedPart
}

func (d *desk) newHolding(in *instrument) holding {
	return holding{TradingSymbol: in.symbol, Exchange: in.exchange, InstrumentToken: in.token, ISIN: d.u.isin(in), Product: productCNC}
}

// isin is the ISIN of a share, the same on both exchanges: a seed's, or an invented one.
func (u *universe) isin(in *instrument) string {
	if in.exchange == "NSE" || in.exchange == "BSE" {
		if known := u.isins[in.symbol]; known != "" {
			return known
		}
	}
	return inventedISIN(in)
}

// isinLane is the hash lane of invented ISINs.
const isinLane = 321

func inventedISIN(in *instrument) string {
	if in.derivative() || in.index() {
		return ""
	}
	h := mix(isinLane, in.walk.seed)
	body := fmt.Sprintf("INE%03d%c01%02d", h%1000, 'A'+rune(h/1000%26), h/26_000%100)
	return body + strconv.Itoa(checkDigit(body))
}

// checkDigit is the last digit of an ISIN: letters count as two digits, every second digit from the right twice.
func checkDigit(body string) int {
	var digits []int
	for _, r := range body {
		if r >= 'A' {
			digits = append(digits, int(r-'A'+10)/10, int(r-'A'+10)%10)
		} else {
			digits = append(digits, int(r-'0'))
		}
	}
	sum := 0
	for i, n := range digits {
		if (len(digits)-i)%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return (10 - sum%10) % 10
}

// auction is a row of the shares that can be sold in today's auction.
type auction struct {
	holding
	AuctionNumber string `json:"auction_number"`
}

// auctions lists what the user holds of the shares in auction: every third, drawn anew each day, and the first.
func (d *desk) auctions() []auction {
	rows := []auction{}
	for i, h := range d.holdings() {
		draw := mix(uint64(h.InstrumentToken), auctionLane, hashable(int64(d.today())))
		if h.Quantity > 0 && (i == 0 || draw%3 == 0) {
			rows = append(rows, auction{h, strconv.FormatUint(1+draw%90, 10)})
		}
	}
	return rows
}

const auctionLane = 322

func answerAuctions(c call) (any, *apiError) { return c.d.auctions(), nil }

// answerAuthorise lets shares be sold for a day. On the real exchange a page of the depository stands between.
func answerAuthorise(c call) (any, *apiError) {
	isins, quantities := c.form["isin"], c.form["quantity"]
	if len(quantities) != len(isins) {
		return nil, invalid("Every `isin` needs a `quantity`.")
	}
	allowed := map[string]int64{}
	for i, isin := range isins {
		n, ok := parseDecimal(quantities[i])
		if !ok || n <= 0 {
			return nil, invalid("Invalid `quantity`.")
		}
		allowed[isin] = int64(n / rupee)
	}
	for i := range c.d.Holdings {
		h := &c.d.Holdings[i]
		n, named := allowed[h.ISIN]
		switch {
		case len(isins) == 0:
			h.AuthorisedQuantity = h.Quantity + h.T1Quantity
		case named && n > h.Quantity+h.T1Quantity:
			return nil, &apiError{http.StatusBadRequest, "HoldingException", "Quantity is more than the holding of " + h.ISIN + "."}
		case named:
			h.AuthorisedQuantity = n
		}
	}
	c.d.changed = true
	c.d.Numbers.Trade++
	id := strconv.FormatUint(mix(auctionLane, hashable(c.d.Numbers.Trade), hashable(int64(c.d.At))), 36)
	return map[string]string{"request_id": id}, nil
}
