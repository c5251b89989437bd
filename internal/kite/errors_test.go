package kite_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// Kite's error type decides first, the status only without one.
func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kiteType string
		status   int
		message  string
		want     kite.ErrorKind
	}{
		{"TokenException", 403, "", kite.KindSessionExpired},
		{"TokenException", 400, "", kite.KindSessionExpired},
		{"PermissionException", 403, "", kite.KindPermissionDenied},
		{"UserException", 403, "", kite.KindRejected},
		{"TwoFAException", 403, "", kite.KindRejected},
		{"InputException", 400, "", kite.KindRejected},
		{"OrderException", 500, "", kite.KindRejected},
		{"MarginException", 400, "", kite.KindRejected},
		{"HoldingException", 400, "", kite.KindRejected},
		{"NetworkException", 503, "", kite.KindUpstreamUnavailable},
		{"NetworkException", 429, "", kite.KindRateLimited},
		{"NetworkException", 503, "Too many requests", kite.KindRateLimited},
		{"DataException", 502, "", kite.KindUpstreamUnavailable},
		{"GeneralException", 500, "", kite.KindUpstreamUnavailable},
		{"GeneralException", 404, "", kite.KindNotFound},
		{"GeneralException", 405, "", kite.KindInternal},
		{"BrandNewException", 400, "", kite.KindRejected},
		{"BrandNewException", 500, "", kite.KindUpstreamUnavailable},
		{"", 401, "", kite.KindSessionExpired},
		{"", 403, "", kite.KindPermissionDenied},
	} {
		t.Run(fmt.Sprintf("%s %d", tc.kiteType, tc.status), func(t *testing.T) {
			t.Parallel()
			body := fmt.Sprintf(`{"status":"error","message":%q,"error_type":%q,"data":null}`, tc.message, tc.kiteType)
			_, err := clientOn(says(tc.status, body)).Holdings(t.Context())
			e := failure(t, err, tc.want)
			if e.KiteType != tc.kiteType || e.Status != tc.status || e.Message == "" {
				t.Errorf("error = %+v", e)
			}
		})
	}
}

// Each class has its sentinel, matches no other, and tells whether a repeat may help.
func TestSentinels(t *testing.T) {
	t.Parallel()
	sentinels := map[kite.ErrorKind]error{
		kite.KindNotAuthenticated: kite.ErrNotAuthenticated, kite.KindSessionExpired: kite.ErrSessionExpired,
		kite.KindPermissionDenied: kite.ErrPermissionDenied, kite.KindRateLimited: kite.ErrRateLimited,
		kite.KindRejected: kite.ErrRejected, kite.KindUpstreamUnavailable: kite.ErrUpstreamUnavailable,
		kite.KindOutcomeUnknown: kite.ErrOutcomeUnknown, kite.KindNotFound: kite.ErrNotFound,
		kite.KindInvalidArgument: kite.ErrInvalidArgument, kite.KindCatalogUnavailable: kite.ErrCatalogUnavailable,
		kite.KindCatalogChanged: kite.ErrCatalogChanged, kite.KindTimeout: kite.ErrTimeout, kite.KindInternal: kite.ErrInternal,
	}
	for kind := range sentinels {
		err := fmt.Errorf("outer: %w", &kite.Error{Kind: kind, Message: "m"})
		for other, sentinel := range sentinels {
			if errors.Is(err, sentinel) != (kind == other) {
				t.Errorf("%s is %s: %v", kind, other, kind != other)
			}
		}
		if got := kite.KindOf(err); got != kind {
			t.Errorf("KindOf = %s, want %s", got, kind)
		}
	}
	if kite.KindOf(nil) != "" || kite.KindOf(errors.New("x")) != kite.KindInternal {
		t.Error("KindOf must be empty for nil and internal for foreign errors")
	}
}

