package cmd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/ui"
)

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
	for _, path := range []string{"/", "/view", "/open/", "/open/WRONG"} {
		if got := get(http.MethodGet, path, here).Code; got != http.StatusForbidden && got != http.StatusNotFound {
			t.Errorf("%s without the address: %d", path, got)
		}
	}
	if got := get(http.MethodPost, "/mcp", here).Code; got != http.StatusForbidden {
		t.Errorf("/mcp without the address: %d", got)
	}
	for _, host := range []string{"evil.example:8099", "localhost.evil.example", "", "127.0.0.1"} {
		if got := get(http.MethodGet, "/open/"+token, host).Code; got != http.StatusForbidden {
			t.Errorf("host %q: %d", host, got)
		}
	}
	first := get(http.MethodGet, "/open/"+token+"?view=funds", here)
	cookie, err := http.ParseSetCookie(first.Header().Get("Set-Cookie"))
	if err != nil || first.Code != http.StatusSeeOther || first.Header().Get("Location") != "/?view=funds" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode {
		t.Fatalf("the address: %d to %q, cookie %v, %v", first.Code, first.Header().Get("Location"), cookie, err)
	}
	if cookie.Value == token {
		t.Error("the cookie is the token of the address")
	}
	if got := get(http.MethodGet, "/open/"+token, here).Code; got != http.StatusForbidden {
		t.Errorf("the address again: %d", got)
	}
	for path, want := range map[string]string{"/": ui.Preview(), "/view": ui.HTML()} {
		got := get(http.MethodGet, path, here, cookie)
		if body := got.Body.String(); body != want {
			t.Errorf("%s: %d bytes", path, len(body))
		}
		if policy := got.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; ") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
	if policy := get(http.MethodGet, "/view", here, cookie).Header().Get("Content-Security-Policy"); strings.Contains(policy, "connect-src") || strings.Contains(policy, "http") {
		t.Errorf("the app may reach something: %q", policy)
	}
	if got := get(http.MethodPost, "/mcp", here, cookie); got.Code != http.StatusOK {
		t.Errorf("/mcp with the cookie: %d", got.Code)
	}
	cookie.Value += "x"
	if got := get(http.MethodGet, "/view", here, cookie).Code; got != http.StatusForbidden {
		t.Errorf("another cookie: %d", got)
	}
}
