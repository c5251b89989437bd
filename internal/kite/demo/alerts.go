package demo

import (
	"encoding/json"
	"fmt"
)

// seedAlert is an alert of a seed.
type seedAlert struct {
	UUID       string `json:"uuid"`
	Type       string `json:"type"`
	Name       string `json:"name"`
	LHS        string `json:"lhs"`
	Operator   string `json:"operator"`
	Constant   amount `json:"rhs_constant"`
	Status     string `json:"status"`
	AlertCount int    `json:"alert_count"`
}

// alertRow is an alert as the wire has it.
type alertRow struct {
	Type             string          `json:"type"`
	UserID           string          `json:"user_id"`
	UUID             string          `json:"uuid"`
	Name             string          `json:"name"`
	Status           string          `json:"status"`
	DisabledReason   string          `json:"disabled_reason"`
	LHSAttribute     string          `json:"lhs_attribute"`
	LHSExchange      string          `json:"lhs_exchange"`
	LHSTradingSymbol string          `json:"lhs_tradingsymbol"`
	Operator         string          `json:"operator"`
	RHSType          string          `json:"rhs_type"`
	RHSAttribute     string          `json:"rhs_attribute"`
	RHSExchange      string          `json:"rhs_exchange"`
	RHSTradingSymbol string          `json:"rhs_tradingsymbol"`
	RHSConstant      amount          `json:"rhs_constant"`
	AlertCount       int             `json:"alert_count"`
	CreatedAt        string          `json:"created_at"`
	UpdatedAt        string          `json:"updated_at"`
	Basket           json.RawMessage `json:"basket,omitempty"`
}

// alert is an alert with its history and when to look at it next.
type alert struct {
	alertRow
	History []alertEvent `json:"history"`
	Was     bool         `json:"was"` // the condition held when it was last looked at

	Due moment `json:"-"`
}

// alertEvent is a row of an alert's history: the quotes at which it fired and the orders it placed.
type alertEvent struct {
	UUID      string       `json:"uuid"`
	Type      string       `json:"type"`
	Meta      []alertQuote `json:"meta"`
	Condition string       `json:"condition"`
	CreatedAt string       `json:"created_at"`
	OrderMeta []alertOrder `json:"order_meta"`
}

type alertQuote struct {
	InstrumentToken   uint32 `json:"instrument_token"`
	TradingSymbol     string `json:"tradingsymbol"`
	Timestamp         string `json:"timestamp"`
	LastPrice         amount `json:"last_price"`
	OHLC              ohlc   `json:"ohlc"`
	NetChange         amount `json:"net_change"`
	Exchange          string `json:"exchange"`
	LastTradeTime     string `json:"last_trade_time"`
	LastQuantity      int64  `json:"last_quantity"`
	BuyQuantity       int64  `json:"buy_quantity"`
	SellQuantity      int64  `json:"sell_quantity"`
	Volume            int64  `json:"volume"`
	VolumeTick        int64  `json:"volume_tick"`
	AveragePrice      amount `json:"average_price"`
	OI                int64  `json:"oi"`
	OIDayHigh         int64  `json:"oi_day_high"`
	OIDayLow          int64  `json:"oi_day_low"`
	LowerCircuitLimit amount `json:"lower_circuit_limit"`
	UpperCircuitLimit amount `json:"upper_circuit_limit"`
}

// alertOrder is what became of one order of a basket.
type alertOrder struct {
	TradingSymbol   string `json:"tradingsymbol"`
	Exchange        string `json:"exchange"`
	TransactionType string `json:"transaction_type"`
	Quantity        int64  `json:"quantity"`
	Status          string `json:"status"`
	OrderID         string `json:"order_id"`
	Message         string `json:"message"`
}

// basket is the part of a basket of orders that the exchange reads; the rest is handed back as it came.
type basket struct {
	Items []struct {
		TradingSymbol string `json:"tradingsymbol"`
		Exchange      string `json:"exchange"`
		Params        struct {
			Side       string      `json:"transaction_type"`
			Product    string      `json:"product"`
			Type       string      `json:"order_type"`
			Validity   string      `json:"validity"`
			TTL        int64       `json:"validity_ttl"`
			Variety    string      `json:"variety"`
			Quantity   int64       `json:"quantity"`
			Price      json.Number `json:"price"`
			Trigger    json.Number `json:"trigger_price"`
			Protection json.Number `json:"market_protection"`
			Tags       []string    `json:"tags"`
		} `json:"params"`
	} `json:"items"`
}

