package demo

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// vectors are the numbers the price model must give, computed by an independent implementation of it.
type vectors struct {
	Clock    time.Time             `json:"clock"`
	DayIndex map[string]int64      `json:"day_index"`
	Mix      map[string]string     `json:"mix"`
	Lattice  map[string]int64      `json:"lattice"`
	Quotes   map[string]modelQuote `json:"quotes"`
	Daily    map[string][][]any    `json:"daily"`
	Minutes  map[string][][]any    `json:"minutes"`
}

type modelQuote struct {
	Last   amount `json:"last_price"`
	Open   amount `json:"open"`
	High   amount `json:"high"`
	Low    amount `json:"low"`
	Close  amount `json:"close"`
	Volume int64  `json:"volume"`
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func testUniverse(tb testing.TB) *universe {
	tb.Helper()
	u, err := builtInUniverse()
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

func parseDay(t *testing.T, s string) date {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return dateOf(d)
}

// The hashes everything rests on.
func TestModelHashes(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	if got, want := strconv.FormatUint(mix(1, 2, 3), 10), v.Mix["mix(1,2,3)"]; got != want {
		t.Errorf("mix(1,2,3) = %s, want %s", got, want)
	}
	if got, want := strconv.FormatUint(mix(408065, 0, 0), 10), v.Mix["mix(408065,0,0)"]; got != want {
		t.Errorf("mix(408065,0,0) = %s, want %s", got, want)
	}
	if got, want := lattice(408065, 5, 7), v.Lattice["lattice(408065,5,7)"]; got != want {
		t.Errorf("lattice(408065,5,7) = %d, want %d", got, want)
	}
	for day, want := range v.DayIndex {
		if got := parseDay(t, day).index(); got != want {
			t.Errorf("index of %s = %d, want %d", day, got, want)
		}
	}
}

// Every quote of the vectors, before the planned oddities.
func TestModelQuotes(t *testing.T) {
	t.Parallel()
	v, u := readVectors(t), testUniverse(t)
	at := tradingInstant(v.Clock)
	if len(v.Quotes) != 20 {
		t.Fatalf("vectors hold %d quotes, want 20", len(v.Quotes))
	}
	for id, want := range v.Quotes {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			in := u.byID[id]
			if in == nil {
				t.Fatal("not in the universe")
			}
			b := in.on(at.day).dayBar(at.sec)
			got := modelQuote{in.priceAt(at), b.open, b.high, b.low, previousClose(in, at), b.volume}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("model (-want +got):\n%s", d)
			}
		})
	}
}

// Every day and minute candle of the vectors.
func TestModelCandles(t *testing.T) {
	t.Parallel()
	v, u := readVectors(t), testUniverse(t)
	at := tradingInstant(v.Clock)
	rows := 0
	for id, want := range v.Daily {
		d := at.day
		for _, w := range slices.Backward(want) {
			d = d.previousOpen()
			b := u.byID[id].on(d).dayBar(sessionLength - 1)
			rows++
			if diff := cmp.Diff(w, candle(d.String()+"T00:00:00+0530", b)); diff != "" {
				t.Errorf("%s day (-want +got):\n%s", id, diff)
			}
		}
	}
	for id, want := range v.Minutes {
		for m, w := range want {
			b := u.byID[id].on(at.day).minuteBar(m, sessionLength-1)
			stamp := instant{at.day, m * 60}.time().Format("2006-01-02T15:04:05-0700")
			rows++
			if diff := cmp.Diff(w, candle(stamp, b)); diff != "" {
				t.Errorf("%s minute (-want +got):\n%s", id, diff)
			}
		}
	}
	if rows != 20 {
		t.Errorf("compared %d candles, want 20", rows)
	}
}

func candle(at string, b bar) []any {
	out := []any{at}
	for _, a := range []amount{b.open, b.high, b.low, b.close} {
		out = append(out, float64(a)/float64(rupee))
	}
	return append(out, float64(b.volume))
}

