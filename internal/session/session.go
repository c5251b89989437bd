// Package session is the Kite login of the person who runs the program: made in a browser, kept in one file of the
// user's configuration folder, and read again for every call.
//
// It owns the file, the login address with its signed state, the page that a login comes back to, and when a session
// is over. It does not know MCP: a login belongs to the user of this machine and never to a connection, so the
// commands, the browser and every local server share it without a restart. It makes no calls to Kite but the login
// and the logout. Entry point is New; a Keeper is a kite.Source.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

const defaultLoginURL = "https://kite.zerodha.com"

// How to log in, as hints say it.
const (
	hintLogin   = "log in with kite-mcp login"
	hintLink    = hintLogin + " on this machine, or ask session mode login for a link"
	hintRenew   = "put a new access token into KITE_ACCESS_TOKEN where this program starts, or remove it there and log in with kite-mcp login"
	hintKeys    = "set KITE_API_KEY and KITE_API_SECRET of your Kite Connect app where this program starts, then log in with kite-mcp login, or try it with --demo"
	hintReplace = "log in again with kite-mcp login, which replaces it"
)

// Options configure a Keeper. Only Kite.Now is required.
type Options struct {
	// Dir is the program's configuration folder; "" keeps a login in memory only, for this process.
	Dir string
	// Kite is what clients are made with. AccessToken there wins over a saved login.
	Kite kite.Options
	// APISecret is the secret of the Kite Connect app; without it nobody can log in.
	APISecret string
	// LoginURL is the root of Kite's login page; "" means Kite's own.
	LoginURL string
	// Addr is the host and port that the app's redirect URL leads to.
	Addr string
	// Served says that a server of this process answers the redirect at Addr, so that no listener is opened.
	Served bool
	// Links says that callers can ask for a login link, so that errors tell them.
	Links bool
	// Initial is a login that a keeper without Dir begins with.
	Initial kite.Login
	// Note hears of every login, logout and end of a session, with the user where it is known; nil for nobody.
	Note func(event, user string)
	// Page is the login page at LoginPath of a demo exchange, served beside the redirect; nil for Kite's own.
	Page http.Handler
}

// What Options.Note hears of.
const (
	LoggedIn  = "login"
	LoggedOut = "logout"
	Ended     = "session_ended" // Kite refused the token before its time
)

// Keeper is the login of this user. It is safe for concurrent use.
type Keeper struct {
	o   Options
	app string // short hash of the API key
	log *slog.Logger

	mu       sync.Mutex // guards what follows
	memory   *record    // the login, without a folder
	ended    *ending    // the last end that could not be saved
	warnedOf string     // the file problem that was logged last

	port    sync.Mutex // guards what follows; never taken with mu
	waiting *listener  // for the browser to come back
}

// New returns the keeper of the logins below o.Dir.
func New(o Options) *Keeper {
	k := &Keeper{o: o, app: shortHash(o.Kite.APIKey), log: o.Kite.Log}
	if k.o.Note == nil {
		k.o.Note = func(_, _ string) {}
	}
	if k.log == nil {
		k.log = slog.New(slog.DiscardHandler)
	}
	if k.o.LoginURL == "" {
		k.o.LoginURL = defaultLoginURL
	}
	k.o.LoginURL = strings.TrimRight(k.o.LoginURL, "/")
	if first := o.Initial; first.AccessToken != "" && o.Dir == "" {
		k.memory = &record{App: k.app, UserID: first.UserID, AccessToken: first.AccessToken, LoginTime: o.Kite.Now()}
	}
	return k
}

// Client returns a client of whoever is logged in now. It implements kite.Source.
func (k *Keeper) Client(context.Context) (*kite.Client, error) {
	switch {
	case k.o.Kite.APIKey == "":
		return nil, k.keyless()
	case k.o.Kite.AccessToken != "":
		o := k.o.Kite
		o.LoginHint = hintRenew
		return kite.New(o), nil
	}
	r, end, err := k.current()
	if err != nil {
		return nil, err
	}
	if err := k.over(r, end); err != nil {
		return nil, err
	}
	return k.client(r), nil
}

