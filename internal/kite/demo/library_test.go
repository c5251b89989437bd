package demo_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the library loads a zone for every time it reads

	"github.com/google/go-cmp/cmp"
	kiteconnect "github.com/zerodha/gokiteconnect/v4"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// keep remembers the body of the last answer, so that a test can see what the library lost of it.
type keep struct {
	next http.RoundTripper
	body []byte
}

func (k *keep) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := k.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(resp.Body)
	_ = resp.Body.Close()
	k.body = b.Bytes()
	resp.Body = http.NoBody
	if err == nil {
		resp.Body = readCloser{bytes.NewReader(k.body)}
	}
	return resp, err
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

func library(t *testing.T) (*kiteconnect.Client, *keep) {
	t.Helper()
	k := &keep{next: newExchange(t, demo.Options{}).Transport()}
	c := kiteconnect.New(demo.APIKey)
	c.SetBaseURI(demo.BaseURL)
	c.SetHTTPClient(&http.Client{Transport: k})
	c.SetAccessToken(demo.AccessToken)
	return c, k
}

// lossless holds what the library read against the bytes it read: every number and text that the answer has and the
// library knows a place for must be there. Fields that the library has no place for are named.
func lossless(t *testing.T, what string, body []byte, got any, unknown ...string) {
	t.Helper()
	var raw struct{ Data any }
	if err := json.Unmarshal(body, &raw); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	compareLoss(t, what, raw.Data, read, unknown)
}

func compareLoss(t *testing.T, at string, raw, read any, unknown []string) {
	t.Helper()
	switch raw := raw.(type) {
	case map[string]any:
		object, _ := read.(map[string]any)
		for key, v := range raw {
			if slices.Contains(unknown, key) {
				continue
			}
			compareLoss(t, at+"."+key, v, object[key], unknown)
		}
	case []any:
		list, _ := read.([]any)
		if len(list) != len(raw) {
			t.Errorf("%s: %d of %d rows", at, len(list), len(raw))
			return
		}
		for i, v := range raw {
			compareLoss(t, at+"[]", v, list[i], unknown)
		}
	case nil: // read as a zero value
	case string:
		if raw == "" || looksLikeTime(raw) && read != nil { // times are read as times of another form
			return
		}
		if raw != read {
			t.Errorf("%s: %q read as %v", at, raw, read)
		}
	default:
		if raw != read && (raw != false || read != nil) {
			t.Errorf("%s: %v read as %v", at, raw, read)
		}
	}
}

func looksLikeTime(s string) bool {
	return len(s) >= 10 && s[4] == '-' && s[7] == '-'
}

// libraryRead is a call of the library and the fields that it has no place for.
type libraryRead struct {
	what    string
	call    func() (any, error)
	unknown string
}

