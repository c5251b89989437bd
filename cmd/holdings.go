package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

type holdingsOptions struct {
	app  *App
	kind string
	page pageFlags
}

func newHoldings(app *App) *cobra.Command {
	opts := holdingsOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "holdings", Short: "Show delivery holdings with profit and loss",
		Long:    "Shows the shares you hold, delivered or bought yesterday (T1). No profit is shown\nwhere Kite does not know the cost. -o json is the result of the tool portfolio,\nmode holdings, unchanged.",
		Example: examples("kite-mcp holdings --demo", "kite-mcp holdings --sort -pnl --limit 5 --demo", "kite-mcp holdings --type summary -o json"),
		RunE:    func(c *cobra.Command, _ []string) error { return runHoldings(c.Context(), opts) },
	})
	c.Flags().StringVar(&opts.kind, "type", "full", "full, compact or summary")
	_ = c.RegisterFlagCompletionFunc("type", words("full", "compact", "summary"))
	opts.page.register(c, holdingFields("full"))
	return c
}

func runHoldings(ctx context.Context, opts holdingsOptions) error {
	list := listing{
		app: opts.app, tool: "portfolio", empty: "no holdings", page: opts.page, fields: holdingFields(opts.kind),
		args:  map[string]any{"mode": "holdings", "type": opts.kind},
		spare: []string{"EXCHANGE", "T1"},
	}
	switch opts.kind {
	case "full":
		list.rows = withoutFalseProfit
	case "summary":
		list.whole = true
		list.rows = func(result map[string]any) []any { return []any{result} }
	}
	return list.show(ctx)
}

// withoutFalseProfit takes the profit out of rows whose cost Kite does not know:
// it counts the whole value of such shares as gain.
func withoutFalseProfit(result map[string]any) []any {
	rows, _ := result["data"].([]any)
	for _, row := range rows {
		holding, ok := row.(map[string]any)
		if cost, known := numeric(at(row, "average_price")); ok && (!known || cost.Sign() == 0 || holding["discrepancy"] == true) {
			delete(holding, "pnl")
		}
	}
	return rows
}

func holdingFields(kind string) []field {
	switch kind {
	case "summary":
		return []field{
			{"INVESTED", "invested_amount", number},
			{"VALUE", "current_value", number},
			{"P&L", "total_pnl", change},
			{"P&L%", "total_pnl_percent", percent},
			{"TODAY", "today_pnl", change},
			{"TODAY%", "today_pnl_percent", percent},
		}
	case "compact":
		return []field{
			{"SYMBOL", "tradingsymbol", plain},
			{"EXCHANGE", "exchange", plain},
			{"TOKEN", "instrument_token", number},
			{"QTY", "quantity", number},
			{"T1", "t1_quantity", number},
		}
	default:
		return []field{
			{"SYMBOL", "tradingsymbol", plain},
			{"EXCHANGE", "exchange", plain},
			{"QTY", "quantity", number},
			{"T1", "t1_quantity", number},
			{"AVERAGE", "average_price", price},
			{"LAST", "last_price", price},
			{"P&L", "pnl", change},
			{"DAY%", "day_change_percentage", percent},
		}
	}
}
