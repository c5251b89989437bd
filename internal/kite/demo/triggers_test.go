package demo_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

type leg struct {
	side     string
	quantity int
	price    float64
}

// trigger is the form of a GTT.
func trigger(t *testing.T, kind, id string, last float64, values []float64, legs ...leg) url.Values {
	t.Helper()
	exchange, symbol, _ := strings.Cut(id, ":")
	product := "CNC"
	if exchange == "NFO" {
		product = "NRML"
	}
	var orders []map[string]any
	for _, l := range legs {
		orders = append(orders, map[string]any{"exchange": exchange, "tradingsymbol": symbol, "transaction_type": l.side, "quantity": l.quantity, "price": l.price, "order_type": "LIMIT", "product": product})
	}
	condition, err1 := json.Marshal(map[string]any{"exchange": exchange, "tradingsymbol": symbol, "trigger_values": values, "last_price": last})
	list, err2 := json.Marshal(orders)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return url.Values{"type": {kind}, "condition": {string(condition)}, "orders": {string(list)}}
}

func (tr trader) placeGTT(form url.Values) string {
	tr.t.Helper()
	status, out := tr.form(http.MethodPost, "/gtt/triggers", form)
	if status != 200 {
		tr.t.Fatalf("trigger: %d %+v", status, out)
	}
	return fmt.Sprintf("/gtt/triggers/%.0f", out.Data.(map[string]any)["trigger_id"])
}

// dayRange is the highest and lowest price of an instrument in the rest of the demo day.
func (tr trader) dayRange(token int, from string) (high, low float64) {
	tr.t.Helper()
	later := newTrader(tr.t, demo.Options{Clock: demo.Clock{Frozen: at(tr.t, "2026-12-02T15:29:59+05:30")}})
	data := later.get(fmt.Sprintf("/instruments/historical/%d/minute?from=%s&to=2026-12-02+15:30:00", token, url.QueryEscape(from))).(map[string]any)
	low = 1e12
	for _, row := range data["candles"].([]any) {
		c := row.([]any)
		high, low = max(high, c[2].(float64)), min(low, c[3].(float64))
	}
	return high, low
}

// A trigger fires when a chart shows its price, places a limit order and says what became of it.
func TestGTT(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	high, low := tr.dayRange(408065, "2026-12-02 11:16:00")
	last := tr.get("/quote/ltp?i=NSE:INFY").(map[string]any)["NSE:INFY"].(map[string]any)["last_price"].(float64)
	if high < last*1.003 && low > last*0.997 {
		t.Fatalf("the day is too quiet for this test: %v to %v around %v", low, high, last)
	}
	up := high >= last*1.003
	reached, missed := low, low-0.1
	if up {
		reached, missed = high, high+0.1
	}
	fires := tr.placeGTT(trigger(t, "single", "NSE:INFY", last, []float64{reached}, leg{"BUY", 1, 1900}))
	waits := tr.placeGTT(trigger(t, "single", "NSE:INFY", last, []float64{missed}, leg{"BUY", 1, 1900}))
	fails := tr.placeGTT(trigger(t, "single", "NSE:INFY", last, []float64{reached}, leg{"BUY", 1, 5000}))
	tr.goTo("2026-12-02T15:29:59+05:30")
	g := tr.get(fires).(map[string]any)
	result := g["orders"].([]any)[0].(map[string]any)["result"].(map[string]any)
	outcome := result["order_result"].(map[string]any)
	if g["status"] != "triggered" || result["triggered_at"] != reached || outcome["status"] != "success" {
		t.Fatalf("trigger at %v: %v", reached, g)
	}
	if o := tr.order(outcome["order_id"].(string)); o["price"] != 1900.0 || o["order_type"] != "LIMIT" || o["status"] != done {
		t.Errorf("order of the trigger: %v", o)
	}
	if g := tr.get(waits).(map[string]any); g["status"] != "active" || g["orders"].([]any)[0].(map[string]any)["result"] != nil {
		t.Errorf("trigger a tick beyond: %v", g)
	}
	g = tr.get(fails).(map[string]any)
	outcome = g["orders"].([]any)[0].(map[string]any)["result"].(map[string]any)["order_result"].(map[string]any)
	if g["status"] != "triggered" || outcome["status"] != "failed" || !strings.Contains(outcome["rejection_reason"].(string), "circuit") || outcome["order_id"] != "" {
		t.Errorf("trigger with an impossible price: %v", g)
	}
	if status, out := tr.form(http.MethodDelete, fires, nil); status != 400 {
		t.Errorf("deleting a spent trigger: %d %+v", status, out)
	}
}

