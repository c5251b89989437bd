package kite_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// sent is a request as it left.
type sent struct {
	Method, Path string
	Form         url.Values
}

// recording keeps every request that goes through to another transport.
type recording struct {
	to http.RoundTripper

	mu   sync.Mutex
	sent []sent
}

func (r *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		req.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	form, _ := url.ParseQuery(string(body))
	r.mu.Lock()
	r.sent = append(r.sent, sent{req.Method, req.URL.Path, form})
	r.mu.Unlock()
	if req.GetBody != nil {
		return nil, errors.New("net/http could send this again")
	}
	return r.to.RoundTrip(req)
}

// writes counts the requests that change something.
func (r *recording) writes() []sent {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []sent
	for _, s := range r.sent {
		if s.Method != http.MethodGet {
			out = append(out, s)
		}
	}
	return out
}

func buyINFY() kite.OrderRequest {
	return kite.OrderRequest{
		Variety: "regular", Exchange: "NSE", TradingSymbol: "INFY", TransactionType: "BUY", Quantity: 1, Product: "CNC",
		OrderType: "MARKET", Validity: "DAY", Tag: "k1",
	}
}

// TestWritesSendWhatWasGiven: Kite takes a zero for a value, and a market order without protection not at all.
func TestWritesSendWhatWasGiven(t *testing.T) {
	t.Parallel()
	limit := buyINFY()
	limit.OrderType, limit.Price, limit.Quantity, limit.Tag = "LIMIT", 15_000_500, 10, ""
	protected := buyINFY()
	protected.MarketProtection = 25_000
	for name, tc := range map[string]struct {
		call func(context.Context, *kite.Client) error
		want sent
	}{
		"market order": {
			func(ctx context.Context, c *kite.Client) error { _, err := c.PlaceOrder(ctx, buyINFY()); return err },
			sent{"POST", "/orders/regular", url.Values{
				"exchange": {"NSE"}, "tradingsymbol": {"INFY"}, "transaction_type": {"BUY"}, "quantity": {"1"}, "product": {"CNC"},
				"order_type": {"MARKET"}, "validity": {"DAY"}, "market_protection": {"-1"}, "tag": {"k1"},
			}},
		},
		"own protection": {
			func(ctx context.Context, c *kite.Client) error { _, err := c.PlaceOrder(ctx, protected); return err },
			sent{"POST", "/orders/regular", url.Values{
				"exchange": {"NSE"}, "tradingsymbol": {"INFY"}, "transaction_type": {"BUY"}, "quantity": {"1"}, "product": {"CNC"},
				"order_type": {"MARKET"}, "validity": {"DAY"}, "market_protection": {"2.5"}, "tag": {"k1"},
			}},
		},
		"limit order": {
			func(ctx context.Context, c *kite.Client) error { _, err := c.PlaceOrder(ctx, limit); return err },
			sent{"POST", "/orders/regular", url.Values{
				"exchange": {"NSE"}, "tradingsymbol": {"INFY"}, "transaction_type": {"BUY"}, "quantity": {"10"}, "product": {"CNC"},
				"order_type": {"LIMIT"}, "price": {"1500.05"}, "validity": {"DAY"},
			}},
		},
		"price alone": {
			func(ctx context.Context, c *kite.Client) error {
				_, err := c.ModifyOrder(ctx, kite.OrderChange{Variety: "regular", OrderID: "2044000000000000005", Price: 14_000_000})
				return err
			},
			sent{"PUT", "/orders/regular/2044000000000000005", url.Values{"price": {"1400"}}},
		},
		"cancel": {
			func(ctx context.Context, c *kite.Client) error {
				_, err := c.CancelOrder(ctx, "regular", "2044000000000000005")
				return err
			},
			sent{"DELETE", "/orders/regular/2044000000000000005", url.Values{}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recording{to: says(200, `{"status":"success","data":{"order_id":"151220000000000"}}`)}
			if err := tc.call(t.Context(), clientOn(r)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]sent{tc.want}, r.sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWriteOutcomes: only Kite's own no is a no, and nothing is ever sent twice, whatever the answer.
func TestWriteOutcomes(t *testing.T) {
	t.Parallel()
	kiteError := func(kind string) string {
		return `{"status":"error","message":"no","error_type":"` + kind + `","data":null}`
	}
	fails := func(err error) wire { return func(*http.Request) (*http.Response, error) { return nil, err } }
	for name, tc := range map[string]struct {
		answer http.RoundTripper
		want   kite.ErrorKind
	}{
		"taken":                 {says(200, `{"status":"success","data":{"order_id":"1512"}}`), ""},
		"numeric id":            {says(200, `{"status":"success","data":{"order_id":1512}}`), ""},
		"bad input":             {says(400, kiteError("InputException")), kite.KindRejected},
		"no margin":             {says(400, kiteError("MarginException")), kite.KindRejected},
		"refused":               {says(400, kiteError("OrderException")), kite.KindRejected},
		"token":                 {says(403, kiteError("TokenException")), kite.KindSessionExpired},
		"permission":            {says(403, kiteError("PermissionException")), kite.KindPermissionDenied},
		"429":                   {says(429, kiteError("NetworkException")), kite.KindOutcomeUnknown},
		"429 text":              {says(429, "Too many requests\n"), kite.KindOutcomeUnknown},
		"500":                   {says(500, kiteError("GeneralException")), kite.KindOutcomeUnknown},
		"500 order exception":   {says(500, kiteError("OrderException")), kite.KindOutcomeUnknown},
		"502 html":              {says(502, "<html>Bad Gateway</html>"), kite.KindOutcomeUnknown},
		"403 of a proxy":        {says(403, "<html>Forbidden</html>"), kite.KindOutcomeUnknown},
		"503":                   {says(503, kiteError("NetworkException")), kite.KindOutcomeUnknown},
		"504 data":              {says(504, kiteError("DataException")), kite.KindOutcomeUnknown},
		"400 network exception": {says(400, kiteError("NetworkException")), kite.KindOutcomeUnknown},
		"200 with an error":     {says(200, kiteError("GeneralException")), kite.KindOutcomeUnknown},
		"200 without an id":     {says(200, `{"status":"success","data":{}}`), kite.KindOutcomeUnknown},
		"200 cut":               {says(200, `{"status":"success","data":{"order_i`), kite.KindOutcomeUnknown},
		"200 empty":             {says(200, ``), kite.KindOutcomeUnknown},
		"redirect":              {says(302, ``), kite.KindOutcomeUnknown},
		"reset":                 {fails(errors.New("connection reset by peer")), kite.KindOutcomeUnknown},
		"end of file":           {fails(io.ErrUnexpectedEOF), kite.KindOutcomeUnknown},
		"write failed":          {fails(&net.OpError{Op: "write", Err: errors.New("broken pipe")}), kite.KindOutcomeUnknown},
		"never connected":       {fails(&net.OpError{Op: "dial", Err: errors.New("connection refused")}), kite.KindUpstreamUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recording{to: tc.answer}
			c := kite.New(kite.Options{
				BaseURL: "https://kite.invalid", APIKey: testKey, AccessToken: testToken, Transport: r, Now: frozen,
				Retry: kite.NewRetry(func() float64 { return 0 }), // which must not matter
			})
			for what, call := range map[string]func() error{
				"place": func() error { _, err := c.PlaceOrder(t.Context(), buyINFY()); return err },
				"modify": func() error {
					_, err := c.ModifyOrder(t.Context(), kite.OrderChange{Variety: "regular", OrderID: "1"})
					return err
				},
				"cancel": func() error { _, err := c.CancelOrder(t.Context(), "regular", "1"); return err },
			} {
				if err := call(); kite.KindOf(err) != tc.want {
					t.Errorf("%s: %v is %q, want %q", what, err, kite.KindOf(err), tc.want)
				} else if tc.want == kite.KindOutcomeUnknown && failure(t, err, tc.want).Retryable {
					t.Errorf("%s: an unknown outcome asks to be repeated", what)
				}
			}
			if n := len(r.sent); n != 3 {
				t.Errorf("%d requests for 3 calls", n)
			}
		})
	}
}

// TestWriteOutlivesItsCaller: the answer of what was sent is heard even when nobody waits any more, up to 15 seconds.
func TestWriteOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		answer := wire(func(r *http.Request) (*http.Response, error) {
			cancel()
			select {
			case <-time.After(14 * time.Second):
				return response(r, 200, `{"status":"success","data":{"order_id":"1512"}}`), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})
		got, err := clientOn(answer).PlaceOrder(ctx, buyINFY())
		if err != nil || got.OrderID != "1512" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		hangs := wire(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		began := time.Now() //nolint:forbidigo // the fake clock of the bubble
		_, err := clientOn(hangs).PlaceOrder(t.Context(), buyINFY())
		wantKind(t, err, kite.KindOutcomeUnknown)
		if took := time.Since(began); took != 15*time.Second {
			t.Errorf("gave up after %v, want 15s", took)
		}
	})
}

// TestNothingLeavesForACallerWhoLeft: before the first byte a cancelled call sends nothing.
func TestNothingLeavesForACallerWhoLeft(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &recording{to: says(200, `{}`)}
	_, err := clientOn(r).PlaceOrder(ctx, buyINFY())
	wantKind(t, err, kite.KindTimeout)
	if len(r.sent) != 0 {
		t.Errorf("sent %v", r.sent)
	}
}

func TestWritesRefuseWhatCouldChangeThePath(t *testing.T) {
	t.Parallel()
	r := &recording{to: says(200, `{}`)}
	c := clientOn(r)
	bad := buyINFY()
	bad.Variety = "../session"
	_, placeErr := c.PlaceOrder(t.Context(), bad)
	_, modifyErr := c.ModifyOrder(t.Context(), kite.OrderChange{Variety: "regular", OrderID: "../1"})
	_, cancelErr := c.CancelOrder(t.Context(), "x", "1")
	for _, err := range []error{placeErr, modifyErr, cancelErr} {
		wantKind(t, err, kite.KindInvalidArgument)
	}
	if len(r.sent) != 0 {
		t.Errorf("sent %v", r.sent)
	}
}

// TestOrderLifeAtTheDemoExchange places, changes and cancels against the rules of the exchange.
func TestOrderLifeAtTheDemoExchange(t *testing.T) {
	t.Parallel()
	r := &recording{to: demoExchange(t, "").Transport()}
	c := kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: r, Now: frozen})
	const resting = "2044000000000000002"
	before := orderByID(t, c, resting)
	if _, err := c.ModifyOrder(t.Context(), kite.OrderChange{Variety: before.Variety, OrderID: resting, Price: 16_000_000}); err != nil {
		t.Fatalf("modify %+v: %v", before, err)
	}
	if got, err := c.PlaceOrder(t.Context(), buyINFY()); err != nil || orderByID(t, c, got.OrderID).Tag != "k1" {
		t.Errorf("placed %+v, %v", got, err)
	}
	if n := len(r.writes()); n != 2 {
		t.Errorf("%d changes were sent, want 2", n)
	}
}

func orderByID(t *testing.T, c *kite.Client, id string) kite.Order {
	t.Helper()
	book, err := c.Orders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range book {
		if o.OrderID == id {
			return o
		}
	}
	t.Fatalf("no order %s", id)
	return kite.Order{}
}
