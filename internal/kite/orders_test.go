package kite_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

const (
	orderFields = "account_id placed_by order_id exchange_order_id parent_order_id status status_message status_message_raw " +
		"order_timestamp exchange_update_timestamp exchange_timestamp variety modified exchange tradingsymbol instrument_token " +
		"order_type transaction_type validity validity_ttl product quantity disclosed_quantity price trigger_price average_price " +
		"filled_quantity pending_quantity cancelled_quantity auction_number market_protection meta tag tags guid"
	tradeFields = "trade_id order_id exchange tradingsymbol instrument_token product average_price quantity exchange_order_id " +
		"transaction_type fill_timestamp order_timestamp exchange_timestamp"
)

// The book is the seed's, in its order, with every field that Kite documents and none unread.
func TestOrders(t *testing.T) {
	t.Parallel()
	orders, err := demoClient(t, "").Orders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		ID, Side, Status            string
		Quantity, Filled, Remaining int64
	}
	var got []line
	for _, o := range orders {
		wantKeys(t, "order", orderFields, decoded(t, o))
		if o.Problems != nil {
			t.Errorf("%s: problems %v", o.OrderID, o.Problems)
		}
		got = append(got, line{o.ID(), o.TransactionType, o.Status, o.Quantity, o.FilledQuantity, o.Remaining()})
	}
	want := []line{
		{"NSE:ITC", "SELL", "COMPLETE", 200, 200, 0},
		{"NSE:RELIANCE", "BUY", "OPEN", 50, 0, 50},
		{"NSE:HDFCBANK", "BUY", "OPEN", 400, 150, 250},
		{"NFO:NIFTY26D0826200CE", "BUY", "TRIGGER PENDING", 65, 0, 65},
		{"NSE:SBIN", "BUY", "REJECTED", 5000, 0, 0},
		{"NSE:IDEA", "SELL", "CANCELLED", 4000, 1500, 0}, // Kite still says 2500 pending
		{"NSE:INFY", "BUY", "CANCELLED", 100, 0, 0},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("orders (-want +got):\n%s", d)
	}
	rejected := orders[4]
	rejected.Raw = nil
	parsed := kite.Order{
		OrderID: "2044000000000000005", PlacedBy: "DM0001", Status: "REJECTED", Variety: "regular",
		StatusMessage:    "Insufficient funds. Required margin is 4074000.00 but available margin is 250000.00.",
		StatusMessageRaw: "RMS:Insufficient funds. Required margin is 4074000.00 but available margin is 250000.00.",
		OrderTimestamp:   time.Date(2026, 12, 2, 10, 10, 0, 0, kite.IST),
		Exchange:         "NSE", TradingSymbol: "SBIN", InstrumentToken: 779521, TransactionType: "BUY",
		OrderType: "LIMIT", Product: "CNC", Validity: "DAY", Quantity: 5000, Price: 814.8 * rupee, Tags: []string{},
	}
	if d := cmp.Diff(parsed, rejected); d != "" {
		t.Errorf("parsed SBIN (-want +got):\n%s", d)
	}
}

// Ids are longer than a float64 is exact and stay text to the last digit, also when Kite sends one as a number.
func TestOrderIDsAreText(t *testing.T) {
	t.Parallel()
	body := `[{"order_id":2044000000000000001,"parent_order_id":"2044000000000000002","meta":"{\"iceberg\":1}","status":"SOMETHING NEW","quantity":5,"filled_quantity":2}]`
	orders, err := clientOn(says(200, `{"status":"success","data":`+body+`}`)).Orders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := orders[0]
	if o.OrderID != "2044000000000000001" || o.ParentOrderID != "2044000000000000002" || o.Problems != nil {
		t.Errorf("ids %s, %s, problems %v", o.OrderID, o.ParentOrderID, o.Problems)
	}
	if o.Terminal() || o.Remaining() != 3 {
		t.Error("an unknown status is not the end of an order")
	}
	if got, _ := o.MarshalJSON(); string(got) != body[1:len(body)-1] {
		t.Errorf("row = %s", got)
	}
}