// Of two legs the one that is reached fires, days later as well, and a year ends a trigger.
func TestGTTLater(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	both := tr.placeGTT(trigger(t, "two-leg", "NSE:INFY", 1881.6, []float64{1860, 1905}, leg{"SELL", 5, 1700}, leg{"SELL", 5, 1900}))
	never := tr.placeGTT(trigger(t, "single", "NSE:INFY", 1881.6, []float64{10}, leg{"BUY", 1, 10}))
	option := tr.placeGTT(trigger(t, "single", "NFO:NIFTY26D0826200CE", 100, []float64{9000}, leg{"SELL", 65, 9000}))
	tr.goTo("2026-12-10T09:14:00+05:30")
	tr.login("DM0001")
	var fired int
	for _, o := range tr.get(both).(map[string]any)["orders"].([]any) {
		if o.(map[string]any)["result"] != nil {
			fired++
		}
	}
	if g := tr.get(both).(map[string]any); g["status"] != "triggered" || fired != 1 {
		t.Errorf("after a week: %v with %d results", g["status"], fired)
	}
	if g := tr.get(option).(map[string]any); g["status"] != "expired" || g["expires_at"] != "2026-12-08 15:30:00" {
		t.Errorf("trigger on an expired option: %v until %v", g["status"], g["expires_at"])
	}
	if g := tr.get(never).(map[string]any); g["status"] != "active" {
		t.Errorf("trigger out of reach: %v", g["status"])
	}
	tr.goTo("2027-12-03T10:00:00+05:30")
	tr.login("DM0001")
	if g := tr.get(never).(map[string]any); g["status"] != "expired" {
		t.Errorf("after a year: %v", g["status"])
	}
}

// What a trigger needs.
func TestGTTRules(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	good := func() url.Values {
		return trigger(t, "single", "NSE:INFY", 1881.6, []float64{1700}, leg{"BUY", 1, 1700})
	}
	with := func(name, value string) url.Values {
		f := good()
		f.Set(name, value)
		return f
	}
	for name, form := range map[string]url.Values{
		"no type": with("type", ""), "kind": with("type", "triple"), "condition": with("condition", "{"), "orders": with("orders", "{}"), "no orders": with("orders", "[]"),
		"two for one":     trigger(t, "single", "NSE:INFY", 1881.6, []float64{1700, 2000}, leg{"BUY", 1, 1700}),
		"one for two":     trigger(t, "two-leg", "NSE:INFY", 1881.6, []float64{1700}, leg{"BUY", 1, 1700}),
		"symbol":          trigger(t, "single", "NSE:NOPE", 1881.6, []float64{1700}, leg{"BUY", 1, 1700}),
		"index":           trigger(t, "single", "NSE:NIFTY 50", 26000, []float64{20000}, leg{"BUY", 1, 1700}),
		"close":           trigger(t, "single", "NSE:INFY", 1881.6, []float64{1880}, leg{"BUY", 1, 1700}),
		"met":             trigger(t, "single", "NSE:INFY", 1881.6, []float64{1881.6}, leg{"BUY", 1, 1700}),
		"tick":            trigger(t, "single", "NSE:INFY", 1881.6, []float64{1700.05}, leg{"BUY", 1, 1700}),
		"negative":        trigger(t, "single", "NSE:INFY", 1881.6, []float64{-1700}, leg{"BUY", 1, 1700}),
		"no last price":   trigger(t, "single", "NSE:INFY", 0, []float64{1700}, leg{"BUY", 1, 1700}),
		"quantity":        trigger(t, "single", "NSE:INFY", 1881.6, []float64{1700}, leg{"BUY", 0, 1700}),
		"price":           trigger(t, "single", "NSE:INFY", 1881.6, []float64{1700}, leg{"BUY", 1, 0}),
		"side":            trigger(t, "single", "NSE:INFY", 1881.6, []float64{1700}, leg{"HOLD", 1, 1700}),
		"wrong order":     trigger(t, "two-leg", "NSE:INFY", 1881.6, []float64{2000, 1700}, leg{"SELL", 1, 1700}, leg{"SELL", 1, 1700}),
		"both below":      trigger(t, "two-leg", "NSE:INFY", 1881.6, []float64{1600, 1700}, leg{"SELL", 1, 1700}, leg{"SELL", 1, 1700}),
		"market order":    with("orders", strings.Replace(good().Get("orders"), "LIMIT", "MARKET", 1)),
		"another product": with("orders", strings.Replace(good().Get("orders"), "CNC", "MIS", 1)),
		"another symbol":  with("orders", strings.Replace(good().Get("orders"), "INFY", "TCS", 1)),
	} {
		if status, out := tr.form(http.MethodPost, "/gtt/triggers", form); status != 400 || out.ErrorType != "InputException" {
			t.Errorf("%s: %d %+v", name, status, out)
		}
	}
	if status, _ := tr.form(http.MethodPut, "/gtt/triggers/900003", good()); status != 400 {
		t.Errorf("modifying a spent trigger: %d", status)
	}
	if status, _ := tr.form(http.MethodDelete, "/gtt/triggers/abc", nil); status != 404 {
		t.Errorf("no number: %d", status)
	}
}

