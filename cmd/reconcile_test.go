package cmd_test

import (
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// order is a row of the order book, trade and position rows alike, as far as the
// recipe looks at them. Prices stay as they are written.
type order struct {
	OrderID         string      `json:"order_id"`
	ParentOrderID   string      `json:"parent_order_id"`
	TradeID         string      `json:"trade_id"`
	Status          string      `json:"status"`
	StatusMessage   string      `json:"status_message"`
	Exchange        string      `json:"exchange"`
	TradingSymbol   string      `json:"tradingsymbol"`
	Product         string      `json:"product"`
	TransactionType string      `json:"transaction_type"`
	Quantity        int64       `json:"quantity"`
	FilledQuantity  int64       `json:"filled_quantity"`
	AveragePrice    json.Number `json:"average_price"`
}

func (o order) position() string {
	return o.Exchange + ":" + o.TradingSymbol + " " + o.Product
}

// signed is the quantity as a position counts it.
func (o order) signed() int64 {
	if o.TransactionType == "SELL" {
		return -o.Quantity
	}
	return o.Quantity
}

// TestReconcileRecipe follows the recipe /orders/reconcile by its own calls, over
// authenticated HTTP: an MCP client talks to the server, the server to an
// exchange that asks for a login, and the books must agree in the end.
func TestReconcileRecipe(t *testing.T) {
	t.Parallel()
	kite := newTradedExchange(t)
	var ticks atomic.Int64
	clock := func() time.Time { return stopped().Add(time.Duration(ticks.Add(1)) * time.Second) } // Kite's limits are not the subject
	at := startHTTP(t, []string{"KITE_BASE_URL=" + kite.url, "KITE_API_KEY=" + demo.APIKey, "KITE_ACCESS_TOKEN=" + demo.AccessToken}, clock)
	steps := recipeCalls(t, "/orders/reconcile")
	read := func(step int, orderID string) []order {
		t.Helper()
		arguments := strings.ReplaceAll(steps[step].arguments, "<order_id>", orderID)
		return everyPage(t, at, steps[step].tool, arguments)
	}

	book := read(0, "")
	byID := map[string]order{}
	for _, o := range book {
		byID[o.OrderID] = o
	}
	for id, want := range kite.expected {
		if got := fate(byID[id]); got != want {
			t.Errorf("order %s: %s, want %s (%s)", id, got, want, byID[id].StatusMessage)
		}
	}
	day := map[string]int64{}
	fills := map[string]bool{}
	for _, o := range book {
		trail := read(1, o.OrderID)
		if last := trail[len(trail)-1]; last.Status != o.Status {
			t.Errorf("%s: the book says %s, its trail ends with %s", o.OrderID, o.Status, last.Status)
		}
		if o.Status == "REJECTED" && o.StatusMessage == "" {
			t.Errorf("%s is rejected without a reason", o.OrderID)
		}
		if o.FilledQuantity == 0 {
			continue
		}
		trades := read(2, o.OrderID)
		checkFills(t, o, trades)
		for _, trade := range trades {
			fills[trade.OrderID+" "+trade.TradeID] = true
			day[trade.position()] += trade.signed()
		}
	}
	all := map[string]bool{}
	for _, trade := range read(3, "") {
		all[trade.OrderID+" "+trade.TradeID] = true
	}
	if diff := cmp.Diff(fills, all); diff != "" {
		t.Errorf("trades (-per order +of the day):\n%s", diff)
	}
	positions := map[string]int64{}
	for _, p := range read(4, "") {
		positions[p.position()] += p.Quantity
	}
	if diff := cmp.Diff(day, positions); diff != "" {
		t.Errorf("day positions (-trades +positions):\n%s", diff)
	}
}

// checkFills adds up the trades of one order.
func checkFills(t *testing.T, o order, trades []order) {
	t.Helper()
	filled, value := int64(0), new(big.Rat)
	for _, trade := range trades {
		price, ok := new(big.Rat).SetString(trade.AveragePrice.String())
		if !ok {
			t.Fatalf("trade price %q", trade.AveragePrice)
		}
		filled += trade.Quantity
		value.Add(value, price.Mul(price, big.NewRat(trade.Quantity, 1)))
	}
	if filled != o.FilledQuantity {
		t.Errorf("%s: filled %d, its trades add up to %d", o.OrderID, o.FilledQuantity, filled)
	}
	average, ok := new(big.Rat).SetString(o.AveragePrice.String())
	if !ok {
		t.Fatalf("average price %q", o.AveragePrice)
	}
	off := average.Sub(average, value.Quo(value, big.NewRat(filled, 1)))
	if tick := big.NewRat(5, 100); off.Abs(off).Cmp(tick) > 0 {
		t.Errorf("%s: average %s is more than a tick from its trades", o.OrderID, o.AveragePrice)
	}
}

// fate is where an order stands, and whether it stands there half done.
func fate(o order) string {
	if o.FilledQuantity > 0 && o.FilledQuantity < o.Quantity {
		return o.Status + " partly"
	}
	return o.Status
}

// tradedExchange is a demo exchange on a port, with new orders of every fate beside
// those of its seed.
type tradedExchange struct {
	url      string
	expected map[string]string // order id to status
}

func newTradedExchange(t *testing.T) tradedExchange {
	t.Helper()
	kite := tradedExchange{startExchange(t), map[string]string{}}
	for _, o := range []struct{ form, status string }{
		{"exchange=NSE&tradingsymbol=INFY&transaction_type=BUY&order_type=MARKET&market_protection=-1&product=CNC&quantity=4", "COMPLETE"},
		{"exchange=NSE&tradingsymbol=INFY&transaction_type=SELL&order_type=MARKET&market_protection=-1&product=MIS&quantity=7", "COMPLETE"},
		{"exchange=NSE&tradingsymbol=SBIN&transaction_type=BUY&order_type=MARKET&market_protection=-1&product=CNC&quantity=10&tag=demopartial", "OPEN partly"},
		{"exchange=NSE&tradingsymbol=SBIN&transaction_type=BUY&order_type=MARKET&market_protection=-1&product=CNC&quantity=10&tag=demoreject", "REJECTED"},
		{"exchange=NSE&tradingsymbol=SBIN&transaction_type=BUY&order_type=MARKET&market_protection=-1&product=CNC&quantity=10&tag=demostuck", "VALIDATION PENDING"},
	} {
		kite.expected[kite.place(t, o.form)] = o.status
	}
	kite.call(t, "/__demo/clock", "application/json", `{"advance":"10m"}`)
	return kite
}

// place sends an order to the exchange itself, as Kite's own client would.
func (k tradedExchange) place(t *testing.T, form string) (orderID string) {
	t.Helper()
	var reply struct {
		Data struct {
			OrderID string `json:"order_id"`
		} `json:"data"`
	}
	answer := k.call(t, "/orders/regular", "application/x-www-form-urlencoded", form+"&validity=DAY")
	if err := json.Unmarshal(answer, &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Data.OrderID
}

func (k tradedExchange) call(t *testing.T, path, kind, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, k.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"X-Kite-Version": {"3"}, "Authorization": {"token " + demo.APIKey + ":" + demo.AccessToken}, "Content-Type": {kind}}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("POST %s: status %d, %v, %s", path, res.StatusCode, err, answer)
	}
	return answer
}

