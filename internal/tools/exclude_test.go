package tools_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func TestExclusions(t *testing.T) {
	t.Parallel()
	all := []string{"portfolio", "market", "help"}
	for name, tc := range map[string]struct {
		entries []string
		tools   []string
		market  []string // modes left, nil when the tool is gone
	}{
		"nothing":         {nil, all, []string{"quote", "ltp", "ohlc", "search"}},
		"blank entries":   {[]string{"", "  "}, all, []string{"quote", "ltp", "ohlc", "search"}},
		"a tool":          {[]string{"help"}, []string{"portfolio", "market"}, []string{"quote", "ltp", "ohlc", "search"}},
		"spaces, repeats": {[]string{" help ", "help"}, []string{"portfolio", "market"}, []string{"quote", "ltp", "ohlc", "search"}},
		"a mode":          {[]string{"market:ltp"}, all, []string{"quote", "ohlc", "search"}},
		"old name":        {[]string{"get_ohlc", "search_instruments"}, all, []string{"quote", "ltp"}},
		"all modes":       {[]string{"market:quote", "market:ltp", "market:ohlc", "market:search"}, []string{"portfolio", "help"}, nil},
		"mode, then tool": {[]string{"market:ltp", "market"}, []string{"portfolio", "help"}, nil},
		"tool, then mode": {[]string{"market", "market:ltp"}, []string{"portfolio", "help"}, nil},
		"later tools":     {[]string{"orders:place", "gtt", "alerts:create", "kite_explorer", "place_order", "login"}, all, []string{"quote", "ltp", "ohlc", "search"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := registry(t, tools.Options{Exclude: tc.entries})
			var names []string
			for _, tool := range r.Tools() {
				names = append(names, tool.Name)
			}
			if diff := cmp.Diff(tc.tools, names); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			var modes []string
			if m := r.Tool("market"); m != nil {
				modes = m.ModeNames()
				if got := len(m.Schema().Properties["mode"].Enum); got != len(modes) {
					t.Errorf("the schema announces %d modes, %d are left", got, len(modes))
				}
			}
			if diff := cmp.Diff(tc.market, modes); diff != "" {
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
