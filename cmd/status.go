package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/session"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type statusOptions struct {
	app    *App
	online bool
}

func newStatus(app *App) *cobra.Command {
	opts := statusOptions{app: app}
	c := formats(&cobra.Command{
		Use: "status", Short: "Show the Kite login", GroupID: groupData,
		Long: "Shows who is logged in and until when, from what this machine knows; --online asks\n" +
			"Kite, too. Exits 4 without a login. -v adds every setting with its origin, secrets\n" +
			"by their length.",
		Example: examples("kite-mcp status", "kite-mcp status --online", "kite-mcp status -o json"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error { return runStatus(c.Context(), opts) },
	}, formatText, formatJSON)
	c.Flags().BoolVar(&opts.online, "online", false, "ask Kite whether the session is alive")
	return c
}

// loginState is the login as programs read it: the result of session status, and
// where the login comes from.
type loginState struct {
	Authenticated bool    `json:"authenticated"`
	Status        string  `json:"status"` // authenticated, expired, not_authenticated, logged_out
	UserID        *string `json:"user_id"`
	AuthMode      string  `json:"auth_mode"`
	ExpiresAt     *string `json:"kite_session_expires_at"`
	SecondsLeft   int64   `json:"seconds_left"`
	Source        string  `json:"source"` // login, KITE_ACCESS_TOKEN, demo
	Message       string  `json:"message,omitempty"`
	Demo          bool    `json:"demo,omitempty"`
}

func runStatus(ctx context.Context, opts statusOptions) error {
	app := opts.app
	cfg, err := app.config()
	if err != nil {
		return err
	}
	s, err := opts.find(ctx)
	if err != nil {
		return err
	}
	now := app.proc.Now()
	if cfg.Demo.On {
		exchange, err := app.exchange()
		if err != nil {
			return err
		}
		now = exchange.Now()
	}
	state := stateOf(s, s.UserID, now)
	if cfg.Demo.On {
		state.Source, state.Demo = "demo", true
	}
	if app.json() {
		err = app.printJSON(state)
	} else {
		err = app.write(statusText(state, s))
		if err == nil && app.flags.verbose > 0 {
			err = app.write("\n")
			if err == nil {
				err = app.printSettings(ctx, cfg)
			}
		}
	}
	if err != nil || s.Err == nil {
		return err
	}
	told := fromTool(s.Err)
	told.told = true
	return told
}

// find looks the login up. What Kite says, when it is asked, counts more than
// what this machine knows.
func (o *statusOptions) find(ctx context.Context) (session.Status, error) {
	var s session.Status
	logins, err := o.app.logins()
	if err != nil {
		return s, err
	}
	if s = logins.Status(); !o.online {
		return s, nil
	}
	user, err := o.app.whoIs(ctx, logins)
	switch {
	case err == nil:
		s.UserID = user
	case errors.Is(err, kite.ErrSessionExpired), errors.Is(err, kite.ErrNotAuthenticated):
		s.Err = err
	default:
		return s, err
	}
	return s, nil
}

// stateOf describes a login for programs.
func stateOf(s session.Status, user string, now time.Time) loginState {
	out := loginState{Authenticated: s.Err == nil, Status: "authenticated", AuthMode: "local", Source: "login"}
	if s.FromEnv {
		out.Source = "KITE_ACCESS_TOKEN"
	}
	if user != "" {
		out.UserID = &user
	}
	if s.Err != nil {
		out.Status, out.Message = "not_authenticated", tools.Explain(s.Err).Error()
		switch {
		case errors.Is(s.Err, kite.ErrSessionExpired):
			out.Status = "expired"
		case errors.Is(s.Err, kite.ErrLoggedOut):
			out.Status = "logged_out"
		}
		return out
	}
	until := s.Expires.In(kite.IST).Format(time.RFC3339)
	out.ExpiresAt, out.SecondsLeft = &until, int64(s.Expires.Sub(now)/time.Second)
	return out
}

func statusText(state loginState, s session.Status) string {
	if !state.Authenticated {
		return capital(state.Message) + "\n"
	}
	user := "an account that --online would name"
	if state.UserID != nil {
		user = *state.UserID
	}
	left := time.Duration(state.SecondsLeft) * time.Second
	text := fmt.Sprintf("Logged in to Kite as %s, until %s (%dh %02dmin).\n", user, indianTime(s.Expires), int(left.Hours()), int(left.Minutes())%60)
	switch {
	case state.Demo:
		text += "DEMO account: nothing is real.\n"
	case s.FromEnv:
		text += "KITE_ACCESS_TOKEN is in use, and wins over a saved login; it may have ended already.\n"
	case s.Place != "":
		text += "Saved in " + s.Place + ".\n"
	}
	return text
}
