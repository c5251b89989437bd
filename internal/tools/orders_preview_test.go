package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// preview is the answer of a preview as a client reads it.
type preview struct {
	Data []struct {
		Order          map[string]any
		Violations     []string
		EstimatedValue json.Number `json:"estimated_value"`
		Instrument     map[string]float64
		Margin         map[string]float64
		Charges        map[string]float64
	}
	Basket    *struct{ Initial, Final map[string]float64 }
	Available *struct {
		Equity, Commodity struct {
			Enabled         bool
			Net, Collateral float64
		}
	}
	Shortfall *struct{ Required, Available, Missing float64 }
	Meta      struct {
		Note    string
		LeftOut []string `json:"left_out"`
		Ignored []string `json:"ignored_arguments"`
	}
}

func (d *desk) preview(t *testing.T, args string) preview {
	t.Helper()
	res, err := registry(t, tools.Options{ReadOnly: true}).Call(t.Context(), d.env, tools.Profile{}, "orders", json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	var p preview
	if err := json.Unmarshal(res.Structured, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// advance moves the clock of the exchange.
func (d *desk) advance(t *testing.T, by string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, demo.BaseURL+"/__demo/clock", strings.NewReader(`{"advance":"`+by+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := d.exchange.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("advance the demo clock: %v %v", resp, err)
	}
	_ = resp.Body.Close()
}

// TestPreviewUnderReadOnly: the whole answer for one order, on a server that lets nothing be placed; no order results.
func TestPreviewUnderReadOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	before, _ := d.orders(t, `{"mode":"list"}`)
	r := registry(t, tools.Options{ReadOnly: true})
	res, err := r.Call(t.Context(), d.env, tools.Profile{}, "orders", json.RawMessage(`{"mode":"preview","tradingsymbol":"INFY","transaction_type":"BUY","quantity":"10","product":"CNC","order_type":"LIMIT","price":1880.5,"tag":"mine","order_id":"1"}`))
	if err != nil {
		t.Fatal(err)
	}
	// The charges of 18,805 rupees of delivery: 0.1 percent tax, 0.00297 turnover, 0.0001 SEBI, 0.015 stamp, GST on the fees.
	want := `{"data":[{"order":{"variety":"regular","exchange":"NSE","tradingsymbol":"INFY","transaction_type":"BUY","quantity":10,"product":"CNC","order_type":"LIMIT","price":1880.5,"validity":"DAY","tag":"mine"},` +
		`"violations":[],"estimated_value":18805,"instrument":{"lot_size":1,"tick_size":0.1,"lower_circuit_limit":1681.2,"upper_circuit_limit":2054.6,"last_price":1881.6},` +
		`"margin":{"total":18805,"var":18805,"leverage":1},"charges":{"total":22.307,"transaction_tax":18.805,"exchange_turnover_charge":0.5585,"sebi_turnover_charge":0.0188,"stamp_duty":2.8208,"gst":0.1039}}],` +
		`"available":{"equity":{"enabled":true,"net":132919.2875,"collateral":61840.5},"commodity":{"enabled":false,"net":0,"collateral":0}},"demo":true,` +
		`"meta":{"fetched_at":"2026-12-02T11:15:00+05:30","ignored_arguments":["order_id"],"note":"estimates of Kite's calculators; no order was sent"}}`
	if diff := cmp.Diff(want, string(res.Structured)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	after, _ := d.orders(t, `{"mode":"list"}`)
	if diff := cmp.Diff(before["data"], after["data"]); diff != "" || len(d.sent) != 0 || len(d.asked) != 0 || len(d.activity(t)) != 0 {
		t.Errorf("sent %q, asked %q, book (-before +after):\n%s", d.sent, d.asked, diff)
	}
	if r.Changes("orders", json.RawMessage(`{"mode":"preview"}`)) {
		t.Error("a preview changes nothing")
	}
}

// TestPreviewAndPlaceHaveOneSetOfRules: what place refuses is what preview lists, word for word, alone and in a basket.
func TestPreviewAndPlaceHaveOneSetOfRules(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	for name, tc := range badPlaces() {
		if name == "stray argument" {
			continue // ignored when reading
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failure := d.orders(t, tc.args)
			refused := strings.Split(failure.Message, "\n")
			for i := range refused {
				refused[i] = strings.Replace(refused[i], "for mode place", "for mode preview", 1)
			}
			single := d.preview(t, strings.Replace(tc.args, `"place"`, `"preview"`, 1))
			// One that cannot be an order is not held to the instruments master by place, but may be by preview.
			if got := single.Data[0].Violations; len(got) < len(refused) || !cmp.Equal(refused, got[:len(refused)]) || single.Data[0].Margin != nil || single.Data[0].Charges != nil {
				t.Errorf("preview lists %q, place refuses %q", got, refused)
			}
			item := strings.Replace(strings.Replace(tc.args, `"mode":"place",`, "", 1), `"mode":"place"`, "", 1)
			basket := d.preview(t, `{"mode":"preview","basket":[`+item+`]}`)
			for i := range refused {
				refused[i] = strings.Replace(refused[i], " for mode preview", "", 1)
			}
			if got := basket.Data[0].Violations; len(got) < len(refused) || !cmp.Equal(refused, got[:len(refused)]) || basket.Basket != nil || len(basket.Meta.LeftOut) == 0 {
				t.Errorf("a basket lists %q, place refuses %q; left out %q", got, refused, basket.Meta.LeftOut)
			}
		})
	}
}

// TestPreviewShortfallEqualsRejection: what a preview says is missing is what the exchange refuses the order for.
func TestPreviewShortfallEqualsRejection(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ order, required string }{
		// Pledged shares buy no shares for delivery; a future bought before is closed first, and binds nothing.
		"delivery":          {`"tradingsymbol":"INFY","transaction_type":"BUY","quantity":50,"product":"CNC","order_type":"LIMIT","price":1880`, "94000.00"},
		"intraday":          {`"tradingsymbol":"INFY","transaction_type":"BUY","quantity":500,"product":"MIS","order_type":"LIMIT","price":1880`, "188000.00"},
		"bought option":     {`"exchange":"NFO","tradingsymbol":"NIFTY26D0826200CE","transaction_type":"BUY","quantity":975,"product":"NRML","order_type":"LIMIT","price":200`, "195000.00"},
		"more than is held": {`"exchange":"NFO","tradingsymbol":"NIFTY26DECFUT","transaction_type":"SELL","quantity":650,"product":"NRML","order_type":"LIMIT","price":26000`, "380250.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			first := d.preview(t, `{"mode":"preview",`+tc.order+`}`)
			if first.Shortfall == nil || fmt.Sprintf("%.2f", first.Shortfall.Required) != tc.required || len(first.Data[0].Violations) != 0 {
				t.Fatalf("preview %+v, want %s required", first, tc.required)
			}
			placed, failure := d.orders(t, `{"mode":"place",`+tc.order+`}`)
			if failure != nil {
				t.Fatal(failure)
			}
			d.advance(t, "1s")
			at := d.preview(t, `{"mode":"preview",`+tc.order+`}`).Shortfall
			trail, _ := d.orders(t, fmt.Sprintf(`{"mode":"history","order_id":%q}`, placed["order_id"]))
			rows := trail["data"].([]any)
			last := rows[len(rows)-1].(map[string]any)
			want := fmt.Sprintf("Insufficient funds. Required margin is %.2f but available margin is %.2f.", at.Required, at.Available)
			if last["status"] != "REJECTED" || last["status_message"] != want {
				t.Errorf("%v: %v, preview says %s", last["status"], last["status_message"], want)
			}
			if alarm := fmt.Sprintf("Funds are short by %.2f rupees: required are %.2f, available %.2f. Account DM0001: ", first.Shortfall.Missing, first.Shortfall.Required, first.Shortfall.Available); !strings.HasPrefix(d.asked[0], alarm) {
				t.Errorf("asked %q, want first %q", d.asked[0], alarm)
			}
		})
	}
}

