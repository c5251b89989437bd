package kite_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

func TestFetchFrom(t *testing.T) {
	t.Parallel()
	const address, list = "https://mirror.example/lists/today.gz?key=1", "instrument_token,exchange_token\n1,2\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(list)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	answer := func(status int, body []byte) http.RoundTripper {
		return wire(func(r *http.Request) (*http.Response, error) {
			if r.URL.String() != address || r.Header.Get("Authorization") != "" {
				t.Errorf("request to %s with Authorization %q", r.URL, r.Header.Get("Authorization"))
			}
			return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
		})
	}
	for name, body := range map[string][]byte{"plain": []byte(list), "gzip": packed.Bytes()} {
		r, err := kite.FetchFrom(answer(http.StatusOK, body), address)(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, body) || r.Close() != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, transport := range map[string]http.RoundTripper{
		"not found": answer(http.StatusNotFound, []byte("<html>")),
		"no answer": wire(func(*http.Request) (*http.Response, error) { return nil, errors.New("dial " + address) }),
	} {
		if _, err := kite.FetchFrom(transport, address)(t.Context()); !errors.Is(err, kite.ErrUpstreamUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
