package kite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	kiteconnect "github.com/zerodha/gokiteconnect/v4"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// The traps of the client library, one test for each row of docs/traps.md and of its number. A row about a call that
// this program does not make shows the trap in the library itself and that nothing here calls it.

// Trap 1: the library reports failed requests on standard output, where a stdio server speaks JSON-RPC. Whatever goes
// wrong, nothing may appear there.
func TestTrap01NothingOnStandardOutput(t *testing.T) {
	failures := map[string]http.RoundTripper{
		"refused":      wire(func(*http.Request) (*http.Response, error) { return nil, errors.New("dial tcp: connection refused") }),
		"broken body":  brokenBody(200),
		"broken error": brokenBody(502),
		"html":         says(502, "<html>"),
		"html as 200":  says(200, "<html>"),
		"bad redirect": wire(func(r *http.Request) (*http.Response, error) {
			resp := response(r, 302, "")
			resp.Header.Set("Location", "http://[::1:bad")
			return resp, nil
		}),
		"wrong shape": says(200, `{"status":"success","data":"text"}`),
	}
	printed := onStandardOutput(t, func() {
		for name, transport := range failures {
			for route, call := range reads() {
				if err := call(t.Context(), clientOn(transport)); err == nil && name != "wrong shape" && route != "instruments" {
					t.Errorf("%s on %s: no error", name, route)
				}
			}
		}
		badBase := kite.New(kite.Options{BaseURL: "://nowhere", APIKey: testKey, AccessToken: testToken})
		for _, call := range reads() {
			wantKind(t, call(t.Context(), badBase), kite.KindInternal)
		}
	})
	if printed != "" {
		t.Errorf("standard output holds:\n%s", printed)
	}
}

// Trap 2: in debug mode the library prints the credentials. It is never put in that mode, and our own debug log has
// neither of them.
func TestTrap02CredentialsAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	printed := onStandardOutput(t, func() {
		c := kite.New(kite.Options{
			BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: demoExchange(t, "holdings:token1").Transport(),
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		for route, call := range reads() {
			if err := call(t.Context(), c); err != nil && !strings.HasPrefix(route, "holdings") {
				t.Errorf("%s: %v", route, err)
			}
		}
	})
	if log.Len() == 0 || printed != "" {
		t.Errorf("log of %d bytes, standard output %q", log.Len(), printed)
	}
	for _, secret := range []string{demo.APIKey, demo.AccessToken, "Authorization"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %s:\n%s", secret, log.String())
		}
	}
	neverCalled(t, "SetDebug")
}

// onStandardOutput returns what is printed while work runs. The library holds on to the variable, so it is swapped.
func onStandardOutput(t *testing.T, work func()) string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	saved := os.Stdout //nolint:forbidigo // the library holds on to this variable; the test must swap it
	os.Stdout = write  //nolint:forbidigo // as above
	printed := make(chan string)
	go func() {
		b, _ := io.ReadAll(read)
		printed <- string(b)
	}()
	work()
	os.Stdout = saved //nolint:forbidigo // as above
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	return <-printed
}

// neverCalled fails for a method of the library that the sources of this package call.
func neverCalled(t *testing.T, methods ...string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return strings.Contains(i.Path.Value, "gokiteconnect") }) {
			continue // methods of that name are our own
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(methods, s.Sel.Name) {
				t.Errorf("%s uses %s", name, s.Sel.Name)
			}
			return true
		})
	}
}

// library is the client library on a transport, as these tests use it to show a trap.
func library(transport http.RoundTripper) *kiteconnect.Client {
	lib := kiteconnect.New(demo.APIKey)
	lib.SetAccessToken(demo.AccessToken)
	lib.SetBaseURI(demo.BaseURL)
	lib.SetHTTPClient(&http.Client{Transport: transport})
	return lib
}

// recorded is a transport that keeps the last request and its body.
type recorded struct {
	url  *url.URL
	body url.Values
}

// RoundTrip answers with success.
func (r *recorded) RoundTrip(req *http.Request) (*http.Response, error) {
	r.url = req.URL
	if req.Body != nil {
		b, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		if r.body, err = url.ParseQuery(string(b)); err != nil {
			return nil, err
		}
	}
	return response(req, 200, `{"status":"success","data":{}}`), nil
}

