package kite_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// Every fault that replaces the answer, on every route, becomes the right class with Kite's own words.
func TestFaultsReplacingAnswers(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]kite.Error{
		"429":      {Kind: kite.KindRateLimited, Status: 429, KiteType: "NetworkException", Message: "Too many requests", RetryAfter: time.Second, Retryable: true},
		"429text":  {Kind: kite.KindRateLimited, Status: 429, Message: "Kite answered with HTTP status 429", RetryAfter: time.Second, Retryable: true},
		"token":    {Kind: kite.KindSessionExpired, Status: 403, KiteType: "TokenException", Message: "Incorrect `api_key` or `access_token`."},
		"token1":   {Kind: kite.KindSessionExpired, Status: 403, KiteType: "TokenException", Message: "Incorrect `api_key` or `access_token`."},
		"perm":     {Kind: kite.KindPermissionDenied, Status: 403, KiteType: "PermissionException", Message: "Insufficient permission for that call."},
		"500":      {Kind: kite.KindUpstreamUnavailable, Status: 500, KiteType: "GeneralException", Message: "Something went wrong", Retryable: true},
		"502":      {Kind: kite.KindUpstreamUnavailable, Status: 502, KiteType: "NetworkException", Message: "Order management system is not reachable", Retryable: true},
		"503":      {Kind: kite.KindUpstreamUnavailable, Status: 503, KiteType: "NetworkException", Message: "Order management system is not reachable", Retryable: true},
		"504":      {Kind: kite.KindUpstreamUnavailable, Status: 504, KiteType: "NetworkException", Message: "Order management system is not reachable", Retryable: true},
		"502html":  {Kind: kite.KindUpstreamUnavailable, Status: 502, Message: "Kite answered with HTTP status 502", Retryable: true},
		"200error": {Kind: kite.KindUpstreamUnavailable, Status: 200, KiteType: "GeneralException", Message: "Something went wrong", Retryable: true},
	} {
		for route, call := range reads() {
			if fault == "200error" && route == "instruments" {
				continue // a list has no envelope: the load refuses it, see TestLoadInstrumentsRefuses
			}
			t.Run(fault+" "+route, func(t *testing.T) {
				t.Parallel()
				err := call(t.Context(), demoClient(t, route+":"+fault))
				got := failure(t, err, want.Kind)
				if got.Status != want.Status || got.KiteType != want.KiteType || got.Message != want.Message ||
					got.Retryable != want.Retryable || got.RetryAfter != want.RetryAfter {
					t.Errorf("error = %+v, want %+v", got, want)
				}
				if !strings.HasPrefix(err.Error(), "read ") || !strings.HasSuffix(err.Error(), want.Message) {
					t.Errorf("text = %q", err)
				}
			})
		}
	}
}

// token ends the session for later calls too, token1 only the one call.
func TestFaultTokenEndsTheSession(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]kite.ErrorKind{"token": kite.KindSessionExpired, "token1": ""} {
		c := demoClient(t, "profile:"+fault)
		_, err := c.Profile(t.Context())
		wantKind(t, err, kite.KindSessionExpired)
		_, err = c.Holdings(t.Context())
		wantKind(t, err, want)
	}
}

// A cut or broken body is no answer, in process and over a real connection.
func TestFaultsBreakingBodies(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"truncate", "reset"} {
		for route, call := range reads() {
			t.Run(fault+" "+route, func(t *testing.T) {
				t.Parallel()
				e := failure(t, call(t.Context(), demoClient(t, route+":"+fault)), kite.KindUpstreamUnavailable)
				if !e.Retryable {
					t.Error("must be retryable")
				}
				srv := httptest.NewServer(demoExchange(t, route+":"+fault).Handler())
				defer srv.Close()
				c := kite.New(kite.Options{BaseURL: srv.URL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: http.DefaultTransport})
				wantKind(t, call(t.Context(), c), kite.KindUpstreamUnavailable)
			})
		}
	}
}

// slow is waited for below the deadline and given up above it.
func TestFaultSlow(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]struct {
		kind kite.ErrorKind
		took time.Duration
	}{"slow=3s": {"", 3 * time.Second}, "slow=30s": {kite.KindTimeout, 10 * time.Second}} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := demoClient(t, "holdings:"+fault)
				began := running()
				_, err := c.Holdings(t.Context())
				wantKind(t, err, want.kind)
				if took := running().Sub(began); took != want.took {
					t.Errorf("took %v, want %v", took, want.took)
				}
			})
		})
	}
}

// Damaged rows are passed on, with the damage named and contained.
func TestFaultsDamagingRows(t *testing.T) {
	t.Parallel()
	holdings := func(t *testing.T, fault string) []kite.Holding {
		t.Helper()
		h, err := demoClient(t, "holdings:"+fault).Holdings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(h) != 10 || h[1].Problems != nil || h[1].Quantity != 60 {
			t.Fatalf("the other rows must be whole: %d rows, second %+v", len(h), h[1])
		}
		return h
	}
	if h := holdings(t, "floatqty")[0]; len(h.Problems) != 1 || h.Quantity != 0 {
		t.Errorf("floatqty: %+v", h)
	}
	if h := holdings(t, "nullqty")[0]; h.Problems != nil || h.Quantity != 0 || h.LastPrice == 0 {
		t.Errorf("nullqty: %+v", h)
	}
	if h := holdings(t, "badtime")[0]; len(h.Problems) != 1 || !h.AuthorisedDate.IsZero() {
		t.Errorf("badtime: %+v", h)
	}
	if h := holdings(t, "extra")[0]; h.Problems != nil || h.Quantity != 100 {
		t.Errorf("extra: %+v", h)
	}
	if h := holdings(t, "evil")[0]; h.Problems != nil || len(h.TradingSymbol) < 10_000 || !strings.Contains(h.TradingSymbol, "\u202e") {
		t.Errorf("evil text must arrive as sent: %d bytes", len(h.TradingSymbol))
	}
	p, err := demoClient(t, "positions:floatqty").Positions(t.Context())
	if err != nil || len(p.Net) != 5 || p.Net[0].Problems == nil && p.Net[1].Problems == nil && p.Day[0].Problems == nil {
		t.Errorf("positions: %+v, %v", p.Net[0].Problems, err)
	}
}

// A symbol that Kite leaves out is missing from the map, the others are there; odd volumes are read.
func TestFaultsOnQuotes(t *testing.T) {
	t.Parallel()
	ids := []string{"NSE:INFY", "NSE:SBIN"}
	q, err := demoClient(t, "quote:missing=NSE:INFY").LTP(t.Context(), ids)
	if err != nil || len(q) != 1 || q["NSE:SBIN"].LastPrice != 813.05*rupee {
		t.Errorf("missing: %v, %v", q, err)
	}
	q, err = demoClient(t, "quote:floatqty").Quotes(t.Context(), ids)
	if err != nil || q["NSE:SBIN"].Volume != 15_000_000_000 {
		t.Errorf("floatqty: volume %d, %v", q["NSE:SBIN"].Volume, err)
	}
	q, err = demoClient(t, "quote:badtime").Quotes(t.Context(), ids)
	if err != nil || !q["NSE:INFY"].Timestamp.IsZero() || q["NSE:INFY"].LastPrice != 1881.6*rupee {
		t.Errorf("badtime: %+v, %v", q["NSE:INFY"], err)
	}
}

// A fault is used up: the next call is whole again.
func TestFaultsAreCounted(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "holdings:503*2")
	for i := range 4 {
		_, err := c.Holdings(t.Context())
		if failed := errors.Is(err, kite.ErrUpstreamUnavailable); failed != (i < 2) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}
