package kite_test

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

const header = "instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange\n"

// demoCSV is the instruments list of the demo exchange.
func demoCSV(tb testing.TB) string {
	tb.Helper()
	body, err := demoClient(tb, "").FetchInstruments(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	unzip, err := gzip.NewReader(body)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := io.ReadAll(unzip)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

func load(tb testing.TB, text string) *kite.Instruments {
	tb.Helper()
	m, _, err := kite.LoadInstruments(strings.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// Every row of the demo list arrives, field by field, as a general CSV reader sees it.
func TestLoadInstrumentsAgreesWithCSV(t *testing.T) {
	t.Parallel()
	text := demoCSV(t)
	m, stats, err := kite.LoadInstruments(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(kite.LoadStats{Rows: 5690}, stats); d != "" {
		t.Errorf("stats (-want +got):\n%s", d)
	}
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		in, ok := m.ByID(r[11] + ":" + r[2])
		if !ok {
			t.Fatalf("%s:%s is missing", r[11], r[2])
		}
		got := []string{
			strconv.FormatUint(uint64(in.Token), 10), strconv.FormatUint(uint64(in.ExchangeToken), 10), in.TradingSymbol, in.Name, in.LastPrice.String(), in.Expiry,
			in.Strike.String(), in.TickSize.String(), strconv.FormatInt(in.LotSize, 10), in.Type, in.Segment, in.Exchange,
		}
		if d := cmp.Diff(r, got); d != "" {
			t.Fatalf("%s (-csv +got):\n%s", in.ID(), d)
		}
	}
	if m.HasISIN() || m.Date() != "" {
		t.Errorf("ISIN %v, date %q", m.HasISIN(), m.Date())
	}
}

// Traps 7 and 8: one bad row costs itself only, and rows that would poison look-ups are refused.
func TestTrap08BadRowsAreSkipped(t *testing.T) {
	t.Parallel()
	good := func(n int) string {
		return fmt.Sprintf("%d,%d,SYM%d,\"NAME %d\",0,,0,0.05,1,EQ,NSE,NSE\n", n*256+1, n, n, n)
	}
	for name, row := range map[string]string{
		"bare quote":        "257,1,BAD\"X,\"N\",0,,0,0.05,1,EQ,NSE,NSE",
		"quote not closed":  "257,1,BAD,\"N,0,,0,0.05,1,EQ,NSE,NSE",
		"text after quote":  "257,1,BAD,\"N\"x,0,,0,0.05,1,EQ,NSE,NSE",
		"short":             "257,1,BAD",
		"long":              "257,1,BAD,N,0,,0,0.05,1,EQ,NSE,NSE,more",
		"zero":              "0,1,BAD,N,0,,0,0.05,1,EQ,NSE,NSE",
		"no number":         "x,1,BAD,N,0,,0,0.05,1,EQ,NSE,NSE",
		"number too large":  "4294967296,1,BAD,N,0,,0,0.05,1,EQ,NSE,NSE",
		"no symbol":         "257,1,,N,0,,0,0.05,1,EQ,NSE,NSE",
		"no exchange":       "257,1,BAD,N,0,,0,0.05,1,EQ,NSE,",
		"no segment":        "257,1,BAD,N,0,,0,0.05,1,EQ,,NSE",
		"bad date":          "257,1,BAD,N,0,2026-13-01,0,0.05,1,EQ,NSE,NSE",
		"negative strike":   "257,1,BAD,N,0,,-5,0.05,1,EQ,NSE,NSE",
		"lot of 1.5":        "257,1,BAD,N,0,,0,0.05,1.5,EQ,NSE,NSE",
		"symbol of a novel": "257,1," + strings.Repeat("B", 256) + ",N,0,,0,0.05,1,EQ,NSE,NSE",
		"endless line":      strings.Repeat("x", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, stats, err := kite.LoadInstruments(strings.NewReader(header + good(2) + row + "\n" + good(3)))
			if err != nil {
				t.Fatal(err)
			}
			if stats.Skipped != 1 || stats.Rows != 2 || m.Len() != 2 || len(stats.Problems) != 1 || !strings.HasPrefix(stats.Problems[0], "line 3: ") {
				t.Errorf("stats = %+v", stats)
			}
			if len(stats.Problems[0]) > 200 {
				t.Errorf("problem of %d bytes", len(stats.Problems[0]))
			}
		})
	}
}

// Line ends, a byte order mark, another column order, more columns, odd exchange tokens and stale prices are all read.
func TestLoadInstrumentsVariants(t *testing.T) {
	t.Parallel()
	text := "\ufeffexchange,isin,instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,series\r\n" +
		"NSE,INE001,513,77,M&M,\"MAHINDRA, \"\"M&M\"\"\",12.5,,0,0.05,1,EQ,NSE,EQ\r\n\r\n" +
		"NFO,,770,3,M&M26DEC2608.65CE,M&M,,2026-12-29,2608.65,0.05,200,CE,NFO-OPT,"
	m := load(t, text)
	want := kite.Instrument{
		Token: 513, ExchangeToken: 77, TradingSymbol: "M&M", Name: `MAHINDRA, "M&M"`, ISIN: "INE001", LastPrice: 12.5 * rupee,
		TickSize: 500, LotSize: 1, Type: "EQ", Segment: "NSE", Exchange: "NSE",
	}
	got, _ := m.ByID("NSE:M&M")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("row (-want +got):\n%s", d)
	}
	option, _ := m.ByID("NFO:M&M26DEC2608.65CE")
	if option.Strike != 26_086_500 || option.ExchangeToken != 3 || option.Expiry != "2026-12-29" || got.Expiry != "" {
		t.Errorf("option = %+v", option)
	}
	if !m.HasISIN() {
		t.Error("the ISIN column is not seen")
	}
	found, err := m.Search(kite.SearchQuery{Text: "ine0", On: kite.FilterISIN})
	if err != nil || found.Total != 1 || found.Rows[0].TradingSymbol != "M&M" {
		t.Errorf("by ISIN: %+v, %v", found, err)
	}
	for _, id := range []string{"NSE:NOPE", "XXX:M&M", "M&M", "", ":", "nse:m&m"} {
		if in, ok := m.ByID(id); ok {
			t.Errorf("%q finds %+v", id, in)
		}
	}
}

// Trap 7: what is no instruments list is refused whole.
func TestLoadInstrumentsRefuses(t *testing.T) {
	t.Parallel()
	bad := "x,1,BAD,N,0,,0,0.05,1,EQ,NSE,NSE\n"
	for name, text := range map[string]string{
		"empty":         "",
		"html":          "<html>\n<body>502</body>\n</html>\n",
		"json":          `{"status":"error","message":"x","error_type":"TokenException"}`,
		"header only":   header,
		"other header":  "a,b,c\n1,2,3\n",
		"mostly broken": header + bad + bad + "257,1,GOOD,N,0,,0,0.05,1,EQ,NSE,NSE\n",
		"one endless":   strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if m, _, err := kite.LoadInstruments(strings.NewReader(text)); err == nil || m != nil {
				t.Errorf("accepted %d rows", m.Len())
			}
		})
	}
	if _, _, err := kite.LoadInstruments(io.MultiReader(strings.NewReader(header+"257,1,A,N,0,,0,0.05,1,EQ,NSE,NSE\n"), failingReader{})); err == nil {
		t.Error("a download that broke was accepted")
	}
}

