package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

const (
	itcOrder = "2044000000000000001"
	dipAlert = "00000000-0000-4000-8000-000000000002"
)

func refusal(tb testing.TB, env *tools.Env, tool, args string) *tools.Failure {
	tb.Helper()
	res, err := registry(tb, tools.Options{}).Call(tb.Context(), env, tools.Profile{}, tool, json.RawMessage(args))
	if err == nil {
		tb.Fatalf("%s %s answered %s", tool, args, res.Structured)
	}
	return tools.Explain(err)
}

// field returns one member of every row.
func field(rows []map[string]any, name string) []any {
	out := []any{}
	for _, row := range rows {
		out = append(out, row[name])
	}
	return out
}

func TestOrders(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	list, _ := call(t, env, "orders", `{"mode":"list","from":1,"limit":3}`)
	if diff := cmp.Diff([]any{"OPEN", "OPEN", "TRIGGER PENDING"}, field(rowsOf(t, list), "status")); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	if p := list.Pagination; p.Total != 7 || p.Returned != 3 || !p.HasMore || *p.NextFrom != 4 || list.Meta["note"] != nil {
		t.Errorf("pagination %+v, meta %v", p, list.Meta)
	}
	history, _ := call(t, env, "orders", `{"mode":"history","order_id":"`+itcOrder+`"}`)
	if states := field(rowsOf(t, history), "status"); states[0] != "PUT ORDER REQ RECEIVED" || states[len(states)-1] != "COMPLETE" || history.Pagination.Total != len(states) || history.Pagination.HasMore {
		t.Errorf("states %v, pagination %+v", states, history.Pagination)
	}
	fills, _ := call(t, env, "orders", `{"mode":"trades","order_id":"`+itcOrder+`"}`)
	if diff := cmp.Diff([]any{120.0, 80.0}, field(rowsOf(t, fills), "quantity")); diff != "" {
		t.Errorf("fills (-want +got):\n%s", diff)
	}
	all, _ := call(t, env, "orders", `{"mode":"all_trades"}`)
	if all.Pagination.Total != 4 || all.Pagination.Limit != 500 {
		t.Errorf("all trades: %+v", all.Pagination)
	}
}

// TestReconciliation follows the recipe: for every order the fills add up, and the day positions are the fills' sum.
func TestReconciliation(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	orders, _ := call(t, env, "orders", `{"mode":"list"}`)
	net := map[string]float64{}
	count := 0
	for _, o := range rowsOf(t, orders) {
		own, _ := call(t, env, "orders", fmt.Sprintf(`{"mode":"trades","order_id":%q}`, o["order_id"]))
		filled := 0.0
		for _, f := range rowsOf(t, own) {
			count++
			filled += f["quantity"].(float64)
			sign := map[any]float64{"BUY": 1, "SELL": -1}[f["transaction_type"]]
			net[fmt.Sprint(f["exchange"], f["tradingsymbol"], f["product"])] += sign * f["quantity"].(float64)
		}
		if filled != o["filled_quantity"] {
			t.Errorf("%v: fills add up to %v, filled_quantity is %v", o["order_id"], filled, o["filled_quantity"])
		}
	}
	if all, _ := call(t, env, "orders", `{"mode":"all_trades"}`); all.Pagination.Total != count {
		t.Errorf("%d fills in all, %d by order", all.Pagination.Total, count)
	}
	day, _ := call(t, env, "portfolio", `{"mode":"positions","position_view":"day"}`)
	got := map[string]float64{}
	for _, p := range rowsOf(t, day) {
		got[fmt.Sprint(p["exchange"], p["tradingsymbol"], p["product"])] = p["quantity"].(float64)
	}
	if diff := cmp.Diff(net, got); diff != "" {
		t.Errorf("(-trades +positions):\n%s", diff)
	}
}

