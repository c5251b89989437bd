package demo

import (
	"net/http"
)

// placed is the answer to a new order; children are the further orders of an autoslice.
type placed struct {
	OrderID  string       `json:"order_id"`
	Children []orderChild `json:"children,omitempty"`

	lost bool // the answer never arrives
}

type orderChild struct {
	OrderID string      `json:"order_id,omitempty"`
	Error   *childError `json:"error,omitempty"`
}

type childError struct {
	Code      int       `json:"code"`
	ErrorType string    `json:"error_type"`
	Message   string    `json:"message"`
	Data      *struct{} `json:"data"`
}

func answerPlace(c call) (any, *apiError) {
	form, e := parseOrderForm(c.args[0], c.form)
	if e != nil {
		return nil, e
	}
	if c.x.options.RateLimit && c.d.OrdersDay >= ordersPerDay {
		return nil, tooMany()
	}
	return c.d.place(form)
}

// place takes an order on: it is received, not yet accepted.
func (d *desk) place(f orderForm) (placed, *apiError) {
	in, e := d.check(f)
	if e != nil {
		return placed{}, e
	}
	d.changed = true
	quantity := f.Quantity
	freeze := in.freeze()
	if f.Autoslice && freeze > 0 && quantity > freeze {
		f.Quantity = freeze
	}
	first := d.add(f, in, "")
	out := placed{OrderID: first.OrderID, lost: first.forced() == "demolost"}
	if f.Quantity == quantity {
		return out, nil
	}
	first.Tags = append(first.Tags, "autoslice", "autoslice:"+first.OrderID)
	// The slices are checked for funds one by one as they go out, so later ones may fail.
	price := d.reckoned(f, in)
	bound := d.required(in, f, price)
	for left := quantity - freeze; left > 0; left -= freeze {
		f.Quantity = min(left, freeze)
		need := d.required(in, f, price)
		if free := d.available(f.Product); bound+need > free {
			message := shortOfFunds(bound+need, free)
			out.Children = append(out.Children, orderChild{Error: &childError{Code: http.StatusBadRequest, ErrorType: "MarginException", Message: message}})
			continue
		}
		bound += need
		o := d.add(f, in, first.OrderID)
		o.Tags = append(o.Tags, "autoslice", "autoslice:"+first.OrderID)
		out.Children = append(out.Children, orderChild{OrderID: o.OrderID})
	}
	return out, nil
}

// reckoned is the price at which the margin of a new order is reckoned.
func (d *desk) reckoned(f orderForm, in *instrument) amount {
	switch f.Type {
	case typeMarket:
		return protected(in, f.Side, f.Protection, d.u.lastPrice(in, d.instant()))
	case typeSLM:
		return protected(in, f.Side, f.Protection, f.Trigger)
	default:
		return f.Price
	}
}

// add writes a checked order into the book.
func (d *desk) add(f orderForm, in *instrument, parent string) *order {
	n := d.nextNumber()
	d.OrdersDay++
	o := &order{orderRow: orderRow{
		AccountID: d.User, PlacedBy: d.User, OrderID: orderID(n), ParentOrderID: nullable(parent), OrderTimestamp: d.stamp(),
		Variety: f.Variety, Exchange: in.exchange, TradingSymbol: in.symbol, InstrumentToken: in.token, OrderType: f.Type,
		TransactionType: f.Side, Validity: f.Validity, ValidityTTL: f.TTL, Product: f.Product, Quantity: f.Quantity,
		PendingQuantity: f.Quantity, DisclosedQuantity: f.Disclosed, TriggerPrice: f.Trigger, AuctionNumber: nullable(f.Auction),
		Tag: nullable(f.Tag), Tags: []string{}, Meta: orderMeta{GTT: f.GTT},
	}, Fills: []tradeRow{}, Number: n, Placed: d.At, Due: d.At + 1, Stage: stageValidating}
	if f.Tag != "" {
		o.Tags = append(o.Tags, f.Tag)
	}
	switch f.Type {
	case typeMarket, typeSLM:
		o.MarketProtection = f.Protection
	default:
		o.Price = f.Price
	}
	switch f.Variety {
	case varietyCO:
		o.Stop, o.TriggerPrice = f.Trigger, f.Trigger
	case varietyIceberg:
		o.Quantity = min(f.IcebergQuantity, f.Quantity)
		o.PendingQuantity = o.Quantity
		o.Meta.Iceberg = &icebergMeta{
			Leg: 1, Legs: f.IcebergLegs, LegQuantity: f.IcebergQuantity, TotalQuantity: f.Quantity,
			RemainingQuantity: f.Quantity - o.Quantity,
		}
	}
	d.Orders = append(d.Orders, o)
	if f.Variety == varietyAMO {
		o.enter(statusAMOReceived)
		o.Stage, o.Due = stageWaiting, d.hours.reopens(d.At)
		return o
	}
	o.enter(statusReceived)
	o.enter(statusValidating)
	if o.forced() == "demostuck" {
		o.Stage, o.Due = stageDone, never
	}
	return o
}

// orderChange is a modification: what is nil stays.
type orderChange struct {
	Type       string  `json:"type"`
	Validity   string  `json:"validity"`
	TTL        int64   `json:"ttl"`
	Quantity   *int64  `json:"quantity"`
	Disclosed  *int64  `json:"disclosed"`
	Price      *amount `json:"price"`
	Trigger    *amount `json:"trigger"`
	Protection *amount `json:"protection"`
}

