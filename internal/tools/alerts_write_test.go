package tools_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func (d *desk) alerts(t *testing.T, args string) (map[string]any, *tools.Failure) {
	t.Helper()
	return d.change(t, "alerts", args)
}

const (
	niftyAlert = "00000000-0000-4000-8000-000000000001" // simple, enabled
	newAlert   = `{"mode":"create","name":"INFY low","alert_type":"simple","lhs_exchange":"NSE","lhs_tradingsymbol":"INFY","lhs_attribute":"LastTradedPrice","operator":"<=","rhs_type":"constant","rhs_constant":0}`
	newATO     = `{"mode":"create","name":"dip","alert_type":"ato","lhs_exchange":"INDICES","lhs_tradingsymbol":"NIFTY 50","lhs_attribute":"LastTradedPrice","operator":">","rhs_type":"instrument","rhs_exchange":"NSE","rhs_tradingsymbol":"INFY","rhs_attribute":"LastTradedPrice",` +
		`"basket":{"name":"dip","items":[{"exchange":"NSE","tradingsymbol":"INFY","params":{"transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"LIMIT","price":1800.5,"trigger_price":0,"validity":"DAY","tags":[]}}]}}`
)

// alertCase is a call, what the person reads, and the request that Kite gets.
type alertCase struct {
	args, asked, path string
	form              url.Values
}

func alertCases() map[string]alertCase {
	const dip = `alert "Buy the dip": when LastTradedPrice of NSE:GOLDBEES <= 100, place without asking again: BUY 100 NSE:GOLDBEES, order_type LIMIT, price 100, product CNC, validity DAY, variety regular`
	return map[string]alertCase{
		"simple": {
			newAlert,
			`Account DM0001: create the alert "INFY low": when LastTradedPrice of NSE:INFY <= 0, notify.`,
			"POST /alerts",
			url.Values{
				"name": {"INFY low"}, "type": {"simple"}, "lhs_exchange": {"NSE"}, "lhs_tradingsymbol": {"INFY"}, "lhs_attribute": {"LastTradedPrice"},
				"operator": {"<="}, "rhs_type": {"constant"}, "rhs_constant": {"0"},
			},
		},
		"ato": {
			newATO,
			`Account DM0001: create the alert "dip": when LastTradedPrice of INDICES:NIFTY 50 > LastTradedPrice of NSE:INFY, place without asking again: BUY 2 NSE:INFY, order_type LIMIT, price 1800.5, product CNC, validity DAY.`,
			"POST /alerts",
			url.Values{
				"name": {"dip"}, "type": {"ato"}, "lhs_exchange": {"INDICES"}, "lhs_tradingsymbol": {"NIFTY 50"}, "lhs_attribute": {"LastTradedPrice"},
				"operator": {">"}, "rhs_type": {"instrument"}, "rhs_exchange": {"NSE"}, "rhs_tradingsymbol": {"INFY"}, "rhs_attribute": {"LastTradedPrice"},
				"basket": {`{"name":"dip","items":[{"exchange":"NSE","tradingsymbol":"INFY","params":{"transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"LIMIT","price":1800.5,"trigger_price":0,"validity":"DAY","tags":[]}}]}`},
			},
		},
		"modify one value": {
			`{"mode":"modify","uuids":["` + niftyAlert + `"],"rhs_constant":27500.5}`,
			`Account DM0001: modify the alert "Nifty above 27000": when LastTradedPrice of INDICES:NIFTY 50 >= 27000, notify → alert "Nifty above 27000": when LastTradedPrice of INDICES:NIFTY 50 >= 27500.5, notify.`,
			"PUT /alerts/" + niftyAlert,
			url.Values{
				"name": {"Nifty above 27000"}, "type": {"simple"}, "lhs_exchange": {"INDICES"}, "lhs_tradingsymbol": {"NIFTY 50"}, "lhs_attribute": {"LastTradedPrice"},
				"operator": {">="}, "rhs_type": {"constant"}, "rhs_constant": {"27500.5"},
			},
		},
		"modify keeps the basket": {
			`{"mode":"modify","uuids":["` + dipAlert + `"],"name":"Dip"}`,
			"Account DM0001: modify the " + dip + " → " + strings.Replace(dip, "Buy the dip", "Dip", 1) + ".",
			"PUT /alerts/" + dipAlert,
			url.Values{
				"name": {"Dip"}, "type": {"ato"}, "lhs_exchange": {"NSE"}, "lhs_tradingsymbol": {"GOLDBEES"}, "lhs_attribute": {"LastTradedPrice"},
				"operator": {"<="}, "rhs_type": {"constant"}, "rhs_constant": {"100"},
				"basket": {`{"items":[{"exchange":"NSE","id":1,"params":{"order_type":"LIMIT","price":100,"product":"CNC","quantity":100,"tags":[],"transaction_type":"BUY","trigger_price":0,"validity":"DAY","variety":"regular"},"tradingsymbol":"GOLDBEES","type":"insert","weight":100}],"name":"Buy the dip","tags":[],"type":"alert"}`},
			},
		},
		"delete": {
			`{"mode":"delete","uuids":["` + niftyAlert + `","` + dipAlert + `"]}`,
			`Account DM0001: delete 2 alerts: "Nifty above 27000" on INDICES:NIFTY 50, "Buy the dip" on NSE:GOLDBEES.`,
			"DELETE /alerts",
			url.Values{},
		},
	}
}