func libraryReads(c *kiteconnect.Client) []libraryRead {
	alertID := "00000000-0000-4000-8000-000000000002"
	order, mf := "2044000000000000003", ""
	return []libraryRead{
		{"profile", func() (any, error) { return c.GetUserProfile() }, ""},
		{"full profile", func() (any, error) { return c.GetFullUserProfile() }, "demat_consent"},
		{"margins", func() (any, error) { return c.GetUserMargins() }, ""},
		{"equity", func() (any, error) { return c.GetUserSegmentMargins("equity") }, ""},
		{"holdings", func() (any, error) { return c.GetHoldings() }, "short_quantity authorisation"},
		{"summary", func() (any, error) { return c.GetHoldingsSummary() }, ""},
		{"compact", func() (any, error) { return c.GetHoldingsCompact() }, ""},
		{"auctions", func() (any, error) { return c.GetAuctionInstruments() }, "short_quantity authorisation used_quantity mtf"},
		{"positions", func() (any, error) { return c.GetPositions() }, ""},
		{"orders", func() (any, error) { return c.GetOrders() }, ""},
		{"history", func() (any, error) { return c.GetOrderHistory(order) }, ""},
		{"trades", func() (any, error) { return c.GetTrades() }, "order_timestamp"},
		{"order trades", func() (any, error) { return c.GetOrderTrades(order) }, "order_timestamp"},
		{"triggers", func() (any, error) { return c.GetGTTs() }, "parent_trigger instrument_token result"},
		{"trigger", func() (any, error) { return c.GetGTT(900002) }, "parent_trigger instrument_token result"},
		{"alerts", func() (any, error) { return c.GetAlerts(nil) }, ""},
		{"alerts by status", func() (any, error) { return c.GetAlerts(map[string]string{"status": "disabled"}) }, ""},
		{"alert", func() (any, error) { return c.GetAlert(alertID) }, ""},
		{"alert history", func() (any, error) { return c.GetAlertHistory(alertID) }, ""},
		{"fund holdings", func() (any, error) { return c.GetMFHoldings() }, "pledged_quantity"},
		{"fund holding", func() (any, error) { return c.GetMFHoldingInfo("INF000D01AA1") }, ""},
		{"fund orders", func() (any, error) {
			o, err := c.GetMFOrders()
			if len(o) > 0 {
				mf = o[0].OrderID
			}
			return o, err
		}, "last_price_date"},
		{"fund orders by date", func() (any, error) { return c.GetMFOrdersByDate("2026-11-01", "2026-12-31") }, "last_price_date"},
		{"fund order", func() (any, error) { return c.GetMFOrderInfo(mf) }, "last_price_date"},
		{"plans", func() (any, error) { return c.GetMFSIPs() }, "sip_reg_num"},
		{"plan", func() (any, error) { return c.GetMFSIPInfo("892000000000001") }, "sip_reg_num"},
		{"allotments", func() (any, error) { return c.GetMFAllottedISINs() }, ""},
		{"quote", func() (any, error) { return c.GetQuote("NSE:INFY", "NSE:M&M", "NFO:NIFTY26DECFUT", "NSE:NIFTY 50") }, ""},
		{"ohlc", func() (any, error) { return c.GetOHLC("NSE:INFY") }, fullQuoteOnly},
		{"ltp", func() (any, error) { return c.GetLTP("NSE:INFY") }, fullQuoteOnly + " ohlc"},
	}
}

// The reads of the library all succeed and lose nothing but what it has no place for.
func TestLibraryReads(t *testing.T) {
	t.Parallel()
	c, k := library(t)
	for _, tc := range libraryReads(c) {
		got, err := tc.call()
		if err != nil {
			t.Errorf("%s: %v", tc.what, err)
			continue
		}
		lossless(t, tc.what, k.body, got, strings.Fields(tc.unknown)...)
	}
	day := time.Date(2026, 12, 1, 9, 15, 0, 0, time.FixedZone("IST", 19_800))
	candles, err := c.GetHistoricalData(408065, "minute", day, day.Add(10*time.Minute), false, true)
	if err != nil || len(candles) != 11 || candles[0].Date.Unix() != day.Unix() || candles[0].Close == 0 {
		t.Errorf("candles: %d, %v", len(candles), err)
	}
	all, err := c.GetInstruments()
	if err != nil || len(all) != 5690 {
		t.Errorf("%d instruments, %v", len(all), err)
	}
	nse, err := c.GetInstrumentsByExchange("NSE")
	if err != nil || len(nse) == 0 {
		t.Errorf("%d of NSE, %v", len(nse), err)
	}
	schemes, err := c.GetMFInstruments()
	if err != nil || len(schemes) != 5 || schemes[0].LastPrice != 84.86 {
		t.Errorf("schemes %v, %v", schemes, err)
	}
}

// The library asks for whole quotes and reads a part.
const fullQuoteOnly = "timestamp last_trade_time last_quantity buy_quantity sell_quantity volume average_price oi oi_day_high oi_day_low " +
	"net_change lower_circuit_limit upper_circuit_limit depth"

