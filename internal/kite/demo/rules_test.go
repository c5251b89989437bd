package demo_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// orderRule is an order and what the exchange says to it.
type orderRule struct {
	variety string
	form    url.Values
	status  int
	kind    string
	says    string
}

func option(words ...string) url.Values {
	return limit(append([]string{"exchange=NFO", "tradingsymbol=NIFTY26D0826200CE", "product=NRML", "quantity=65", "price=100"}, words...)...)
}

func berg(words ...string) url.Values {
	return limit(append([]string{"quantity=10", "iceberg_legs=5", "iceberg_quantity=2"}, words...)...)
}

func orderRules() map[string]orderRule {
	return map[string]orderRule{
		"good":                     {"regular", limit(), 200, "", ""},
		"good option":              {"regular", option(), 200, "", ""},
		"good with decimal count":  {"regular", limit("quantity=3.0"), 200, "", ""},
		"unknown variety":          {"bo", limit(), 400, "InputException", "variety"},
		"unknown symbol":           {"regular", limit("tradingsymbol=NOPE"), 400, "InputException", "does not exist"},
		"index":                    {"regular", limit("tradingsymbol=NIFTY 50"), 400, "InputException", "does not exist"},
		"no exchange":              {"regular", limit("exchange="), 400, "InputException", "exchange"},
		"no side":                  {"regular", limit("transaction_type="), 400, "InputException", "transaction_type"},
		"unknown side":             {"regular", limit("transaction_type=HOLD"), 400, "InputException", "transaction_type"},
		"no type":                  {"regular", limit("order_type="), 400, "InputException", "order_type"},
		"unknown product":          {"regular", limit("product=BO"), 400, "InputException", "product"},
		"no quantity":              {"regular", limit("quantity="), 400, "InputException", "quantity"},
		"zero quantity":            {"regular", limit("quantity=0"), 400, "InputException", "quantity"},
		"negative quantity":        {"regular", limit("quantity=-1"), 400, "InputException", "quantity"},
		"half a share":             {"regular", limit("quantity=1.5"), 400, "InputException", "quantity"},
		"exponent":                 {"regular", limit("quantity=1e3"), 400, "InputException", "quantity"},
		"word":                     {"regular", limit("quantity=ten"), 400, "InputException", "quantity"},
		"huge":                     {"regular", limit("quantity=99999999999999999999"), 400, "InputException", "quantity"},
		"lot":                      {"regular", option("quantity=66"), 400, "InputException", "lot size 65"},
		"disclosed":                {"regular", limit("disclosed_quantity=4"), 400, "InputException", "Disclosed"},
		"no price":                 {"regular", limit("price="), 400, "InputException", "price"},
		"negative price":           {"regular", limit("price=-1900"), 400, "InputException", "price"},
		"endless price":            {"regular", limit("price=NaN"), 400, "InputException", "price"},
		"tick":                     {"regular", limit("price=1900.05"), 400, "InputException", "Tick size for this script is 0.1"},
		"tick of a trigger":        {"regular", limit("order_type=SL", "trigger_price=1900.05"), 400, "InputException", "Tick size"},
		"below the circuit":        {"regular", limit("price=1681"), 400, "InputException", "lower circuit limit of 1681.2"},
		"at the circuit":           {"regular", limit("price=1681.2"), 200, "", ""},
		"above the circuit":        {"regular", limit("price=2054.7"), 400, "InputException", "upper circuit limit of 2054.6"},
		"no trigger":               {"regular", limit("order_type=SL"), 400, "InputException", "trigger_price"},
		"stop above its limit":     {"regular", limit("order_type=SL", "trigger_price=1910"), 400, "InputException", "above the limit"},
		"stop below its limit":     {"regular", limit("order_type=SL", "trigger_price=1890", "transaction_type=SELL"), 400, "InputException", "below the limit"},
		"long tag":                 {"regular", limit("tag=" + strings.Repeat("a", 21)), 400, "InputException", "tag"},
		"odd tag":                  {"regular", limit("tag=a-b"), 400, "InputException", "tag"},
		"market unprotected":       {"regular", limit("order_type=MARKET", "price="), 400, "InputException", "market_protection"},
		"protection zero":          {"regular", limit("order_type=MARKET", "market_protection=0"), 400, "InputException", "market_protection"},
		"protection minus two":     {"regular", limit("order_type=MARKET", "market_protection=-2"), 400, "InputException", "market_protection"},
		"protection above hundred": {"regular", limit("order_type=SL-M", "trigger_price=1800", "market_protection=101"), 400, "InputException", "market_protection"},
		"IOC on MCX":               {"regular", limit("exchange=MCX", "tradingsymbol=GOLDM26DECFUT", "product=NRML", "validity=IOC", "quantity=1", "price=130000"), 400, "InputException", "IOC"},
		"commodity":                {"regular", limit("exchange=MCX", "tradingsymbol=GOLDM26DECFUT", "product=NRML", "quantity=1", "order_type=MARKET", "market_protection=-1"), 403, "PermissionException", "commodity"},
		"unknown validity":         {"regular", limit("validity=GTC"), 400, "InputException", "validity"},
		"TTL without minutes":      {"regular", limit("validity=TTL"), 400, "InputException", "validity_ttl"},
		"delivery of an option":    {"regular", option("product=CNC"), 400, "InputException", "CNC"},
		"funded option":            {"regular", option("product=MTF"), 400, "InputException", "MTF"},
		"carried share":            {"regular", limit("product=NRML"), 400, "InputException", "NRML"},
		"freeze":                   {"regular", option("quantity=1820"), 400, "InputException", "freeze quantity of 1755"},
		"iceberg":                  {"iceberg", berg(), 200, "", ""},
		"one leg":                  {"iceberg", berg("iceberg_legs=1", "iceberg_quantity=10"), 400, "InputException", "between 2 and 50"},
		"51 legs":                  {"iceberg", berg("quantity=102", "iceberg_legs=51"), 400, "InputException", "between 2 and 50"},
		"legs that do not add up":  {"iceberg", berg("iceberg_legs=4"), 400, "InputException", "add up"},
		"legs elsewhere":           {"regular", berg(), 400, "InputException", "iceberg"},
		"cover without stop":       {"co", limit("product=MIS"), 400, "InputException", "trigger_price"},
		"delivered cover":          {"co", limit("trigger_price=1800"), 400, "InputException", "MIS"},
		"auction without number":   {"auction", limit("transaction_type=SELL"), 400, "InputException", "auction_number"},
		"another auction":          {"auction", limit("transaction_type=SELL", "auction_number=999"), 400, "InputException", "auction_number"},
	}
}

