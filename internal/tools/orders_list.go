package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func ordersList() Mode {
	return Read("list", ModeSpec{
		Title:       "Order book",
		Description: "all orders of today with status, quantities and reasons of rejection",
		Tags:        []string{"order book", "open orders", "pending", "rejected", "status", "stop loss"},
		Examples:    []string{`orders {"mode":"list","from":0,"limit":100}`},
	}, func(ctx context.Context, env *Env, in paging) (rows[kite.Order], error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return rows[kite.Order]{}, err
		}
		all, err := c.Orders(ctx)
		if err != nil {
			return rows[kite.Order]{}, err
		}
		data, pages := page(all, in)
		return today(rows[kite.Order]{Data: data, Pagination: pages}), nil
	})
}
