package kite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// The traps of the client library that these calls can meet, by their number in the design.

// Traps 1 and 2: the library reports failed requests, and in debug mode the credentials, on standard output, where a
// stdio server speaks JSON-RPC. Whatever goes wrong, nothing may appear there.
func TestTrap01And02NothingOnStandardOutput(t *testing.T) {
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
	os.Stdout = saved //nolint:forbidigo // as above
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-printed; got != "" {
		t.Errorf("standard output holds:\n%s", got)
	}
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

// Trap 3: the library has no contexts and calls every failure a 503. A cancelled call ends at once and says so.
func TestTrap03CancelEndsTheCall(t *testing.T) {
	t.Parallel()
	for route, call := range reads() {
		t.Run(route, func(t *testing.T) {
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
}

// Trap 3: without any help from the caller a call ends after ten seconds, and the class tells it from a refusal.
func TestTrap03DeadlineOfTenSeconds(t *testing.T) {
	t.Parallel()
	for route, call := range reads() {
		if route == "instruments" {
			continue // a download is bounded by its caller
		}
		t.Run(route, func(t *testing.T) {
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
			if err := errors.Join(err1, err2, err3, err4); err != nil {
				t.Fatal(err)
			}
			for name, v := range map[string]any{"holdings": holdings, "compact": compact, "net": positions.Net, "day": positions.Day} {
				if d := cmp.Diff([]any{}, decoded(t, v)); d != "" {
					t.Errorf("%s (-want +got):\n%s", name, d)
				}
			}
			if quotes == nil || len(quotes) != 0 {
				t.Errorf("quotes = %v, want an empty map", quotes)
			}
			for _, route := range []string{"profile", "margins", "holdings.summary"} {
				wantKind(t, reads()[route](t.Context(), c), kite.KindUpstreamUnavailable)
			}
		})
	}
}

// Trap 6: lists inside a positions object may be null too.
func TestTrap06NullViews(t *testing.T) {
	t.Parallel()
	p, err := clientOn(says(200, `{"status":"success","data":{"net":null}}`)).Positions(t.Context())
	if err != nil || p.Net == nil || p.Day == nil {
		t.Errorf("positions = %+v, %v", p, err)
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
}

// Trap 9: the library needs zone files for every order time. Ours is fixed.
func TestTrap09FixedZone(t *testing.T) {
	t.Parallel()
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
}

// Trap 16: one odd field costs that field, not the list. 1.0 is a whole number, 10.5 is a named problem, and the row
// is passed on as sent.
func TestTrap16OddFieldsStayInTheirRow(t *testing.T) {
	t.Parallel()
	body := `[{"tradingsymbol":"A","quantity":10.5,"average_price":"12.5"},` +
		`{"tradingsymbol":"B","quantity":7.0,"authorised_date":"09:16:39"},` +
		`"no row",{"tradingsymbol":5,"quantity":true,"mtf":{"quantity":"x"}},{"tradingsymbol":"C","quantity":1.5e10}]`
	h, err := clientOn(says(200, `{"status":"success","data":`+body+`}`)).Holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Symbol   string
		Quantity int64
		Problems []string
	}
	var got []row
	for _, r := range h {
		got = append(got, row{r.TradingSymbol, r.Quantity, r.Problems})
	}
	want := []row{
		{"A", 0, []string{"quantity: 10.5"}},
		{"B", 7, []string{`authorised_date: "09:16:39"`}},
		{"", 0, []string{`not an object: "no row"`}},
		{"", 0, []string{"tradingsymbol: 5", "quantity: true", `mtf.quantity: "x"`}},
		{"C", 15_000_000_000, nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if h[0].AveragePrice != 12.5*rupee {
		t.Errorf("a number sent as text = %v", h[0].AveragePrice)
	}
	if got, _ := h[0].MarshalJSON(); string(got) != `{"tradingsymbol":"A","quantity":10.5,"average_price":"12.5"}` {
		t.Errorf("row = %s", got)
	}
}

// Trap 16: through the library too, whose own decoder gives up.
func TestTrap16CompactThroughTheLibrary(t *testing.T) {
	t.Parallel()
	rows, err := demoClient(t, "holdings.compact:floatqty").HoldingsCompact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 10 || rows[0].Problems == nil || rows[1].Quantity != 60 || rows[1].Problems != nil {
		t.Errorf("rows = %+v", rows[:2])
	}
}

// Trap 17: what would change the path or the query never leaves.
func TestTrap17ArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	c := clientOn(wire(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent") }))
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprintf("NSE:S%d", i)
	}
	for name, ids := range map[string][]string{
		"none": {}, "no exchange": {"INFY"}, "no symbol": {"NSE:"}, "empty exchange": {":INFY"}, "line break": {"NSE:INFY\nX"},
		"too long": {"NSE:" + strings.Repeat("X", 200)}, "501": many[:501], "one bad among good": {"NSE:INFY", "oops"},
	} {
		_, err := c.Quotes(t.Context(), ids)
		if e := failure(t, err, kite.KindInvalidArgument); e.Retryable {
			t.Errorf("%s: must not be retryable", name)
		}
	}
	_, err := c.LTP(t.Context(), many)
	wantKind(t, err, kite.KindInvalidArgument)
	_, err = c.LTP(t.Context(), many[:1000])
	wantKind(t, err, kite.KindUpstreamUnavailable)
	_, err = c.Quotes(t.Context(), []string{"oops", "NSE:INFY", "bad"})
	if e := failure(t, err, kite.KindInvalidArgument); !strings.Contains(e.Message, `"oops", "bad"`) {
		t.Errorf("message %q names not both", e.Message)
	}
}

// Trap 19: permissions are not sessions, under either spelling.
func TestTrap19PermissionIsNotASession(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"PermissionException", "PermissionError"} {
		body := `{"status":"error","message":"Insufficient permission for that call.","error_type":"` + kind + `"}`
		_, err := clientOn(says(403, body)).Quotes(t.Context(), []string{"NSE:INFY"})
		e := failure(t, err, kite.KindPermissionDenied)
		if e.Retryable || errors.Is(err, kite.ErrSessionExpired) {
			t.Errorf("%s: %+v", kind, e)
		}
	}
}

// Trap 20: fields the library does not know reach the caller.
func TestTrap20NoFieldIsLost(t *testing.T) {
	t.Parallel()
	h, err := demoClient(t, "holdings:extra").Holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	row := decoded(t, h[0]).(map[string]any)
	for _, key := range []string{"short_quantity", "authorisation", "demo_unknown"} {
		if _, ok := row[key]; !ok {
			t.Errorf("field %s is lost", key)
		}
	}
}

// Trap 23: one client serves many calls at once.
func TestTrap23ConcurrentCalls(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	var wg sync.WaitGroup
	for range 4 {
		for route, call := range reads() {
			wg.Go(func() {
				if err := call(t.Context(), c); err != nil {
					t.Errorf("%s: %v", route, err)
				}
			})
		}
	}
	wg.Wait()
}

// Trap 24: missing depth is no depth, not five bids at zero.
func TestTrap24DepthHasOnlyRealLevels(t *testing.T) {
	t.Parallel()
	for depth, want := range map[string]int{
		`null`:                     0,
		`{"buy":null,"sell":null}`: 0,
		`{"buy":[{"price":0,"quantity":0,"orders":0},{"price":10.5,"quantity":4500000000,"orders":2}],"sell":[]}`: 1,
	} {
		body := `{"status":"success","data":{"NSE:A":{"last_price":1,"depth":` + depth + `}}}`
		q, err := clientOn(says(200, body)).Quotes(t.Context(), []string{"NSE:A"})
		if err != nil {
			t.Fatal(err)
		}
		if got := q["NSE:A"]; len(got.Depth.Buy) != want || len(got.Depth.Sell) != 0 || got.Problems != nil {
			t.Errorf("depth %s = %+v, problems %v", depth, got.Depth, got.Problems)
		}
	}
}

// The credentials travel in the header Kite wants, on library and other calls alike, and a redirect gets none of them.
func TestHeadersAndRedirects(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	paths := map[string]int{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths[r.URL.Path]++
		if r.Header.Get("X-Kite-Version") != "3" || r.Header.Get("Authorization") != "token "+testKey+":"+testToken {
			t.Errorf("%s: headers %v", r.URL.Path, r.Header)
		}
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer srv.Close()
	c := kite.New(kite.Options{BaseURL: srv.URL + "/", APIKey: testKey, AccessToken: testToken})
	for route, call := range reads() {
		if err := call(t.Context(), c); kite.KindOf(err) != kite.KindUpstreamUnavailable {
			t.Errorf("%s: %v", route, err)
		}
	}
	if paths["/elsewhere"] != 0 || len(paths) != len(reads()) {
		t.Errorf("paths asked for: %v", paths)
	}
}
