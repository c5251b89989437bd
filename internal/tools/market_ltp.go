package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func marketLTP() Mode {
	return Read("ltp", ModeSpec{
		Title:       "Last price",
		Description: "last traded price only",
		Tags:        []string{"ltp", "last traded price"},
		Examples:    []string{`market {"mode":"ltp","instruments":["NSE:INFY"]}`},
	}, func(ctx context.Context, env *Env, in quoteInput) (quotes, error) {
		return prices(ctx, env, in, (*kite.Client).LTP)
	})
}
