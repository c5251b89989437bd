package kite_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// The fields Kite documents for each answer, in the order of its documentation.
func documented() map[string]string {
	return map[string]string{
		"profile":   "user_id user_type email user_name user_shortname broker exchanges products order_types avatar_url meta",
		"margins":   "equity commodity",
		"segment":   "enabled net available utilised",
		"available": "adhoc_margin cash opening_balance live_balance collateral intraday_payin",
		"utilised": "debits exposure m2m_realised m2m_unrealised option_premium payout span holding_sales turnover " +
			"liquid_collateral stock_collateral delivery",
		"holding": "tradingsymbol exchange instrument_token isin product price quantity used_quantity t1_quantity " +
			"realised_quantity authorised_quantity authorised_date authorisation opening_quantity short_quantity " +
			"collateral_quantity collateral_type discrepancy average_price last_price close_price pnl day_change " +
			"day_change_percentage mtf",
		"mtf":     "quantity used_quantity average_price value initial_margin",
		"compact": "exchange tradingsymbol instrument_token t1_quantity quantity",
		"summary": "total_pnl total_pnl_percent today_pnl today_pnl_percent invested_amount current_value",
		"position": "tradingsymbol exchange instrument_token product quantity overnight_quantity multiplier average_price " +
			"close_price last_price value pnl m2m unrealised realised buy_quantity buy_price buy_value buy_m2m sell_quantity " +
			"sell_price sell_value sell_m2m day_buy_quantity day_buy_price day_buy_value day_sell_quantity day_sell_price day_sell_value",
		"quote": "instrument_token timestamp last_trade_time last_price last_quantity buy_quantity sell_quantity volume " +
			"average_price oi oi_day_high oi_day_low net_change lower_circuit_limit upper_circuit_limit ohlc depth",
		"ohlc":     "open high low close",
		"depth":    "buy sell",
		"level":    "price quantity orders",
		"ltp":      "instrument_token last_price",
		"dayprice": "instrument_token last_price ohlc",
	}
}

func wantFields(t *testing.T, what string, v any) {
	t.Helper()
	wantKeys(t, what, documented()[what], v)
}

// wantKeys compares the members of an object with names separated by blanks.
func wantKeys(t *testing.T, what, names string, v any) {
	t.Helper()
	object, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T, want an object", what, v)
	}
	want := strings.Fields(names)
	slices.Sort(want)
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(object))); d != "" {
		t.Errorf("fields of %s (-want +got):\n%s", what, d)
	}
}

// The profile is Kite's object, and its fields are read.
func TestProfile(t *testing.T) {
	t.Parallel()
	p, err := demoClient(t, "").Profile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantFields(t, "profile", decoded(t, p))
	if d := cmp.Diff(seed(t)["profile"], decoded(t, p)); d != "" {
		t.Errorf("profile (-seed +got):\n%s", d)
	}
	got := p
	got.Raw = nil
	want := kite.Profile{
		UserID: "DM0001", UserName: "Demo Trader", UserType: "individual", Email: "demo@example.com", Broker: "ZERODHA",
		Exchanges:  []string{"NSE", "BSE", "NFO", "BFO", "CDS", "BCD", "MCX", "MF"},
		Products:   []string{"CNC", "NRML", "MIS", "MTF", "CO"},
		OrderTypes: []string{"MARKET", "LIMIT", "SL", "SL-M"}, DematConsent: "consent",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("parsed profile (-want +got):\n%s", d)
	}
}

