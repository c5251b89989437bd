package session

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// CallbackPath is where the redirect of a login arrives.
const CallbackPath = "/callback"

// ourHeader is how one process of ours recognises another that answers the redirect, by the app it serves.
const ourHeader = "Kite-Mcp-Login"

// Begin starts a login: it returns the address for the person's browser and how long that works. Unless a server of
// this process, or another one of ours, answers the redirect, a listener does until the login is made or too late.
func (k *Keeper) Begin(ctx context.Context) (address string, life time.Duration, err error) {
	if err := k.CanLogIn(); err != nil {
		return "", 0, err
	}
	if !k.o.Served {
		if err := k.listen(ctx); err != nil {
			return "", 0, err
		}
	}
	return k.loginURL(), stateLife, nil
}

// Wait returns when a login is there, whichever process of ours completed it.
func (k *Keeper) Wait(ctx context.Context) (Status, error) {
	const pause = 300 * time.Millisecond
	look := time.NewTicker(pause)
	defer look.Stop()
	late := time.NewTimer(stateLife)
	defer late.Stop()
	for {
		if s := k.Status(); s.Err == nil {
			return s, nil
		}
		select {
		case <-look.C:
		case <-late.C:
			return Status{}, k.notLoggedIn("nobody completed the login within 30 minutes", k.hint())
		case <-ctx.Done():
			return Status{}, ctx.Err()
		}
	}
}

// Address is the page of a login whose outcome will be pasted; nothing listens for it.
func (k *Keeper) Address() (string, error) {
	if err := k.CanLogIn(); err != nil {
		return "", err
	}
	return k.loginURL(), nil
}

// Paste completes a login with what the person pasted: the address that the browser ended on, or a request token.
func (k *Keeper) Paste(ctx context.Context, text string) (Status, error) {
	r, err := parseReply(text)
	if err == nil && r.state != "" {
		err = k.checkState(r.state)
	}
	if err != nil {
		return Status{}, &kite.Error{Kind: kite.KindInvalidArgument, Message: err.Error()}
	}
	return k.Complete(ctx, r.requestToken)
}

// Pages are what a server of this process must answer, by path: the redirect of a login, and the page of a demo.
func (k *Keeper) Pages() map[string]http.Handler {
	pages := map[string]http.Handler{CallbackPath: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { k.serve(w, r) })}
	if k.o.Page != nil {
		pages[LoginPath] = k.o.Page
	}
	return pages
}

// serve answers one redirect and reports whether it brought a login.
func (k *Keeper) serve(w http.ResponseWriter, r *http.Request) (done bool) {
	h := w.Header()
	h.Set(ourHeader, k.app)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Referrer-Policy", "no-referrer") // the address holds a request token
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	if r.Method != http.MethodGet {
		h.Set("Allow", http.MethodGet)
		page(w, http.StatusMethodNotAllowed, "Not logged in", "This address takes the redirect of a Kite login and nothing else.")
		return false
	}
	status, err := k.redirected(r)
	if err != nil {
		code, text := refusal(err)
		switch {
		case code == http.StatusInternalServerError:
			k.log.Error("login not kept", "error", err)
		case r.URL.RawQuery != "": // without it, another process asks who is here
			k.log.Warn("login not completed", "reason", text)
		}
		page(w, code, "Not logged in", text)
		return false
	}
	page(w, http.StatusOK, "Logged in to Kite", "User "+status.UserID+", until "+status.Expires.In(kite.IST).Format("2006-01-02 15:04")+" IST. You can close this page.")
	return true
}

// redirected completes the login that a request brings back. The state comes first: without it nothing is done.
func (k *Keeper) redirected(r *http.Request) (Status, error) {
	values := r.URL.Query()
	if err := k.checkState(values.Get(stateParam)); err != nil {
		return Status{}, err
	}
	back, err := replyOf(values)
	if err != nil {
		return Status{}, err
	}
	// The request token works once: a browser that leaves must not lose the login.
	return k.Complete(context.WithoutCancel(r.Context()), back.requestToken)
}

