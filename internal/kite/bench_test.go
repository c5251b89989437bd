package kite_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// Budget of a whole call with ten holdings, the demo exchange's own work included: 100 allocations for a row.
func BenchmarkHoldingsCall(b *testing.B) {
	c := demoClient(b, "")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Holdings(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// Budget of reading 5,000 holdings without the exchange: 12 allocations for a row, and less time than the yardstick,
// which is encoding/json decoding the same answer into maps: the tolerant way that needs no code.
func BenchmarkHoldingsDecode(b *testing.B) {
	row := `{"tradingsymbol":"INFY","exchange":"NSE","instrument_token":408065,"isin":"INE009A01021","product":"CNC","price":0,` +
		`"quantity":60,"used_quantity":0,"t1_quantity":15,"realised_quantity":60,"authorised_quantity":0,` +
		`"authorised_date":"2026-12-02 00:00:00","authorisation":{},"opening_quantity":75,"short_quantity":0,` +
		`"collateral_quantity":0,"collateral_type":"","discrepancy":false,"average_price":1702.9,"last_price":1881.6,` +
		`"close_price":1867.9,"pnl":13402.5,"day_change":13.7,"day_change_percentage":0.733444,` +
		`"mtf":{"quantity":0,"used_quantity":0,"average_price":0,"value":0,"initial_margin":0}}`
	body := `{"status":"success","data":[` + strings.Repeat(row+",", 4999) + row + `]}`
	c := kite.New(kite.Options{BaseURL: "http://kite.invalid", Transport: wire(func(r *http.Request) (*http.Response, error) {
		return response(r, http.StatusOK, body), nil
	})})
	b.Run("client", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if h, err := c.Holdings(b.Context()); err != nil || len(h) != 5000 {
				b.Fatal(len(h), err)
			}
		}
	})
	b.Run("yardstick", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var answer struct{ Data []map[string]json.RawMessage }
			if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Data) != 5000 {
				b.Fatal(len(answer.Data), err)
			}
		}
	})
}
