package demo_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// The demo clock is read and moved, forward only.
func TestClockControl(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	now := func() any { return tr.get("/__demo/clock").(map[string]any)["now"] }
	if got := now(); got != "2026-12-02T11:15:00+05:30" {
		t.Errorf("at the start: %v", got)
	}
	tr.advance("90s")
	if got := now(); got != "2026-12-02T11:16:30+05:30" {
		t.Errorf("90 seconds later: %v", got)
	}
	tr.goTo("2026-12-02T09:30:00Z")
	if got := now(); got != "2026-12-02T15:00:00+05:30" {
		t.Errorf("at a given instant: %v", got)
	}
	for name, body := range map[string]string{
		"back": `{"advance":"-1s"}`, "before": `{"now":"2026-12-02T11:15:00+05:30"}`, "nothing": `{}`, "no JSON": `x`, "no time": `{"now":"soon"}`,
		"too far": `{"advance":"9000h"}`, "overflow": `{"advance":"99999999999999999h"}`,
	} {
		if status, out := tr.send(http.MethodPost, "/__demo/clock", body, "application/json"); status != 400 || out.ErrorType != "InputException" {
			t.Errorf("%s: %d %+v", name, status, out)
		}
	}
	tr.place("regular", limit())
	if status, _ := tr.send(http.MethodPost, "/__demo/reset", "", ""); status != 200 {
		t.Errorf("reset: %d", status)
	}
	if got, n := now(), len(tr.get("/orders").([]any)); got != "2026-12-02T11:15:00+05:30" || n != 7 {
		t.Errorf("after a reset: %v, %d orders", got, n)
	}
	for path, want := range map[string]int{"GET /__demo/nope": 404, "DELETE /__demo/clock": 405, "GET /__demo/reset": 405, "GET /__demo/": 404} {
		method, path, _ := strings.Cut(path, " ")
		if status, _ := tr.send(method, path, "", ""); status != want {
			t.Errorf("%s %s: %d, want %d", method, path, status, want)
		}
	}
}

// A clock that follows real time trades at night too, at the last prices.
func TestTradingAtNight(t *testing.T) {
	t.Parallel()
	night := at(t, "2026-12-02T22:00:00+05:30")
	real := night
	x, err := demo.New(demo.Options{Now: func() time.Time { return real }})
	if err != nil {
		t.Fatal(err)
	}
	token := demo.AccessToken
	tr := trader{t, x, &token}
	id := tr.place("regular", limit("order_type=MARKET", "market_protection=-1", "quantity=2"))
	real = night.Add(10 * time.Second)
	if o := tr.order(id); o["status"] != done || o["order_timestamp"] != "2026-12-02 15:29:59" {
		t.Errorf("at night: %v at %v, %v", o["status"], o["order_timestamp"], o["status_message"])
	}
	resting := tr.place("regular", limit("price=1700"))
	real = at(t, "2026-12-03T09:20:00+05:30")
	tr.login("DM0001")
	if n := len(tr.get("/orders").([]any)); n != 0 {
		t.Errorf("%d orders in the morning, with %s", n, resting)
	}
	tr.checkBooks()
}

// Faults are read, replaced and removed while the exchange runs.
func TestFaultControl(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	armed := func() any { return tr.get("/__demo/faults").(map[string]any)["faults"] }
	if status, out := tr.send(http.MethodPut, "/__demo/faults", "orders.post:503*2,holdings:slow=1ms*0", "text/plain"); status != 200 {
		t.Fatalf("put: %d %+v", status, out)
	}
	if status, _ := tr.form(http.MethodPost, "/orders/regular", limit()); status != 503 {
		t.Errorf("armed: %d", status)
	}
	if got := armed(); got != "orders.post:503*1,holdings:slow=1ms*0" {
		t.Errorf("left: %v", got)
	}
	if status, out := tr.send(http.MethodPut, "/__demo/faults", `{"faults":"nope:503"}`, "application/json"); status != 400 || !strings.Contains(out.Message, "unknown route") {
		t.Errorf("bad rule: %d %+v", status, out)
	}
	if status, _ := tr.send(http.MethodDelete, "/__demo/faults", "", ""); status != 200 || armed() != "" {
		t.Errorf("delete: %d, left %v", status, armed())
	}
	tr.place("regular", limit())
}

