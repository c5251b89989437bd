package kite_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/instrumentstest"
)

// Budget of a list of 121,328 rows, uncompressed, with every index and the revision: half the CPU of the yardstick, which
// is what a careful programmer writes with encoding/csv to get the rows alone; 45 ms of CPU for the CSV and 110 ms for
// the JSON lines on the machine of the design; 1,000 allocations.
//
// The half is missed: the CSV takes 0.67 to 0.81 of the yardstick, depending on how busy the machine is (65 of 80 ms at
// best), the JSON lines 99 to 113 ms. Reading the rows, what the yardstick does, is 26 ms of the 65; the rest is
// order 7, gathering 8, search 6, SHA-256 of 6 MB 5, tables of keys 4, lists by name and chains 3.
//
// "csv-floor" is encoding/csv alone, which keeps nothing; "jsonl-plain" is encoding/json into maps.
func BenchmarkInstrumentsLoad(b *testing.B) {
	for name, text := range map[string]func() []byte{"csv": fullCSV, "jsonl": fullJSON} {
		load := func() (int, error) {
			_, stats, err := kite.LoadInstruments(bytes.NewReader(text()))
			return stats.Rows, err
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text())))
			benchmarkLoad(b, load)
		})
		b.Run(name+"-against-yardstick", func(b *testing.B) { benchmarkAgainstYardstick(b, load) })
	}
	b.Run("csv-yardstick", func(b *testing.B) { benchmarkLoad(b, yardstick) })
	b.Run("csv-floor", func(b *testing.B) {
		benchmarkLoad(b, func() (int, error) {
			r := csv.NewReader(bytes.NewReader(fullCSV()))
			r.ReuseRecord = true
			for n := 0; ; n++ {
				if _, err := r.Read(); errors.Is(err, io.EOF) {
					return n - 1, nil
				} else if err != nil {
					return 0, err
				}
			}
		})
	})
	b.Run("jsonl-plain", func(b *testing.B) {
		benchmarkLoad(b, func() (int, error) {
			var rows []map[string]any
			for dec := json.NewDecoder(bytes.NewReader(fullJSON())); ; {
				var row map[string]any
				if err := dec.Decode(&row); errors.Is(err, io.EOF) {
					return len(rows), nil
				} else if err != nil {
					return 0, err
				}
				rows = append(rows, row)
			}
		})
	})
}

