package tools_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func (d *desk) gtt(t *testing.T, args string) (map[string]any, *tools.Failure) {
	t.Helper()
	return d.change(t, "gtt", args)
}

const (
	placeSingle = `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","product":"CNC","trigger_type":"single","trigger_value":1700,"quantity":2,"limit_price":1705.5}`
	placeTwo    = `{"mode":"place","tradingsymbol":"INFY","transaction_type":"SELL","product":"CNC","trigger_type":"two-leg","lower_trigger_value":1700,"lower_quantity":1,"lower_limit_price":1695,"upper_trigger_value":2000,"upper_quantity":3,"upper_limit_price":1999.9,"last_price":1880}`
)

// triggerCase is a call, what the person reads and what Kite gets.
type triggerCase struct {
	args, asked, path, kind, condition, orders string
}

func triggerCases() map[string]triggerCase {
	return map[string]triggerCase{
		"single": {
			placeSingle,
			"Account DM0001: place a single trigger on NSE:INFY: when the price reaches 1700, BUY 2 at limit 1705.5, CNC. The last price is 1881.6, as read from Kite.",
			"POST /gtt/triggers", "single",
			`{"exchange":"NSE","tradingsymbol":"INFY","trigger_values":[1700],"last_price":1881.6}`,
			`[{"exchange":"NSE","tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"order_type":"LIMIT","product":"CNC","price":1705.5}]`,
		},
		"two-leg": {
			placeTwo,
			"Account DM0001: place a two-leg trigger on NSE:INFY: at or below 1700, SELL 1 at limit 1695, CNC; at or above 2000, SELL 3 at limit 1999.9, CNC. The last price is 1880, as given.",
			"POST /gtt/triggers", "two-leg",
			`{"exchange":"NSE","tradingsymbol":"INFY","trigger_values":[1700,2000],"last_price":1880}`,
			`[{"exchange":"NSE","tradingsymbol":"INFY","transaction_type":"SELL","quantity":1,"order_type":"LIMIT","product":"CNC","price":1695},` +
				`{"exchange":"NSE","tradingsymbol":"INFY","transaction_type":"SELL","quantity":3,"order_type":"LIMIT","product":"CNC","price":1999.9}]`,
		},
		"modify one value": { // the rest must survive: Kite replaces a trigger whole
			`{"mode":"modify","trigger_id":900002,"upper_trigger_value":1800}`,
			"Account DM0001: modify the two-leg trigger on NSE:RELIANCE: at or below 1380, SELL 100 at limit 1375, CNC; at or above 1750, SELL 100 at limit 1755, CNC (trigger 900002): upper trigger 1750 → 1800. The last price is 1712.2, as read from Kite.",
			"PUT /gtt/triggers/900002", "two-leg",
			`{"exchange":"NSE","tradingsymbol":"RELIANCE","trigger_values":[1380,1800],"last_price":1712.2}`,
			`[{"exchange":"NSE","tradingsymbol":"RELIANCE","transaction_type":"SELL","quantity":100,"order_type":"LIMIT","product":"CNC","price":1375},` +
				`{"exchange":"NSE","tradingsymbol":"RELIANCE","transaction_type":"SELL","quantity":100,"order_type":"LIMIT","product":"CNC","price":1755}]`,
		},
		"modify product and side": {
			`{"mode":"modify","trigger_id":900001,"product":"MTF","quantity":5}`,
			"Account DM0001: modify the single trigger on NSE:INFY: when the price reaches 1400, BUY 10 at limit 1402, CNC (trigger 900001): quantity 10 → 5, product CNC → MTF. The last price is 1881.6, as read from Kite.",
			"PUT /gtt/triggers/900001", "single",
			`{"exchange":"NSE","tradingsymbol":"INFY","trigger_values":[1400],"last_price":1881.6}`,
			`[{"exchange":"NSE","tradingsymbol":"INFY","transaction_type":"BUY","quantity":5,"order_type":"LIMIT","product":"MTF","price":1402}]`,
		},
		"delete": {
			`{"mode":"delete","trigger_id":900001}`,
			"Account DM0001: delete the single trigger on NSE:INFY: when the price reaches 1400, BUY 10 at limit 1402, CNC (trigger 900001).",
			"DELETE /gtt/triggers/900001", "", "", "",
		},
	}
}

// TestTriggersAreAskedAndSent: the person reads all terms, and Kite gets them and no others.
func TestTriggersAreAskedAndSent(t *testing.T) {
	t.Parallel()
	for name, tc := range triggerCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			got, failure := d.gtt(t, tc.args)
			if failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff([]string{tc.asked}, d.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if len(d.sent) != 1 {
				t.Fatalf("sent %q", d.sent)
			}
			path, body, _ := strings.Cut(d.sent[0], "?")
			form, err := url.ParseQuery(body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tc.path, tc.kind, tc.condition, tc.orders}, []string{path, form.Get("type"), form.Get("condition"), form.Get("orders")}); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			rows := d.activity(t)
			id, _ := json.Marshal(got["trigger_id"])
			if len(rows) != 1 || rows[0]["state"] != "placed" || rows[0]["trigger_id"] != string(id) || got["status"] != "submitted" {
				t.Errorf("result %v, activity %v", got, rows)
			}
		})
	}
}