// What an order needs, one broken rule each.
func TestOrderRules(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	want := 7
	for name, tc := range orderRules() {
		status, out := tr.form(http.MethodPost, "/orders/"+tc.variety, tc.form)
		if status != tc.status || out.ErrorType != tc.kind || !strings.Contains(out.Message, tc.says) {
			t.Errorf("%s: %d %s %q, want %d %s with %q", name, status, out.ErrorType, out.Message, tc.status, tc.kind, tc.says)
		}
		if tc.status == 200 {
			want++
		}
	}
	if n := len(tr.get("/orders").([]any)); n != want {
		t.Errorf("%d orders in the book, want %d: what is refused leaves nothing behind", n, want)
	}
	if status, out := tr.send(http.MethodPost, "/orders/regular", "quantity=%zz", "application/x-www-form-urlencoded"); status != 400 || out.ErrorType != "InputException" {
		t.Errorf("broken form: %d %+v", status, out)
	}
	if status, out := tr.send(http.MethodPost, "/orders/regular", strings.Repeat("a", 2<<20), "application/x-www-form-urlencoded"); status != 413 {
		t.Errorf("2 MiB: %d %+v", status, out)
	}
}

// The margin that a calculator names is the one that an order is refused for, and the one that it binds.
func TestMarginsAgree(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]url.Values{
		"delivery": limit("quantity=10"), "intraday": limit("quantity=10", "product=MIS"), "funded": limit("quantity=10", "product=MTF"),
		"option":       limit("exchange=NFO", "tradingsymbol=NIFTY26D0826200CE", "product=NRML", "quantity=65", "price=5"),
		"short option": limit("exchange=NFO", "tradingsymbol=NIFTY26D0826200CE", "product=NRML", "quantity=65", "price=210", "transaction_type=SELL"),
		"future":       limit("exchange=NFO", "tradingsymbol=BANKNIFTY26DECFUT", "product=NRML", "quantity=30", "price=56000"),
		"short share":  limit("quantity=10", "product=MIS", "transaction_type=SELL", "price=1990"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrader(t, demo.Options{})
			need := func(f url.Values) float64 {
				return tr.calculate("/margins/orders", f).([]any)[0].(map[string]any)["total"].(float64)
			}
			free := func() float64 { return tr.get("/user/margins/equity").(map[string]any)["net"].(float64) }
			form.Set("price", strings.Replace(form.Get("price"), "1900", "1750", 1)) // rests
			before, one := free(), need(form)
			id := tr.place("regular", form)
			tr.advance("1s")
			if o := tr.order(id); o["status"] != open {
				t.Fatalf("order is %v: %v", o["status"], o["status_message"])
			}
			// The positions of the account move with the market in that second, so compare with what they did without it.
			other := newTrader(t, demo.Options{})
			other.advance("1s")
			drift := other.get("/user/margins/equity").(map[string]any)["net"].(float64) - before
			if bound := before + drift - free(); one == 0 || fmt.Sprintf("%.2f", bound) != fmt.Sprintf("%.2f", one) {
				t.Errorf("calculated %v, bound %v", one, bound)
			}
			times := 900
			if form.Get("exchange") == "NFO" {
				times = 27 // the freeze quantity, or nearly
			}
			for range 60 {
				many := maps.Clone(form)
				q, err := strconv.Atoi(form.Get("quantity"))
				if err != nil {
					t.Fatal(err)
				}
				many.Set("quantity", strconv.Itoa(q*times))
				id = tr.place("regular", many)
				tr.advance("1s")
				if o := tr.order(id); o["status"] == rej {
					if want := fmt.Sprintf("Required margin is %.2f but", need(many)); !strings.Contains(o["status_message"].(string), want) {
						t.Errorf("%v, calculator says %s", o["status_message"], want)
					}
					return
				}
			}
			t.Error("no order was refused")
		})
	}
}