func benchmarkLoad(b *testing.B, load func() (rows int, err error)) {
	b.Helper()
	b.ReportAllocs()
	began := cpuTime()
	for b.Loop() {
		if n, err := load(); err != nil || n != instrumentstest.Rows {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64((cpuTime()-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// benchmarkAgainstYardstick takes turns, so that both see the same machine, and reports the medians and their ratio.
func benchmarkAgainstYardstick(b *testing.B, load func() (rows int, err error)) {
	b.Helper()
	spent := func(run func() (int, error)) float64 {
		runtime.GC() // what the other left is not for this one to clear away
		began := cpuTime()
		if n, err := run(); err != nil || n != instrumentstest.Rows {
			b.Fatal(n, err)
		}
		return float64((cpuTime() - began).Microseconds()) / 1000
	}
	var ours, theirs, ratios []float64
	for b.Loop() {
		us, them := spent(load), spent(yardstick)
		ours, theirs, ratios = append(ours, us), append(theirs, them), append(ratios, us/them)
	}
	median := func(values []float64) float64 {
		slices.Sort(values)
		return values[len(values)/2]
	}
	b.ReportMetric(median(ours), "cpu-ms")
	b.ReportMetric(median(theirs), "yardstick-cpu-ms")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(0, "ns/op") // of both together: says nothing
}

// yardstickRow is an instrument as most programs keep it.
type yardstickRow struct {
	token, exchangeToken                          uint32
	lot                                           int64
	lastPrice, strike, tick                       float64
	symbol, name, expiry, kind, segment, exchange string
}

// yardstick reads the CSV with encoding/csv and strconv into rows that share equal texts: what LoadInstruments does
// before it sorts, looks for duplicates, builds its indexes and the revision.
func yardstick() (int, error) {
	r := csv.NewReader(bytes.NewReader(fullCSV()))
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return 0, err
	}
	texts := map[string]string{}
	shared := func(text string) string {
		known, ok := texts[text]
		if !ok {
			known = strings.Clone(text)
			texts[known] = known
		}
		return known
	}
	rows := make([]yardstickRow, 0, 1<<17)
	for {
		f, err := r.Read()
		if errors.Is(err, io.EOF) {
			return len(rows), nil
		} else if err != nil {
			return 0, err
		}
		token, err1 := strconv.ParseUint(f[0], 10, 32)
		exchangeToken, err2 := strconv.ParseUint(f[1], 10, 32)
		lastPrice, err3 := strconv.ParseFloat(f[4], 64)
		strike, err4 := strconv.ParseFloat(f[6], 64)
		tick, err5 := strconv.ParseFloat(f[7], 64)
		lot, err6 := strconv.ParseInt(f[8], 10, 64)
		if err := cmp.Or(err1, err2, err3, err4, err5, err6); err != nil {
			return 0, err
		}
		rows = append(rows, yardstickRow{
			token: uint32(token), exchangeToken: uint32(exchangeToken), lot: lot, lastPrice: lastPrice, strike: strike, tick: tick,
			symbol: strings.Clone(f[2]), name: shared(f[3]), expiry: shared(f[5]), kind: shared(f[9]), segment: shared(f[10]), exchange: shared(f[11]),
		})
	}
}

// Budget of a page of 50 from 121,328 rows: p50-us 250, p99-us 1,000 and one allocation, which is the page. "plain" is the
// naive version: look at every row, then put the better ranks first.
func BenchmarkInstrumentsSearch(b *testing.B) {
	m, rows := full(b), plain(b)
	for _, tc := range []struct {
		name  string
		query kite.SearchQuery
	}{
		{"miss", kite.SearchQuery{Text: "QQQQQ"}},
		{"rare", kite.SearchQuery{Text: "INFY26DECFUT"}},
		{"common", kite.SearchQuery{Text: "NIFTY"}},
		{"twochars", kite.SearchQuery{Text: "CE"}},
		{"name", kite.SearchQuery{Text: "BANK", On: kite.FilterName}},
		{"isin", kite.SearchQuery{Text: "INE0", On: kite.FilterISIN}},
		{"underlying", kite.SearchQuery{Text: "NFO:NIFTY", On: kite.FilterUnderlying}},
	} {
		tc.query.Limit = 50
		b.Run(tc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Search(tc.query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("mixed", func(b *testing.B) { benchmarkMixedSearch(b, m, rows) })
	b.Run("common-plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			plainSearch(rows, kite.SearchQuery{Text: "NIFTY"})
		}
	})
}

// benchmarkMixedSearch measures pieces of real ids of two bytes and more. Of each it takes the best time, for on a busy
// machine the worst one in a hundred is somebody else's work; what is asked for the first time stands beside it.
func benchmarkMixedSearch(b *testing.B, m *kite.Instruments, rows []plainRow) {
	b.Helper()
	queries := make([]kite.SearchQuery, 0, 1000)
	for i := range 1000 {
		id := rows[i*7919%len(rows)].id
		from := i % (len(id) - 2)
		queries = append(queries, kite.SearchQuery{Text: id[from:min(len(id), from+2+i/7%9)], Limit: 50})
	}
	best := make([]time.Duration, len(queries))
	var first []time.Duration
	for i := 0; b.Loop(); i++ {
		q := i % len(queries)
		began := running()
		if _, err := m.Search(queries[q]); err != nil {
			b.Fatal(err)
		}
		took := running().Sub(began)
		if i < len(queries) {
			first, best[q] = append(first, took), took
		}
		best[q] = min(best[q], took)
	}
	slices.Sort(best)
	slices.Sort(first)
	b.ReportMetric(float64(best[len(best)/2].Nanoseconds())/1000, "p50-us")
	b.ReportMetric(float64(best[len(best)*99/100].Nanoseconds())/1000, "p99-us")
	b.ReportMetric(float64(first[len(first)*99/100].Nanoseconds())/1000, "p99-first-us")
}

// Budget of a chain of 280 strikes: 10 us and 2 allocations. "wide" has 321 strikes, more than that; "index" has 145, a
// future and an index that they are on. "plain" groups all rows in a map.
func BenchmarkOptionChain(b *testing.B) {
	m, rows := full(b), plain(b)
	for name, tc := range map[string]struct {
		exchange, underlying, expiry string
		strikes                      int
	}{
		"wide":  {"MCX", "SILVERM", "2026-12-24", 321},
		"index": {"NFO", "NIFTY", "2026-12-29", 145},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c, ok := m.Chain(tc.exchange, tc.underlying, tc.expiry); !ok || len(c.Strikes) != tc.strikes {
					b.Fatal(len(c.Strikes))
				}
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			plainChain(rows, "MCX", "SILVERM", "2026-12-24")
		}
	})
}

// Budget: 50 ns and no allocation, for the contracts of a chain. On a busy machine look at the best of some runs.
func BenchmarkInstrumentByToken(b *testing.B) {
	m := full(b)
	c, _ := m.Chain("NFO", "NIFTY", "2026-12-29")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := m.ByToken(c.Strikes[i%len(c.Strikes)].Call); !ok {
			b.Fatal(i)
		}
	}
}

// Budget: 150 ns and no allocation, for the contracts of a chain. "plain" is the naive version, a map from ids to rows.
func BenchmarkInstrumentBySymbol(b *testing.B) {
	m, rows := full(b), plain(b)
	c, _ := m.Chain("NFO", "NIFTY", "2026-12-29")
	ids := make([]string, len(c.Strikes))
	for i, s := range c.Strikes {
		in, _ := m.ByToken(s.Put)
		ids[i] = in.ID()
	}
	b.Run("index", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, ok := m.ByID(ids[i%len(ids)]); !ok {
				b.Fatal(i)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		byID := make(map[string]plainRow, len(rows))
		for _, r := range rows {
			byID[r.id] = r
		}
		for i := 0; b.Loop(); i++ {
			if _, ok := byID[ids[i%len(ids)]]; !ok {
				b.Fatal(i)
			}
		}
	})
}
