package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

type ordersOptions struct {
	app    *App
	id     string
	trades bool
	page   pageFlags
}

func newOrders(app *App) *cobra.Command {
	opts := ordersOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "orders [ORDER_ID]", Short: "Show today's orders, the history of one, or trades",
		Long: "Shows the order book, or every state that one order went through. With --trades it\n" +
			"shows the fills, of all orders or of one. Kite keeps both for today only.",
		Example: examples("kite-mcp orders --demo", "kite-mcp orders 2044000000000000001 --trades --demo", "kite-mcp orders --sort -time -o md --demo"),
		Args:    arguments(0, 1, "at most one order id"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.id = args[0]
			}
			return runOrders(c.Context(), opts)
		},
	})
	c.Flags().BoolVar(&opts.trades, "trades", false, "fills in place of orders")
	opts.page.register(c, orderFields())
	return c
}

func runOrders(ctx context.Context, opts ordersOptions) error {
	list := listing{app: opts.app, tool: "orders", page: opts.page}
	if opts.id != "" {
		list.lost = "kite-mcp orders lists those of today; older ones are gone"
	}
	switch {
	case opts.id == "" && !opts.trades:
		list.args, list.fields, list.empty = map[string]any{"mode": "list"}, orderFields(), "no orders today"
		list.spare = []string{"REASON", "PRODUCT", "EXCHANGE", "AVERAGE", "TIME", "TRIGGER", "TYPE", "PRICE"}
	case opts.id == "":
		list.args, list.fields, list.empty = map[string]any{"mode": "all_trades"}, tradeFields(), "no trades today"
		list.spare = []string{"TRADE", "PRODUCT", "EXCHANGE", "ORDER"}
	case !opts.trades:
		list.args, list.fields, list.whole = map[string]any{"mode": "history", "order_id": opts.id}, stateFields(), true
		list.spare, list.notes = []string{"REASON", "TRIGGER", "TIME", "PRICE"}, refusal
	default:
		list.args, list.fields, list.whole = map[string]any{"mode": "trades", "order_id": opts.id}, tradeFields(), true
		list.empty, list.spare = "no trades of this order", []string{"ORDER", "TRADE", "PRODUCT", "EXCHANGE"}
	}
	return list.show(ctx)
}

// refusal is why Kite or the exchange said no to an order, in full: a column for it
// is the first that a terminal has no room for.
func refusal(result map[string]any) string {
	states, _ := at(result, "data").([]any)
	var reason string
	for _, state := range states {
		if text, ok := at(state, "status_message").(string); ok && text != "" {
			reason = fmt.Sprintf("%v: %s", at(state, "status"), text)
		}
	}
	return reason
}

func orderFields() []field {
	return []field{
		{"ORDER", "order_id", name},
		{"TIME", "order_timestamp", name},
		{"SIDE", "transaction_type", plain},
		{"SYMBOL", "tradingsymbol", name},
		{"EXCHANGE", "exchange", plain},
		{"TYPE", "order_type", plain},
		{"PRODUCT", "product", plain},
		{"QTY", "quantity", number},
		{"FILLED", "filled_quantity", number},
		{"PRICE", "price", price},
		{"TRIGGER", "trigger_price", price},
		{"AVERAGE", "average_price", price},
		{"STATUS", "status", plain},
		{"REASON", "status_message", plain},
	}
}

func stateFields() []field {
	return []field{
		{"STATUS", "status", plain},
		{"TIME", "order_timestamp", name},
		{"UPDATED", "exchange_update_timestamp", name},
		{"QTY", "quantity", number},
		{"FILLED", "filled_quantity", number},
		{"PRICE", "price", price},
		{"TRIGGER", "trigger_price", price},
		{"AVERAGE", "average_price", price},
		{"REASON", "status_message", plain},
	}
}

func tradeFields() []field {
	return []field{
		{"TRADE", "trade_id", plain},
		{"ORDER", "order_id", name},
		{"TIME", "fill_timestamp", name},
		{"SIDE", "transaction_type", plain},
		{"SYMBOL", "tradingsymbol", name},
		{"EXCHANGE", "exchange", plain},
		{"PRODUCT", "product", plain},
		{"QTY", "quantity", number},
		{"PRICE", "average_price", price},
	}
}
