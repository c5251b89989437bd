package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

type fundsOptions struct {
	app  *App
	page pageFlags
}

func newFunds(app *App) *cobra.Command {
	opts := fundsOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "funds", Short: "Show funds and margins",
		Long:    "Shows what can be used and what is bound in each segment, in rupees. A segment\nthat is not enabled is closed, not empty.",
		Example: examples("kite-mcp funds --demo", "kite-mcp funds --demo -o json"),
		RunE:    func(c *cobra.Command, _ []string) error { return runFunds(c.Context(), opts) },
	})
	opts.page.register(c, fundFields())
	return c
}

func runFunds(ctx context.Context, opts fundsOptions) error {
	list := listing{
		app: opts.app, tool: "portfolio", args: map[string]any{"mode": "margins"}, whole: true, page: opts.page, fields: fundFields(),
		rows: func(result map[string]any) []any {
			var rows []any
			for _, name := range []string{"equity", "commodity"} {
				if segment, ok := result[name].(map[string]any); ok {
					segment["segment"] = name
					if segment["enabled"] == false { // its zeros are no balances
						segment = map[string]any{"segment": name, "enabled": false}
					}
					rows = append(rows, segment)
				}
			}
			return rows
		},
	}
	return list.show(ctx)
}

func fundFields() []field {
	return []field{
		{"SEGMENT", "segment", plain},
		{"ENABLED", "enabled", plain},
		{"NET", "net", number},
		{"CASH", "available.cash", number},
		{"COLLATERAL", "available.collateral", number},
		{"USED", "utilised.debits", number},
	}
}
