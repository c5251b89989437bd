package demo_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// Kite's words, so that tables fit a line.
const (
	put, val, pend, open  = "PUT ORDER REQ RECEIVED", "VALIDATION PENDING", "OPEN PENDING", "OPEN"
	trig, done, gone, rej = "TRIGGER PENDING", "COMPLETE", "CANCELLED", "REJECTED"
)

func path(statuses ...string) string { return strings.Join(statuses, ", ") }

// The state trail of every kind of order, at the frozen instant where INFY is 1881.6 and its prices are known.
func TestTrails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		variety string
		form    url.Values
		wait    string
		trail   string
		filled  float64
	}{
		"at once":            {"regular", limit(), "0s", path(put, val), 0},
		"a second later":     {"regular", limit("quantity=1"), "1s", path(put, val, pend, open, open, done), 1},
		"market":             {"regular", limit("order_type=MARKET", "price=", "market_protection=-1", "quantity=1"), "1s", path(put, val, pend, open, open, done), 1},
		"market, 2 percent":  {"regular", limit("order_type=MARKET", "price=", "market_protection=2", "quantity=1"), "1s", path(put, val, pend, open, open, done), 1},
		"resting":            {"regular", limit("price=1700"), "60s", path(put, val, pend, open), 0},
		"many trades":        {"regular", limit("quantity=30"), "60s", path(put, val, pend, open, open, done), 30},
		"IOC, nothing":       {"regular", limit("price=1700", "validity=IOC"), "2s", path(put, val, pend, open, gone), 0},
		"TTL":                {"regular", limit("price=1700", "validity=TTL", "validity_ttl=2"), "121s", path(put, val, pend, open, gone), 0},
		"TTL, not yet":       {"regular", limit("price=1700", "validity=TTL", "validity_ttl=2"), "120s", path(put, val, pend, open), 0},
		"stop asleep":        {"regular", limit("order_type=SL", "trigger_price=2000", "price=2010"), "60s", path(put, val, pend, trig), 0},
		"stop awake":         {"regular", limit("order_type=SL", "trigger_price=1800", "price=1900", "quantity=1"), "1s", path(put, val, pend, trig, open, open, done), 1},
		"stop at market":     {"regular", limit("order_type=SL-M", "trigger_price=1800", "price=", "market_protection=-1", "quantity=1"), "1s", path(put, val, pend, trig, open, open, done), 1},
		"day ends":           {"regular", limit("price=1700"), "4h15m", path(put, val, pend, open, gone), 0},
		"no money":           {"regular", limit("quantity=1000"), "1s", path(put, val, rej), 0},
		"no shares":          {"regular", limit("transaction_type=SELL", "tradingsymbol=HDFCBANK", "price=1050"), "1s", path(put, val, rej), 0},
		"T1 shares":          {"regular", limit("transaction_type=SELL", "tradingsymbol=SBIN", "price=800", "quantity=1"), "1s", path(put, val, pend, open, open, done), 1},
		"pledged shares":     {"regular", limit("transaction_type=SELL", "tradingsymbol=TCS", "price=3500", "quantity=3"), "1s", path(put, val, rej), 0},
		"never trades":       {"regular", limit("tradingsymbol=KAVERIAGRO-SM", "product=MIS", "quantity=800", "price=229", "order_type=MARKET", "market_protection=-1"), "60s", path(put, val, pend, open), 0},
		"no sellers":         {"regular", limit("tradingsymbol=CENTRALBK-BE", "price=31"), "60s", path(put, val, pend, open), 0},
		"only buyers":        {"regular", limit("tradingsymbol=CENTRALBK-BE", "transaction_type=SELL", "price=31", "quantity=1"), "1s", path(put, val, pend, open, open, done), 1},
		"auction":            {"auction", limit("tradingsymbol=RELIANCE", "transaction_type=SELL", "price=1700", "auction_number=AUCTION"), "60s", path(put, val, pend, open), 0},
		"tag reject":         {"regular", limit("tag=demoreject"), "1s", path(put, val, rej), 0},
		"tag stuck":          {"regular", limit("tag=demostuckxyz"), "1h", path(put, val), 0},
		"tag partial":        {"regular", limit("tag=demopartial", "quantity=10"), "1h", path(put, val, pend, open, open), 4},
		"tag partial, unmet": {"regular", limit("tag=demopartial", "quantity=10", "price=1700"), "1h", path(put, val, pend, open, open), 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrader(t, demo.Options{})
			if tc.form.Get("auction_number") != "" {
				for _, row := range tr.get("/portfolio/holdings/auctions").([]any) {
					if a := row.(map[string]any); a["tradingsymbol"] == "RELIANCE" {
						tc.form.Set("auction_number", a["auction_number"].(string))
					}
				}
			}
			id := tr.place(tc.variety, tc.form)
			if id != "2044000000000000008" {
				t.Errorf("the first new order is %s", id)
			}
			tr.advance(tc.wait)
			if d := cmp.Diff(tc.trail, tr.trail(id)); d != "" {
				t.Errorf("trail (-want +got):\n%s", d)
			}
			if o := tr.order(id); o["filled_quantity"] != tc.filled {
				t.Errorf("filled %v, want %v: %v", o["filled_quantity"], tc.filled, o["status_message"])
			}
			tr.checkBooks()
		})
	}
}