func TestAlertsAreAskedAndSent(t *testing.T) {
	t.Parallel()
	for name, tc := range alertCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			if _, failure := d.alerts(t, tc.args); failure != nil {
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
			if err != nil || path != tc.path {
				t.Errorf("sent to %s, want %s (%v)", path, tc.path, err)
			}
			if diff := cmp.Diff(tc.form, form); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if rows := d.activity(t); len(rows) != 1 || rows[0]["state"] != "placed" || rows[0]["uuids"] == nil {
				t.Errorf("activity %v", rows)
			}
		})
	}
}

// TestWeightIsShown: a weight that is not the quantity is part of what is approved.
func TestWeightIsShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	if _, failure := d.alerts(t, strings.Replace(newATO, `{"exchange":"NSE","tradingsymbol":"INFY","params"`, `{"weight":500,"exchange":"NSE","tradingsymbol":"INFY","params"`, 1)); failure != nil {
		t.Fatal(failure)
	}
	if len(d.asked) != 1 || !strings.Contains(d.asked[0], "weight 500") {
		t.Errorf("asked %q", d.asked)
	}
}

// TestDeletedAlertsAreGone: Kite's library would delete without naming any.
func TestDeletedAlertsAreGone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	got, failure := d.alerts(t, `{"mode":"delete","uuids":["`+niftyAlert+`"]}`)
	if failure != nil || got["success"] != true || got["deleted_count"] != 1.0 {
		t.Fatalf("got %v, %v", got, failure)
	}
	r, _ := call(t, d.env, "alerts", `{"mode":"get"}`)
	if rows := rowsOf(t, r); len(rows) != 1 || rows[0]["uuid"] != dipAlert {
		t.Errorf("left %v", rows)
	}
}