// refusal is what the page says about a failed login.
func refusal(err error) (code int, text string) {
	e, ok := errors.AsType[*kite.Error](err)
	switch {
	case errors.Is(err, errState), errors.Is(err, errNoToken), errors.Is(err, errDeclined):
		return http.StatusBadRequest, capital(err.Error()) + "."
	case !ok:
		return http.StatusInternalServerError, "The login could not be kept on this machine. The program's own output says why."
	case e.Kind == kite.KindNotAuthenticated, e.Kind == kite.KindRejected, e.Kind == kite.KindPermissionDenied:
		return http.StatusForbidden, e.Message + " " + capital(e.Hint)
	default:
		return http.StatusBadGateway, e.Message + ". Start a new login."
	}
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

func page(w http.ResponseWriter, code int, title, text string) {
	w.WriteHeader(code)
	// A browser that left needs no page.
	_, _ = fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"+
		"<title>%[1]s</title>\n<style>body{font:16px system-ui,sans-serif;margin:3rem auto;max-width:32rem;padding:0 1rem}</style>\n<h1>%[1]s</h1>\n<p>%[2]s</p>\n</html>\n",
		html.EscapeString(title), html.EscapeString(text))
}

// listener waits for one redirect.
type listener struct {
	srv  *http.Server
	stop context.CancelFunc
	gone chan struct{} // closed when the port is free again
}

// close frees the port.
func (l *listener) close() {
	l.stop()
	<-l.gone
}

// listen opens the port of the redirect, unless it is open already or another process of ours has it. It stays open
// until a login is made, stateLife has passed since the last Begin, or the keeper is closed.
func (k *Keeper) listen(ctx context.Context) error {
	k.port.Lock()
	defer k.port.Unlock()
	if k.waiting != nil {
		k.waiting.close() // the new one waits its whole time
		k.waiting = nil
	}
	host, port, err := net.SplitHostPort(k.o.Addr)
	if ip := net.ParseIP(host); err == nil && !strings.EqualFold(host, "localhost") && (ip == nil || !ip.IsLoopback()) {
		return k.notLoggedIn("a login comes back to this machine only, and APP_HOST is not a loopback address", "set APP_HOST to localhost, or use kite-mcp login --paste")
	}
	if err != nil || port == "0" {
		return k.notLoggedIn("a login comes back to a fixed port, and APP_PORT is 0", "set APP_PORT to the port of the app's redirect URL, or use kite-mcp login --paste")
	}
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", k.o.Addr)
	if err != nil {
		if k.oursListens(ctx) {
			return nil
		}
		return k.notLoggedIn(fmt.Sprintf("a login comes back to http://%s%s, and %s", k.o.Addr, CallbackPath, portProblem(err)),
			"end what uses the port, set APP_PORT to another one that is registered as the app's redirect URL, or use kite-mcp login --paste")
	}
	waiting, stop := context.WithTimeout(context.WithoutCancel(ctx), stateLife)
	l := &listener{stop: stop, gone: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc(CallbackPath, func(w http.ResponseWriter, r *http.Request) {
		if k.serve(w, r) {
			stop()
		}
	})
	if k.o.Page != nil {
		mux.Handle(LoginPath, k.o.Page)
	}
	l.srv = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	k.waiting = l
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = l.srv.Serve(socket) // it ends when it is shut down
	}()
	go func() {
		defer close(l.gone)
		<-waiting.Done()
		stop()
		grace, cancel := context.WithTimeout(context.WithoutCancel(waiting), 2*time.Second)
		defer cancel()
		if l.srv.Shutdown(grace) != nil {
			_ = l.srv.Close() // what is left is cut
		}
		<-ended
	}()
	return nil
}

// portProblem says why a port cannot be had, without the noise of net.
func portProblem(err error) string {
	const winInUse = syscall.Errno(10048)
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, winInUse) {
		return "another program uses that port"
	}
	return "that port cannot be opened"
}

// oursListens reports whether another process of ours answers the redirect for the same app. It completes the login
// then, and this process finds it in the file.
func (k *Keeper) oursListens(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+k.o.Addr+CallbackPath, http.NoBody)
	if err != nil {
		return false
	}
	direct := &http.Transport{DisableKeepAlives: true} // no proxy: it is this machine
	resp, err := direct.RoundTrip(req)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxFile))
	_ = resp.Body.Close()
	return resp.Header.Get(ourHeader) == k.app && k.o.Dir != ""
}