// TestEmptyListsSayWhy: an empty book is a list, and says that only today exists.
func TestEmptyListsSayWhy(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"null", "[]", "{}"} {
		env := demoEnv(t, "orders:empty="+data+"*0,trades:empty="+data+"*0,gtt:empty="+data+"*0,alerts:empty="+data+"*0,mf.holdings:empty="+data+"*0,historical:empty="+data+"*0")
		for _, tc := range []struct{ tool, args, note string }{
			{"orders", `{"mode":"list"}`, "today only"},
			{"orders", `{"mode":"all_trades"}`, "today only"},
			{"orders", `{"mode":"trades","order_id":"` + itcOrder + `"}`, "today only"},
			{"gtt", `{"mode":"list"}`, ""},
			{"alerts", `{"mode":"get"}`, ""},
			{"mutual_funds", `{"mode":"holdings"}`, ""},
			{"market", `{"mode":"historical","instrument_token":408065,"interval":"day","from_date":"2026-12-01","to_date":"2026-12-02"}`, "no indicator engine"},
		} {
			r, _ := call(t, env, tc.tool, tc.args)
			note, _ := r.Meta["note"].(string)
			if string(r.Data) != "[]" || !strings.Contains(note, tc.note) || tc.note == "" && note != "" {
				t.Errorf("%s %s with %s: data %s, note %q", tc.tool, tc.args, data, r.Data, note)
			}
			if tc.tool != "market" && (r.Pagination == nil || r.Pagination.HasMore || r.Pagination.Total != 0) {
				t.Errorf("%s %s: pagination %+v", tc.tool, tc.args, r.Pagination)
			}
		}
	}
}

// A limit of ten digits is written with ten digits.
func TestLimitsInPlainDigits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ args, name string }{
		{`{"mode":"search","search_mode":"get_by_inst_token","inst_token":4294967296}`, "inst_token"},
		{`{"mode":"historical","instrument_token":4294967296,"interval":"day","from_date":"2026-12-01","to_date":"2026-12-02"}`, "instrument_token"},
	} {
		f := refusal(t, demoEnv(t, ""), "market", tc.args)
		if want := tc.name + ": must be at most 4294967295, got 4294967296"; f.Code != tools.CodeInvalidArgument || f.Message != want {
			t.Errorf("%s: got %q, want %q", tc.args, f.Message, want)
		}
	}
}

// Kite's own words for an unknown token are too few to go on with.
func TestUnknownTokenSaysWhereTokensAre(t *testing.T) {
	t.Parallel()
	f := refusal(t, demoEnv(t, ""), "market", `{"mode":"historical","instrument_token":12345,"interval":"day","from_date":"2026-12-01","to_date":"2026-12-02"}`)
	if f.Message != "invalid token" || f.Retryable || f.KiteError != "InputException" || !strings.Contains(f.Hint, "mode search of market") {
		t.Errorf("%+v", f)
	}
}

func TestUnknownIDsAreNotFound(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	missing := strings.Replace(dipAlert, "2", "7", 1)
	for _, tc := range []struct{ tool, args, message, hint string }{
		{"orders", `{"mode":"history","order_id":"12345"}`, "Couldn't find that `order_id`.", "mode list"},
		{"orders", `{"mode":"trades","order_id":"12345"}`, "Couldn't find that `order_id`.", "mode list"},
		{"gtt", `{"mode":"get","trigger_id":5}`, "Trigger not found", "mode list"},
		{"alerts", `{"mode":"get","uuids":["` + dipAlert + `","` + missing + `"]}`, missing, "without uuids"},
	} {
		f := refusal(t, env, tc.tool, tc.args)
		if f.Code != tools.CodeNotFound || f.Retryable || !strings.Contains(f.Message, tc.message) || !strings.Contains(f.Hint, tc.hint) || strings.Contains(f.Message, dipAlert) {
			t.Errorf("%s: %+v", tc.args, f)
		}
	}
}