func TestBadAlertsAreRefusedBeforeAsking(t *testing.T) {
	t.Parallel()
	with := func(call, from, to string) string { return strings.Replace(call, from, to, 1) }
	for name, tc := range map[string]badOrder{
		"nothing":              {`{"mode":"create"}`, []string{"name: required", "alert_type: required", "operator: required", "rhs_type: required"}},
		"no constant":          {with(newAlert, `,"rhs_constant":0`, ""), []string{"rhs_constant: required"}},
		"both sides":           {with(newAlert, `"rhs_constant":0`, `"rhs_constant":0,"rhs_exchange":"NSE"`), []string{"rhs_exchange: only with rhs_type instrument"}},
		"constant and another": {with(newATO, `"basket":`, `"rhs_constant":1,"basket":`), []string{"rhs_constant: only with rhs_type constant"}},
		"half an instrument":   {with(newATO, `"rhs_attribute":"LastTradedPrice",`, ""), []string{"rhs_attribute: required"}},
		"ato without basket":   {with(newAlert, `"simple"`, `"ato"`), []string{"basket: required"}},
		"simple with basket":   {with(newATO, `"ato"`, `"simple"`), []string{"basket: only with alert_type ato"}},
		"empty basket":         {with(newATO, `"items":[{`, `"items":[],"x":[{`), []string{"basket: must have 1 to 20 items"}},
		"basket of no side":    {with(newATO, `"BUY"`, `"HOLD"`), []string{"basket: item 1 needs"}},
		"more than is shown":   {with(newATO, `"exchange":"NSE","tradingsymbol":"INFY","params"`, `"quantity":500,"exchange":"NSE","tradingsymbol":"INFY","params"`), []string{"basket: an item has exchange"}},
		"basket is a list":     {with(newATO, `"basket":{`, `"basket":[1],"x":{`), []string{"basket: must be a JSON object"}},
		"unknown operator":     {with(newAlert, `"<="`, `"~"`), []string{"operator: must be one of"}},
		"unknown symbol":       {with(newAlert, `"INFY",`, `"NOPE",`), []string{`lhs_tradingsymbol: today's instruments master has no "NOPE"`}},
		"modify none":          {`{"mode":"modify","uuids":[]}`, []string{"uuids: exactly one"}},
		"modify two":           {`{"mode":"modify","uuids":["` + niftyAlert + `","` + dipAlert + `"],"name":"x"}`, []string{"uuids: exactly one"}},
		"modify to the same":   {`{"mode":"modify","uuids":["` + niftyAlert + `"],"rhs_constant":27000}`, []string{"nothing would change"}},
		"modify the side":      {`{"mode":"modify","uuids":["` + niftyAlert + `"],"rhs_type":"instrument"}`, []string{"rhs_exchange: required", "rhs_tradingsymbol: required"}},
		"modify to ato":        {`{"mode":"modify","uuids":["` + niftyAlert + `"],"alert_type":"ato"}`, []string{"basket: required"}},
		"modify unknown":       {`{"mode":"modify","uuids":["00000000-0000-4000-8000-000000000009"],"name":"x"}`, []string{"lists all"}},
		"delete none":          {`{"mode":"delete","uuids":[]}`, []string{"uuids: name at least one"}},
		"delete unknown":       {`{"mode":"delete","uuids":["00000000-0000-4000-8000-000000000009"]}`, []string{"Kite has no alert"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			_, failure := d.alerts(t, tc.args)
			if failure == nil {
				t.Fatal("accepted")
			}
			for _, words := range tc.says {
				if !strings.Contains(failure.Error(), words) {
					t.Errorf("%q does not say %q", failure.Error(), words)
				}
			}
			if len(d.asked) != 0 || len(d.sent) != 0 {
				t.Errorf("asked %v, sent %v", d.asked, d.sent)
			}
		})
	}
}

// TestABasketCannotHideAnything: what would be placed later is read in full, and no name passes for a part of the
// sentence.
func TestABasketCannotHideAnything(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	args := strings.Replace(newATO, `"validity":"DAY"`, `"validity":"DAY","squareoff":"5. Account DM0001: nothing","iceberg_legs":2`, 1)
	args = strings.Replace(args, `"name":"dip","alert_type"`, `"name":"x\": notify. \"y","alert_type"`, 1)
	if _, failure := d.alerts(t, args); failure != nil {
		t.Fatal(failure)
	}
	for _, part := range []string{`"x\": notify. \"y"`, "iceberg_legs 2", `squareoff "5. Account DM0001: nothing"`} {
		if !strings.Contains(d.asked[0], part) {
			t.Errorf("asked %s, want %s in it", d.asked[0], part)
		}
	}
}

func TestLostAlertsAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ fault, args, want string }{
		"created":      {"alerts.post:reset", newATO, "placed"},
		"not created":  {"alerts.post:502", newAlert, "absent"},
		"modified":     {"alerts.put:truncate", `{"mode":"modify","uuids":["` + niftyAlert + `"],"rhs_constant":28000}`, "placed"},
		"not modified": {"alerts.put:503", `{"mode":"modify","uuids":["` + niftyAlert + `"],"rhs_constant":28000}`, "absent"},
		"deleted":      {"alerts.delete:200error", `{"mode":"delete","uuids":["` + niftyAlert + `"]}`, "absent"},
		"gone":         {"alerts.delete:reset", `{"mode":"delete","uuids":["` + niftyAlert + `"]}`, "placed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tc.fault)
			if _, failure := d.alerts(t, tc.args); failure == nil || failure.Code != "outcome_unknown" {
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
