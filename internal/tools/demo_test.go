package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// demoEnv is an environment on a frozen demo exchange.
func demoEnv(tb testing.TB, faults string) *tools.Env {
	tb.Helper()
	rules, err := demo.ParseFaults(faults)
	if err != nil {
		tb.Fatal(err)
	}
	at := time.Date(2026, 12, 2, 11, 15, 0, 0, kite.IST)
	now := func() time.Time { return at }
	x, err := demo.New(demo.Options{Now: now, Clock: demo.Clock{Frozen: at}, Faults: rules})
	if err != nil {
		tb.Fatal(err)
	}
	client := kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: x.Transport(), Now: now})
	master := kite.NewMaster(kite.MasterOptions{Fetch: func(ctx context.Context) (io.ReadCloser, error) { return client.FetchInstruments(ctx) }, Now: x.Now})
	tb.Cleanup(master.Close)
	return &tools.Env{Kite: kite.Fixed(client), Instruments: master, Catalog: embedded(tb), Now: x.Now, Log: slog.New(slog.DiscardHandler), Demo: true, Logins: &logins{}}
}

// result is the part of every account and market result that tests look at.
type result struct {
	Demo       bool
	Data       json.RawMessage
	Pagination *tools.Pagination
	Meta       map[string]any
}

func call(tb testing.TB, env *tools.Env, tool, args string) (result, tools.Result) {
	tb.Helper()
	res, err := registry(tb, tools.Options{}).Call(tb.Context(), env, tools.Profile{Apps: true}, tool, json.RawMessage(args))
	if err != nil {
		tb.Fatalf("%s %s: %v", tool, args, err)
	}
	var r result
	if err := json.Unmarshal(res.Structured, &r); err != nil {
		tb.Fatalf("%s %s: %v in %s", tool, args, err, res.Structured)
	}
	return r, res
}

func rowsOf(tb testing.TB, r result) []map[string]any {
	tb.Helper()
	var rows []map[string]any
	if err := json.Unmarshal(r.Data, &rows); err != nil {
		tb.Fatal(err)
	}
	return rows
}

// TestEveryReadIsStamped: demo results carry demo, meta and the receipt time in
// IST, and the text is the same JSON.
func TestEveryReadIsStamped(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	for _, tool := range registry(t, tools.Options{}).Tools() {
		if tool.Category == tools.Help {
			continue
		}
		for _, example := range tool.AllExamples() {
			args := strings.TrimPrefix(example, tool.Name+" ")
			if registry(t, tools.Options{}).Changes(tool.Name, json.RawMessage(args)) {
				continue
			}
			r, raw := call(t, env, tool.Name, args)
			if !r.Demo || r.Meta["fetched_at"] != "2026-12-02T11:15:00+05:30" {
				t.Errorf("%s: demo %v, fetched_at %v", example, r.Demo, r.Meta["fetched_at"])
			}
			if raw.Text != string(raw.Structured) {
				t.Errorf("%s: text and structured content differ", example)
			}
			if name := repeated(json.NewDecoder(strings.NewReader(raw.Text))); name != "" {
				t.Errorf("%s: member %s is there twice", example, name)
			}
		}
	}
}

// TestResultsFitTheirSchemas: what a tool answers to its own examples is what its output schema says, for clients with the
// Kite app too.
func TestResultsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	env, reg := demoEnv(t, ""), registry(t, tools.Options{})
	for _, tool := range reg.Tools() {
		if tool.Output == nil {
			continue
		}
		schema, err := tool.Output.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range tool.AllExamples() {
			for _, p := range []tools.Profile{{}, {Apps: true}} {
				res, err := reg.Call(t.Context(), env, p, tool.Name, json.RawMessage(strings.TrimPrefix(example, tool.Name+" ")))
				if err != nil {
					t.Fatalf("%s: %v", example, err)
				}
				var result any
				if err := json.Unmarshal(res.Structured, &result); err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(result); err != nil {
					t.Errorf("%s, %+v: %v", example, p, err)
				}
			}
		}
	}
}