func brokenBody(status int) wire {
	return func(r *http.Request) (*http.Response, error) {
		resp := response(r, status, "")
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"status":"succ`), failingReader{}))
		return resp, nil
	}
}

type failingReader struct{}

// Read fails.
func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Trap 3: the library has no contexts and calls every failure a 503. A cancelled call ends at once and says so; without
// help from the caller a call ends after ten seconds, and the class tells it from a refusal.
func TestTrap03CallsEnd(t *testing.T) {
	t.Parallel()
	for route, call := range reads() {
		t.Run("cancelled "+route, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := demoClient(t, "*:hang*0")
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(3*time.Second, cancel)
				began := running()
				err := call(ctx, c)
				wantKind(t, err, kite.KindTimeout)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%v is not context.Canceled", err)
				}
				if took := running().Sub(began); took != 3*time.Second {
					t.Errorf("took %v, want 3s", took)
				}
			})
		})
	}
	for route, call := range reads() {
		if route == "instruments" {
			continue // a download is bounded by its caller
		}
		t.Run("deadline "+route, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := demoClient(t, "*:hang*0")
				began := running()
				e := failure(t, call(t.Context(), c), kite.KindTimeout)
				if took := running().Sub(began); took != 10*time.Second {
					t.Errorf("took %v, want 10s", took)
				}
				if !e.Retryable || !errors.Is(e, context.DeadlineExceeded) {
					t.Errorf("error %+v must be retryable and a deadline", e)
				}
			})
		})
	}
}

// Trap 4: to the library every error page is "DataException 504". The true status decides.
func TestTrap04ErrorPagesKeepTheirStatus(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]kite.ErrorKind{
		401: kite.KindSessionExpired, 403: kite.KindPermissionDenied, 404: kite.KindNotFound, 410: kite.KindNotFound,
		429: kite.KindRateLimited, 400: kite.KindRejected, 405: kite.KindInternal,
		500: kite.KindUpstreamUnavailable, 502: kite.KindUpstreamUnavailable, 503: kite.KindUpstreamUnavailable, 504: kite.KindUpstreamUnavailable,
		301: kite.KindUpstreamUnavailable,
	} {
		for route, call := range reads() {
			if route == "holdings.summary" && status == 404 {
				continue // computes instead, and then fails on the holdings
			}
			t.Run(fmt.Sprintf("%d %s", status, route), func(t *testing.T) {
				t.Parallel()
				e := failure(t, call(t.Context(), clientOn(says(status, "<html>sorry</html>"))), want)
				if e.Status != status || e.KiteType != "" {
					t.Errorf("status %d, type %q", e.Status, e.KiteType)
				}
			})
		}
	}
}

// Trap 5: a 200 that carries an error is a failure, not an empty account.
func TestTrap05ErrorInside200(t *testing.T) {
	t.Parallel()
	body := `{"status":"error","message":"Gateway is busy","error_type":"GeneralException","data":null}`
	for route, call := range reads() {
		if route == "instruments" {
			continue // has no envelope
		}
		e := failure(t, call(t.Context(), clientOn(says(200, body))), kite.KindUpstreamUnavailable)
		if e.Message != "Gateway is busy" || e.KiteType != "GeneralException" || e.Status != 200 {
			t.Errorf("%s: %+v", route, e)
		}
	}
}

