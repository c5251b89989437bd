package kite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kiteconnect "github.com/zerodha/gokiteconnect/v4"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// Trap 12: the library deletes alerts without saying which. It is not asked to.
func TestTrap12DeleteAlertsNamesNone(t *testing.T) {
	t.Parallel()
	sent := &recorded{}
	if err := library(sent).DeleteAlerts(dipAlert); err != nil {
		t.Fatal(err)
	}
	if sent.url.Path != "/alerts" || strings.Contains(sent.url.RawQuery, dipAlert) {
		t.Errorf("the library sent %s: the trap is gone, and this row with it", sent.url)
	}
	neverCalled(t, "DeleteAlerts")
}

// Trap 13: the library cancels without the parent order, so that the exit of a cover order fails. It is not asked to.
func TestTrap13CancelLosesTheParent(t *testing.T) {
	t.Parallel()
	sent, parent := &recorded{}, "2044000000000000009"
	if _, err := library(sent).CancelOrder("co", itcOrder, &parent); err != nil {
		t.Fatal(err)
	}
	if sent.url.Path != "/orders/co/"+itcOrder || strings.Contains(sent.url.RawQuery+sent.body.Encode(), parent) {
		t.Errorf("the library sent %s %s: the trap is gone, and this row with it", sent.url, sent.body.Encode())
	}
	neverCalled(t, "CancelOrder", "ExitOrder")
}

// Trap 14: one candle of five columns makes the library panic, and one without volume costs it the series.
func TestTrap14OddCandlesStayInTheirRow(t *testing.T) {
	t.Parallel()
	body := `{"status":"success","data":{"candles":[["2026-12-01T00:00:00+0530",1,2,0.5,1.5],["2026-12-02T00:00:00+05:30",1,2,0.5,1.5,null],["2026-12-03T00:00:00+0530",1,2,0.5,1.5,7]]}}`
	candles, err := clientOn(says(200, body)).Historical(t.Context(), dayCandles("2026-12-01"))
	if err != nil || len(candles) != 3 {
		t.Fatalf("%d candles, %v", len(candles), err)
	}
	for i, c := range candles {
		if c.Close != 1.5*rupee || c.Problems != nil || (c.Volume != nil) != (i == 2) || c.Time.Day() != i+1 {
			t.Errorf("candle %d = %+v", i, c)
		}
	}
	neverCalled(t, "GetHistoricalData")
}

