package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

type activityOptions struct {
	app   *App
	since time.Duration
	page  pageFlags
}

func newActivity(app *App) *cobra.Command {
	opts := activityOptions{app: app}
	c := dataCommand(&cobra.Command{
		Use: "activity", Short: "Show what was approved through this program, and its outcome",
		Long: "Shows the changes of the account that a person was asked about in the last 30 days,\n" +
			"newest first: what was approved or declined and what became of it. An outcome that\n" +
			"got lost is looked for in the order book. -o json is the result of the tool session,\n" +
			"mode activity, unchanged.",
		Example: examples("kite-mcp activity --demo", "kite-mcp activity --since 24h -o md --demo"),
		RunE:    func(c *cobra.Command, _ []string) error { return runActivity(c.Context(), opts) },
	})
	c.Flags().DurationVar(&opts.since, "since", 0, "only what is not older than this, such as 24h; 0 for all")
	_ = c.RegisterFlagCompletionFunc("since", words("1h", "24h", "168h"))
	opts.page.register(c, activityFields())
	c.AddCommand(newActivityDismiss(app))
	return c
}

func runActivity(ctx context.Context, opts activityOptions) error {
	list := listing{
		app: opts.app, tool: "session", args: map[string]any{"mode": "activity"}, fields: activityFields(), page: opts.page,
		empty: "nothing was approved or declined", spare: []string{"ID", "CLIENT", "TAG", "REASON", "ORDER"},
	}
	if opts.since < 0 {
		return usage("--since "+opts.since.String()+" is before the present", "write it as 24h")
	}
	if opts.since > 0 {
		if opts.app.json() {
			return usage("--since is for tables; -o json is the tool's result, unchanged", "leave out one of them")
		}
		first := opts.app.proc.Now().Add(-opts.since)
		list.whole = true // the table is cut after the old rows are gone
		list.args["limit"] = most
		list.rows = func(result map[string]any) []any { return recent(result, first) }
	}
	return list.show(ctx)
}

// recent returns the rows that are not older than first.
func recent(result map[string]any, first time.Time) []any {
	all, _ := result["data"].([]any)
	rows := []any{}
	for _, r := range all {
		row, _ := r.(map[string]any)
		text, _ := row["time"].(string)
		if at, err := time.Parse(time.RFC3339, text); err == nil && !at.Before(first.Truncate(time.Second)) {
			rows = append(rows, r)
		}
	}
	return rows
}

func activityFields() []field {
	return []field{
		{"TIME", "time", plain},
		{"STATE", "state", plain},
		{"ACTION", "action", plain},
		{"ORDER", "order_id", plain},
		{"TAG", "tag", plain},
		{"REASON", "message", plain},
		{"CLIENT", "client", plain},
		{"ID", "intent", plain},
	}
}