// TestPreviewOfAClosingOrder: an order that the funds could not carry alone, but that closes what is held, is no shortfall.
func TestPreviewOfAClosingOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	if _, failure := d.orders(t, `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":340,"product":"MIS","order_type":"MARKET","tag":"mine"}`); failure != nil {
		t.Fatal(failure)
	}
	d.advance(t, "3m")
	const sell = `"tradingsymbol":"INFY","transaction_type":"SELL","quantity":340,"product":"MIS","order_type":"LIMIT","price":1900`
	p := d.preview(t, `{"mode":"preview",`+sell+`}`)
	if p.Shortfall != nil || p.Basket == nil || p.Basket.Final["total"] != 0 || p.Data[0].Margin["total"] != 129200 {
		t.Errorf("preview of a closing order: %+v", p)
	}
	if alone := d.preview(t, `{"mode":"preview","consider_positions":false,`+sell+`}`); alone.Shortfall == nil || alone.Basket != nil {
		t.Errorf("without regard to what is held: %+v", alone)
	}
	if _, failure := d.orders(t, `{"mode":"place",`+sell+`}`); failure != nil || !strings.Contains(d.asked[1], "Margin 129200.00 rupees, with the positions held 0.00, available") || strings.Contains(d.asked[1], "short") {
		t.Errorf("%v, asked %q", failure, d.asked[1])
	}
}

