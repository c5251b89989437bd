package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type quoteOptions struct {
	app  *App
	ids  []string
	page pageFlags
}

func newQuote(app *App) *cobra.Command {
	opts := quoteOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "quote EXCHANGE:SYMBOL...", Short: "Show prices",
		Long:    "Shows a snapshot of prices for exact ids. kite-mcp instruments finds the id of a\nname. An id without a price is named on stderr. An empty cell is a price that there\nis none of, such as the offer at an upper circuit.",
		Example: examples("kite-mcp quote NSE:INFY --demo", `kite-mcp quote NSE:INFY "NSE:NIFTY 50" -o json --demo`),
		Args:    arguments(1, -1, "the id of an instrument, such as NSE:INFY"),
		RunE: func(c *cobra.Command, args []string) error {
			opts.ids = args
			return runQuote(c.Context(), opts)
		},
	})
	opts.page.register(c, quoteFields())
	return c
}

func runQuote(ctx context.Context, opts quoteOptions) error {
	app := opts.app
	for _, id := range opts.ids {
		if !strings.Contains(id, ":") {
			return usage(quoted(id)+" is not EXCHANGE:SYMBOL", "kite-mcp instruments "+id+" finds the id")
		}
	}
	list := listing{
		app: app, tool: "market", args: map[string]any{"mode": "quote", "instruments": opts.ids},
		whole: true, page: opts.page, fields: quoteFields(), spare: []string{"CLOSE", "OPEN", "VOLUME"},
		rows: func(result map[string]any) []any {
			quotes, _ := result["data"].(map[string]any)
			return quoteRows(opts.ids, quotes)
		},
		check: func(result map[string]any) error {
			if quotes, _ := result["data"].(map[string]any); len(quotes) > 0 {
				return nil
			}
			return &problem{Code: string(tools.CodeNotFound), Message: unquotedIDs(result), Hint: "kite-mcp instruments finds exact ids"}
		},
		notes: unquotedIDs,
	}
	return list.show(ctx)
}

// unquotedIDs names the ids that Kite has no price for; "" when it has all.
func unquotedIDs(result map[string]any) string {
	missing, _ := at(result, "meta.missing").([]any)
	if len(missing) == 0 {
		return ""
	}
	return "no price for " + joinAny(missing)
}

func quoteFields() []field {
	return []field{
		{"ID", "id", plain},
		{"LAST", "last_price", price},
		{"CHANGE", "change", change},
		{"OPEN", "ohlc.open", price},
		{"HIGH", "ohlc.high", price},
		{"LOW", "ohlc.low", price},
		{"CLOSE", "ohlc.close", price},
		{"VOLUME", "volume", number},
		{"BID", "depth.buy.0.price", price},
		{"ASK", "depth.sell.0.price", price},
	}
}

// quoteRows puts the quotes in the order they were asked for.
func quoteRows(ids []string, quotes map[string]any) []any {
	var rows []any
	for _, id := range ids {
		if q, ok := quotes[id].(map[string]any); ok && q["id"] == nil {
			q["id"], q["change"] = id, difference(at(q, "last_price"), at(q, "ohlc.close"))
			rows = append(rows, q)
		}
	}
	return rows
}

// difference is the change since the previous close. Kite's own net_change is
// often zero in quotes.
func difference(last, before any) any {
	l, ok1 := new(big.Rat).SetString(fmt.Sprint(last))
	b, ok2 := new(big.Rat).SetString(fmt.Sprint(before))
	if !ok1 || !ok2 || l.Sign() == 0 || b.Sign() == 0 { // 0 is no price
		return nil
	}
	digits := 4 // the finest tick
	text := l.Sub(l, b).FloatString(digits)
	return json.Number(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}

func joinAny(list []any) string {
	words := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok {
			words = append(words, s)
		}
	}
	return strings.Join(words, ", ")
}
