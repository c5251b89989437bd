package kite

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// A write must never leave twice: net/http resends a request that has GetBody when its connection was stale. Reads may.
func TestWritesCannotBeResent(t *testing.T) {
	t.Parallel()
	for method, resendable := range map[string]bool{
		http.MethodGet: true, http.MethodPost: false, http.MethodPut: false, http.MethodDelete: false,
	} {
		var sent *http.Request
		c := New(Options{Transport: roundTripperFunc(func(r *http.Request) (*http.Response, error) {
			sent = r
			return nil, errors.New("gone")
		})})
		r, err := http.NewRequestWithContext(t.Context(), method, "http://kite.invalid/orders/regular", strings.NewReader("quantity=1"))
		if err != nil {
			t.Fatal(err)
		}
		resp, a := c.exchange(t.Context(), r)
		_ = resp.Body.Close()
		if (sent.GetBody != nil) != resendable || a.failure == nil {
			t.Errorf("%s: GetBody %v, failure %v", method, sent.GetBody != nil, a.failure)
		}
		if r.GetBody == nil {
			t.Errorf("%s: the caller's request was changed", method)
		}
	}
}

// TestReadEnvelope: what is no JSON object through and through is no answer. Data keeps its bytes, but for those that are
// no UTF-8: JSON must be, and a client may drop the connection over one byte.
func TestReadEnvelope(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"status":"success","data":[1.50, 1e400]}`:                 `[1.50, 1e400]`,
		` {"data": {"a":1,"a":2} ,"status":"success"} `:             `{"a":1,"a":2}`,
		`{"status":"success","data":null}`:                          `null`,
		`{"status":"success"}`:                                      ``,
		`{"status":"success","data":1,"data":2}`:                    `2`,
		`{"status":"success","d\u0061ta":1}`:                        `1`,
		"{\"status\":\"success\",\"data\":[\"a\xffb\",\"\u20b9\"]}": "[\"a\ufffdb\",\"\u20b9\"]",
	} {
		env, ok := readEnvelope([]byte(body))
		if !ok || env.status != "success" || string(env.data) != want {
			t.Errorf("%s: %t, status %q, data %s, want %s", body, ok, env.status, env.data, want)
		}
	}
	for _, body := range []string{
		``, `null`, `[]`, `"x"`, `{`, `{"status":"success","data":1} x`, `{"status":"success","data":01}`, "\ufeff{}", "{\"data\":\xff}",
		`{"status":1,"data":{}}`, `{"status":"error","message":{}}`, strings.Repeat(`[`, 20_000) + strings.Repeat(`]`, 20_000),
	} {
		if env, ok := readEnvelope([]byte(body)); ok {
			t.Errorf("%.60s was read as %+v", body, env)
		}
	}
}