// maxChanges is how often one order can be modified.
const maxChanges = 25

func answerModify(c call) (any, *apiError) {
	o, e := c.changeable()
	if e != nil {
		return nil, e
	}
	change, e := parseChange(c)
	if e != nil {
		return nil, e
	}
	if o.Changes >= maxChanges {
		return nil, refused("Maximum allowed order modifications exceeded.")
	}
	if _, e := c.d.check(o.after(change)); e != nil {
		return nil, e
	}
	if q := change.Quantity; q != nil && *q <= o.FilledQuantity {
		return nil, invalid("Quantity cannot be less than or equal to the filled quantity.")
	}
	c.d.changed = true
	o.Changes++
	o.OrderTimestamp = c.d.stamp()
	if o.Stage == stageWaiting {
		o.apply(change)
		o.enter(statusAMOReceived)
		return placed{OrderID: o.OrderID}, nil
	}
	o.Change, o.Resume, o.Stage, o.Due = &change, o.Stage, stageModifying, c.d.At+1
	o.enter(statusModifyCheck)
	return placed{OrderID: o.OrderID}, nil
}

// changeable finds the order of the path that may be modified or cancelled.
func (c call) changeable() (*order, *apiError) {
	o, e := c.findOrder(c.args[1])
	switch {
	case e != nil:
		return nil, e
	case o.Variety != c.args[0]:
		return nil, invalid("Invalid `variety`.")
	case o.terminal():
		return nil, refused("Order cannot be changed as it is %s.", o.Status)
	case o.Stage != stageWaiting && o.Stage != stageTriggering && o.Stage != stageWorking:
		return nil, refused("Order cannot be changed as it is being processed. Try again later.")
	}
	return o, nil
}

func parseChange(c call) (orderChange, *apiError) {
	f := &fields{form: c.form}
	change := orderChange{
		Type:     f.word("order_type", false, typeMarket, typeLimit, typeSL, typeSLM),
		Validity: f.word("validity", false, validDay, validIOC, validTTL),
		TTL:      f.count("validity_ttl", false),
	}
	given := func(name string) bool { return c.form.Get(name) != "" }
	if given("quantity") {
		change.Quantity = new(f.count("quantity", true))
	}
	if given("disclosed_quantity") {
		change.Disclosed = new(f.count("disclosed_quantity", true))
	}
	if given("price") {
		change.Price = new(f.money("price", false))
	}
	if given("trigger_price") {
		change.Trigger = new(f.money("trigger_price", false))
	}
	if given("market_protection") {
		change.Protection = new(f.money("market_protection", true))
	}
	return change, f.bad
}

// after is the order as a new one that had the change from the beginning.
func (o *order) after(change orderChange) orderForm {
	changed := *o
	changed.apply(change)
	form := orderForm{
		Variety: varietyRegular, Exchange: o.Exchange, TradingSymbol: o.TradingSymbol, Side: o.TransactionType,
		Type: changed.OrderType, Product: o.Product, Validity: changed.Validity, TTL: changed.ValidityTTL,
		Quantity: changed.Quantity, Disclosed: changed.DisclosedQuantity, Price: changed.Price,
		Trigger: changed.TriggerPrice, Protection: changed.MarketProtection,
	}
	return form
}

// apply writes a change into the row.
func (o *order) apply(change orderChange) {
	set(&o.Quantity, change.Quantity)
	set(&o.DisclosedQuantity, change.Disclosed)
	set(&o.Price, change.Price)
	set(&o.TriggerPrice, change.Trigger)
	set(&o.MarketProtection, change.Protection)
	if change.Type != "" {
		o.OrderType = change.Type
	}
	if change.Validity != "" {
		o.Validity = change.Validity
	}
	if change.TTL != 0 {
		o.ValidityTTL = change.TTL
	}
	if o.OrderType == typeMarket || o.OrderType == typeSLM {
		o.Price = 0
	} else {
		o.MarketProtection = 0
	}
	if o.OrderType == typeMarket || o.OrderType == typeLimit {
		o.TriggerPrice = 0
	}
	o.PendingQuantity = o.Quantity - o.FilledQuantity
	o.Modified = true
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

func answerCancel(c call) (any, *apiError) {
	if o, ok := c.d.order(c.args[1]); ok && o.ParentOrderID != "" && o.Variety == varietyCO {
		return c.exitCover(o)
	}
	o, e := c.changeable()
	if e != nil {
		return nil, e
	}
	c.d.changed = true
	o.OrderTimestamp = c.d.stamp()
	o.Stage, o.Due = stageCancelling, c.d.At+1
	o.enter(statusCancelPending)
	return placed{OrderID: o.OrderID}, nil
}

// exitCover closes a cover order: its second leg goes to the market.
func (c call) exitCover(o *order) (any, *apiError) {
	switch parent := c.r.URL.Query().Get("parent_order_id"); {
	case parent == "":
		return nil, invalid("Missing `parent_order_id`.")
	case parent != string(o.ParentOrderID) || c.args[0] != varietyCO:
		return nil, invalid("Invalid `parent_order_id`.")
	case o.Stage != stageTriggering:
		return nil, refused("Order cannot be changed as it is %s.", o.Status)
	}
	c.d.changed = true
	o.OrderTimestamp = c.d.stamp()
	kind, protection := typeMarket, -rupee
	o.apply(orderChange{Type: kind, Protection: &protection})
	c.d.enterMarket(o)
	o.Due = c.d.At + 1
	return placed{OrderID: o.OrderID}, nil
}
