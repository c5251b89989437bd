package config_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/config"
)

func env(pairs map[string]string) config.Lookup {
	return func(name string) (string, bool) {
		v, ok := pairs[name]
		return v, ok
	}
}

func TestLoadDefaults(t *testing.T) {
	t.Parallel()
	c, err := config.Load(env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if c.Transport != config.Stdio || c.Addr() != "localhost:8080" || c.LogLevel != slog.LevelInfo || c.ReadOnly || c.Approval != config.Elicit || c.Demo.On || !c.Demo.RateLimit {
		t.Errorf("defaults are %+v", c)
	}
}

func TestLoadReadsEverything(t *testing.T) {
	t.Parallel()
	set := map[string]string{
		"KITE_API_KEY": " key\n", "KITE_API_SECRET": "secret", "KITE_ACCESS_TOKEN": "token",
		"KITE_BASE_URL": "http://127.0.0.1:9", "KITE_LOGIN_BASE_URL": "http://127.0.0.1:8", "INSTRUMENTS_URL": "https://127.0.0.1/list", "APP_MODE": "HTTP",
		"APP_HOST": "[::1]", "APP_PORT": "0", "AUTH_MODE": "Local", "EXCLUDED_TOOLS": "help, ,orders:place", "READ_ONLY": "yes", "LOG_LEVEL": "WARN", "TRADE_APPROVAL": "Deny", "KITE_APPS": "Always", "AUDIT_LOG": "audit.jsonl",
		"KITE_DEMO": "1", "KITE_DEMO_NOW": "2026-12-02T11:15:00+05:30", "KITE_DEMO_SPEED": "60", "KITE_DEMO_RATELIMIT": "off",
		"KITE_DEMO_INSTRUMENTS": "own.csv", "KITE_DEMO_FAULTS": "holdings:503", "KITE_DEMO_STATE": "demo.json",
	}
	refused := []string{"JWT_SECRET", "ADMIN_ENDPOINT_SECRET_PATH"}
	for _, v := range config.Variables() {
		if set[v.Name] == "" && !slices.Contains(refused, v.Name) {
			t.Errorf("internal/config/config_test.go: %s is not tested; add it to this map", v.Name)
		}
	}
	c, err := config.Load(env(set))
	if err != nil {
		t.Fatal(err)
	}
	kite := config.Kite{APIKey: "key", APISecret: "secret", AccessToken: "token", BaseURL: "http://127.0.0.1:9", LoginBaseURL: "http://127.0.0.1:8", InstrumentsURL: "https://127.0.0.1/list"}
	if c.Kite != kite {
		t.Errorf("Kite = %+v", c.Kite)
	}
	if c.Transport != config.HTTP || c.Addr() != "[::1]:0" || !c.ReadOnly || c.Approval != config.Deny || c.Apps != config.AppsAlways || c.LogLevel != slog.LevelWarn || c.AuditLog != "audit.jsonl" {
		t.Errorf("server settings = %+v", c)
	}
	if diff := cmp.Diff([]string{"help", "orders:place"}, c.Exclude); diff != "" {
		t.Errorf("Exclude (-want +got):\n%s", diff)
	}
	at := time.Date(2026, 12, 2, 5, 45, 0, 0, time.UTC)
	if !c.Demo.On || !c.Demo.Now.Equal(at) || c.Demo.Speed != 60 || c.Demo.RateLimit || c.Demo.Instruments != "own.csv" || c.Demo.Faults != "holdings:503" || c.Demo.State != "demo.json" {
		t.Errorf("Demo = %+v", c.Demo)
	}
}

// TestTrustingTheHostIsTold: a server that asks nobody says so at its start.
func TestTrustingTheHostIsTold(t *testing.T) {
	t.Parallel()
	c, err := config.Load(env(map[string]string{"TRADE_APPROVAL": "host"}))
	if err != nil || c.Approval != config.Host || len(c.Warnings) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := config.Load(env(map[string]string{"TRADE_APPROVAL": "yes"})); err == nil {
		t.Error("an unknown way to approve was taken")
	}
}

func TestHybridIsServedAsHTTP(t *testing.T) {
	t.Parallel()
	c, err := config.Load(env(map[string]string{"APP_MODE": "hybrid"}))
	if err != nil {
		t.Fatal(err)
	}
	if c.Transport != config.HTTP || len(c.Warnings) != 1 {
		t.Errorf("transport %s, warnings %q", c.Transport, c.Warnings)
	}
}

func TestFlagsWin(t *testing.T) {
	t.Parallel()
	flags, err := config.HTTPFlags("127.0.0.1:9000")
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(env(map[string]string{"APP_MODE": "stdio", "APP_PORT": "1"}), flags...)
	if err != nil {
		t.Fatal(err)
	}
	if c.Transport != config.HTTP || c.Addr() != "127.0.0.1:9000" {
		t.Errorf("transport %s on %s", c.Transport, c.Addr())
	}
	origin := map[string]string{}
	for _, s := range c.Settings() {
		origin[s.Name] = s.Origin
	}
	if origin["APP_PORT"] != "--http" || origin["LOG_LEVEL"] != "default" {
		t.Errorf("origins = %v", origin)
	}
}

func TestLoadNamesEveryProblem(t *testing.T) {
	t.Parallel()
	tests := map[string]string{ // variable=value to a part of its line
		"APP_MODE=sse":                       "APP_MODE: the sse transport is gone from MCP; use http",
		"APP_MODE=tcp":                       `APP_MODE: "tcp" is not stdio or http`,
		"APP_PORT=65536":                     `APP_PORT: "65536" is not a port`,
		"APP_PORT=http":                      `APP_PORT: "http" is not a port`,
		"AUTH_MODE=oauth":                    "AUTH_MODE=oauth",
		"AUTH_MODE=none":                     `AUTH_MODE: "none" is not local`,
		"JWT_SECRET=x":                       "JWT_SECRET",
		"ADMIN_ENDPOINT_SECRET_PATH=x":       "ADMIN_ENDPOINT_SECRET_PATH",
		"READ_ONLY=maybe":                    `READ_ONLY: "maybe" is neither true nor false`,
		"LOG_LEVEL=loud":                     `LOG_LEVEL: "loud" is not debug`,
		"KITE_APPS=yes":                      `KITE_APPS: "yes" is not auto, always or never`,
		"KITE_DEMO_NOW=today":                `KITE_DEMO_NOW: "today" is not an RFC 3339`,
		"KITE_DEMO_NOW=0001-01-01T00:00:00Z": `is not between the years`, // the zero time
		"KITE_DEMO_NOW=9999-12-31T23:59:59Z": `is not between the years`, // five digits in IST
		"KITE_DEMO_SPEED=-1":                 `KITE_DEMO_SPEED: "-1"`,
		"KITE_DEMO_SPEED=0.5":                `KITE_DEMO_SPEED: "0.5"`,
		"KITE_BASE_URL=ftp://x":              "KITE_BASE_URL: is not an http",
		"KITE_API_KEY=two words":             "KITE_API_KEY: has a blank",
	}
	for assignment, want := range tests {
		t.Run(assignment, func(t *testing.T) {
			t.Parallel()
			name, value, _ := strings.Cut(assignment, "=")
			_, err := config.Load(env(map[string]string{name: value}))
			var bad *config.Error
			if !errors.As(err, &bad) || len(bad.Problems) != 1 || !strings.Contains(bad.Problems[0], want) {
				t.Errorf("Load() error = %v, want one problem with %q", err, want)
			}
		})
	}
	_, err := config.Load(env(map[string]string{"LOG_LEVEL": "x", "APP_PORT": "x", "READ_ONLY": "x"}))
	if n := strings.Count(err.Error(), "\n") + 1; n != 3 {
		t.Errorf("three bad values gave %d lines: %v", n, err)
	}
}

func TestHTTPServesThisMachineOnly(t *testing.T) {
	t.Parallel()
	for host, ok := range map[string]bool{"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "0.0.0.0": false, "example.com": false, "192.168.1.2": false, "localhost.example.com": false} {
		_, err := config.Load(env(map[string]string{"APP_MODE": "http", "APP_HOST": host}))
		if (err == nil) != ok {
			t.Errorf("host %s: error %v, want accepted %v", host, err, ok)
		}
	}
	for _, addr := range []string{":8080", "localhost", "localhost:", ""} {
		if _, err := config.HTTPFlags(addr); err == nil {
			t.Errorf("HTTPFlags(%q) accepted", addr)
		}
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3tvalue"
	pairs := map[string]string{}
	for _, v := range config.Variables() {
		if v.Secret && v.Name != "JWT_SECRET" && v.Name != "ADMIN_ENDPOINT_SECRET_PATH" {
			pairs[v.Name] = secret
		}
	}
	c, err := config.Load(env(pairs))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Settings() {
		if strings.Contains(s.Value, secret) {
			t.Errorf("%s shows %q", s.Name, s.Value)
		}
		if pairs[s.Name] != "" && s.Value != "set, 11 chars" {
			t.Errorf("%s shows %q, want its length", s.Name, s.Value)
		}
	}
	for address, want := range map[string]string{
		"http://" + secret + "@h/p":               "http://hidden@h/p",
		"http://u:" + secret + "@h":               "http://hidden@h",
		"https://h:1/p?key=" + secret:             "https://h:1/p?hidden",
		"https://h/p#" + secret:                   "https://h/p",
		"https://api.kite.trade/instruments.json": "https://api.kite.trade/instruments.json",
	} {
		c, err := config.Load(env(map[string]string{"KITE_BASE_URL": address, "INSTRUMENTS_URL": address}))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.Settings() {
			if (s.Name == "KITE_BASE_URL" || s.Name == "INSTRUMENTS_URL") && s.Value != want {
				t.Errorf("%s shows %q, want %q", s.Name, s.Value, want)
			}
		}
		if c.Kite.BaseURL != address {
			t.Errorf("the address in use is %q", c.Kite.BaseURL)
		}
	}
	_, err = config.Load(env(map[string]string{"KITE_API_SECRET": secret + " " + secret, "JWT_SECRET": secret}))
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("error %v", err)
	}
}
