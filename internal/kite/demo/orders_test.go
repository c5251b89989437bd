package demo_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// trader sends calls to one exchange and fails the test when an answer is no JSON.
type trader struct {
	t     *testing.T
	x     *demo.Exchange
	token *string
}

func newTrader(t *testing.T, o demo.Options) trader {
	t.Helper()
	token := demo.AccessToken
	return trader{t, newExchange(t, o), &token}
}

func (tr trader) request(method, path string) *http.Request {
	tr.t.Helper()
	r := request(tr.t, method, path)
	r.Header.Set("Authorization", "token "+demo.APIKey+":"+*tr.token)
	return r
}

// login goes through the page as a browser does, for when the day's session is over.
func (tr trader) login(user string) {
	tr.t.Helper()
	_, _, page := tr.submit(pairs("api_key="+demo.APIKey, "user_id="+user))
	words := strings.Fields(page)
	status, out := tr.exchange(words[len(words)-1], demo.APISecret)
	if status != 200 {
		tr.t.Fatalf("login of %s: %d %+v", user, status, out)
	}
	*tr.token = out.Data.(map[string]any)["access_token"].(string)
}

// exchange sends a request token with its checksum.
func (tr trader) exchange(requestToken, secret string) (int, reply) {
	tr.t.Helper()
	sum := sha256.Sum256([]byte(demo.APIKey + requestToken + secret))
	return tr.form(http.MethodPost, "/session/token", pairs("api_key="+demo.APIKey, "request_token="+requestToken, "checksum="+hex.EncodeToString(sum[:])))
}

func (tr trader) send(method, path, body, kind string) (int, reply) {
	tr.t.Helper()
	r := tr.request(method, path)
	r.Body = io.NopCloser(strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	status, out, _ := ask(tr.t, tr.x, r)
	return status, out
}

func (tr trader) form(method, path string, values url.Values) (int, reply) {
	tr.t.Helper()
	return tr.send(method, path, values.Encode(), "application/x-www-form-urlencoded")
}

// pairs makes a form out of name=value words.
func pairs(words ...string) url.Values {
	out := url.Values{}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		out.Set(name, value)
	}
	return out
}

// limit is a regular order that the words change.
func limit(words ...string) url.Values {
	out := pairs("exchange=NSE", "tradingsymbol=INFY", "transaction_type=BUY", "order_type=LIMIT", "product=CNC", "quantity=3", "price=1900")
	for name, v := range pairs(words...) {
		out[name] = v
		if v[0] == "" {
			delete(out, name)
		}
	}
	return out
}

// place sends an order that must be taken and returns its id.
func (tr trader) place(variety string, form url.Values) string {
	tr.t.Helper()
	status, out := tr.form(http.MethodPost, "/orders/"+variety, form)
	if status != 200 {
		tr.t.Fatalf("place %v: %d %+v", form, status, out)
	}
	return out.Data.(map[string]any)["order_id"].(string)
}

func (tr trader) advance(d string) {
	tr.t.Helper()
	if status, out := tr.send(http.MethodPost, "/__demo/clock", `{"advance":"`+d+`"}`, "application/json"); status != 200 {
		tr.t.Fatalf("advance %s: %d %+v", d, status, out)
	}
}

func (tr trader) goTo(when string) {
	tr.t.Helper()
	if status, out := tr.send(http.MethodPost, "/__demo/clock", `{"now":"`+when+`"}`, "application/json"); status != 200 {
		tr.t.Fatalf("clock %s: %d %+v", when, status, out)
	}
}

func (tr trader) get(path string) any {
	tr.t.Helper()
	status, out, _ := ask(tr.t, tr.x, tr.request(http.MethodGet, path))
	if status != 200 || out.Status != "success" {
		tr.t.Fatalf("%s: %d %+v", path, status, out)
	}
	return out.Data
}

// trail returns the statuses of an order in turn.
func (tr trader) trail(id string) string {
	tr.t.Helper()
	var words []string
	for _, row := range tr.get("/orders/" + id).([]any) {
		words = append(words, row.(map[string]any)["status"].(string))
	}
	return strings.Join(words, ", ")
}

