package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// seedGTT is a trigger of a seed.
type seedGTT struct {
	ID            int64    `json:"id"`
	Type          string   `json:"type"`
	Key           string   `json:"key"`
	TriggerValues []amount `json:"trigger_values"`
	Status        string   `json:"status"`
	Orders        []struct {
		Side   string     `json:"side"`
		Qty    int64      `json:"qty"`
		Price  amount     `json:"price"`
		Result *gttResult `json:"result"`
	} `json:"orders"`
}

// gtt is a good-till-triggered order as the wire has it, and when to look at it next.
type gtt struct {
	ID            int64        `json:"id"`
	UserID        string       `json:"user_id"`
	ParentTrigger *int64       `json:"parent_trigger"`
	Type          string       `json:"type"`
	CreatedAt     string       `json:"created_at"`
	UpdatedAt     string       `json:"updated_at"`
	ExpiresAt     string       `json:"expires_at"`
	Status        string       `json:"status"`
	Condition     gttCondition `json:"condition"`
	Orders        []gttOrder   `json:"orders"`
	Meta          struct{}     `json:"meta"`

	Due     moment `json:"-"`
	Expires moment `json:"-"`
}

type gttCondition struct {
	Exchange        string   `json:"exchange"`
	LastPrice       amount   `json:"last_price"` // when it was placed
	TradingSymbol   string   `json:"tradingsymbol"`
	TriggerValues   []amount `json:"trigger_values"`
	InstrumentToken uint32   `json:"instrument_token"`
}

type gttOrder struct {
	Exchange        string      `json:"exchange"`
	TradingSymbol   string      `json:"tradingsymbol"`
	Product         string      `json:"product"`
	OrderType       string      `json:"order_type"`
	TransactionType string      `json:"transaction_type"`
	Quantity        int64       `json:"quantity"`
	Price           amount      `json:"price"`
	Result          *gttOutcome `json:"result"`
}

// gttOutcome says what became of the order that a trigger placed. It is not whether that order was filled.
type gttOutcome struct {
	AccountID       string    `json:"account_id"`
	Exchange        string    `json:"exchange"`
	TradingSymbol   string    `json:"tradingsymbol"`
	Validity        string    `json:"validity"`
	Product         string    `json:"product"`
	OrderType       string    `json:"order_type"`
	TransactionType string    `json:"transaction_type"`
	Quantity        int64     `json:"quantity"`
	Price           amount    `json:"price"`
	Meta            string    `json:"meta"`
	Timestamp       string    `json:"timestamp"`
	TriggeredAt     amount    `json:"triggered_at"`
	OrderResult     gttResult `json:"order_result"`
}

type gttResult struct {
	Status          string `json:"status"`
	OrderID         string `json:"order_id"`
	RejectionReason string `json:"rejection_reason"`
}

const (
	gttSingle    = "single"
	gttTwoLeg    = "two-leg"
	gttActive    = "active"
	gttTriggered = "triggered"
	gttExpired   = "expired"
	gttDeleted   = "deleted"

	maxGTTs = 250 // active ones
)

func (d *desk) addSeedGTTs() {
	for _, s := range d.seed.GTTs {
		in, ok := d.u.byID[s.Key]
		if !ok {
			continue
		}
		now := d.stamp()
		g := &gtt{ID: s.ID, UserID: d.User, Type: s.Type, CreatedAt: now, UpdatedAt: now, Status: s.Status, Condition: gttCondition{
			Exchange: in.exchange, LastPrice: in.priceAt(d.instant()), TradingSymbol: in.symbol, InstrumentToken: in.token,
		}}
		d.setExpiry(g, in)
		for _, v := range s.TriggerValues {
			g.Condition.TriggerValues = append(g.Condition.TriggerValues, d.seed.limitOn(v, in, d.instant()))
		}
		for i, o := range s.Orders {
			leg := gttOrder{
				Exchange: in.exchange, TradingSymbol: in.symbol, Product: productCNC, OrderType: typeLimit,
				TransactionType: o.Side, Quantity: o.Qty, Price: d.seed.limitOn(o.Price, in, d.instant()),
			}
			if o.Result != nil {
				leg.Result = d.outcome(g, leg, g.Condition.TriggerValues[i], *o.Result)
			}
			g.Orders = append(g.Orders, leg)
		}
		d.arm(g)
		d.GTTs = append(d.GTTs, g)
	}
}

