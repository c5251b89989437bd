package tools_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// desk is an account at the demo exchange whose changes are recorded, asked about and logged.
type desk struct {
	env      *tools.Env
	log      *intent.Log
	clock    *time.Time
	exchange http.RoundTripper

	mu    sync.Mutex
	sent  []string // METHOD path?form of what changes something
	reads []string // paths of the other calls
	asked []string
	no    error // the person's answer, nil for yes
}

func newDesk(t *testing.T, faults string) *desk {
	t.Helper()
	rules, err := demo.ParseFaults(faults)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 12, 2, 11, 15, 0, 0, kite.IST)
	now := func() time.Time { return at }
	x, err := demo.New(demo.Options{Now: now, Clock: demo.Clock{Frozen: at}, Faults: rules})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{clock: &at, exchange: x.Transport()}
	client := kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: d.recording(x.Transport())})
	master := kite.NewMaster(kite.MasterOptions{Fetch: func(ctx context.Context) (io.ReadCloser, error) { return client.FetchInstruments(ctx) }, Now: x.Now})
	t.Cleanup(master.Close)
	d.log = intent.New(intent.Options{Store: store.Memory(now), Keys: store.RandomKeys(), Now: now})
	d.env = &tools.Env{Kite: kite.Fixed(client), Instruments: master, Catalog: embedded(t), Now: x.Now, Log: slog.New(slog.DiscardHandler), Demo: true, Figures: time.Minute, Approver: d, Intents: d.log}
	return d
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func (d *desk) recording(to http.RoundTripper) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet && !calculates(r.URL.Path) {
			line := r.Method + " " + r.URL.Path
			if r.Body != nil {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return nil, err
				}
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				line = strings.TrimSuffix(line+"?"+string(body), "?")
			}
			d.mu.Lock()
			d.sent = append(d.sent, line)
			d.mu.Unlock()
		} else {
			d.mu.Lock()
			d.reads = append(d.reads, r.URL.Path)
			d.mu.Unlock()
		}
		return to.RoundTrip(r)
	})
}

// calculates reports whether a POST changes nothing.
func calculates(path string) bool {
	return strings.HasPrefix(path, "/margins/") || strings.HasPrefix(path, "/charges/")
}

// Approve is the person.
func (d *desk) Approve(ctx context.Context, p tools.Proposal) (tools.Approval, error) {
	asked, err := p.Message(ctx)
	if err != nil {
		return tools.Approval{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, asked)
	return tools.Approval{IntentID: "approval-" + strconv.Itoa(len(d.asked))}, d.no
}

// change calls a tool as the person's client does.
func (d *desk) change(t *testing.T, tool, args string) (map[string]any, *tools.Failure) {
	t.Helper()
	res, err := registry(t, tools.Options{}).Call(t.Context(), d.env, tools.Profile{}, tool, json.RawMessage(args))
	if err != nil {
		return nil, tools.Explain(err)
	}
	var out map[string]any
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		t.Fatal(err)
	}
	return out, nil
}

func (d *desk) orders(t *testing.T, args string) (map[string]any, *tools.Failure) {
	t.Helper()
	return d.change(t, "orders", args)
}

func (d *desk) activity(t *testing.T) []map[string]any {
	t.Helper()
	r, _ := call(t, d.env, "session", `{"mode":"activity"}`)
	return rowsOf(t, r)
}

const (
	buyMarket = `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"MARKET"}`
	resting   = "2044000000000000002" // BUY 50 RELIANCE at 780, open
	partial   = "2044000000000000003" // BUY 400 HDFCBANK at 1041.6, 150 filled
	triggered = "2044000000000000004" // BUY 65 NIFTY calls, SL at 190, trigger 185
	complete  = "2044000000000000001"
)