// The first of two rows with one id or one token wins; two answers for one key would be a coin toss.
func TestLoadInstrumentsDuplicates(t *testing.T) {
	t.Parallel()
	m, stats, err := kite.LoadInstruments(strings.NewReader(header +
		"257,1,A,FIRST,0,,0,0.05,1,EQ,NSE,NSE\n513,2,A,SAME ID,0,,0,0.05,1,EQ,NSE,NSE\n257,1,B,SAME TOKEN,0,,0,0.05,1,EQ,NSE,NSE\n260,1,A,OTHER EXCHANGE,0,,0,0.05,1,EQ,BSE,BSE\n"))
	if err != nil || stats.Duplicates != 2 || stats.Rows != 2 || m.Len() != 2 {
		t.Fatalf("stats %+v, %v", stats, err)
	}
	if in, _ := m.ByID("NSE:A"); in.Name != "FIRST" {
		t.Errorf("NSE:A = %+v", in)
	}
	if in, _ := m.ByID("BSE:A"); in.Name != "OTHER EXCHANGE" {
		t.Errorf("BSE:A = %+v", in)
	}
}

// The revision names the content: not the order of rows, not the line ends, but any field.
func TestRevision(t *testing.T) {
	t.Parallel()
	text := demoCSV(t)
	base := load(t, text)
	if len(base.Revision()) != 12 || strings.Trim(base.Revision(), "0123456789abcdef") != "" {
		t.Errorf("revision %q", base.Revision())
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	rows := lines[1:]
	rows[len(rows)-1] += "\n"
	// Any other order will do: every third row first.
	slices.SortStableFunc(rows, func(a, b string) int { return len(a)%3 - len(b)%3 })
	shuffled := lines[0] + strings.Join(rows, "")
	if got := load(t, shuffled).Revision(); got != base.Revision() {
		t.Errorf("shuffled: %s, want %s", got, base.Revision())
	}
	if got := load(t, strings.ReplaceAll(text, "\n", "\r\n")).Revision(); got != base.Revision() {
		t.Errorf("CRLF: %s, want %s", got, base.Revision())
	}
	if got := load(t, strings.Replace(text, "INFOSYS", "INFOSYZ", 1)).Revision(); got == base.Revision() {
		t.Error("a changed name must change the revision")
	}
}

func search(t *testing.T, m *kite.Instruments, q kite.SearchQuery) []string {
	t.Helper()
	r, err := m.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(r.Rows))
	for i, in := range r.Rows {
		ids[i] = in.ID()
	}
	return ids
}

