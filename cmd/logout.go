package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type logoutOptions struct{ app *App }

func newLogout(app *App) *cobra.Command {
	opts := logoutOptions{app: app}
	return formats(&cobra.Command{
		Use: "logout", Short: "Log out of Kite", GroupID: groupData,
		Long:    "Removes the saved login and ends its session at Kite, for every command and local\nserver of this user. To log out twice is no error.",
		Example: examples("kite-mcp logout", "kite-mcp logout -o json"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error { return runLogout(c.Context(), opts) },
	}, formatText, formatJSON)
}

func runLogout(ctx context.Context, opts logoutOptions) error {
	app := opts.app
	logins, err := app.logins()
	if err != nil {
		return err
	}
	ctx, cancel := app.withTimeout(ctx)
	defer cancel()
	had, err := logins.End(ctx)
	if err != nil && !isKite(err) {
		return err // the file is still there
	}
	if err != nil {
		app.note("Kite could not be told: %s. Its session ends by itself at 06:00 IST.", fromTool(err).Message)
	}
	status, text := "logged_out", "Logged out of Kite.\n"
	if !had {
		status, text = "already_logged_out", "Already logged out of Kite.\n"
	}
	if logins.Status().FromEnv {
		app.note("KITE_ACCESS_TOKEN is still set; its session is over.")
	}
	if app.json() {
		return app.printJSON(map[string]any{"success": true, "status": status})
	}
	return app.write(text)
}

// whoIs asks Kite whose session it is.
func (a *App) whoIs(ctx context.Context, source kite.Source) (user string, err error) {
	ctx, cancel := a.withTimeout(ctx)
	defer cancel()
	client, err := source.Client(ctx)
	if err != nil {
		return "", err
	}
	profile, err := client.Profile(ctx)
	return profile.UserID, err
}