// TestPlaceIsAskedSentAndLogged follows one order from the question to the log.
func TestPlaceIsAskedSentAndLogged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	got, failure := d.orders(t, buyMarket)
	if failure != nil {
		t.Fatal(failure)
	}
	tag, _ := got["tag"].(string)
	if got["status"] != "submitted" || got["demo"] != true || len(tag) != 16 || tag[0] != 'k' || got["intent"] != "approval-1" {
		t.Errorf("result %v", got)
	}
	asked := []string{"Account DM0001: BUY 2 NSE:INFY, CNC, MARKET, DAY, regular, market protection automatic. Estimated value 3763.20 rupees at the last price 1881.6. Margin 3838.40 rupees, available 71078.79. Charges 4.46 rupees."}
	if diff := cmp.Diff(asked, d.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	sent := []string{"POST /orders/regular?exchange=NSE&market_protection=-1&order_type=MARKET&product=CNC&quantity=2&tag=" + tag + "&tradingsymbol=INFY&transaction_type=BUY&validity=DAY"}
	if diff := cmp.Diff(sent, d.sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	rows := d.activity(t)
	if len(rows) != 1 || rows[0]["state"] != "placed" || rows[0]["order_id"] != got["order_id"] || rows[0]["tag"] != tag || rows[0]["time"] != "2026-12-02T11:15:00+05:30" {
		t.Errorf("activity %v", rows)
	}
	*d.clock = d.clock.Add(29 * time.Second)
	if _, failure := d.orders(t, buyMarket); failure != nil || !strings.Contains(d.asked[1], "likely duplicate") {
		t.Errorf("the same order again: %v, asked %q", failure, d.asked[1])
	}
	if second := d.activity(t)[0]["tag"]; second == tag {
		t.Errorf("two approvals have one tag %v", tag)
	}
}

// TestEveryKindOfOrderIsDescribed: the person reads all that is going to be sent.
func TestEveryKindOfOrderIsDescribed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ args, asked, form string }{
		"limit": {
			`{"mode":"place","tradingsymbol":"INFY","transaction_type":"SELL","quantity":3,"product":"MIS","order_type":"LIMIT","price":"1890.5","validity":"IOC","tag":"mine1","disclosed_quantity":1}`,
			"Account DM0001: SELL 3 NSE:INFY, MIS, LIMIT at 1890.5, IOC, regular, 1 disclosed, tag mine1. Value 5671.50 rupees. Margin 1134.30 rupees, available 132919.29. Charges 3.63 rupees.",
			"disclosed_quantity=1&exchange=NSE&order_type=LIMIT&price=1890.5&product=MIS&quantity=3&tag=mine1&tradingsymbol=INFY&transaction_type=SELL&validity=IOC",
		},
		"stop loss": {
			`{"mode":"place","exchange":"NSE","tradingsymbol":"INFY","transaction_type":"BUY","quantity":1,"product":"CNC","order_type":"SL","price":1900,"trigger_price":1895,"tag":"t"}`,
			"Account DM0001: BUY 1 NSE:INFY, CNC, SL at 1900, trigger 1895, DAY, regular, tag t. Value 1900.00 rupees. Margin 1900.00 rupees, available 71078.79. Charges 2.25 rupees.",
			"exchange=NSE&order_type=SL&price=1900&product=CNC&quantity=1&tag=t&tradingsymbol=INFY&transaction_type=BUY&trigger_price=1895&validity=DAY",
		},
		"stop loss at market": {
			`{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":1,"product":"MIS","order_type":"SL-M","trigger_price":1895,"market_protection":5,"tag":"t"}`,
			"Account DM0001: BUY 1 NSE:INFY, MIS, SL-M, trigger 1895, DAY, regular, market protection 5%, tag t. Estimated value 1881.60 rupees at the last price 1881.6. Margin 397.94 rupees, available 132919.29. Charges 0.79 rupees.",
			"exchange=NSE&market_protection=5&order_type=SL-M&product=MIS&quantity=1&tag=t&tradingsymbol=INFY&transaction_type=BUY&trigger_price=1895&validity=DAY",
		},
		"minutes": {
			`{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":1,"product":"CNC","order_type":"LIMIT","price":1800,"validity":"TTL","validity_ttl":5,"tag":"t"}`,
			"Account DM0001: BUY 1 NSE:INFY, CNC, LIMIT at 1800, TTL 5 minutes, regular, tag t. Value 1800.00 rupees. Margin 1800.00 rupees, available 71078.79. Charges 2.14 rupees.",
			"exchange=NSE&order_type=LIMIT&price=1800&product=CNC&quantity=1&tag=t&tradingsymbol=INFY&transaction_type=BUY&validity=TTL&validity_ttl=5",
		},
		"iceberg": {
			`{"mode":"place","variety":"iceberg","tradingsymbol":"INFY","transaction_type":"BUY","quantity":10,"product":"CNC","order_type":"LIMIT","price":1800,"iceberg_legs":2,"iceberg_quantity":5,"tag":"t"}`,
			"Account DM0001: BUY 10 NSE:INFY, CNC, LIMIT at 1800, DAY, iceberg, 2 parts of 5, tag t. Value 18000.00 rupees. Margin 18000.00 rupees, available 71078.79. Charges 21.35 rupees.",
			"exchange=NSE&iceberg_legs=2&iceberg_quantity=5&order_type=LIMIT&price=1800&product=CNC&quantity=10&tag=t&tradingsymbol=INFY&transaction_type=BUY&validity=DAY",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			if _, failure := d.orders(t, tc.args); failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff([]string{tc.asked}, d.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if len(d.sent) != 1 || !strings.HasSuffix(d.sent[0], "?"+tc.form) {
				t.Errorf("sent %q, want the form %s", d.sent, tc.form)
			}
		})
	}
}