// Trap 6: null, and what empty accounts send in its place, are empty lists, never null. An object that cannot be empty
// is an error, since zeros would read as "no funds".
func TestTrap06NullIsEmpty(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"null", "[]", "{}"} {
		t.Run(data, func(t *testing.T) {
			t.Parallel()
			c := clientOn(says(200, `{"status":"success","data":`+data+`}`))
			holdings, err1 := c.Holdings(t.Context())
			compact, err2 := c.HoldingsCompact(t.Context())
			positions, err3 := c.Positions(t.Context())
			quotes, err4 := c.Quotes(t.Context(), []string{"NSE:INFY"})
			orders, err5 := c.Orders(t.Context())
			trades, err6 := c.Trades(t.Context())
			fills, err7 := c.OrderTrades(t.Context(), itcOrder)
			triggers, err8 := c.GTTs(t.Context())
			alerts, err9 := c.Alerts(t.Context(), kite.AlertFilter{})
			events, err10 := c.AlertHistory(t.Context(), dipAlert)
			funds, err11 := c.MFHoldings(t.Context())
			candles, err12 := c.Historical(t.Context(), dayCandles("2026-12-01"))
			if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12); err != nil {
				t.Fatal(err)
			}
			for name, v := range map[string]any{
				"holdings": holdings, "compact": compact, "net": positions.Net, "day": positions.Day, "orders": orders, "trades": trades,
				"fills": fills, "triggers": triggers, "alerts": alerts, "events": events, "funds": funds, "candles": candles,
			} {
				if d := cmp.Diff([]any{}, decoded(t, v)); d != "" {
					t.Errorf("%s (-want +got):\n%s", name, d)
				}
			}
			if quotes == nil || len(quotes) != 0 {
				t.Errorf("quotes = %v, want an empty map", quotes)
			}
			for _, route := range []string{"profile", "margins", "holdings.summary", "gtt.get", "alerts.get"} {
				wantKind(t, reads()[route](t.Context(), c), kite.KindUpstreamUnavailable)
			}
		})
	}
	p, err := clientOn(says(200, `{"status":"success","data":{"net":null}}`)).Positions(t.Context())
	if err != nil || p.Net == nil || p.Day == nil {
		t.Errorf("positions with null views = %+v, %v", p, err)
	}
}

// Trap 7: the library takes any page for an instruments list. The status and the header are checked, and a failed
// fetch carries the class of the failure.
func TestTrap07InstrumentsFetchChecksTheStatus(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		body   string
		want   kite.ErrorKind
	}{
		"html 502":      {502, "<html>\n<body>\n", kite.KindUpstreamUnavailable},
		"ended session": {403, `{"status":"error","message":"Incorrect token","error_type":"TokenException"}`, kite.KindSessionExpired},
		"too many":      {429, "slow down", kite.KindRateLimited},
		"redirect":      {302, "", kite.KindUpstreamUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := clientOn(says(tc.status, tc.body)).FetchInstruments(t.Context())
			e := failure(t, err, tc.want)
			if e.Status != tc.status {
				t.Errorf("status %d, want %d", e.Status, tc.status)
			}
		})
	}
	neverCalled(t, "GetInstruments", "GetInstrumentsByExchange")
}

// Trap 9: the library needs zone files for every order time. Ours is fixed, and no zone is ever looked up.
func TestTrap09FixedZone(t *testing.T) {
	t.Parallel()
	neverCalled(t, "LoadLocation")
	orders, err := demoClient(t, "").Orders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := orders[0].OrderTimestamp; got.Location() != kite.IST || got.Hour() != 9 || got.Minute() != 15 {
		t.Errorf("order time %v", got)
	}
	name, offset := time.Date(2026, 12, 2, 0, 0, 0, 0, kite.IST).Zone()
	if name != "IST" || offset != 19_800 {
		t.Errorf("zone %s %d", name, offset)
	}
}

// Trap 10: a missing time is a zero time for us and stays absent from what is shown, which is Kite's row.
func TestTrap10NoInventedDates(t *testing.T) {
	t.Parallel()
	body := `[{"exchange":"NSE","tradingsymbol":"A","authorised_date":null}]`
	h, err := clientOn(says(200, `{"status":"success","data":`+body+`}`)).Holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !h[0].AuthorisedDate.IsZero() || h[0].Problems != nil {
		t.Errorf("authorised date %v, problems %v", h[0].AuthorisedDate, h[0].Problems)
	}
	if got, _ := h[0].MarshalJSON(); string(got) != body[1:len(body)-1] {
		t.Errorf("row = %s", got)
	}
}

// Trap 11: the library reads last prices from /quote. Each call uses its own path, with repeated and escaped ids.
func TestTrap11QuotePaths(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]string{}
	c := clientOn(wire(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.Path] = r.URL.RawQuery
		return response(r, 200, `{"status":"success","data":{}}`), nil
	}))
	ids := []string{"NSE:M&M", "NSE:NIFTY 50", "NSE:M&M"}
	_, err1 := c.Quotes(t.Context(), ids)
	_, err2 := c.LTP(t.Context(), ids)
	_, err3 := c.OHLC(t.Context(), ids)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	query := "i=NSE%3AM%26M&i=NSE%3ANIFTY+50"
	want := map[string]string{"/quote": query, "/quote/ltp": query, "/quote/ohlc": query}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
	neverCalled(t, "GetLTP", "GetOHLC", "GetQuote")
}
