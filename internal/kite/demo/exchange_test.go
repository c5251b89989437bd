package demo_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

func seedTime() time.Time {
	return time.Date(2026, 12, 2, 11, 15, 0, 0, time.FixedZone("IST", 19_800))
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	out, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bubble is the clock of a synctest bubble.
func bubble() time.Time {
	start := time.Unix(0, 0)
	return start.Add(time.Since(start))
}

func newExchange(t *testing.T, o demo.Options) *demo.Exchange {
	t.Helper()
	if o.Now == nil {
		o.Now = seedTime
	}
	if o.Clock == (demo.Clock{}) {
		o.Clock.Frozen = seedTime()
	}
	x, err := demo.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func request(t *testing.T, method, path string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, demo.BaseURL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Kite-Version", "3")
	r.Header.Set("Authorization", "token "+demo.APIKey+":"+demo.AccessToken)
	return r
}

type reply struct {
	Status    string `json:"status"`
	Message   string `json:"message"`
	ErrorType string `json:"error_type"`
	Data      any    `json:"data"`
}

func ask(t *testing.T, x *demo.Exchange, r *http.Request) (int, reply, http.Header) {
	t.Helper()
	resp, err := x.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out reply
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%s: %v in %.200s", r.URL.Path, err, body)
	}
	return resp.StatusCode, out, resp.Header
}

func get(t *testing.T, x *demo.Exchange, path string) any {
	t.Helper()
	status, out, _ := ask(t, x, request(t, http.MethodGet, path))
	if status != 200 || out.Status != "success" {
		t.Fatalf("%s: %d %+v", path, status, out)
	}
	return out.Data
}

// At the seed's instant holdings and summary are those that were written down, to the last digit.
func TestSeedIsReproduced(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("seed/account.json")
	if err != nil {
		t.Fatal(err)
	}
	var seed map[string]any
	if err := json.Unmarshal(b, &seed); err != nil {
		t.Fatal(err)
	}
	for _, h := range seed["holdings"].([]any) {
		delete(h.(map[string]any), "note")
	}
	x := newExchange(t, demo.Options{})
	for path, want := range map[string]any{
		"/portfolio/holdings": seed["holdings"], "/portfolio/holdings/summary": seed["holdings_summary"], "/user/profile": seed["profile"],
	} {
		if d := cmp.Diff(want, get(t, x, path)); d != "" {
			t.Errorf("%s (-seed +got):\n%s", path, d)
		}
	}
}

// Every refusal has the status and the words of the real exchange, and is JSON.
func TestRefusals(t *testing.T) {
	t.Parallel()
	with := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	for name, tc := range map[string]struct {
		method, path string
		change       func(*http.Request)
		status       int
		kind         string
	}{
		"unknown route":    {"GET", "/nope", nil, 404, "GeneralException"},
		"root":             {"GET", "/", nil, 404, "GeneralException"},
		"deeper":           {"GET", "/user/profile/full/x", nil, 404, "GeneralException"},
		"trailing slash":   {"GET", "/user/margins/", nil, 404, "GeneralException"},
		"unknown order":    {"GET", "/orders/1", nil, 400, "OrderException"},
		"unknown trigger":  {"GET", "/gtt/triggers/1", nil, 404, "InputException"},
		"unknown alert":    {"GET", "/alerts/x", nil, 404, "InputException"},
		"empty id":         {"GET", "/orders/", nil, 404, "GeneralException"},
		"wrong method":     {"POST", "/portfolio/holdings", nil, 405, "GeneralException"},
		"delete":           {"DELETE", "/user/profile", nil, 405, "GeneralException"},
		"no version":       {"GET", "/user/profile", with("X-Kite-Version", ""), 400, "InputException"},
		"old version":      {"GET", "/user/profile", with("X-Kite-Version", "2"), 400, "InputException"},
		"no session":       {"GET", "/user/profile", with("Authorization", ""), 403, "TokenException"},
		"other token":      {"GET", "/instruments", with("Authorization", "token demo_key:x"), 403, "TokenException"},
		"other key":        {"GET", "/quote", with("Authorization", "token x:"+demo.AccessToken), 403, "TokenException"},
		"bearer":           {"GET", "/quote", with("Authorization", "Bearer "+demo.AccessToken), 403, "TokenException"},
		"unknown segment":  {"GET", "/user/margins/crypto", nil, 400, "InputException"},
		"unknown exchange": {"GET", "/instruments/NYSE", nil, 400, "InputException"},
		"501 quotes":       {"GET", "/quote?" + strings.Repeat("i=NSE:INFY&", 501), nil, 400, "InputException"},
		"1001 ltp":         {"GET", "/quote/ltp?" + strings.Repeat("i=NSE:INFY&", 1001), nil, 400, "InputException"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(t, tc.method, tc.path)
			if tc.change != nil {
				tc.change(r)
			}
			status, out, head := ask(t, newExchange(t, demo.Options{}), r)
			if status != tc.status || out.Status != "error" || out.ErrorType != tc.kind || out.Message == "" || out.Data != nil {
				t.Errorf("%d %+v", status, out)
			}
			if head.Get("Content-Type") != "application/json" || status == 405 && head.Get("Allow") != "GET" {
				t.Errorf("headers %v", head)
			}
		})
	}
}

