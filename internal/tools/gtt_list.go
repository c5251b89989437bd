package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func gttList() Mode {
	return Read("list", ModeSpec{
		Title:       "All triggers",
		Description: "active and recent triggers with condition, orders and outcome",
		Tags:        []string{"GTT", "good till triggered", "OCO", "stop loss", "target", "two-leg"},
		Examples:    []string{`gtt {"mode":"list","from":0,"limit":100}`},
	}, func(ctx context.Context, env *Env, in paging) (rows[kite.GTT], error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return rows[kite.GTT]{}, err
		}
		all, err := c.GTTs(ctx)
		if err != nil {
			return rows[kite.GTT]{}, err
		}
		data, pages := page(all, in)
		return rows[kite.GTT]{Data: data, Pagination: pages}, nil
	})
}
