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
