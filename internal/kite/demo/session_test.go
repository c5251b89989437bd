package demo_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// submit presses the button of the login page.
func (tr trader) submit(form url.Values) (status int, to *url.URL, page string) {
	tr.t.Helper()
	r := request(tr.t, http.MethodPost, "/connect/login")
	r.Header.Del("Authorization")
	r.Header.Del("X-Kite-Version")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Body = io.NopCloser(strings.NewReader(form.Encode()))
	resp, err := tr.x.Transport().RoundTrip(r)
	if err != nil {
		tr.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		tr.t.Fatal(err)
	}
	to, _ = resp.Location() // only redirects have one
	return resp.StatusCode, to, string(b)
}

// The whole login: page, button, redirect with the app's own parameters, exchange, use, logout.
func TestLogin(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{LoggedOut: true, RedirectURL: "http://localhost:8080/callback?x=1"})
	if status, _, _ := ask(t, tr.x, tr.request(http.MethodGet, "/user/profile")); status != 403 {
		t.Errorf("before login: %d", status)
	}
	page, err := tr.x.Transport().RoundTrip(request(t, http.MethodGet, "/connect/login?v=3&api_key=demo_key&redirect_params=a%3D%22b%22"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = page.Body.Close() }()
	html, err := io.ReadAll(page.Body)
	if err != nil || page.StatusCode != 200 || strings.Count(string(html), "<button") != 1 {
		t.Fatalf("page: %d, %v\n%s", page.StatusCode, err, html)
	}
	for _, want := range []string{"DEMO", "kite-mcp", "DM0001", `value="a=&#34;b&#34;"`} {
		if !strings.Contains(string(html), want) {
			t.Errorf("the page lacks %s:\n%s", want, html)
		}
	}
	code, to, _ := tr.submit(pairs("api_key=demo_key", "user_id=DM0001", "redirect_params=state=s 1&y=2"))
	if to == nil || code != http.StatusFound || to.Host != "localhost:8080" || to.Path != "/callback" {
		t.Fatalf("redirect: %d to %v", code, to)
	}
	query := to.Query()
	token := query.Get("request_token")
	query.Del("request_token")
	if d := cmp.Diff(url.Values{"x": {"1"}, "state": {"s 1"}, "y": {"2"}, "action": {"login"}, "type": {"login"}, "status": {"success"}}, query); d != "" {
		t.Errorf("query (-want +got):\n%s", d)
	}
	if status, out := tr.exchange(token, "wrong"); status != 403 || out.ErrorType != "TokenException" {
		t.Errorf("wrong checksum: %d %+v", status, out)
	}
	status, out := tr.exchange(token, demo.APISecret)
	data, _ := out.Data.(map[string]any)
	if status != 200 || data["user_id"] != "DM0001" || data["api_key"] != demo.APIKey || data["login_time"] != "2026-12-02 11:15:00" {
		t.Fatalf("exchange: %d %+v", status, out)
	}
	if status, out := tr.exchange(token, demo.APISecret); status != 403 || out.ErrorType != "TokenException" {
		t.Errorf("used twice: %d %+v", status, out)
	}
	*tr.token = data["access_token"].(string)
	tr.get("/user/profile")
	if status, _ := tr.form(http.MethodDelete, "/session/token?api_key=demo_key&access_token="+*tr.token, nil); status != 200 {
		t.Errorf("logout: %d", status)
	}
	if status, _, _ := ask(t, tr.x, tr.request(http.MethodGet, "/user/profile")); status != 403 {
		t.Errorf("after logout: %d", status)
	}
	if status, out := tr.form(http.MethodPost, "/session/refresh_token", pairs("api_key=demo_key")); status != 403 || out.ErrorType != "TokenException" {
		t.Errorf("renew: %d %+v", status, out)
	}
}

// What a login refuses.
func TestLoginRefusals(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{})
	for name, form := range map[string]url.Values{
		"other app": pairs("api_key=x", "user_id=DM0001"), "no user": pairs("api_key=demo_key"), "another user": pairs("api_key=demo_key", "user_id=DM0002"),
	} {
		if status, _, _ := tr.submit(form); status != 400 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status, _, _ := ask(t, tr.x, request(t, http.MethodPut, "/connect/login?api_key=demo_key")); status != 405 {
		t.Errorf("PUT: %d", status)
	}
	for _, to := range []string{"https://evil.example/callback", "http://localhost@evil.example/", "ftp://localhost/", "http://127.0.0.1.evil.example"} {
		if _, err := demo.New(demo.Options{Now: seedTime, RedirectURL: to}); err == nil {
			t.Errorf("redirect to %s was accepted", to)
		}
	}
	_, _, page := tr.submit(pairs("api_key=demo_key", "user_id=DM0001"))
	words := strings.Fields(page)
	tr.advance("5m")
	if status, out := tr.exchange(words[len(words)-1], demo.APISecret); status != 403 || out.ErrorType != "TokenException" {
		t.Errorf("after five minutes: %d %+v", status, out)
	}
}