// alertForm is an alert that the words change.
func alertForm(words ...string) url.Values {
	out := pairs("name=a", "type=simple", "lhs_exchange=NSE", "lhs_tradingsymbol=INFY", "lhs_attribute=LastTradedPrice", "operator=>=", "rhs_type=constant", "rhs_constant=1800")
	out.Set("operator", ">=")
	maps.Copy(out, pairs(words...))
	return out
}

// Alerts fire once when their condition begins to hold and keep what they saw; those with orders place them.
func TestAlerts(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	create := func(form url.Values) string {
		status, out := tr.form(http.MethodPost, "/alerts", form)
		if status != 200 {
			t.Fatalf("create: %d %+v", status, out)
		}
		return "/alerts/" + out.Data.(map[string]any)["uuid"].(string)
	}
	holds := create(alertForm())
	index := create(alertForm("lhs_exchange=INDICES", "lhs_tradingsymbol=NIFTY 50", "rhs_constant=1"))
	pair := create(alertForm("rhs_type=instrument", "rhs_exchange=NSE", "rhs_tradingsymbol=IDEA", "rhs_attribute=LastTradedPrice"))
	waits := create(alertForm("rhs_constant=3000"))
	basket := `{"name":"b","type":"alert","tags":[],"items":[{"type":"insert","tradingsymbol":"INFY","exchange":"NSE","weight":1,"params":` +
		`{"transaction_type":"BUY","product":"CNC","order_type":"LIMIT","validity":"DAY","quantity":1,"price":1900,"variety":"regular","tags":["ato"]}},` +
		`{"tradingsymbol":"INFY","exchange":"NSE","params":{"transaction_type":"BUY","product":"CNC","order_type":"LIMIT","validity":"DAY","quantity":1,"price":9000}}]}`
	ato := create(alertForm("type=ato", "basket="+basket))
	tr.advance("1h")
	for path, want := range map[string]float64{holds: 1, index: 1, pair: 1, waits: 0, ato: 1} {
		a := tr.get(path).(map[string]any)
		history := tr.get(path + "/history").([]any)
		if a["alert_count"] != want || float64(len(history)) != want {
			t.Errorf("%s %s fired %v times with %d rows", path, a["lhs_tradingsymbol"], a["alert_count"], len(history))
		}
	}
	event := tr.get(holds + "/history").([]any)[0].(map[string]any)
	meta := event["meta"].([]any)[0].(map[string]any)
	if event["condition"] != `LastTradedPrice("NSE:INFY") >= 1800` || event["created_at"] != "2026-12-02 11:15:20" || meta["last_price"].(float64) < 1800 || event["order_meta"] != nil {
		t.Errorf("event: %v", event)
	}
	if a := tr.get(ato).(map[string]any); a["status"] != "disabled" {
		t.Errorf("an alert with orders fires once: %v", a["status"])
	}
	orders := tr.get(ato + "/history").([]any)[0].(map[string]any)["order_meta"].([]any)
	first, second := orders[0].(map[string]any), orders[1].(map[string]any)
	if first["status"] != "success" || tr.order(first["order_id"].(string))["tag"] != "ato" || second["status"] != "failed" || second["message"] == "" {
		t.Errorf("orders of the alert: %v", orders)
	}
	if status, out := tr.form(http.MethodPut, ato, pairs("status=enabled")); status != 200 || out.Data.(map[string]any)["status"] != "enabled" {
		t.Errorf("enable again: %d %+v", status, out)
	}
	uuid := strings.TrimPrefix(ato, "/alerts/")
	if status, out := tr.form(http.MethodDelete, "/alerts?uuid="+uuid+"&uuid=x", nil); status != 404 {
		t.Errorf("delete with an unknown uuid: %d %+v", status, out)
	}
	if status, out := tr.form(http.MethodDelete, "/alerts?uuid="+uuid+"&uuid="+strings.TrimPrefix(waits, "/alerts/"), nil); status != 200 || out.Data != nil {
		t.Errorf("delete two: %d %+v", status, out)
	}
	if n := len(tr.get("/alerts?type=simple").([]any)); n != 4 {
		t.Errorf("%d simple alerts are left, want 4", n)
	}
}

