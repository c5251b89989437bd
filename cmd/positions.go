package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

type positionsOptions struct {
	app  *App
	view string
	page pageFlags
}

func newPositions(app *App) *cobra.Command {
	opts := positionsOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "positions", Short: "Show open and closed positions",
		Long:    "Shows net positions, or what was traded today with --view day. The two describe\nthe same trades and must not be added.",
		Example: examples("kite-mcp positions --demo", "kite-mcp positions --sort pnl --demo", "kite-mcp positions --view day -o json"),
		RunE:    func(c *cobra.Command, _ []string) error { return runPositions(c.Context(), opts) },
	})
	c.Flags().StringVar(&opts.view, "view", "net", "net, day or all")
	_ = c.RegisterFlagCompletionFunc("view", words("net", "day", "all"))
	opts.page.register(c, positionFields())
	return c
}

func runPositions(ctx context.Context, opts positionsOptions) error {
	list := listing{
		app: opts.app, tool: "portfolio", empty: "no positions", page: opts.page, fields: positionFields(),
		args:  map[string]any{"mode": "positions", "position_view": opts.view},
		spare: []string{"M2M", "EXCHANGE"},
	}
	return list.show(ctx)
}

func positionFields() []field {
	return []field{
		{"SYMBOL", "tradingsymbol", plain},
		{"EXCHANGE", "exchange", plain},
		{"PRODUCT", "product", plain},
		{"VIEW", "position_view", plain},
		{"QTY", "quantity", number},
		{"AVERAGE", "average_price", price},
		{"LAST", "last_price", price},
		{"P&L", "pnl", change},
		{"M2M", "m2m", change},
	}
}
