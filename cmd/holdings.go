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
		Long:    "Shows the shares you hold, delivered or bought yesterday (T1). -o json is the\nresult of the tool portfolio, mode holdings, unchanged.",
		Example: examples("kite-mcp holdings --demo", "kite-mcp holdings --type summary -o json"),
		RunE:    func(c *cobra.Command, _ []string) error { return runHoldings(c.Context(), opts) },
	})
	c.Flags().StringVar(&opts.kind, "type", "full", "full, compact or summary")
	_ = c.RegisterFlagCompletionFunc("type", words("full", "compact", "summary"))
	opts.page.register(c.Flags())
	return c
}

func runHoldings(ctx context.Context, opts holdingsOptions) error {
	list := listing{
		app: opts.app, tool: "portfolio", empty: "no holdings",
		args: opts.page.into(map[string]any{"mode": "holdings", "type": opts.kind}),
	}
	switch opts.kind {
	case "summary":
		list.rows = func(result map[string]any) []any { return []any{result} }
		list.fields = []field{
			{"INVESTED", "invested_amount", number},
			{"VALUE", "current_value", number},
			{"P&L", "total_pnl", change},
			{"P&L%", "total_pnl_percent", percent},
			{"TODAY", "today_pnl", change},
			{"TODAY%", "today_pnl_percent", percent},
		}
	case "compact":
		list.fields = []field{
			{"SYMBOL", "tradingsymbol", plain},
			{"EXCHANGE", "exchange", plain},
			{"TOKEN", "instrument_token", number},
			{"QTY", "quantity", number},
			{"T1", "t1_quantity", number},
		}
	default:
		list.fields = []field{
			{"SYMBOL", "tradingsymbol", plain},
			{"EXCHANGE", "exchange", plain},
			{"QTY", "quantity", number},
			{"T1", "t1_quantity", number},
			{"AVERAGE", "average_price", number},
			{"LAST", "last_price", number},
			{"P&L", "pnl", change},
			{"DAY%", "day_change_percentage", percent},
		}
	}
	return list.show(ctx)
}
