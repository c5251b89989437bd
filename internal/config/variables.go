package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Variable describes one setting for people. Its name is what the environment
// calls it.
type Variable struct {
	Name    string
	Default string // "" means none
	Doc     string // one sentence
	Secret  bool   // shown by length only, never a flag

	shown func(value string) string // the value without what is secret in it; nil: the value

	set func(c *Config, value string) error // value is the default when nothing was given
}

// Variables returns every setting in the order people read them.
func Variables() []Variable {
	return []Variable{
		{Name: "KITE_API_KEY", Doc: "key of your Kite Connect app", Secret: true, set: secret(func(c *Config) *string { return &c.Kite.APIKey })},
		{Name: "KITE_API_SECRET", Doc: "secret of your Kite Connect app, for logging in", Secret: true, set: secret(func(c *Config) *string { return &c.Kite.APISecret })},
		{Name: "KITE_ACCESS_TOKEN", Doc: "a ready access token, in place of kite-mcp login; it ends about 06:00 IST", Secret: true, set: secret(func(c *Config) *string { return &c.Kite.AccessToken })},
		{Name: "KITE_BASE_URL", Doc: "another Kite API root, for tests", shown: bareAddress, set: webAddress(func(c *Config) *string { return &c.Kite.BaseURL })},
		{Name: "KITE_LOGIN_BASE_URL", Doc: "another root of Kite's login page, for tests", shown: bareAddress, set: webAddress(func(c *Config) *string { return &c.Kite.LoginBaseURL })},
		{Name: "INSTRUMENTS_URL", Doc: "another address of the instruments master", shown: bareAddress, set: webAddress(func(c *Config) *string { return &c.Kite.InstrumentsURL })},
		{Name: "APP_MODE", Default: "stdio", Doc: "transport of serve: stdio or http", set: setTransport},
		{Name: "APP_HOST", Default: "localhost", Doc: "loopback host that serve listens on over http, and that a login comes back to", set: setHost},
		{Name: "APP_PORT", Default: "8080", Doc: "port that serve listens on over http, 0 to let the system choose; a login comes back to it", set: setPort},
		{Name: "AUTH_MODE", Default: "local", Doc: "local; this version has no other", set: setAuth},
		{Name: "JWT_SECRET", Doc: "old name that asked for OAuth; refused", Secret: true, set: func(c *Config, v string) error { c.authOAuth = c.authOAuth || v != ""; return nil }},
		{Name: "ADMIN_ENDPOINT_SECRET_PATH", Doc: "old name; refused", Secret: true, set: func(c *Config, v string) error { c.adminSecret = v != ""; return nil }},
		{Name: "EXCLUDED_TOOLS", Doc: "comma list of tools, or tool:mode, to take away", set: setExclude},
		{Name: "READ_ONLY", Default: "false", Doc: "take away every mode that changes an account", set: boolean(func(c *Config) *bool { return &c.ReadOnly })},
		{Name: "TRADE_APPROVAL", Default: "elicit", Doc: "who approves a change over MCP: elicit (a form for the person), host (the client asks by itself) or deny", set: setApproval},
		{Name: "KITE_APPS", Default: "auto", Doc: "which clients get the Kite app: auto (those that declare MCP Apps), always or never", set: setApps},
		{Name: "LOG_LEVEL", Default: "info", Doc: "log of serve on stderr: debug, info, warn or error", set: setLevel},
		{Name: "AUDIT_LOG", Doc: "file that gets a line for every login, approval and change, or - for stderr; without it none is kept", shown: streamName, set: func(c *Config, v string) error { c.AuditLog = v; return nil }},
		{Name: "KITE_DEMO", Default: "false", Doc: "use the built-in demo exchange instead of Kite", set: boolean(func(c *Config) *bool { return &c.Demo.On })},
		{Name: "KITE_DEMO_NOW", Doc: "RFC 3339 instant to freeze the demo clock at", set: setDemoNow},
		{Name: "KITE_DEMO_SPEED", Doc: "demo seconds per real second, a whole number", set: setDemoSpeed},
		{Name: "KITE_DEMO_INSTRUMENTS", Doc: "CSV file to serve as the demo instruments master", set: func(c *Config, v string) error { c.Demo.Instruments = v; return nil }},
		{Name: "KITE_DEMO_FAULTS", Doc: "faults of the demo exchange, route:fault comma separated", set: func(c *Config, v string) error { c.Demo.Faults = v; return nil }},
		{Name: "KITE_DEMO_STATE", Doc: "file that keeps the demo account between commands", set: func(c *Config, v string) error { c.Demo.State = v; return nil }},
		{Name: "KITE_DEMO_RATELIMIT", Default: "on", Doc: "answer 429 above Kite's limits: on or off", set: boolean(func(c *Config) *bool { return &c.Demo.RateLimit })},
	}
}

// find returns the value in force and where it came from. The last flag wins.
func (v Variable) find(env Lookup, flags []Flag) (value, origin string) {
	for _, f := range flags {
		if f.Variable == v.Name {
			value, origin = strings.TrimSpace(f.Value), f.Name
		}
	}
	if origin != "" {
		return value, origin
	}
	got, _ := env(v.Name)
	return strings.TrimSpace(got), "environment"
}