// order returns the row of an order in the book.
func (tr trader) order(id string) map[string]any {
	tr.t.Helper()
	for _, row := range tr.get("/orders").([]any) {
		if o := row.(map[string]any); o["order_id"] == id {
			return o
		}
	}
	tr.t.Fatalf("order %s is not in the book", id)
	return nil
}

func num(v any) *big.Rat {
	n, _ := new(big.Rat).SetString(fmt.Sprint(v))
	return n
}

// traded is what the trades of one position add up to.
type traded struct{ buys, sells, bought, sold *big.Rat }

// checkBooks holds the order book, the histories, the trades and the positions against each other.
func (tr trader) checkBooks() (orders, trades int) {
	tr.t.Helper()
	all := tr.get("/trades").([]any)
	byOrder := map[any][]any{}
	for _, trade := range all {
		id := trade.(map[string]any)["order_id"]
		byOrder[id] = append(byOrder[id], trade)
	}
	want := map[string]traded{}
	rows := tr.get("/orders").([]any)
	for _, row := range rows {
		o := row.(map[string]any)
		filled, value := tr.checkOrder(o, byOrder[o["order_id"]])
		key := positionKey(o)
		p, ok := want[key]
		if !ok {
			p = traded{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}
			want[key] = p
		}
		if o["transaction_type"] == "BUY" {
			p.buys.Add(p.buys, filled)
			p.bought.Add(p.bought, value)
		} else {
			p.sells.Add(p.sells, filled)
			p.sold.Add(p.sold, value)
		}
	}
	tr.checkPositions(want)
	return len(rows), len(all)
}

func positionKey(row map[string]any) string {
	return row["exchange"].(string) + ":" + row["tradingsymbol"].(string) + " " + row["product"].(string)
}

// checkOrder holds one order against its history and its trades, whose sums it returns.
func (tr trader) checkOrder(o map[string]any, trades []any) (filled, value *big.Rat) {
	t := tr.t
	t.Helper()
	id := o["order_id"].(string)
	history := tr.get("/orders/" + id).([]any)
	if last := history[len(history)-1]; !reflect.DeepEqual(o, last) { // cmp is slow when all is well
		t.Errorf("order %s and the end of its history (-book +history):\n%s", id, cmp.Diff(o, last))
	}
	filled, value = new(big.Rat), new(big.Rat)
	for _, trade := range trades {
		q := num(trade.(map[string]any)["quantity"])
		filled.Add(filled, q)
		value.Add(value, q.Mul(q, num(trade.(map[string]any)["average_price"])))
	}
	if own := tr.get("/orders/" + id + "/trades").([]any); len(own)+len(trades) > 0 && !reflect.DeepEqual(trades, own) {
		t.Errorf("trades of %s (-all +own):\n%s", id, cmp.Diff(trades, own))
	}
	if filled.Cmp(num(o["filled_quantity"])) != 0 {
		t.Errorf("order %s: trades sum to %s, filled_quantity %v", id, filled, o["filled_quantity"])
	}
	if filled.Sign() > 0 {
		diff := new(big.Rat).Quo(value, filled)
		diff.Sub(diff, num(o["average_price"]))
		if diff.Abs(diff).Cmp(big.NewRat(1, 20_000)) > 0 { // half of the last decimal
			t.Errorf("order %s: average_price %v is off by %s", id, o["average_price"], diff.FloatString(6))
		}
	}
	checkQuantities(t, o)
	return filled, value
}

func (tr trader) checkPositions(want map[string]traded) {
	t := tr.t
	t.Helper()
	for _, row := range tr.get("/portfolio/positions").(map[string]any)["net"].([]any) {
		p := row.(map[string]any)
		key := positionKey(p)
		w, ok := want[key]
		delete(want, key)
		if !ok {
			continue
		}
		quantity := new(big.Rat).Sub(w.buys, w.sells)
		quantity.Add(quantity, num(p["overnight_quantity"]))
		m := num(p["multiplier"])
		for field, v := range map[string]*big.Rat{
			"quantity": quantity, "day_buy_quantity": w.buys, "day_sell_quantity": w.sells,
			"day_buy_value": new(big.Rat).Mul(w.bought, m), "day_sell_value": new(big.Rat).Mul(w.sold, m),
		} {
			if v.Cmp(num(p[field])) != 0 {
				t.Errorf("position %s: %s is %v, trades say %s", key, field, p[field], v.FloatString(4))
			}
		}
	}
	for key, w := range want {
		if w.buys.Sign()+w.sells.Sign() != 0 {
			t.Errorf("traded %s has no position", key)
		}
	}
}