// setExpiry gives a trigger its year, or the life of its contract.
func (d *desk) setExpiry(g *gtt, in *instrument) {
	end := d.hours.shown(d.At).AddDate(1, 0, 0)
	if in.derivative() {
		end = instant{in.expiry, sessionLength}.time()
	}
	g.Expires, g.ExpiresAt = momentOf(end), stamp(end)
}

// arm makes the engine look at a trigger that is active.
func (d *desk) arm(g *gtt) {
	g.Due = never
	if g.Status == gttActive {
		g.Due = d.sample()
	}
}

// sample is the next second at which triggers and alerts look at the price: those whose prices make the minute bars,
// so that what fires can be seen in a chart.
func (d *desk) sample() moment {
	at := d.instant()
	if momentOf(at.time()) == d.At {
		start := d.At - moment(at.sec%60)
		for _, s := range minuteSeconds() {
			if start+moment(s) > d.At {
				return start + moment(s)
			}
		}
		if at.sec < sessionLength-60 {
			return start + 60
		}
	}
	return d.hours.reopens(d.At)
}

// sampleFrom is the first sample at or after a moment.
func (d *desk) sampleFrom(m moment) moment {
	now := d.At
	defer func() { d.At = now }()
	d.At = max(m-1, now)
	return d.sample()
}

// watchGTT fires a trigger whose price is reached. A value above the price at placement is reached from below.
func (d *desk) watchGTT(g *gtt) {
	if d.At >= g.Expires {
		g.Status, g.UpdatedAt, g.Due = gttExpired, d.stamp(), never
		return
	}
	in, ok := d.u.byID[g.Condition.Exchange+":"+g.Condition.TradingSymbol]
	if !ok {
		g.Due = never
		return
	}
	price := d.u.lastPrice(in, d.instant())
	nearest := never
	for i, v := range g.Condition.TriggerValues {
		if v > g.Condition.LastPrice && price >= v || v <= g.Condition.LastPrice && price <= v {
			d.fire(g, i, price)
			return
		}
		nearest = min(nearest, d.quiet(in, price-v))
	}
	g.Due = min(g.Expires, d.sampleFrom(nearest))
}

// fire places the order of one leg. The trigger is spent, whatever becomes of the order.
func (d *desk) fire(g *gtt, leg int, price amount) {
	o := &g.Orders[leg]
	g.Status, g.UpdatedAt, g.Due = gttTriggered, d.stamp(), never
	result := gttResult{Status: "success"}
	done, e := d.place(orderForm{
		Variety: varietyRegular, Exchange: o.Exchange, TradingSymbol: o.TradingSymbol, Side: o.TransactionType, Type: typeLimit,
		Product: o.Product, Validity: validDay, Quantity: o.Quantity, Price: o.Price, GTT: g.ID,
	})
	if e != nil {
		result.Status, result.RejectionReason = "failed", e.message
	}
	result.OrderID = done.OrderID
	o.Result = d.outcome(g, *o, price, result)
}

func (d *desk) outcome(g *gtt, o gttOrder, price amount, r gttResult) *gttOutcome {
	return &gttOutcome{
		AccountID: d.User, Exchange: o.Exchange, TradingSymbol: o.TradingSymbol, Validity: validDay, Product: o.Product,
		OrderType: o.OrderType, TransactionType: o.TransactionType, Quantity: o.Quantity, Price: o.Price,
		Meta: fmt.Sprintf(`{"app_id":1,"gtt":%d}`, g.ID), Timestamp: d.stamp(), TriggeredAt: price, OrderResult: r,
	}
}