// badOrder is a call that cannot be, and what is said about it.
type badOrder struct {
	args string
	says []string
}

func badPlaces() map[string]badOrder {
	place := func(members string) string {
		symbol := `"tradingsymbol":"INFY",`
		if strings.Contains(members, "tradingsymbol") {
			symbol = ""
		}
		return `{"mode":"place",` + symbol + `"transaction_type":"BUY","product":"CNC",` + members + `}`
	}
	return map[string]badOrder{
		"nothing":               {`{"mode":"place"}`, []string{"tradingsymbol: required", "transaction_type: required", "quantity: required", "product: required", "order_type: required"}},
		"limit without price":   {place(`"quantity":1,"order_type":"LIMIT"`), []string{"price: required for order type LIMIT"}},
		"market with price":     {place(`"quantity":1,"order_type":"MARKET","price":1`), []string{"price: order type MARKET has none"}},
		"SL alone":              {place(`"quantity":1,"order_type":"SL"`), []string{"price: required", "trigger_price: required"}},
		"SL-M without trigger":  {place(`"quantity":1,"order_type":"SL-M"`), []string{"trigger_price: required"}},
		"limit with trigger":    {place(`"quantity":1,"order_type":"LIMIT","price":1800,"trigger_price":1700`), []string{"trigger_price: order type LIMIT has none"}},
		"SL buy upside down":    {place(`"quantity":1,"order_type":"SL","price":1800,"trigger_price":1810`), []string{"must not be above"}},
		"SL sell upside down":   {`{"mode":"place","tradingsymbol":"INFY","transaction_type":"SELL","product":"CNC","quantity":1,"order_type":"SL","price":1800,"trigger_price":1790}`, []string{"must not be below"}},
		"protection 0":          {place(`"quantity":1,"order_type":"MARKET","market_protection":0`), []string{"market_protection: must not be 0"}},
		"protection a half":     {place(`"quantity":1,"order_type":"MARKET","market_protection":0.5`), []string{"-1 or from 1 to 100"}},
		"protection of a limit": {place(`"quantity":1,"order_type":"LIMIT","price":1800,"market_protection":5`), []string{"market_protection: order type LIMIT has none"}},
		"half a share":          {place(`"quantity":1.5,"order_type":"MARKET"`), []string{"quantity: must be a whole number"}},
		"no share":              {place(`"quantity":0,"order_type":"MARKET"`), []string{"quantity: must be at least 1"}},
		"five decimals":         {place(`"quantity":1,"order_type":"LIMIT","price":1800.00001`), []string{"price: at most 4 decimals"}},
		"off the tick":          {place(`"quantity":1,"order_type":"LIMIT","price":1800.03`), []string{"price: must be a multiple of the tick size 0.1"}},
		"unknown symbol":        {`{"mode":"place","tradingsymbol":"NOPE","transaction_type":"BUY","product":"CNC","quantity":1,"order_type":"MARKET"}`, []string{`no "NOPE" on NSE`}},
		"empty symbol":          {place(`"quantity":1,"order_type":"MARKET","tradingsymbol":""`), []string{"tradingsymbol: must be 1 to 60 letters, digits or signs"}},
		"symbol of two lines":   {place(`"quantity":1,"order_type":"MARKET","tradingsymbol":"IN\nFY"`), []string{"tradingsymbol: must be 1 to 60 letters, digits or signs"}},
		"symbol turned around":  {place(`"quantity":1,"order_type":"MARKET","tradingsymbol":"INFY\u202e"`), []string{"tradingsymbol: must be 1 to 60 letters, digits or signs"}},
		"symbol with exchange":  {`{"mode":"place","tradingsymbol":"NSE:INFY","transaction_type":"BUY","product":"CNC","quantity":1,"order_type":"MARKET"}`, []string{`write exchange "NSE" and tradingsymbol "INFY"`}},
		"an index":              {`{"mode":"place","tradingsymbol":"NIFTY 50","transaction_type":"BUY","product":"CNC","quantity":1,"order_type":"MARKET"}`, []string{"an index cannot be traded"}},
		"broken lot":            {`{"mode":"place","exchange":"NFO","tradingsymbol":"NIFTY26D0826200CE","transaction_type":"BUY","product":"NRML","quantity":60,"order_type":"MARKET"}`, []string{"multiple of the lot size 65"}},
		"CNC of a derivative":   {`{"mode":"place","exchange":"NFO","tradingsymbol":"NIFTY26D0826200CE","transaction_type":"BUY","product":"CNC","quantity":65,"order_type":"MARKET"}`, []string{"product: CNC is for shares"}},
		"NRML of a share":       {`{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","product":"NRML","quantity":1,"order_type":"MARKET"}`, []string{"product: NRML is for derivatives"}},
		"IOC on MCX":            {`{"mode":"place","exchange":"MCX","tradingsymbol":"X","transaction_type":"BUY","product":"NRML","quantity":1,"order_type":"MARKET","validity":"IOC"}`, []string{"MCX takes no IOC"}},
		"TTL without minutes":   {place(`"quantity":1,"order_type":"MARKET","validity":"TTL"`), []string{"validity_ttl: required"}},
		"minutes without TTL":   {place(`"quantity":1,"order_type":"MARKET","validity_ttl":3`), []string{"validity_ttl: only"}},
		"too much disclosed":    {place(`"quantity":1,"order_type":"MARKET","disclosed_quantity":2`), []string{"disclosed_quantity: must be at most"}},
		"iceberg without parts": {place(`"quantity":10,"order_type":"MARKET","variety":"iceberg"`), []string{"iceberg_legs: required", "iceberg_quantity: required"}},
		"parts do not add up":   {place(`"quantity":10,"order_type":"MARKET","variety":"iceberg","iceberg_legs":3,"iceberg_quantity":5`), []string{"must add up"}},
		"parts of a regular":    {place(`"quantity":10,"order_type":"MARKET","iceberg_legs":2`), []string{"iceberg_legs: only"}},
		"cover order":           {place(`"quantity":1,"order_type":"SL","price":1800,"trigger_price":1800,"variety":"co"`), []string{"co takes MARKET or LIMIT", "co takes MIS"}},
		"auction":               {place(`"quantity":1,"order_type":"MARKET","variety":"auction"`), []string{"auction number"}},
		"long tag":              {place(`"quantity":1,"order_type":"MARKET","tag":"123456789012345678901"`), []string{"tag: must be 1 to 20 letters or digits"}},
		"tag with a blank":      {place(`"quantity":1,"order_type":"MARKET","tag":"a b"`), []string{"tag: must be"}},
		"stray argument":        {place(`"quantity":1,"order_type":"MARKET","order_id":"1"`), []string{`"order_id": not an argument of orders mode place`}},
		"several at once":       {place(`"quantity":-1,"order_type":"LIMIT","tag":"!"`), []string{"quantity:", "price: required", "tag:"}},
	}
}

