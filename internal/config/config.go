// Package config turns environment variables and flags into one typed Config.
// It owns the names, defaults and checks of every setting and remembers where a
// value came from. It reads no environment itself and knows no command: callers
// hand in a Lookup and the flags that override it. Start at Load.
package config

import (
	"errors"
	"log/slog"
	"net"
	"strings"
	"time"
)

// Config is every setting of the program, checked.
type Config struct {
	Kite        Kite
	Transport   Transport
	Host        string // to listen on; a loopback name or address
	Port        string // to listen on; "0" lets the system choose
	Exclude     []string
	ReadOnly    bool
	Approval    Approval
	Apps        Apps
	LogLevel    slog.Level
	AuditLog    string // path of the audit log; "-" is stderr, "" none
	Demo        Demo
	Warnings    []string // settings that were accepted with a change, one line each
	settings    []Setting
	authOAuth   bool
	adminSecret bool
}

// Kite is how to reach the broker and as whom. The secrets never appear in a
// message.
type Kite struct {
	APIKey         string
	APISecret      string
	AccessToken    string
	BaseURL        string // "" means Kite's own
	LoginBaseURL   string // of the login page; "" means Kite's own
	InstrumentsURL string // "" means BaseURL's
}

// Demo is how the demo exchange runs.
type Demo struct {
	On          bool
	Now         time.Time // instant that its clock starts at; zero means the real time
	Speed       int       // demo seconds per real second; 0 is 1, or a stopped clock with Now
	Instruments string    // path of a CSV to serve instead of the built-in one
	Faults      string    // comma separated route:fault list, checked by the exchange
	RateLimit   bool      // answer 429 like Kite
	State       string    // path of a file that keeps the account between commands; "" keeps nothing
}

// Transport is how serve talks to its client.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
)

// Approval is who says yes to a change of the account.
type Approval string

// The ways to approve.
const (
	Elicit Approval = "elicit" // the person, in a form that the client shows
	Host   Approval = "host"   // the client's own program, which asks about every call
	Deny   Approval = "deny"   // nobody: modes that change an account do not exist
)

// Apps says which clients get the Kite app.
type Apps string

// The choices.
const (
	AppsAuto   Apps = "auto"   // those that declare MCP Apps
	AppsAlways Apps = "always" // all: some hosts show apps and do not declare it
	AppsNever  Apps = "never"
)

// Lookup returns the value of an environment variable.
type Lookup func(name string) (value string, ok bool)

// Flag is one command line flag that overrides a variable.
type Flag struct {
	Name     string // as the person wrote it, such as --read-only
	Variable string
	Value    string
}

// Setting is one value with its origin, as shown to the operator.
type Setting struct {
	Name   string // the variable
	Value  string // a secret only by its length
	Origin string // a flag, "environment" or "default"
}

// Error lists everything that is wrong with the settings, not only the first.
type Error struct{ Problems []string }

// Error returns one line per problem.
func (e *Error) Error() string { return strings.Join(e.Problems, "\n") }

// Load reads every variable, flags first, and checks the result. It returns an
// *Error that names every bad value. Blank values count as not set.
func Load(env Lookup, flags ...Flag) (*Config, error) {
	c := &Config{}
	var problems []string
	for _, v := range Variables() {
		value, origin := v.find(env, flags)
		shown := value
		if value == "" {
			value, shown, origin = v.Default, v.Default, "default"
		}
		switch {
		case shown == "":
		case v.Secret:
			shown = masked(shown)
		case v.shown != nil:
			shown = v.shown(shown)
		}
		if err := v.set(c, value); err != nil {
			problems = append(problems, v.named(origin)+": "+err.Error())
		}
		c.settings = append(c.settings, Setting{Name: v.Name, Value: shown, Origin: origin})
	}
	problems = append(problems, c.conflicts()...)
	if len(problems) > 0 {
		return nil, &Error{Problems: problems}
	}
	return c, nil
}

// conflicts checks what no single value can say.
func (c *Config) conflicts() []string {
	var out []string
	if c.authOAuth {
		out = append(out, "AUTH_MODE=oauth (or JWT_SECRET): this version has local auth only; unset it, nothing would protect the server")
	}
	if c.adminSecret {
		out = append(out, "ADMIN_ENDPOINT_SECRET_PATH: this server has no admin endpoint; unset it")
	}
	if c.Transport == HTTP && !c.Loopback() {
		out = append(out, "host "+quoted(c.Host)+" is not a loopback address: local auth serves this machine only; use localhost")
	}
	return out
}

// Settings returns every value with its origin, in the order of Variables.
func (c *Config) Settings() []Setting { return c.settings }

// Addr returns the address to listen on.
func (c *Config) Addr() string { return net.JoinHostPort(c.Host, c.Port) }

// Loopback reports whether the host to listen on is this machine.
func (c *Config) Loopback() bool { return loopback(c.Host) }

// HTTPFlags splits the value of --http into the variables it overrides.
func HTTPFlags(addr string) ([]Flag, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return nil, errors.New("--http " + quoted(addr) + " is not HOST:PORT, such as localhost:8080")
	}
	if host == "" {
		return nil, errors.New("--http " + quoted(addr) + " would listen on every interface; say localhost" + addr)
	}
	const name = "--http"
	return []Flag{{name, "APP_MODE", string(HTTP)}, {name, "APP_HOST", host}, {name, "APP_PORT", port}}, nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
