package kite_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

const (
	gttFields = "id user_id parent_trigger type created_at updated_at expires_at status condition orders meta"
	legFields = "exchange tradingsymbol product order_type transaction_type quantity price result"
	outFields = "account_id exchange tradingsymbol validity product order_type transaction_type quantity price meta timestamp " +
		"triggered_at order_result"
	alertFields = "type user_id uuid name status disabled_reason lhs_attribute lhs_exchange lhs_tradingsymbol operator rhs_type " +
		"rhs_attribute rhs_exchange rhs_tradingsymbol rhs_constant alert_count created_at updated_at"
	fundFields = "folio fund tradingsymbol average_price last_price last_price_date pnl quantity pledged_quantity"
)

// The triggers are the seed's; why a fired one failed is there to read.
func TestGTTs(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	triggers, err := c.GTTs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		ID           int64
		Type, Status string
		Values       []kite.Price
		Legs         int
	}
	var got []line
	for _, g := range triggers {
		wire := decoded(t, g).(map[string]any)
		wantKeys(t, "trigger", gttFields, wire)
		for _, leg := range wire["orders"].([]any) {
			wantKeys(t, "leg", legFields, leg)
		}
		if g.Problems != nil {
			t.Errorf("%d: problems %v", g.ID, g.Problems)
		}
		got = append(got, line{g.ID, g.Type, g.Status, g.Condition.TriggerValues, len(g.Orders)})
	}
	want := []line{
		{900001, "single", "active", []kite.Price{1400 * rupee}, 1},
		{900002, "two-leg", "active", []kite.Price{1380 * rupee, 1750 * rupee}, 2},
		{tcsTrigger, "single", "triggered", []kite.Price{3300 * rupee}, 1},
		{900004, "single", "disabled", []kite.Price{8 * rupee}, 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("triggers (-want +got):\n%s", d)
	}
	fired, err := c.GTT(t.Context(), tcsTrigger)
	if err != nil {
		t.Fatal(err)
	}
	wantKeys(t, "outcome", outFields, decoded(t, fired).(map[string]any)["orders"].([]any)[0].(map[string]any)["result"])
	if d := cmp.Diff(triggers[2], fired); d != "" {
		t.Errorf("one trigger (-list +get):\n%s", d)
	}
	outcome := &kite.GTTResult{
		Status: "failed", RejectionReason: "Holdings are not authorised for sale.", TriggeredAt: 3300 * rupee, Timestamp: frozen(),
	}
	leg := kite.GTTOrder{
		Exchange: "NSE", TradingSymbol: "TCS", TransactionType: "SELL", Product: "CNC", OrderType: "LIMIT",
		Quantity: 12, Price: 3295 * rupee, Result: outcome,
	}
	if d := cmp.Diff([]kite.GTTOrder{leg}, fired.Orders); d != "" {
		t.Errorf("orders (-want +got):\n%s", d)
	}
	if c := fired.Condition; c.ID() != "NSE:TCS" || c.LastPrice != 3531.2*rupee || c.InstrumentToken != 2953217 || !fired.ExpiresAt.Equal(frozen().AddDate(1, 0, 0)) {
		t.Errorf("condition %+v, expires %v", c, fired.ExpiresAt)
	}
}

// Odd fields of a trigger cost themselves only.
func TestGTTOddFields(t *testing.T) {
	t.Parallel()
	body := `[{"id":1,"condition":{"trigger_values":[1,"x"]},"orders":[{"quantity":1.5,"result":{"order_result":{"order_id":12345678901234567890}}}],"meta":null},` +
		`{"id":2,"orders":"none"},{"id":3}]`
	g, err := clientOn(says(200, `{"status":"success","data":`+body+`}`)).GTTs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"condition.trigger_values: [1,\"x\"]", "orders.0.quantity: 1.5"}, {`orders: "none"`}, nil}
	for i, w := range want {
		if d := cmp.Diff(w, g[i].Problems); d != "" {
			t.Errorf("problems of %d (-want +got):\n%s", i, d)
		}
	}
	if got := g[0].Orders[0].Result.OrderID; got != "12345678901234567890" {
		t.Errorf("order id %s", got)
	}
}

// Alerts are the seed's and can be filtered by Kite.
func TestAlerts(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	all, err := c.Alerts(t.Context(), kite.AlertFilter{})
	if err != nil {
		t.Fatal(err)
	}
	wantKeys(t, "alert", alertFields, decoded(t, all[0]))
	nifty := all[0]
	nifty.Raw = nil
	want := kite.Alert{
		UUID: "00000000-0000-4000-8000-000000000001", Name: "Nifty above 27000", Type: "simple", Status: "enabled",
		LHSExchange: "INDICES", LHSTradingSymbol: "NIFTY 50", LHSAttribute: "LastTradedPrice", Operator: ">=",
		RHSType: "constant", RHSConstant: 27000 * rupee, CreatedAt: frozen(), UpdatedAt: frozen(),
	}
	if d := cmp.Diff(want, nifty); d != "" {
		t.Errorf("parsed (-want +got):\n%s", d)
	}
	for filter, want := range map[kite.AlertFilter]int{
		{}: 2, {Status: "enabled"}: 1, {Type: "ato"}: 1, {Status: "enabled", Type: "ato"}: 0, {Status: "deleted"}: 0,
	} {
		got, err := c.Alerts(t.Context(), filter)
		if err != nil || got == nil || len(got) != want {
			t.Errorf("%+v: %d alerts, %v, want %d", filter, len(got), err, want)
		}
		for _, a := range got {
			if !filter.Fits(a) {
				t.Errorf("%+v gave %+v", filter, a)
			}
		}
	}
	one, err := c.Alert(t.Context(), dipAlert)
	if d := cmp.Diff(all[1], one); d != "" || err != nil {
		t.Errorf("one alert (-list +get): %v\n%s", err, d)
	}
	if _, ok := decoded(t, one).(map[string]any)["basket"]; !ok {
		t.Error("the basket is lost")
	}
}