func badChanges() map[string]badOrder {
	return map[string]badOrder{
		"modify nothing":       {`{"mode":"modify","order_id":"` + resting + `"}`, []string{"at least one is required"}},
		"modify to the same":   {`{"mode":"modify","order_id":"` + resting + `","price":780}`, []string{"nothing would change"}},
		"modify off the tick":  {`{"mode":"modify","order_id":"` + resting + `","price":1600.03}`, []string{"tick size"}},
		"trigger of a limit":   {`{"mode":"modify","order_id":"` + resting + `","trigger_price":1600}`, []string{"order type LIMIT has none"}},
		"less than filled":     {`{"mode":"modify","order_id":"` + partial + `","quantity":150}`, []string{"150 are filled already"}},
		"modify broken lot":    {`{"mode":"modify","order_id":"` + triggered + `","quantity":66}`, []string{"lot size 65"}},
		"SL trigger too high":  {`{"mode":"modify","order_id":"` + triggered + `","trigger_price":195}`, []string{"must not be above"}},
		"modify wrong variety": {`{"mode":"modify","order_id":"` + resting + `","variety":"amo","price":1600}`, []string{"the order is regular"}},
		"modify over":          {`{"mode":"modify","order_id":"` + complete + `","price":1600}`, []string{"COMPLETE already; nothing was sent"}},
		"modify unknown":       {`{"mode":"modify","order_id":"99","price":1600}`, []string{"no order 99"}},
		"cancel over":          {`{"mode":"cancel","order_id":"` + complete + `"}`, []string{"COMPLETE already; nothing was sent"}},
		"cancel unknown":       {`{"mode":"cancel","order_id":"99"}`, []string{"no order 99"}},
		"cancel bad id":        {`{"mode":"cancel","order_id":"../1"}`, []string{"order_id: must be"}},
	}
}

