package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// loggedOut is what became of a logout.
type loggedOut struct {
	Success bool   `json:"success"`
	Status  string `json:"status"` // logged_out, already_logged_out
	Message string `json:"message,omitempty"`
	stamp
}

func sessionLogout() Mode {
	return access("logout", ModeSpec{
		Title:       "Log out of Kite",
		Description: "ends the session here and at Kite, for every client of this user",
		Tags:        []string{"log out", "sign out", "end session"},
		Examples:    []string{`session {"mode":"logout"}`},
	}, endLogin)
}

// endLogin succeeds when the login is gone from this machine: what Kite was not told ends by itself at 06:00.
func endLogin(ctx context.Context, env *Env) (loggedOut, error) {
	if env.Logins == nil {
		return loggedOut{}, &kite.Error{Kind: kite.KindInvalidArgument, Message: "this server keeps no login that could be ended"}
	}
	had, err := env.Logins.End(ctx)
	out := loggedOut{Success: true, Status: "logged_out"}
	switch {
	case err != nil && kite.KindOf(err) == kite.KindInternal:
		return loggedOut{}, err
	case err != nil:
		out.Message = "Logged out here. Kite could not be told: " + Explain(err).Message + "; its session ends by itself at 06:00 IST."
	case !had:
		out.Status = "already_logged_out"
	}
	return out, nil
}
