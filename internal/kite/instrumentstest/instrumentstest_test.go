package instrumentstest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/instrumentstest"
)

type key struct{ exchange, segment, kind string }

// shape is how many rows a list of this size has of each sort.
func shape() map[key]int {
	return map[key]int{
		{"BCD", "BCD-FUT", "FUT"}: 12, {"BFO", "BFO-FUT", "FUT"}: 12, {"BFO", "BFO-OPT", "CE"}: 2510, {"BFO", "BFO-OPT", "PE"}: 2510,
		{"BSE", "BSE", "EQ"}: 16509, {"BSE", "INDICES", "EQ"}: 5, {"CDS", "CDS-FUT", "FUT"}: 44, {"CDS", "CDS-OPT", "CE"}: 1575,
		{"CDS", "CDS-OPT", "PE"}: 1575, {"MCX", "INDICES", "EQ"}: 2, {"MCX", "MCX-FUT", "FUT"}: 102, {"MCX", "MCX-OPT", "CE"}: 6210,
		{"MCX", "MCX-OPT", "PE"}: 6210, {"NFO", "NFO-FUT", "FUT"}: 642, {"NFO", "NFO-OPT", "CE"}: 37051, {"NFO", "NFO-OPT", "PE"}: 37051,
		{"NSE", "INDICES", "EQ"}: 132, {"NSE", "NSE", "EQ"}: 9176,
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	text := instrumentstest.New().CSV()
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(records) - 1; n != instrumentstest.Rows {
		t.Errorf("%d rows, want %d", n, instrumentstest.Rows)
	}
	got, ids, tokens := map[key]int{}, map[string]bool{}, map[string]bool{}
	for _, r := range records[1:] {
		got[key{r[11], r[10], r[9]}]++
		id := r[11] + ":" + r[2]
		if ids[id] || tokens[r[0]] || r[0] == "0" {
			t.Fatalf("row is not unique: %v", r)
		}
		ids[id], tokens[r[0]] = true, true
	}
	if d := cmp.Diff(shape(), got); d != "" {
		t.Errorf("rows by sort (-want +got):\n%s", d)
	}
	for _, id := range []string{"NSE:INFY", "NSE:M&M", "NSE:NIFTY 50", "BSE:SENSEX", "NFO:NIFTY26D0826200CE", "MCX:GOLD26DEC129500CE"} {
		if !ids[id] {
			t.Errorf("%s is missing", id)
		}
	}
	if sha256.Sum256(text) != sha256.Sum256(instrumentstest.New().CSV()) {
		t.Error("two runs differ")
	}
}

func TestJSONLines(t *testing.T) {
	t.Parallel()
	dec := json.NewDecoder(bytes.NewReader(instrumentstest.New().JSONLines()))
	got, isins := map[key]int{}, map[string]bool{}
	for dec.More() {
		var r struct {
			ID, TradingSymbol, Exchange, Segment, ISIN string
			Kind                                       string `json:"instrument_type"`
			Active                                     bool
		}
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.ID != r.Exchange+":"+r.TradingSymbol || !r.Active {
			t.Fatalf("row %+v", r)
		}
		got[key{r.Exchange, r.Segment, r.Kind}]++
		isins[r.ISIN] = true
	}
	if d := cmp.Diff(shape(), got); d != "" {
		t.Errorf("rows by sort (-want +got):\n%s", d)
	}
	if len(isins) < 3000 {
		t.Errorf("%d distinct ISINs", len(isins))
	}
}