// A large order is filled bit by bit, and the book shows it.
func TestPartialFills(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	id := tr.place("regular", limit("quantity=40", "product=MIS"))
	tr.advance("3s")
	o := tr.order(id)
	if f := o["filled_quantity"].(float64); o["status"] != open || f < 3 || f > 15 || o["pending_quantity"] != 40-f || o["average_price"] == 0.0 {
		t.Errorf("after three seconds: %v filled of 40, %v", f, o["status"])
	}
	if n := len(tr.get("/orders/" + id + "/trades").([]any)); n != 3 {
		t.Errorf("%d trades in three seconds", n)
	}
	tr.form(http.MethodDelete, "/orders/regular/"+id, nil)
	tr.advance("1s")
	o = tr.order(id)
	rest := 40 - o["filled_quantity"].(float64)
	if o["status"] != gone || o["pending_quantity"] != rest || o["cancelled_quantity"] != rest || o["status_message"] != nil {
		t.Errorf("cancelled after a part: %v", o)
	}
	ioc := tr.place("regular", limit("quantity=40", "validity=IOC", "product=MIS"))
	tr.advance("2s")
	if o := tr.order(ioc); o["status"] != gone || o["filled_quantity"] == 0.0 {
		t.Errorf("IOC: %v filled, %v", o["filled_quantity"], o["status"])
	}
	tr.checkBooks()
}

// Modifications go through their states, keep what was not sent, and end after 25.
func TestModify(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	id := tr.place("regular", limit("price=1700", "quantity=10"))
	at := "/orders/regular/" + id
	if status, out := tr.form(http.MethodPut, at, pairs("price=1710")); status != 400 || out.ErrorType != "OrderException" {
		t.Errorf("before it is in the market: %d %+v", status, out)
	}
	tr.advance("1s")
	for name, form := range map[string]url.Values{
		"tick": pairs("price=1710.03"), "band": pairs("price=17"), "quantity": pairs("quantity=0"), "type": pairs("order_type=BO"),
		"market without protection": pairs("order_type=MARKET"), "stop without trigger": pairs("order_type=SL"),
	} {
		if status, out := tr.form(http.MethodPut, at, form); status != 400 || out.ErrorType != "InputException" {
			t.Errorf("%s: %d %+v", name, status, out)
		}
	}
	if status, out := tr.form(http.MethodPut, at, pairs("price=1710")); status != 200 {
		t.Fatalf("modify: %d %+v", status, out)
	}
	if got := tr.order(id); got["status"] != "MODIFY VALIDATION PENDING" || got["price"] != 1700.0 {
		t.Errorf("at once: %v at %v", got["status"], got["price"])
	}
	tr.advance("1s")
	want := path(put, val, pend, open, "MODIFY VALIDATION PENDING", "MODIFY PENDING", "MODIFIED", open)
	if d := cmp.Diff(want, tr.trail(id)); d != "" {
		t.Errorf("trail (-want +got):\n%s", d)
	}
	if o := tr.order(id); o["price"] != 1710.0 || o["quantity"] != 10.0 || o["modified"] != true {
		t.Errorf("modified: %v", o)
	}
	for range 24 {
		tr.form(http.MethodPut, at, pairs("price=1711"))
		tr.advance("1s")
	}
	if status, out := tr.form(http.MethodPut, at, pairs("price=1712")); status != 400 || out.ErrorType != "OrderException" || !strings.Contains(out.Message, "modifications") {
		t.Errorf("26th: %d %+v", status, out)
	}
	stuck := tr.place("regular", limit("price=1700", "tag=demomodrej"))
	tr.advance("1s")
	tr.form(http.MethodPut, "/orders/regular/"+stuck, pairs("price=1720"))
	tr.advance("1s")
	if o := tr.order(stuck); o["price"] != 1700.0 || o["status"] != open || o["status_message"] == nil {
		t.Errorf("refused modification: %v", o)
	}
	richer := tr.place("regular", limit("price=1700"))
	tr.advance("1s")
	tr.form(http.MethodPut, "/orders/regular/"+richer, pairs("quantity=1000"))
	tr.advance("1s")
	if o := tr.order(richer); o["quantity"] != 3.0 || !strings.Contains(o["status_message"].(string), "Insufficient funds") {
		t.Errorf("modification without funds: %v", o)
	}
}

