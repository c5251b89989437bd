package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func mutualFundsHoldings() Mode {
	return Read("holdings", ModeSpec{
		Title:       "Fund holdings",
		Description: "one row per fund and folio",
		Tags:        []string{"funds", "units", "NAV", "folio", "SIP"},
		Examples:    []string{`mutual_funds {"mode":"holdings","from":0,"limit":100}`},
	}, func(ctx context.Context, env *Env, in paging) (rows[kite.MFHolding], error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return rows[kite.MFHolding]{}, err
		}
		all, err := c.MFHoldings(ctx)
		if err != nil {
			return rows[kite.MFHolding]{}, err
		}
		data, pages := page(all, in)
		return rows[kite.MFHolding]{Data: data, Pagination: pages}, nil
	})
}