// TestHedgedBasketIsLower: a bought option lowers what a sold one binds.
func TestHedgedBasketIsLower(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	const short = `{"exchange":"NFO","tradingsymbol":"NIFTY26D0826200CE","transaction_type":"SELL","quantity":65,"product":"NRML","order_type":"LIMIT","price":200}`
	const long = `{"exchange":"NFO","tradingsymbol":"NIFTY26D0826300CE","transaction_type":"BUY","quantity":65,"product":"NRML","order_type":"LIMIT","price":160}`
	p := d.preview(t, `{"mode":"preview","basket":[`+short+`,`+long+`]}`)
	if p.Basket == nil || p.Basket.Final["total"] >= p.Basket.Initial["total"] || p.Basket.Initial["total"] != 10725 || p.Basket.Final["total"] != 10465 || p.Shortfall != nil {
		t.Errorf("basket %+v", p.Basket)
	}
	if len(p.Data) != 2 || p.Data[0].Margin["total"] != 325 || p.Data[1].Margin["option_premium"] != 10400 || p.Data[0].EstimatedValue != "13000" || p.Data[1].Charges["brokerage"] != 20 {
		t.Errorf("orders %+v", p.Data)
	}
	twice := d.preview(t, `{"mode":"preview","consider_positions":"false","basket":[`+strings.Repeat(long+",", 14)+short+`]}`)
	if s := twice.Shortfall; s == nil || s.Required != 14*10400+325 || s.Missing != 13005.7125 {
		t.Errorf("a basket beyond the funds: %+v", s)
	}
	if len(d.sent) != 0 {
		t.Errorf("sent %q", d.sent)
	}
}