// Trap 15: the library writes the ends of a range in whatever zone they come in. Kite reads them as IST.
func TestTrap15RangesAreInIST(t *testing.T) {
	t.Parallel()
	sent := &recorded{}
	at := time.Date(2026, 12, 2, 9, 15, 0, 0, kite.IST)
	for _, zone := range []*time.Location{kite.IST, time.UTC, time.FixedZone("EST", -5*3600)} {
		q := kite.CandleQuery{Token: infyToken, Interval: "day", From: at.In(zone), To: at.Add(time.Hour).In(zone)}
		if _, err := clientOn(sent).Historical(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if got := sent.url.Query(); got.Get("from") != "2026-12-02 09:15:00" || got.Get("to") != "2026-12-02 10:15:00" {
			t.Errorf("from a clock in %s: %v", zone, got)
		}
	}
}

// Trap 16: one odd field costs that field, not the list. 1.0 is a whole number, 10.5 is a named problem, and the row
// is passed on as sent.
func TestTrap16OddFieldsStayInTheirRow(t *testing.T) {
	t.Parallel()
	body := `[{"tradingsymbol":"A","quantity":10.5,"average_price":"12.5"},` +
		`{"tradingsymbol":"B","quantity":7.0,"authorised_date":"09:16:39"},` +
		`"no row",{"tradingsymbol":5,"quantity":true,"mtf":{"quantity":"x"}},{"tradingsymbol":"C","quantity":1.5e10}]`
	h, err := clientOn(says(200, `{"status":"success","data":`+body+`}`)).Holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Symbol   string
		Quantity int64
		Problems []string
	}
	var got []row
	for _, r := range h {
		got = append(got, row{r.TradingSymbol, r.Quantity, r.Problems})
	}
	want := []row{
		{"A", 0, []string{"quantity: 10.5"}},
		{"B", 7, []string{`authorised_date: "09:16:39"`}},
		{"", 0, []string{`not an object: "no row"`}},
		{"", 0, []string{"tradingsymbol: 5", "quantity: true", `mtf.quantity: "x"`}},
		{"C", 15_000_000_000, nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if h[0].AveragePrice != 12.5*rupee {
		t.Errorf("a number sent as text = %v", h[0].AveragePrice)
	}
	if got, _ := h[0].MarshalJSON(); string(got) != `{"tradingsymbol":"A","quantity":10.5,"average_price":"12.5"}` {
		t.Errorf("row = %s", got)
	}
	rows, err := demoClient(t, "holdings.compact:floatqty").HoldingsCompact(t.Context())
	if err != nil || len(rows) != 10 || rows[0].Problems == nil || rows[1].Quantity != 60 || rows[1].Problems != nil {
		t.Errorf("through the library, whose own decoder gives up: %+v, %v", rows, err)
	}
	orders, err := demoClient(t, "orders:floatqty").Orders(t.Context())
	if err != nil || len(orders) != 7 || orders[0].Problems == nil || orders[1].Problems != nil || orders[1].Quantity != 50 {
		t.Errorf("orders: %+v, %v", orders, err)
	}
}

// Trap 17: what would change the path or the query never leaves.
func TestTrap17ArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	c := clientOn(wire(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent") }))
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprintf("NSE:S%d", i)
	}
	for name, ids := range map[string][]string{
		"none": {}, "no exchange": {"INFY"}, "no symbol": {"NSE:"}, "empty exchange": {":INFY"}, "line break": {"NSE:INFY\nX"},
		"too long": {"NSE:" + strings.Repeat("X", 200)}, "501": many[:501], "one bad among good": {"NSE:INFY", "oops"},
	} {
		_, err := c.Quotes(t.Context(), ids)
		if e := failure(t, err, kite.KindInvalidArgument); e.Retryable {
			t.Errorf("%s: must not be retryable", name)
		}
	}
	_, err := c.LTP(t.Context(), many)
	wantKind(t, err, kite.KindInvalidArgument)
	_, err = c.LTP(t.Context(), many[:1000])
	wantKind(t, err, kite.KindUpstreamUnavailable)
	_, err = c.Quotes(t.Context(), []string{"oops", "NSE:INFY", "bad"})
	if e := failure(t, err, kite.KindInvalidArgument); !strings.Contains(e.Message, `"oops", "bad"`) {
		t.Errorf("message %q names not both", e.Message)
	}
	for _, id := range []string{"../user/profile", "1/trades", "1?x=1", ""} {
		_, err1 := c.OrderHistory(t.Context(), id)
		_, err2 := c.OrderTrades(t.Context(), id)
		_, err3 := c.Alert(t.Context(), id)
		_, err4 := c.AlertHistory(t.Context(), id)
		for _, err := range []error{err1, err2, err3, err4} {
			wantKind(t, err, kite.KindInvalidArgument)
		}
	}
}

// Trap 18: the library never sends a zero, so that a modification cannot take a price back, and a market order without
// protection is refused by Kite. Nothing here places or changes orders.
func TestTrap18ZerosAreNotSent(t *testing.T) {
	t.Parallel()
	sent := &recorded{}
	if _, err := library(sent).ModifyOrder("regular", itcOrder, kiteconnect.OrderParams{OrderType: "MARKET", Quantity: 5}); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"price", "trigger_price", "disclosed_quantity", "market_protection"} {
		if sent.body.Has(field) || !sent.body.Has("quantity") {
			t.Errorf("the library sent %s: the trap is gone, and this row with it", sent.body.Encode())
		}
	}
	neverCalled(t, "PlaceOrder", "ModifyOrder", "PlaceGTT", "ModifyGTT", "DeleteGTT", "CreateAlert", "ModifyAlert", "ConvertPosition")
}

// Trap 19: permissions are not sessions, under either spelling.
func TestTrap19PermissionIsNotASession(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"PermissionException", "PermissionError"} {
		body := `{"status":"error","message":"Insufficient permission for that call.","error_type":"` + kind + `"}`
		_, err := clientOn(says(403, body)).Quotes(t.Context(), []string{"NSE:INFY"})
		e := failure(t, err, kite.KindPermissionDenied)
		if e.Retryable || errors.Is(err, kite.ErrSessionExpired) {
			t.Errorf("%s: %+v", kind, e)
		}
	}
}