// What an alert needs.
func TestAlertRules(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	for name, form := range map[string]url.Values{
		"no name": alertForm("name="), "type": alertForm("type=sms"), "symbol": alertForm("lhs_tradingsymbol=NOPE"), "index on NSE of INDICES": alertForm("lhs_exchange=INDICES"),
		"attribute": alertForm("lhs_attribute=Mood"), "operator": alertForm("operator=~"), "rhs": alertForm("rhs_type=mood"), "no constant": alertForm("rhs_constant="),
		"constant": alertForm("rhs_constant=abc"), "other symbol": alertForm("rhs_type=instrument", "rhs_exchange=NSE", "rhs_tradingsymbol=NOPE", "rhs_attribute=LastTradedPrice"),
		"ato without basket": alertForm("type=ato"), "ato with an empty one": alertForm("type=ato", "basket={}"), "ato with a broken one": alertForm("type=ato", "basket=["),
	} {
		if status, out := tr.form(http.MethodPost, "/alerts", form); status != 400 || out.ErrorType != "InputException" {
			t.Errorf("%s: %d %+v", name, status, out)
		}
	}
	if status, _ := tr.form(http.MethodDelete, "/alerts", nil); status != 400 {
		t.Errorf("delete nothing: %d", status)
	}
	for range 198 {
		tr.form(http.MethodPost, "/alerts", alertForm("rhs_constant=9000"))
	}
	if status, out := tr.form(http.MethodPost, "/alerts", alertForm()); status != 400 || !strings.Contains(out.Message, "200") {
		t.Errorf("201 alerts: %d %+v", status, out)
	}
}

// The day after: the book is empty, shares are on their way, then there, and money has moved.
func TestNextDays(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	id := tr.place("regular", limit("quantity=4"))
	other := tr.place("regular", limit("tradingsymbol=GOLDBEES", "price=95", "quantity=5"))
	tr.advance("1h")
	price := tr.order(id)["average_price"].(float64)
	cost := 4*price + 5*tr.order(other)["average_price"].(float64)
	equity := tr.get("/user/margins/equity").(map[string]any)
	if delivery := equity["utilised"].(map[string]any)["delivery"].(float64); fmt.Sprintf("%.1f", delivery) != fmt.Sprintf("%.1f", cost) {
		t.Errorf("delivery binds %v, bought for %v", delivery, cost)
	}
	row := func(symbol string) map[string]any {
		for _, r := range tr.get("/portfolio/holdings").([]any) {
			if h := r.(map[string]any); h["tradingsymbol"] == symbol {
				return h
			}
		}
		return nil
	}
	if h := row("ITC"); h["quantity"] != 500.0 || h["used_quantity"] != 200.0 {
		t.Errorf("before the night: %v", h)
	}
	tr.goTo("2026-12-03T09:15:00+05:30")
	tr.login("DM0001")
	if n := len(tr.get("/orders").([]any)) + len(tr.get("/trades").([]any)); n != 0 {
		t.Errorf("%d orders and trades in the morning", n)
	}
	for symbol, want := range map[string][4]float64{ // quantity, T1, used, opening
		"INFY": {75, 4, 0, 79}, "SBIN": {40, 0, 0, 40}, "ITC": {500, 0, 0, 500}, "GOLDBEES": {800, 5, 0, 805}, "IDEA": {8500, 0, 0, 8500},
	} {
		h := row(symbol)
		got := [4]float64{h["quantity"].(float64), h["t1_quantity"].(float64), h["used_quantity"].(float64), h["opening_quantity"].(float64)}
		if got != want {
			t.Errorf("%s in the morning: %v, want %v", symbol, got, want)
		}
	}
	average := (1702.9*75 + 4*price) / 79
	if got := row("INFY")["average_price"].(float64); fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", average) {
		t.Errorf("average of INFY %v, want %v", got, average)
	}
	kept := map[string]any{}
	for _, r := range tr.get("/portfolio/positions").(map[string]any)["net"].([]any) {
		p := r.(map[string]any)
		kept[p["tradingsymbol"].(string)] = []any{p["quantity"], p["overnight_quantity"], p["average_price"], p["day_buy_quantity"]}
	}
	want := map[string]any{"NIFTY26DECFUT": []any{65.0, 65.0, 26410.0, 0.0}, "BANKNIFTY26DEC60000PE": []any{-60.0, -60.0, 612.4, 0.0}}
	if d := cmp.Diff(want, kept); d != "" {
		t.Errorf("positions in the morning (-want +got):\n%s", d)
	}
	tr.goTo("2026-12-04T09:15:00+05:30")
	tr.login("DM0001")
	if h := row("INFY"); h["quantity"] != 79.0 || h["t1_quantity"] != 0.0 {
		t.Errorf("a day later: %v", h)
	}
	tr.goTo("2026-12-30T09:15:00+05:30")
	tr.login("DM0001")
	if n := len(tr.get("/portfolio/positions").(map[string]any)["net"].([]any)); n != 0 {
		t.Errorf("%d positions in expired contracts", n)
	}
}