// TestPreviewRefusesWhatIsNoOrder: a basket that is none has nothing to list violations under.
func TestPreviewRefusesWhatIsNoOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	for args, says := range map[string]string{
		`"basket":[]`:     "basket: must have at least 1 entry",
		`"basket":[1]`:    "basket: must be a list of objects",
		`"basket":[null]`: "basket: must be a list of objects",
		`"basket":{}`:     "basket: must be a list of objects",
		`"basket":"x"`:    "basket: must be a list of objects",
		`"basket":[{}` + strings.Repeat(",{}", 20) + `]`: "basket: must have at most 20 entries",
		`"basket":[{}],"quantity":1`:                     "basket: has the orders",
		`"basket":[{}],"quantity":"x"`:                   "quantity: must be a number",
		`"consider_positions":"perhaps"`:                 "consider_positions: must be true or false",
	} {
		_, failure := d.orders(t, `{"mode":"preview",`+args+`}`)
		if failure == nil || failure.Code != tools.CodeInvalidArgument || !strings.Contains(failure.Error(), says) || strings.Contains(failure.Error(), "required") {
			t.Errorf("%s: %v, want %q", args, failure, says)
		}
	}
	p := d.preview(t, `{"mode":"preview","basket":[{"tradingsymbol":"INFY","tradingsymbol":"TCS"},{"qty":1},{"quantity":1,"Quantity":2}]}`)
	for i, says := range []string{`"tradingsymbol": given twice`, `"qty": not an argument of an order`, `"Quantity": not an argument of an order`} {
		if !slices.Contains(p.Data[i].Violations, says) {
			t.Errorf("order %d: %q, want %q", i, p.Data[i].Violations, says)
		}
	}
}

// TestPreviewHoldsPricesToTheBand: the limits of the day are known, so they are told.
func TestPreviewHoldsPricesToTheBand(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	const order = `{"mode":"preview","variety":"%s","tradingsymbol":"INFY","transaction_type":"SELL","quantity":1,"product":"CNC","order_type":"SL","price":%s,"trigger_price":%s}`
	for _, tc := range []struct {
		variety, price, trigger string
		want                    []string
	}{
		{"regular", "1681.2", "2054.6", []string{}},
		{"regular", "1681.1", "2054.7", []string{"price: below today's lower circuit limit 1681.2", "trigger_price: above today's upper circuit limit 2054.6"}},
		{"amo", "1681.1", "2054.7", []string{}},
	} {
		if got := d.preview(t, fmt.Sprintf(order, tc.variety, tc.price, tc.trigger)).Data[0].Violations; !cmp.Equal(tc.want, got) {
			t.Errorf("%v: %q", tc, got)
		}
	}
}

const previewMarket = `{"mode":"preview","tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"MARKET"}`

// TestPreviewLeavesOutWhatFails: a part that Kite does not answer is missing and named, and the others are there.
func TestPreviewLeavesOutWhatFails(t *testing.T) {
	t.Parallel()
	for fault, tc := range map[string]struct {
		gone    string
		leftOut []string
	}{
		"calc.margins:502":       {"margin", []string{"margin: Order management system is not reachable"}},
		"calc.charges:perm":      {"charges", []string{"charges: Insufficient permission for that call."}},
		"calc.charges:empty":     {"charges", []string{"charges: Kite's answer about the charges of orders cannot be used"}},
		"margins:500":            {"available", []string{"available: Something went wrong"}},
		"quote:502html":          {"last price, charges", []string{"last_price and circuit limits: Kite answered with HTTP status 502", "charges: an order has neither a price nor a last price"}},
		"quote:missing=NSE:INFY": {"last price, charges", []string{"charges: an order has neither a price nor a last price"}},
		"*:":                     {"", nil},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, strings.TrimPrefix(fault, "*:"))
			p := d.preview(t, previewMarket)
			var gone []string
			for _, part := range []struct {
				name  string
				there bool
			}{{"margin", p.Data[0].Margin != nil}, {"last price", p.Data[0].Instrument["last_price"] != 0}, {"charges", p.Data[0].Charges != nil}, {"available", p.Available != nil}} {
				if !part.there {
					gone = append(gone, part.name)
				}
			}
			if strings.Join(gone, ", ") != tc.gone || !cmp.Equal(tc.leftOut, p.Meta.LeftOut) {
				t.Errorf("gone %q, left out %q; want %q and %q", gone, p.Meta.LeftOut, tc.gone, tc.leftOut)
			}
			if (p.Data[0].EstimatedValue == "") != (p.Data[0].Instrument["last_price"] == 0) {
				t.Errorf("estimated value %q at a last price of %v", p.Data[0].EstimatedValue, p.Data[0].Instrument["last_price"])
			}
		})
	}
	basket := newDesk(t, "calc.basket:504").preview(t, `{"mode":"preview","basket":[{"tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"MARKET"}]}`)
	if basket.Basket != nil || !cmp.Equal(basket.Meta.LeftOut, []string{"basket: Order management system is not reachable"}) {
		t.Errorf("basket %v, left out %q", basket.Basket, basket.Meta.LeftOut)
	}
	without := newDesk(t, "")
	without.env.Instruments = nil
	if p := without.preview(t, previewMarket); p.Data[0].Instrument["lot_size"] != 0 || p.Data[0].Margin == nil || len(p.Meta.LeftOut) != 1 || !strings.HasPrefix(p.Meta.LeftOut[0], "lot_size") {
		t.Errorf("without instruments: %+v", p)
	}
	for _, fault := range []string{"quote:token", "calc.margins:token", "calc.basket:token", "calc.charges:token", "margins:token"} {
		if _, failure := newDesk(t, fault).orders(t, `{"mode":"preview","basket":[{"tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"MARKET"}]}`); failure == nil || failure.Code != tools.CodeSessionExpired {
			t.Errorf("%s: %v", fault, failure)
		}
	}
}