// named is how a problem names the setting: as the person gave it.
func (v Variable) named(origin string) string {
	if strings.HasPrefix(origin, "-") {
		return origin
	}
	return v.Name
}

func masked(s string) string { return fmt.Sprintf("set, %d chars", len(s)) }

func secret(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		for _, r := range v {
			if r <= ' ' || r > '~' {
				return errors.New("has a blank or a character that no key has") // never shown
			}
		}
		*field(c) = v
		return nil
	}
}

func webAddress(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error {
		if v == "" {
			return nil
		}
		// The value may hold a password, so it is not repeated.
		u, err := url.Parse(v)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("is not an http or https address")
		}
		*field(c) = v
		return nil
	}
}

// bareAddress hides the parts of a web address that may hold a password or key.
func bareAddress(v string) string {
	u, err := url.Parse(v)
	if err != nil {
		return "hidden" // set refuses it
	}
	if u.User != nil {
		u.User = url.User("hidden")
	}
	if u.RawQuery != "" {
		u.RawQuery = "hidden"
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// streamName tells the stream that is asked for from a setting without a value.
func streamName(v string) string {
	if v == "-" {
		return "stderr"
	}
	return v
}

func boolean(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, v string) error {
		switch strings.ToLower(v) {
		case "1", "true", "yes", "on":
			*field(c) = true
		case "0", "false", "no", "off":
			*field(c) = false
		default:
			return errors.New(quoted(v) + " is neither true nor false")
		}
		return nil
	}
}

func setTransport(c *Config, v string) error {
	switch strings.ToLower(v) {
	case "stdio":
		c.Transport = Stdio
	case "http":
		c.Transport = HTTP
	case "hybrid":
		c.Transport = HTTP
		c.Warnings = append(c.Warnings, "APP_MODE=hybrid is served as http")
	case "sse":
		return errors.New("the sse transport is gone from MCP; use http")
	default:
		return errors.New(quoted(v) + " is not stdio or http")
	}
	return nil
}

func setHost(c *Config, v string) error {
	c.Host = strings.Trim(v, "[]")
	if strings.ContainsAny(c.Host, "/ ") {
		return errors.New(quoted(v) + " is not a host name")
	}
	return nil
}

func setPort(c *Config, v string) error {
	if _, err := strconv.ParseUint(v, 10, 16); err != nil {
		return errors.New(quoted(v) + " is not a port from 0 to 65535")
	}
	c.Port = v
	return nil
}

func setAuth(c *Config, v string) error {
	switch strings.ToLower(v) {
	case "local":
	case "oauth":
		c.authOAuth = true
	default:
		return errors.New(quoted(v) + " is not local")
	}
	return nil
}

func setApproval(c *Config, v string) error {
	switch c.Approval = Approval(strings.ToLower(v)); c.Approval {
	case Elicit, Deny:
	case Host:
		c.Warnings = append(c.Warnings, "TRADE_APPROVAL=host: every call that reaches this server counts as approved")
	default:
		return errors.New(quoted(v) + " is not elicit, host or deny")
	}
	return nil
}

func setApps(c *Config, v string) error {
	switch c.Apps = Apps(strings.ToLower(v)); c.Apps {
	case AppsAuto, AppsAlways, AppsNever:
		return nil
	default:
		return errors.New(quoted(v) + " is not auto, always or never")
	}
}

func setExclude(c *Config, v string) error {
	for entry := range strings.SplitSeq(v, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			c.Exclude = append(c.Exclude, entry)
		}
	}
	return nil
}

func setLevel(c *Config, v string) error {
	switch strings.ToLower(v) {
	case "debug":
		c.LogLevel = slog.LevelDebug
	case "info":
		c.LogLevel = slog.LevelInfo
	case "warn":
		c.LogLevel = slog.LevelWarn
	case "error":
		c.LogLevel = slog.LevelError
	default:
		return errors.New(quoted(v) + " is not debug, info, warn or error")
	}
	return nil
}

func setDemoNow(c *Config, v string) error {
	if v == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339, v)
	if err != nil {
		return errors.New(quoted(v) + " is not an RFC 3339 instant such as 2026-12-02T11:15:00+05:30")
	}
	if y := t.UTC().Year(); y < 2000 || y > 2999 { // the zero time means the real one, and times are shown with four digits
		return errors.New(quoted(v) + " is not between the years 2000 and 2999")
	}
	c.Demo.Now = t
	return nil
}

func setDemoSpeed(c *Config, v string) error {
	if v == "" {
		return nil
	}
	const most = 100_000 // more than a day a second
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > most {
		return errors.New(quoted(v) + " is not a whole number from 0 to " + strconv.Itoa(most))
	}
	c.Demo.Speed = n
	return nil
}

// quoted shows an untrusted value in a message, escaped and cut.
func quoted(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%+q...", s[:most])
	}
	return fmt.Sprintf("%+q", s)
}
