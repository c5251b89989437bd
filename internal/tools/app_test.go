package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/ui"
)

// toldOf runs a call of a client with MCP Apps and returns what the app is
// told about it, as it travels.
func toldOf(t *testing.T, tool, args string) (source map[string]any, err error) {
	t.Helper()
	r, err := registry(t, tools.Options{}).Call(t.Context(), demoEnv(t, ""), tools.Profile{Apps: true}, tool, json.RawMessage(args))
	if r.Source == nil {
		t.Fatalf("%s %s: no source, %v", tool, args, err)
	}
	text, marshalErr := json.Marshal(r.Source)
	if marshalErr != nil {
		t.Fatal(marshalErr)
	}
	if marshalErr := json.Unmarshal(text, &source); marshalErr != nil {
		t.Fatal(marshalErr)
	}
	return source, err
}

// TestSource: the app gets the call that gives the result again, with what
// absent arguments mean, and the call that was made when it was another.
func TestSource(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		`portfolio {"mode":"holdings"}`: `{"tool":"portfolio","arguments":{"mode":"holdings","type":"full","from":0}}`,
		`portfolio {"mode":"holdings","limit":"5","from":"2","_app_request_id":"a-1"}`: `{"tool":"portfolio","arguments":{"mode":"holdings","type":"full","from":2,"limit":5,"_app_request_id":"a-1"}}`,
		`portfolio {"mode":"profile","instruments":["NSE:INFY"]}`:                      `{"tool":"portfolio","arguments":{"mode":"profile"}}`,
		`market {"mode":"quote","instruments":["NSE:INFY"]}`:                           `{"tool":"market","arguments":{"mode":"quote","instruments":["NSE:INFY"]}}`,
		`orders_read {"mode":"list","limit":3}`:                                        `{"tool":"orders_read","arguments":{"mode":"list","from":0,"limit":3}}`,
		`gtt_read {"mode":"list"}`:                                                     `{"tool":"gtt_read","arguments":{"mode":"list","from":0}}`,
		`kite_explorer {}`:                                                             `{"tool":"portfolio","arguments":{"mode":"holdings","type":"full","from":0,"limit":100},"origin":{"tool":"kite_explorer","arguments":{}}}`,
		`open_kite_view {"view":"holdings"}`:                                           `{"tool":"portfolio","arguments":{"mode":"holdings","type":"full","from":0},"origin":{"tool":"open_kite_view","arguments":{"view":"holdings"}}}`,
		`open_kite_view {"view":"positions"}`:                                          `{"tool":"portfolio","arguments":{"mode":"positions","position_view":"all","from":0},"origin":{"tool":"open_kite_view","arguments":{"view":"positions"}}}`,
		`open_kite_view {"view":"positions","position_view":"day","limit":1}`:          `{"tool":"portfolio","arguments":{"mode":"positions","position_view":"day","from":0,"limit":1},"origin":{"tool":"open_kite_view","arguments":{"view":"positions","position_view":"day","limit":1}}}`,
		`open_kite_view {"view":"quote","instruments":["NSE:INFY"]}`:                   `{"tool":"market","arguments":{"mode":"quote","instruments":["NSE:INFY"]},"origin":{"tool":"open_kite_view","arguments":{"view":"quote","instruments":["NSE:INFY"]}}}`,
		`open_kite_view {"view":"orders"}`:                                             `{"tool":"orders_read","arguments":{"mode":"list","from":0},"origin":{"tool":"open_kite_view","arguments":{"view":"orders"}}}`,
		`open_kite_view {"view":"option_chain","underlying":"NIFTY","exchange":"NFO"}`: `{"tool":"market","arguments":{"mode":"option_chain","underlying":"NIFTY","exchange":"NFO","include_live_quote":false,"from":0},"origin":{"tool":"open_kite_view","arguments":{"view":"option_chain","underlying":"NIFTY","exchange":"NFO"}}}`,
		`open_kite_view {"view":"search","query":"Infosys","filter_on":"name"}`:        `{"tool":"market","arguments":{"mode":"search","search_mode":"search","query":"Infosys","filter_on":"name","verbosity":"compact","include_live_quote":false,"from":0},"origin":{"tool":"open_kite_view","arguments":{"view":"search","query":"Infosys","filter_on":"name"}}}`,
		`open_kite_view {"view":"funds"}`:                                              `{"tool":"portfolio","arguments":{"mode":"margins"},"origin":{"tool":"open_kite_view","arguments":{"view":"funds"}}}`,
	} {
		tool, args, _ := strings.Cut(call, " ")
		got, err := toldOf(t, tool, args)
		delete(got, "views") // TestAppExclusions has them
		var wanted map[string]any
		if e := json.Unmarshal([]byte(want), &wanted); e != nil {
			t.Fatal(e)
		}
		if diff := cmp.Diff(wanted, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", call, err, diff)
		}
	}
}

