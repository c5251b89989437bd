package cmd_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/ui"
)

// TestPreviewsShareABrowser: a browser keeps one jar of cookies for all ports of a
// host, so two previews side by side must not take each other's cookie, and no
// other program of this machine is shown one.
func TestPreviewsShareABrowser(t *testing.T) {
	t.Parallel()
	mcp := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "mcp") })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	visit := func(address string) (at *url.URL) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", address, answer.Status)
		}
		return answer.Request.URL
	}
	var shown []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown = append(shown, r.Header["Cookie"]...) }))
	t.Cleanup(other.Close)
	var views []string
	for range 2 {
		page, token := cmd.PreviewPage(mcp)
		srv := httptest.NewServer(page)
		t.Cleanup(srv.Close)
		at := visit(srv.URL + "/open/" + token)
		if strings.Contains(at.String(), token) {
			t.Errorf("the token stays in the address: %s", at)
		}
		views = append(views, at.JoinPath("view").String())
		visit(other.URL + "/")
		visit(other.URL + "/view")
	}
	if shown != nil {
		t.Errorf("another server was shown %q", shown)
	}
	for _, view := range views {
		visit(view)
	}
}

// TestPreviewAddress: only opening the address uses it up, and a wrong one is not
// called used.
func TestPreviewAddress(t *testing.T) {
	t.Parallel()
	page, token := cmd.PreviewPage(http.NotFoundHandler())
	for _, step := range []struct {
		method, token string
		status        int
		says          string
	}{
		{http.MethodGet, "WRONG", http.StatusForbidden, "is wrong"},
		{http.MethodHead, token, http.StatusMethodNotAllowed, ""},
		{http.MethodGet, token, http.StatusSeeOther, ""},
		{http.MethodGet, token, http.StatusForbidden, "has been used"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), step.method, "http://127.0.0.1:8099/open/"+step.token, http.NoBody)
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		if w.Code != step.status || !strings.Contains(w.Body.String(), step.says) {
			t.Errorf("%s %s: %d %q, want %d and %q", step.method, step.token, w.Code, w.Body, step.status, step.says)
		}
	}
}

// TestPreviewPage: the address works once, in one browser, on this machine; the
// app is served so that it can reach nothing.
func TestPreviewPage(t *testing.T) {
	t.Parallel()
	page, token := cmd.PreviewPage(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "mcp") }))
	get := func(method, path, host string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody)
		r.Host = host
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w
	}
	const here = "127.0.0.1:8099"
	first := get(http.MethodGet, "/open/"+token+"?view=funds", here)
	at, query, _ := strings.Cut(first.Header().Get("Location"), "?")
	cookie, err := http.ParseSetCookie(first.Header().Get("Set-Cookie"))
	if err != nil || first.Code != http.StatusSeeOther || query != "view=funds" || cookie.Path != at || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode {
		t.Fatalf("the address: %d to %q, cookie %v, %v", first.Code, first.Header().Get("Location"), cookie, err)
	}
	if len(at) < 28 || strings.Contains(at, token) || strings.Contains(at, cookie.Value) || cookie.Value == token {
		t.Errorf("path %q, cookie %q, token %q", at, cookie.Value, token)
	}
	for _, path := range []string{"/", "/view", "/open/", "/open/WRONG", at, at + "view"} {
		if got := get(http.MethodGet, path, here).Code; got != http.StatusForbidden && got != http.StatusNotFound {
			t.Errorf("%s without the address: %d", path, got)
		}
	}
	if got := get(http.MethodPost, at+"mcp", here).Code; got != http.StatusForbidden {
		t.Errorf("mcp without the cookie: %d", got)
	}
	for _, host := range []string{"evil.example:8099", "localhost.evil.example", "", "127.0.0.1"} {
		for _, path := range []string{"/open/" + token, at, at + "view"} {
			if got := get(http.MethodGet, path, host, cookie).Code; got != http.StatusForbidden {
				t.Errorf("%s of host %q: %d", path, host, got)
			}
		}
	}
	if got := get(http.MethodGet, "/open/"+token, here).Code; got != http.StatusForbidden {
		t.Errorf("the address again: %d", got)
	}
	for path, want := range map[string]string{at: ui.Preview(), at + "view": ui.HTML()} {
		got := get(http.MethodGet, path, here, cookie)
		if body := got.Body.String(); body != want {
			t.Errorf("%s: %d bytes", path, len(body))
		}
		if policy := got.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; ") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
	if policy := get(http.MethodGet, at+"view", here, cookie).Header().Get("Content-Security-Policy"); strings.Contains(policy, "connect-src") || strings.Contains(policy, "http") {
		t.Errorf("the app may reach something: %q", policy)
	}
	if got := get(http.MethodPost, at+"mcp", here, cookie); got.Code != http.StatusOK || got.Body.String() != "mcp" {
		t.Errorf("mcp with the cookie: %d %s", got.Code, got.Body)
	}
	cookie.Value += "x"
	if got := get(http.MethodGet, at+"view", here, cookie).Code; got != http.StatusForbidden {
		t.Errorf("another cookie: %d", got)
	}
}