// gttRequest is what placing and modifying send: two of the three form fields are JSON.
type gttRequest struct {
	kind      string
	condition struct {
		Exchange      string        `json:"exchange"`
		TradingSymbol string        `json:"tradingsymbol"`
		TriggerValues []json.Number `json:"trigger_values"`
		LastPrice     json.Number   `json:"last_price"`
	}
	orders []struct {
		Exchange        string      `json:"exchange"`
		TradingSymbol   string      `json:"tradingsymbol"`
		TransactionType string      `json:"transaction_type"`
		Product         string      `json:"product"`
		OrderType       string      `json:"order_type"`
		Quantity        json.Number `json:"quantity"`
		Price           json.Number `json:"price"`
	}
}

// parseGTT reads and checks the form of a trigger.
func (c call) parseGTT() (*gtt, *apiError) {
	f := &fields{form: c.form}
	r := gttRequest{kind: f.word("type", true, gttSingle, gttTwoLeg)}
	condition, orders := f.word("condition", true), f.word("orders", true)
	if f.bad != nil {
		return nil, f.bad
	}
	if json.Unmarshal([]byte(condition), &r.condition) != nil {
		return nil, invalid("Invalid `condition`.")
	}
	if json.Unmarshal([]byte(orders), &r.orders) != nil {
		return nil, invalid("Invalid `orders`.")
	}
	in, ok := c.d.u.byID[r.condition.Exchange+":"+r.condition.TradingSymbol]
	if !ok || in.index() || in.expired(c.d.instant()) {
		return nil, invalid("Invalid `condition`: the instrument has expired or does not exist.")
	}
	last, ok := parseDecimal(r.condition.LastPrice.String())
	if !ok || last <= 0 {
		return nil, invalid("Invalid `last_price` in `condition`.")
	}
	g := &gtt{UserID: c.d.User, Type: r.kind, Status: gttActive, Condition: gttCondition{
		Exchange: in.exchange, TradingSymbol: in.symbol, InstrumentToken: in.token, LastPrice: last,
	}}
	for _, v := range r.condition.TriggerValues {
		a, ok := parseDecimal(v.String())
		if !ok || a <= 0 || a%in.tick != 0 {
			return nil, invalid("Invalid `trigger_values` in `condition`.")
		}
		g.Condition.TriggerValues = append(g.Condition.TriggerValues, a)
	}
	if e := r.legs(g, in); e != nil {
		return nil, e
	}
	c.d.setExpiry(g, in)
	return g, checkTriggers(g)
}

// legs reads the orders of a trigger, one for each value.
func (r gttRequest) legs(g *gtt, in *instrument) *apiError {
	want := 1
	if r.kind == gttTwoLeg {
		want = 2
	}
	if len(g.Condition.TriggerValues) != want || len(r.orders) != want {
		return invalid("A trigger of type `%s` needs %d trigger values and orders.", r.kind, want)
	}
	for _, o := range r.orders {
		quantity, ok1 := parseDecimal(o.Quantity.String())
		price, ok2 := parseDecimal(o.Price.String())
		switch {
		case o.Exchange != in.exchange || o.TradingSymbol != in.symbol:
			return invalid("Orders of a trigger have to be for its instrument.")
		case o.TransactionType != buy && o.TransactionType != sell:
			return invalid("Invalid `transaction_type` in `orders`.")
		case o.OrderType != typeLimit:
			return invalid("Only `LIMIT` orders are allowed.")
		case !ok1 || quantity <= 0 || quantity%rupee != 0 || int64(quantity/rupee)%in.lot != 0:
			return invalid("Invalid `quantity` in `orders`.")
		case !ok2 || price <= 0 || price%in.tick != 0:
			return invalid("Invalid `price` in `orders`.")
		case o.Product != productCNC && o.Product != productNRML && o.Product != productMTF:
			return invalid("Invalid `product` in `orders`.")
		}
		if e := checkProduct(orderForm{Product: o.Product}, in); e != nil {
			return e
		}
		g.Orders = append(g.Orders, gttOrder{
			Exchange: in.exchange, TradingSymbol: in.symbol, Product: o.Product, OrderType: typeLimit,
			TransactionType: o.TransactionType, Quantity: int64(quantity / rupee), Price: price,
		})
	}
	return nil
}