// TestSourceOfFailures: a failed call is told too, so that the app can repeat it.
func TestSourceOfFailures(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]map[string]any{
		`market {"mode":"quote","instruments":[],"x":1}`:                     {"mode": "quote", "instruments": []any{}, "x": 1.0},
		`portfolio {"mode":"nothing"}`:                                       {"mode": "nothing"},
		`market {"mode":"search","search_mode":"get_by_id","id":"NSE:NOPE"}`: {"mode": "search", "search_mode": "get_by_id", "id": "NSE:NOPE", "filter_on": "id", "from": 0.0, "include_live_quote": false, "verbosity": "compact"},
	} {
		tool, args, _ := strings.Cut(call, " ")
		got, err := toldOf(t, tool, args)
		if diff := cmp.Diff(want, got["arguments"]); diff != "" || err == nil {
			t.Errorf("%s: %v (-want +got):\n%s", call, err, diff)
		}
	}
}

// TestRefusalsNameTheView: open_kite_view has views, not modes, and what refuses a call of it says so.
func TestRefusalsNameTheView(t *testing.T) {
	t.Parallel()
	many := make([]string, 501)
	for i := range many {
		many[i] = fmt.Sprintf(`"NSE:S%d"`, i)
	}
	for args, want := range map[string]string{
		`{"view":"quote"}`:                                                 "instruments: required for view quote",
		`{"view":"option_chain","exchange":"NSE"}`:                         "exchange: must be NFO or BFO",
		`{"view":"quote","instruments":[` + strings.Join(many, ",") + `]}`: "instruments: at most 500",
		`{"view":"nothing"}`:                                               "view: must be one of holdings",
		`{}`:                                                               "view: required, one of holdings",
	} {
		_, err := toldOf(t, "open_kite_view", args)
		if f := tools.Explain(err); f.Code != tools.CodeInvalidArgument || !strings.Contains(f.Error(), want) || strings.Contains(f.Error(), "mode") {
			t.Errorf("%.50s: %v, want %q and no word of a mode", args, err, want)
		}
	}
}

// TestOnlyTheAppIsTold: other clients get the results they always got.
func TestOnlyTheAppIsTold(t *testing.T) {
	t.Parallel()
	for _, p := range []tools.Profile{{}, {Skills: true}} {
		r, err := registry(t, tools.Options{}).Call(t.Context(), demoEnv(t, ""), p, "portfolio", json.RawMessage(`{"mode":"holdings"}`))
		if err != nil || r.Source != nil {
			t.Errorf("%+v: source %+v, %v", p, r.Source, err)
		}
		for _, name := range []string{"open_kite_view", "kite_explorer", "orders_read", "gtt_read"} {
			if _, err := registry(t, tools.Options{}).Call(t.Context(), demoEnv(t, ""), p, name, json.RawMessage(`{"mode":"list"}`)); !errors.Is(err, tools.ErrUnknownTool) {
				t.Errorf("%+v: %s: %v, want ErrUnknownTool", p, name, err)
			}
		}
	}
	r, err := registry(t, tools.Options{}).Call(t.Context(), demoEnv(t, ""), tools.Profile{Apps: true}, "session", json.RawMessage(`{"mode":"status"}`))
	if err != nil || r.Source != nil {
		t.Errorf("session: source %+v, %v", r.Source, err)
	}
}