// TestBadOrdersAreRefusedBeforeAsking: nobody is asked about an order that cannot be.
func TestBadOrdersAreRefusedBeforeAsking(t *testing.T) {
	t.Parallel()
	cases := badPlaces()
	maps.Copy(cases, badChanges())
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			_, failure := d.orders(t, tc.args)
			if failure == nil {
				t.Fatal("accepted")
			}
			for _, words := range tc.says {
				if !strings.Contains(failure.Error(), words) {
					t.Errorf("%q does not say %q", failure.Error(), words)
				}
			}
			if len(d.asked) != 0 || len(d.sent) != 0 || len(d.activity(t)) != 0 {
				t.Errorf("asked %v, sent %v", d.asked, d.sent)
			}
		})
	}
}

// TestModifyAndCancelSayWhatChanges and send no more than that.
func TestModifyAndCancelSayWhatChanges(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ args, asked, sent string }{
		"price": {
			`{"mode":"modify","order_id":"` + resting + `","price":1600}`,
			"Account DM0001: modify BUY 50 NSE:RELIANCE, CNC, LIMIT at 780, regular (order " + resting + "): price 780 → 1600. Filled 0, pending 50.",
			"PUT /orders/regular/" + resting + "?price=1600",
		},
		"quantity and price": {
			`{"mode":"modify","order_id":"` + partial + `","quantity":300,"price":1041}`,
			"Account DM0001: modify BUY 400 NSE:HDFCBANK, MIS, LIMIT at 1041.6, regular (order " + partial + "): quantity 400 → 300, price 1041.6 → 1041. Filled 150, pending 250.",
			"PUT /orders/regular/" + partial + "?price=1041&quantity=300",
		},
		"to market": {
			`{"mode":"modify","order_id":"` + resting + `","order_type":"MARKET"}`,
			"Account DM0001: modify BUY 50 NSE:RELIANCE, CNC, LIMIT at 780, regular (order " + resting + "): type LIMIT → MARKET. Filled 0, pending 50.",
			"PUT /orders/regular/" + resting + "?market_protection=-1&order_type=MARKET",
		},
		"trigger": {
			`{"mode":"modify","order_id":"` + triggered + `","trigger_price":186}`,
			"Account DM0001: modify BUY 65 NFO:NIFTY26D0826200CE, NRML, SL at 190, trigger 185, regular (order " + triggered + "): trigger 185 → 186. Filled 0, pending 65.",
			"PUT /orders/regular/" + triggered + "?trigger_price=186",
		},
		"cancel": {
			`{"mode":"cancel","order_id":"` + partial + `"}`,
			"Account DM0001: cancel BUY 400 NSE:HDFCBANK, MIS, LIMIT at 1041.6, regular (order " + partial + "). Remaining 250, filled 150; what is filled stays.",
			"DELETE /orders/regular/" + partial,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			if _, failure := d.orders(t, tc.args); failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff([]string{tc.asked}, d.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{tc.sent}, d.sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if rows := d.activity(t); len(rows) != 1 || rows[0]["state"] != "placed" {
				t.Errorf("activity %v", rows)
			}
		})
	}
}

