package demo

import (
	"fmt"
	"strconv"
	"time"
)

// The order engine is lazy: nothing runs in the background. Before a book is read it is brought from where it was to
// now, and only at the seconds at which something can happen. Everything depends on the demo time and the book alone,
// never on when or how often somebody looked.

// advance brings the book to a moment; one in the past changes nothing.
func (d *desk) advance(to moment) {
	for {
		roll := d.hours.reopens(momentOf(d.instant().time()))
		next := roll
		for _, o := range d.Orders {
			next = min(next, o.Due)
		}
		for _, g := range d.GTTs {
			next = min(next, g.Due)
		}
		for _, a := range d.Alerts {
			next = min(next, a.Due)
		}
		if next > to {
			break
		}
		d.At = max(d.At, next)
		d.changed = true
		if next == roll {
			d.roll()
		}
		d.happen()
	}
	d.At = max(d.At, to)
}

// happen does all that is due in the present second. What it adds is due later.
func (d *desk) happen() {
	for _, o := range d.Orders {
		if o.Due <= d.At {
			d.step(o)
		}
	}
	for _, g := range d.GTTs {
		if g.Due <= d.At {
			d.watchGTT(g)
		}
	}
	for _, a := range d.Alerts {
		if a.Due <= d.At {
			d.watchAlert(a)
		}
	}
}

// step moves one order on.
func (d *desk) step(o *order) {
	switch o.Stage {
	case stageWaiting:
		o.Stage, o.Due = stageValidating, d.At+1
		o.enter(statusValidating)
	case stageValidating:
		d.admit(o)
	case stageModifying:
		d.modify(o)
	case stageCancelling:
		d.finishCancel(o)
	case stageTriggering:
		d.watchTrigger(o)
	case stageWorking:
		d.work(o)
	case stageDone:
		o.Due = never
	}
}

// admit is the risk check; what passes is in the market in the same second.
func (d *desk) admit(o *order) {
	if reason, raw := d.objection(o); reason != "" {
		o.StatusMessageRaw = nullable(raw)
		o.reject(reason)
		return
	}
	o.enter(statusOpenPending)
	now := nullable(d.stamp())
	o.ExchangeOrderID = nullable(exchangeID(o.Number))
	o.ExchangeTimestamp, o.ExchangeUpdateTimestamp = now, now
	o.Opened, o.Expires = d.At, d.hours.closes(d.At)
	if o.Validity == validTTL {
		o.Expires = min(o.Expires, d.At+moment(60*o.ValidityTTL))
	}
	if (o.OrderType == typeSL || o.OrderType == typeSLM) && o.Stop == 0 {
		o.Stage = stageTriggering
		o.enter(statusTriggerPending)
		d.watchTrigger(o)
		return
	}
	d.enterMarket(o)
	d.work(o)
}

// objection is why an order may not reach the market, in the words of the exchange and of its risk system.
func (d *desk) objection(o *order) (reason, raw string) {
	in := d.u.byID[o.id()]
	switch {
	case o.forced() == "demoreject":
		return "The order was rejected because its tag asks for it.", "RMS:Rule: demo tag"
	case !d.hours.open(d.At):
		return "Markets are closed right now. Place an after market order (AMO) instead.", "RMS:Market closed"
	case in == nil || in.expired(d.instant()):
		return "The instrument has expired.", "RMS:Scrip expired"
	}
	if o.TransactionType == sell && o.Product == productCNC && o.Variety != varietyAuction {
		if free := d.sellable(in, o); o.Quantity > free {
			return fmt.Sprintf("Insufficient stock holding. Required holding quantity is %d but available holding quantity is %d.", o.Quantity, free),
				"RMS:Rule: Check holdings including collateral for entity account"
		}
		if d.unauthorised(in, o.Quantity) {
			return "Holdings are not authorised for sale.", "RMS:Rule: CDSL authorisation"
		}
	}
	if need, free := d.required(in, o.form(), d.limit(o)), d.available(o.Product); need > free {
		return shortOfFunds(need, free), "RMS:Margin Exceeds, Required:" + need.rupees() + ", Available:" + free.rupees()
	}
	return "", ""
}

