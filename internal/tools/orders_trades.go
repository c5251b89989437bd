package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func ordersTrades() Mode {
	return Read("trades", ModeSpec{
		Title:       "Fills of an order",
		Description: "the trades of one order; their quantities add up to its filled_quantity",
		Tags:        []string{"fills", "executions", "average price", "partial fill"},
		Examples:    []string{`orders {"mode":"trades","order_id":"2044000000000000001"}`},
	}, func(ctx context.Context, env *Env, in orderInput) (rows[kite.Trade], error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return rows[kite.Trade]{}, err
		}
		fills, err := c.OrderTrades(ctx, in.OrderID)
		if err != nil {
			return rows[kite.Trade]{}, hinted(err, whereOrderIDsAre)
		}
		return today(whole(fills)), nil
	})
}