func TestGTT(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	list, _ := call(t, env, "gtt", `{"mode":"list","limit":2}`)
	if diff := cmp.Diff([]any{900001.0, 900002.0}, field(rowsOf(t, list), "id")); diff != "" || list.Pagination.Total != 4 || *list.Pagination.NextFrom != 2 {
		t.Errorf("pagination %+v (-want +got):\n%s", list.Pagination, diff)
	}
	one, _ := call(t, env, "gtt", `{"mode":"get","trigger_id":"900003"}`)
	var trigger struct {
		Status string
		Meta   map[string]any
		Orders []struct {
			Result struct {
				OrderResult struct {
					RejectionReason string `json:"rejection_reason"`
				} `json:"order_result"`
			}
		}
	}
	if err := json.Unmarshal(one.Data, &trigger); err != nil {
		t.Fatal(err)
	}
	if trigger.Status != "triggered" || trigger.Meta == nil || trigger.Orders[0].Result.OrderResult.RejectionReason != "Holdings are not authorised for sale." {
		t.Errorf("trigger = %s", one.Data)
	}
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	const nifty = "00000000-0000-4000-8000-000000000001"
	for args, want := range map[string][]any{
		`{"mode":"get"}`:                                 {nifty, dipAlert},
		`{"mode":"get","uuids":[]}`:                      {nifty, dipAlert},
		`{"mode":"get","status":"enabled"}`:              {nifty},
		`{"mode":"get","type":"ato"}`:                    {dipAlert},
		`{"mode":"get","status":"enabled","type":"ato"}`: {},
		`{"mode":"get","uuids":["` + dipAlert + `"]}`:    {dipAlert},
		`{"mode":"get","from":1,"limit":1}`:              {dipAlert},
		`{"mode":"get","uuids":["` + dipAlert + `","` + dipAlert + `"],"status":"disabled"}`: {dipAlert},
		`{"mode":"get","uuids":["` + dipAlert + `"],"status":"enabled"}`:                     {}, // filters apply with uuids, too
	} {
		r, raw := call(t, env, "alerts", args)
		if diff := cmp.Diff(want, field(rowsOf(t, r), "uuid")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
		if strings.Contains(raw.Text, "histories") {
			t.Errorf("%s: histories nobody asked for", args)
		}
	}
}

// TestAlertHistories: every alert of the page has its history; one that fails is named and the others stay.
func TestAlertHistories(t *testing.T) {
	t.Parallel()
	type histories struct {
		Histories map[string][]map[string]any
		Meta      struct {
			Errors map[string]tools.Failure `json:"history_errors"`
		}
	}
	read := func(faults string) histories {
		_, raw := call(t, demoEnv(t, faults), "alerts", `{"mode":"get","history":true}`)
		var h histories
		if err := json.Unmarshal(raw.Structured, &h); err != nil {
			t.Fatal(err)
		}
		return h
	}
	if h := read(""); len(h.Histories) != 2 || len(h.Histories[dipAlert]) != 1 || h.Histories["00000000-0000-4000-8000-000000000001"] == nil || h.Meta.Errors != nil {
		t.Errorf("%+v", h)
	}
	h := read("alerts.history:503")
	failed := h.Meta.Errors["00000000-0000-4000-8000-000000000001"]
	if len(h.Histories) != 1 || len(h.Histories[dipAlert]) != 1 || len(h.Meta.Errors) != 1 || failed.Code != "upstream_unavailable" || failed.HTTPStatus != 503 {
		t.Errorf("%+v", h)
	}
}

func TestMutualFunds(t *testing.T) {
	t.Parallel()
	r, raw := call(t, demoEnv(t, ""), "mutual_funds", `{"mode":"holdings"}`)
	if r.Pagination.Total != 1 || !strings.Contains(raw.Text, `"quantity":382.488`) {
		t.Errorf("%s", raw.Text)
	}
}

func TestHistorical(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	r, raw := call(t, env, "market", `{"mode":"historical","instrument_token":408065,"interval":"day","from_date":"2026-11-30","to_date":"2026-12-02"}`)
	rows := rowsOf(t, r)
	if diff := cmp.Diff([]any{"2026-11-30T00:00:00+05:30", "2026-12-01T00:00:00+05:30", "2026-12-02T00:00:00+05:30"}, field(rows, "date")); diff != "" {
		t.Errorf("dates (-want +got):\n%s", diff)
	}
	if rows[2]["close"] != 1881.6 || rows[1]["close"] != 1867.9 || strings.Contains(raw.Text, `"oi"`) || rows[0]["volume"] == nil {
		t.Errorf("candles %v", rows)
	}
	if r.Meta["count"] != 3.0 || r.Meta["instrument_token"] != 408065.0 || r.Meta["interval"] != "day" || !strings.Contains(fmt.Sprint(r.Meta["note"]), "no indicator engine") {
		t.Errorf("meta %v", r.Meta)
	}
	if _, named := r.Meta["instrument"]; named {
		t.Errorf("the instruments master was loaded for a name: %v", r.Meta)
	}
	if _, err := env.Instruments.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]string{"market": `"mode":"historical"`, "open_kite_view": `"view":"historical"`} {
		args = `{` + args + `,"instrument_token":408065,"interval":"day","from_date":"2026-11-30","to_date":"2026-12-02"}`
		if r, _ := call(t, env, tool, args); r.Meta["instrument"] != "NSE:INFY" {
			t.Errorf("%s, when it is there: meta %v", tool, r.Meta)
		}
	}
	// Both ends are included, in IST: 75 bars of five minutes are a session.
	for args, want := range map[string]float64{
		`"interval":"5minute","from_date":"2026-12-01","to_date":"2026-12-01"`:                   75,
		`"interval":"5minute","from_date":"2026-12-01 09:15:00","to_date":"2026-12-01 09:20:00"`: 2,
		`"interval":"5minute","from_date":"2026-12-01 15:30:00","to_date":"2026-12-02 09:14:59"`: 0,
		`"interval":"day","from_date":"2026-12-01","to_date":"2026-12-01","oi":"true"`:           1,
	} {
		r, _ := call(t, env, "market", `{"mode":"historical","instrument_token":"408065",`+args+`}`)
		if r.Meta["count"] != want {
			t.Errorf("%s: %v candles, want %v", args, r.Meta["count"], want)
		}
	}
	f := refusal(t, env, "market", `{"mode":"historical","instrument_token":408065,"interval":"day","from_date":"2026-12-01","to_date":"2026-12-01","continuous":true}`)
	if f.Code != tools.CodeInvalidArgument || !strings.Contains(f.Message, "continuous: only for futures, NSE:INFY is none") {
		t.Errorf("continuous shares: %+v", f)
	}
	found, _ := call(t, env, "market", `{"mode":"search","search_mode":"get_by_id","id":"NFO:NIFTY26DECFUT"}`)
	future := rowsOf(t, found)[0]["instrument_token"]
	if r, _ := call(t, env, "market", fmt.Sprintf(`{"mode":"historical","instrument_token":%.0f,"interval":"day","from_date":"2026-01-01","to_date":"2026-12-01","continuous":true}`, future)); r.Meta["count"].(float64) < 200 {
		t.Errorf("continuous future: %v candles", r.Meta["count"])
	}
	// Kite's words for what only Kite knows.
	f = refusal(t, env, "market", `{"mode":"historical","instrument_token":1,"interval":"day","from_date":"2026-12-01","to_date":"2026-12-01"}`)
	if f.Code != "rejected" || f.Message != "invalid token" || f.KiteError != "InputException" {
		t.Errorf("unknown token: %+v", f)
	}
}

