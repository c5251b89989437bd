package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzRouter: whatever headers and body arrive, the answer is a status of the
// contract, and the next honest call works.
func FuzzRouter(f *testing.F) {
	for _, seed := range [][5]string{
		{"POST", modern, "tools/list", "", request(1, "tools/list", params(`{}`))},
		{"POST", "", "", "", request(1, "tools/list", params(`{}`))},
		{"POST", "zzz", "tools/call", "=?base64?aGVscA==?=", `{}`},
		{"POST", legacy, "", "", hello},
		{"GET", modern, "", "", ""},
		{"DELETE", legacy, "", "", `[`},
		{"POST", "2026-07-28\x00", "\xff", "=?base64?", "\xff"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	s, _ := newServer(f)
	handler := s.Handler()
	f.Fuzz(func(t *testing.T, method, version, rpc, name, body string) {
		if method == http.MethodGet && version < modern { // an event stream that stays open
			return
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
		req.Method = method
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for header, value := range map[string]string{"Mcp-Protocol-Version": version, "Mcp-Method": rpc, "Mcp-Name": name} {
			if value != "" {
				req.Header.Set(header, value)
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		switch w.Code {
		case 200, 202, 400, 403, 404, 405, 406, 413, 415, 503:
		default:
			t.Errorf("status %d for %s %q %q %q %q", w.Code, method, version, rpc, name, body)
		}
	})
}

// FuzzSkillsParams: a cursor or uri of any shape is answered or refused as wrong
// params, never as our fault.
func FuzzSkillsParams(f *testing.F) {
	for _, seed := range []string{`""`, `null`, `"x"`, `5`, `{}`, `["skill://orders/SKILL.md"]`, `"skill://orders/SKILL.md"`, `"skill://../x"`, `true`} {
		f.Add(seed)
	}
	s, _ := newServer(f)
	w := newDirect(f, s)
	f.Fuzz(func(t *testing.T, value string) {
		if !json.Valid([]byte(value)) {
			return
		}
		w := w.of(t)
		for method, member := range map[string]string{"skills/list": "cursor", "skills/get": "uri", "resources/list": "cursor"} {
			if r := w.call(method, "", params(skills, `"`+member+`":`+value)); r.Error != nil && r.Error.Code != -32602 {
				t.Errorf("%s %s: error %d %s", method, value, r.Error.Code, r.Error.Message)
			}
		}
	})
}