// TestUpstreamFaults: a lost answer is said to be lost, with what finds the order again, and nothing is sent twice.
func TestUpstreamFaults(t *testing.T) {
	t.Parallel()
	for fault, placed := range map[string]bool{
		"429": false, "429text": false, "500": false, "502": false, "502html": false, "503": false, "504": false, "200error": false,
		"reset": true, "truncate": true, "empty": true,
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "orders.post:"+fault)
			_, failure := d.orders(t, buyMarket)
			if failure == nil || failure.Code != "outcome_unknown" || failure.Retryable {
				t.Fatalf("got %+v", failure)
			}
			rows := d.activity(t)
			tag, _ := rows[0]["tag"].(string)
			if tag == "" || !strings.Contains(failure.Error(), tag) || !strings.Contains(failure.Error(), "approval-1") || !strings.Contains(failure.Error(), "Do not repeat") {
				t.Errorf("%q does not tell how to find the order with tag %q", failure.Error(), tag)
			}
			if placed != (rows[0]["state"] == "placed") {
				t.Errorf("activity %v", rows)
			}
			for range 3 {
				*d.clock = d.clock.Add(5 * time.Second)
				rows = d.activity(t)
			}
			want := map[bool]string{true: "placed", false: "absent"}[placed]
			if rows[0]["state"] != want || len(d.sent) != 1 {
				t.Errorf("in the end %v, sent %q", rows[0], d.sent)
			}
		})
	}
}

// TestRefusalsOfKite come back in Kite's words and are final.
func TestRefusalsOfKite(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	_, failure := d.orders(t, `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":1,"product":"CNC","order_type":"LIMIT","price":1000}`)
	if failure == nil || failure.Code != "rejected" || !strings.Contains(failure.Message, "lower circuit limit") || failure.KiteError != "InputException" {
		t.Fatalf("got %+v", failure)
	}
	rows := d.activity(t)
	if rows[0]["state"] != "rejected" || !strings.Contains(rows[0]["message"].(string), "lower circuit limit") || len(d.sent) != 1 {
		t.Errorf("activity %v, sent %v", rows, d.sent)
	}
}

