package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// plainWords reports what a refusal must not hold: the caller's own bytes, names
// of Go types, words of a JSON library.
func plainWords(t *testing.T, answer string) {
	t.Helper()
	for _, word := range []string{"hunter2", "mcp.", "server.", "jsonrpc2", "nmarshal", "json:", "Go "} {
		if strings.Contains(answer, word) {
			t.Errorf("a refusal says %q: %s", word, answer)
		}
	}
}

// TestWrongTypesAreRefusedPlainly: a member of a wrong type is wrong params, in
// words that neither echo it nor name our types.
func TestWrongTypesAreRefusedPlainly(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	for _, tc := range []struct{ method, member string }{
		{"tools/list", `"cursor":{"a":"hunter2"}`},
		{"tools/call", `"name":["hunter2"]`},
		{"tools/call", `"name":"portfolio","arguments":{"mode":"profile"},"requestState":["hunter2"]`},
		{"tools/call", `"name":"portfolio","arguments":{"mode":"profile"},"inputResponses":"hunter2"`},
		{"resources/list", `"cursor":["hunter2"]`},
		{"resources/read", `"uri":{"a":"hunter2"}`},
		{"resources/templates/list", `"cursor":["hunter2"]`},
		{"completion/complete", `"ref":"hunter2"`},
		{"completion/complete", `"ref":{"type":"hunter2"},"argument":{"name":"k","value":5}`},
		{"skills/list", `"cursor":["hunter2"]`},
		{"skills/get", `"uri":["hunter2"]`},
		{"ping", `"_meta":"hunter2"`},
	} {
		t.Run(tc.method+" "+tc.member, func(t *testing.T) {
			t.Parallel()
			w := w.of(t)
			answers := map[string]string{
				"stdio": string(byID(t, runStdio(t, s, hello, request(7, tc.method, "{"+tc.member+"}")), "7").body),
				"HTTP":  string(w.post(request(7, tc.method, "{"+tc.member+"}"), w.session(`{}`)...).body),
			}
			if tc.method != "ping" { // a legacy method, and without _meta no modern call
				answers["modern stdio"] = string(byID(t, runStdio(t, s, request(7, tc.method, params(`{}`, tc.member))), "7").body)
				answers["modern HTTP"] = string(w.post(request(7, tc.method, params(`{}`, tc.member)),
					"Mcp-Protocol-Version", modern, "Mcp-Method", tc.method).body)
			}
			for transport, answer := range answers {
				if !strings.Contains(answer, `"code":-32602`) && !strings.Contains(answer, `"code":-32020`) {
					t.Errorf("%s: want wrong params, got %s", transport, answer)
				}
				plainWords(t, answer)
			}
		})
	}
}

// TestParamsThatAreNoObject: params of another type are refused alike, whatever
// the method.
func TestParamsThatAreNoObject(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	for _, method := range []string{"initialize", "ping", "tools/list", "tools/call", "resources/read", "skills/list", "skills/get", "completion/complete", "subscriptions/listen"} {
		for _, params := range []string{`5`, `"hunter2"`, `["hunter2"]`, `true`} {
			answer := string(byID(t, runStdio(t, s, hello, request(7, method, params)), "7").body)
			if !strings.Contains(answer, `"code":-32602`) {
				t.Errorf("%s %s: want wrong params, got %s", method, params, answer)
			}
			plainWords(t, answer)
		}
	}
}

// TestBodiesThatAreNoMessage: what is JSON but no message is refused plainly.
func TestBodiesThatAreNoMessage(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	for _, body := range []string{`5`, `"hunter2"`, `{"a":"hunter2"}`, `{"jsonrpc":"2.0","id":1,"method":["hunter2"]}`, `{"jsonrpc":"2.0","id":1`, `true`} {
		for _, version := range []string{"", legacy, modern} {
			var headers []string
			if version != "" {
				headers = []string{"Mcp-Protocol-Version", version, "Mcp-Method", "tools/list"}
			}
			res := w.post(body, headers...)
			if res.status != http.StatusBadRequest {
				t.Errorf("%s (%s): status %d, want 400", body, version, res.status)
			}
			plainWords(t, string(res.body))
		}
	}
}

// TestErrorCodesAreKnown: code 0, which JSON-RPC does not know, never leaves.
func TestErrorCodesAreKnown(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	for name, answer := range map[string]string{
		"call without session": string(w.post(request(1, "tools/list", `{}`), "Mcp-Protocol-Version", legacy).body),
		"initialize twice":     string(w.post(hello, w.session(`{}`)...).body),
	} {
		if !strings.Contains(answer, `"error":{"code":-32600,`) {
			t.Errorf("%s: want an invalid request, got %s", name, answer)
		}
	}
}

// TestRewordingLeavesResultsAlone: a result that quotes the same words is no
// refusal.
func TestRewordingLeavesResultsAlone(t *testing.T) {
	t.Parallel()
	text := `{"error":{"code":0,"message":"handling 'x': y"}}`
	s, _ := newServer(t, yardstick(text))
	r := newWeb(t, s).call("tools/call", "yardstick", params(`{}`, `"name":"yardstick"`))
	if want := fmt.Sprintf("%q", text); !strings.Contains(string(r.Result), want) {
		t.Errorf("the result %s does not hold %s", r.Result, want)
	}
}