// checkQuantities is the table of quantities by status.
func checkQuantities(t *testing.T, o map[string]any) {
	t.Helper()
	q, filled, pending, cancelled := num(o["quantity"]), num(o["filled_quantity"]), num(o["pending_quantity"]), num(o["cancelled_quantity"])
	rest := new(big.Rat).Sub(q, filled)
	bad := false
	switch o["status"] {
	case "COMPLETE":
		bad = filled.Cmp(q) != 0 || pending.Sign() != 0 || cancelled.Sign() != 0 || num(o["average_price"]).Sign() == 0
	case "REJECTED":
		bad = filled.Sign() != 0 || pending.Sign() != 0 || cancelled.Sign() != 0 || o["status_message"] == nil
	case "CANCELLED":
		bad = pending.Cmp(rest) != 0 || cancelled.Cmp(rest) != 0 && o["variety"] != "auction"
	default:
		bad = pending.Cmp(rest) != 0 || cancelled.Sign() != 0
	}
	if bad {
		t.Errorf("order %v is %v with quantity %v, filled %v, pending %v, cancelled %v", o["order_id"], o["status"], q, filled, pending, cancelled)
	}
}

// randomOrder draws an order that is often allowed, near the market.
func (tr trader) randomOrder(rng *rand.Rand, ltp map[string]float64) (variety string, form url.Values) {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	key := pick("NSE:INFY", "NSE:SBIN", "NSE:ITC", "NSE:IDEA", "NSE:GOLDBEES", "NFO:NIFTY26DECFUT", "NFO:NIFTY26D0826200CE", "BSE:SBIN", "NSE:KAVERIAGRO-SM", "NSE:CENTRALBK-BE")
	exchange, symbol, _ := strings.Cut(key, ":")
	tick, lot, product := 0.05, 1, pick("CNC", "MIS")
	switch {
	case exchange == "NFO":
		tick, lot, product = 0.05, 65, pick("NRML", "MIS")
		if strings.HasSuffix(symbol, "FUT") {
			tick = 0.1
		}
	case symbol == "INFY":
		tick = 0.1
	case symbol == "KAVERIAGRO-SM":
		lot = 800
	}
	n := lot * (1 + rng.IntN(30))
	if exchange == "NFO" {
		n = lot * (1 + rng.IntN(3))
	}
	steps := int(ltp[key]/tick) + rng.IntN(41) - 20
	price := fmt.Sprintf("%.2f", float64(steps)*tick)
	form = pairs("exchange="+exchange, "tradingsymbol="+symbol, "transaction_type="+pick("BUY", "SELL"), "product="+product,
		fmt.Sprintf("quantity=%d", n), "order_type="+pick("LIMIT", "LIMIT", "MARKET", "SL", "SL-M"), "validity="+pick("DAY", "DAY", "IOC", "TTL"),
		"validity_ttl=2", "price="+price, "trigger_price="+price, "market_protection=-1")
	variety = pick("regular", "regular", "regular", "iceberg")
	if variety == "iceberg" {
		form.Set("validity", "DAY")
		form.Set("quantity", strconv.Itoa(lot*10))
		form.Set("iceberg_legs", "5")
		form.Set("iceberg_quantity", strconv.Itoa(lot*2))
	}
	if rng.IntN(8) == 0 {
		form.Set("tag", pick("demoreject", "demopartial", "demostuck", "demomodrej", "democancelrace", "mine"))
	}
	return variety, form
}

