package tools

import (
	"context"
	"errors"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// sessionState is who is logged in and for how long. What is not known is null.
type sessionState struct {
	Authenticated bool    `json:"authenticated"`
	Status        string  `json:"status"` // authenticated, expired, not_authenticated, logged_out
	UserID        *string `json:"user_id"`
	AuthMode      string  `json:"auth_mode"`
	ExpiresAt     *string `json:"kite_session_expires_at"` // RFC 3339 in IST
	SecondsLeft   int64   `json:"seconds_left"`
	Unsettled     int     `json:"unsettled"`         // changes whose outcome is not known; mode activity has them
	Message       string  `json:"message,omitempty"` // why not, and what to do
	stamp
}

func sessionStatus() Mode {
	return Read("status", ModeSpec{
		Title:       "Session status",
		Description: "state of the login, user id, end and seconds left",
		Tags:        []string{"logged in", "session status", "expired", "who am I"},
		Examples:    []string{`session {"mode":"status"}`},
	}, readSession)
}

// readSession asks Kite, since a token can have been ended elsewhere. Without a login it says so and does not fail; only
// when Kite cannot be asked is there no answer.
func readSession(ctx context.Context, env *Env, _ noInput) (sessionState, error) {
	out := sessionState{AuthMode: "local"}
	var profile kite.Profile
	client, err := env.Kite.Client(ctx)
	if err == nil {
		profile, err = client.Profile(ctx)
	}
	switch kite.KindOf(err) {
	case "":
	case kite.KindNotAuthenticated:
		out.Status, out.Message = "not_authenticated", Explain(err).Error()
		if errors.Is(err, kite.ErrLoggedOut) {
			out.Status = "logged_out"
		}
		return out, nil
	case kite.KindSessionExpired:
		out.Status, out.Message = "expired", Explain(err).Error()
		return out, nil
	default:
		return sessionState{}, err
	}
	now := env.Now()
	end := client.SessionEnds(now)
	until := end.Format(time.RFC3339)
	out.Authenticated, out.Status, out.UserID, out.ExpiresAt = true, "authenticated", &profile.UserID, &until
	out.SecondsLeft = int64(end.Sub(now) / time.Second)
	if env.Intents != nil {
		if out.Unsettled, err = unsettled(ctx, env.Intents, profile.UserID); err != nil {
			env.Log.WarnContext(ctx, "read the log of changes", "error", err) // the session is the answer
		}
	}
	return out, nil
}

// unsettled counts the changes of an account whose outcome is not known.
func unsettled(ctx context.Context, log Intents, account string) (int, error) {
	all, err := log.List(ctx, account)
	n := 0
	for _, i := range all {
		if i.State.Open() || i.State == kite.IntentUnsettled {
			n++
		}
	}
	return n, err
}
