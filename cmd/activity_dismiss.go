package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type dismissOptions struct {
	app *App
	id  string
}

func newActivityDismiss(app *App) *cobra.Command {
	opts := dismissOptions{app: app}
	return formats(&cobra.Command{
		Use: "dismiss ID", Short: "Stop being reminded of a change without an outcome",
		Long: "A change whose answer got lost, and whose day ended before its outcome was found, is\n" +
			"told before every further order. Look at the positions and the contract note, then\n" +
			"end the reminder: nothing at Kite changes. The id is in the column ID of activity.",
		Example: examples("kite-mcp activity dismiss F4KDR6OYHU7WQ2PXVQCN3YSZ5A", "kite-mcp activity dismiss F4KDR6OYHU7WQ2PXVQCN3YSZ5A -o json"),
		Args:    arguments(1, 1, "the id of one change"), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, args []string) error {
			opts.id = args[0]
			return runActivityDismiss(c.Context(), opts)
		},
	}, formatText, formatJSON)
}

func runActivityDismiss(ctx context.Context, opts dismissOptions) error {
	if opts.id == "" {
		return usage("the id is empty", "kite-mcp activity lists them")
	}
	app := opts.app
	env, err := app.env()
	if err != nil {
		return err
	}
	log, err := app.changes()
	if err != nil {
		return err
	}
	if log == nil {
		return usage("no home folder is known, where changes would be recorded", "set HOME or XDG_STATE_HOME")
	}
	// The saved login names the account, also after the session's end.
	logins, err := app.logins()
	if err != nil {
		return err
	}
	account := logins.Status().UserID
	if account == "" {
		if account, err = app.whoIs(ctx, env.Kite); err != nil {
			return err
		}
	}
	in, err := log.Dismiss(ctx, account, opts.id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &problem{Code: string(tools.CodeNotFound), Message: "no change of account " + account + " has the id " + quoted(opts.id), Hint: "kite-mcp activity lists them"}
	case errors.Is(err, kite.ErrNotUnsettled):
		return &problem{Code: string(tools.CodeRejected), Message: "that change is " + string(in.State) + ", and only an unsettled one can be dismissed"}
	case err != nil:
		return err
	}
	if app.json() {
		return app.printJSON(map[string]any{"success": true, "intent": in.ID, "state": in.State})
	}
	return app.write("Dismissed: " + oneLine(in.Action) + "\n")
}
