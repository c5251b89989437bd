package tools_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// canned answers every call with the same body.
type canned []byte

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(c)),
	}, nil
}

// holdingRows is an account of n holdings as Kite sends it.
func holdingRows(n int) canned {
	var b strings.Builder
	b.WriteString(`{"status":"success","data":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"tradingsymbol":"SHARE%d","exchange":"NSE","instrument_token":%d,"isin":"INE%09d","product":"CNC","price":0,"quantity":%d,`+
			`"used_quantity":0,"t1_quantity":0,"realised_quantity":%d,"authorised_quantity":0,"authorised_date":"2026-12-02 00:00:00","opening_quantity":%d,`+
			`"collateral_quantity":0,"collateral_type":"","discrepancy":false,"average_price":%d.35,"last_price":%d.9,"close_price":%d.1,"pnl":12.5,`+
			`"day_change":0.8,"day_change_percentage":0.0531,"mtf":{"quantity":0,"used_quantity":0,"average_price":0,"value":0,"initial_margin":0}}`,
			i, 256*i+1, i, i%90+1, i%90+1, i%90+1, 100+i, 120+i, 119+i)
	}
	b.WriteString("]}")
	return canned(b.String())
}

// BenchmarkHoldings reads an account of 5,000 holdings, 2.3 MB on the wire, by the
// client alone and as the tool. Budget: the page of 500 rows costs at most 1.3
// times the client's read, for its rows are passed on as they came.
func BenchmarkHoldings(b *testing.B) {
	reg, err := tools.New(tools.All(), tools.Options{})
	if err != nil {
		b.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 12, 2, 5, 45, 0, 0, time.UTC) }
	client := kite.New(kite.Options{APIKey: "k", AccessToken: "t", Now: now, Transport: holdingRows(5000)})
	env := &tools.Env{Kite: kite.Fixed(client), Now: now, Log: slog.New(slog.DiscardHandler)}
	b.Run("client", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if rows, err := client.Holdings(b.Context()); err != nil || len(rows) != 5000 {
				b.Fatal(len(rows), err)
			}
		}
	})
	for _, arguments := range []string{`{"mode":"holdings"}`, `{"mode":"holdings","type":"compact"}`} {
		b.Run(arguments, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := reg.Call(b.Context(), env, tools.Profile{}, "portfolio", []byte(arguments)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
