package kite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Login is a session that Kite has just opened.
type Login struct {
	UserID      string
	AccessToken string
}

// ErrLoggedOut is the cause of a not_authenticated error after a logout, as opposed to no login at all.
var ErrLoggedOut = errors.New("logged out")

// Login exchanges the request token of a login for an access token. A request token works once and for a few minutes,
// so the exchange is never repeated. The API secret proves the app and is not sent: only a checksum over it is. A
// refusal is not_authenticated with Kite's own reason.
func (c *Client) Login(ctx context.Context, requestToken, apiSecret string) (Login, error) {
	sum := sha256.Sum256([]byte(c.apiKey + requestToken + apiSecret))
	form := url.Values{"api_key": {c.apiKey}, "request_token": {requestToken}, "checksum": {hex.EncodeToString(sum[:])}}
	a, err := c.once(ctx, "login", http.MethodPost, "/session/token", form)
	if err != nil {
		return Login{}, fmt.Errorf("log in: %w", err)
	}
	if f := a.failure; f != nil {
		refused := *f
		for _, secret := range []string{requestToken, apiSecret, form.Get("checksum")} {
			if len(secret) >= shortestSecret {
				refused.Message = strings.ReplaceAll(refused.Message, secret, removed)
			}
		}
		if f.KiteType == tokenException {
			// For every other call that means an ended session. Here there is none yet.
			refused.Kind, refused.Message = KindNotAuthenticated, "Kite refused the login: "+refused.Message
			refused.Hint = "start a new login; a request token works once, for a few minutes, and only with the API secret of its app"
		}
		return Login{}, fmt.Errorf("log in: %w", &refused)
	}
	r := readRow(a.data)
	login := Login{UserID: r.text("user_id"), AccessToken: r.text("access_token")}
	if login.UserID == "" || login.AccessToken == "" {
		return Login{}, fmt.Errorf("log in: %w", newError(KindUpstreamUnavailable, "Kite's answer to the login has no user or no token"))
	}
	return login, nil
}

// Logout ends the session of this client at Kite. To end one that is over already is no error.
func (c *Client) Logout(ctx context.Context) error {
	a, err := c.once(ctx, "logout", http.MethodDelete, "/session/token", url.Values{"api_key": {c.apiKey}, "access_token": {c.accessToken}})
	switch {
	case err != nil:
		return fmt.Errorf("log out: %w", err)
	case a.failure == nil, a.failure.KiteType == tokenException:
		return nil
	default:
		return fmt.Errorf("log out: %w", a.failure)
	}
}

// once makes one call that must not be repeated: no retry, whatever becomes of it.
func (c *Client) once(ctx context.Context, what, method, path string, values url.Values) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if err := c.admit(ctx, paceOther); err != nil {
		return answer{}, err
	}
	var body io.Reader = http.NoBody
	if method == http.MethodPost {
		body = strings.NewReader(values.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return answer{}, newError(KindInternal, "the request to Kite could not be built")
	}
	req.Header.Set("X-Kite-Version", "3")
	req.Header.Set("User-Agent", userAgent)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		req.URL.RawQuery = values.Encode()
	}
	return c.attempt(ctx, what, func(ctx context.Context) answer {
		resp, a := c.exchange(ctx, req)
		_ = resp.Body.Close()
		return a
	}), nil
}
