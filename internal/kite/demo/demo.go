// Package demo is the demo exchange: a built-in Kite Connect v3 that needs no account, no network and no port.
//
// It owns an invented account, a small universe of instruments, a price model that gives every instrument a price at
// every second, and the faults tests inject. It does not know the client that talks to it: it speaks HTTP only, through
// Handler or, in process, through Transport. Entry point is New.
package demo

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// The credentials the demo exchange accepts.
const (
	APIKey      = "demo_key"
	AccessToken = "demo_access_token"
)

// BaseURL is a host that can never resolve, for clients on Transport: a client that misses it fails instead of reaching
// the real exchange.
const BaseURL = "http://kite.demo.invalid"

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
}

// Exchange is one demo exchange with one account. It is safe for concurrent use.
type Exchange struct {
	clock    clock
	realNow  func() time.Time
	universe func() (*universe, error)
	account  *account
	limit    bool
	expires  time.Time // of the access token, on the demo clock

	mu      sync.Mutex
	ended   bool // the session was ended by a fault
	faults  []armedFault
	windows map[string][]time.Time // per rate family, the calls of the last second
}

// New returns a demo exchange whose account is logged in.
func New(o Options) (*Exchange, error) {
	seed, err := loadAccount()
	if err != nil {
		return nil, err
	}
	x := &Exchange{
		clock:    newClock(o.Clock, o.Now),
		realNow:  o.Now,
		universe: sync.OnceValues(builtInUniverse),
		account:  seed,
		limit:    o.RateLimit,
		faults:   arm(o.Faults),
		windows:  map[string][]time.Time{},
	}
	x.expires = nextSessionEnd(x.clock.now())
	if o.Instruments != nil {
		csv, err := io.ReadAll(o.Instruments)
		if err != nil {
			return nil, fmt.Errorf("read demo instruments: %w", err)
		}
		u, err := parseUniverse(csv)
		if err != nil {
			return nil, err
		}
		x.universe = func() (*universe, error) { return u, nil }
	}
	return x, nil
}

// Now returns the time on the demo clock, in IST.
func (x *Exchange) Now() time.Time { return x.clock.now() }

// Handler serves the API.
func (x *Exchange) Handler() http.Handler { return http.HandlerFunc(x.serve) }

// Transport serves the API in process. The host of a request does not matter; nothing is ever dialled.
func (x *Exchange) Transport() http.RoundTripper { return transport{x.Handler()} }