// TestPreviewOfAClosedSegment: no funds are known for it, so nothing is said about what is missing.
func TestPreviewOfAClosedSegment(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	const gold = `{"exchange":"MCX","tradingsymbol":"GOLDM26DECFUT","transaction_type":"BUY","quantity":1000,"product":"NRML","order_type":"MARKET"}`
	const shares = `{"tradingsymbol":"INFY","transaction_type":"BUY","quantity":1000,"product":"CNC","order_type":"MARKET"}`
	for _, basket := range []string{gold, gold + "," + shares} {
		p := d.preview(t, `{"mode":"preview","basket":[`+basket+`]}`)
		if len(p.Data[0].Violations) != 0 || p.Data[0].Margin["total"] == 0 || p.Shortfall != nil || p.Data[0].EstimatedValue != "" ||
			!cmp.Equal(p.Meta.LeftOut, []string{"shortfall: the orders draw on a segment that is not enabled, or on two"}) {
			t.Errorf("%+v", p)
		}
	}
}

// TestFiguresInTheQuestion: the person reads what Kite reckons, or that it is not known; nobody waits longer than two
// seconds for it, and it is asked for only when somebody reads it.
func TestFiguresInTheQuestion(t *testing.T) {
	t.Parallel()
	const head = "Account DM0001: BUY 2 NSE:INFY, CNC, MARKET, DAY, regular, market protection automatic. Estimated value 3763.20 rupees at the last price 1881.6. "
	for faults, want := range map[string]string{
		"":                     "Margin 3838.40 rupees, available 71078.79. Charges 4.46 rupees.",
		"calc.charges:slow=3s": "Margin 3838.40 rupees, available 71078.79. Charges are not known.",
		"calc.margins:slow=3s": "Margin is not known. Charges 4.46 rupees.",
		"margins:hang":         "Margin 3838.40 rupees; the funds are not known. Charges 4.46 rupees.",
		"calc.margins:slow=1900ms,calc.charges:slow=1900ms": "Margin 3838.40 rupees, available 71078.79. Charges 4.46 rupees.",
		"calc.margins:hang,calc.charges:hang,margins:hang":  "Margin and charges are not known.",
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t, faults)
			d.env.Figures = 0 // as people have it
			epoch := time.Unix(0, 0)
			begin := time.Since(epoch)
			if _, failure := d.orders(t, buyMarket); failure != nil {
				t.Fatal(failure)
			}
			if took := time.Since(epoch) - begin; d.asked[0] != head+want || took > 2*time.Second {
				t.Errorf("%s: asked after %v\n%s\nwant\n%s", faults, took, d.asked[0], head+want)
			}
		})
	}
	d := newDesk(t, "")
	d.env.Approver = unread{d}
	if _, failure := d.orders(t, buyMarket); failure != nil || slices.ContainsFunc(d.reads, calculates) {
		t.Errorf("%v, read %q", failure, d.reads)
	}
}