// Fund orders are allotted the next day.
func TestFunds(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	for name, form := range map[string]url.Values{
		"scheme": pairs("tradingsymbol=X", "transaction_type=BUY", "amount=500"), "little": pairs("tradingsymbol=INF000D01AB9", "transaction_type=BUY", "amount=99"),
		"no units": pairs("tradingsymbol=INF000D01AA1", "transaction_type=SELL"), "too many": pairs("tradingsymbol=INF000D01AA1", "transaction_type=SELL", "quantity=382.489"),
	} {
		if status, out := tr.form(http.MethodPost, "/mf/orders", form); status != 400 || out.ErrorType != "InputException" {
			t.Errorf("%s: %d %+v", name, status, out)
		}
	}
	for _, form := range []url.Values{pairs("tradingsymbol=INF000D01AB9", "transaction_type=BUY", "amount=5000"), pairs("tradingsymbol=INF000D01AA1", "transaction_type=SELL", "quantity=82.488")} {
		if status, out := tr.form(http.MethodPost, "/mf/orders", form); status != 200 {
			t.Errorf("order: %d %+v", status, out)
		}
	}
	tr.goTo("2026-12-03T10:00:00+05:30")
	tr.login("DM0001")
	got := map[string]any{}
	for _, r := range tr.get("/mf/holdings").([]any) {
		h := r.(map[string]any)
		got[h["tradingsymbol"].(string)] = []any{h["quantity"], h["average_price"]}
	}
	// 5000 / 2081.4984 = 2.402 units.
	if d := cmp.Diff(map[string]any{"INF000D01AA1": []any{300.0, 78.43}, "INF000D01AB9": []any{2.402, 2081.4984}}, got); d != "" {
		t.Errorf("holdings (-want +got):\n%s", d)
	}
	for name, form := range map[string]url.Values{
		"scheme": pairs("tradingsymbol=X", "amount=500", "frequency=monthly"), "amount": pairs("tradingsymbol=INF000D01AB9", "amount=5", "frequency=monthly"),
		"frequency": pairs("tradingsymbol=INF000D01AB9", "amount=500", "frequency=daily"), "day": pairs("tradingsymbol=INF000D01AB9", "amount=500", "frequency=monthly", "instalment_day=31"),
	} {
		if status, out := tr.form(http.MethodPost, "/mf/sips", form); status != 400 || out.ErrorType != "InputException" {
			t.Errorf("plan %s: %d %+v", name, status, out)
		}
	}
	if status, _, _ := ask(t, tr.x, tr.request(http.MethodGet, "/mf/orders?from=soon")); status != 400 {
		t.Errorf("date: %d", status)
	}
	if n := len(tr.get("/mf/orders?from=2026-12-02&to=2026-12-02").([]any)); n != 2 {
		t.Errorf("%d orders of the day before, want 2", n)
	}
}