// A session that was begun before six ends at six, on the demo clock.
func TestSessionEndsAtSix(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := newExchange(t, demo.Options{Now: bubble, Clock: demo.Clock{Frozen: at(t, "2026-12-02T05:59:00+05:30"), Speed: 1}})
		status := func() int {
			s, _, _ := ask(t, x, request(t, http.MethodGet, "/user/profile"))
			return s
		}
		if got := status(); got != 200 {
			t.Errorf("at 05:59: %d", got)
		}
		time.Sleep(59 * time.Second)
		if got := status(); got != 200 {
			t.Errorf("at 05:59:59: %d", got)
		}
		time.Sleep(time.Second)
		if got := status(); got != 403 {
			t.Errorf("at 06:00: %d", got)
		}
	})
}

// The demo clock freezes, runs at a chosen speed, or follows real time and falls back to the last open second.
func TestClock(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		clock       demo.Clock
		start, want string // real start, demo time ten minutes later
	}{
		"frozen":         {demo.Clock{Frozen: seedTime()}, "2030-01-01T00:00:00Z", "2026-12-02T11:15:00+05:30"},
		"frozen and run": {demo.Clock{Frozen: seedTime(), Speed: 60}, "2030-01-01T00:00:00Z", "2026-12-02T21:15:00+05:30"},
		"real, open":     {demo.Clock{}, "2026-12-02T05:45:00Z", "2026-12-02T11:25:00+05:30"},
		"real, closed":   {demo.Clock{}, "2026-12-05T05:45:00Z", "2026-12-04T15:29:59+05:30"},
		"real, closing":  {demo.Clock{}, "2026-12-02T15:25:00+05:30", "2026-12-02T15:29:59+05:30"},
		"real, fast":     {demo.Clock{Speed: 6}, "2026-12-02T10:00:00+05:30", "2026-12-02T11:00:00+05:30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			real := at(t, tc.start)
			x, err := demo.New(demo.Options{Now: func() time.Time { return real }, Clock: tc.clock})
			if err != nil {
				t.Fatal(err)
			}
			real = real.Add(10 * time.Minute)
			if got := x.Now().Format(time.RFC3339); got != tc.want {
				t.Errorf("demo time %s, want %s", got, tc.want)
			}
		})
	}
}

// One quote call and ten others in any second, counted apart, on the real clock although the demo clock stands still.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := newExchange(t, demo.Options{Now: bubble, RateLimit: true})
		call := func(path string) int {
			status, _, _ := ask(t, x, request(t, http.MethodGet, path))
			return status
		}
		if a, b := call("/quote?i=NSE:INFY"), call("/quote/ltp?i=NSE:INFY"); a != 200 || b != 429 {
			t.Errorf("two quote calls: %d %d", a, b)
		}
		for i := range 11 {
			if got, want := call("/user/profile"), 200; i < 10 && got != want || i == 10 && got != 429 {
				t.Errorf("call %d: %d", i+1, got)
			}
		}
		time.Sleep(time.Second)
		if a, b := call("/quote/ohlc?i=NSE:INFY"), call("/user/margins"); a != 200 || b != 200 {
			t.Errorf("a second later: %d %d", a, b)
		}
	})
	x := newExchange(t, demo.Options{})
	for range 30 {
		get(t, x, "/quote/ltp?i=NSE:INFY")
	}
}

func fetchCSV(t *testing.T, x *demo.Exchange, path, encoding string) (string, http.Header) {
	t.Helper()
	r := request(t, http.MethodGet, path)
	r.Header.Set("Accept-Encoding", encoding)
	resp, err := x.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body := io.Reader(resp.Body)
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(body); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), resp.Header
}

