package demo

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// APISecret is the secret of the demo app, for the checksum of a login.
const APISecret = "demo_secret"

// session is a login. It is stored between runs, since a login outlives the process that made it.
type session struct {
	User    string    `json:"user"`
	Expires time.Time `json:"expires"`
}

// grant is a request token that was not yet exchanged.
type grant struct {
	user    string
	expires time.Time
}

// grantLife is how long a request token can be exchanged, in demo time.
const grantLife = 5 * time.Minute

// users are who may log in, in order of their ids.
func (x *Exchange) users() []string {
	if !x.options.Users {
		return []string{User}
	}
	return slices.Sorted(maps.Keys(x.accounts))
}

// bearer returns the token that a request shows.
func bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "token "+APIKey+":")
	if !ok {
		return ""
	}
	return token
}

// userOf returns whose token it is, if it is still good.
func (x *Exchange) userOf(token string) (string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, ok := x.sessions[token]
	if !ok || !x.clock.now().Before(s.Expires) {
		return "", false
	}
	return s.User, true
}

func (x *Exchange) endSession(token string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.sessions, token)
}

func badToken() *apiError {
	return &apiError{http.StatusForbidden, "TokenException", "Incorrect `api_key` or `access_token`."}
}

// answerLogin exchanges a request token. A login ends the one before of the same user, as on the real exchange.
func answerLogin(c call) (any, *apiError) {
	x := c.x
	form := c.form
	sum := sha256.Sum256([]byte(form.Get("api_key") + form.Get("request_token") + APISecret))
	right := subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(form.Get("checksum"))) == 1
	if form.Get("api_key") != APIKey || !right {
		return nil, &apiError{http.StatusForbidden, "TokenException", "Invalid `checksum`."}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.clock.now()
	g, ok := x.grants[form.Get("request_token")]
	delete(x.grants, form.Get("request_token"))
	if !ok || !now.Before(g.expires) {
		return nil, &apiError{http.StatusForbidden, "TokenException", "Token is invalid or has expired."}
	}
	maps.DeleteFunc(x.sessions, func(_ string, s session) bool { return s.User == g.user })
	token := rand.Text()
	x.sessions[token] = session{User: g.user, Expires: nextSessionEnd(now)}
	full := map[string]any{}
	if err := json.Unmarshal(x.accounts[g.user].Profile, &full); err != nil {
		return nil, &apiError{http.StatusInternalServerError, "GeneralException", "The demo profile is broken"}
	}
	maps.Copy(full, map[string]any{
		"api_key": APIKey, "access_token": token, "public_token": rand.Text(), "enctoken": "", "refresh_token": "", "silo": "",
		"login_time": stamp(now),
	})
	return full, nil
}

// answerLogout ends a session. To end one that is not there is no error.
func answerLogout(c call) (any, *apiError) {
	query := c.r.URL.Query()
	if query.Get("api_key") != APIKey {
		return nil, badToken()
	}
	if token := query.Get("access_token"); token != "" {
		c.x.endSession(token)
	}
	return true, nil
}

// answerRenew refuses: apps like this one get no refresh token.
func answerRenew(call) (any, *apiError) {
	return nil, &apiError{http.StatusForbidden, "TokenException", "Invalid `refresh_token`."}
}

// The login page. A template of html/template would add 170 kB to the program and work to its start.
const (
	loginHead = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>DEMO login</title>
<style>body{font:16px system-ui,sans-serif;margin:3rem auto;max-width:28rem;padding:0 1rem}button{font:inherit;padding:.5rem 1rem;margin:.25rem 0;width:100%%}</style>
<h1>DEMO login</h1>
<p>kite-mcp asks to use a demo account. Nothing here is real: no broker, no money.</p>
<form method="post" action="/connect/login">
<input type="hidden" name="api_key" value="%s">
<input type="hidden" name="redirect_params" value="%s">
`
	loginButton = "<button name=\"user_id\" value=\"%[1]s\">Log in as %[1]s, %[2]s</button>\n"
	loginTail   = "</form>\n</html>\n"
)

// serveLogin is the login page and what its button does. It is for people, so it answers HTML.
func (x *Exchange) serveLogin(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Frame-Options", "DENY")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		writeText(w, http.StatusBadRequest, "text/plain; charset=utf-8", "DEMO login: the form cannot be read.\n")
		return
	}
	if r.Form.Get("api_key") != APIKey {
		writeText(w, http.StatusBadRequest, "text/plain; charset=utf-8", "DEMO login: invalid api_key; the demo exchange knows only "+APIKey+".\n")
		return
	}
	switch r.Method {
	case http.MethodGet:
		x.showLogin(w, r.Form.Get("redirect_params"))
	case http.MethodPost:
		x.grantLogin(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		writeError(w, wrongMethod())
	}
}

func (x *Exchange) showLogin(w http.ResponseWriter, params string) {
	var b strings.Builder
	fmt.Fprintf(&b, loginHead, html.EscapeString(APIKey), html.EscapeString(params))
	for _, id := range x.users() {
		var p struct {
			Name string `json:"user_name"`
		}
		_ = json.Unmarshal(x.accounts[id].Profile, &p) // read before, in loadAccounts
		fmt.Fprintf(&b, loginButton, html.EscapeString(id), html.EscapeString(p.Name))
	}
	b.WriteString(loginTail)
	writeText(w, http.StatusOK, "text/html; charset=utf-8", b.String())
}

// grantLogin makes a request token and sends the browser back with it.
func (x *Exchange) grantLogin(w http.ResponseWriter, r *http.Request) {
	user := r.PostForm.Get("user_id")
	if !slices.Contains(x.users(), user) {
		writeText(w, http.StatusBadRequest, "text/plain; charset=utf-8", "DEMO login: unknown user.\n")
		return
	}
	token := rand.Text()
	x.mu.Lock()
	x.grants[token] = grant{user, x.clock.now().Add(grantLife)}
	back := x.options.RedirectURL
	x.mu.Unlock()
	if back == "" {
		writeText(w, http.StatusOK, "text/plain; charset=utf-8", "DEMO login: done. The app has no redirect URL; its request token is\n"+token+"\n")
		return
	}
	u, err := url.Parse(back)
	if err != nil { // checked by New
		writeError(w, &apiError{http.StatusInternalServerError, "GeneralException", "The redirect URL is broken"})
		return
	}
	query := u.Query()
	if more, err := url.ParseQuery(r.PostForm.Get("redirect_params")); err == nil {
		maps.Copy(query, more)
	}
	query.Set("action", "login")
	query.Set("type", "login")
	query.Set("status", "success")
	query.Set("request_token", token)
	u.RawQuery = query.Encode()
	http.Redirect(w, r, u.String(), http.StatusFound)
}

// loopbackURL reports whether a browser sent there stays on this machine.
func loopbackURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && loopbackHost(u.Hostname())
}

func loopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