// An alert that fired tells when and at which quotes; one that did not has an empty history.
func TestAlertHistory(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	fired, err := c.AlertHistory(t.Context(), dipAlert)
	if err != nil || len(fired) != 1 {
		t.Fatalf("%d events, %v", len(fired), err)
	}
	wantKeys(t, "event", "uuid type meta condition created_at order_meta", decoded(t, fired[0]))
	if e := fired[0]; e.UUID != dipAlert || e.Type != "ato" || e.Condition != `LastTradedPrice("NSE:GOLDBEES") <= 100` || !e.CreatedAt.Equal(frozen()) || e.Problems != nil {
		t.Errorf("event = %+v", e)
	}
	never, err := c.AlertHistory(t.Context(), "00000000-0000-4000-8000-000000000001")
	if err != nil || never == nil || len(never) != 0 {
		t.Errorf("history = %v, %v", never, err)
	}
}

// Fund units are fractions and keep every digit; an average of six decimals is rounded to four and whole in the row.
func TestMFHoldings(t *testing.T) {
	t.Parallel()
	rows, err := demoClient(t, "").MFHoldings(t.Context())
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	wantKeys(t, "fund", fundFields, decoded(t, rows[0]))
	got := rows[0]
	got.Raw = nil
	want := kite.MFHolding{
		Folio: "31000001", Fund: "DEMO FLEXI CAP FUND - DIRECT PLAN", TradingSymbol: "INF000D01AA1", Quantity: "382.488", PledgedQuantity: "0",
		AveragePrice: 78.43 * rupee, LastPrice: 84.86 * rupee, LastPriceDate: "2026-12-01",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("parsed (-want +got):\n%s", d)
	}
	body := `[{"folio":31000001,"average_price":1874.101138,"quantity":1.334,"pledged_quantity":"x"}]`
	odd, err := clientOn(says(200, `{"status":"success","data":`+body+`}`)).MFHoldings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if h := odd[0]; h.Folio != "31000001" || h.AveragePrice != 18_741_011 || h.Quantity != "1.334" || len(h.Problems) != 1 {
		t.Errorf("odd row = %+v", h)
	}
}

// A session ends at the next 06:00 IST, whatever zone the login was written in.
func TestSessionEnd(t *testing.T) {
	t.Parallel()
	end := func(day, hour int) time.Time { return time.Date(2026, 12, day, hour, 0, 0, 0, kite.IST) }
	newYork := time.FixedZone("EST", -5*3600)
	for login, want := range map[time.Time]time.Time{
		frozen():             end(3, 6),
		end(2, 6):            end(3, 6),
		end(2, 5):            end(2, 6),
		end(2, 0):            end(2, 6),
		end(31, 23):          time.Date(2027, 1, 1, 6, 0, 0, 0, kite.IST),
		end(2, 5).UTC():      end(2, 6),
		frozen().In(newYork): end(3, 6),
	} {
		if got := kite.SessionEnd(login); !got.Equal(want) || got.Location() != kite.IST {
			t.Errorf("login %v: end %v, want %v", login, got, want)
		}
	}
}

// A minute before 06:00 IST the call is made; a minute after it is refused without one. Without a known login Kite is
// asked.
func TestSessionOverIsNotAskedFor(t *testing.T) {
	t.Parallel()
	login := time.Date(2026, 12, 2, 9, 0, 0, 0, kite.IST)
	for name, tc := range map[string]struct {
		login time.Time
		clock string
		want  kite.ErrorKind
	}{
		"05:59":         {login, "2026-12-03T05:59:00+05:30", ""},
		"06:01":         {login, "2026-12-03T06:01:00+05:30", kite.KindSessionExpired},
		"06:00":         {login, "2026-12-03T06:00:00+05:30", kite.KindSessionExpired},
		"05:59 as UTC":  {login, "2026-12-03T00:29:00Z", ""},
		"06:01 as UTC":  {login, "2026-12-03T00:31:00Z", kite.KindSessionExpired},
		"unknown login": {time.Time{}, "2026-12-03T06:01:00+05:30", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, err := time.Parse(time.RFC3339, tc.clock)
			if err != nil {
				t.Fatal(err)
			}
			c := kite.New(kite.Options{
				BaseURL: "https://kite.invalid", APIKey: testKey, AccessToken: testToken, LoggedIn: tc.login,
				Now: func() time.Time { return now }, Transport: says(200, `{"status":"success","data":[]}`),
			})
			_, err = c.Holdings(t.Context())
			wantKind(t, err, tc.want)
			want := kite.SessionEnd(now)
			if !tc.login.IsZero() {
				want = kite.SessionEnd(login)
			}
			if got := c.SessionEnds(now); !got.Equal(want) {
				t.Errorf("session ends %v, want %v", got, want)
			}
		})
	}
}