// client makes the client of a saved login.
func (k *Keeper) client(r *record) *kite.Client {
	o := k.o.Kite
	o.AccessToken, o.LoggedIn, o.LoginHint = r.AccessToken, r.LoginTime, k.hint()
	token := r.AccessToken
	// The end names the token: a slow call with yesterday's cannot end today's session.
	o.Ended = func() {
		if k.end(token, ending{Status: statusExpired}) {
			k.o.Note(Ended, r.UserID)
		}
	}
	return kite.New(o)
}

// Anonymous returns a client that shows no access token, for what Kite gives to everybody.
func (k *Keeper) Anonymous() *kite.Client {
	o := k.o.Kite
	o.AccessToken = ""
	return kite.New(o)
}

// current returns the saved login, and its end when one is known. Without a login the error says why.
func (k *Keeper) current() (*record, ending, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, err := k.load()
	if errors.Is(err, fs.ErrNotExist) {
		loggedOut := func(e ending) bool { return e.Status == statusLoggedOut }
		if slices.ContainsFunc(k.ends(), loggedOut) {
			return nil, ending{}, &kite.Error{Kind: kite.KindNotAuthenticated, Message: "logged out of Kite", Hint: k.hint(), Err: kite.ErrLoggedOut}
		}
		return nil, ending{}, k.notLoggedIn(k.nobody())
	}
	if err != nil {
		if err.Error() != k.warnedOf {
			k.warnedOf = err.Error()
			k.log.Info("the saved login cannot be used", "problem", err.Error())
		}
		return nil, ending{}, k.notLoggedIn(err.Error(), hintReplace)
	}
	if r.App != k.app {
		return nil, ending{}, k.notLoggedIn("the saved login belongs to another Kite Connect app than KITE_API_KEY", k.hint())
	}
	return r, k.endOf(r), nil
}

// over is the failure of a login that has ended; nil for one that is alive as far as this machine knows.
func (k *Keeper) over(r *record, end ending) error {
	switch {
	case end.Status == statusLoggedOut:
		return &kite.Error{Kind: kite.KindNotAuthenticated, Message: "logged out of Kite", Hint: k.hint(), Err: kite.ErrLoggedOut}
	case end.Status != "":
		return &kite.Error{Kind: kite.KindSessionExpired, Message: "Kite ended the session before its time: a logout or a login elsewhere", Hint: k.hint()}
	case !k.o.Kite.Now().Before(kite.SessionEnd(r.LoginTime)):
		return &kite.Error{Kind: kite.KindSessionExpired, Message: "the Kite session ended at 06:00 IST", Hint: k.hint()}
	default:
		return nil
	}
}

const homeless = "no home folder is known, where a login would be saved"

// nobody says why no login is there, and what to do.
func (k *Keeper) nobody() (reason, hint string) {
	if k.o.APISecret == "" {
		return "no login is saved, and KITE_API_SECRET, which a login needs, is not set", hintKeys
	}
	switch {
	case k.o.Dir != "" || k.o.Page != nil:
		return "no login is saved", k.hint()
	case k.o.Links: // this process can keep one for itself
		return homeless, k.hint()
	default:
		return homeless, "set HOME or XDG_CONFIG_HOME, or put an access token into KITE_ACCESS_TOKEN"
	}
}

func (k *Keeper) keyless() error { return k.notLoggedIn("KITE_API_KEY is not set", hintKeys) }

func (k *Keeper) notLoggedIn(reason, hint string) error {
	return &kite.Error{Kind: kite.KindNotAuthenticated, Message: "not logged in to Kite: " + reason, Hint: hint}
}

func (k *Keeper) hint() string {
	if k.o.Links {
		return hintLink
	}
	return hintLogin
}

// Status is what this machine knows about the login without asking Kite.
type Status struct {
	UserID  string    // "" when unknown
	Expires time.Time // zero without a session; the latest possible for KITE_ACCESS_TOKEN
	FromEnv bool      // KITE_ACCESS_TOKEN is in use; a saved login is not
	Place   string    // the file of the saved login; "" in memory
	Err     error     // why no call can be made; nil when logged in
}