func TestANoIsWrittenDown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.no = &tools.Failure{Code: tools.CodeApprovalDeclined, Message: "declined; nothing was sent"}
	if _, failure := d.orders(t, buyMarket); failure == nil || failure.Code != tools.CodeApprovalDeclined {
		t.Errorf("got %v", failure)
	}
	if rows := d.activity(t); len(rows) != 1 || rows[0]["state"] != "declined" || len(d.sent) != 0 {
		t.Errorf("activity %v, sent %v", rows, d.sent)
	}
}

// TestAnUnknownOrderIsToldFirst: while nobody knows what became of an order, the next question begins with it.
func TestAnUnknownOrderIsToldFirst(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "orders.post:502")
	if _, failure := d.orders(t, buyMarket); failure == nil || failure.Code != "outcome_unknown" {
		t.Fatalf("got %v", failure)
	}
	var status struct{ Unsettled int }
	if _, raw := call(t, d.env, "session", `{"mode":"status"}`); json.Unmarshal(raw.Structured, &status) != nil || status.Unsettled != 1 {
		t.Errorf("status tells of %d unsettled changes", status.Unsettled)
	}
	if _, failure := d.orders(t, `{"mode":"cancel","order_id":"`+resting+`"}`); failure != nil {
		t.Fatal(failure)
	}
	if q := d.asked[1]; !strings.HasPrefix(q, "The outcome of an earlier change is not known") || !strings.Contains(q, "BUY 2 NSE:INFY") {
		t.Errorf("asked %q", q)
	}
}

// TestReadOnlyHasNoOrders: neither announced nor callable.
func TestReadOnlyHasNoOrders(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{ReadOnly: true})
	if got := r.Tool("orders").ModeNames(); !cmp.Equal(got, []string{"list", "history", "trades", "all_trades", "preview"}) || r.Tool("orders").Effect() != tools.ReadOnly {
		t.Errorf("modes %v", got)
	}
	d := newDesk(t, "")
	_, err := r.Call(t.Context(), d.env, tools.Profile{}, "orders", json.RawMessage(buyMarket))
	if f := tools.Explain(err); f.Code != tools.CodeExcluded || len(d.sent) != 0 {
		t.Errorf("got %v, sent %v", f, d.sent)
	}
}

// TestAnotherLoginMeanwhile: what was approved for one account never reaches another one that logged in while the person
// was reading.
func TestAnotherLoginMeanwhile(t *testing.T) {
	t.Parallel()
	d, other := newDesk(t, ""), newDesk(t, "")
	accounts := &switching{now: d.env.Kite}
	d.env.Kite = accounts
	d.env.Approver = afterReading{d, func() { accounts.to(other.env.Kite) }}
	if _, failure := d.orders(t, buyMarket); failure != nil {
		t.Fatal(failure)
	}
	if len(other.sent) != 0 || len(d.sent) != 1 {
		t.Errorf("sent for the approved account: %q; for the other one: %q", d.sent, other.sent)
	}
}

// switching is a login that becomes another one.
type switching struct {
	mu  sync.Mutex
	now kite.Source
}

func (s *switching) to(next kite.Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = next
}

// Client returns a client of whoever is logged in.
func (s *switching) Client(ctx context.Context) (*kite.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.Client(ctx)
}

// afterReading does something before the person says yes.
type afterReading struct {
	tools.Approver
	do func()
}

// Approve implements tools.Approver.
func (a afterReading) Approve(ctx context.Context, p tools.Proposal) (tools.Approval, error) {
	a.do()
	return a.Approver.Approve(ctx, p)
}
