package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type quoteInput struct {
	Instruments []string `json:"instruments" jsonschema:"Exact ids EXCHANGE:TRADINGSYMBOL such as NSE:INFY. At most 500 for quote, 1000 for ltp and ohlc." check:"min=1,max=1000"`
}

// quotes is prices by id. Ids that Kite does not answer are in meta.missing.
type quotes struct {
	Data map[string]kite.Quote `json:"data"`
	stamp
}

func marketQuote() Mode {
	return Read("quote", ModeSpec{
		Title:       "Full quote",
		Description: "last price, volume, ohlc, circuit limits, open interest and five levels of depth",
		Tags:        []string{"quote", "depth", "bid", "ask", "circuit", "volume", "OI", "open interest"},
		Examples:    []string{`market {"mode":"quote","instruments":["NSE:INFY","NSE:NIFTY 50"]}`},
	}, func(ctx context.Context, env *Env, in quoteInput) (quotes, error) {
		if n := len(unique(in.Instruments)); n > kite.MaxQuoteInstruments {
			return quotes{}, invalid(fmt.Sprintf("instruments: at most %d for quotes, got %d", kite.MaxQuoteInstruments, n))
		}
		return prices(ctx, env, in, (*kite.Client).Quotes)
	})
}

// fetch is one of the three price calls of a Kite client.
type fetch func(c *kite.Client, ctx context.Context, ids []string) (map[string]kite.Quote, error)

// prices runs a price call and names what Kite left out.
func prices(ctx context.Context, env *Env, in quoteInput, call fetch) (quotes, error) {
	ids := unique(in.Instruments)
	var wrong []string
	for _, id := range ids {
		if exchange, symbol, ok := strings.Cut(id, ":"); !ok || exchange == "" || symbol == "" {
			wrong = append(wrong, fmt.Sprintf("instruments: %s is not EXCHANGE:TRADINGSYMBOL", quoted(id)))
		}
	}
	if len(wrong) > 0 {
		return quotes{}, invalid(wrong...)
	}
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return quotes{}, err
	}
	data, err := call(c, ctx, ids)
	if err != nil {
		return quotes{}, err
	}
	missing := []string{}
	for _, id := range ids {
		if _, ok := data[id]; !ok {
			missing = append(missing, id)
		}
	}
	return quotes{Data: data, stamp: stamp{Meta: Meta{"requested": len(ids), "returned": len(data), "missing": missing}}}, nil
}