// A bar over a whole day is the sum of its minutes, whatever the instrument.
func TestDayBarIsSumOfMinutes(t *testing.T) {
	t.Parallel()
	u := testUniverse(t)
	d := parseDay(t, "2026-12-01")
	for _, id := range []string{"NSE:INFY", "NFO:NIFTY26DECFUT", "NFO:NIFTY26D0826200CE", "BSE:SENSEX"} {
		in := u.byID[id]
		var volume int64
		high, low := amount(0), amount(1<<60)
		for m := range sessionLength / 60 {
			b := in.on(d).minuteBar(m, sessionLength-1)
			volume += b.volume
			high, low = max(high, b.high), min(low, b.low)
		}
		day := in.on(d).dayBar(sessionLength - 1)
		if day.volume != volume || day.high != high || day.low != low {
			t.Errorf("%s: day %d %d %d, minutes %d %d %d", id, day.volume, day.high, day.low, volume, high, low)
		}
		if want := previousClose(in, instant{parseDay(t, "2026-12-02"), 0}); day.close != want {
			t.Errorf("%s: close %d, previous close of the next day %d", id, day.close, want)
		}
	}
}

// Parity, the floor of one tick, and values worked out by hand.
func TestOptionPrices(t *testing.T) {
	t.Parallel()
	const fwd, tick, month = 26_000 * rupee, rupee / 20, 27 * secondsPerDay
	for strike := 25_000 * rupee; strike <= 27_000*rupee; strike += 50 * rupee {
		call := option(true, fwd, strike, tick, 120_000, month)
		put := option(false, fwd, strike, tick, 120_000, month)
		if diff := (call - put) - (fwd - strike); diff > tick || diff < -tick {
			t.Errorf("strike %d: call - put = %d, forward - strike = %d", strike, call-put, fwd-strike)
		}
		if call < tick || put < tick {
			t.Errorf("strike %d: prices %d and %d below one tick", strike, call, put)
		}
	}
	// At the money: 27 days are 73,972 millionths of a year, integer root 271; w = 26000 x 12% x 0.271 = 845.52, and 4/10
	// of it is 338.208.
	if got, want := option(true, fwd, fwd, tick, 120_000, month), 338*rupee+20*rupee/100; got != want {
		t.Errorf("at the money = %d, want %d", got, want)
	}
	if got := option(true, fwd, 25_000*rupee, tick, 120_000, 0); got != 1000*rupee {
		t.Errorf("at expiry in the money = %d, want %d", got, 1000*rupee)
	}
	if got := option(false, fwd, 25_000*rupee, tick, 120_000, 0); got != tick {
		t.Errorf("at expiry out of the money = %d, want one tick", got)
	}
}

// The yearly rate, worked out by hand.
func TestForward(t *testing.T) {
	t.Parallel()
	// 6.5 percent a year on 1000 rupees.
	if got, want := forward(1000*rupee, yearSeconds), 1065*rupee; got != want {
		t.Errorf("one year = %d, want %d", got, want)
	}
	if got := forward(1000*rupee, 0); got != 1000*rupee {
		t.Errorf("at expiry = %d", got)
	}
}

// The root is the largest whose square fits.
func TestIsqrt(t *testing.T) {
	t.Parallel()
	for n := range int64(5000) {
		r := isqrt(n)
		if r*r > n || (r+1)*(r+1) <= n {
			t.Fatalf("isqrt(%d) = %d", n, r)
		}
	}
	if got := isqrt(1<<62 - 1); got != 1<<31-1 {
		t.Errorf("isqrt(2^62-1) = %d", got)
	}
}

// Every instrument of the universe has a sensible price on any day, also years from its making.
func TestEveryInstrumentHasAPrice(t *testing.T) {
	t.Parallel()
	u := testUniverse(t)
	for _, day := range []string{"2026-11-30", "2026-12-02", "2028-03-01"} {
		at := instant{parseDay(t, day), 7200}
		for _, in := range u.rows {
			p := in.priceAt(at)
			if p < in.tick || p%in.tick != 0 || p > 1_000_000*rupee {
				t.Errorf("%s on %s: %d with tick %d", in.id(), day, p, in.tick)
			}
			if in.derivative() && in.under.walk.base == 0 {
				t.Errorf("%s has no underlying price", in.id())
			}
		}
	}
}

