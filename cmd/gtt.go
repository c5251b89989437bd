package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

type gttOptions struct {
	app  *App
	id   string
	page pageFlags
}

func newGTT(app *App) *cobra.Command {
	opts := gttOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "gtt [TRIGGER_ID]", Short: "Show GTT triggers, or one with its orders",
		Long: "Shows the triggers that wait at the broker, or the orders of one with what became\n" +
			"of them. Triggered says that an order was placed, not that it was filled. A\n" +
			"two-leg trigger has two values, joined by a slash.",
		Example: examples("kite-mcp gtt --demo", "kite-mcp gtt 900003 --demo", "kite-mcp gtt --sort symbol -o md --demo"),
		Args:    arguments(0, 1, "at most one trigger id"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.id = args[0]
			}
			return runGTT(c.Context(), opts)
		},
	})
	opts.page.register(c, triggerFields())
	return c
}

func runGTT(ctx context.Context, opts gttOptions) error {
	list := listing{
		app: opts.app, tool: "gtt", page: opts.page, args: map[string]any{"mode": "list"}, fields: triggerFields(),
		empty: "no triggers", spare: []string{"EXPIRES", "LAST WHEN PLACED", "TYPE", "EXCHANGE"},
	}
	if opts.id != "" {
		list.args = map[string]any{"mode": "get", "trigger_id": opts.id} // the tool says what is no id
		list.whole, list.fields, list.rows, list.lost = true, legFields(), legs, "kite-mcp gtt lists the triggers"
		list.spare, list.notes = []string{"REASON", "PRODUCT", "EXCHANGE", "STATUS"}, failedLegs
	}
	return list.show(ctx)
}

// legs makes a row of each order of a trigger, with the value that fires it.
func legs(result map[string]any) []any {
	orders, _ := at(result, "data.orders").([]any)
	var rows []any
	for i, o := range orders {
		leg, ok := o.(map[string]any)
		if !ok {
			continue
		}
		leg["leg"] = json.Number(strconv.Itoa(i + 1))
		leg["status"] = at(result, "data.status")
		leg["trigger"] = at(result, "data.condition.trigger_values."+strconv.Itoa(i))
		rows = append(rows, leg)
	}
	return rows
}

// failedLegs is why orders of a trigger were not placed.
func failedLegs(result map[string]any) string {
	orders, _ := at(result, "data.orders").([]any)
	var reasons []string
	for i, o := range orders {
		if text, ok := at(o, "result.order_result.rejection_reason").(string); ok && text != "" {
			reasons = append(reasons, fmt.Sprintf("leg %d: %s", i+1, text))
		}
	}
	return strings.Join(reasons, "\n")
}

func triggerFields() []field {
	return []field{
		{"TRIGGER", "id", plain},
		{"STATUS", "status", plain},
		{"TYPE", "type", plain},
		{"SYMBOL", "condition.tradingsymbol", name},
		{"EXCHANGE", "condition.exchange", plain},
		{"AT", "condition.trigger_values", number},
		{"SIDE", "orders.*.transaction_type", plain},
		{"QTY", "orders.*.quantity", number},
		{"LIMIT", "orders.*.price", number},
		{"LAST WHEN PLACED", "condition.last_price", price},
		{"EXPIRES", "expires_at", name},
	}
}

func legFields() []field {
	return []field{
		{"LEG", "leg", number},
		{"STATUS", "status", plain},
		{"SIDE", "transaction_type", plain},
		{"SYMBOL", "tradingsymbol", name},
		{"EXCHANGE", "exchange", plain},
		{"PRODUCT", "product", plain},
		{"AT", "trigger", number},
		{"QTY", "quantity", number},
		{"LIMIT", "price", number},
		{"RESULT", "result.order_result.status", plain},
		{"ORDER", "result.order_result.order_id", name},
		{"REASON", "result.order_result.rejection_reason", plain},
	}
}
