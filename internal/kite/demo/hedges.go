package demo

// optionGroup is what covers each other: calls, or puts, of one underlying that expire together, held under one product.
type optionGroup struct {
	exchange, name string
	expiry         date
	kind, product  string
}

func groupOf(in *instrument, product string) (g optionGroup, isOption bool) {
	if !in.derivative() || in.kind == "FUT" {
		return optionGroup{}, false
	}
	return optionGroup{in.exchange, in.name, in.expiry, in.kind, product}, true
}

// optionBook is what is held of a group. Every bought option covers a sold one, whatever their strikes: the span of what
// is covered is not needed; its exposure is.
type optionBook struct {
	bought, sold int64
	span         amount // of all that is sold, covered or not
}

// bound is the span of what is not covered.
func (b optionBook) bound() amount {
	if b.sold <= b.bought {
		return 0
	}
	return mulDiv(b.span, amount(b.sold-b.bought), amount(b.sold))
}

// hold adds a position so many times; a negative quantity is sold.
func (b *optionBook) hold(in *instrument, quantity int64, price amount, times int64) {
	if quantity >= 0 {
		b.bought += times * quantity
		return
	}
	b.sold -= times * quantity
	b.span += amount(times) * (in.money(price, -quantity) / spanPart)
}

// trade changes what is held of one option: what stays is reckoned at its last price, what is new at the order's.
func (b *optionBook) trade(in *instrument, held, change int64, last, price amount) {
	closed := closedBy(held, change)
	b.hold(in, held, last, -1)
	b.hold(in, shrunk(held, closed), last, 1)
	b.hold(in, shrunk(change, closed), price, 1)
}

// optionBookOf collects a group out of all positions.
func optionBookOf(all []*ledger, g optionGroup) optionBook {
	var b optionBook
	for _, l := range all {
		if of, _ := groupOf(l.in, l.product); of == g {
			b.hold(l.in, l.net(), l.last, 1)
		}
	}
	return b
}

// optionSpan is the span of every option that is sold and not covered.
func optionSpan(all []*ledger) (sum amount) {
	done := map[optionGroup]bool{}
	for _, l := range all {
		if g, ok := groupOf(l.in, l.product); ok && !done[g] {
			done[g] = true
			sum += optionBookOf(all, g).bound()
		}
	}
	return sum
}

// neededBeside is what an order binds beside the positions that are there: nothing for what it closes, the premium for
// what it buys, and the span that it leaves without cover.
func (d *desk) neededBeside(all []*ledger, in *instrument, o orderForm, price amount) need {
	held := int64(0)
	if l := findLedger(all, in, o.Product); l != nil {
		held = l.net()
	}
	change := o.signed()
	o.Quantity -= closedBy(held, change)
	n := needs(in, o, price)
	if g, ok := groupOf(in, o.Product); ok {
		b := optionBookOf(all, g)
		before := b.bound()
		b.trade(in, held, change, d.u.lastPrice(in, d.instant()), price)
		n.Total -= n.Span
		n.Span = max(0, b.bound()-before)
		n.Total += n.Span
	}
	return n
}

// signed is the quantity as a position counts it.
func (o orderForm) signed() int64 {
	if o.Side == sell {
		return -o.Quantity
	}
	return o.Quantity
}

// closedBy is how much of a change goes against what is held.
func closedBy(held, change int64) int64 {
	if (held < 0) == (change < 0) {
		return 0
	}
	return min(max(held, -held), max(change, -change))
}

// shrunk is a quantity nearer to nothing.
func shrunk(n, by int64) int64 {
	if n < 0 {
		return n + by
	}
	return n - by
}
