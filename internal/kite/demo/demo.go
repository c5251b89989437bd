// Package demo is the demo exchange: a built-in Kite Connect v3 that needs no account, no network and no port.
//
// It owns invented accounts with an order engine that moves them, a small universe of instruments, a price model that
// gives every instrument a price at every second, and the faults tests inject. It does not know the client that talks
// to it: it speaks HTTP only, through Handler or, in process, through Transport. Entry point is New.
package demo

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// The credentials the demo exchange accepts. The access token is that of an exchange that starts logged in.
const (
	APIKey      = "demo_key"
	AccessToken = "demo_access_token"
)

// BaseURL is a host that can never resolve, for clients on Transport: a client that misses it fails instead of reaching
// the real exchange.
const BaseURL = "http://kite.demo.invalid"

// User owns the built-in account.
const User = "DM0001"

// Options configure an Exchange. Only Now is required.
type Options struct {
	// Now is the real clock. Rate limits always run on it.
	Now func() time.Time
	// Clock says how demo time follows real time.
	Clock Clock
	// Instruments is an instruments CSV to serve in place of the built-in universe; New reads it to the end.
	Instruments io.Reader
	// Faults are the failures to inject; see ParseFaults.
	Faults Faults
	// RateLimit makes the exchange answer 429 above Kite's limits.
	RateLimit bool
	// State is the path of a file that keeps orders, triggers, alerts and logins between runs; "" keeps them in memory.
	State string
	// LoggedOut makes the exchange start without a session: clients have to log in.
	LoggedOut bool
	// Users lets DM0002 and DM0003 log in besides DM0001.
	Users bool
	// RedirectURL is where the login page sends the browser, on this machine only; "" shows the request token instead.
	RedirectURL string
	// Log gets what goes wrong with the state file; nil is silent.
	Log *slog.Logger
}

// Exchange is one demo exchange. It is safe for concurrent use.
type Exchange struct {
	options  Options
	clock    *clock
	realNow  func() time.Time
	universe func() (*universe, error)
	accounts map[string]*account
	routes   []route

	mu       sync.Mutex // guards what follows
	sessions map[string]session
	grants   map[string]grant
	faults   []armedFault
	windows  map[string][]time.Time // per user and family, the calls of the last minute
	log      []received

	engine sync.Mutex // guards what follows; taken before mu
	start  moment     // when books are opened
	books  map[string]*desk
	stored map[string]*book // from the state file, not yet used
}

// New returns a demo exchange. Its account is logged in, unless Options.LoggedOut or a state file says otherwise.
func New(o Options) (*Exchange, error) {
	accounts, err := loadAccounts()
	if err != nil {
		return nil, err
	}
	if o.RedirectURL != "" && !loopbackURL(o.RedirectURL) {
		return nil, errors.New("demo redirect URL is not on this machine")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	x := &Exchange{
		options: o, clock: newClock(o.Clock, o.Now), realNow: o.Now, accounts: accounts, routes: routeTable(),
		books: map[string]*desk{}, stored: map[string]*book{},
	}
	x.universe = sync.OnceValues(func() (*universe, error) { return x.prepared(builtInUniverse()) })
	x.start = momentOf(x.clock.raw())
	x.begin()
	if o.Instruments != nil {
		csv, err := io.ReadAll(o.Instruments)
		if err != nil {
			return nil, fmt.Errorf("read demo instruments: %w", err)
		}
		u, err := x.prepared(parseUniverse(csv))
		if err != nil {
			return nil, err
		}
		x.universe = func() (*universe, error) { return u, nil }
	}
	return x, x.load()
}

// begin sets what a reset sets too.
func (x *Exchange) begin() {
	x.sessions, x.grants = map[string]session{}, map[string]grant{}
	x.faults, x.windows, x.log = arm(x.options.Faults), map[string][]time.Time{}, nil
	if !x.options.LoggedOut {
		x.sessions[AccessToken] = session{User, nextSessionEnd(x.clock.now())}
	}
}

// prepared adds the ISINs of the seeds to a universe.
func (x *Exchange) prepared(u *universe, err error) (*universe, error) {
	if err != nil {
		return nil, err
	}
	u.isins = map[string]string{}
	for _, a := range x.accounts {
		for _, h := range a.Holdings {
			u.isins[h.TradingSymbol] = h.ISIN
		}
	}
	return u, nil
}

// desk returns the book of a user, as it is now. The engine must be locked.
func (x *Exchange) desk(user string, u *universe) *desk {
	d := x.books[user]
	if d == nil {
		seed, hours := x.accounts[user], x.clock.hours()
		if b := x.stored[user]; b != nil {
			d = &desk{book: b, seed: seed, u: u, hours: hours}
			d.rearm()
			delete(x.stored, user)
		} else {
			d = &desk{book: newBook(seed, u, hours, x.start), seed: seed, u: u, hours: hours, changed: true}
		}
		x.books[user] = d
	}
	d.advance(momentOf(x.clock.raw()))
	return d
}

// Now returns the time on the demo clock, in IST.
func (x *Exchange) Now() time.Time { return x.clock.now() }

// Handler serves the API, the login page at /connect/login, and to callers on this machine the control routes under
// /__demo.
func (x *Exchange) Handler() http.Handler { return http.HandlerFunc(x.serve) }

// Transport serves the API in process. The host of a request does not matter; nothing is ever dialled.
func (x *Exchange) Transport() http.RoundTripper { return transport{x.Handler()} }