const noFunds = "Insufficient funds. Required margin is %s but available margin is %s."

func shortOfFunds(need, free amount) string {
	return fmt.Sprintf(noFunds, need.rupees(), max(free, 0).rupees())
}

// form is what the order asks for, as far as the risk check cares.
func (o *order) form() orderForm {
	return orderForm{
		Variety: o.Variety, Exchange: o.Exchange, TradingSymbol: o.TradingSymbol, Side: o.TransactionType, Type: o.OrderType,
		Product: o.Product, Quantity: o.Quantity - o.FilledQuantity, Price: o.Price, Trigger: o.TriggerPrice, Protection: o.MarketProtection,
	}
}

// reject ends an order that never was in the market; its quantities are all zero then.
func (o *order) reject(reason string) {
	o.StatusMessage = nullable(reason)
	if o.StatusMessageRaw == "" {
		o.StatusMessageRaw = "RMS:" + nullable(reason)
	}
	o.PendingQuantity, o.CancelledQuantity = 0, 0
	o.Stage, o.Due = stageDone, never
	o.enter(statusRejected)
}

// limit is the worst price that an order takes, reckoned now.
func (d *desk) limit(o *order) amount {
	return d.reckoned(o.form(), d.u.byID[o.id()])
}

// protected is the worst price of a market order: some percent away, within a tick.
func protected(in *instrument, side string, percent, from amount) amount {
	if percent < 0 {
		percent = 2 * rupee
		if in.derivative() && in.kind != "FUT" {
			percent = 10 * rupee // options move in larger steps
		}
	}
	width := from * percent / (100 * rupee)
	if side == buy {
		return (from + width) / in.tick * in.tick
	}
	return max(in.tick, (from-width+in.tick-1)/in.tick*in.tick)
}

// enterMarket puts an order among those that can be filled.
func (d *desk) enterMarket(o *order) {
	o.Stage = stageWorking
	o.Cap = d.limit(o)
	if o.OrderType == typeSLM { // awake, it is a market order
		in := d.u.byID[o.id()]
		o.Cap = protected(in, o.TransactionType, o.MarketProtection, d.u.lastPrice(in, d.instant()))
	}
	o.ExchangeUpdateTimestamp = nullable(d.stamp())
	o.enter(statusOpen)
}

// watchTrigger waits for the price at which a stop order wakes up.
func (d *desk) watchTrigger(o *order) {
	if d.At >= o.Expires {
		d.cancelRest(o)
		return
	}
	in := d.u.byID[o.id()]
	price := d.u.lastPrice(in, d.instant())
	if o.TransactionType == buy && price >= o.TriggerPrice || o.TransactionType == sell && price <= o.TriggerPrice {
		d.enterMarket(o)
		d.work(o)
		return
	}
	o.Due = min(o.Expires, d.quiet(in, price-o.TriggerPrice))
}

// fillLane is the hash lane of how much is traded in a second.
const fillLane = 311

// work tries to fill an order in the present second.
func (d *desk) work(o *order) {
	in := d.u.byID[o.id()]
	price := d.u.lastPrice(in, d.instant())
	switch {
	case d.At >= o.Expires, o.Validity == validIOC && d.At > o.Opened:
		d.cancelRest(o)
	case o.forced() == "demopartial":
		d.partial(o, in, price)
	case o.Variety == varietyAuction || !d.trades(in, o.TransactionType):
		o.Due = o.Expires
	case !o.crosses(price):
		o.Due = min(o.Expires, d.quiet(in, price-o.Cap))
	default:
		lots := 1 + int64(mix(uint64(in.token), fillLane, hashable(o.Number), hashable(int64(d.At)))%5)
		d.fill(o, min(o.Quantity-o.FilledQuantity, lots*in.lot), price)
	}
	if o.Validity == validIOC && o.Stage == stageWorking {
		o.Due = d.At + 1
	}
}

// trades reports whether anybody is on the other side: not for the share that never trades, and not for buyers of the
// one at its upper circuit.
func (d *desk) trades(in *instrument, side string) bool {
	return in.id() != neverTrades && (in.id() != atUpperCircuit || side == sell)
}