// TestNobodyIsAskedWithoutALogin: when the session ends while the figures of the question are read, the order could not
// be sent, so the caller is told and the person is not bothered.
func TestNobodyIsAskedWithoutALogin(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"quote.ltp:token", "margins:token", "calc.margins:token", "calc.charges:token"} {
		d := newDesk(t, fault)
		if _, failure := d.orders(t, buyMarket); failure == nil || failure.Code != tools.CodeSessionExpired || len(d.asked) != 0 || len(d.sent) != 0 {
			t.Errorf("%s: %v, asked %q, sent %q", fault, failure, d.asked, d.sent)
		}
		if got, err := d.log.List(t.Context(), "DM0001"); err != nil || len(got) != 0 {
			t.Errorf("%s: recorded %v, %v", fault, got, err)
		}
	}
}

// unread is a person that nothing is shown to.
type unread struct{ *desk }

// Approve implements tools.Approver.
func (unread) Approve(context.Context, tools.Proposal) (tools.Approval, error) {
	return tools.Approval{IntentID: "unread-1"}, nil
}

// TestValueIsNotGuessed: where a unit is a lot, quantity times price is not money.
func TestValueIsNotGuessed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	const order = `"exchange":"CDS","tradingsymbol":"USDINR26DECFUT","transaction_type":"BUY","quantity":1,"product":"NRML","order_type":"LIMIT","price":%s}`
	last := d.lastPrice(t, "CDS:USDINR26DECFUT")
	args := fmt.Sprintf(order, last)
	p := d.preview(t, `{"mode":"preview",`+args)
	if p.Data[0].EstimatedValue != "" || p.Data[0].Margin["total"] < 1000 || len(p.Data[0].Violations) != 0 {
		t.Errorf("preview %+v", p.Data[0])
	}
	if _, failure := d.orders(t, `{"mode":"place",`+args); failure != nil || strings.Contains(d.asked[0], "Value ") || !strings.Contains(d.asked[0], "Its value is not known") {
		t.Errorf("%v, asked %q", failure, d.asked)
	}
}

func (d *desk) lastPrice(t *testing.T, id string) string {
	t.Helper()
	c, err := d.env.Kite.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.LTP(t.Context(), []string{id})
	if err != nil || got[id].LastPrice == kite.Price(0) {
		t.Fatalf("last price of %s: %v, %v", id, got, err)
	}
	return got[id].LastPrice.String()
}

// TestARefusedPriceIsNoAbsentOne: what is wrong with a price is said once, and nothing is reckoned at another one in its
// place.
func TestARefusedPriceIsNoAbsentOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	for order, want := range map[string]string{
		`"order_type":"LIMIT","price":1880.00001`:                       "price: at most 4 decimals",
		`"order_type":"LIMIT","price":1e400`:                            "price: is out of range, got 1e400",
		`"order_type":"LIMIT"`:                                          "price: required for order type LIMIT",
		`"order_type":"SL","price":1880,"trigger_price":1879.00001`:     "trigger_price: at most 4 decimals",
		`"order_type":"SL-M","trigger_price":"1879.00001"`:              "trigger_price: at most 4 decimals",
		`"order_type":"MARKET","market_protection":2.00001`:             "market_protection: at most 4 decimals",
		`"order_type":"LIMIT","price":1880,"market_protection":2.00001`: "market_protection: at most 4 decimals",
	} {
		got := d.preview(t, `{"mode":"preview","tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"product":"CNC",`+order+`}`).Data[0]
		if diff := cmp.Diff([]string{want}, got.Violations); diff != "" {
			t.Errorf("%s (-want +got):\n%s", order, diff)
		}
		if strings.Contains(order, "LIMIT") && !strings.Contains(order, `"price":1880,`) && got.EstimatedValue != "" {
			t.Errorf("%s: estimated at %s, though its price is not known", order, got.EstimatedValue)
		}
	}
}