// Funds follow the seed's cash; the closed commodity segment is disabled and all zero.
func TestMargins(t *testing.T) {
	t.Parallel()
	m, err := demoClient(t, "").Margins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wire := decoded(t, m).(map[string]any)
	wantFields(t, "margins", wire)
	for _, s := range []string{"equity", "commodity"} {
		segment := wire[s].(map[string]any)
		wantFields(t, "segment", segment)
		wantFields(t, "available", segment["available"])
		wantFields(t, "utilised", segment["utilised"])
	}
	e := m.Equity
	if !e.Enabled || e.Available.Cash != 250_000*rupee || e.Available.Collateral != 61_840.5*rupee {
		t.Errorf("equity = %+v", e)
	}
	if live := e.Available.Cash + e.Available.Collateral - e.Utilised.Debits; e.Net != live || e.Available.LiveBalance != live {
		t.Errorf("net %v, live balance %v, want cash + collateral - debits = %v", e.Net, e.Available.LiveBalance, live)
	}
	if d := cmp.Diff(kite.Segment{}, m.Commodity); d != "" {
		t.Errorf("commodity (-want +got):\n%s", d)
	}
	if m.Problems != nil {
		t.Errorf("problems: %v", m.Problems)
	}
}

const rupee = 10_000

// At the seed's instant the computed rows are exactly those that were written down.
func TestHoldings(t *testing.T) {
	t.Parallel()
	rows, err := demoClient(t, "").Holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := seed(t)["holdings"].([]any)
	for _, row := range want {
		delete(row.(map[string]any), "note") // a remark of the seed, not on the wire
	}
	if d := cmp.Diff(want, decoded(t, rows)); d != "" {
		t.Errorf("holdings (-seed +got):\n%s", d)
	}
	wantFields(t, "holding", decoded(t, rows[0]))
	wantFields(t, "mtf", decoded(t, rows[0]).(map[string]any)["mtf"])
	infy := rows[1]
	infy.Raw = nil
	parsed := kite.Holding{
		Exchange: "NSE", TradingSymbol: "INFY", InstrumentToken: 408065, ISIN: "INE009A01021", Product: "CNC",
		Quantity: 60, T1Quantity: 15, OpeningQuantity: 75, RealisedQuantity: 60,
		AuthorisedDate: time.Date(2026, 12, 2, 0, 0, 0, 0, kite.IST),
		AveragePrice:   1702.9 * rupee, LastPrice: 1881.6 * rupee, ClosePrice: 1867.9 * rupee, PnL: 13402.5 * rupee,
		DayChange: 13.7 * rupee, DayChangePercentage: 7334,
	}
	if d := cmp.Diff(parsed, infy); d != "" {
		t.Errorf("parsed INFY (-want +got):\n%s", d)
	}
	if infy.Total() != 75 || infy.ID() != "NSE:INFY" {
		t.Errorf("total %d, id %s", infy.Total(), infy.ID())
	}
	if mtf := rows[9].MTF; mtf.Quantity != 10 || mtf.Value != 89_000*rupee {
		t.Errorf("MTF = %+v", mtf)
	}
}

// Compact rows carry the same quantities as full ones.
func TestHoldingsCompact(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	compact, err := c.HoldingsCompact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	full, err := c.Holdings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(compact) != len(full) {
		t.Fatalf("%d compact rows, %d full", len(compact), len(full))
	}
	for i, h := range compact {
		f := full[i]
		h.Raw = nil
		want := kite.HoldingCompact{
			Exchange: f.Exchange, TradingSymbol: f.TradingSymbol, InstrumentToken: f.InstrumentToken,
			T1Quantity: f.T1Quantity, Quantity: f.Quantity,
		}
		if d := cmp.Diff(want, h); d != "" {
			t.Errorf("row %d (-full +compact):\n%s", i, d)
		}
	}
	wantFields(t, "compact", decoded(t, compact[0]))
}