// Calculators refuse what they cannot reckon, and a basket closes what it opens.
func TestCalculators(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	one := `{"exchange":"NSE","tradingsymbol":"INFY","transaction_type":"%s","variety":"regular","product":"MIS","order_type":"MARKET","quantity":%s,"price":0}`
	for name, body := range map[string]string{
		"empty": "[]", "no array": "{}", "broken": "[", "nothing": "", "side": "[" + fmt.Sprintf(one, "HOLD", "1") + "]", "half": "[" + fmt.Sprintf(one, "BUY", "1.5") + "]",
		"huge": "[" + fmt.Sprintf(one, "BUY", "1e400") + "]", "none": "[" + fmt.Sprintf(one, "BUY", "0") + "]",
		"symbol": strings.Replace("["+fmt.Sprintf(one, "BUY", "1")+"]", "INFY", "NOPE", 1), "many": "[" + strings.Repeat(fmt.Sprintf(one, "BUY", "1")+",", 50) + fmt.Sprintf(one, "BUY", "1") + "]",
	} {
		for _, path := range []string{"/margins/orders", "/margins/basket", "/charges/orders"} {
			if status, out := tr.send(http.MethodPost, path, body, "application/json"); status != 400 || out.ErrorType != "InputException" {
				t.Errorf("%s %s: %d %+v", path, name, status, out)
			}
		}
	}
	_, out := tr.send(http.MethodPost, "/margins/basket?mode=compact", "["+fmt.Sprintf(one, "BUY", "10")+","+fmt.Sprintf(one, "SELL", "10")+"]", "application/json")
	data := out.Data.(map[string]any)
	initial, final := data["initial"].(map[string]any)["total"].(float64), data["final"].(map[string]any)["total"].(float64)
	if first := data["orders"].([]any)[0].(map[string]any)["total"].(float64); final != first || initial <= final {
		t.Errorf("basket: initial %v, final %v, first order %v", initial, final, first)
	}
}

