package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type historyOptions struct {
	app        *App
	symbol     string
	interval   string
	since      string
	until      string
	continuous bool
	oi         bool
	page       pageFlags
}

func newHistory(app *App) *cobra.Command {
	opts := historyOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "history EXCHANGE:SYMBOL|TOKEN", Short: "Show candles of one instrument",
		Long: "Shows open, high, low, close and volume per interval, oldest first, in IST. Without\n" +
			"--since it goes back 30 days, for intervals shorter than a day 5. How long a range\n" +
			"may be depends on the interval: from 60 days of minutes to 2000 of days.",
		Example: examples("kite-mcp history NSE:INFY --demo", "kite-mcp history NSE:INFY --sort -date --limit 5 --demo", `kite-mcp history "NSE:NIFTY 50" --interval 15minute --since 2026-12-01 --demo`),
		Args:    arguments(1, 1, "one instrument, such as NSE:INFY"),
		RunE: func(c *cobra.Command, args []string) error {
			opts.symbol = args[0]
			return runHistory(c.Context(), opts)
		},
	})
	var names []string
	for _, i := range kite.Intervals() {
		names = append(names, i.Name)
	}
	f := c.Flags()
	f.StringVar(&opts.interval, "interval", "day", "length of a candle: "+strings.Join(names, ", "))
	f.StringVar(&opts.since, "since", "", "begin as `DATE` YYYY-MM-DD, or with a time HH:MM:SS")
	f.StringVar(&opts.until, "until", "", "end as `DATE`, like --since; now without it")
	f.BoolVar(&opts.continuous, "continuous", false, "join earlier contracts of a future")
	f.BoolVar(&opts.oi, "oi", false, "add open interest")
	_ = c.RegisterFlagCompletionFunc("interval", words(names...))
	_ = c.RegisterFlagCompletionFunc("since", noCompletion)
	_ = c.RegisterFlagCompletionFunc("until", noCompletion)
	opts.page.register(c, candleFields(true))
	return c
}

func runHistory(ctx context.Context, opts historyOptions) error {
	env, err := opts.app.env()
	if err != nil {
		return err
	}
	token, err := opts.token(ctx)
	if err != nil {
		return err
	}
	opts.complete(env.Now().In(kite.IST))
	list := listing{
		app: opts.app, tool: "market", whole: true, page: opts.page, fields: candleFields(opts.oi), empty: "no candles in this range",
		args: map[string]any{
			"mode": "historical", "instrument_token": token, "interval": opts.interval,
			"from_date": opts.since, "to_date": opts.until, "continuous": opts.continuous, "oi": opts.oi,
		},
	}
	return list.show(ctx)
}

// complete fills in the ends of the range that were not given.
func (o *historyOptions) complete(now time.Time) {
	if o.until == "" {
		o.until = now.Format(time.DateTime)
	}
	if o.since != "" {
		return
	}
	days := 5
	if o.interval == "day" {
		days = 30
	}
	end := now
	for _, layout := range []string{time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, o.until, kite.IST); err == nil {
			end = t
		}
	}
	o.since = end.AddDate(0, 0, -days).Format(time.DateOnly)
}

// token is the number of the instrument: given as such, or looked up.
func (o *historyOptions) token(ctx context.Context) (json.Number, error) {
	if strings.Trim(o.symbol, "0123456789") == "" {
		return json.Number(o.symbol), nil
	}
	if !strings.Contains(o.symbol, ":") {
		return "", usage(quoted(o.symbol)+" is not EXCHANGE:SYMBOL", "kite-mcp instruments "+o.symbol+" finds the id")
	}
	result, err := o.app.call(ctx, "market", map[string]any{"mode": "search", "search_mode": "get_by_id", "id": o.symbol})
	if err != nil {
		if f := tools.Explain(err); f.Code == tools.CodeNotFound {
			return "", &problem{Code: string(f.Code), Message: "there is no instrument " + quoted(o.symbol), Hint: "kite-mcp instruments finds exact ids"}
		}
		return "", inOwnWords(err)
	}
	decoded, err := decodeResult(result)
	if err != nil {
		return "", err
	}
	token, ok := at(decoded, "data.0.instrument_token").(json.Number)
	if !ok {
		return "", fmt.Errorf("look up %s: no token in the result", o.symbol)
	}
	return token, nil
}

func candleFields(oi bool) []field {
	fields := []field{
		{"DATE", "date", moment},
		{"OPEN", "open", number},
		{"HIGH", "high", number},
		{"LOW", "low", number},
		{"CLOSE", "close", number},
		{"VOLUME", "volume", number},
	}
	if oi {
		fields = append(fields, field{"OI", "oi", number})
	}
	return fields
}
