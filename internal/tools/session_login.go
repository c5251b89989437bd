package tools

import (
	"context"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// loginOffer is a link for the person, or who is logged in already.
type loginOffer struct {
	Status       string `json:"status"` // login_pending, already_authenticated
	LoginURL     string `json:"login_url,omitempty"`
	ExpiresIn    int64  `json:"expires_in,omitempty"` // seconds
	UserID       string `json:"user_id,omitempty"`
	Instructions string `json:"instructions"`
	stamp
}

func sessionLogin() Mode {
	return access("login", ModeSpec{
		Title:       "Log in to Kite",
		Description: "a link with which the person logs in; none when logged in already",
		Tags:        []string{"log in", "login link", "sign in", "authenticate"},
		Examples:    []string{`session {"mode":"login"}`},
	}, beginLogin)
}

const loginInstructions = "Show this link to the person: they open it in a browser on the machine where this server runs and log in to Kite by their own hand. " +
	"Then check with session status. Never ask for a password, PIN or code in the chat. " +
	"Note: an AI client that is logged in can read the account and prepare orders, and it can be wrong; nothing is placed without the person's approval, so they should read each request."

// beginLogin asks Kite whether a login is needed at all. What it cannot find out must not stand in the way of a link.
func beginLogin(ctx context.Context, env *Env) (loginOffer, error) {
	if client, err := env.Kite.Client(ctx); err == nil {
		if p, err := client.Profile(ctx); err == nil {
			until := client.SessionEnds(env.Now()).Format(time.RFC3339)
			return loginOffer{Status: "already_authenticated", UserID: p.UserID, Instructions: "Already logged in, until " + until + " at the latest; no login is needed. To change the account, log out first."}, nil
		}
	}
	if env.Logins == nil {
		return loginOffer{}, &kite.Error{Kind: kite.KindNotAuthenticated, Message: "this server cannot make a login link"}
	}
	address, life, err := env.Logins.Begin(ctx)
	if err != nil {
		return loginOffer{}, err
	}
	return loginOffer{Status: "login_pending", LoginURL: address, ExpiresIn: int64(life / time.Second), Instructions: loginInstructions}, nil
}
