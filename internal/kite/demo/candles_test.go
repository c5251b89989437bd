package demo_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

func (tr trader) candles(token int, interval, from, to, more string) []any {
	tr.t.Helper()
	path := fmt.Sprintf("/instruments/historical/%d/%s?from=%s&to=%s%s", token, interval, url.QueryEscape(from), url.QueryEscape(to), more)
	return tr.get(path).(map[string]any)["candles"].([]any)
}

// aggregate joins every n candles of a day, as a reader would.
func aggregate(minutes []any, n int) []any {
	var out []any
	for i := 0; i < len(minutes); {
		day := minutes[i].([]any)[0].(string)[:10]
		first := append([]any{}, minutes[i].([]any)...)
		for i++; i < len(minutes); i++ {
			next := minutes[i].([]any)
			if next[0].(string)[:10] != day || n > 0 && (i%375)%n == 0 {
				break
			}
			first[2] = max(first[2].(float64), next[2].(float64))
			first[3] = min(first[3].(float64), next[3].(float64))
			first[4] = next[4]
			first[5] = first[5].(float64) + next[5].(float64)
		}
		out = append(out, first)
	}
	return out
}

// Longer candles are the sum of minutes, for any kind of instrument.
func TestAggregation(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	for id, token := range map[string]int{"INFY": 408065, "NIFTY 50": 256265, "NIFTY26DECFUT": 9216258, "BSE:SBIN": 128028676} {
		minutes := tr.candles(token, "minute", "2026-11-30 09:15:00", "2026-12-01 15:30:00", "")
		if len(minutes) != 750 {
			t.Fatalf("%s: %d minutes in two days", id, len(minutes))
		}
		for interval, n := range map[string]int{"3minute": 3, "5minute": 5, "10minute": 10, "15minute": 15, "30minute": 30, "60minute": 60} {
			got := tr.candles(token, interval, "2026-11-30 09:15:00", "2026-12-01 15:30:00", "")
			if d := cmp.Diff(aggregate(minutes, n), got); d != "" {
				t.Errorf("%s %s (-minutes +got):\n%s", id, interval, d)
			}
		}
		days := aggregate(minutes, 0)
		for _, row := range days {
			row.([]any)[0] = row.([]any)[0].(string)[:10] + "T00:00:00+0530"
		}
		if d := cmp.Diff(days, tr.candles(token, "day", "2026-11-30", "2026-12-01", "")); d != "" {
			t.Errorf("%s day (-minutes +got):\n%s", id, d)
		}
	}
}

// The candle that runs is partial and agrees with the quote; there is none of the future, of holidays, or of a share that
// never trades.
func TestCandlesOfToday(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{Clock: demo.Clock{Frozen: at(t, "2026-12-02T11:17:30+05:30")}})
	quote := tr.get("/quote?i=NSE:INFY").(map[string]any)["NSE:INFY"].(map[string]any)
	day := quote["ohlc"].(map[string]any)
	today := tr.candles(408065, "day", "2026-12-01", "2026-12-05", "")
	want := []any{"2026-12-02T00:00:00+0530", day["open"], day["high"], day["low"], quote["last_price"], quote["volume"]}
	if d := cmp.Diff(want, today[1]); d != "" || len(today) != 2 {
		t.Errorf("%d days, today (-quote +candle):\n%s", len(today), d)
	}
	five := tr.candles(408065, "5minute", "2026-12-02 11:00:00", "2026-12-02 15:30:00", "&oi=1")
	if last := five[len(five)-1].([]any); len(five) != 4 || last[0] != "2026-12-02T11:15:00+0530" || last[4] != quote["last_price"] || last[6] != 0.0 {
		t.Errorf("%d candles, the last %v", len(five), last)
	}
	if rows := tr.candles(408065, "minute", "2026-11-24", "2026-11-24", ""); len(rows) != 0 {
		t.Errorf("%d candles on a holiday", len(rows))
	}
	never := tr.get("/quote/ltp?i=NSE:KAVERIAGRO-SM").(map[string]any)["NSE:KAVERIAGRO-SM"].(map[string]any)["instrument_token"].(float64)
	if rows := tr.candles(int(never), "day", "2026-11-01", "2026-12-02", ""); len(rows) != 0 {
		t.Errorf("%d candles of a share that never trades", len(rows))
	}
}

// A future has candles since it was listed; continuous data goes back over the contracts before it.
func TestContinuous(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	own := tr.candles(9216258, "day", "2026-01-01", "2026-12-01", "&oi=1")
	all := tr.candles(9216258, "day", "2026-01-01", "2026-12-01", "&continuous=1")
	spot := tr.candles(256265, "day", "2026-01-01", "2026-12-01", "")
	if len(own) == 0 || len(own) >= len(all) || len(all) != len(spot) || own[0].([]any)[6] == 0.0 {
		t.Errorf("own %d, continuous %d, spot %d days", len(own), len(all), len(spot))
	}
	for i, row := range all {
		future, index := row.([]any)[4].(float64), spot[i].([]any)[4].(float64)
		if basis := future/index - 1; basis < -0.0001 || basis > 0.01 {
			t.Errorf("%v: future %v against %v", row.([]any)[0], future, index)
		}
	}
}

// Ranges and words that Kite refuses.
func TestCandleRules(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	quiet := tr.get("/quote/ltp?i=NSE:KAVERIAGRO-SM").(map[string]any)["NSE:KAVERIAGRO-SM"].(map[string]any)["instrument_token"]
	limits := map[string][2]string{ // the longest range, and a day more
		"minute": {"2026-10-03", "2026-10-02"}, "5minute": {"2026-08-24", "2026-08-23"}, "15minute": {"2026-05-16", "2026-05-15"},
		"60minute": {"2025-10-28", "2025-10-27"}, "day": {"2021-06-11", "2021-06-10"},
	}
	for interval, from := range limits {
		// A share that never trades has no candles to wait for.
		good := fmt.Sprintf("/instruments/historical/%.0f/%s?from=%s&to=2026-12-01+23:59:59", quiet, interval, from[0])
		if status, out, _ := ask(t, tr.x, tr.request(http.MethodGet, good)); status != 200 {
			t.Errorf("%s from %s: %d %s", interval, from[0], status, out.Message)
		}
		bad := fmt.Sprintf("/instruments/historical/408065/%s?from=%s&to=2026-12-01+23:59:59", interval, from[1])
		if status, out, _ := ask(t, tr.x, tr.request(http.MethodGet, bad)); status != 400 || !strings.Contains(out.Message, "interval exceeds max limit") {
			t.Errorf("%s from %s: %d %s", interval, from[1], status, out.Message)
		}
	}
	for name, path := range map[string]string{
		"token": "/instruments/historical/1/day?from=2026-11-01&to=2026-12-01", "no token": "/instruments/historical/x/day?from=2026-11-01&to=2026-12-01",
		"interval": "/instruments/historical/408065/week?from=2026-11-01&to=2026-12-01", "no from": "/instruments/historical/408065/day?to=2026-12-01",
		"bad to": "/instruments/historical/408065/day?from=2026-11-01&to=soon", "reversed": "/instruments/historical/408065/day?from=2026-12-01&to=2026-11-01",
		"continuous share": "/instruments/historical/408065/day?from=2026-11-01&to=2026-12-01&continuous=1", "continuous minutes": "/instruments/historical/9216258/minute?from=2026-12-01&to=2026-12-01&continuous=1",
	} {
		if status, out, _ := ask(t, tr.x, tr.request(http.MethodGet, path)); status != 400 || out.ErrorType != "InputException" {
			t.Errorf("%s: %d %+v", name, status, out)
		}
	}
}