const (
	alertSimple   = "simple"
	alertATO      = "ato"
	alertEnabled  = "enabled"
	alertDisabled = "disabled"

	maxAlerts  = 200
	indexVenue = "INDICES" // where alerts find indices, which quotes find at their exchange
)

func (d *desk) addSeedAlerts() {
	for _, s := range d.seed.Alerts {
		a := &alert{alertRow: alertRow{
			Type: s.Type, UserID: d.User, UUID: s.UUID, Name: s.Name, Status: s.Status, LHSAttribute: lastTraded,
			Operator: s.Operator, RHSType: "constant", RHSConstant: s.Constant, AlertCount: s.AlertCount, CreatedAt: d.stamp(), UpdatedAt: d.stamp(),
		}, History: []alertEvent{}}
		a.LHSExchange, a.LHSTradingSymbol = splitID(s.LHS)
		if s.Type == alertATO {
			a.Basket = mustJSON(map[string]any{"name": s.Name, "type": "alert", "tags": []string{}, "items": []any{map[string]any{
				"id": 1, "type": "insert", "tradingsymbol": a.LHSTradingSymbol, "exchange": a.LHSExchange, "weight": 100,
				"params": map[string]any{
					"transaction_type": buy, "product": productCNC, "order_type": typeLimit, "validity": validDay, "variety": varietyRegular,
					"quantity": 100, "price": s.Constant, "trigger_price": 0, "tags": []string{},
				},
			}}})
		}
		if in := d.alertInstrument(a.LHSExchange, a.LHSTradingSymbol); in != nil && s.AlertCount > 0 {
			a.History = append(a.History, d.event(a))
		}
		d.armAlert(a)
		d.Alerts = append(d.Alerts, a)
	}
}

func splitID(id string) (exchange, symbol string) {
	for i := range id {
		if id[i] == ':' {
			return id[:i], id[i+1:]
		}
	}
	return "", id
}

// alertInstrument finds what an alert names.
func (d *desk) alertInstrument(exchange, symbol string) *instrument {
	if exchange != indexVenue {
		return d.u.byID[exchange+":"+symbol]
	}
	for _, place := range []string{"NSE", "BSE", "MCX"} {
		if in := d.u.byID[place+":"+symbol]; in != nil && in.index() {
			return in
		}
	}
	return nil
}

func (d *desk) armAlert(a *alert) {
	a.Due = never
	if a.Status == alertEnabled {
		a.Due = d.sample()
	}
}

// watchAlert fires when the condition begins to hold. One that holds from the beginning fires once.
func (d *desk) watchAlert(a *alert) {
	left, right, ok := d.sides(a)
	a.Due = d.nextLook(a, left-right)
	if !ok {
		return
	}
	holds := compare(left, a.Operator, right)
	fires := holds && !a.Was
	a.Was = holds
	if !fires {
		return
	}
	a.AlertCount++
	a.UpdatedAt = d.stamp()
	e := d.event(a)
	if a.Type == alertATO {
		e.OrderMeta = d.placeBasket(a)
		a.Status, a.Due = alertDisabled, never
	}
	a.History = append(a.History, e)
}

// lastTraded is the attribute that most alerts look at.
const lastTraded = "LastTradedPrice"

// nextLook is when an alert may change its mind: for a price against a number, not before the price can be there; for
// figures of the day, which are dear to reckon, once a minute.
func (d *desk) nextLook(a *alert, distance amount) moment {
	in := d.alertInstrument(a.LHSExchange, a.LHSTradingSymbol)
	switch {
	case in == nil || in.expired(d.instant()):
		return never
	case a.LHSAttribute == lastTraded && a.RHSType == "constant":
		return d.sampleFrom(d.quiet(in, distance))
	case a.LHSAttribute == lastTraded && a.RHSAttribute == lastTraded:
		return d.sample()
	default:
		return d.sampleFrom(d.At + 60)
	}
}

// sides are the two values that an alert compares.
func (d *desk) sides(a *alert) (left, right amount, ok bool) {
	in := d.alertInstrument(a.LHSExchange, a.LHSTradingSymbol)
	if in == nil || in.expired(d.instant()) {
		return 0, 0, false
	}
	left = d.attribute(in, a.LHSAttribute)
	if a.RHSType == "constant" {
		return left, a.RHSConstant, true
	}
	other := d.alertInstrument(a.RHSExchange, a.RHSTradingSymbol)
	if other == nil || other.expired(d.instant()) {
		return 0, 0, false
	}
	return left, d.attribute(other, a.RHSAttribute), true
}

