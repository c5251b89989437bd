package kite_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// A client asks the calculators in JSON, with the names that Kite documents, a price of 0 where there is none, and no
// word about protection that nobody chose.
func TestCalculatorsAreAskedAsDocumented(t *testing.T) {
	t.Parallel()
	limit, own := buyINFY(), buyINFY()
	limit.OrderType, limit.Price, limit.TriggerPrice, limit.Quantity = "SL", 18_805_000, 18_800_000, 10
	own.MarketProtection = 25_000
	auto := buyINFY()
	auto.MarketProtection = kite.AutoProtection
	const head = `{"exchange":"NSE","tradingsymbol":"INFY","transaction_type":"BUY","variety":"regular","product":"CNC","order_type":`
	margins := `[` + head + `"SL","quantity":10,"price":1880.5,"trigger_price":1880},` +
		head + `"MARKET","quantity":1,"price":0,"trigger_price":0,"market_protection":2.5},` + head + `"MARKET","quantity":1,"price":0,"trigger_price":0}]`
	orders := []kite.OrderRequest{limit, own, auto}
	for name, tc := range map[string]struct {
		call func(context.Context, *kite.Client) error
		path string
		body string
	}{
		"margins": {func(ctx context.Context, c *kite.Client) error { _, err := c.OrderMargins(ctx, orders); return err }, "/margins/orders", margins},
		"basket": {
			func(ctx context.Context, c *kite.Client) error {
				_, err := c.BasketMargins(ctx, orders, true)
				return err
			},
			"/margins/basket?consider_positions=true&mode=compact", margins,
		},
		"basket alone": {
			func(ctx context.Context, c *kite.Client) error {
				_, err := c.BasketMargins(ctx, orders, false)
				return err
			},
			"/margins/basket?consider_positions=false&mode=compact", margins,
		},
		"charges": {
			func(ctx context.Context, c *kite.Client) error {
				_, err := c.OrderCharges(ctx, []kite.PricedOrder{{limit, limit.Price}, {own, 18_816_000}})
				return err
			},
			"/charges/orders",
			strings.ReplaceAll(`[{"order_id":"1",`+head[1:]+`"SL","quantity":10,"average_price":1880.5},{"order_id":"2",`+head[1:]+`"MARKET","quantity":1,"average_price":1881.6}]`, "\n", ""),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exchange := demoExchange(t, "").Transport()
			asked := 0
			c := clientOfDemo(wire(func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return nil, err
				}
				asked++
				if r.Method != http.MethodPost || r.URL.RequestURI() != tc.path || string(body) != tc.body || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Kite-Version") != "3" {
					t.Errorf("%s %s (%s)\n%s\nwant %s\n%s", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), body, tc.path, tc.body)
				}
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				return exchange.RoundTrip(r)
			}))
			if err := tc.call(t.Context(), c); err != nil || asked != 1 {
				t.Errorf("asked %d times: %v", asked, err)
			}
		})
	}
}

const (
	oneMargin = `{"type":"equity","tradingsymbol":"INFY","exchange":"NSE","span":0,"exposure":0,"var":1498.123456789,"leverage":1,"pnl":{"realised":0},"bo":7,"charges":{"total":1.7},"total":1498.123456789}`
	oneCharge = `{"tradingsymbol":"INFY","exchange":"NSE","charges":{"transaction_tax":1.498,"transaction_tax_type":"stt","exchange_turnover_charge":0.051681,"sebi_turnover_charge":0.001498,"brokerage":0,"stamp_duty":"0.22","gst":{"igst":0.011,"cgst":0,"sgst":0,"total":0.011372219999999999},"total":1.79255122}}`
)