// Matching is literal and blind to case; what matches best and trades most plainly comes first.
func TestSearch(t *testing.T) {
	t.Parallel()
	m := load(t, demoCSV(t))
	for _, tc := range []struct {
		name  string
		query kite.SearchQuery
		want  []string
	}{
		{"exact symbol first", kite.SearchQuery{Text: "INFY", Limit: 3}, []string{"NSE:INFY", "BSE:INFY", "NFO:INFY26DECFUT"}},
		{"exact id before anything", kite.SearchQuery{Text: "bse:infy", Limit: 1}, []string{"BSE:INFY"}},
		{"ampersand", kite.SearchQuery{Text: "m&m", Limit: 4}, []string{"NSE:M&M", "BSE:M&M", "NSE:M&MFIN", "NFO:M&M26DECFUT"}},
		{"space is text", kite.SearchQuery{Text: "nifty 50"}, []string{"NSE:NIFTY 50", "NSE:NIFTY 500"}},
		{"space not found", kite.SearchQuery{Text: "NIFTY  50"}, []string{}},
		{"no wildcard", kite.SearchQuery{Text: "INF%"}, []string{}},
		{"symbol only", kite.SearchQuery{Text: "NSE:INFY", On: kite.FilterTradingSymbol}, []string{}},
		{"name", kite.SearchQuery{Text: "dr. reddy's", On: kite.FilterName}, []string{"NSE:DRREDDY", "BSE:DRREDDY"}},
		{"index", kite.SearchQuery{Text: "SENSEX", Limit: 2}, []string{"BSE:SENSEX", "BSE:SENSEX50"}},
		{"calls before puts", kite.SearchQuery{Text: "NIFTY26D0826200"}, []string{"NFO:NIFTY26D0826200CE", "NFO:NIFTY26D0826200PE"}},
		{"exchanges in order", kite.SearchQuery{Text: "USDINR26DECFUT"}, []string{"CDS:USDINR26DECFUT", "BCD:USDINR26DECFUT"}},
		{"underlying by default on NFO", kite.SearchQuery{Text: "infy", On: kite.FilterUnderlying, Limit: 2}, []string{"NFO:INFY26DECFUT", "NFO:INFY26DEC1410CE"}},
		{"underlying is exact", kite.SearchQuery{Text: "INF", On: kite.FilterUnderlying}, []string{}},
		{"underlying elsewhere", kite.SearchQuery{Text: "bcd:usdinr", On: kite.FilterUnderlying}, []string{"BCD:USDINR26DECFUT", "BCD:USDINR27JANFUT", "BCD:USDINR27FEBFUT"}},
		{"underlying on MCX leaves the index out", kite.SearchQuery{Text: "MCX:MCXBULLDEX", On: kite.FilterUnderlying}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tc.want, search(t, m, tc.query)); d != "" {
				t.Errorf("ids (-want +got):\n%s", d)
			}
		})
	}
}

// A search sees what a plain look at every id sees.
func TestSearchFindsAll(t *testing.T) {
	t.Parallel()
	text := demoCSV(t)
	m := load(t, text)
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"NIFTY", "e:in", "26", "-", "BANK", "CE", "zz", "NSE:", "&"} {
		var want []string
		for _, r := range records[1:] {
			if id := r[11] + ":" + r[2]; strings.Contains(id, strings.ToUpper(query)) {
				want = append(want, id)
			}
		}
		got := search(t, m, kite.SearchQuery{Text: query})
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got, cmp.Transformer("empty", func(s []string) string { return strings.Join(s, " ") })); d != "" {
			t.Errorf("%q (-plain +search):\n%s", query, d)
		}
	}
}

