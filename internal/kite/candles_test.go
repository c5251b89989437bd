package kite_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func dayCandles(from string) kite.CandleQuery {
	at := func(s string) time.Time {
		t, _ := time.ParseInLocation(time.DateTime, s, kite.IST)
		return t
	}
	return kite.CandleQuery{Token: infyToken, Interval: "day", From: at(from + " 00:00:00"), To: at("2026-12-02 23:59:59")}
}

// Candles agree with the quote of the same instant, in IST, and carry open interest only when it is asked for.
func TestHistorical(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	q := dayCandles("2026-11-30")
	days, err := c.Historical(t.Context(), q)
	if err != nil || len(days) != 3 {
		t.Fatalf("%d candles, %v", len(days), err)
	}
	quote, err := c.Quotes(t.Context(), []string{"NSE:INFY"})
	if err != nil {
		t.Fatal(err)
	}
	infy, today := quote["NSE:INFY"], days[2]
	if today.Open != infy.OHLC.Open || today.High != infy.OHLC.High || today.Low != infy.OHLC.Low || today.Close != infy.LastPrice ||
		days[1].Close != infy.OHLC.Close || today.Volume == nil || *today.Volume != infy.Volume || today.OI != nil || today.Problems != nil {
		t.Errorf("today %+v, the day before %+v, quote %+v", today, days[1], infy)
	}
	if want := time.Date(2026, 12, 2, 0, 0, 0, 0, kite.IST); !today.Time.Equal(want) {
		t.Errorf("begins %v, want %v", today.Time, want)
	}
	wantKeys(t, "candle", "date open high low close volume", decoded(t, today))
	if got := decoded(t, today).(map[string]any)["date"]; got != "2026-12-02T00:00:00+05:30" {
		t.Errorf("date = %v", got)
	}
	q.OI = true
	if days, err = c.Historical(t.Context(), q); err != nil || days[0].OI == nil {
		t.Fatalf("open interest %+v, %v", days, err)
	}
	wantKeys(t, "candle", "date open high low close volume oi", decoded(t, days[0]))
}

// The request is in IST whatever zone the caller's times are in, and names every flag.
func TestHistoricalRequest(t *testing.T) {
	t.Parallel()
	var got *url.URL
	c := clientOn(wire(func(r *http.Request) (*http.Response, error) {
		got = r.URL
		return response(r, 200, `{"status":"success","data":{"candles":[]}}`), nil
	}))
	rows, err := c.Historical(t.Context(), kite.CandleQuery{
		Token: 4294967295, Interval: "60minute", Continuous: true, OI: true,
		From: time.Date(2026, 12, 1, 20, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 2, 3, 45, 0, 0, time.UTC),
	})
	if err != nil || rows == nil || len(rows) != 0 {
		t.Fatalf("rows %v, %v", rows, err)
	}
	if got.Path != "/instruments/historical/4294967295/60minute" {
		t.Errorf("path %s", got.Path)
	}
	want := url.Values{"from": {"2026-12-02 01:30:00"}, "to": {"2026-12-02 09:15:00"}, "continuous": {"1"}, "oi": {"1"}}
	if d := cmp.Diff(want, got.Query()); d != "" {
		t.Errorf("query (-want +got):\n%s", d)
	}
}