// TestAliasesOnlyRead: whatever the app is made to say, its aliases change
// nothing.
func TestAliasesOnlyRead(t *testing.T) {
	t.Parallel()
	for _, call := range []string{`orders_read {"mode":"place"}`, `orders_read {"mode":"modify","order_id":"1"}`, `orders_read {"mode":"cancel","order_id":"1"}`, `orders_read {"mode":"preview"}`, `gtt_read {"mode":"place"}`, `gtt_read {"mode":"modify","trigger_id":1}`, `gtt_read {"mode":"delete","trigger_id":1}`} {
		tool, args, _ := strings.Cut(call, " ")
		_, err := toldOf(t, tool, args)
		if f := tools.Explain(err); f.Code != tools.CodeInvalidArgument || !strings.Contains(f.Error(), "mode: must be one of list") {
			t.Errorf("%s: %v", call, err)
		}
	}
}

func TestCallNumbers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 129)
	for _, bad := range []string{`"` + long + `"`, `1`, `null`, `{}`, `["a"]`} {
		_, err := toldOf(t, "portfolio", `{"mode":"margins","_app_request_id":`+bad+`}`)
		if f := tools.Explain(err); f.Code != tools.CodeInvalidArgument || !strings.Contains(f.Error(), "_app_request_id") {
			t.Errorf("%.20s: %v", bad, err)
		}
	}
	source, err := toldOf(t, "portfolio", `{"mode":"margins","_app_request_id":"`+long[:128]+`"}`)
	if args, _ := source["arguments"].(map[string]any); err != nil || args["_app_request_id"] != long[:128] {
		t.Errorf("128 bytes: %v, %v", source, err)
	}
	for _, tool := range registry(t, tools.Options{}).Tools() {
		_, declared := tool.Schema().Properties["_app_request_id"]
		switch tool.Name {
		case "portfolio", "market", "orders_read", "gtt_read":
			if !declared {
				t.Errorf("%s does not declare _app_request_id", tool.Name)
			}
		default:
			if declared {
				t.Errorf("%s declares _app_request_id", tool.Name)
			}
		}
	}
}