// Instruments come plain or compressed as asked for, whole or for one exchange.
func TestInstruments(t *testing.T) {
	t.Parallel()
	x := newExchange(t, demo.Options{})
	plain, head := fetchCSV(t, x, "/instruments", "")
	if head.Get("Content-Encoding") != "" || head.Get("Content-Type") != "text/csv" || strings.Count(plain, "\n") != 5691 {
		t.Errorf("headers %v, %d lines", head, strings.Count(plain, "\n"))
	}
	zipped, head := fetchCSV(t, x, "/instruments", "gzip")
	if head.Get("Content-Encoding") != "gzip" || zipped != plain {
		t.Errorf("compressed: headers %v, equal %v", head, zipped == plain)
	}
	total := 0
	for _, exchange := range []string{"NSE", "BSE", "NFO", "BFO", "MCX", "CDS", "BCD"} {
		for _, encoding := range []string{"", "gzip"} {
			part, _ := fetchCSV(t, x, "/instruments/"+exchange, encoding)
			lines := strings.Split(strings.TrimSpace(part), "\n")
			if lines[0] != strings.SplitN(plain, "\n", 2)[0] || !strings.HasSuffix(lines[1], ","+exchange) {
				t.Errorf("%s starts with %q, %q", exchange, lines[0], lines[1])
			}
			if encoding == "" {
				total += len(lines) - 1
			}
		}
	}
	if total != 5690 {
		t.Errorf("%d rows in all exchanges, want 5690", total)
	}
}

