package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type chainOptions struct {
	app      *App
	name     string
	exchange string
	expiry   string
	expiries bool
	live     bool
	page     pageFlags
}

func newChain(app *App) *cobra.Command {
	opts := chainOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "chain [NAME]", Short: "Show the option chain of an underlying",
		Long: "Shows the strikes of one expiry with call and put, of the nearest one without\n" +
			"--expiry. Without NAME it lists what has options. NSE and BSE names are found by\n" +
			"themselves; BFO:SENSEX says which. Prices need --live and a login.",
		Example: examples("kite-mcp chain NIFTY --live --demo", "kite-mcp chain NIFTY --expiries --demo", "kite-mcp chain INFY --expiry 2026-12-29 -o json --demo"),
		Args:    arguments(0, 1, "the name of one underlying, such as NIFTY"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.name = args[0]
			}
			return runChain(c.Context(), opts)
		},
	})
	f := c.Flags()
	f.StringVar(&opts.expiry, "expiry", "", "day of expiry as `DATE` YYYY-MM-DD")
	f.BoolVar(&opts.expiries, "expiries", false, "list the expiries")
	f.BoolVar(&opts.live, "live", false, "add current prices, which needs a login")
	_ = c.RegisterFlagCompletionFunc("expiry", noCompletion)
	opts.page.register(c, strikeFields(true))
	return c
}

func runChain(ctx context.Context, opts chainOptions) error {
	if opts.expiry != "" && opts.expiries {
		return usage("--expiry and --expiries exclude each other", "")
	}
	list := listing{app: opts.app, tool: "market", page: opts.page, args: map[string]any{"mode": "option_chain"}}
	if opts.name == "" {
		list.fields = []field{{"UNDERLYING", "underlying", plain}, {"EXCHANGE", "exchange", plain}, {"EXPIRIES", "expiries", number}}
		return list.show(ctx)
	}
	days, err := opts.locate(ctx)
	if err != nil {
		return err
	}
	list.args["exchange"], list.args["underlying"] = opts.exchange, opts.name
	if opts.expiries {
		list.fields = []field{{"EXPIRY", "expiry", plain}, {"STRIKES", "strikes", number}}
		return list.show(ctx)
	}
	nearest, err := opts.nearest(days)
	if err != nil {
		return err
	}
	if opts.expiry == "" && nearest != "" {
		opts.expiry = nearest
		list.notes = func(map[string]any) string {
			return "expiry " + nearest + ", the nearest; --expiries lists all"
		}
	}
	list.args["expiry"], list.args["include_live_quote"] = opts.expiry, opts.live
	list.fields = strikeFields(opts.live)
	list.spare = []string{"CALL-VOL", "PUT-VOL", "CALL-OI", "PUT-OI"}
	return list.show(ctx)
}

// nearest is the first expiry that is not over; a list of yesterday may begin with
// one that is. When all are over it is the first, and "" without any.
func (o *chainOptions) nearest(days map[string]any) (string, error) {
	env, err := o.app.env()
	if err != nil {
		return "", err
	}
	today := env.Now().In(kite.IST).Format(time.DateOnly)
	all, _ := at(days, "data.*.expiry").([]any)
	for _, day := range all {
		if day, ok := day.(string); ok && day >= today {
			return day, nil
		}
	}
	first, _ := at(days, "data.0.expiry").(string)
	return first, nil
}

// locate finds the exchange of the underlying and its expiries. What is not in
// NFO may be in BFO, unless the name says where it is.
func (o *chainOptions) locate(ctx context.Context) (map[string]any, error) {
	exchanges := []string{"NFO", "BFO"}
	if exchange, name, ok := strings.Cut(o.name, ":"); ok {
		exchanges, o.name = []string{exchange}, name
	}
	var err error
	for _, exchange := range exchanges {
		var result tools.Result
		result, err = o.app.call(ctx, "market", map[string]any{"mode": "option_chain", "exchange": exchange, "underlying": o.name})
		if err == nil {
			o.exchange = exchange
			return decodeResult(result)
		}
		if tools.Explain(err).Code != tools.CodeNotFound {
			return nil, inOwnWords(err)
		}
	}
	return nil, &problem{Code: string(tools.CodeNotFound), Message: "there are no options of " + quoted(o.name) + " on " + strings.Join(exchanges, " or "), Hint: "kite-mcp chain lists what has options"}
}

func strikeFields(live bool) []field {
	if !live {
		return []field{
			{"CALL", "call.tradingsymbol", plain},
			{"STRIKE", "strike", number},
			{"PUT", "put.tradingsymbol", plain},
			{"LOT", "call.lot_size", number},
		}
	}
	return []field{
		{"CALL-OI", "call.quote.oi", number},
		{"CALL-VOL", "call.quote.volume", number},
		{"CALL-BID", "call.quote.bid", price},
		{"CALL-ASK", "call.quote.ask", price},
		{"CALL", "call.quote.last_price", price},
		{"STRIKE", "strike", number},
		{"PUT", "put.quote.last_price", price},
		{"PUT-BID", "put.quote.bid", price},
		{"PUT-ASK", "put.quote.ask", price},
		{"PUT-VOL", "put.quote.volume", number},
		{"PUT-OI", "put.quote.oi", number},
	}
}