// The writes of the library all succeed and do what they say.
func TestLibraryWrites(t *testing.T) {
	t.Parallel()
	c, _ := library(t)
	params := kiteconnect.OrderParams{
		Exchange: "NSE", Tradingsymbol: "INFY", TransactionType: "BUY", OrderType: "LIMIT", Product: "CNC", Quantity: 2, Price: 1700, Validity: "DAY", Tag: "abc",
	}
	order, err := c.PlaceOrder("regular", params)
	if err != nil {
		t.Fatal(err)
	}
	history, err := c.GetOrderHistory(order.OrderID)
	if err != nil || len(history) != 2 || history[1].Tag != "abc" || history[1].Quantity != 2 {
		t.Errorf("history %+v, %v", history, err)
	}
	amo, err := c.CancelOrder("regular", "2044000000000000002", nil)
	if err != nil || amo.OrderID != "2044000000000000002" {
		t.Errorf("cancel: %+v, %v", amo, err)
	}
	if _, err := c.ModifyOrder("regular", "2044000000000000003", kiteconnect.OrderParams{Quantity: 300}); err != nil {
		t.Errorf("modify: %v", err)
	}
	ok, err := c.ConvertPosition(kiteconnect.ConvertPositionParams{
		Exchange: "NSE", TradingSymbol: "HDFCBANK", OldProduct: "MIS", NewProduct: "CNC", PositionType: "day", TransactionType: "BUY", Quantity: 50,
	})
	if err != nil || !ok {
		t.Errorf("convert: %v, %v", ok, err)
	}
	auth, err := c.InitiateHoldingsAuth(kiteconnect.HoldingAuthParams{Type: "equity"})
	if err != nil || auth.RequestID == "" {
		t.Errorf("authorise: %+v, %v", auth, err)
	}
}

// Triggers and alerts through the library.
func TestLibraryTriggers(t *testing.T) {
	t.Parallel()
	c, _ := library(t)
	trigger := &kiteconnect.GTTOneCancelsOtherTrigger{
		Upper: kiteconnect.TriggerParams{TriggerValue: 2000, LimitPrice: 2000, Quantity: 5}, Lower: kiteconnect.TriggerParams{TriggerValue: 1700, LimitPrice: 1699, Quantity: 5},
	}
	gtt, err := c.PlaceGTT(kiteconnect.GTTParams{Exchange: "NSE", Tradingsymbol: "INFY", LastPrice: 1881.6, TransactionType: "SELL", Product: "CNC", Trigger: trigger})
	if err != nil {
		t.Fatal(err)
	}
	trigger.Upper.TriggerValue = 2010
	if _, err := c.ModifyGTT(gtt.TriggerID, kiteconnect.GTTParams{Exchange: "NSE", Tradingsymbol: "INFY", LastPrice: 1881.6, TransactionType: "SELL", Product: "CNC", Trigger: trigger}); err != nil {
		t.Errorf("modify trigger: %v", err)
	}
	got, err := c.GetGTT(gtt.TriggerID)
	if err != nil || !slices.Equal(got.Condition.TriggerValues, []float64{1700, 2010}) || got.Status != "active" {
		t.Errorf("trigger %+v, %v", got, err)
	}
	if _, err := c.DeleteGTT(gtt.TriggerID); err != nil {
		t.Errorf("delete trigger: %v", err)
	}
	alert, err := c.CreateAlert(kiteconnect.AlertParams{
		Name: "n", Type: "simple", LHSExchange: "INDICES", LHSTradingSymbol: "NIFTY 50", LHSAttribute: "LastTradedPrice", Operator: ">=", RHSType: "constant", RHSConstant: 30000,
	})
	if err != nil || alert.RHSConstant != 30000 || alert.Status != "enabled" {
		t.Fatalf("alert %+v, %v", alert, err)
	}
	changed, err := c.ModifyAlert(alert.UUID, kiteconnect.AlertParams{
		Name: "m", Type: "simple", LHSExchange: "NSE", LHSTradingSymbol: "INFY", LHSAttribute: "LastTradedPrice", Operator: "<", RHSType: "instrument",
		RHSExchange: "NSE", RHSTradingSymbol: "TCS", RHSAttribute: "LastTradedPrice",
	})
	if err != nil || changed.Name != "m" || changed.RHSTradingSymbol != "TCS" || changed.UUID != alert.UUID {
		t.Errorf("changed alert %+v, %v", changed, err)
	}
	if err := c.DeleteAlerts(alert.UUID); err == nil {
		t.Error("the library sends no uuid; that must not delete anything")
	}
	if _, err := c.GetAlert(alert.UUID); err != nil {
		t.Errorf("alert after a deletion without uuid: %v", err)
	}
}

