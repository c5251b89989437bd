package kite

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	c := New(Options{AccessToken: "own-token-0123456789"})
	for in, want := range map[string]string{ //nolint:gosec // nobody has them
		``:                               ``,
		`null`:                           `null`,
		`{"quantity": 1}`:                `{"quantity": 1}`,
		`{"access_token":"x","left": 1}`: `{"access_token":"[removed]","left": 1}`,
		`[{"a":[{"enctoken" : "x" }]}]`:  `[{"a":[{"enctoken" : "[removed]" }]}]`,
		`{"Public-Token":{"a":["x"]},"refreshToken":null,"REQUEST_TOKEN":7}`: `{"Public-Token":"[removed]","refreshToken":"[removed]","REQUEST_TOKEN":"[removed]"}`,
		`{"access_to\u006ben":"x"}`: `{"access_to\u006ben":"[removed]"}`,
		`{"access_tokens":["x","y"],"api_secret":"x","API Key":"x","checksum":"x","password":"x","token":"x"}`: `{"access_tokens":"[removed]","api_secret":"[removed]","API Key":"[removed]","checksum":"[removed]","password":"[removed]","token":"[removed]"}`,
		`{"access_token":"has \" and } and , in it","b":2}`:                                                    `{"access_token":"[removed]","b":2}`,
		`{"access_token":{"access_token":"x"},"b":2}`:                                                          `{"access_token":"[removed]","b":2}`,

		// What numbers an instrument, or only speaks of tokens, is data.
		`{"instrument_token":408065,"exchange_token":1594,"instrument_tokens":[1]}`: `{"instrument_token":408065,"exchange_token":1594,"instrument_tokens":[1]}`,
		`{"status_message":"access_token","name":"TOKEN","x":["api_secret","y"]}`:   `{"status_message":"access_token","name":"TOKEN","x":["api_secret","y"]}`,
		`{"NSE:TOKEN":{"last_price":1},"NSE:SECRET":{"last_price":1}}`:              `{"NSE:TOKEN":{"last_price":1},"NSE:SECRET":{"last_price":1}}`,

		// Its own token is known by what it is, wherever it stands.
		`{"status_message":"token own-token-0123456789 refused","tags":["own-token-0123456789"]}`: `{"status_message":"token [removed] refused","tags":["[removed]"]}`,
		`{"meta":"{\"t\":\"own-token-0123456789\"}"}`:                                             `{"meta":"{\"t\":\"[removed]\"}"}`,
		`{"own-token-0123456789":1}`:                                                              `{"[removed]":1}`,
		`{"a":"\u006fwn-token-0123456789","\u006fwn-token-0123456789":1}`:                         `{"a":"[removed]","[removed]":1}`,
	} {
		if diff := cmp.Diff(want, string(c.redact(json.RawMessage(in)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
	// One that begins with the letter of an escape does not take the escape along.
	if got := New(Options{AccessToken: "nown-token"}).redact(json.RawMessage(`["\nown-token","\nnown-token"]`)); string(got) != `["\nown-token","\n[removed]"]` {
		t.Errorf("an escape was cut up: %s", got)
	}
	if got := New(Options{AccessToken: "1"}).redact(json.RawMessage(`{"a":11,"b":"1"}`)); string(got) != `{"a":11,"b":"1"}` {
		t.Errorf("a token of one digit cut up %s", got)
	}
}

// FuzzRedact: an answer stays JSON, what is left of it is what it was, and no credential is left.
func FuzzRedact(f *testing.F) {
	for _, s := range []string{
		`{"access_token":"x","a":[{"ENC_TOKEN":{"b":1}}]}`, `[1,"access_token",{"instrument_token":2}]`, `{"a\u005ftoken":"\"","b":"own-token-0123456789"}`,
		`{"":"","\\":1,"access_token" : [ 1 , 2 ] }`, `"access_token"`, `{"access_token":"\ud800"}`, "{\"\xfftoken\":1}",
	} {
		f.Add([]byte(s))
	}
	c := New(Options{AccessToken: "own-token-0123456789"})
	f.Fuzz(func(t *testing.T, s []byte) {
		before := bytes.Clone(s)
		var was any
		valid := json.Unmarshal(s, &was) == nil
		out := c.redact(s) // of anything: it ends
		if !bytes.Equal(before, s) {
			t.Fatalf("%q was changed in place", before)
		}
		if !valid {
			return
		}
		var is any
		if err := json.Unmarshal(out, &is); err != nil {
			t.Fatalf("%q became %q: %v", s, out, err)
		}
		if diff := cmp.Diff(withoutSecrets(was), is); diff != "" {
			t.Errorf("%q became %q (-want +got):\n%s", s, out, diff)
		}
	})
}

// withoutSecrets is redact for a value that has been read.
func withoutSecrets(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if isSecretName([]byte(name)) {
				member = removed
			}
			out[withoutOwn(name)] = withoutSecrets(member)
		}
		return out
	case []any:
		for i := range v {
			v[i] = withoutSecrets(v[i])
		}
	case string:
		return withoutOwn(v)
	}
	return v
}

func withoutOwn(s string) string { return strings.ReplaceAll(s, "own-token-0123456789", removed) }
