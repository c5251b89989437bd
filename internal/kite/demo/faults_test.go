package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// The in-process transport behaves as a connection: it ends with the caller, and a broken body is broken.
func TestTransport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rules, err := demo.ParseFaults("profile:hang*0,margins:slow=1h*0,holdings:reset*0")
		if err != nil {
			t.Fatal(err)
		}
		x := newExchange(t, demo.Options{Now: bubble, Faults: rules})
		for _, path := range []string{"/user/profile", "/user/margins"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := x.Transport().RoundTrip(request(t, http.MethodGet, path).WithContext(ctx)) //nolint:bodyclose // fails
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", path, err)
			}
			_, err = x.Transport().RoundTrip(request(t, http.MethodGet, path).WithContext(ctx)) //nolint:bodyclose // fails
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s after the deadline: %v", path, err)
			}
			cancel()
		}
		resp, err := x.Transport().RoundTrip(request(t, http.MethodGet, "/portfolio/holdings"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if b, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) || len(b) == 0 {
			t.Errorf("%d bytes, %v", len(b), err)
		}
	})
}

// Over a real server the same faults are those of a real connection.
func TestHandlerOverHTTP(t *testing.T) {
	t.Parallel()
	rules, err := demo.ParseFaults("holdings:reset,profile:truncate")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(newExchange(t, demo.Options{Faults: rules}).Handler())
	defer srv.Close()
	fetch := func(path string) ([]byte, error) {
		r := request(t, http.MethodGet, path)
		r.URL.Host = strings.TrimPrefix(srv.URL, "http://")
		resp, err := srv.Client().Do(r)
		if err != nil {
			return nil, err
		}
		defer func() { _ = resp.Body.Close() }()
		return io.ReadAll(resp.Body)
	}
	if _, err := fetch("/portfolio/holdings"); err == nil {
		t.Error("a reset must break the body")
	}
	if b, err := fetch("/user/profile"); err != nil || json.Valid(b) {
		t.Errorf("truncate must cut the JSON and nothing else: %q, %v", b, err)
	}
	if b, err := fetch("/portfolio/holdings"); err != nil || !json.Valid(b) {
		t.Errorf("the next call must be whole: %v", err)
	}
}

// The rules of faults, and what is wrong with those that are none.
func TestParseFaults(t *testing.T) {
	t.Parallel()
	got, err := demo.ParseFaults(" holdings:503 , quote.ltp:missing=NSE:M&M*3,*:slow=250ms*0,, positions:empty=[]")
	if err != nil {
		t.Fatal(err)
	}
	want := demo.Faults{
		{Route: "holdings", Kind: "503", Count: 1},
		{Route: "quote.ltp", Kind: "missing", Arg: "NSE:M&M", Count: 3},
		{Route: "*", Kind: "slow", Arg: "250ms"},
		{Route: "positions", Kind: "empty", Arg: "[]", Count: 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("faults (-want +got):\n%s", d)
	}
	for rule, says := range map[string]string{
		"holdings": "route:kind", "cash:503": "unknown route", "holdings:418": "unknown kind", "holdings:503=x": "takes no argument",
		"holdings:slow": "needs a duration", "holdings:slow=-1s": "needs a duration", "quote:missing": "needs an instrument",
		"holdings:empty=0": "takes null", ":503": "unknown route", "holdings:503*-1": "unknown kind", "holdings:503*x": "unknown kind",
	} {
		if _, err := demo.ParseFaults("profile:500," + rule); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), rule) {
			t.Errorf("%q: error %v, want one with %q", rule, err, says)
		}
	}
}

// No rule text makes the parser panic, and what it accepts can be used.
func FuzzParseFaults(f *testing.F) {
	for _, s := range []string{"", "holdings:503", "*:slow=3s*0", "quote:missing=NSE:INFY*2", "a:b=c*d", "::**==,,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rules, err := demo.ParseFaults(s)
		if err != nil {
			return
		}
		for _, r := range rules {
			if r.Route == "" || r.Kind == "" || r.Count < 0 {
				t.Errorf("%q gives %+v", s, r)
			}
		}
	})
}

// fetchRaw returns status, content type and body of a call, and the error of reading it.
func fetchRaw(t *testing.T, x *demo.Exchange, r *http.Request) (status int, kind, body string, err error) {
	t.Helper()
	resp, err := x.Transport().RoundTrip(r)
	if err != nil {
		return 0, "", "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Content-Type"), string(b), err
}

// faultCase is a call that a fault hits and what comes back.
type faultCase struct {
	path   string
	status int
	holds  []string // in the body
	lacks  string
}