// TestFundsAreNotGuessed: Kite's answers that leave open what is needed or what there is are no shortfall, and none of
// them is taken for nothing.
func TestFundsAreNotGuessed(t *testing.T) {
	t.Parallel()
	const (
		funds  = `{"equity":{"enabled":true,"net":500,"available":{"collateral":100}},"commodity":{"enabled":false}}`
		margin = `[{"type":"equity","exchange":"NSE","tradingsymbol":"INFY","total":1000}]`
		order  = `"tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"LIMIT","price":1880}`
		alarm  = "Funds are short by 600.00 rupees: required are 1000.00, available 400.00."
	)
	for name, tc := range map[string]struct{ funds, margin, alarm string }{
		"all known":              {funds, margin, alarm},
		"other parts unreadable": {strings.Replace(funds, `"net"`, `"utilised":{"turnover":"?"},"net"`, 1), margin, alarm},
		"net missing":            {strings.Replace(funds, `"net":500,`, "", 1), margin, ""},
		"net null":               {strings.Replace(funds, `500`, "null", 1), margin, ""},
		"net unreadable":         {strings.Replace(funds, `500`, `"?"`, 1), margin, ""},
		"net beyond reason":      {strings.Replace(funds, `500`, `-922337203685477`, 1), margin, ""},
		"pledge unreadable":      {strings.Replace(funds, `100`, `"?"`, 1), margin, ""},
		"pledge beyond reason":   {strings.Replace(funds, `100`, `922337203685477`, 1), margin, ""},
		"segment missing":        {strings.Replace(funds, `"equity"`, `"other"`, 1), margin, ""},
		"no type":                {funds, strings.Replace(margin, `"type":"equity",`, "", 1), ""},
		"unknown type":           {funds, strings.Replace(margin, `"equity"`, `"crypto"`, 1), ""},
		"total beyond reason":    {funds, strings.Replace(margin, `1000`, `922337203685477`, 1), ""},
		"total below reason":     {funds, strings.Replace(margin, `1000`, `-922337203685477`, 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "calc.basket:500*0")
			said := map[string]string{"/user/margins": tc.funds, "/margins/orders": tc.margin}
			d.answering(func(r *http.Request) (string, bool) { data, ok := said[r.URL.Path]; return data, ok })
			if _, failure := d.orders(t, `{"mode":"place",`+order); failure != nil {
				t.Fatal(failure)
			}
			if got := d.asked[0]; strings.HasPrefix(got, "Account ") != (tc.alarm == "") || !strings.HasPrefix(got, tc.alarm) || strings.Contains(got, "922337") || tc.alarm == "" && strings.Contains(got, "available") {
				t.Errorf("asked %q, want the first line %q", got, tc.alarm)
			}
			p := d.preview(t, `{"mode":"preview",`+order)
			if (p.Shortfall != nil) != (tc.alarm != "") || p.Shortfall == nil && len(p.Meta.LeftOut) == 0 {
				t.Errorf("shortfall %+v, left out %q", p.Shortfall, p.Meta.LeftOut)
			}
		})
	}
}

// answering puts other data into the answers to some calls.
func (d *desk) answering(say func(*http.Request) (data string, instead bool)) {
	to := d.recording(transport(func(r *http.Request) (*http.Response, error) {
		if data, instead := say(r); instead {
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
				Body: io.NopCloser(strings.NewReader(`{"status":"success","data":` + data + `}`)), Request: r,
			}, nil
		}
		return d.exchange.RoundTrip(r)
	}))
	d.env.Kite = kite.Fixed(kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: to}))
}
