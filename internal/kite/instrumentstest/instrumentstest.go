// Package instrumentstest makes instruments masters of the size and shape of Kite's own: 121,328 rows over all
// segments, the same bytes on every run. It is for tests and benchmarks only and owns no rule about instruments; the
// dates are those of 2 December 2026. Start at New.
package instrumentstest

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rows is the number of instruments of a list.
const Rows = 121_328

const header = "instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange\n"

// List is a generated list.
type List struct{ rows []row }

// New generates the list, which is the same each time.
func New() List { return List{rows: generate()} }

// CSV returns the list in the twelve columns of Kite's documented file.
func (l List) CSV() []byte {
	b := append(make([]byte, 0, 10<<20), header...)
	for _, r := range l.rows {
		name := r.name
		if name != "" {
			name = `"` + name + `"`
		}
		b = append(strconv.AppendUint(b, uint64(r.token), 10), ',')
		b = append(strconv.AppendUint(b, uint64(r.exchangeToken), 10), ',')
		b = appendAll(b, r.symbol, ",", name, ",0,", r.expiry, ",", decimal(r.strike), ",", decimal(r.tick), ",", strconv.Itoa(r.lot), ",",
			r.kind, ",", r.segment, ",", r.exchange, "\n")
	}
	return b
}

// JSONLines returns the same list as one JSON object a line, with the fields that only this form has: id, isin,
// series, expiry_date and active.
func (l List) JSONLines() []byte {
	b := make([]byte, 0, 42<<20)
	for _, r := range l.rows {
		b = strconv.AppendUint(append(b, `{"instrument_token":`...), uint64(r.token), 10)
		b = strconv.AppendUint(append(b, `,"exchange_token":`...), uint64(r.exchangeToken), 10)
		b = appendAll(b, `,"tradingsymbol":"`, r.symbol, `","name":"`, r.name, `","last_price":0,"expiry":"`, r.expiry, `","strike":`, decimal(r.strike),
			`,"tick_size":`, decimal(r.tick), `,"lot_size":`, strconv.Itoa(r.lot), `,"instrument_type":"`, r.kind, `","segment":"`, r.segment,
			`","exchange":"`, r.exchange, `","id":"`, r.exchange, ":", r.symbol, `","isin":"`, r.isin, `","series":"`, r.series,
			`","expiry_date":"`, r.expiry, `","active":true}`, "\n")
	}
	return b
}

// appendAll needs no quoting: no text of the list has a quote or a backslash.
func appendAll(b []byte, texts ...string) []byte {
	for _, t := range texts {
		b = append(b, t...)
	}
	return b
}

// row is one instrument; fields that it does not have are empty.
type row struct {
	token, exchangeToken uint32
	symbol, name, isin   string
	series               string
	expiry               string
	strike, tick         float64
	lot                  int
	kind, segment        string
	exchange             string
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// generator collects rows. Keys are unique, as in a real list.
type generator struct {
	rows   []row
	words  map[string][]string // split once
	random random
	last   map[string]uint32 // exchange token given out last, by counter
	tokens map[uint32]bool
	ids    map[string]bool
}

// generate returns the rows grouped by segment, as Kite orders them.
func generate() []row {
	g := &generator{random: 20261202, words: map[string][]string{}, last: map[string]uint32{}, tokens: make(map[uint32]bool, Rows), ids: make(map[string]bool, Rows)}
	g.indices()
	g.shares()
	g.stockDerivatives()
	g.indexDerivatives()
	g.currencies()
	g.commodities()
	slices.SortStableFunc(g.rows, func(a, b row) int { return strings.Compare(a.segment, b.segment) })
	return g.rows
}

// add completes a row and keeps it, unless its id is taken.
func (g *generator) add(r row) bool {
	id := r.exchange + ":" + r.symbol
	if g.ids[id] {
		return false
	}
	code := segmentCode(r.exchange)
	if r.segment == "INDICES" {
		code = 9
	}
	for r.token = r.exchangeToken<<8 | code; g.tokens[r.token]; r.token = r.exchangeToken<<8 | code {
		r.exchangeToken++
	}
	g.ids[id], g.tokens[r.token] = true, true
	g.rows = append(g.rows, r)
	return true
}

// segmentCode is the last byte of the tokens of an exchange.
func segmentCode(exchange string) uint32 {
	return uint32(slices.Index([]string{"", "NSE", "NFO", "CDS", "BSE", "BFO", "BCD", "MCX"}, exchange)) //nolint:gosec // one of them
}

// next hands out exchange tokens that rise with small gaps.
func (g *generator) next(counter string, first uint32) uint32 {
	last, started := g.last[counter]
	if !started {
		last = first
	}
	g.last[counter] = last + []uint32{1, 1, 1, 2, 3}[g.random.below(5)]
	return g.last[counter]
}

// random is splitmix64: a fixed sequence without a dependency on the version of a library.
type random uint64

func (r *random) below(n int) int {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 33 % uint64(n)) //nolint:gosec // below n, which is an int
}

func (r *random) between(low, high int) int { return low + r.below(high-low+1) }

// oneOf chooses a word.
func (g *generator) oneOf(words string) string {
	all := g.words[words]
	if all == nil {
		all = strings.Fields(words)
		g.words[words] = all
	}
	return all[g.random.below(len(all))]
}

// Dates.

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func asOf() time.Time { return date(2026, 12, 2) }

// tradingDay is the day itself, or the last one before it on which exchanges open.
func tradingDay(d time.Time) time.Time {
	holidays := []string{"2026-12-25", "2027-01-26", "2027-03-26"}
	for d.Weekday() == time.Saturday || d.Weekday() == time.Sunday || slices.Contains(holidays, d.Format(time.DateOnly)) {
		d = d.AddDate(0, 0, -1)
	}
	return d
}

func lastWeekday(year int, month time.Month, day time.Weekday) time.Time {
	d := date(year, month+1, 0)
	for d.Weekday() != day {
		d = d.AddDate(0, 0, -1)
	}
	return tradingDay(d)
}

// monthly returns the next n monthly expiries.
func monthly(n int, day time.Weekday) []time.Time {
	var out []time.Time
	for month := asOf().Month(); len(out) < n; month++ {
		first := date(asOf().Year(), month, 1)
		if d := lastWeekday(first.Year(), first.Month(), day); !d.Before(asOf()) {
			out = append(out, d)
		}
	}
	return out
}

// monthCode is the form of an expiry in the symbols of monthly contracts, 26DEC.
func monthCode(d time.Time) string { return strings.ToUpper(d.Format("06Jan")) }

// weekCode is the form in those of weekly ones, 26D08.
func weekCode(d time.Time) string {
	return d.Format("06") + "123456789OND"[d.Month()-1:d.Month()] + d.Format("02")
}