// History, trades of the order and all trades agree with the book.
func TestOrderHistoryAndTrades(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	history, err := c.OrderHistory(t.Context(), itcOrder)
	if err != nil {
		t.Fatal(err)
	}
	var trail []string
	for _, s := range history {
		trail = append(trail, s.Status)
	}
	if d := cmp.Diff([]string{"PUT ORDER REQ RECEIVED", "VALIDATION PENDING", "OPEN PENDING", "OPEN", "COMPLETE"}, slices.Compact(trail)); d != "" {
		t.Errorf("trail (-want +got):\n%s", d)
	}
	fills, err := c.OrderTrades(t.Context(), itcOrder)
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Trades(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ofOrder := slices.DeleteFunc(slices.Clone(all), func(tr kite.Trade) bool { return tr.OrderID != itcOrder })
	if d := cmp.Diff(ofOrder, fills); d != "" {
		t.Errorf("trades of the order (-all +own):\n%s", d)
	}
	sum := int64(0)
	for _, f := range fills {
		wantKeys(t, "trade", tradeFields, decoded(t, f))
		sum += f.Quantity
	}
	if len(fills) != 2 || sum != 200 || fills[0].OrderTime != "09:15:04" || fills[0].Problems != nil ||
		!fills[0].FillTimestamp.Equal(time.Date(2026, 12, 2, 9, 15, 5, 0, kite.IST)) || fills[0].ID() != "NSE:ITC" {
		t.Errorf("fills = %+v", fills)
	}
	none, err := c.OrderTrades(t.Context(), "2044000000000000002")
	if err != nil || none == nil || len(none) != 0 {
		t.Errorf("an open order has no trades: %v, %v", none, err)
	}
}

// What Kite does not have is not found, with Kite's own words; a refusal of another kind stays one.
func TestLookupsNotFound(t *testing.T) {
	t.Parallel()
	c := demoClient(t, "")
	_, err1 := c.OrderHistory(t.Context(), "999")
	_, err2 := c.OrderTrades(t.Context(), "999")
	_, err3 := c.GTT(t.Context(), 5)
	_, err4 := c.Alert(t.Context(), strings.Replace(dipAlert, "2", "9", 1))
	_, err5 := c.AlertHistory(t.Context(), strings.Replace(dipAlert, "2", "9", 1))
	for i, want := range []struct {
		err     error
		message string
	}{
		{err1, "Couldn't find that `order_id`."},
		{err2, "Couldn't find that `order_id`."},
		{err3, "Trigger not found"},
		{err4, "Alert not found"},
		{err5, "Alert not found"},
	} {
		if e := failure(t, want.err, kite.KindNotFound); e.Message != want.message || e.KiteType == "" || e.Status == 0 || e.Retryable {
			t.Errorf("%d: %+v", i, e)
		}
	}
	_, err := clientOn(says(200, `{"status":"success","data":[]}`)).OrderHistory(t.Context(), "123")
	wantKind(t, err, kite.KindNotFound)
	for status, body := range map[int]string{
		500: `{"status":"error","message":"could not be fetched","error_type":"OrderException"}`,
		403: `{"status":"error","message":"blocked","error_type":"UserException"}`,
		400: `<html>`,
	} {
		_, err := clientOn(says(status, body)).OrderHistory(t.Context(), "123")
		wantKind(t, err, kite.KindRejected)
	}
}

// An id that could lead the path elsewhere is refused and never sent.
func TestIDsCannotChangeThePath(t *testing.T) {
	t.Parallel()
	c := clientOn(wire(func(r *http.Request) (*http.Response, error) {
		t.Errorf("sent %s", r.URL)
		return nil, errors.New("sent")
	}))
	for _, id := range []string{
		"", ".", "..", "../user/profile", "1/trades", "1?x=1", "1#x", "%2e%2e", "1 2", "1\n", "\u0967", "1\x00", strings.Repeat("1", 33),
	} {
		_, err1 := c.OrderHistory(t.Context(), id)
		_, err2 := c.OrderTrades(t.Context(), id)
		_, err3 := c.Alert(t.Context(), id)
		_, err4 := c.AlertHistory(t.Context(), id)
		for _, err := range []error{err1, err2, err3, err4} {
			wantKind(t, err, kite.KindInvalidArgument)
		}
	}
	for _, uuid := range []string{
		dipAlert + "0", dipAlert[1:], strings.ReplaceAll(dipAlert, "-", "/"), "00000000-0000-4000-8000-00000000000g", "000000000-000-4000-8000-000000000002",
	} {
		_, err := c.Alert(t.Context(), uuid)
		wantKind(t, err, kite.KindInvalidArgument)
	}
	for _, id := range []int64{0, -1} {
		_, err := c.GTT(t.Context(), id)
		wantKind(t, err, kite.KindInvalidArgument)
	}
	if !kite.ValidOrderID(strings.Repeat("9", 32)) || !kite.ValidUUID(strings.ToUpper("abcdef01-2345-6789-abcd-ef0123456789")) {
		t.Error("good ids are refused")
	}
}

// FuzzIDs: an id that is accepted is one element of a path, as it stands.
func FuzzIDs(f *testing.F) {
	for _, seed := range []string{"2044000000000000001", "../x", "a b", "%41", dipAlert, "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		var path string
		c := clientOn(wire(func(r *http.Request) (*http.Response, error) {
			path = r.URL.EscapedPath()
			return response(r, 200, `{"status":"success","data":[]}`), nil
		}))
		_, _ = c.OrderHistory(t.Context(), id)
		if path != "" && path != "/orders/"+id {
			t.Errorf("%q is sent as %s", id, path)
		}
		path = ""
		_, _ = c.AlertHistory(t.Context(), id)
		if path != "" && path != "/alerts/"+id+"/history" {
			t.Errorf("%q is sent as %s", id, path)
		}
	})
}