// repeated returns the name of a member that an object has twice; readers disagree about which one counts.
func repeated(dec *json.Decoder) string {
	token, err := dec.Token()
	if err != nil {
		return ""
	}
	names := map[any]bool{}
	for token == json.Delim('{') && dec.More() {
		name, _ := dec.Token()
		if names[name] {
			return fmt.Sprint(name)
		}
		names[name] = true
		if twice := repeated(dec); twice != "" {
			return twice
		}
	}
	for token == json.Delim('[') && dec.More() {
		if twice := repeated(dec); twice != "" {
			return twice
		}
	}
	if token == json.Delim('{') || token == json.Delim('[') {
		_, _ = dec.Token()
	}
	return ""
}

func TestHoldings(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	full, _ := call(t, env, "portfolio", `{"mode":"holdings"}`)
	rows := rowsOf(t, full)
	if len(rows) != 10 || full.Pagination.Total != 10 || full.Pagination.HasMore || full.Pagination.Limit != 500 {
		t.Fatalf("%d rows, pagination %+v", len(rows), full.Pagination)
	}
	// From the demo account at its frozen clock.
	want := map[string]any{"tradingsymbol": "INFY", "quantity": 60.0, "t1_quantity": 15.0, "last_price": 1881.6, "close_price": 1867.9, "pnl": 13402.5, "short_quantity": 0.0}
	got := map[string]any{}
	for k := range want {
		got[k] = rows[1][k]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("INFY (-want +got):\n%s", diff)
	}
	compact, _ := call(t, env, "portfolio", `{"mode":"holdings","type":"compact","from":8,"limit":5}`)
	if rows := rowsOf(t, compact); len(rows) != 2 || len(rows[0]) != 5 {
		t.Errorf("compact page: %v", rows)
	}
	beyond, _ := call(t, env, "portfolio", `{"mode":"holdings","from":10,"limit":5}`)
	if string(beyond.Data) != "[]" || beyond.Pagination.Returned != 0 || beyond.Pagination.HasMore {
		t.Errorf("beyond the end: %s %+v", beyond.Data, beyond.Pagination)
	}
}

func TestSymbolsAreWrittenAsTheyAre(t *testing.T) {
	t.Parallel()
	_, raw := call(t, demoEnv(t, ""), "portfolio", `{"mode":"holdings","type":"compact"}`)
	if !strings.Contains(raw.Text, `"M&M"`) {
		t.Errorf("M&M is escaped in %s", raw.Text)
	}
}

func TestHoldingsPagesCoverTheList(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	var symbols []string
	next := 0
	for {
		r, _ := call(t, env, "portfolio", `{"mode":"holdings","type":"compact","limit":3,"from":`+string(rune('0'+next))+`}`)
		for _, row := range rowsOf(t, r) {
			symbols = append(symbols, row["tradingsymbol"].(string))
		}
		if !r.Pagination.HasMore {
			break
		}
		next = *r.Pagination.NextFrom
	}
	want := []string{"RELIANCE", "INFY", "SBIN", "TCS", "M&M", "ITC", "IDEA", "GOLDBEES", "CENTRALBK-BE", "BAJAJ-AUTO"}
	if diff := cmp.Diff(want, symbols); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHoldingsSummaryIsNotPaged(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	r, raw := call(t, env, "portfolio", `{"mode":"holdings","type":"summary","from":1,"limit":2}`)
	var sum map[string]any
	if err := json.Unmarshal(raw.Structured, &sum); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"invested_amount", "current_value", "total_pnl", "total_pnl_percent", "today_pnl", "today_pnl_percent"} {
		if _, ok := sum[field].(float64); !ok {
			t.Errorf("%s is missing", field)
		}
	}
	if r.Pagination != nil {
		t.Error("a summary has no pages")
	}
	if diff := cmp.Diff([]any{"from", "limit"}, r.Meta["ignored_arguments"]); diff != "" {
		t.Errorf("ignored arguments (-want +got):\n%s", diff)
	}
}

