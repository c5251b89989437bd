package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

type instrumentsOptions struct {
	app   *App
	query string
	on    string
	live  bool
	page  pageFlags
}

func newInstruments(app *App) *cobra.Command {
	opts := instrumentsOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "instruments QUERY", Short: "Find instruments by symbol, name or ISIN",
		Long:    "Searches today's instruments master. The text is taken as it is; upper and lower\ncase are equal. It needs no login.",
		Example: examples("kite-mcp instruments INFY --demo", "kite-mcp instruments NFO:NIFTY --on underlying --limit 10 --demo"),
		Args:    arguments(1, -1, "a text to search for"),
		RunE: func(c *cobra.Command, args []string) error {
			opts.query = strings.Join(args, " ")
			return runInstruments(c.Context(), opts)
		},
	})
	fields := []string{"id", "name", "isin", "tradingsymbol", "underlying"}
	c.Flags().StringVar(&opts.on, "on", "id", "what to search: "+strings.Join(fields, ", "))
	_ = c.RegisterFlagCompletionFunc("on", words(fields...))
	c.Flags().BoolVar(&opts.live, "live", false, "add current prices, which needs a login")
	opts.page.register(c, instrumentFields(true))
	return c
}

func runInstruments(ctx context.Context, opts instrumentsOptions) error {
	if opts.query == "" {
		return usage("the text to search for is empty", "")
	}
	list := listing{
		app: opts.app, tool: "market", empty: "no instrument holds " + quoted(opts.query), page: opts.page, fields: instrumentFields(opts.live),
		args:  map[string]any{"mode": "search", "query": opts.query, "filter_on": opts.on, "include_live_quote": opts.live},
		spare: []string{"TOKEN", "NAME"},
	}
	return list.show(ctx)
}

func instrumentFields(live bool) []field {
	fields := []field{
		{"ID", "id", plain},
		{"NAME", "name", plain},
		{"TYPE", "instrument_type", plain},
		{"EXPIRY", "expiry", name},
		{"STRIKE", "strike", number},
		{"LOT", "lot_size", number},
		{"TOKEN", "instrument_token", number},
	}
	if live {
		fields = append(fields, field{"LAST", "last_price", price})
	}
	return fields
}