// 500 random orders with changes and cancellations on the way keep the books consistent.
func TestRandomOrders(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	rng := rand.New(rand.NewPCG(4, 2026)) //nolint:gosec // wanted: the same orders every time
	ltp := map[string]float64{}
	for _, id := range []string{"NSE:INFY", "NSE:SBIN", "NSE:ITC", "NSE:IDEA", "NSE:GOLDBEES", "NFO:NIFTY26DECFUT", "NFO:NIFTY26D0826200CE", "BSE:SBIN", "NSE:KAVERIAGRO-SM", "NSE:CENTRALBK-BE"} {
		q := tr.get("/quote/ltp?i=" + url.QueryEscape(id)).(map[string]any)
		ltp[id] = q[id].(map[string]any)["last_price"].(float64)
	}
	var ids []string
	for taken := 0; taken < 500; {
		variety, form := tr.randomOrder(rng, ltp)
		if status, out := tr.form(http.MethodPost, "/orders/"+variety, form); status == 200 {
			taken++
			ids = append(ids, variety+"/"+out.Data.(map[string]any)["order_id"].(string))
		}
		if len(ids) > 0 && rng.IntN(4) == 0 {
			tr.form(http.MethodPut, "/orders/"+ids[rng.IntN(len(ids))], pairs(fmt.Sprintf("quantity=%d", 1+rng.IntN(200))))
		}
		if len(ids) > 0 && rng.IntN(5) == 0 {
			tr.form(http.MethodDelete, "/orders/"+ids[rng.IntN(len(ids))], nil)
		}
		tr.advance(fmt.Sprintf("%ds", rng.IntN(20)))
		if taken%250 == 0 {
			tr.checkBooks()
		}
	}
	orders, trades := tr.checkBooks()
	statuses := map[any]int{}
	for _, o := range tr.get("/orders").([]any) {
		statuses[o.(map[string]any)["status"]]++
	}
	for _, s := range []string{"COMPLETE", "CANCELLED", "REJECTED", "OPEN", "TRIGGER PENDING", "VALIDATION PENDING"} {
		if statuses[s] == 0 {
			t.Errorf("no order is %s: %v", s, statuses)
		}
	}
	if orders < 500 || trades < 500 {
		t.Errorf("%d orders and %d trades are too few to prove anything", orders, trades)
	}
}

// What happens does not depend on when somebody looks.
func TestEngineIsLazy(t *testing.T) {
	t.Parallel()
	run := func(steps ...string) string {
		tr := newTrader(t, demo.Options{})
		tr.place("regular", limit("price=1882", "quantity=40"))
		tr.place("regular", limit("price=1878", "quantity=40", "product=MIS"))
		tr.place("regular", limit("tradingsymbol=SBIN", "price=812", "transaction_type=SELL", "product=MIS", "quantity=60"))
		tr.place("regular", limit("order_type=SL", "trigger_price=1885", "price=1890", "product=MIS"))
		for _, s := range steps {
			tr.advance(s)
			tr.get("/orders")
		}
		b, err := json.Marshal([]any{tr.get("/orders"), tr.get("/trades"), tr.get("/user/margins")})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var many []string
	for range 200 {
		many = append(many, "51s")
	}
	if d := cmp.Diff(run("10200s"), run(many...)); d != "" {
		t.Errorf("one look and 200 looks (-one +many):\n%s", d)
	}
}

// Many callers at once, of two users, with the clock moving: nothing races and the books hold.
func TestConcurrentTraders(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{Users: true, State: filepath.Join(t.TempDir(), "state.json")})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 12 {
				switch (i + n) % 4 {
				case 0:
					tr.form(http.MethodPost, "/orders/regular", limit("quantity=2", "product=MIS"))
				case 1:
					tr.send(http.MethodPost, "/__demo/clock", `{"advance":"1s"}`, "application/json")
				case 2:
					tr.form(http.MethodPost, "/gtt/triggers", trigger(t, "single", "NSE:INFY", 1881.6, []float64{1700}, leg{"BUY", 1, 1700}))
				default:
					ask(t, tr.x, tr.request(http.MethodGet, "/portfolio/positions"))
					ask(t, tr.x, tr.request(http.MethodGet, "/__demo/requests"))
				}
			}
		})
	}
	wg.Wait()
	tr.advance("30s")
	if orders, _ := tr.checkBooks(); orders != 7+24 {
		t.Errorf("%d orders, want 31", orders)
	}
}
