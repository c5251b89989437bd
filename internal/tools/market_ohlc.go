package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func marketOHLC() Mode {
	return Read("ohlc", ModeSpec{
		Title:       "Day's open, high, low and close",
		Description: "last price with today's open, high and low and the previous close",
		Tags:        []string{"ohlc", "open", "high", "low", "previous close"},
		Examples:    []string{`market {"mode":"ohlc","instruments":["NSE:INFY","BSE:SENSEX"]}`},
	}, func(ctx context.Context, env *Env, in quoteInput) (quotes, error) {
		return prices(ctx, env, in, (*kite.Client).OHLC)
	})
}