// checkTriggers refuses values in the wrong order or closer to the last price than a quarter of a percent.
func checkTriggers(g *gtt) *apiError {
	values, last := g.Condition.TriggerValues, g.Condition.LastPrice
	for _, v := range values {
		if distance := max(v-last, last-v); distance*400 < last {
			return invalid("Trigger cannot be created with the first trigger price as it is too close to the last price. The difference should be more than 0.25%%.")
		}
	}
	if len(values) == 2 && (values[0] >= last || values[1] <= last) {
		return invalid("The trigger values of a two-leg trigger have to be below and above the last price, in that order.")
	}
	return nil
}

type triggerID struct {
	TriggerID int64 `json:"trigger_id"`
}

func answerGTTs(c call) (any, *apiError) { return rows(c.d.GTTs), nil }

func (c call) findGTT() (*gtt, *apiError) {
	id, err := strconv.ParseInt(c.args[0], 10, 64)
	i := slices.IndexFunc(c.d.GTTs, func(g *gtt) bool { return g.ID == id })
	if err != nil || i < 0 {
		return nil, unknown("Trigger")
	}
	return c.d.GTTs[i], nil
}

func answerGTT(c call) (any, *apiError) {
	g, e := c.findGTT()
	if e != nil {
		return nil, e
	}
	return g, nil
}

func answerPlaceGTT(c call) (any, *apiError) {
	g, e := c.parseGTT()
	if e != nil {
		return nil, e
	}
	active := 0
	for _, other := range c.d.GTTs {
		if other.Status == gttActive {
			active++
		}
	}
	if active >= maxGTTs {
		return nil, invalid("You have reached the limit of %d active triggers.", maxGTTs)
	}
	c.d.changed = true
	c.d.Numbers.GTT++
	g.ID, g.CreatedAt, g.UpdatedAt = c.d.Numbers.GTT, c.d.stamp(), c.d.stamp()
	c.d.arm(g)
	c.d.GTTs = append(c.d.GTTs, g)
	return triggerID{g.ID}, nil
}

func answerModifyGTT(c call) (any, *apiError) {
	g, e := c.activeGTT()
	if e != nil {
		return nil, e
	}
	changed, e := c.parseGTT()
	if e != nil {
		return nil, e
	}
	c.d.changed = true
	changed.ID, changed.CreatedAt, changed.UpdatedAt = g.ID, g.CreatedAt, c.d.stamp()
	c.d.arm(changed)
	*g = *changed
	return triggerID{g.ID}, nil
}

func answerDeleteGTT(c call) (any, *apiError) {
	g, e := c.activeGTT()
	if e != nil {
		return nil, e
	}
	c.d.changed = true
	g.Status, g.UpdatedAt, g.Due = gttDeleted, c.d.stamp(), never
	return triggerID{g.ID}, nil
}

func (c call) activeGTT() (*gtt, *apiError) {
	g, e := c.findGTT()
	if e == nil && g.Status != gttActive {
		return nil, invalid("The trigger is %s.", g.Status)
	}
	return g, e
}

// rearm puts what a stored book does not hold back into its triggers.
func (d *desk) rearm() {
	for _, g := range d.GTTs {
		g.Expires = never
		if end, err := time.ParseInLocation(time.DateTime, g.ExpiresAt, ist); err == nil {
			g.Expires = momentOf(end)
		}
		d.arm(g)
	}
	for _, a := range d.Alerts {
		d.armAlert(a)
	}
}