// Walking the pages gives every row once, in the order of the whole, however the list was ordered when loaded.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	text := demoCSV(t)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Reverse(lines[1:])
	m, reversed := load(t, text), load(t, strings.Join(lines, "\n"))
	whole := search(t, m, kite.SearchQuery{Text: "NIFTY"})
	var walked []string
	for from := 0; ; from += 50 {
		r, err := reversed.Search(kite.SearchQuery{Text: "NIFTY", From: from, Limit: 50})
		if err != nil || r.Total != len(whole) {
			t.Fatalf("page from %d: total %d, want %d, %v", from, r.Total, len(whole), err)
		}
		if len(r.Rows) == 0 {
			break
		}
		for _, in := range r.Rows {
			walked = append(walked, in.ID())
		}
	}
	if d := cmp.Diff(whole, walked); d != "" {
		t.Errorf("walk (-whole +pages):\n%s", d)
	}
	if r, err := m.Search(kite.SearchQuery{Text: "NIFTY", From: 1 << 40}); err != nil || r.Rows == nil || len(r.Rows) != 0 || r.Total != len(whole) {
		t.Errorf("far page: %d rows of %d, %v", len(r.Rows), r.Total, err)
	}
}

// Expiry, then strike: a chain reads from the nearest and lowest upwards.
func TestSearchOrderOfDerivatives(t *testing.T) {
	t.Parallel()
	r, err := load(t, demoCSV(t)).Search(kite.SearchQuery{Text: "NIFTY", On: kite.FilterUnderlying})
	if err != nil {
		t.Fatal(err)
	}
	if r.Total != 313 {
		t.Errorf("%d contracts, want 310 options and 3 futures", r.Total)
	}
	inOrder := slices.IsSortedFunc(r.Rows, func(a, b kite.Instrument) int {
		if c := strings.Compare(a.Expiry, b.Expiry); c != 0 {
			return c
		}
		return int(a.Strike - b.Strike)
	})
	if !inOrder {
		t.Error("not ordered by expiry and strike")
	}
}

// Wrong queries are named, and ISINs are not guessed where there are none.
func TestSearchErrors(t *testing.T) {
	t.Parallel()
	m := load(t, demoCSV(t))
	for name, tc := range map[string]struct {
		query kite.SearchQuery
		want  kite.ErrorKind
	}{
		"empty":             {kite.SearchQuery{}, kite.KindInvalidArgument},
		"101 characters":    {kite.SearchQuery{Text: strings.Repeat("\u20b9", 101)}, kite.KindInvalidArgument},
		"filter":            {kite.SearchQuery{Text: "x", On: "colour"}, kite.KindInvalidArgument},
		"from":              {kite.SearchQuery{Text: "x", From: -1}, kite.KindInvalidArgument},
		"limit":             {kite.SearchQuery{Text: "x", Limit: -1}, kite.KindInvalidArgument},
		"isin":              {kite.SearchQuery{Text: "INE", On: kite.FilterISIN}, kite.KindCatalogUnavailable},
		"underlying on NSE": {kite.SearchQuery{Text: "NSE:INFY", On: kite.FilterUnderlying}, kite.KindInvalidArgument},
		"two colons":        {kite.SearchQuery{Text: "NFO:NIFTY:X", On: kite.FilterUnderlying}, kite.KindInvalidArgument},
		"no underlying":     {kite.SearchQuery{Text: "NFO:", On: kite.FilterUnderlying}, kite.KindInvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := m.Search(tc.query)
			if e := failure(t, err, tc.want); e.Retryable {
				t.Error("must not be retryable")
			}
		})
	}
	if _, err := m.Search(kite.SearchQuery{Text: strings.Repeat("\u20b9", 100)}); err != nil {
		t.Errorf("100 characters: %v", err)
	}
}

// No input makes the loader panic, and a row of plain fields reads as a general CSV reader reads it.
func FuzzInstrumentsCSV(f *testing.F) {
	for _, s := range []string{
		"257,1,A,N,0,,0,0.05,1,EQ,NSE,NSE", `257,1,"A","N ""x"", y",0,2026-12-29,152.5,0.0025,1,CE,NFO-OPT,NFO`, `257,1,A"B,N,0,,0,0.05,1,EQ,NSE,NSE`,
		`"`, `""`, `"a","`, ",,,,,,,,,,,", "257,1,A,N,0,,0,0.05,1,EQ,NSE,NSE\n513,2,A,N,0,,0,0.05,1,EQ,NSE,NSE",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, stats, err := kite.LoadInstruments(strings.NewReader(header + s))
		if err != nil {
			return
		}
		if m.Len() != stats.Rows || m.Len() == 0 {
			t.Fatalf("%d rows, stats %+v", m.Len(), stats)
		}
		if strings.ContainsAny(s, "\r\n") {
			return
		}
		record, err := csv.NewReader(strings.NewReader(s)).Read()
		if err != nil {
			t.Fatalf("accepted what encoding/csv refuses: %q: %v", s, err)
		}
		in, ok := m.ByID(record[11] + ":" + record[2])
		if !ok || in.Name != record[3] || in.Segment != record[10] || in.Expiry != record[5] || strconv.FormatUint(uint64(in.Token), 10) != strings.TrimLeft(record[0], "0") {
			t.Errorf("%q reads as %+v", s, in)
		}
	})
}