// The list without login has every instrument of the CSV and an ISIN for every share, valid and the same on both
// exchanges.
func TestInstrumentLines(t *testing.T) {
	t.Parallel()
	x := newExchange(t, demo.Options{LoggedOut: true})
	r := request(t, http.MethodGet, "/instruments.json")
	r.Header = http.Header{"Accept-Encoding": {"gzip"}}
	resp, err := x.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := gzip.NewReader(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	isins := map[string]string{}
	count := 0
	for dec := json.NewDecoder(body); dec.More(); count++ {
		var row struct {
			ID, Tradingsymbol, ISIN, Exchange, Expiry string
			Instrument_token, Exchange_token          uint32 //nolint:revive // names of the wire
			Freeze_quantity                           int64  //nolint:revive // names of the wire
		}
		if err := dec.Decode(&row); err != nil {
			t.Fatal(err)
		}
		if row.ID != row.Exchange+":"+row.Tradingsymbol || row.Instrument_token>>8 != row.Exchange_token || row.Expiry != "" != (row.Freeze_quantity > 0) {
			t.Errorf("row %+v", row)
		}
		if row.ISIN == "" {
			continue
		}
		if !validISIN(row.ISIN) || isins[row.Tradingsymbol] != "" && isins[row.Tradingsymbol] != row.ISIN {
			t.Errorf("ISIN of %s is %s", row.ID, row.ISIN)
		}
		isins[row.Tradingsymbol] = row.ISIN
	}
	if count != 5690 || isins["INFY"] != "INE009A01021" || len(isins) < 489 {
		t.Errorf("%d rows, INFY %s, %d ISINs", count, isins["INFY"], len(isins))
	}
}

// validISIN is the check of the standard: letters as two digits, every second digit from the right doubled.
func validISIN(s string) bool {
	var digits []byte
	for _, r := range s {
		if r >= 'A' {
			digits = strconv.AppendInt(digits, int64(r-'A'+10), 10)
		} else {
			digits = strconv.AppendInt(digits, int64(r-'0'), 10)
		}
	}
	sum := 0
	for i := range digits {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return len(s) == 12 && sum%10 == 0
}

// A list brought along replaces the built-in one; a broken one is refused at the start.
func TestOwnInstruments(t *testing.T) {
	t.Parallel()
	const header = "instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange\n"
	x := newExchange(t, demo.Options{Instruments: strings.NewReader(header + "408065,1594,INFY,\"INFOSYS\",0,,0,0.1,1,EQ,NSE,NSE\n" +
		"770,3,INFY30JANFUT,\"INFY\",0,2030-01-29,0,0.1,400,FUT,NFO-FUT,NFO\n")})
	quotes := get(t, x, "/quote/ltp?i=NSE:INFY&i=NSE:SBIN&i=NFO:INFY30JANFUT").(map[string]any)
	if len(quotes) != 2 || quotes["NSE:INFY"].(map[string]any)["last_price"] != 1881.6 {
		t.Errorf("quotes = %v", quotes)
	}
	if rows := get(t, x, "/portfolio/holdings").([]any); len(rows) != 10 {
		t.Errorf("%d holdings", len(rows))
	}
	if p := get(t, x, "/portfolio/positions").(map[string]any); len(p["net"].([]any)) != 0 {
		t.Errorf("positions in instruments that do not exist: %v", p)
	}
	for name, text := range map[string]string{
		"empty": "", "html": "<html>", "header of another list": "a,b\n1,2\n", "bad number": header + "x,1,A,N,0,,0,0.05,1,EQ,NSE,NSE\n",
		"bad date": header + "257,1,A,N,0,soon,0,0.05,1,EQ,NSE,NSE\n", "short row": header + "257,1\n",
	} {
		if _, err := demo.New(demo.Options{Now: seedTime, Instruments: strings.NewReader(text)}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// The same account on other days: it has prices, its positions add up, and what has expired is gone.
func TestOtherDays(t *testing.T) {
	t.Parallel()
	for day, net := range map[string]int{"2026-11-30T12:00:00+05:30": 5, "2026-12-29T15:29:00+05:30": 5, "2026-12-30T09:16:00+05:30": 3, "2028-02-01T03:00:00+05:30": 3} {
		t.Run(day, func(t *testing.T) {
			t.Parallel()
			x := newExchange(t, demo.Options{Clock: demo.Clock{Frozen: at(t, day)}})
			p := get(t, x, "/portfolio/positions").(map[string]any)
			if got := len(p["net"].([]any)); got != net {
				t.Errorf("%d net positions, want %d", got, net)
			}
			if got := len(p["day"].([]any)); got != 3 {
				t.Errorf("%d day positions, want 3", got)
			}
			for _, h := range get(t, x, "/portfolio/holdings").([]any) {
				if last := h.(map[string]any)["last_price"].(float64); last <= 0 {
					t.Errorf("holding without price: %v", h)
				}
			}
			m := get(t, x, "/user/margins/equity").(map[string]any)
			if m["enabled"] != true || m["net"].(float64) <= 0 {
				t.Errorf("equity = %v", m)
			}
		})
	}
	x := newExchange(t, demo.Options{Clock: demo.Clock{Frozen: at(t, "2026-12-30T10:00:00+05:30")}})
	if q := get(t, x, "/quote/ltp?i=NFO:NIFTY26DECFUT&i=NFO:NIFTY27JANFUT").(map[string]any); len(q) != 1 {
		t.Errorf("expired contracts must not be quoted: %v", q)
	}
}

// The two margin calls and the two profile calls agree.
func TestSegmentsAndFullProfile(t *testing.T) {
	t.Parallel()
	x := newExchange(t, demo.Options{})
	both := get(t, x, "/user/margins").(map[string]any)
	for _, s := range []string{"equity", "commodity"} {
		if d := cmp.Diff(both[s], get(t, x, "/user/margins/"+s)); d != "" {
			t.Errorf("%s (-both +one):\n%s", s, d)
		}
	}
	full := get(t, x, "/user/profile/full").(map[string]any)
	for key, value := range get(t, x, "/user/profile").(map[string]any) {
		if d := cmp.Diff(value, full[key]); d != "" && key != "meta" {
			t.Errorf("%s (-profile +full):\n%s", key, d)
		}
	}
	for _, key := range []string{"twofa_type", "phone", "pan", "bank_accounts", "dp_ids", "tags", "password_timestamp", "twofa_timestamp"} {
		if _, ok := full[key]; !ok {
			t.Errorf("full profile lacks %s", key)
		}
	}
}

// Equal instants give equal bytes, from any number of readers at once.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	paths := []string{"/user/margins", "/portfolio/holdings", "/portfolio/positions", "/quote?i=NSE:INFY&i=NFO:NIFTY26D0826200CE&i=BSE:SENSEX"}
	read := func(x *demo.Exchange, path string) string {
		resp, err := x.Transport().RoundTrip(request(t, http.MethodGet, path))
		if err != nil {
			t.Error(err)
			return ""
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	first := newExchange(t, demo.Options{})
	second := newExchange(t, demo.Options{})
	var wg sync.WaitGroup
	for _, path := range paths {
		want := read(first, path)
		for range 4 {
			wg.Go(func() {
				if got := read(second, path); got != want {
					t.Errorf("%s differs", path)
				}
			})
		}
	}
	wg.Wait()
}