// alertAttributes are what an alert can look at.
func alertAttributes() []string {
	return []string{lastTraded, "HighPrice", "LowPrice", "OpenPrice", "ClosePrice", "DayChange", "DayChangePercent", "Volume"}
}

func (d *desk) attribute(in *instrument, name string) amount {
	at := d.instant()
	switch name {
	case lastTraded:
		return d.u.lastPrice(in, at)
	case "ClosePrice":
		return previousClose(in, at)
	case "DayChange":
		return d.u.lastPrice(in, at) - previousClose(in, at)
	case "DayChangePercent":
		closed := previousClose(in, at)
		return amount(percentOf(d.u.lastPrice(in, at)-closed, closed) / 100)
	}
	day, _, b := d.u.day(in, at)
	switch name {
	case "HighPrice":
		return day.High
	case "LowPrice":
		return day.Low
	case "OpenPrice":
		return day.Open
	default:
		return amount(b.volume) * rupee
	}
}

func compare(left amount, operator string, right amount) bool {
	switch operator {
	case "<=":
		return left <= right
	case ">=":
		return left >= right
	case "<":
		return left < right
	case ">":
		return left > right
	default:
		return left == right
	}
}

// event is the history row of an alert that fires now.
func (d *desk) event(a *alert) alertEvent {
	e := alertEvent{UUID: a.UUID, Type: a.Type, CreatedAt: d.stamp(), Meta: []alertQuote{}}
	e.Condition = fmt.Sprintf("%s(\"%s:%s\") %s ", a.LHSAttribute, a.LHSExchange, a.LHSTradingSymbol, a.Operator)
	if a.RHSType == "constant" {
		e.Condition += decimal(a.RHSConstant)
	} else {
		e.Condition += fmt.Sprintf("%s(\"%s:%s\")", a.RHSAttribute, a.RHSExchange, a.RHSTradingSymbol)
	}
	if in := d.alertInstrument(a.LHSExchange, a.LHSTradingSymbol); in != nil {
		q := d.u.quote(in, d.instant())
		e.Meta = append(e.Meta, alertQuote{
			InstrumentToken: q.InstrumentToken, TradingSymbol: in.symbol, Timestamp: d.stamp(), LastPrice: q.LastPrice, OHLC: q.OHLC,
			NetChange: q.LastPrice - q.OHLC.Close, Exchange: a.LHSExchange, LastTradeTime: q.LastTradeTime, LastQuantity: q.LastQuantity,
			BuyQuantity: q.BuyQuantity, SellQuantity: q.SellQuantity, Volume: q.Volume, AveragePrice: q.AveragePrice, OI: q.OI,
			OIDayHigh: q.OIDayHigh, OIDayLow: q.OIDayLow, LowerCircuitLimit: q.LowerCircuitLimit, UpperCircuitLimit: q.UpperCircuitLimit,
		})
	}
	return e
}

// placeBasket places the orders of an alert that triggers orders.
func (d *desk) placeBasket(a *alert) []alertOrder {
	var b basket
	if json.Unmarshal(a.Basket, &b) != nil {
		return nil
	}
	var out []alertOrder
	for _, item := range b.Items {
		p := item.Params
		price, _ := parseDecimal(p.Price.String())
		trigger, _ := parseDecimal(p.Trigger.String())
		protection, _ := parseDecimal(p.Protection.String())
		f := orderForm{
			Variety: varietyRegular, Exchange: item.Exchange, TradingSymbol: item.TradingSymbol, Side: p.Side, Type: p.Type,
			Product: p.Product, Validity: p.Validity, TTL: p.TTL, Quantity: p.Quantity, Price: price, Trigger: trigger, Protection: protection,
		}
		if len(p.Tags) > 0 {
			f.Tag = p.Tags[0]
		}
		row := alertOrder{TradingSymbol: item.TradingSymbol, Exchange: item.Exchange, TransactionType: p.Side, Quantity: p.Quantity, Status: "success"}
		done, e := d.place(f)
		if e != nil {
			row.Status, row.Message = "failed", e.message
		}
		row.OrderID = done.OrderID
		out = append(out, row)
	}
	return out
}
