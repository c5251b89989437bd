// Package tools owns the tool registry: every tool of the program, what it is
// called, what it takes, whom it is shown to and what it does. MCP, the command
// line and the terminal browser are views of it. It does not know transports,
// flags or screens, and bind.go is its only file that knows MCP types. Start at
// All, which lists the tools, and New, which checks them into a Registry.
package tools

import (
	"context"
	"log/slog"
	"time"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// Env is everything a handler may use. It is built once and never changed; the
// server copies it to set the Approver of one request.
type Env struct {
	Kite        kite.Source      // whose account a call is for
	Instruments *kite.Master     // the daily list of instruments; needs no login
	Catalog     *catalog.Catalog // the help content
	Now         func() time.Time // the clock of the results: the exchange's in demo mode
	Log         *slog.Logger
	Logins      Logins   // makes and ends logins; nil when that is not this program's business
	Demo        bool     // results carry "demo": true
	Server      Identity // who answers, for kite_help
	Client      string   // the program behind this call, as it calls itself; for the record only

	Figures  time.Duration // how long a question waits for what Kite reckons; 0 is 2 seconds
	Approver Approver      // asks the person; nil refuses every change
	Intents  Intents       // records every change; nil refuses every change

	intent kite.Intent // the approved change, while it is applied

	guide Guide // to the tools of this one call's caller; set by Call
}

// Logins makes and ends the login of the person whose account it is.
type Logins interface {
	// Begin returns the address of the page to log in at and how long it works. An error says why there is none.
	Begin(ctx context.Context) (address string, life time.Duration, err error)
	// End logs out here at once and at Kite, and reports whether there was a session. An error means that Kite could
	// not be told.
	End(ctx context.Context) (had bool, err error)
}