// Funds, calculators and the session through the library.
func TestLibraryFundsAndSession(t *testing.T) {
	t.Parallel()
	c, _ := library(t)
	mf, err := c.PlaceMFOrder(kiteconnect.MFOrderParams{Tradingsymbol: "INF000D01AB9", TransactionType: "BUY", Amount: 5000})
	if err != nil || mf.OrderID == "" {
		t.Errorf("fund order: %+v, %v", mf, err)
	}
	if _, err := c.CancelMFOrder(mf.OrderID); err != nil {
		t.Errorf("cancel fund order: %v", err)
	}
	sip, err := c.PlaceMFSIP(kiteconnect.MFSIPParams{Tradingsymbol: "INF000D01AC7", Amount: 1000, Instalments: 12, Frequency: "monthly", InstalmentDay: 10})
	if err != nil || sip.SIPID == "" {
		t.Fatalf("plan: %+v, %v", sip, err)
	}
	if _, err := c.ModifyMFSIP(sip.SIPID, kiteconnect.MFSIPModifyParams{Amount: 2000, Status: "paused"}); err != nil {
		t.Errorf("modify plan: %v", err)
	}
	got, err := c.GetMFSIPInfo(sip.SIPID)
	if err != nil || got.InstalmentAmount != 2000 || got.Status != "PAUSED" || got.NextInstalment != "2026-12-10" || got.Instalments != 12 {
		t.Errorf("plan %+v, %v", got, err)
	}
	if _, err := c.CancelMFSIP(sip.SIPID); err != nil {
		t.Errorf("cancel plan: %v", err)
	}
	calc := []kiteconnect.OrderMarginParam{{Exchange: "NSE", Tradingsymbol: "INFY", TransactionType: "BUY", Variety: "regular", Product: "CNC", OrderType: "LIMIT", Quantity: 10, Price: 1881.6}}
	margins, err := c.GetOrderMargins(kiteconnect.GetMarginParams{OrderParams: calc})
	if err != nil || len(margins) != 1 || margins[0].Total != 18816 || margins[0].VAR != 18816 || margins[0].Charges.Total == 0 {
		t.Errorf("margins %+v, %v", margins, err)
	}
	basket, err := c.GetBasketMargins(kiteconnect.GetBasketParams{OrderParams: append(calc, calc...), Compact: true, ConsiderPositions: true})
	if err != nil || len(basket.Orders) != 2 || basket.Initial.Total != 2*18816 || basket.Final.Total != 2*18816 {
		t.Errorf("basket %+v, %v", basket, err)
	}
	charges, err := c.GetOrderCharges(kiteconnect.GetChargesParams{OrderParams: []kiteconnect.OrderChargesParam{
		{OrderID: "1", Exchange: "NSE", Tradingsymbol: "SBIN", TransactionType: "BUY", Variety: "regular", Product: "CNC", OrderType: "MARKET", Quantity: 1, AveragePrice: 560},
	}})
	if err != nil || len(charges) != 1 {
		t.Fatalf("charges %+v, %v", charges, err)
	}
	want := kiteconnect.Charges{
		TransactionTax: 0.56, TransactionTaxType: "stt", ExchangeTurnoverCharge: 0.0166, SEBITurnoverCharge: 0.0006, StampDuty: 0.084,
		GST: kiteconnect.GST{IGST: 0.0031, Total: 0.0031}, Total: 0.6643,
	}
	if d := cmp.Diff(want, charges[0].Charges); d != "" {
		t.Errorf("charges of 560 rupees (-want +got):\n%s", d)
	}
	if ok, err := c.InvalidateRefreshToken("none"); err != nil || !ok {
		t.Errorf("refresh token: %v, %v", ok, err)
	}
	if ok, err := c.InvalidateAccessToken(); err != nil || !ok {
		t.Errorf("logout: %v, %v", ok, err)
	}
	if _, err := c.GetUserProfile(); err == nil {
		t.Error("the session is still alive after logout")
	}
	if _, err := c.RenewAccessToken("none", demo.APISecret); err == nil {
		t.Error("apps get no refresh tokens")
	}
}