// TestBadInput: nothing is truncated, guessed or sent, and all that is wrong is said at once.
func TestBadInput(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	client := kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: untouched{t}})
	env.Kite = kite.Fixed(client)
	for _, tc := range badInput(t) {
		f := refusal(t, env, tc.tool, tc.args)
		if f.Code != tools.CodeInvalidArgument || !strings.Contains(f.Error(), tc.want) {
			t.Errorf("%s %.120s: %s %q, want %q", tc.tool, tc.args, f.Code, f.Error(), tc.want)
		}
	}
	f := refusal(t, env, "market", `{"mode":"historical","instrument_token":0,"interval":"minute","from_date":"2026-12-02","to_date":"2026-01-01","continuous":true,"oi":"perhaps"}`)
	for _, want := range []string{"instrument_token:", "continuous:", "to_date:", "oi:"} {
		if !strings.Contains(f.Error(), want) {
			t.Errorf("%q does not name %s", f.Error(), want)
		}
	}
}

type badCall struct{ tool, args, want string }

func badInput(t *testing.T) []badCall {
	t.Helper()
	ids := make([]string, 501)
	for i := range ids {
		ids[i] = fmt.Sprintf(`"NSE:S%d"`, i)
	}
	const good = `"mode":"historical","instrument_token":408065,"interval":"day","from_date":"2026-01-01","to_date":"2026-06-30"`
	historical := func(name, value string) string {
		var args map[string]json.RawMessage
		if err := json.Unmarshal([]byte("{"+good+"}"), &args); err != nil {
			t.Fatal(err)
		}
		args[name] = json.RawMessage(value)
		var parts []string
		for k, v := range args {
			parts = append(parts, fmt.Sprintf("%q:%s", k, v))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return []badCall{
		{"orders", `{"mode":"list","from":1.5}`, "from: must be a whole number, got 1.5"},
		{"orders", `{"mode":"list","from":-1}`, "from: must be at least 0, got -1"},
		{"orders", `{"mode":"list","limit":1e400}`, "limit: is out of range, got 1e400"},
		{"orders", `{"mode":"list","limit":"ten"}`, `limit: must be a number, got "ten"`},
		{"orders", `{"mode":"list","limit":501}`, "limit: must be at most 500, got 501"},
		{"orders", `{"mode":"list","limit":0}`, "limit: must be at least 1, got 0"},
		{"orders", `{"mode":"history"}`, "order_id: required for mode history"},
		{"orders", `{"mode":"trades"}`, "order_id: required for mode trades"},
		{"orders", `{"mode":"history","order_id":""}`, "order_id: must be 1 to 32 letters or digits"},
		{"orders", `{"mode":"history","order_id":"../user/profile"}`, "order_id: must be 1 to 32 letters or digits"},
		{"orders", `{"mode":"history","order_id":"1/trades"}`, "order_id: must be 1 to 32 letters or digits"},
		{"orders", `{"mode":"history","order_id":2044000000000000001}`, "order_id: must be a string, got 2044000000000000001"},
		{"gtt", `{"mode":"get"}`, "trigger_id: required for mode get"},
		{"gtt", `{"mode":"get","trigger_id":1.5}`, "trigger_id: must be a whole number, got 1.5"},
		{"gtt", `{"mode":"get","trigger_id":-1}`, "trigger_id: must be at least 1, got -1"},
		{"gtt", `{"mode":"get","trigger_id":1e400}`, "trigger_id: is out of range"},
		{"gtt", `{"mode":"get","trigger_id":"1/../../x"}`, "trigger_id: must be a number"},
		{"gtt", `{"mode":"get","trigger_id":9007199254740993}`, "trigger_id: is out of range"},
		{"alerts", `{"mode":"get","uuids":["x","../y"]}`, `uuids: each must be a UUID, got "x", "../y"`},
		{"alerts", `{"mode":"get","uuids":"` + dipAlert + `"}`, "uuids: must be a list of strings"},
		{"alerts", `{"mode":"get","status":"on"}`, "status: must be one of enabled, disabled, deleted"},
		{"alerts", `{"mode":"get","history":"maybe"}`, "history: must be true or false"},
		{"alerts", `{"mode":"get","uuids":[` + strings.Join(slices.Repeat([]string{`"` + dipAlert + `"`}, 51), ",") + `]}`, "uuids: must have at most 50 entries"},
		{"mutual_funds", `{"mode":"orders"}`, "mode: must be one of holdings"},
		{"session", `{}`, "mode: required, one of status"},
		{"market", `{"mode":"quote","instruments":[` + strings.Join(ids, ",") + `]}`, "at most 500 for quotes, got 501"},
		{"market", historical("instrument_token", "4294967296"), "instrument_token: must be at most"},
		{"market", historical("instrument_token", "-1"), "instrument_token: must be at least 1, got -1"},
		{"market", historical("instrument_token", "1.5"), "instrument_token: must be a whole number, got 1.5"},
		{"market", historical("instrument_token", `"ten"`), `instrument_token: must be a number, got "ten"`},
		{"market", historical("instrument_token", "1e400"), "instrument_token: is out of range"},
		{"market", historical("interval", `"2minute"`), "interval: must be one of minute, 3minute"},
		{"market", historical("from_date", `"2026-13-01"`), "from_date: must be a date YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS"},
		{"market", historical("from_date", `"2026-02-30"`), "from_date: must be a date"},
		{"market", historical("from_date", `"2026-01-01T09:15:00+05:30"`), "from_date: must be a date"},
		{"market", historical("from_date", `""`), "from_date: must be a date"},
		{"market", historical("to_date", `"2025-12-31"`), "to_date: must not be before from_date"},
		{"market", historical("from_date", `"2020-01-01"`), "to_date: at most 2000 days after from_date for interval day"},
		{"market", historical("interval", `"minute"`), "to_date: at most 60 days after from_date for interval minute"},
		{"market", `{"mode":"historical","instrument_token":1,"interval":"60minute","from_date":"2026-01-01","to_date":"2026-01-02","continuous":true}`, "continuous: only with interval day, got 60minute"},
	}
}

// untouched is an upstream that nobody may reach.
type untouched struct{ t *testing.T }

// RoundTrip reports the call.
func (u untouched) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("sent %s", r.URL)
	return nil, errors.New("sent")
}

func TestIgnoredArgumentsOfReads(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	for args, want := range map[string][]any{
		`{"mode":"list","order_id":"1","color":"red"}`:                       {"order_id", "color"},
		`{"mode":"history","order_id":"` + itcOrder + `","from":3,"x":null}`: {"from", "x"},
		`{"mode":"list"}`: nil,
	} {
		r, _ := call(t, env, "orders", args)
		got, _ := r.Meta["ignored_arguments"].([]any)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

// TestKitesOwnMetaIsKept: the profile has a meta of Kite's, which joins ours; there is one of the name.
func TestKitesOwnMetaIsKept(t *testing.T) {
	t.Parallel()
	r, raw := call(t, demoEnv(t, ""), "portfolio", `{"mode":"profile"}`)
	if r.Meta["demat_consent"] != "consent" || r.Meta["fetched_at"] == nil || strings.Count(raw.Text, `"meta"`) != 1 {
		t.Errorf("%s", raw.Text)
	}
}

// state is the answer of session status.
type state struct {
	Authenticated bool
	Status        string
	UserID        *string `json:"user_id"`
	AuthMode      string  `json:"auth_mode"`
	ExpiresAt     *string `json:"kite_session_expires_at"`
	SecondsLeft   int64   `json:"seconds_left"`
	Message       string
}

func status(tb testing.TB, env *tools.Env) state {
	tb.Helper()
	_, raw := call(tb, env, "session", `{"mode":"status"}`)
	var s state
	if err := json.Unmarshal(raw.Structured, &s); err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestSessionStatus(t *testing.T) {
	t.Parallel()
	user, end := "DM0001", "2026-12-03T06:00:00+05:30"
	in := state{Authenticated: true, Status: "authenticated", UserID: &user, AuthMode: "local", ExpiresAt: &end, SecondsLeft: 18*3600 + 45*60}
	if diff := cmp.Diff(in, status(t, demoEnv(t, ""))); diff != "" {
		t.Errorf("logged in (-want +got):\n%s", diff)
	}
	expired := status(t, demoEnv(t, "profile:token"))
	if !strings.Contains(expired.Message, "kite-mcp login") {
		t.Errorf("message %q", expired.Message)
	}
	expired.Message = ""
	if diff := cmp.Diff(state{Status: "expired", AuthMode: "local"}, expired); diff != "" {
		t.Errorf("expired (-want +got):\n%s", diff)
	}
	env := demoEnv(t, "")
	env.Kite = kite.None("KITE_API_KEY is not set")
	out := status(t, env)
	if !strings.Contains(out.Message, "KITE_API_KEY is not set") {
		t.Errorf("message %q", out.Message)
	}
	out.Message = ""
	if diff := cmp.Diff(state{Status: "not_authenticated", AuthMode: "local"}, out); diff != "" {
		t.Errorf("logged out (-want +got):\n%s", diff)
	}
	env.Kite = sourceOf{&kite.Error{Kind: kite.KindNotAuthenticated, Message: "logged out of Kite", Err: kite.ErrLoggedOut}}
	if out := status(t, env); out.Status != "logged_out" || out.Authenticated {
		t.Errorf("after a logout: %+v", out)
	}
	if f := refusal(t, demoEnv(t, "profile:502html*0"), "session", `{"mode":"status"}`); f.Code != "upstream_unavailable" {
		t.Errorf("Kite away: %+v", f)
	}
}

// TestSessionEndsAtSix: the session that is alive at 05:59 IST is over at 06:01, and both are said the same way
// whatever the zone of the machine's clock.
func TestSessionEndsAtSix(t *testing.T) {
	t.Parallel()
	for _, zone := range []*time.Location{kite.IST, time.UTC, time.FixedZone("EST", -5*3600)} {
		var now time.Time
		clock := func() time.Time { return now.In(zone) }
		at := func(hour, minute int) { now = time.Date(2026, 12, 3, hour, minute, 0, 0, kite.IST) }
		at(5, 59)
		x, err := demo.New(demo.Options{Now: clock, Clock: demo.Clock{Frozen: now}})
		if err != nil {
			t.Fatal(err)
		}
		env := demoEnv(t, "")
		env.Now = clock
		env.Kite = kite.Fixed(kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: x.Transport(), Now: clock}))
		before := status(t, env)
		if before.Status != "authenticated" || before.SecondsLeft != 60 || *before.ExpiresAt != "2026-12-03T06:00:00+05:30" {
			t.Errorf("05:59, clock in %s: %+v", zone, before)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, demo.BaseURL+"/__demo/clock", strings.NewReader(`{"advance":"2m"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := x.Transport().RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", resp, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		at(6, 1)
		if after := status(t, env); after.Status != "expired" || after.Authenticated || after.SecondsLeft != 0 {
			t.Errorf("06:01, clock in %s: %+v", zone, after)
		}
		if f := refusal(t, env, "orders", `{"mode":"list"}`); f.Code != tools.CodeSessionExpired {
			t.Errorf("06:01: %+v", f)
		}
	}
}