// Kite's figures come back in its own digits, without what is nothing.
func TestCalculatorFigures(t *testing.T) {
	t.Parallel()
	orders := []kite.OrderRequest{buyINFY()}
	margins, err := clientOn(says(200, `{"status":"success","data":[`+oneMargin+`]}`)).OrderMargins(t.Context(), orders)
	if err != nil || margins[0].Total != 14_981_235 || margins[0].Segment != "equity" {
		t.Fatalf("margins %+v, %v", margins, err)
	}
	basket, err := clientOn(says(200, `{"status":"success","data":{"initial":{"total":96504.975},"final":{"span":7788.000000000007,"option_premium":-2152.5,"total":34786.725000000006},"orders":null}}`)).BasketMargins(t.Context(), orders, true)
	if err != nil || basket.Final.Total != 347_867_250 {
		t.Fatalf("basket %+v, %v", basket, err)
	}
	charges, err := clientOn(says(200, `{"status":"success","data":[`+oneCharge+`]}`)).OrderCharges(t.Context(), []kite.PricedOrder{{buyINFY(), 1}})
	if err != nil || charges[0].Total != 17_926 {
		t.Fatalf("charges %+v, %v", charges, err)
	}
	for _, tc := range []struct {
		figure any
		want   string
	}{
		{margins[0], `{"total":1498.123456789,"var":1498.123456789,"leverage":1}`},
		{basket, `{"initial":{"total":96504.975},"final":{"total":34786.725000000006,"span":7788.000000000007,"option_premium":-2152.5}}`},
		{charges[0], `{"total":1.79255122,"transaction_tax":1.498,"exchange_turnover_charge":0.051681,"sebi_turnover_charge":0.001498,"stamp_duty":0.22,"gst":0.011372219999999999}`},
		{kite.Margin{}, `{}`},
	} {
		got, err := json.Marshal(tc.figure)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, string(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// No figure at all is better than one that is missing, unreadable or of another order.
func TestUnusableCalculations(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"no data": `null`, "nothing": `[]`, "an object": `{}`, "a number": `[7]`, "one too many": `[` + oneMargin + `,` + oneMargin + `]`,
		"another symbol": `[` + strings.Replace(oneMargin, "INFY", "TCS", 1) + `]`, "another exchange": `[` + strings.Replace(oneMargin, "NSE", "BSE", 1) + `]`,
		"no total":  `[{"tradingsymbol":"INFY","exchange":"NSE","var":1498,"charges":{"brokerage":1}}]`,
		"null":      `[{"tradingsymbol":"INFY","exchange":"NSE","total":null,"charges":{"total":null}}]`,
		"a word":    `[{"tradingsymbol":"INFY","exchange":"NSE","total":"much","charges":{"total":"much"}}]`,
		"no number": `[{"tradingsymbol":"INFY","exchange":"NSE","total":"007","charges":{"total":"007"}}]`,
		"half":      `{"initial":{"total":1},"final":{}}`, "basket of lists": `{"initial":[],"final":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := clientOn(says(200, `{"status":"success","data":`+data+`}`))
			_, err := c.OrderMargins(t.Context(), []kite.OrderRequest{buyINFY()})
			wantKind(t, err, kite.KindUpstreamUnavailable)
			_, err = c.OrderCharges(t.Context(), []kite.PricedOrder{{buyINFY(), 1}})
			wantKind(t, err, kite.KindUpstreamUnavailable)
			_, err = c.BasketMargins(t.Context(), []kite.OrderRequest{buyINFY()}, true)
			wantKind(t, err, kite.KindUpstreamUnavailable)
		})
	}
}

// FuzzCalculations: whatever Kite answers, there is an error or a figure that is valid JSON with a total.
func FuzzCalculations(f *testing.F) {
	for _, seed := range []string{`null`, `[` + oneMargin + `]`, `[` + oneCharge + `]`, `{"initial":{"total":1},"final":{"total":-1e3}}`, `[{"exchange":"NSE","tradingsymbol":"INFY","total":"1.","var":"0x1","charges":{"total":".5"}}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		c := clientOn(says(200, `{"status":"success","data":`+string(data)+`}`))
		var figures []any
		if m, err := c.OrderMargins(t.Context(), []kite.OrderRequest{buyINFY()}); err == nil {
			figures = append(figures, m[0])
		}
		if b, err := c.BasketMargins(t.Context(), []kite.OrderRequest{buyINFY()}, true); err == nil {
			figures = append(figures, b.Initial, b.Final)
		}
		if charges, err := c.OrderCharges(t.Context(), []kite.PricedOrder{{buyINFY(), 1}}); err == nil {
			figures = append(figures, charges[0])
		}
		for _, figure := range figures {
			var got struct{ Total *json.Number }
			if b, err := json.Marshal(figure); err != nil || json.Unmarshal(b, &got) != nil || got.Total == nil {
				t.Errorf("%s became %s: %v", data, b, err)
			}
		}
	})
}
