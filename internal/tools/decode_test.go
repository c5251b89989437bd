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