// Cancelling races with the market when the tag asks for it.
func TestCancelRace(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	id := tr.place("regular", limit("price=1700", "tag=democancelrace"))
	tr.advance("1s")
	if status, _ := tr.form(http.MethodDelete, "/orders/regular/"+id, nil); status != 200 {
		t.Errorf("cancel: %d", status)
	}
	tr.advance("1s")
	if o := tr.order(id); o["status"] != done || o["filled_quantity"] != 3.0 {
		t.Errorf("race: %v", o)
	}
	if status, out := tr.form(http.MethodDelete, "/orders/regular/"+id, nil); status != 400 || out.ErrorType != "OrderException" {
		t.Errorf("cancel what is complete: %d %+v", status, out)
	}
	if status, out := tr.form(http.MethodDelete, "/orders/amo/"+id, nil); status != 400 || out.ErrorType != "InputException" {
		t.Errorf("wrong variety: %d %+v", status, out)
	}
}

// An iceberg shows one leg at a time; its meta says where it is.
func TestIceberg(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	first := tr.place("iceberg", limit("quantity=10", "iceberg_legs=3", "iceberg_quantity=4", "product=MIS"))
	tr.advance("60s")
	var legs []any
	for _, row := range tr.get("/orders").([]any) {
		if o := row.(map[string]any); o["variety"] == "iceberg" {
			m := o["meta"].(map[string]any)["iceberg"].(map[string]any)
			legs = append(legs, []any{o["quantity"], o["status"], m["leg"], m["remaining_quantity"], m["total_quantity"]})
		}
	}
	want := []any{[]any{4.0, done, 1.0, 6.0, 10.0}, []any{4.0, done, 2.0, 2.0, 10.0}, []any{2.0, done, 3.0, 0.0, 10.0}}
	if d := cmp.Diff(want, legs); d != "" {
		t.Errorf("legs (-want +got):\n%s", d)
	}
	_ = first
	resting := tr.place("iceberg", limit("quantity=10", "iceberg_legs=3", "iceberg_quantity=4", "product=MIS", "price=1700"))
	tr.advance("1s")
	tr.form(http.MethodDelete, "/orders/iceberg/"+resting, nil)
	tr.advance("60s")
	if o := tr.order(resting); o["status"] != gone || len(tr.get("/orders").([]any)) != 7+3+1 {
		t.Errorf("cancelled iceberg: %v", o)
	}
}

