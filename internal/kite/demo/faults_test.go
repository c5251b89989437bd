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