// Every interval has its limit; one second more is refused before the call.
func TestHistoricalLimits(t *testing.T) {
	t.Parallel()
	c := clientOn(wire(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent") }))
	limits := map[string]int{
		"minute": 60, "3minute": 100, "5minute": 100, "10minute": 100, "15minute": 200, "30minute": 200, "60minute": 400, "day": 2000,
	}
	if len(kite.Intervals()) != len(limits) {
		t.Errorf("intervals %v", kite.Intervals())
	}
	for name, days := range limits {
		q := kite.CandleQuery{Token: 1, Interval: name, From: frozen(), To: frozen().AddDate(0, 0, days)}
		_, err := c.Historical(t.Context(), q)
		wantKind(t, err, kite.KindUpstreamUnavailable)
		q.To = q.To.Add(time.Second)
		_, err = c.Historical(t.Context(), q)
		wantKind(t, err, kite.KindInvalidArgument)
	}
	good := kite.CandleQuery{Token: 1, Interval: "day", From: frozen(), To: frozen()}
	for name, spoil := range map[string]func(*kite.CandleQuery){
		"reversed":         func(q *kite.CandleQuery) { q.To = q.From.Add(-time.Second) },
		"no token":         func(q *kite.CandleQuery) { q.Token = 0 },
		"no interval":      func(q *kite.CandleQuery) { q.Interval = "" },
		"path in interval": func(q *kite.CandleQuery) { q.Interval = "day/../.." },
	} {
		q := good
		spoil(&q)
		_, err := c.Historical(t.Context(), q)
		if kite.KindOf(err) != kite.KindInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A row costs no more than what is wrong in it, and numbers keep the digits that Kite sent.
func TestHistoricalOddRows(t *testing.T) {
	t.Parallel()
	rows := `["2026-12-02T09:15:00+0530",12009.90,12019.35,12001.25,12001.5,163275,13667775],` +
		`["2026-12-02T09:16:00+05:30",1,2,0.5,1.5,null],` +
		`["2026-12-02T03:47:00Z",1,2,0.5,1.5],` +
		`["2026-12-02 09:18:00",1,2,0.5,null,1.5e10],` +
		`["2026-12-02T09:19:00+0530","1.25",2,"x",1.5,10.5],` +
		`["yesterday",1,2,3,4,5],"no row",[],` +
		`["2026-12-02T09:20:00+0530",1,2,3,4,5,6,7]`
	c := clientOn(says(200, `{"status":"success","data":{"candles":[`+rows+`]}}`))
	q := dayCandles("2026-12-02")
	q.OI = true
	candles, err := c.Historical(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		JSON     string
		Problems []string
	}
	var got []line
	for _, candle := range candles {
		b, err := json.Marshal(candle)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line{string(b), candle.Problems})
	}
	want := []line{
		{`{"date":"2026-12-02T09:15:00+05:30","open":12009.90,"high":12019.35,"low":12001.25,"close":12001.5,"volume":163275,"oi":13667775}`, nil},
		{`{"date":"2026-12-02T09:16:00+05:30","open":1,"high":2,"low":0.5,"close":1.5}`, nil},
		{`{"date":"2026-12-02T09:17:00+05:30","open":1,"high":2,"low":0.5,"close":1.5}`, nil},
		{`{"date":"2026-12-02T09:18:00+05:30","open":1,"high":2,"low":0.5,"volume":1.5e10}`, nil},
		{`{"date":"2026-12-02T09:19:00+05:30","open":1.25,"high":2,"close":1.5,"volume":10.5}`, []string{`low: "x"`, "volume: 10.5"}},
		{`{}`, []string{`date: "yesterday"`}},
		{`{}`, []string{`not a candle: "no row"`}},
		{`{}`, []string{"not a candle: []"}},
		{`{"date":"2026-12-02T09:20:00+05:30","open":1,"high":2,"low":3,"close":4,"volume":5,"oi":6}`, nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("candles (-want +got):\n%s", d)
	}
	if *candles[3].Volume != 15_000_000_000 || candles[4].Volume != nil || candles[1].Volume != nil {
		t.Error("volumes are misread")
	}
}

// Empty answers are empty lists; text in their place is an error.
func TestHistoricalEmpty(t *testing.T) {
	t.Parallel()
	q := dayCandles("2026-12-02")
	for data, want := range map[string]kite.ErrorKind{
		`null`: "", `[]`: "", `{}`: "", `{"candles":null}`: "", `{"candles":[]}`: "",
		`"none"`: kite.KindUpstreamUnavailable, `{"candles":"none"}`: kite.KindUpstreamUnavailable, `[1]`: kite.KindUpstreamUnavailable,
	} {
		rows, err := clientOn(says(200, `{"status":"success","data":`+data+`}`)).Historical(t.Context(), q)
		wantKind(t, err, want)
		if want == "" && (rows == nil || len(rows) != 0) {
			t.Errorf("%s: rows %v", data, rows)
		}
	}
}

// The faults of candles cost one value, not the series.
func TestFaultsOnCandles(t *testing.T) {
	t.Parallel()
	for fault, volumes := range map[string]int{"nullcandle": 2, "shortcandle": 2, "extra": 3, "evil": 3} {
		candles, err := demoClient(t, "historical:"+fault).Historical(t.Context(), dayCandles("2026-11-30"))
		if err != nil || len(candles) != 3 {
			t.Fatalf("%s: %d candles, %v", fault, len(candles), err)
		}
		sent := 0
		for _, c := range candles {
			if c.Volume != nil {
				sent++
			}
			if c.Close == 0 || c.Problems != nil {
				t.Errorf("%s: %+v", fault, c)
			}
		}
		if sent != volumes {
			t.Errorf("%s: %d volumes, want %d", fault, sent, volumes)
		}
	}
}

// FuzzCandles: whatever stands in a row, it marshals to an object whose numbers are those of the row.
func FuzzCandles(f *testing.F) {
	for _, seed := range []string{
		`["2026-12-02T09:15:00+0530",1,2,3,4,5]`, `["2026-12-02T09:15:00+0530",1e3,"2",null,true,5,6]`, `{}`, `[[[]]]`, `["0000-00-00"]`,
		`["2026-12-02T09:15:00+0530","01","+1","1.","-"]`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, row string, oi bool) {
		if !json.Valid([]byte(row)) {
			return
		}
		q := dayCandles("2026-12-02")
		q.OI = oi
		candles, err := clientOn(says(200, `{"status":"success","data":{"candles":[`+row+`]}}`)).Historical(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range candles {
			b, err := json.Marshal(c)
			if err != nil || !json.Valid(b) {
				t.Errorf("%s marshals to %s, %v", row, b, err)
			}
			if !oi && strings.Contains(string(b), `"oi"`) {
				t.Errorf("open interest nobody asked for: %s", b)
			}
		}
	})
}

// Candles leave in threes, apart from quotes and from other calls.
func TestPacerCandles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		left := map[string][]time.Time{}
		c := paced(left)
		began := running()
		q := dayCandles("2026-12-02")
		for range 7 {
			if _, err := c.Historical(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		times := left["/instruments/historical/408065/day"]
		for i := 3; i < len(times); i++ {
			if gap := times[i].Sub(times[i-3]); gap < time.Second {
				t.Errorf("calls %d and %d are only %v apart", i-3, i, gap)
			}
		}
		if took := running().Sub(began); len(times) != 7 || took > 2100*time.Millisecond {
			t.Errorf("%d calls took %v", len(times), took)
		}
		before := running()
		if _, err := c.Profile(t.Context()); err != nil || running() != before {
			t.Errorf("another call had to wait %v, %v", running().Sub(before), err)
		}
	})
}
