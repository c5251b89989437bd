package kite_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/instrumentstest"
)

// fullCSV and fullJSON are a master of real size, made once.
func fullCSV() []byte {
	text, _ := onceTexts()
	return text
}

func fullJSON() []byte {
	_, text := onceTexts()
	return text
}

var (
	// Only the texts stay: the collector would have to follow half a million pointers of the list in every benchmark.
	onceTexts = sync.OnceValues(func() (asCSV, asJSON []byte) {
		list := instrumentstest.New()
		return list.CSV(), list.JSONLines()
	})
	onceFull = sync.OnceValues(func() (*kite.Instruments, error) {
		m, _, err := kite.LoadInstruments(bytes.NewReader(fullJSON()))
		return m, err
	})
	oncePlain = sync.OnceValues(func() ([]plainRow, error) { return plainRows(fullCSV()) })
)

// full is the loaded master of real size.
func full(tb testing.TB) *kite.Instruments {
	tb.Helper()
	m, err := onceFull()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// plainRow is a row as the naive version keeps it.
type plainRow struct {
	id, exchange, symbol, name, expiry, kind string
	strike                                   float64
	token                                    uint64
}

// plainRows are the rows of a CSV in the order that results are shown in.
func plainRows(text []byte) ([]plainRow, error) {
	rows, err := parsePlain(text)
	sortPlain(rows)
	return rows, err
}

// parsePlain is the naive load: encoding/csv into a slice of structs.
func parsePlain(text []byte) ([]plainRow, error) {
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	rows := make([]plainRow, 0, len(records))
	for _, r := range records[1:] {
		strike, err1 := strconv.ParseFloat(r[6], 64)
		token, err2 := strconv.ParseUint(r[0], 10, 32)
		if err := cmp.Or(err1, err2); err != nil {
			return nil, err
		}
		rows = append(rows, plainRow{id: r[11] + ":" + r[2], exchange: r[11], symbol: r[2], name: r[3], expiry: r[5], kind: r[9], strike: strike, token: token})
	}
	return rows, nil
}

// sortPlain sorts by the documented order of results, without the rank that a query gives.
func sortPlain(rows []plainRow) {
	class := func(r plainRow) int { return min(1, slices.Index([]string{"EQ", "FUT", "CE", "PE"}, r.kind)) }
	place := func(r plainRow) int {
		return slices.Index([]string{"NSE", "BSE", "NFO", "BFO", "MCX", "CDS", "BCD"}, r.exchange)
	}
	slices.SortFunc(rows, func(a, b plainRow) int {
		return cmp.Or(
			cmp.Compare(class(a), class(b)), cmp.Compare(place(a), place(b)), strings.Compare(a.expiry, b.expiry),
			cmp.Compare(a.strike, b.strike), strings.Compare(a.kind, b.kind), strings.Compare(a.symbol, b.symbol), cmp.Compare(a.token, b.token),
		)
	})
}

// plain is the naive copy of full, in the order that results are shown in.
func plain(tb testing.TB) []plainRow {
	tb.Helper()
	rows, err := oncePlain()
	if err != nil {
		tb.Fatal(err)
	}
	return rows
}

// plainSearch is the naive search: look at every row, in the documented order, and put the better ranks first.
func plainSearch(rows []plainRow, q kite.SearchQuery) []string {
	text := strings.ToUpper(q.Text)
	exchange, name, qualified := strings.Cut(text, ":")
	if !qualified {
		exchange, name = "NFO", text
	}
	var ranks [4][]string
	for _, r := range rows {
		hit := false
		switch q.On {
		case kite.FilterID, "":
			hit = strings.Contains(r.id, text)
		case kite.FilterTradingSymbol:
			hit = strings.Contains(r.symbol, text)
		case kite.FilterName:
			hit = strings.Contains(r.name, text)
		default:
			hit = r.exchange == exchange && r.name == name && r.kind != "EQ"
		}
		rank := 3
		switch {
		case !hit:
			continue
		case r.id == text:
			rank = 0
		case r.symbol == text:
			rank = 1
		case strings.HasPrefix(r.symbol, text):
			rank = 2
		}
		ranks[rank] = append(ranks[rank], r.id)
	}
	return slices.Concat(ranks[:]...)
}

// Any query finds what a look at every row finds, in the documented order.
func TestSearchAgreesWithPlainScan(t *testing.T) {
	t.Parallel()
	m, rows := full(t), plain(t)
	queries := []kite.SearchQuery{
		{Text: "INFY"},
		{Text: "nse:infy"},
		{Text: "M&M"},
		{Text: "NIFTY 50"},
		{Text: ":INF"},
		{Text: "E:INFY"},
		{Text: "NSE"},
		{Text: "N"},
		{Text: ":"},
		{Text: "NSE:"},
		{Text: "CE"},
		{Text: "26"},
		{Text: "000"},
		{Text: "NIFTY"},
		{Text: "mcx:gold26d"},
		{Text: "\u20b9"},
		{Text: "A\nB"},
		{Text: "0CE\nN"},
		{Text: "INFY", On: kite.FilterTradingSymbol},
		{Text: "P", On: kite.FilterTradingSymbol},
		{Text: "BANK", On: kite.FilterName},
		{Text: "nifty", On: kite.FilterName},
		{Text: "a", On: kite.FilterName},
		{Text: "NIFTY", On: kite.FilterUnderlying},
		{Text: "MCX:GOLD", On: kite.FilterUnderlying},
		{Text: "m&m", On: kite.FilterUnderlying},
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a repeatable choice of test cases
	for range 20 {
		r := rows[random.IntN(len(rows))]
		q := kite.SearchQuery{Text: r.id, On: []kite.FilterOn{kite.FilterID, kite.FilterTradingSymbol, kite.FilterName}[random.IntN(3)]}
		if q.On == kite.FilterTradingSymbol {
			q.Text = r.symbol
		} else if q.On == kite.FilterName && r.name != "" {
			q.Text = r.name
		}
		from := random.IntN(len(q.Text))
		q.Text = q.Text[from : from+1+random.IntN(len(q.Text)-from)]
		queries = append(queries, q)
	}
	for _, q := range queries {
		got, want := search(t, m, q), plainSearch(rows, q)
		if !slices.Equal(got, want) {
			t.Errorf("%s %q: %d found, the plain scan has %d; first difference:\n%s", q.On, q.Text, len(got), len(want), difference(want, got))
		}
	}
}

func difference(want, got []string) string {
	for i := range max(len(want), len(got)) {
		w, g := "nothing", "nothing"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			return fmt.Sprintf("row %d: want %s, got %s", i, w, g)
		}
	}
	return ""
}

// Two walks through all pages give the same order, nothing twice and nothing missing.
func TestSearchWalksFullMaster(t *testing.T) {
	t.Parallel()
	m := full(t)
	const query, limit = "26", 500
	walk := func() []string {
		var ids []string
		for from := 0; ; from += limit {
			r, err := m.Search(kite.SearchQuery{Text: query, From: from, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range r.Rows {
				ids = append(ids, in.ID())
			}
			if from+limit >= r.Total {
				return ids
			}
		}
	}
	first, second := walk(), walk()
	if !slices.Equal(first, second) {
		t.Error("two walks differ")
	}
	if want := plainSearch(plain(t), kite.SearchQuery{Text: query}); !slices.Equal(first, want) {
		t.Errorf("walked over %d rows, there are %d; %s", len(first), len(want), difference(want, first))
	}
	slices.Sort(first)
	if n := len(slices.Compact(first)); n != len(second) {
		t.Errorf("%d distinct ids in %d rows", n, len(second))
	}
}

// Both sources of one list give the same instruments (every seventh is looked at); only the JSON lines know more.
func TestSourcesAgree(t *testing.T) {
	t.Parallel()
	fromJSON := full(t)
	fromCSV, stats, err := kite.LoadInstruments(bytes.NewReader(fullCSV()))
	if err != nil || stats.Rows != instrumentstest.Rows || stats.Skipped+stats.Duplicates != 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	for i, r := range plain(t) {
		if i%7 != 0 {
			continue
		}
		a, ok1 := fromCSV.ByID(r.id)
		b, ok2 := fromJSON.ByToken(uint32(r.token)) //nolint:gosec // parsed as 32 bits
		b.ISIN = ""
		if !ok1 || !ok2 || a != b || a.TradingSymbol != r.symbol || a.Name != r.name || a.Expiry != r.expiry || a.Type != r.kind {
			t.Fatalf("%s: %+v from CSV, %+v from JSON lines", r.id, a, b)
		}
		if i%49 != 0 {
			continue
		}
		if got, ok := fromCSV.ByExchangeToken(a.Exchange, a.ExchangeToken); !ok || got.ID() != a.ID() && a.Segment != "INDICES" {
			t.Fatalf("%s under exchange token %d: %s", a.ID(), a.ExchangeToken, got.ID())
		}
	}
	infy, _ := fromJSON.ByID("NSE:INFY")
	if both, err := fromJSON.ByISIN(infy.ISIN); err != nil || infy.ISIN == "" || len(both) != 2 || both[0].ID() != "NSE:INFY" || both[1].ID() != "BSE:INFY" {
		t.Errorf("ISIN %q: %+v", infy.ISIN, both)
	}
	if d := gocmp.Diff(kite.InstrumentDetails{Series: "EQ", Active: "true"}, fromJSON.Details(infy.Token)); d != "" {
		t.Errorf("details (-want +got):\n%s", d)
	}
	if d := gocmp.Diff(kite.InstrumentDetails{}, fromCSV.Details(infy.Token)); d != "" || fromCSV.HasISIN() {
		t.Errorf("the CSV knows more than it says: %s", d)
	}
	_, err = fromCSV.ByISIN(infy.ISIN)
	wantKind(t, err, kite.KindCatalogUnavailable)
	if none, err := fromJSON.ByISIN("INE000X00000"); err != nil || len(none) != 0 {
		t.Errorf("an unknown ISIN: %v, %v", none, err)
	}
	index, _ := fromCSV.ByExchangeToken("INDICES", 1001)
	if index.ID() != "NSE:NIFTY 50" {
		t.Errorf("INDICES 1001 is %s", index.ID())
	}
}

// Budgets of performance.md that do not depend on the machine: what stays, and what is allocated.
func TestInstrumentsBudgets(t *testing.T) {
	for name, text := range map[string][]byte{"csv": fullCSV(), "jsonl": fullJSON()} {
		before := heap()
		m, _, err := kite.LoadInstruments(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		after := heap()
		if kept := after.HeapAlloc - before.HeapAlloc; kept > 16<<20 {
			t.Errorf("%s: %d MiB kept, at most 16 are allowed", name, kept>>20)
		}
		// There are more than 10,000 names and ISINs; without the race detector it takes 400 for all.
		if n := after.Mallocs - before.Mallocs; n > 11_000 {
			t.Errorf("%s: %d allocations, at most one for each name or ISIN and 1,000 more are allowed", name, n)
		}
		runtime.KeepAlive(m)
	}
	m := full(t)
	for name, tc := range map[string]struct {
		most float64
		run  func()
	}{
		"search without a page": {0, func() { _, _ = m.Search(kite.SearchQuery{Text: "NIFTY", From: 1 << 30}) }},
		"search miss":           {0, func() { _, _ = m.Search(kite.SearchQuery{Text: "QQQQQ"}) }},
		"search page":           {1, func() { _, _ = m.Search(kite.SearchQuery{Text: "NIFTY", Limit: 50}) }},
		"by token":              {0, func() { _, _ = m.ByToken(408065) }},
		"by id":                 {0, func() { _, _ = m.ByID("NSE:INFY") }},
		"chain":                 {2, func() { _, _ = m.Chain("NFO", "NIFTY", "2026-12-08") }},
	} {
		if got := testing.AllocsPerRun(100, tc.run); got > tc.most {
			t.Errorf("%s: %v allocations, at most %v are allowed", name, got, tc.most)
		}
	}
}

func heap() (s runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s
}
