package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func ordersAllTrades() Mode {
	return Read("all_trades", ModeSpec{
		Title:       "Fills of the day",
		Description: "the trades of all orders of today, one row per fill",
		Tags:        []string{"trade book", "tradebook", "reconcile"},
		Examples:    []string{`orders {"mode":"all_trades","from":0,"limit":100}`},
	}, func(ctx context.Context, env *Env, in paging) (rows[kite.Trade], error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return rows[kite.Trade]{}, err
		}
		all, err := c.Trades(ctx)
		if err != nil {
			return rows[kite.Trade]{}, err
		}
		data, pages := page(all, in)
		return today(rows[kite.Trade]{Data: data, Pagination: pages}), nil
	})
}