// Without an account every call says why.
func TestSources(t *testing.T) {
	t.Parallel()
	c, err := kite.None("KITE_API_KEY is not set").Client(t.Context())
	e := failure(t, err, kite.KindNotAuthenticated)
	if c != nil || !errors.Is(err, kite.ErrNotAuthenticated) || !strings.Contains(e.Message, "KITE_API_KEY is not set") {
		t.Errorf("client %v, error %+v", c, e)
	}
	want := clientOn(says(200, "{}"))
	if got, err := kite.Fixed(want).Client(t.Context()); got != want || err != nil {
		t.Errorf("Fixed = %v, %v", got, err)
	}
}

// What Kite says is shown, but never a credential, a link, a terminal escape or a flood.
func TestMessagesAreSafe(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ sent, want string }{
		"credentials":    {"token " + testKey + ":" + testToken + " is bad", "token [removed]:[removed] is bad"},
		"link":           {"see https://kite.invalid/x?api_key=1&request_token=2 for more", "see [link removed] for more"},
		"escapes":        {"a\x1b[2Jb\x07c\u202ed\u200be", "a[2Jbcde"},
		"lines":          {"one\ntwo\tthree", "one two three"},
		"rupees survive": {"needs \u20b94,074,000.00", "needs \u20b94,074,000.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := fmt.Sprintf(`{"status":"error","message":%s,"error_type":"InputException"}`, jsonText(t, tc.sent))
			_, err := clientOn(says(400, body)).Holdings(t.Context())
			if e := failure(t, err, kite.KindRejected); e.Message != tc.want {
				t.Errorf("message %q, want %q", e.Message, tc.want)
			}
		})
	}
	body := `{"status":"error","message":"` + strings.Repeat("\u20b9", 10_000) + `","error_type":"InputException"}`
	_, err := clientOn(says(400, body)).Holdings(t.Context())
	if e := failure(t, err, kite.KindRejected); len(e.Message) > 700 || !strings.HasSuffix(e.Message, "...") {
		t.Errorf("message of %d bytes", len(e.Message))
	}
}

// A transport's own words hold addresses and headers; they are kept for errors.Is only.
func TestTransportErrorsAreNotShown(t *testing.T) {
	t.Parallel()
	cause := errors.New(`Get "https://kite.invalid/user/profile?token=` + testToken + `": dial tcp 10.0.0.1:443`)
	for route, call := range reads() {
		err := call(t.Context(), clientOn(wire(func(*http.Request) (*http.Response, error) { return nil, cause })))
		wantKind(t, err, kite.KindUpstreamUnavailable)
		if strings.Contains(err.Error(), "kite.invalid") || strings.Contains(err.Error(), testToken) {
			t.Errorf("%s: %q", route, err)
		}
		if !errors.Is(err, cause) {
			t.Errorf("%s: the cause is lost", route)
		}
	}
}

// Kite's Retry-After is honoured in both of its forms, within reason.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"":                              time.Second,
		"7":                             7 * time.Second,
		"-3":                            time.Second,
		"soon":                          time.Second,
		"99999999":                      time.Hour,
		"Wed, 02 Dec 2026 05:45:30 GMT": 30 * time.Second,
		"Wed, 02 Dec 2026 05:00:00 GMT": time.Second,
	} {
		_, err := clientOn(wire(func(r *http.Request) (*http.Response, error) {
			resp := response(r, 429, "")
			resp.Header.Set("Retry-After", header)
			return resp, nil
		})).Holdings(t.Context())
		e := failure(t, err, kite.KindRateLimited)
		if e.RetryAfter != want || !strings.Contains(e.Hint, fmt.Sprintf("wait %d second", int(want.Seconds()))) {
			t.Errorf("Retry-After %q: %v, hint %q; want %v", header, e.RetryAfter, e.Hint, want)
		}
	}
}

// An answer beyond any real one is refused instead of read.
func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	_, err := clientOn(says(200, `{"status":"success","data":"`+strings.Repeat("x", 33<<20)+`"}`)).Holdings(t.Context())
	wantKind(t, err, kite.KindUpstreamUnavailable)
}