// TestAppExclusions is the matrix: a tool takes along what shows its data, and
// what is gone is refused by name too.
func TestAppExclusions(t *testing.T) {
	t.Parallel()
	everything := []string{"holdings", "positions", "funds", "orders", "gtt", "option_chain", "quote", "historical", "search"}
	for name, tc := range map[string]struct {
		exclude []string
		gone    []string
		views   []string
	}{
		"nothing":        {nil, nil, everything},
		"portfolio":      {[]string{"portfolio"}, []string{"portfolio", "kite_explorer"}, []string{"orders", "gtt", "option_chain", "quote", "historical", "search"}},
		"market":         {[]string{"market"}, []string{"market"}, []string{"holdings", "positions", "funds", "orders", "gtt"}},
		"orders":         {[]string{"orders"}, []string{"orders", "orders_read"}, []string{"holdings", "positions", "funds", "gtt", "option_chain", "quote", "historical", "search"}},
		"gtt":            {[]string{"gtt"}, []string{"gtt", "gtt_read"}, []string{"holdings", "positions", "funds", "orders", "option_chain", "quote", "historical", "search"}},
		"launcher":       {[]string{"kite_explorer"}, []string{"kite_explorer"}, everything},
		"opener":         {[]string{"open_kite_view"}, []string{"open_kite_view"}, nil},
		"all sources":    {[]string{"portfolio", "market", "orders", "gtt"}, []string{"portfolio", "orders", "gtt", "market", "orders_read", "gtt_read", "kite_explorer", "open_kite_view"}, nil},
		"a mode":         {[]string{"portfolio:holdings"}, []string{"kite_explorer"}, []string{"positions", "funds", "orders", "gtt", "option_chain", "quote", "historical", "search"}},
		"an old name":    {[]string{"get_quotes"}, nil, []string{"holdings", "positions", "funds", "orders", "gtt", "option_chain", "historical", "search"}},
		"a view":         {[]string{"open_kite_view:funds"}, nil, []string{"holdings", "positions", "orders", "gtt", "option_chain", "quote", "historical", "search"}},
		"every view":     {[]string{"open_kite_view:holdings", "open_kite_view:positions", "open_kite_view:funds", "open_kite_view:orders", "open_kite_view:gtt", "open_kite_view:option_chain", "open_kite_view:quote", "open_kite_view:historical", "open_kite_view:search"}, []string{"open_kite_view"}, nil},
		"reading orders": {[]string{"orders_read:history"}, nil, everything},
		"the alias":      {[]string{"orders_read"}, []string{"orders_read"}, []string{"holdings", "positions", "funds", "gtt", "option_chain", "quote", "historical", "search"}},
		"listing gtt":    {[]string{"gtt:list"}, nil, []string{"holdings", "positions", "funds", "orders", "option_chain", "quote", "historical", "search"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := registry(t, tools.Options{Exclude: tc.exclude})
			apps := tools.Profile{Apps: true}
			all := names(registry(t, tools.Options{}).For(apps).Tools())
			if diff := cmp.Diff(without(all, tc.gone...), names(r.For(apps).Tools())); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			var views []string
			if opener := r.Tool("open_kite_view"); opener != nil {
				views = opener.ModeNames()
			}
			if diff := cmp.Diff(tc.views, views); diff != "" {
				t.Errorf("views (-want +got):\n%s", diff)
			}
			screens := tc.views // what the app may offer, also where the model cannot open it
			if name == "opener" {
				screens = everything
			}
			checkScreens(t, r, screens)
			if tc.views == nil {
				return
			}
			for _, view := range without(everything, tc.views...) {
				_, err := r.Call(t.Context(), demoEnv(t, ""), apps, "open_kite_view", json.RawMessage(`{"view":"`+view+`"}`))
				if f := tools.Explain(err); f.Code != tools.CodeExcluded {
					t.Errorf("%s: %v, want excluded", view, err)
				}
			}
		})
	}
}

// checkScreens: each reading tool tells the app which screens there are, none too.
func checkScreens(t *testing.T, r *tools.Registry, want []string) {
	t.Helper()
	for _, reading := range []string{"portfolio", "market", "orders_read", "gtt_read"} {
		result, err := r.Call(t.Context(), demoEnv(t, ""), tools.Profile{Apps: true}, reading, json.RawMessage(`{}`))
		if errors.Is(err, tools.ErrUnknownTool) {
			continue
		}
		if got := result.Source.Views; got == nil || !slices.Equal(want, got) {
			t.Errorf("views told by %s: %q, want %q", reading, got, want)
		}
	}
}

// TestEveryViewOpens opens each view of ui/views.json with its own example.
func TestEveryViewOpens(t *testing.T) {
	t.Parallel()
	views, err := ui.Views()
	if err != nil {
		t.Fatal(err)
	}
	opener := registry(t, tools.Options{}).Tool("open_kite_view")
	if got := opener.ModeNames(); len(got) != len(views) {
		t.Errorf("open_kite_view has %v, ui/views.json %d views", got, len(views))
	}
	for _, v := range views {
		m, ok := opener.Mode(v.Name)
		if !ok {
			t.Errorf("open_kite_view has no %s", v.Name)
			continue
		}
		_, args, _ := strings.Cut(m.Examples[0], " ")
		opened, _ := call(t, demoEnv(t, ""), "open_kite_view", args)
		if opened.Meta["fetched_at"] == nil {
			t.Errorf("%s: %+v", v.Name, opened)
		}
	}
}