// TestTriggerOfADerivativeKeepsItsProduct: what Kite's library would make CNC stays NRML.
func TestTriggerOfADerivativeKeepsItsProduct(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	got, failure := d.gtt(t, `{"mode":"place","exchange":"NFO","tradingsymbol":"NIFTY26D0826200CE","transaction_type":"SELL","product":"NRML","trigger_type":"single","trigger_value":500,"quantity":65,"limit_price":499}`)
	if failure != nil {
		t.Fatal(failure)
	}
	id, _ := json.Marshal(got["trigger_id"])
	if _, failure := d.gtt(t, `{"mode":"modify","trigger_id":`+string(id)+`,"limit_price":498}`); failure != nil {
		t.Fatal(failure)
	}
	if body, _ := url.QueryUnescape(d.sent[1]); !strings.Contains(body, `"product":"NRML"`) || !strings.Contains(body, `"quantity":65`) {
		t.Errorf("sent %s", body)
	}
}

func TestBadTriggersAreRefusedBeforeAsking(t *testing.T) {
	t.Parallel()
	with := func(call, from, to string) string { return strings.Replace(call, from, to, 1) }
	for name, tc := range map[string]badOrder{
		"nothing":              {`{"mode":"place"}`, []string{"tradingsymbol: required", "transaction_type: required", "product: required", "trigger_type: required"}},
		"single without terms": {`{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","product":"CNC","trigger_type":"single"}`, []string{"trigger_value: required", "quantity: required", "limit_price: required"}},
		"half a pair":          {with(placeTwo, `"lower_limit_price":1695,`, ""), []string{"lower_limit_price: required for trigger_type two-leg"}},
		"mixed":                {with(placeSingle, `"quantity":2`, `"quantity":2,"upper_quantity":1`), []string{"upper_quantity: only with trigger_type two-leg"}},
		"zero":                 {with(placeSingle, `"trigger_value":1700`, `"trigger_value":0`), []string{"trigger_value: must be at least"}},
		"both below":           {with(placeTwo, `"upper_trigger_value":2000`, `"upper_trigger_value":1800`), []string{"below and above the last price 1880"}},
		"at the last price":    {with(placeSingle, `"trigger_value":1700`, `"trigger_value":1881.6`), []string{"is the last price 1881.6 already"}},
		"off the tick":         {with(placeTwo, `"upper_limit_price":1999.9`, `"upper_limit_price":1999.95`), []string{"upper_limit_price: must be a multiple of the tick size 0.1"}},
		"five decimals":        {with(placeSingle, `"limit_price":1705.5`, `"limit_price":1705.00001`), []string{"limit_price: at most 4 decimals"}},
		"intraday":             {with(placeSingle, `"CNC"`, `"MIS"`), []string{"product: must be one of CNC, NRML, MTF"}},
		"NRML of a share":      {with(placeSingle, `"CNC"`, `"NRML"`), []string{"product: NRML is for derivatives"}},
		"unknown symbol":       {with(placeSingle, `"INFY"`, `"NOPE"`), []string{`no "NOPE" on NSE`}},
		"modify nothing":       {`{"mode":"modify","trigger_id":900001}`, []string{"nothing would change"}},
		"modify to the same":   {`{"mode":"modify","trigger_id":900001,"trigger_value":1400}`, []string{"nothing would change"}},
		"modify other type":    {`{"mode":"modify","trigger_id":900001,"trigger_type":"two-leg","upper_quantity":1}`, []string{"lower_trigger_value: required", "upper_limit_price: required"}},
		"modify mixed":         {`{"mode":"modify","trigger_id":900001,"upper_quantity":1}`, []string{"upper_quantity: only"}},
		"modify over":          {`{"mode":"modify","trigger_id":900003,"quantity":1}`, []string{"triggered already; nothing was sent"}},
		"modify unknown":       {`{"mode":"modify","trigger_id":1,"quantity":1}`, []string{"gtt mode list has the ids"}},
		"delete over":          {`{"mode":"delete","trigger_id":900003}`, []string{"triggered already; nothing was sent"}},
		"delete stray":         {`{"mode":"delete","trigger_id":900001,"quantity":1}`, []string{`"quantity": not an argument`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			_, failure := d.gtt(t, tc.args)
			if failure == nil {
				t.Fatal("accepted")
			}
			for _, words := range tc.says {
				if !strings.Contains(strings.ToLower(failure.Error()), strings.ToLower(words)) {
					t.Errorf("%q does not say %q", failure.Error(), words)
				}
			}
			if len(d.asked) != 0 || len(d.sent) != 0 {
				t.Errorf("asked %v, sent %v", d.asked, d.sent)
			}
		})
	}
}

// TestLostTriggersAreFound: triggers have no tag, so they are found by their terms.
func TestLostTriggersAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ fault, args, want string }{
		"placed":       {"gtt.post:reset", placeSingle, "placed"},
		"not placed":   {"gtt.post:502", placeSingle, "absent"},
		"modified":     {"gtt.put:truncate", `{"mode":"modify","trigger_id":900001,"quantity":5}`, "placed"},
		"not modified": {"gtt.put:503", `{"mode":"modify","trigger_id":900001,"quantity":5}`, "absent"},
		"deleted":      {"gtt.delete:reset", `{"mode":"delete","trigger_id":900001}`, "placed"},
		"not deleted":  {"gtt.delete:429", `{"mode":"delete","trigger_id":900001}`, "absent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tc.fault)
			if _, failure := d.gtt(t, tc.args); failure == nil || failure.Code != "outcome_unknown" {
				t.Fatalf("got %+v", failure)
			}
			var rows []map[string]any
			for range 3 {
				rows = d.activity(t)
				*d.clock = d.clock.Add(6 * time.Second)
			}
			if rows[0]["state"] != tc.want || len(d.sent) != 1 {
				t.Errorf("in the end %v, sent %q", rows[0], d.sent)
			}
		})
	}
}