// calculate asks a calculator about orders of the form of a placed one.
func (tr trader) calculate(path string, forms ...url.Values) any {
	tr.t.Helper()
	var orders []map[string]any
	for _, f := range forms {
		o := map[string]any{"variety": "regular"}
		for name := range f {
			o[name] = f.Get(name)
		}
		for _, name := range []string{"quantity", "price"} {
			o[name] = json.Number(f.Get(name))
		}
		delete(o, "market_protection")
		orders = append(orders, o)
	}
	b, err := json.Marshal(orders)
	if err != nil {
		tr.t.Fatal(err)
	}
	status, out := tr.send(http.MethodPost, path, string(b), "application/json")
	if status != 200 {
		tr.t.Fatalf("%s %s: %d %+v", path, b, status, out)
	}
	return out.Data
}

// basket asks for the initial and the final margin.
func (tr trader) basket(held bool, forms ...url.Values) (initial, final float64) {
	tr.t.Helper()
	data := tr.calculate("/margins/basket?mode=compact&consider_positions="+strconv.FormatBool(held), forms...).(map[string]any)
	total := func(name string) float64 { return data[name].(map[string]any)["total"].(float64) }
	return total("initial"), total("final")
}

// A bought option covers a sold one in the basket calculator, and in the check that an order is refused by.
func TestHedgesAgree(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	option := func(symbol, side, quantity, price string) url.Values {
		return limit("exchange=NFO", "product=NRML", "tradingsymbol="+symbol, "transaction_type="+side, "quantity="+quantity, "price="+price)
	}
	long, short := option("NIFTY26D0826300CE", "BUY", "65", "160"), option("NIFTY26D0826200CE", "SELL", "65", "200")
	put := option("NIFTY26D0826200PE", "BUY", "65", "160")
	initial, final := tr.basket(false, short, long)
	// 13,000 sold binds 260 span and 65 exposure, 10,400 bought its premium; the cover saves the span.
	if initial != 10_725 || final != 10_465 {
		t.Errorf("hedged: initial %v, final %v", initial, final)
	}
	if i, f := tr.basket(false, long, short); i != initial || f != final {
		t.Errorf("the other way round: initial %v, final %v", i, f)
	}
	if i, f := tr.basket(false, short, put); i != f {
		t.Errorf("a put covers no call: initial %v, final %v", i, f)
	}
	if i, f := tr.basket(false, short, long, option("NIFTY26D0826300CE", "SELL", "65", "160")); i <= f || f != 325+10_400 {
		t.Errorf("cover sold again: initial %v, final %v", i, f)
	}

	tr.place("regular", limit("exchange=NFO", "product=NRML", "tradingsymbol=NIFTY26D0826300CE", "quantity=65", "price=0", "order_type=MARKET", "market_protection=-1"))
	tr.advance("1m")
	many := option("NIFTY26D0826200CE", "SELL", "1755", "200")
	alone, beside := tr.basket(true, many)
	if alone <= beside {
		t.Fatalf("held cover: initial %v, final %v", alone, beside)
	}
	free := tr.get("/user/margins/equity").(map[string]any)["net"].(float64)
	tr.place("regular", limit("product=MIS", "price=1750", "quantity="+strconv.Itoa(int(free/350))))
	tr.advance("2s")
	id := tr.place("regular", many)
	tr.advance("1s")
	if o, want := tr.order(id), fmt.Sprintf("Required margin is %.2f but", beside); o["status"] != rej || !strings.Contains(o["status_message"].(string), want) {
		t.Errorf("%v: %v, calculator says %s", o["status"], o["status_message"], want)
	}
}