// Three users have three books that never meet.
func TestUsers(t *testing.T) {
	t.Parallel()
	tr := newTrader(t, demo.Options{Users: true})
	first := *tr.token
	tr.place("regular", limit())
	for user, want := range map[string][4]int{"DM0002": {1, 1, 2, 1}, "DM0003": {0, 0, 0, 0}} {
		tr.login(user)
		if got := tr.get("/user/profile").(map[string]any)["user_id"]; got != user {
			t.Errorf("profile of %v, want %s", got, user)
		}
		net := tr.get("/portfolio/positions").(map[string]any)["net"].([]any)
		got := [4]int{len(tr.get("/portfolio/holdings").([]any)), len(tr.get("/orders").([]any)), len(net), len(tr.get("/gtt/triggers").([]any))}
		if got != want {
			t.Errorf("%s has holdings, orders, positions, triggers %v, want %v", user, got, want)
		}
	}
	tr.login("DM0002")
	id := tr.place("regular", limit("transaction_type=SELL", "tradingsymbol=HDFCBANK", "price=1040", "quantity=1"))
	tr.advance("1s")
	if o := tr.order(id); o["status"] != rej || !strings.Contains(o["status_message"].(string), "authorised") {
		t.Errorf("sale without consent: %v", o)
	}
	if status, out := tr.form(http.MethodPost, "/portfolio/holdings/authorise", pairs("isin=INE040A01034", "quantity=1.000000")); status != 200 {
		t.Errorf("authorise: %d %+v", status, out)
	}
	id = tr.place("regular", limit("transaction_type=SELL", "tradingsymbol=HDFCBANK", "price=1040", "quantity=1"))
	tr.advance("1s")
	if o := tr.order(id); o["status"] != done || o["placed_by"] != "DM0002" {
		t.Errorf("sale with consent: %v", o)
	}
	*tr.token = first
	if n := len(tr.get("/orders").([]any)); n != 8 {
		t.Errorf("DM0001 has %d orders", n)
	}
	tr.login("DM0001")
	second := *tr.token
	*tr.token = first
	if status, _, _ := ask(t, tr.x, tr.request(http.MethodGet, "/orders")); status != 403 {
		t.Errorf("a login must end the one before: %d", status)
	}
	*tr.token = second
	tr.get("/orders")
}

// An order whose answer is lost is in the book all the same.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := newTrader(t, demo.Options{Now: bubble})
		r := tr.request(http.MethodPost, "/orders/regular")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Body = io.NopCloser(strings.NewReader(limit("tag=demolostabc").Encode()))
		began := bubble()
		_, err := tr.x.Transport().RoundTrip(r) //nolint:bodyclose // fails
		if err == nil || bubble().Sub(began) != 8*time.Second {
			t.Errorf("after %s: %v", bubble().Sub(began), err)
		}
		if o := tr.order("2044000000000000008"); o["tag"] != "demolostabc" {
			t.Errorf("lost order: %v", o)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r = tr.request(http.MethodPost, "/orders/regular").WithContext(ctx)
		r.Body = io.NopCloser(strings.NewReader(limit("tag=demolostabd").Encode()))
		if _, err := tr.x.Transport().RoundTrip(r); !errors.Is(err, context.DeadlineExceeded) { //nolint:bodyclose // fails
			t.Errorf("a caller that leaves: %v", err)
		}
	})
}

// Orders have limits of their own: ten in a second of the calendar, two hundred a minute.
func TestOrderRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := newTrader(t, demo.Options{Now: bubble, RateLimit: true})
		place := func() int {
			status, _ := tr.form(http.MethodPost, "/orders/regular", limit("price=1700", "quantity=1", "product=MIS"))
			return status
		}
		taken := 0
		for range 25 {
			for range 10 {
				if place() == 200 {
					taken++
				}
			}
			if got := place(); got != 429 {
				t.Errorf("the eleventh order of a second: %d", got)
			}
			time.Sleep(time.Second)
		}
		if taken != 200 {
			t.Errorf("%d orders in 25 seconds, want 200", taken)
		}
		if status, _, _ := ask(t, tr.x, tr.request(http.MethodGet, "/orders")); status != 200 {
			t.Errorf("reading is counted apart: %d", status)
		}
	})
}