// The log shows every call and no secret.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	tr.get("/quote/ltp?i=NSE:INFY")
	tr.place("regular", limit("tag=mine"))
	tr.login("DM0001")
	tr.form(http.MethodDelete, "/session/token?api_key=demo_key&access_token="+*tr.token, nil)
	ask(t, tr.x, tr.request(http.MethodGet, "/nope"))
	log := tr.get("/__demo/requests").([]any)
	var got []string
	for _, row := range log {
		r := row.(map[string]any)
		got = append(got, r["method"].(string)+" "+r["path"].(string))
	}
	want := []string{"GET /quote/ltp", "POST /orders/regular", "POST /connect/login", "POST /session/token", "DELETE /session/token", "GET /nope"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("log (-want +got):\n%s", d)
	}
	order := log[1].(map[string]any)
	if order["form"].(map[string]any)["tag"].([]any)[0] != "mine" || order["status"] != 200.0 || order["demo_at"] != "2026-12-02 11:15:00" {
		t.Errorf("order in the log: %v", order)
	}
	b, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{demo.AccessToken, *tr.token, "token demo_key"} {
		if strings.Contains(string(b), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	tr.send(http.MethodDelete, "/__demo/requests", "", "")
	if n := len(tr.get("/__demo/requests").([]any)); n != 0 {
		t.Errorf("%d calls after clearing", n)
	}
}

// Control routes answer only this machine, and no page of a browser on it.
func TestControlIsLocal(t *testing.T) {
	t.Parallel()
	h := newExchange(t, demo.Options{}).Handler()
	for name, tc := range map[string]struct {
		remote, host, origin string
		want                 int
	}{
		"in process":    {"", "kite.demo.invalid", "", 200},
		"loopback":      {"127.0.0.1:5000", "127.0.0.1:80", "", 200},
		"IPv6":          {"[::1]:5000", "[::1]:80", "", 200},
		"by name":       {"127.0.0.1:5000", "localhost:80", "", 200},
		"from outside":  {"192.0.2.1:5000", "localhost:80", "", 404},
		"rebound name":  {"127.0.0.1:5000", "evil.example:80", "", 404},
		"a page":        {"127.0.0.1:5000", "localhost:80", "https://evil.example", 404},
		"no address":    {"somewhere", "localhost", "", 404},
		"host nowhere":  {"127.0.0.1:5000", "", "", 404},
		"IPv6, no port": {"[::1]:5000", "[::1]", "", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/__demo/clock", http.NoBody)
		r.RemoteAddr, r.Host = tc.remote, tc.host
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tc.want {
			t.Errorf("%s: %d, want %d", name, w.Code, tc.want)
		}
	}
}

// What was done is there in the next process, in a file that only its owner can read.
func TestState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	o := demo.Options{State: path, Clock: demo.Clock{Frozen: seedTime()}}
	first := newTrader(t, o)
	id := first.place("regular", limit("price=1700", "tag=kept"))
	first.placeGTT(trigger(t, "single", "NSE:INFY", 1881.6, []float64{1700}, leg{"BUY", 1, 1700}))
	first.form(http.MethodPost, "/alerts", alertForm())
	first.login("DM0001")
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("state file %v, %v", info, err)
	}
	o.Clock.Frozen = seedTime().Add(time.Minute)
	second := newTrader(t, o)
	*second.token = *first.token
	if got := second.order(id); got["status"] != open || got["tag"] != "kept" {
		t.Errorf("order of the process before: %v", got)
	}
	if got := second.place("regular", limit()); got != "2044000000000000009" {
		t.Errorf("the next order is %s", got)
	}
	gtts, alerts := second.get("/gtt/triggers").([]any), second.get("/alerts").([]any)
	if len(gtts) != 5 || len(alerts) != 3 || alerts[2].(map[string]any)["alert_count"] != 1.0 {
		t.Errorf("%d triggers, %d alerts, the last %v", len(gtts), len(alerts), alerts[len(alerts)-1])
	}
	second.checkBooks()
	third := newTrader(t, demo.Options{State: path}) // starts where the first did
	*third.token = *first.token
	if now := third.get("/__demo/clock").(map[string]any)["now"]; now != "2026-12-02T11:16:00+05:30" {
		t.Errorf("the clock does not go on where the books stand: %v", now)
	}
	one := newTrader(t, demo.Options{})
	one.place("regular", limit("price=1700", "tag=kept"))
	one.advance("60s")
	if d := cmp.Diff(one.get("/portfolio/positions"), third.get("/portfolio/positions")); d != "" {
		t.Errorf("positions with and without a file in between (-without +with):\n%s", d)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".demo-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A state file that is not one stops the start; an old one is opened anew.
func TestStateThatIsNone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"broken": "{", "version": `{"version":9}`, "user": `{"version":1,"books":{"XX":{"user":"XX"}}}`, "no book": `{"version":1,"books":{"DM0001":null}}`,
		"another's": `{"version":1,"books":{"DM0001":{"user":"DM0002"}}}`,
	} {
		path := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := demo.New(demo.Options{Now: seedTime, State: path}); err == nil || !strings.Contains(err.Error(), "demo state") {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "state.json")
	old := newTrader(t, demo.Options{State: path})
	old.place("regular", limit())
	later := newTrader(t, demo.Options{State: path, Clock: demo.Clock{Frozen: seedTime().AddDate(2, 0, 0)}})
	if n := len(later.get("/orders").([]any)); n == 0 || n > 7 {
		t.Errorf("two years later: %d orders", n)
	}
	if _, err := demo.New(demo.Options{Now: seedTime, State: t.TempDir()}); err == nil {
		t.Error("a folder was accepted as a state file")
	}
}
