package tools_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func TestExclusions(t *testing.T) {
	t.Parallel()
	all := names(registry(t, tools.Options{}).Tools())
	modes := registry(t, tools.Options{}).Tool("market").ModeNames()
	var everyMode []string
	for _, m := range modes {
		everyMode = append(everyMode, "market:"+m)
	}
	for name, tc := range map[string]struct {
		entries []string
		gone    []string // tools
		market  []string // modes left, nil when the tool is gone
	}{
		"nothing":         {nil, nil, modes},
		"blank entries":   {[]string{"", "  "}, nil, modes},
		"a tool":          {[]string{"help"}, []string{"help"}, modes},
		"spaces, repeats": {[]string{" help ", "help"}, []string{"help"}, modes},
		"a mode":          {[]string{"market:ltp"}, nil, without(modes, "ltp")},
		"old name":        {[]string{"get_ohlc", "search_instruments"}, nil, without(modes, "ohlc", "search")},
		"all modes":       {everyMode, []string{"market"}, nil},
		"mode, then tool": {[]string{"market:ltp", "market"}, []string{"market"}, nil},
		"tool, then mode": {[]string{"market", "market:ltp"}, []string{"market"}, nil},
		"later tools":     {[]string{"orders:place", "gtt:delete", "alerts:create", "open_kite_view:option_chain", "place_order", "login"}, nil, modes},
		"old fund name":   {[]string{"get_mf_holdings"}, []string{"mutual_funds"}, modes},
		"old only mode":   {[]string{"get_gtts", "gtt:get", "place_gtt_order", "modify_gtt_order", "delete_gtt_order"}, []string{"gtt", "gtt_read"}, modes},
		"old book":        {[]string{"get_orders", "get_trades", "get_order_history", "get_order_trades", "orders:preview", "place_order", "modify_order", "cancel_order"}, []string{"orders", "orders_read"}, modes},
		"old candles":     {[]string{"get_historical_data"}, nil, without(modes, "historical")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := registry(t, tools.Options{Exclude: tc.entries})
			if diff := cmp.Diff(without(all, tc.gone...), names(r.Tools())); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			var left []string
			if m := r.Tool("market"); m != nil {
				left = m.ModeNames()
				if got := len(m.Schema().Properties["mode"].Enum); got != len(left) {
					t.Errorf("the schema announces %d modes, %d are left", got, len(left))
				}
			}
			if diff := cmp.Diff(tc.market, left); diff != "" {
				t.Errorf("market modes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownExclusionStopsTheStart(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"nope", "market:nope", "help:x", "Market", "market:"} {
		_, err := tools.New(tools.All(), tools.Options{Exclude: []string{entry}})
		if _, ok := errors.AsType[*tools.ExclusionError](err); !ok {
			t.Errorf("%s: got %v, want an ExclusionError", entry, err)
			continue
		}
		if !strings.Contains(err.Error(), "portfolio") {
			t.Errorf("%s: the message does not list valid names: %v", entry, err)
		}
	}
}

func TestExcludedModeIsRefusedAtRunTime(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{Exclude: []string{"market:ltp"}})
	_, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "market", json.RawMessage(`{"mode":"ltp","instruments":["NSE:INFY"]}`))
	if f := tools.Explain(err); f.Code != tools.CodeExcluded {
		t.Errorf("got %s, want excluded", f.Code)
	}
}

func TestReadOnlyTakesChangesAway(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{ReadOnly: true}, changing(nil))
	if got := r.Tool("ledger").ModeNames(); !cmp.Equal(got, []string{"look"}) {
		t.Errorf("modes left: %v, want look", got)
	}
	if r.Tool("ledger").Effect() != tools.ReadOnly {
		t.Error("a tool without changing modes must count as read-only")
	}
}

// TestEveryToolCanBeExcluded: an operator may take away whatever is there.
func TestEveryToolCanBeExcluded(t *testing.T) {
	t.Parallel()
	for _, tool := range registry(t, tools.Options{}).Tools() {
		entries := []string{tool.Name}
		for _, mode := range tool.ModeNames() {
			entries = append(entries, tool.Name+":"+mode)
		}
		for _, entry := range entries {
			r := registry(t, tools.Options{Exclude: []string{entry}})
			_, mode, moded := strings.Cut(entry, ":")
			left := r.Tool(tool.Name)
			if !moded && left != nil || moded && left != nil && slices.Contains(left.ModeNames(), mode) {
				t.Errorf("%s is still there", entry)
			}
		}
	}
}