// Kite's totals are passed through; where Kite has no totals, the same ones come out of the holdings.
func TestHoldingsSummary(t *testing.T) {
	t.Parallel()
	want := seed(t)["holdings_summary"]
	for _, tc := range []struct {
		faults   string
		computed bool
	}{{"", false}, {"holdings.summary:404", true}} {
		t.Run(fmt.Sprintf("computed=%v", tc.computed), func(t *testing.T) {
			t.Parallel()
			s, err := demoClient(t, tc.faults).HoldingsSummary(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wantFields(t, "summary", decoded(t, s))
			if d := cmp.Diff(want, decoded(t, s)); d != "" {
				t.Errorf("summary (-seed +got):\n%s", d)
			}
			s.Raw = nil
			parsed := kite.HoldingsSummary{
				InvestedAmount: 853_701.21 * rupee, CurrentValue: 890_231.9 * rupee,
				TotalPnL: 36_530.69 * rupee, TotalPnLPercent: "4.279095",
				TodayPnL: 2_979.5 * rupee, TodayPnLPercent: "0.335812", Computed: tc.computed,
			}
			if d := cmp.Diff(parsed, s); d != "" {
				t.Errorf("parsed (-want +got):\n%s", d)
			}
		})
	}
}

// Only a missing route makes us compute: any other failure stays a failure.
func TestHoldingsSummaryComputesOnlyOn404(t *testing.T) {
	t.Parallel()
	_, err := demoClient(t, "holdings.summary:500").HoldingsSummary(t.Context())
	wantKind(t, err, kite.KindUpstreamUnavailable)
}

// Sums are exact for averages of more than four decimals and zero, not NaN, without holdings.
func TestHoldingsSummaryArithmetic(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, holdings, want string }{
		{
			"none", `[]`,
			`{"total_pnl":0,"total_pnl_percent":0,"today_pnl":0,"today_pnl_percent":0,"invested_amount":0,"current_value":0}`,
		},
		{
			"five decimals", `[{"quantity":16,"t1_quantity":0,"average_price":801.78125,"last_price":762.45,"close_price":766.4}]`,
			`{"total_pnl":-629.3,"total_pnl_percent":-4.905484,"today_pnl":-63.2,"today_pnl_percent":-0.515397,"invested_amount":12828.5,"current_value":12199.2}`,
		},
		{
			"settled and not", `[{"quantity":1,"t1_quantity":2,"average_price":0.1,"last_price":0.2,"close_price":0.2}]`,
			`{"total_pnl":0.3,"total_pnl_percent":100,"today_pnl":0,"today_pnl_percent":0,"invested_amount":0.3,"current_value":0.6}`,
		},
		{
			"average unknown", `[{"quantity":10,"average_price":0,"last_price":5,"close_price":4}]`,
			`{"total_pnl":50,"total_pnl_percent":0,"today_pnl":10,"today_pnl_percent":25,"invested_amount":0,"current_value":50}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := clientOn(byPath(map[string]string{"/portfolio/holdings": `{"status":"success","data":` + tc.holdings + `}`})).HoldingsSummary(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, string(s.Raw)); d != "" {
				t.Errorf("computed (-want +got):\n%s", d)
			}
		})
	}
}

// Net holds five positions, day the three traded today, and the arithmetic of every row adds up.
func TestPositions(t *testing.T) {
	t.Parallel()
	p, err := demoClient(t, "").Positions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	quantities := func(rows []kite.Position) map[string]int64 {
		out := map[string]int64{}
		for _, r := range rows {
			out[r.ID()+" "+r.Product] = r.Quantity
		}
		return out
	}
	today := map[string]int64{"NSE:ITC CNC": -200, "NSE:HDFCBANK MIS": 150, "NSE:IDEA CNC": -1500}
	if d := cmp.Diff(today, quantities(p.Day)); d != "" {
		t.Errorf("day (-want +got):\n%s", d)
	}
	held := maps.Clone(today)
	held["NFO:NIFTY26DECFUT NRML"], held["NFO:BANKNIFTY26DEC60000PE NRML"] = 65, -60
	if d := cmp.Diff(held, quantities(p.Net)); d != "" {
		t.Errorf("net (-want +got):\n%s", d)
	}
	for _, r := range slices.Concat(p.Net, p.Day) {
		wantFields(t, "position", decoded(t, r))
		checkPosition(t, r)
	}
	// The partly filled order was a bid one tick above the day's low, so it was filled at its limit.
	hdfc := p.Day[slices.IndexFunc(p.Day, func(r kite.Position) bool { return r.TradingSymbol == "HDFCBANK" })]
	if hdfc.DayBuyPrice != 1041.6*rupee || hdfc.PnL != 150*0.85*rupee {
		t.Errorf("HDFCBANK bought at %v, pnl %v; want 1041.6 and 127.5", hdfc.DayBuyPrice, hdfc.PnL)
	}
}

func checkPosition(t *testing.T, r kite.Position) {
	t.Helper()
	held := r.LastPrice * kite.Price(r.Quantity)
	for name, pair := range map[string][2]kite.Price{
		"quantity":   {kite.Price(r.Quantity), kite.Price(r.OvernightQuantity + r.DayBuyQuantity - r.DaySellQuantity)},
		"buy value":  {r.BuyValue, r.BuyPrice * kite.Price(r.BuyQuantity)},
		"sell value": {r.SellValue, r.SellPrice * kite.Price(r.SellQuantity)},
		"value":      {r.Value, r.SellValue - r.BuyValue},
		"pnl":        {r.PnL, r.Value + held},
		"m2m":        {r.M2M, r.SellM2M - r.BuyM2M + held},
		"unrealised": {r.Unrealised, r.PnL},
		"realised":   {r.Realised, 0},
		"multiplier": {r.Multiplier, rupee},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s = %v, want %v", r.ID(), name, pair[0], pair[1])
		}
	}
	if (r.OvernightQuantity != 0) != (r.ClosePrice != 0) {
		t.Errorf("%s: close price %v with %d overnight", r.ID(), r.ClosePrice, r.OvernightQuantity)
	}
}

// The three quote calls agree with each other, name the documented fields and leave out what is not known.
func TestQuotes(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	ids := []string{"NSE:INFY", "NSE:M&M", "NSE:NIFTY 50", "NFO:NIFTY26D0826200CE", "NSE:NOPE", "NSE:INFY"}
	full, err := c.Quotes(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	ltp, err := c.LTP(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	day, err := c.OHLC(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"NFO:NIFTY26D0826200CE", "NSE:INFY", "NSE:M&M", "NSE:NIFTY 50"}
	for name, got := range map[string]map[string]kite.Quote{"quote": full, "ltp": ltp, "ohlc": day} {
		if d := cmp.Diff(known, slices.Sorted(maps.Keys(got))); d != "" {
			t.Errorf("%s keys (-want +got):\n%s", name, d)
		}
	}
	for _, id := range known {
		wire := decoded(t, full[id]).(map[string]any)
		wantFields(t, "quote", wire)
		wantFields(t, "ohlc", wire["ohlc"])
		wantFields(t, "depth", wire["depth"])
		wantFields(t, "ltp", decoded(t, ltp[id]))
		wantFields(t, "dayprice", decoded(t, day[id]))
		if full[id].Problems != nil {
			t.Errorf("%s: problems %v", id, full[id].Problems)
		}
		if full[id].LastPrice != ltp[id].LastPrice || full[id].OHLC != day[id].OHLC || ltp[id].InstrumentToken != full[id].InstrumentToken {
			t.Errorf("%s: quote %v %v, ltp %v, ohlc %v", id, full[id].LastPrice, full[id].OHLC, ltp[id].LastPrice, day[id].OHLC)
		}
	}
	infy := full["NSE:INFY"]
	if infy.LastPrice != 1881.6*rupee || infy.OHLC != (kite.OHLC{Open: 1879.6 * rupee, High: 1881.6 * rupee, Low: 1875.8 * rupee, Close: 1867.9 * rupee}) ||
		infy.Volume != 2_161_884 || !infy.Timestamp.Equal(frozen()) || len(infy.Depth.Buy) != 5 || len(infy.Depth.Sell) != 5 {
		t.Errorf("INFY = %+v", infy)
	}
	if mm := full["NSE:M&M"].LastPrice; mm != 3389.9*rupee {
		t.Errorf("M&M = %v, want 3389.9: the ampersand must be escaped", mm)
	}
	nifty := full["NSE:NIFTY 50"]
	if len(nifty.Depth.Buy) != 0 || nifty.Volume != 0 || !nifty.LastTradeTime.IsZero() || nifty.UpperCircuitLimit != 0 {
		t.Errorf("an index has no depth, volume, trades or circuits: %+v", nifty)
	}
}

// Each planned oddity is there and survives the client.
func TestQuoteOddities(t *testing.T) {
	t.Parallel()
	quotes, err := demoClient(t, "").Quotes(t.Context(), []string{"NSE:KAVERIAGRO-SM", "NSE:CENTRALBK-BE", "NSE:IDEA", "NFO:NIFTY29DEC27000CE", "NSE:RELIANCE", "NSE:AARON"})
	if err != nil {
		t.Fatal(err)
	}
	if q := quotes["NSE:KAVERIAGRO-SM"]; q.LastPrice != q.OHLC.Close || q.LastPrice != 212.5*rupee || q.Volume != 0 || len(q.Depth.Buy)+len(q.Depth.Sell) != 0 || !q.LastTradeTime.IsZero() {
		t.Errorf("never trades: %+v", q)
	}
	if q := quotes["NSE:CENTRALBK-BE"]; len(q.Depth.Sell) != 0 || len(q.Depth.Buy) != 5 || q.LastPrice != q.UpperCircuitLimit ||
		q.UpperCircuitLimit != 31.25*rupee || q.LowerCircuitLimit != 28.29*rupee || q.SellQuantity != 0 {
		t.Errorf("at the upper circuit: %+v", q)
	}
	if q := quotes["NSE:IDEA"]; q.Depth.Buy[0].Quantity != 4_500_000_000 || q.Problems != nil {
		t.Errorf("huge depth: %+v", q)
	}
	if q, ok := quotes["NFO:NIFTY29DEC27000CE"]; ok {
		t.Errorf("the far strike is quoted: %+v", q)
	}
	// Circuits: 10 percent for shares with derivatives, 20 percent for others.
	if q := quotes["NSE:RELIANCE"]; q.LowerCircuitLimit != 1540.3*rupee || q.UpperCircuitLimit != 1882.5*rupee {
		t.Errorf("RELIANCE closed at %v, circuits %v and %v; want 1540.3 and 1882.5", q.OHLC.Close, q.LowerCircuitLimit, q.UpperCircuitLimit)
	}
	q := quotes["NSE:AARON"]
	if low := q.LowerCircuitLimit * 100 / q.OHLC.Close; low < 80 || low > 81 {
		t.Errorf("AARON closed at %v, lower circuit %v", q.OHLC.Close, q.LowerCircuitLimit)
	}
}

// byPath answers 404 for every path it does not know.
func byPath(bodies map[string]string) wire {
	return func(r *http.Request) (*http.Response, error) {
		if body, ok := bodies[r.URL.Path]; ok {
			return response(r, 200, body), nil
		}
		return response(r, 404, `{"status":"error","message":"Route not found","error_type":"GeneralException","data":null}`), nil
	}
}

// A never-read value still marshals as an object.
func TestZeroValuesMarshal(t *testing.T) {
	t.Parallel()
	for _, v := range []json.Marshaler{kite.Profile{}, kite.Margins{}, kite.Holding{}, kite.HoldingCompact{}, kite.HoldingsSummary{}, kite.Position{}, kite.Quote{}} {
		if b, err := v.MarshalJSON(); err != nil || string(b) != "{}" {
			t.Errorf("%T = %s, %v", v, b, err)
		}
	}
}
