package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type holdingsInput struct {
	Type string `json:"type,omitempty" jsonschema:"full: Kite's rows; compact: exchange, tradingsymbol, instrument_token and quantities; summary: account-wide totals in rupees, never paged." check:"enum=full|summary|compact,default=full"`
	paging
}

// rows is a page of a list.
type rows[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
	stamp
}

func portfolioHoldings() Mode {
	return Read("holdings", ModeSpec{
		Title:       "Holdings",
		Description: "delivery shares, T1 shares and their profit and loss",
		Tags:        []string{"shares", "stocks", "demat", "P&L", "profit and loss", "invested", "delivery"},
		Examples: []string{
			`portfolio {"mode":"holdings","from":0,"limit":100}`,
			`portfolio {"mode":"holdings","type":"summary"}`,
		},
	}, readHoldings)
}

func readHoldings(ctx context.Context, env *Env, in holdingsInput) (any, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return nil, err
	}
	switch in.Type {
	case "summary":
		return holdingsSummary(ctx, c, in.paging)
	case "compact":
		all, err := c.HoldingsCompact(ctx)
		if err != nil {
			return nil, err
		}
		data, pages := page(all, in.paging)
		return &rows[kite.HoldingCompact]{Data: data, Pagination: pages}, nil
	default:
		all, err := c.Holdings(ctx)
		if err != nil {
			return nil, err
		}
		data, pages := page(all, in.paging)
		return &rows[kite.Holding]{Data: data, Pagination: pages}, nil
	}
}

func holdingsSummary(ctx context.Context, c *kite.Client, p paging) (any, error) {
	sum, err := c.HoldingsSummary(ctx)
	if err != nil {
		return nil, err
	}
	out := &passthrough{object: sum, stamp: stamp{Meta: Meta{}}}
	if sum.Computed {
		out.Meta["computed"] = true
	}
	if p.From > 0 {
		out.ignore("from")
	}
	if p.Limit > 0 {
		out.ignore("limit")
	}
	return out, nil
}