// recipeCall is one call that a recipe shows.
type recipeCall struct{ tool, arguments string }

// recipeCalls are the calls of a recipe in order.
func recipeCalls(t *testing.T, key string) []recipeCall {
	t.Helper()
	pages, err := catalog.Load(catalog.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	k, err := catalog.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	page, err := pages.Page(k)
	if err != nil {
		t.Fatal(err)
	}
	var calls []recipeCall
	for _, m := range regexp.MustCompile(`(?m)^\s*([a-z_]+)\((\{.*\})\)\s*$`).FindAllStringSubmatch(string(page.Body), -1) {
		calls = append(calls, recipeCall{m[1], m[2]})
	}
	if len(calls) != 5 {
		t.Fatalf("catalog/%s shows %d calls, this test follows 5; update one of them", page.Path, len(calls))
	}
	return calls
}

// everyPage repeats a call with the next page until there is none, as the recipe
// says.
func everyPage(t *testing.T, at, tool, arguments string) []order {
	t.Helper()
	var all []order
	for {
		var reply struct {
			Result struct {
				StructuredContent struct {
					Data       []order
					Pagination struct {
						HasMore  bool  `json:"has_more"`
						NextFrom int64 `json:"next_from"`
					}
				} `json:"structuredContent"`
				IsError bool
				Content []struct{ Text string }
			} `json:"result"`
			Error *struct{ Message string }
		}
		if err := json.Unmarshal(calledAt(t, at, modernEra, tool, arguments), &reply); err != nil {
			t.Fatal(err)
		}
		if reply.Error != nil || reply.Result.IsError {
			t.Fatalf("%s %s: %+v %+v", tool, arguments, reply.Error, reply.Result.Content)
		}
		got := reply.Result.StructuredContent
		all = append(all, got.Data...)
		if !got.Pagination.HasMore {
			return all
		}
		var next map[string]any
		if err := json.Unmarshal([]byte(arguments), &next); err != nil {
			t.Fatal(err)
		}
		next["from"] = got.Pagination.NextFrom
		text, err := json.Marshal(next)
		if err != nil {
			t.Fatal(err)
		}
		arguments = string(text)
	}
}