func (o *order) crosses(price amount) bool {
	if o.TransactionType == buy {
		return price <= o.Cap
	}
	return price >= o.Cap
}

// partial fills two fifths at once and then nothing more, as the tag asks for.
func (d *desk) partial(o *order, in *instrument, price amount) {
	o.Due = o.Expires
	if o.FilledQuantity > 0 {
		return
	}
	if !o.crosses(price) {
		price = o.Cap
	}
	if n := o.Quantity * 2 / 5 / in.lot * in.lot; n > 0 {
		d.fill(o, n, price)
		o.Due = o.Expires
	}
}

// fill trades a quantity now, and ends the order with the last one.
func (d *desk) fill(o *order, quantity int64, price amount) {
	d.addFill(o, quantity, price, d.At)
	d.deliver(o, quantity)
	if o.FilledQuantity < o.Quantity {
		o.Due = d.At + 1
		return
	}
	o.Stage, o.Due = stageDone, never
	o.enter(statusComplete)
	d.follow(o)
}

// addFill writes a trade and its history.
func (d *desk) addFill(o *order, quantity int64, price amount, at moment) {
	d.Numbers.Trade++
	then := stamp(d.hours.shown(at))
	o.Fills = append(o.Fills, tradeRow{
		TradeID: strconv.FormatInt(10_000_000+d.Numbers.Trade, 10), OrderID: o.OrderID, Exchange: o.Exchange, TradingSymbol: o.TradingSymbol,
		InstrumentToken: o.InstrumentToken, Product: o.Product, AveragePrice: price, Quantity: quantity, ExchangeOrderID: o.ExchangeOrderID,
		TransactionType: o.TransactionType, FillTimestamp: then, ExchangeTimestamp: then,
		OrderTimestamp: d.hours.shown(o.Placed).In(ist).Format(time.TimeOnly),
	})
	o.FilledQuantity += quantity
	o.PendingQuantity = o.Quantity - o.FilledQuantity
	o.Spent += price * amount(quantity)
	o.AveragePrice = o.Spent.per(o.FilledQuantity)
	o.ExchangeTimestamp, o.ExchangeUpdateTimestamp = nullable(then), nullable(then)
	o.update()
}

// cancelRest ends an order with what is not filled. The pending quantity stays on the wire, as on the real one.
func (d *desk) cancelRest(o *order) {
	o.ExchangeUpdateTimestamp = nullable(d.stamp())
	if o.Variety != varietyAuction {
		o.CancelledQuantity = o.Quantity - o.FilledQuantity
	}
	o.Stage, o.Due = stageDone, never
	o.enter(statusCancelled)
	if o.FilledQuantity > 0 && o.Variety == varietyCO {
		d.follow(o)
	}
}

// follow places what an order brings with it when it is done: the next leg of an iceberg, the stop of a cover order.
func (d *desk) follow(o *order) {
	switch {
	case o.Variety == varietyCO && o.ParentOrderID == "":
		f := o.form()
		f.Side, f.Type, f.Quantity, f.Protection = opposite(o.TransactionType), typeSLM, o.FilledQuantity, -rupee
		f.Trigger, f.Price, f.Validity, f.Tag = o.Stop, 0, validDay, string(o.Tag)
		second := d.add(f, d.u.byID[o.id()], o.OrderID)
		second.Stop = 0
	case o.Meta.Iceberg != nil && o.Meta.Iceberg.RemainingQuantity > 0:
		berg := *o.Meta.Iceberg
		f := o.form()
		f.Quantity, f.IcebergLegs, f.IcebergQuantity = berg.RemainingQuantity, berg.Legs, berg.LegQuantity
		f.Validity, f.TTL, f.Tag, f.Disclosed = o.Validity, o.ValidityTTL, string(o.Tag), o.DisclosedQuantity
		next := d.add(f, d.u.byID[o.id()], "")
		next.Meta.Iceberg.Leg, next.Meta.Iceberg.TotalQuantity = berg.Leg+1, berg.TotalQuantity
	}
}

func opposite(side string) string {
	if side == buy {
		return sell
	}
	return buy
}