func faultCases() map[string]faultCase {
	return map[string]faultCase{
		"orders:429":                   {"/orders", 429, []string{`"NetworkException"`, "Too many requests"}, ""},
		"orders:429text":               {"/orders", 429, []string{"Too many requests\n"}, "{"},
		"orders:token":                 {"/orders", 403, []string{`"TokenException"`}, ""},
		"trades:token1":                {"/trades", 403, []string{`"TokenException"`}, ""},
		"historical:perm":              {"/instruments/historical/408065/day?from=2026-11-01&to=2026-12-01", 403, []string{`"PermissionException"`}, ""},
		"gtt:404":                      {"/gtt/triggers", 404, []string{`"GeneralException"`}, ""},
		"gtt:500":                      {"/gtt/triggers", 500, []string{`"GeneralException"`}, ""},
		"alerts:502":                   {"/alerts", 502, []string{`"NetworkException"`}, ""},
		"mf:502html":                   {"/mf/holdings", 502, []string{"<html>"}, "status"},
		"mf.holdings:503":              {"/mf/holdings", 503, []string{`"NetworkException"`}, ""},
		"orders.history:504":           {"/orders/2044000000000000003", 504, []string{`"NetworkException"`}, ""},
		"positions:200error":           {"/portfolio/positions", 200, []string{`"status":"error"`}, "net"},
		"orders:empty":                 {"/orders", 200, []string{`"data":null`}, "order_id"},
		"orders:empty=[]":              {"/orders", 200, []string{`"data":[]`}, "order_id"},
		"quote:empty={}":               {"/quote?i=NSE:INFY", 200, []string{`"data":{}`}, "INFY"},
		"quote:missing=NSE:INFY":       {"/quote/ltp?i=NSE:INFY&i=NSE:TCS", 200, []string{"NSE:TCS"}, "NSE:INFY"},
		"historical:nullcandle":        {"/instruments/historical/408065/day?from=2026-11-25&to=2026-12-01", 200, []string{",null]"}, ""},
		"historical:shortcandle":       {"/instruments/historical/408065/day?from=2026-11-27&to=2026-11-27", 200, []string{`"2026-11-27T00:00:00+0530"`}, "null"},
		"orders:floatqty":              {"/orders", 200, []string{`"quantity":10.5`, `"filled_quantity":150.0`}, ""},
		"trades:nullqty":               {"/trades", 200, []string{`"quantity":null`}, ""},
		"trades:badtime":               {"/trades", 200, []string{`"fill_timestamp":"09:16:39"`}, ""},
		"orders:extra":                 {"/orders", 200, []string{"DEMO UNKNOWN STATE", "demo_unknown"}, ""},
		"orders:evil":                  {"/orders", 200, []string{"<script>", `\u001b[2J`, strings.Repeat("A", 10_000)}, ""},
		"alerts:evil":                  {"/alerts", 200, []string{"<script>"}, ""},
		"instruments:html-instruments": {"/instruments", 200, []string{"<html>"}, "tradingsymbol"},
		"instruments:half-instruments": {"/instruments/NSE", 200, []string{"tradingsymbol"}, "\x00"},
		"instruments:badrow":           {"/instruments", 200, []string{`BAD"ROW`}, ""},
		"instruments:evil":             {"/instruments.json", 200, []string{`"tradingsymbol":"EVIL"`}, ""},
	}
}

// What each kind of fault does to an answer. Those that take time or break the connection have tests above.
func TestEveryFault(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{"slow": true, "hang": true, "reset": true, "truncate": true}
	for rule, tc := range faultCases() {
		rules, err := demo.ParseFaults(rule)
		if err != nil {
			t.Error(err)
			continue
		}
		tested[rules[0].Kind] = true
		x := newExchange(t, demo.Options{Faults: rules})
		status, kind, body, err := fetchRaw(t, x, request(t, http.MethodGet, tc.path))
		if err != nil || status != tc.status || tc.lacks != "" && strings.Contains(body, tc.lacks) {
			t.Errorf("%s: %d %s, %v, %.200s", rule, status, kind, err, body)
		}
		for _, want := range tc.holds {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %s in %.300s", rule, want, body)
			}
		}
		after, _, whole, _ := fetchRaw(t, x, request(t, http.MethodGet, tc.path))
		if want := map[bool]int{true: 403, false: 200}[rules[0].Kind == "token"]; after != want || len(whole) == 0 {
			t.Errorf("the call after %s: %d", rule, after)
		}
	}
	for _, kind := range demo.FaultKinds() {
		if !tested[kind] {
			t.Errorf("fault %s has no test", kind)
		}
	}
}

// A fault of a write: what is answered in its place is not done, what is broken on the way back is.
func TestFaultsOfWrites(t *testing.T) {
	t.Parallel()
	for rule, orders := range map[string]int{"orders.post:504": 7, "orders.post:reset": 8, "orders.post:truncate": 8, "orders.post:502html": 7, "orders:429": 7} {
		rules, err := demo.ParseFaults(rule)
		if err != nil {
			t.Fatal(err)
		}
		x := newExchange(t, demo.Options{Faults: rules})
		r := request(t, http.MethodPost, "/orders/regular")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Body = io.NopCloser(strings.NewReader(limit().Encode()))
		_, _, _, _ = fetchRaw(t, x, r)
		if n := len(get(t, x, "/orders").([]any)); n != orders {
			t.Errorf("%s: %d orders, want %d", rule, n, orders)
		}
	}
}
