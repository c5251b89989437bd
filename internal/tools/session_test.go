package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// logins is a login that can be begun and ended.
type logins struct {
	begun int
	had   bool
	err   error
}

// Begin returns a link, or the error.
func (l *logins) Begin(context.Context) (string, time.Duration, error) {
	l.begun++
	return "https://kite.example/connect/login?v=3", 30 * time.Minute, l.err
}

// End reports what the test says.
func (l *logins) End(context.Context) (bool, error) { return l.had, l.err }

// sourceOf is an account that nobody is logged in to.
type sourceOf struct{ err error }

// Client returns the error.
func (s sourceOf) Client(context.Context) (*kite.Client, error) { return nil, s.err }

func structured(t *testing.T, env *tools.Env, args string) map[string]any {
	t.Helper()
	_, raw := call(t, env, "session", args)
	var out map[string]any
	if err := json.Unmarshal(raw.Structured, &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "meta")
	delete(out, "demo")
	return out
}

func TestSessionLogin(t *testing.T) {
	t.Parallel()
	env, l := demoEnv(t, ""), &logins{}
	env.Logins = l
	in := structured(t, env, `{"mode":"login"}`)
	if in["status"] != "already_authenticated" || in["login_url"] != nil || in["user_id"] != "DM0001" || l.begun != 0 {
		t.Errorf("logged in already: %v, %d links", in, l.begun)
	}
	for name, source := range map[string]kite.Source{
		"nobody":  kite.None("no login is saved"),
		"expired": sourceOf{&kite.Error{Kind: kite.KindSessionExpired, Message: "ended"}},
		"away":    sourceOf{&kite.Error{Kind: kite.KindUpstreamUnavailable, Message: "down"}},
	} {
		env.Kite = source
		got := structured(t, env, `{"mode":"login"}`)
		text, _ := got["instructions"].(string)
		delete(got, "instructions")
		if diff := cmp.Diff(map[string]any{"status": "login_pending", "login_url": "https://kite.example/connect/login?v=3", "expires_in": 1800.0}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if !strings.Contains(text, "AI client") || !strings.Contains(text, "Never ask for a password") {
			t.Errorf("%s: instructions %q", name, text)
		}
	}
	l.err = &kite.Error{Kind: kite.KindNotAuthenticated, Message: "another program uses the port", Hint: "use kite-mcp login --paste"}
	if f := refusal(t, env, "session", `{"mode":"login"}`); f.Code != tools.CodeNotAuthenticated || !strings.Contains(f.Error(), "--paste") {
		t.Errorf("no link: %+v", f)
	}
	env.Logins = nil
	if f := refusal(t, env, "session", `{"mode":"login"}`); f.Code != tools.CodeNotAuthenticated {
		t.Errorf("no logins: %+v", f)
	}
	if f := refusal(t, env, "session", `{"mode":"login","user":"x"}`); f.Code != tools.CodeInvalidArgument {
		t.Errorf("an argument: %+v", f)
	}
}

func TestSessionLogout(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	for name, tc := range map[string]struct {
		l    logins
		want map[string]any
	}{
		"was in":  {logins{had: true}, map[string]any{"success": true, "status": "logged_out"}},
		"was out": {logins{}, map[string]any{"success": true, "status": "already_logged_out"}},
		"Kite away": {
			logins{had: true, err: &kite.Error{Kind: kite.KindUpstreamUnavailable, Message: "down"}},
			map[string]any{"success": true, "status": "logged_out", "message": "Logged out here. Kite could not be told: down; its session ends by itself at 06:00 IST."},
		},
	} {
		env.Logins = &tc.l
		if diff := cmp.Diff(tc.want, structured(t, env, `{"mode":"logout"}`)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	env.Logins = &logins{err: errors.New("disk")}
	if f := refusal(t, env, "session", `{"mode":"logout"}`); f.Code != tools.CodeInternal {
		t.Errorf("the file stays: %+v", f)
	}
}

// TestSessionSurface: logging in is no change of the account, so READ_ONLY keeps it; the old name of the login still
// takes it away, and a tool that can only tell is announced as such.
func TestSessionSurface(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opts   tools.Options
		modes  []string
		effect tools.Effect
	}{
		"all":       {tools.Options{}, []string{"status", "login", "logout"}, tools.Access},
		"read only": {tools.Options{ReadOnly: true}, []string{"status", "login", "logout"}, tools.Access},
		"old name":  {tools.Options{Exclude: []string{"login"}}, []string{"status", "logout"}, tools.Access},
		"status":    {tools.Options{Exclude: []string{"session:login", "session:logout"}}, []string{"status"}, tools.ReadOnly},
	} {
		got := registry(t, tc.opts).Tool("session")
		modes := []string{}
		for _, m := range got.ModeNames() { // activity is of no concern here
			if m != "activity" {
				modes = append(modes, m)
			}
		}
		if diff := cmp.Diff(tc.modes, modes); diff != "" || got.Effect() != tc.effect {
			t.Errorf("%s: effect %v (-want +got):\n%s", name, got.Effect(), diff)
		}
	}
}