func TestPositionsAreNotMixed(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	counts := map[string]int{}
	for _, view := range []string{"net", "day", "all"} {
		r, _ := call(t, env, "portfolio", `{"mode":"positions","position_view":"`+view+`"}`)
		rows := rowsOf(t, r)
		counts[view] = len(rows)
		for _, row := range rows {
			if view != "all" && row["position_view"] != view {
				t.Errorf("view %s has a row of %v", view, row["position_view"])
			}
		}
		c := r.Meta["counts"].(map[string]any)
		if c["net"] == nil || c["day"] == nil {
			t.Errorf("counts: %v", c)
		}
	}
	if counts["net"] == 0 || counts["all"] != counts["net"]+counts["day"] {
		t.Errorf("rows by view: %v", counts)
	}
	byDefault, _ := call(t, env, "portfolio", `{"mode":"positions"}`)
	if len(rowsOf(t, byDefault)) != counts["net"] {
		t.Error("the default view is not net")
	}
}

func TestMarginsSayDisabled(t *testing.T) {
	t.Parallel()
	_, raw := call(t, demoEnv(t, ""), "portfolio", `{"mode":"margins"}`)
	var got struct{ Equity, Commodity struct{ Enabled bool } }
	if err := json.Unmarshal(raw.Structured, &got); err != nil {
		t.Fatal(err)
	}
	if !got.Equity.Enabled || got.Commodity.Enabled {
		t.Errorf("got %+v, want equity enabled and commodity disabled", got)
	}
}

func TestQuotesNameWhatIsMissing(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	for _, mode := range []string{"quote", "ltp", "ohlc"} {
		r, _ := call(t, env, "market", `{"mode":"`+mode+`","instruments":["NSE:INFY","NSE:NOPE","NSE:INFY","NSE:M&M"]}`)
		var data map[string]struct {
			Last float64 `json:"last_price"`
		}
		if err := json.Unmarshal(r.Data, &data); err != nil {
			t.Fatal(err)
		}
		if len(data) != 2 || data["NSE:INFY"].Last != 1881.6 || data["NSE:M&M"].Last != 3389.9 {
			t.Errorf("%s: %v", mode, data)
		}
		if r.Meta["requested"] != 3.0 || r.Meta["returned"] != 2.0 || !cmp.Equal(r.Meta["missing"], []any{"NSE:NOPE"}) {
			t.Errorf("%s: meta %v", mode, r.Meta)
		}
	}
}

func TestQuoteArguments(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	many := func(n int) string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = `"NSE:X` + strings.Repeat("A", i/26) + string(rune('A'+i%26)) + `"`
		}
		return "[" + strings.Join(ids, ",") + "]"
	}
	for name, tc := range map[string]struct{ args, want string }{
		"no colon":          {`{"mode":"ltp","instruments":["INFY"]}`, "INFY"},
		"no symbol":         {`{"mode":"ltp","instruments":["NSE:"]}`, "EXCHANGE:TRADINGSYMBOL"},
		"none":              {`{"mode":"ltp","instruments":[]}`, "at least 1"},
		"missing":           {`{"mode":"ltp"}`, "instruments: required for mode ltp"},
		"too many quotes":   {`{"mode":"quote","instruments":` + many(501) + `}`, "at most 500"},
		"too many for ohlc": {`{"mode":"ohlc","instruments":` + many(1001) + `}`, "at most 1000"},
	} {
		_, err := registry(t, tools.Options{}).Call(t.Context(), env, tools.Profile{}, "market", json.RawMessage(tc.args))
		if f := tools.Explain(err); f.Code != tools.CodeInvalidArgument || !strings.Contains(f.Error(), tc.want) {
			t.Errorf("%s: got %s %q", name, f.Code, f.Error())
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	r, _ := call(t, env, "market", `{"mode":"search","query":"infy","filter_on":"tradingsymbol","limit":3}`)
	rows := rowsOf(t, r)
	if len(rows) == 0 || rows[0]["id"] != "NSE:INFY" || rows[0]["instrument_token"] != 408065.0 {
		t.Fatalf("exact match first: %v", rows)
	}
	if _, ok := rows[0]["tick_size"]; ok {
		t.Error("a compact row has no tick_size")
	}
	full, _ := call(t, env, "market", `{"mode":"search","query":"infy","filter_on":"tradingsymbol","limit":1,"verbosity":"full","include_live_quote":true}`)
	row := rowsOf(t, full)[0]
	if row["tick_size"] != 0.1 || row["last_price"] != 1881.6 || full.Meta["live_quote_enriched"] != true {
		t.Errorf("full row with quote: %v, meta %v", row, full.Meta)
	}
	chain, _ := call(t, env, "market", `{"mode":"search","query":"NIFTY","filter_on":"underlying"}`)
	if chain.Pagination.Limit != 50 || len(rowsOf(t, chain)) != 50 || !chain.Pagination.HasMore {
		t.Errorf("default page: %+v", chain.Pagination)
	}
	none, _ := call(t, env, "market", `{"mode":"search","query":"no such thing"}`)
	if string(none.Data) != "[]" || none.Pagination.Total != 0 {
		t.Errorf("no hit: %s %+v", none.Data, none.Pagination)
	}
}

func TestSearchSurvivesMissingQuotesAndLogin(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "quote:502html*0")
	r, _ := call(t, env, "market", `{"mode":"search","query":"INFY","filter_on":"tradingsymbol","limit":1,"include_live_quote":true}`)
	if len(rowsOf(t, r)) != 1 || r.Meta["live_quote_enriched"] != false || r.Meta["live_quote_error"] == nil {
		t.Errorf("rows must survive a failed quote: %s %v", r.Data, r.Meta)
	}
	env.Kite = kite.None("not logged in")
	r, _ = call(t, env, "market", `{"mode":"search","query":"INFY","limit":1}`)
	if len(rowsOf(t, r)) != 1 {
		t.Error("search needs no login")
	}
}