// A cover order brings its stop with it, which leaves through the parent's id only.
func TestCoverOrder(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	id := tr.place("co", limit("product=MIS", "trigger_price=1800", "quantity=2"))
	tr.advance("60s")
	var stop map[string]any
	for _, row := range tr.get("/orders").([]any) {
		if o := row.(map[string]any); o["parent_order_id"] == id {
			stop = o
		}
	}
	if stop == nil || stop["status"] != trig || stop["order_type"] != "SL-M" || stop["transaction_type"] != "SELL" || stop["quantity"] != 2.0 || stop["trigger_price"] != 1800.0 {
		t.Fatalf("second leg: %v", stop)
	}
	at := "/orders/co/" + stop["order_id"].(string)
	if status, out := tr.form(http.MethodDelete, at, nil); status != 400 || !strings.Contains(out.Message, "parent_order_id") {
		t.Errorf("without parent: %d %+v", status, out)
	}
	if status, _ := tr.form(http.MethodDelete, at+"?parent_order_id=1", nil); status != 400 {
		t.Errorf("with a wrong parent: %d", status)
	}
	if status, out := tr.form(http.MethodDelete, at+"?parent_order_id="+id, nil); status != 200 {
		t.Errorf("exit: %d %+v", status, out)
	}
	tr.advance("10s")
	if o := tr.order(stop["order_id"].(string)); o["status"] != done || o["filled_quantity"] != 2.0 {
		t.Errorf("exited: %v", o)
	}
	tr.checkBooks()
}

// Autoslice cuts at the freeze quantity; a slice without funds fails alone.
func TestAutoslice(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	form := pairs("exchange=NFO", "tradingsymbol=NIFTY26D0826200CE", "transaction_type=SELL", "order_type=MARKET", "product=NRML", "market_protection=-1", "quantity=3510")
	if status, out := tr.form(http.MethodPost, "/orders/regular", form); status != 400 || !strings.Contains(out.Message, "freeze") {
		t.Errorf("over the freeze quantity: %d %+v", status, out)
	}
	form.Set("autoslice", "true")
	status, out := tr.form(http.MethodPost, "/orders/regular", form)
	data := out.Data.(map[string]any)
	children := data["children"].([]any)
	if status != 200 || len(children) != 1 || children[0].(map[string]any)["order_id"] == nil {
		t.Fatalf("autoslice: %d %+v", status, out)
	}
	if o := tr.order(children[0].(map[string]any)["order_id"].(string)); o["parent_order_id"] != data["order_id"] || o["quantity"] != 1755.0 {
		t.Errorf("child: %v", o)
	}
	form.Set("transaction_type", "BUY")
	form.Set("tradingsymbol", "NIFTY26D0825900CE")
	_, out = tr.form(http.MethodPost, "/orders/regular", form)
	failed, _ := out.Data.(map[string]any)["children"].([]any)[0].(map[string]any)["error"].(map[string]any)
	if failed["error_type"] != "MarginException" || failed["code"] != 400.0 {
		t.Errorf("slice without funds: %+v", out)
	}
	form.Set("quantity", "19305")
	if status, out := tr.form(http.MethodPost, "/orders/regular", form); status != 400 || !strings.Contains(out.Message, "10") {
		t.Errorf("eleven slices: %d %+v", status, out)
	}
}

// An order after hours waits for the morning; a regular one is refused by the exchange.
func TestAfterHours(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	if status, out := tr.form(http.MethodPost, "/orders/amo", limit()); status != 400 || out.ErrorType != "OrderException" {
		t.Errorf("AMO while open: %d %+v", status, out)
	}
	tr.goTo("2026-12-02T20:00:00+05:30")
	amo := tr.place("amo", limit("price=2000", "quantity=1"))
	late := tr.place("regular", limit())
	dropped := tr.place("amo", limit("price=2000"))
	tr.form(http.MethodPut, "/orders/amo/"+amo, pairs("quantity=2"))
	tr.form(http.MethodDelete, "/orders/amo/"+dropped, nil)
	tr.advance("1s")
	if o := tr.order(late); o["status"] != rej || !strings.Contains(o["status_message"].(string), "closed") {
		t.Errorf("regular order at night: %v", o)
	}
	if o := tr.order(dropped); o["status"] != gone {
		t.Errorf("cancelled AMO: %v", o)
	}
	tr.goTo("2026-12-03T09:16:00+05:30")
	tr.login("DM0001")
	rows := tr.get("/orders").([]any)
	if o := tr.order(amo); len(rows) != 1 || o["status"] != done || o["filled_quantity"] != 2.0 {
		t.Errorf("next morning: %d orders, %v", len(rows), o["status"])
	}
	want := path("AMO REQ RECEIVED", "AMO REQ RECEIVED", val, pend, open, open, done)
	if d := cmp.Diff(want, tr.trail(amo)); d != "" {
		t.Errorf("trail (-want +got):\n%s", d)
	}
}