// The market protection of an order counts in the calculators as it does in the check.
func TestCalculatedProtection(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	one := `[{"exchange":"NSE","tradingsymbol":"INFY","transaction_type":"BUY","variety":"regular","product":"CNC","order_type":"%s","quantity":1%s}]`
	for name, tc := range map[string]struct{ kind, more, want string }{
		"automatic":        {"MARKET", "", "1919.2"}, // 2 percent above 1881.6
		"own":              {"MARKET", `,"market_protection":10`, "2069.7"},
		"of the trigger":   {"SL-M", `,"trigger_price":1900,"market_protection":10`, "2090"},
		"limit":            {"LIMIT", `,"price":1800`, "1800"},
		"market has none":  {"MARKET", `,"price":0,"trigger_price":0`, "1919.2"},
		"filled at 1700.5": {"MARKET", `,"average_price":1700.5`, "1700.5"},
	} {
		status, out := tr.send(http.MethodPost, "/margins/orders?mode=compact", fmt.Sprintf(one, tc.kind, tc.more), "application/json")
		if status != 200 || fmt.Sprint(out.Data.([]any)[0].(map[string]any)["total"]) != tc.want {
			t.Errorf("%s: %d %v, want %s", name, status, out.Data, tc.want)
		}
	}
	for _, bad := range []string{`,"price":-1`, `,"price":1e400`, `,"trigger_price":0.00001`} {
		if status, out := tr.send(http.MethodPost, "/margins/orders", fmt.Sprintf(one, "LIMIT", bad), "application/json"); status != 400 {
			t.Errorf("%s: %d %+v", bad, status, out)
		}
	}
}

// A conversion moves quantity between products and nothing else.
func TestConvertPosition(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	form := pairs("exchange=NSE", "tradingsymbol=HDFCBANK", "old_product=MIS", "new_product=CNC", "position_type=day", "transaction_type=BUY", "quantity=50")
	for name, words := range map[string][]string{
		"more than there is": {"quantity=151"}, "none": {"quantity=0"}, "same": {"new_product=MIS"}, "no such": {"tradingsymbol=INFY"}, "unknown": {"tradingsymbol=NOPE"},
		"not overnight": {"position_type=overnight"}, "other side": {"transaction_type=SELL"}, "NRML": {"new_product=NRML"}, "kind": {"position_type=week"},
	} {
		bad := maps.Clone(form)
		maps.Copy(bad, pairs(words...))
		if status, out := tr.form(http.MethodPut, "/portfolio/positions", bad); status != 400 || out.ErrorType != "InputException" {
			t.Errorf("%s: %d %+v", name, status, out)
		}
	}
	if status, out := tr.form(http.MethodPut, "/portfolio/positions", form); status != 200 || out.Data != true {
		t.Fatalf("convert: %d %+v", status, out)
	}
	got := map[string]any{}
	for _, row := range tr.get("/portfolio/positions").(map[string]any)["net"].([]any) {
		if p := row.(map[string]any); p["tradingsymbol"] == "HDFCBANK" {
			got[p["product"].(string)] = []any{p["quantity"], p["average_price"], p["day_buy_quantity"]}
		}
	}
	if d := cmp.Diff(map[string]any{"MIS": []any{100.0, 1041.6, 100.0}, "CNC": []any{50.0, 1041.6, 50.0}}, got); d != "" {
		t.Errorf("positions (-want +got):\n%s", d)
	}
	over := pairs("exchange=NFO", "tradingsymbol=NIFTY26DECFUT", "old_product=NRML", "new_product=MIS", "position_type=overnight", "transaction_type=BUY", "quantity=65")
	if status, out := tr.form(http.MethodPut, "/portfolio/positions", over); status != 200 {
		t.Errorf("overnight: %d %+v", status, out)
	}
}