// modify puts a modification into force, or refuses it and leaves the order as it was.
func (d *desk) modify(o *order) {
	change := *o.Change
	o.Change, o.Stage = nil, o.Resume
	if reason := d.objectionTo(o, change); reason != "" {
		status := o.Trail[len(o.Trail)-2].Status
		o.StatusMessage = nullable(reason)
		o.enter(statusModifyRejected)
		o.Due = d.At + 1
		o.enter(status)
		return
	}
	o.enter(statusModifyPending)
	o.apply(change)
	o.ExchangeUpdateTimestamp, o.ExchangeTimestamp = nullable(d.stamp()), nullable(d.stamp())
	o.StatusMessage = ""
	o.enter(statusModified)
	if o.Validity == validTTL && change.TTL != 0 {
		o.Expires = min(d.hours.closes(d.At), d.At+moment(60*o.ValidityTTL))
	}
	stop := o.OrderType == typeSL || o.OrderType == typeSLM
	if stop && o.Stage == stageTriggering {
		o.enter(statusTriggerPending)
		d.watchTrigger(o)
		return
	}
	d.enterMarket(o)
	if o.Validity == validIOC {
		o.Opened = d.At
	}
	d.work(o)
}

// objectionTo is why a modification is refused.
func (d *desk) objectionTo(o *order, change orderChange) string {
	in := d.u.byID[o.id()]
	changed := *o
	changed.apply(change)
	switch {
	case o.forced() == "demomodrej":
		return "The modification was rejected because the tag of the order asks for it."
	case changed.Quantity <= o.FilledQuantity:
		return "Quantity cannot be less than or equal to the filled quantity."
	case o.TransactionType == sell && o.Product == productCNC && changed.Quantity-o.FilledQuantity > d.sellable(in, o):
		return "Insufficient stock holding for the modified quantity."
	}
	more := d.required(in, changed.form(), d.limit(&changed)) - d.required(in, o.form(), d.limit(o))
	if free := d.available(o.Product); more > 0 && more > free {
		return shortOfFunds(more, free)
	}
	return ""
}

// finishCancel ends an order that its owner cancelled, unless it is filled in the same moment.
func (d *desk) finishCancel(o *order) {
	if o.forced() == "democancelrace" && o.ExchangeOrderID != "" {
		in := d.u.byID[o.id()]
		price := d.u.lastPrice(in, d.instant())
		if !o.crosses(price) {
			price = o.Cap
		}
		if price == 0 { // a stop order that was not yet awake
			price = o.TriggerPrice
		}
		d.fill(o, o.Quantity-o.FilledQuantity, price)
		return
	}
	if o.Meta.Iceberg != nil {
		o.Meta.Iceberg = new(*o.Meta.Iceberg)
		o.Meta.Iceberg.RemainingQuantity = 0
	}
	d.cancelRest(o)
}

// quiet is the first second at which the price of an instrument can have moved by a distance. The model's waves have a
// steepest slope, so an order far from the market need not be looked at every second.
func (d *desk) quiet(in *instrument, distance amount) moment {
	distance = max(distance, -distance)
	at := d.instant()
	if momentOf(at.time()) != d.At || at.sec == sessionLength-1 {
		return d.hours.reopens(d.At) // prices stand still until then
	}
	wait := int64(1)
	if in.kind == "EQ" || in.kind == "FUT" {
		base, volx := in.walk.base, in.walk.volx
		if in.derivative() {
			base, volx = in.under.walk.base, in.under.walk.volx
		}
		moves := base * amount(max(volx, 1)) / 100 // what 100 percent of a slope stand for
		slack := in.tick + moves*slackPPM/1_000_000
		wait = max(1, int64((distance-slack)*1_000_000/(moves*slopePPM+1)))
	}
	last := momentOf(instant{at.day, sessionLength - 1}.time())
	return min(d.At+moment(wait), max(d.At+1, last))
}

const (
	// slopePPM bounds what the octaves of the model move together in a second: three times the sum of ppm/period is
	// 11.8; a future adds its carry.
	slopePPM = 16
	// slackPPM is what rounding may add, one part per million for each octave at both ends.
	slackPPM = 20
)
