package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// exclusions maps a tool to the modes taken away; a nil list means all of it.
type exclusions map[string][]string

// knownModes is every tool and mode an exclusion may name.
func knownModes(all []Tool) map[string][]string {
	known := map[string][]string{}
	for _, t := range all {
		known[t.Name] = t.ModeNames()
	}
	return known
}

// oldNames maps the one-tool-per-call names of earlier servers to what does the
// same here, so that an old list keeps excluding what it excluded.
func oldNames() map[string]string {
	return map[string]string{
		"place_order": "orders:place", "modify_order": "orders:modify", "cancel_order": "orders:cancel",
		"place_gtt_order": "gtt:place", "modify_gtt_order": "gtt:modify", "delete_gtt_order": "gtt:delete",
		"get_holdings": "portfolio:holdings", "get_positions": "portfolio:positions", "get_profile": "portfolio:profile", "get_margins": "portfolio:margins",
		"get_orders": "orders:list", "get_trades": "orders:all_trades", "get_order_history": "orders:history", "get_order_trades": "orders:trades", "get_gtts": "gtt:list",
		"get_quotes": "market:quote", "get_ltp": "market:ltp", "get_ohlc": "market:ohlc", "get_historical_data": "market:historical", "search_instruments": "market:search",
		"get_mf_holdings": "mutual_funds", "login": "session:login",
	}
}

// ExclusionError is returned by New for an entry that names nothing. The server
// does not start: an operator who misspells a tool must not find it running.
type ExclusionError struct {
	Unknown []string // the entries
	Valid   []string // the tools there are, sorted
}

// Error names the entries and the valid names.
func (e *ExclusionError) Error() string {
	shown := make([]string, len(e.Unknown))
	for i, u := range e.Unknown {
		shown[i] = quoted(u)
	}
	return fmt.Sprintf("EXCLUDED_TOOLS names no tool with %s; valid are %s, or one mode as tool:mode", strings.Join(shown, ", "), strings.Join(e.Valid, ", "))
}

func parseExclusions(all []Tool, entries []string) (exclusions, error) {
	ex := exclusions{}
	known, old := knownModes(all), oldNames()
	var unknown []string
	for _, raw := range entries {
		entry := strings.TrimSpace(raw)
		if entry == "" {
			continue
		}
		if now, ok := old[entry]; ok {
			entry = now
		}
		tool, mode, hasMode := strings.Cut(entry, ":")
		modes, ok := known[tool]
		if !ok || hasMode && !slices.Contains(modes, mode) {
			unknown = append(unknown, raw)
			continue
		}
		ex.add(tool, mode, hasMode)
	}
	if len(unknown) > 0 {
		return nil, &ExclusionError{Unknown: unknown, Valid: slices.Sorted(maps.Keys(known))}
	}
	return ex, nil
}

func (ex exclusions) add(tool, mode string, hasMode bool) {
	had, seen := ex[tool]
	switch {
	case !hasMode:
		ex[tool] = nil
	case !seen || had != nil:
		ex[tool] = append(had, mode)
	}
}

// hasSource reports whether a mode is lent by a tool or mode that is taken away.
func (ex exclusions) hasSource(m Mode) bool {
	for s := m.source; s != nil; s = s.lender {
		gone, listed := ex[s.tool]
		if listed && (gone == nil || slices.Contains(gone, s.mode)) {
			return true
		}
	}
	return false
}

// screens are the modes of the tool that opens the app's screens, as far as their
// data is left; the app offers them even where that tool itself is taken away.
func (ex exclusions) screens(opener Tool) []string {
	out := []string{}
	for _, m := range opener.Modes {
		if !slices.Contains(ex[opener.Name], m.Name) && !ex.hasSource(m) {
			out = append(out, m.Name)
		}
	}
	return out
}

// apply takes excluded modes out of a tool and rebuilds its schema. It reports
// whether anything is left to register.
func (ex exclusions) apply(t *Tool, readOnly bool) bool {
	gone, listed := ex[t.Name]
	if listed && gone == nil {
		return false
	}
	var left []Mode
	for _, m := range t.Modes {
		if slices.Contains(gone, m.Name) || ex.hasSource(m) || readOnly && m.Effect >= Write {
			t.excluded = append(t.excluded, m.Name)
			continue
		}
		left = append(left, m)
	}
	if len(left) == 0 {
		return false
	}
	if len(left) < len(t.Modes) {
		t.Modes = left
		// The full tool built; fewer of the same modes cannot contradict each other.
		_ = t.buildSchema()
	}
	return true
}