// The same share on two exchanges has one price.
func TestSharedSeeds(t *testing.T) {
	t.Parallel()
	u := testUniverse(t)
	at := instant{parseDay(t, "2026-12-02"), 7200}
	for _, pair := range [][2]string{{"NSE:SBIN", "BSE:SBIN"}, {"NSE:ABB", "BSE:ABB"}} {
		a, b := u.byID[pair[0]].priceAt(at), u.byID[pair[1]].priceAt(at)
		if diff := a - b; diff > u.byID[pair[1]].tick || -diff > u.byID[pair[1]].tick {
			t.Errorf("%s = %d but %s = %d", pair[0], a, pair[1], b)
		}
	}
}

// Closed hours fall back to the last second that was open.
func TestTradingInstant(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, at, want string }{
		{"open", "2026-12-02T11:15:00+05:30", "2026-12-02T11:15:00+05:30"},
		{"first second", "2026-12-02T09:15:00+05:30", "2026-12-02T09:15:00+05:30"},
		{"before the bell", "2026-12-02T09:14:59+05:30", "2026-12-01T15:29:59+05:30"},
		{"after the bell", "2026-12-02T15:30:00+05:30", "2026-12-02T15:29:59+05:30"},
		{"saturday", "2026-12-05T12:00:00+05:30", "2026-12-04T15:29:59+05:30"},
		{"monday morning", "2026-12-07T08:00:00+05:30", "2026-12-04T15:29:59+05:30"},
		{"holiday", "2026-12-25T12:00:00+05:30", "2026-12-24T15:29:59+05:30"},
		{"another zone", "2026-12-02T05:45:00Z", "2026-12-02T11:15:00+05:30"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse(time.RFC3339, tc.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := tradingInstant(at).time().Format(time.RFC3339); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// Tokens die at six in the morning in India, wherever the machine is.
func TestSessionEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ at, want string }{
		{"2026-12-02T11:15:00+05:30", "2026-12-03T06:00:00+05:30"},
		{"2026-12-02T05:59:59+05:30", "2026-12-02T06:00:00+05:30"},
		{"2026-12-02T06:00:00+05:30", "2026-12-03T06:00:00+05:30"},
		{"2026-12-01T23:00:00Z", "2026-12-02T06:00:00+05:30"},
	} {
		at, err := time.Parse(time.RFC3339, tc.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := nextSessionEnd(at).Format(time.RFC3339); got != tc.want {
			t.Errorf("session begun at %s ends %s, want %s", tc.at, got, tc.want)
		}
	}
}

// Amounts are exact on the wire and back.
func TestAmountJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   amount
		want string
	}{{0, "0"}, {10_000, "1"}, {17_122_000, "1712.2"}, {-25, "-0.0025"}, {614_812, "61.4812"}, {-507_850_000, "-50785"}} {
		if got := string(mustJSON(tc.in)); got != tc.want {
			t.Errorf("%d = %s, want %s", int64(tc.in), got, tc.want)
		}
		var back amount
		if err := json.Unmarshal([]byte(tc.want), &back); err != nil || back != tc.in {
			t.Errorf("%s reads as %d, %v", tc.want, back, err)
		}
	}
	if got := percentOf(-1, 3); got != -33_333_333 {
		t.Errorf("-1/3 = %d", got)
	}
	if got := percentOf(2, 3); got != 66_666_667 {
		t.Errorf("2/3 = %d", got)
	}
}

// A full quote at the end of the day looks at 1,500 seconds. Budget: 500 us, so that the largest call, 500 quotes, stays
// below 250 ms; 8 allocations.
func BenchmarkQuote(b *testing.B) {
	u := testUniverse(b)
	at := instant{20_789, sessionLength - 1}
	for _, id := range []string{"NSE:INFY", "NFO:NIFTY26D0826200CE"} {
		b.Run(id, func(b *testing.B) {
			in := u.byID[id]
			b.ReportAllocs()
			for b.Loop() {
				u.quote(in, at)
			}
		})
	}
}