// Trap 20: fields the library does not know reach the caller.
func TestTrap20NoFieldIsLost(t *testing.T) {
	t.Parallel()
	h, err := demoClient(t, "holdings:extra").Holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	row := decoded(t, h[0]).(map[string]any)
	for _, key := range []string{"short_quantity", "authorisation", "demo_unknown"} {
		if _, ok := row[key]; !ok {
			t.Errorf("field %s is lost", key)
		}
	}
	body := `{"order_id":"1","meta_raw":"x","terminal_id":"y","pledged_quantity":2,"parent_trigger":3,"orders":[{"result":{"order_result":{"rejection_reason":"z"}}}],"condition":{"instrument_token":4}}`
	c := clientOn(says(200, `{"status":"success","data":[`+body+`]}`))
	orders, err1 := c.Orders(t.Context())
	trades, err2 := c.Trades(t.Context())
	triggers, err3 := c.GTTs(t.Context())
	funds, err4 := c.MFHoldings(t.Context())
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"order": orders[0], "trade": trades[0], "trigger": triggers[0], "fund": funds[0]} {
		if got, err := json.Marshal(v); string(got) != body {
			t.Errorf("%s = %s, %v", name, got, err)
		}
	}
	if g := triggers[0]; g.Orders[0].Result.RejectionReason != "z" || g.ParentTrigger != 3 || g.Condition.InstrumentToken != 4 {
		t.Errorf("trigger = %+v", g)
	}
}

// Trap 21: the library reads the least amount of a fund from a column that does not exist. Its list is not used.
func TestTrap21FundListIsNotUsed(t *testing.T) {
	t.Parallel()
	list := "tradingsymbol,amc,name,purchase_allowed,redemption_allowed,minimum_purchase_amount,purchase_amount_multiplier,minimum_additional_purchase_amount\n" +
		"INF000D01AA1,DEMO,DEMO FUND,1,1,1000,1,500\n"
	funds, err := library(says(200, list)).GetMFInstruments()
	if err != nil || len(funds) != 1 {
		t.Fatalf("%v, %v", funds, err)
	}
	if funds[0].MinimumAdditionalPurchaseAmount != 0 {
		t.Error("the library read 500: the trap is gone, and this row with it")
	}
	neverCalled(t, "GetMFInstruments", "MFInstrument")
}

// Trap 22: the library's login page is Kite's own whatever base it was given. It is not asked for one.
func TestTrap22LoginAddressIsFixed(t *testing.T) {
	t.Parallel()
	if got := library(nil).GetLoginURL(); !strings.HasPrefix(got, "https://kite.zerodha.com/") {
		t.Errorf("the library says %s: the trap is gone, and this row with it", got)
	}
	neverCalled(t, "GetLoginURL", "GetLoginURLWithparams")
}

// Trap 23: the library's client must not change while it is used. Ours is never changed and serves many calls at once.
func TestTrap23ConcurrentCalls(t *testing.T) {
	t.Parallel()
	neverCalled(t, "SetTimeout")
	c := demoClient(t, "")
	var wg sync.WaitGroup
	for range 4 {
		for route, call := range reads() {
			wg.Go(func() {
				if err := call(t.Context(), c); err != nil {
					t.Errorf("%s: %v", route, err)
				}
			})
		}
	}
	wg.Wait()
}

