package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// TestOneViolationForOneMistake: an argument that was refused by itself is not called missing as well by the rules
// between arguments, and what is wrong besides is told all the same.
func TestOneViolationForOneMistake(t *testing.T) {
	t.Parallel()
	reg, err := tools.New(tools.All(), tools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, tool, args, refused, besides string }{
		{
			name: "place", tool: "orders", refused: "price:", besides: "disclosed_quantity:",
			args: `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":1,"product":"CNC","order_type":"LIMIT","price":"much","disclosed_quantity":5}`,
		},
		{name: "modify", tool: "orders", args: `{"mode":"modify","order_id":"2044000000000000002","quantity":"many"}`, refused: "quantity"},
		{name: "candles", tool: "market", args: `{"mode":"historical","instrument_token":1,"interval":"day","from_date":"soon","to_date":"2026-01-01"}`, refused: "from_date:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := reg.Call(t.Context(), &tools.Env{}, tools.Profile{}, c.tool, json.RawMessage(c.args))
			f := tools.Explain(err)
			if f.Code != tools.CodeInvalidArgument || strings.Count(f.Message, c.refused) != 1 || !strings.Contains(f.Message, c.besides) {
				t.Errorf("%s: %s", f.Code, f.Message)
			}
		})
	}
}

// TestAmbiguousObjectIsRefused: Go reads the last of several members and takes names in any case, others may read the
// first or the exact one. A person must not approve one order of a basket and get another.
func TestAmbiguousObjectIsRefused(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]string{
		"again":         `"exchange":"NSE","tradingsymbol":"INFY","params":{"transaction_type":"BUY","quantity":1000,"quantity":1}`,
		"another case":  `"exchange":"NSE","tradingsymbol":"INFY","TradingSymbol":"SBIN","params":{"transaction_type":"BUY","quantity":1}`,
		"another shape": `"exchange":"NSE","tradingsymbol":"INFY","params":{"transaction_type":"BUY","quantity":1000},"paramſ":{"transaction_type":"BUY","quantity":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			basket := `{"name":"dip","items":[{` + item + `}]}`
			text, err := json.Marshal(basket)
			if err != nil {
				t.Fatal(err)
			}
			for _, sent := range []string{basket, string(text)} {
				args := `{"mode":"create","name":"dip","alert_type":"ato","lhs_exchange":"NSE","lhs_tradingsymbol":"INFY","lhs_attribute":"LastTradedPrice",` +
					`"operator":"<=","rhs_type":"constant","rhs_constant":1700,"basket":` + sent + `}`
				_, f := d.alerts(t, args)
				if f == nil || f.Code != tools.CodeInvalidArgument || !strings.Contains(f.Message, "basket: ") || len(d.asked)+len(d.sent) > 0 {
					t.Errorf("%+v; asked %q, sent %q", f, d.asked, d.sent)
				}
			}
		})
	}
}