func TestKiteFailuresKeepKitesWords(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault string
		code  tools.Code
	}{
		"expired":     {"holdings:token", tools.CodeSessionExpired},
		"permission":  {"holdings:perm", "permission_denied"},
		"too many":    {"holdings:429", "rate_limited"},
		"gateway":     {"holdings:502html", "upstream_unavailable"},
		"false 200":   {"holdings:200error", "upstream_unavailable"},
		"broken body": {"holdings:truncate", "upstream_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := registry(t, tools.Options{}).Call(t.Context(), demoEnv(t, tc.fault+"*0"), tools.Profile{}, "portfolio", json.RawMessage(`{"mode":"holdings"}`))
			f := tools.Explain(err)
			if f.Code != tc.code {
				t.Errorf("got %s %q, want %s", f.Code, f.Message, tc.code)
			}
			if strings.Contains(f.Error(), demo.AccessToken) || strings.Contains(f.Error(), "kite.demo.invalid") {
				t.Errorf("the message leaks: %s", f.Error())
			}
		})
	}
}

// FuzzToolArguments: whatever is sent, a tool answers or explains.
func FuzzToolArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `[]`, `{"mode":"holdings","limit":"5"}`, `{"mode":"ltp","instruments":["NSE:INFY"]}`, `{"mode":"search","query":"x","from":1e9}`, `{"key":"/../"}`, `{"mode":"history","order_id":"1/.."}`, `{"mode":"get","uuids":["x"],"trigger_id":1e9}`, `{"mode":"historical","instrument_token":1,"interval":"day","from_date":"2026-01-01","to_date":"9999-12-31"}`, `{"mode":"holdings","mode":"x"}`, `{"mode":"preview","basket":[{"tradingsymbol":"INFY","quantity":1e9},{"price":-1}]}`} {
		for _, tool := range []string{"help", "portfolio", "market", "orders", "gtt", "alerts", "session"} {
			f.Add(tool, []byte(seed))
		}
	}
	env := demoEnv(f, "")
	r := registry(f, tools.Options{})
	f.Fuzz(func(t *testing.T, tool string, args []byte) {
		res, err := r.Call(t.Context(), env, tools.Profile{}, tool, args)
		if err == nil && !json.Valid(res.Structured) {
			t.Errorf("%s %q: result is not JSON", tool, args)
		}
		if err != nil && tools.Explain(err).Code == tools.CodeInternal {
			t.Errorf("%s %q: unexplained error %v", tool, args, err)
		}
	})
}