// Trap 24: missing depth is no depth, not five bids at zero.
func TestTrap24DepthHasOnlyRealLevels(t *testing.T) {
	t.Parallel()
	for depth, want := range map[string]int{
		`null`:                     0,
		`{"buy":null,"sell":null}`: 0,
		`{"buy":[{"price":0,"quantity":0,"orders":0},{"price":10.5,"quantity":4500000000,"orders":2}],"sell":[]}`: 1,
	} {
		body := `{"status":"success","data":{"NSE:A":{"last_price":1,"depth":` + depth + `}}}`
		q, err := clientOn(says(200, body)).Quotes(t.Context(), []string{"NSE:A"})
		if err != nil {
			t.Fatal(err)
		}
		if got := q["NSE:A"]; len(got.Depth.Buy) != want || len(got.Depth.Sell) != 0 || got.Problems != nil {
			t.Errorf("depth %s = %+v, problems %v", depth, got.Depth, got.Problems)
		}
	}
}

// Trap 25: the library sends whole orders with a trigger. That works: what it places is read back as it was meant.
func TestTrap25LibraryTriggersAreReadBack(t *testing.T) {
	t.Parallel()
	exchange := demoExchange(t, "").Transport()
	placed, err := library(exchange).PlaceGTT(kiteconnect.GTTParams{
		Tradingsymbol: "SBIN", Exchange: "NSE", LastPrice: 813.05, TransactionType: "BUY", Product: "CNC",
		Trigger: &kiteconnect.GTTSingleLegTrigger{TriggerParams: kiteconnect.TriggerParams{TriggerValue: 700, LimitPrice: 701, Quantity: 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: exchange})
	got, err := c.GTT(t.Context(), int64(placed.TriggerID))
	if err != nil {
		t.Fatal(err)
	}
	want := []kite.GTTOrder{{
		Exchange: "NSE", TradingSymbol: "SBIN", TransactionType: "BUY", Product: "CNC", OrderType: "LIMIT", Quantity: 3, Price: 701 * rupee,
	}}
	if d := cmp.Diff(want, got.Orders); d != "" || got.Condition.TriggerValues[0] != 700*rupee || got.Problems != nil {
		t.Errorf("trigger %+v (-want +got):\n%s", got, d)
	}
}

// Every row of docs/traps.md has one test of its number, and every such test its row.
func TestTrapsAreListed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/traps.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|.*\| `+"`"+`(TestTrap\d\d\w+)`+"`"+` \|$`).FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = m[2]
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{}
	for _, name := range files {
		source, err := fs.ReadFile(os.DirFS("."), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (TestTrap(\d\d)\w+)\(`).FindAllStringSubmatch(string(source), -1) {
			number := strings.TrimPrefix(m[2], "0")
			if tests[number] != "" {
				t.Errorf("trap %s has two tests: %s and %s", number, tests[number], m[1])
			}
			tests[number] = m[1]
		}
	}
	if d := cmp.Diff(rows, tests); d != "" || len(rows) != 25 {
		t.Errorf("%d rows (-docs +tests):\n%s", len(rows), d)
	}
}

// The credentials travel in the header Kite wants, on library and other calls alike, and a redirect gets none of them.
func TestHeadersAndRedirects(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	paths := map[string]int{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths[r.URL.Path]++
		if r.Header.Get("X-Kite-Version") != "3" || r.Header.Get("Authorization") != "token "+testKey+":"+testToken {
			t.Errorf("%s: headers %v", r.URL.Path, r.Header)
		}
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer srv.Close()
	c := kite.New(kite.Options{BaseURL: srv.URL + "/", APIKey: testKey, AccessToken: testToken})
	for route, call := range reads() {
		if err := call(t.Context(), c); kite.KindOf(err) != kite.KindUpstreamUnavailable {
			t.Errorf("%s: %v", route, err)
		}
	}
	if paths["/elsewhere"] != 0 || len(paths) != len(reads()) {
		t.Errorf("paths asked for: %v", paths)
	}
}