// Status never calls Kite.
func (k *Keeper) Status() Status {
	s := Status{Place: k.place()}
	if k.o.Kite.APIKey == "" {
		s.Err = k.keyless()
		return s
	}
	if k.o.Kite.AccessToken != "" {
		s.FromEnv, s.Expires = true, kite.SessionEnd(k.o.Kite.Now())
		return s
	}
	r, end, err := k.current()
	if err != nil {
		s.Err = err
		return s
	}
	s.UserID, s.Expires, s.Err = r.UserID, kite.SessionEnd(r.LoginTime), k.over(r, end)
	return s
}

// CanLogIn returns nil when a login can be made and would be used, else the reason and what to do.
func (k *Keeper) CanLogIn() error {
	switch {
	case k.o.Kite.APIKey == "" && k.o.APISecret == "":
		return k.notLoggedIn("KITE_API_KEY and KITE_API_SECRET are not set", hintKeys)
	case k.o.Kite.APIKey == "":
		return k.keyless()
	case k.o.Kite.AccessToken != "":
		return &kite.Error{Kind: kite.KindNotAuthenticated, Message: "KITE_ACCESS_TOKEN is set and wins over any login", Hint: hintRenew}
	case k.o.APISecret == "":
		return k.notLoggedIn("KITE_API_SECRET is not set", hintKeys)
	default:
		return nil
	}
}

// Complete exchanges a request token and keeps the login.
func (k *Keeper) Complete(ctx context.Context, requestToken string) (Status, error) {
	if err := k.CanLogIn(); err != nil {
		return Status{}, err
	}
	login, err := k.Anonymous().Login(ctx, requestToken, k.o.APISecret)
	if err != nil {
		return Status{}, err
	}
	r := &record{App: k.app, UserID: login.UserID, AccessToken: login.AccessToken, LoginTime: k.o.Kite.Now()}
	if err := r.check(); err != nil {
		return Status{}, &kite.Error{Kind: kite.KindUpstreamUnavailable, Message: "Kite's answer to the login cannot be kept: " + err.Error()}
	}
	k.mu.Lock()
	err = k.save(r)
	k.mu.Unlock()
	if err != nil {
		return Status{}, fmt.Errorf("keep the login: %w", err)
	}
	k.log.Info("logged in to Kite", "user", shortHash(r.UserID))
	k.o.Note(LoggedIn, r.UserID)
	return Status{UserID: r.UserID, Expires: kite.SessionEnd(r.LoginTime), Place: k.place()}, nil
}

// End logs out: here at once, then at Kite. It reports whether there was a session. An error means that Kite could not
// be told; the login is gone from this machine all the same.
func (k *Keeper) End(ctx context.Context) (had bool, err error) {
	var tokens []string
	if env := k.o.Kite.AccessToken; env != "" && k.o.Kite.APIKey != "" {
		tokens = append(tokens, env)
	}
	k.mu.Lock()
	r, loadErr := k.load()
	if loadErr == nil && r.App == k.app {
		// One that Kite or the clock ended is over, but to end it again does no harm and may be news to Kite.
		had = k.over(r, k.endOf(r)) == nil
		if k.endOf(r).Status != statusLoggedOut {
			tokens = append(tokens, r.AccessToken)
		}
	}
	if !errors.Is(loadErr, fs.ErrNotExist) && (loadErr != nil || r.App == k.app) {
		err = k.drop(r)
	}
	k.mu.Unlock()
	if err != nil {
		return had, fmt.Errorf("remove the saved login: %w", err)
	}
	for _, token := range tokens {
		o := k.o.Kite
		o.AccessToken = token
		had = had || token == k.o.Kite.AccessToken
		user := ""
		if r != nil && token == r.AccessToken {
			user = r.UserID
		}
		k.o.Note(LoggedOut, user)
		if e := kite.New(o).Logout(ctx); e != nil {
			err = e
		}
	}
	return had, err
}

// Close ends the wait for a login.
func (k *Keeper) Close() {
	k.port.Lock()
	defer k.port.Unlock()
	if k.waiting != nil {
		k.waiting.close()
	}
}

// shortHash names a key or user in files and logs without showing it.
func shortHash(s string) string { return tokenHash(s)[:16] }

func tokenHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
