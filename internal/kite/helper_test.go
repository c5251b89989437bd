package kite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// frozen is the instant of the demo account's seed.
func frozen() time.Time { return time.Date(2026, 12, 2, 11, 15, 0, 0, kite.IST) }

// running is a clock that moves, also with the fake time of a synctest bubble.
func running() time.Time {
	start := time.Unix(0, 0)
	return start.Add(time.Since(start))
}

func demoExchange(tb testing.TB, faults string) *demo.Exchange {
	tb.Helper()
	rules, err := demo.ParseFaults(faults)
	if err != nil {
		tb.Fatal(err)
	}
	x, err := demo.New(demo.Options{Now: frozen, Clock: demo.Clock{Frozen: frozen()}, Faults: rules})
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// demoClient talks to a demo exchange frozen at the seed's instant.
func demoClient(tb testing.TB, faults string) *kite.Client {
	tb.Helper()
	return clientOfDemo(demoExchange(tb, faults).Transport())
}

func clientOfDemo(t http.RoundTripper) *kite.Client {
	return kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: t, Now: frozen})
}

// wire is a transport made of a function.
type wire func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

// says is a transport that always gives the same answer.
func says(status int, body string) wire {
	return func(r *http.Request) (*http.Response, error) { return response(r, status, body), nil }
}

func response(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(status), StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: io.NopCloser(bytes.NewBufferString(body)), ContentLength: int64(len(body)), Request: r,
	}
}

func clientOn(t http.RoundTripper) *kite.Client {
	return kite.New(kite.Options{BaseURL: "https://kite.invalid", APIKey: testKey, AccessToken: testToken, Transport: t, Now: frozen})
}

const (
	testKey   = "key-0123456789"
	testToken = "token-9876543210"
)

// What the demo account has.
const (
	infyToken  = 408065
	itcOrder   = "2044000000000000001"                  // sold in two fills
	tcsTrigger = 900003                                 // triggered, and its order failed
	dipAlert   = "00000000-0000-4000-8000-000000000002" // fired once
)

// reads are all calls of a client that ask Kite for something, by the demo route they use.
func reads() map[string]func(context.Context, *kite.Client) error {
	ids := []string{"NSE:INFY"}
	candles := kite.CandleQuery{Token: infyToken, Interval: "day", From: frozen().AddDate(0, 0, -7), To: frozen()}
	return map[string]func(context.Context, *kite.Client) error{
		"profile":          func(ctx context.Context, c *kite.Client) error { _, err := c.Profile(ctx); return err },
		"margins":          func(ctx context.Context, c *kite.Client) error { _, err := c.Margins(ctx); return err },
		"holdings":         func(ctx context.Context, c *kite.Client) error { _, err := c.Holdings(ctx); return err },
		"holdings.compact": func(ctx context.Context, c *kite.Client) error { _, err := c.HoldingsCompact(ctx); return err },
		"holdings.summary": func(ctx context.Context, c *kite.Client) error { _, err := c.HoldingsSummary(ctx); return err },
		"positions":        func(ctx context.Context, c *kite.Client) error { _, err := c.Positions(ctx); return err },
		"quote":            func(ctx context.Context, c *kite.Client) error { _, err := c.Quotes(ctx, ids); return err },
		"quote.ltp":        func(ctx context.Context, c *kite.Client) error { _, err := c.LTP(ctx, ids); return err },
		"quote.ohlc":       func(ctx context.Context, c *kite.Client) error { _, err := c.OHLC(ctx, ids); return err },
		"orders":           func(ctx context.Context, c *kite.Client) error { _, err := c.Orders(ctx); return err },
		"orders.history":   func(ctx context.Context, c *kite.Client) error { _, err := c.OrderHistory(ctx, itcOrder); return err },
		"orders.trades":    func(ctx context.Context, c *kite.Client) error { _, err := c.OrderTrades(ctx, itcOrder); return err },
		"trades":           func(ctx context.Context, c *kite.Client) error { _, err := c.Trades(ctx); return err },
		"gtt":              func(ctx context.Context, c *kite.Client) error { _, err := c.GTTs(ctx); return err },
		"gtt.get":          func(ctx context.Context, c *kite.Client) error { _, err := c.GTT(ctx, tcsTrigger); return err },
		"alerts": func(ctx context.Context, c *kite.Client) error {
			_, err := c.Alerts(ctx, kite.AlertFilter{})
			return err
		},
		"alerts.get":     func(ctx context.Context, c *kite.Client) error { _, err := c.Alert(ctx, dipAlert); return err },
		"alerts.history": func(ctx context.Context, c *kite.Client) error { _, err := c.AlertHistory(ctx, dipAlert); return err },
		"mf.holdings":    func(ctx context.Context, c *kite.Client) error { _, err := c.MFHoldings(ctx); return err },
		"historical":     func(ctx context.Context, c *kite.Client) error { _, err := c.Historical(ctx, candles); return err },
		"calc.margins": func(ctx context.Context, c *kite.Client) error {
			_, err := c.OrderMargins(ctx, []kite.OrderRequest{buyINFY()})
			return err
		},
		"calc.basket": func(ctx context.Context, c *kite.Client) error {
			_, err := c.BasketMargins(ctx, []kite.OrderRequest{buyINFY()}, true)
			return err
		},
		"calc.charges": func(ctx context.Context, c *kite.Client) error {
			_, err := c.OrderCharges(ctx, []kite.PricedOrder{{OrderRequest: buyINFY(), At: 18_000_000}})
			return err
		},
		"instruments": func(ctx context.Context, c *kite.Client) error {
			body, err := c.FetchInstruments(ctx)
			if err != nil {
				return err
			}
			defer func() { _ = body.Close() }()
			_, _, err = kite.LoadInstruments(body)
			return err
		},
	}
}

// seed is the demo account as it was written, an oracle independent of the code that serves it.
func seed(t *testing.T) map[string]any {
	t.Helper()
	b, err := os.ReadFile("demo/seed/account.json")
	if err != nil {
		t.Fatal(err)
	}
	var account map[string]any
	if err := json.Unmarshal(b, &account); err != nil {
		t.Fatal(err)
	}
	return account
}

// decoded turns a value into what a JSON reader sees.
func decoded(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func wantKind(t *testing.T, err error, want kite.ErrorKind) {
	t.Helper()
	_ = failure(t, err, want)
}

// failure is wantKind for tests that look closer; nil when no error is wanted.
func failure(t *testing.T, err error, want kite.ErrorKind) *kite.Error {
	t.Helper()
	if got := kite.KindOf(err); got != want {
		t.Fatalf("error %v is %q, want %q", err, got, want)
	}
	e, ok := errors.AsType[*kite.Error](err)
	if want != "" && !ok {
		t.Fatalf("%v is no *kite.Error", err)
	}
	return e
}

// jsonText quotes s as JSON does.
func jsonText(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
