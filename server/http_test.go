package server_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func TestHTTPStatusTable(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	list := func(params string) string { return request(1, "tools/list", params) }
	std := []string{"Mcp-Protocol-Version", modern, "Mcp-Method", "tools/list"}
	for name, tc := range map[string]struct {
		body    string
		headers []string
		status  int
		code    int // JSON-RPC error, 0 when the body is text or a result
	}{
		"modern call":            {list(params(`{}`)), std, 200, 0},
		"modern without _meta":   {list(`{}`), std, 400, -32602},
		"modern body, no header": {list(params(`{}`)), nil, 400, -32020},
		"method mismatch":        {list(params(`{}`)), []string{"Mcp-Protocol-Version", modern, "Mcp-Method", "ping"}, 400, -32020},
		"unknown modern version": {list(strings.ReplaceAll(params(`{}`), modern, "2099-01-01")), []string{"Mcp-Protocol-Version", "2099-01-01", "Mcp-Method", "tools/list"}, 400, -32022},
		"garbage version":        {list(strings.ReplaceAll(params(`{}`), modern, "zzz")), []string{"Mcp-Protocol-Version", "zzz", "Mcp-Method", "tools/list"}, 400, -32022},
		"unknown legacy version": {list(`{}`), []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, 0},
		"unknown modern method":  {request(1, "nope/x", params(`{}`)), []string{"Mcp-Protocol-Version", modern, "Mcp-Method", "nope/x"}, 404, -32601},
		"directory read":         {request(1, "resources/directory/read", params(`{}`, `"uri":"skill://orders"`)), []string{"Mcp-Protocol-Version", modern, "Mcp-Method", "resources/directory/read"}, 404, -32601},
		"legacy unknown session": {list(`{}`), []string{"Mcp-Session-Id", "nope", "Mcp-Protocol-Version", legacy}, 404, 0},
		"batch":                  {"[" + list(`{}`) + "]", []string{"Mcp-Protocol-Version", legacy}, 400, 0},
		"malformed":              {`{"jsonrpc"`, std, 400, 0},
		"empty":                  {``, std, 400, 0},
		"null id":                {strings.Replace(list(params(`{}`)), `"id":1`, `"id":null`, 1), std, 400, -32600},
		"broken id":              {strings.Replace(list(params(`{}`)), `"id":1`, `"id":1.5`, 1), std, 400, -32600},
		"legacy huge id":         {strings.Replace(list(`{}`), `"id":1`, `"id":9007199254740993`, 1), nil, 400, -32600},
		"deep":                   {strings.Repeat("[", 2000) + strings.Repeat("]", 2000), std, 400, 0},
		"too large":              {list(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`), std, 413, 0},
		"wrong content type":     {list(params(`{}`)), append([]string{"Content-Type", "text/plain"}, std...), 415, 0},
		"foreign origin":         {list(params(`{}`)), append([]string{"Origin", "http://evil.example"}, std...), 403, 0},
		"origin with a query":    {list(params(`{}`)), append([]string{"Origin", w.url + "?x"}, std...), 403, 0},
		"null origin":            {list(params(`{}`)), append([]string{"Origin", "null"}, std...), 403, 0},
		"foreign host":           {list(params(`{}`)), append([]string{"Host", "evil.example"}, std...), 403, 0},
		"legacy asks for modern": {request(1, "initialize", `{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`), nil, 200, 0},
		"modern initialize":      {request(1, "initialize", params(`{}`)), []string{"Mcp-Protocol-Version", modern, "Mcp-Method", "initialize"}, 404, -32601},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := w.of(t)
			res := web.post(tc.body, tc.headers...)
			if res.status != tc.status {
				t.Fatalf("status %d, want %d: %s", res.status, tc.status, res.body)
			}
			if res.header.Get("X-Accel-Buffering") != "no" {
				t.Error("X-Accel-Buffering is missing")
			}
			if res.header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("an unasked CORS header")
			}
			if tc.code != 0 {
				if r := web.answer(res); r.Error == nil || r.Error.Code != tc.code {
					t.Errorf("got %+v, want error %d", r.Error, tc.code)
				}
			}
		})
	}
}

func TestHTTPOtherMethods(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	for name, tc := range map[string]struct {
		method, path string
		headers      []string
		status       int
	}{
		"modern GET":         {http.MethodGet, "/mcp", []string{"Mcp-Protocol-Version", modern}, 405},
		"modern DELETE":      {http.MethodDelete, "/mcp", []string{"Mcp-Protocol-Version", modern}, 405},
		"foreign origin GET": {http.MethodGet, "/mcp", []string{"Origin", "http://evil.example", "Accept", "text/event-stream"}, 403},
		"health":             {http.MethodGet, "/healthz", nil, 200},
		"ready":              {http.MethodGet, "/readyz", nil, 200},
		"status page":        {http.MethodGet, "/", nil, 200},
		"elsewhere":          {http.MethodGet, "/nope", nil, 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := w.of(t)
			res := web.do(tc.method, tc.path, "", tc.headers...)
			if res.status != tc.status {
				t.Errorf("status %d, want %d", res.status, tc.status)
			}
		})
	}
}

// TestHTTPStalledBodies: a body that does not arrive costs its connection, on
// any path and by any method.
func TestHTTPStalledBodies(t *testing.T) {
	t.Parallel()
	s, _ := newServerAt(t, longAgo)
	w := newWeb(t, s)
	for name, tc := range map[string]struct {
		head string // of the request, without Host
		want string // beginning of the answer
	}{
		"with length":     {"POST /mcp HTTP/1.1\r\nContent-Length: 1000\r\n\r\n{", "HTTP/1.1 408 "},
		"chunked":         {"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", "HTTP/1.1 408 "},
		"broken chunk":    {"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n", "HTTP/1.1 400 "},
		"DELETE":          {"DELETE /mcp HTTP/1.1\r\nContent-Length: 1000\r\n\r\n{", "HTTP/1.1 408 "},
		"GET":             {"GET /mcp HTTP/1.1\r\nContent-Length: 1000\r\n\r\n{", "HTTP/1.1 408 "},
		"foreign origin":  {"POST /mcp HTTP/1.1\r\nOrigin: http://evil.example\r\nContent-Length: 1000\r\n\r\n{", "HTTP/1.1 403 "},
		"elsewhere":       {"POST /nope HTTP/1.1\r\nContent-Length: 1000\r\n\r\n{", "HTTP/1.1 404 "},
		"health elsewise": {"GET /healthz HTTP/1.1\r\nContent-Length: 1000\r\n\r\n{", "HTTP/1.1 200 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := strings.TrimPrefix(w.url, "http://")
			var d net.Dialer
			c, err := d.DialContext(t.Context(), "tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if _, err := io.WriteString(c, strings.Replace(tc.head, "\r\n", "\r\nHost: "+addr+"\r\n", 1)); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(c) // until the server closes the connection
			if err != nil || !strings.HasPrefix(string(answer), tc.want) {
				t.Errorf("got %q, %v; want %q", answer, err, tc.want)
			}
		})
	}
}

func TestHTTPSameOriginIsWelcome(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	res := w.post(request(1, "tools/list", params(`{}`)), "Origin", w.url, "Mcp-Protocol-Version", modern, "Mcp-Method", "tools/list")
	if res.status != http.StatusOK {
		t.Errorf("status %d, want 200", res.status)
	}
}

func TestHTTPDecodesNameHeader(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	name := "=?base64?" + base64.StdEncoding.EncodeToString([]byte("help")) + "?="
	if r := w.call("tools/call", name, params(`{}`, `"name":"help"`)); r.Error != nil {
		t.Errorf("encoded name: error %d %s", r.Error.Code, r.Error.Message)
	}
	for _, bad := range []string{"=?base64?!!?=", "=?base64?aGVs", "market"} {
		if r := w.call("tools/call", bad, params(`{}`, `"name":"help"`)); r.Error == nil || r.Error.Code != -32020 {
			t.Errorf("name %q: got %+v, want -32020", bad, r.Error)
		}
	}
}

// TestClientsDoNotChangeEachOther: clients with and without the extensions, in
// both eras, at once.
func TestClientsDoNotChangeEachOther(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	all, native := allTools(), allTools("help")
	app, appNative := toolsFor(tools.Profile{Apps: true}), toolsFor(tools.Profile{Apps: true}, "help")
	kinds := []struct {
		caps string
		want []string
	}{
		{`{}`, all},
		{skills, native},
		{`{"extensions":{"io.modelcontextprotocol/skills":null}}`, all},
		{`{"extensions":{"io.modelcontextprotocol/skills":true}}`, all},
		{`{"extensions":{"io.modelcontextprotocol/skills":"on"}}`, all},
		{`{"extensions":{"io.modelcontextprotocol/skills":[]}}`, all},
		{`{"experimental":{"io.modelcontextprotocol/skills":{}}}`, all},
		{apps, app},
		{both, appNative},
		{`{"extensions":{"io.modelcontextprotocol/ui":{}}}`, all},
		{`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`, all},
		{`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":"text/html;profile=mcp-app"}}}`, all},
		{`{"extensions":{"io.modelcontextprotocol/ui":true}}`, all},
		{`{"experimental":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`, all},
	}
	var wg sync.WaitGroup
	for round := range 4 {
		for _, k := range kinds {
			wg.Go(func() {
				var got []string
				if round%2 == 0 {
					got = toolNames(t, w.call("tools/list", "", params(k.caps)))
				} else {
					got = toolNames(t, w.legacyCall("tools/list", `{}`, w.session(k.caps)))
				}
				if diff := cmp.Diff(k.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", k.caps, diff)
				}
			})
		}
	}
	wg.Wait()
}

func TestStaleHelpCallIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	const want = "help is not used with the Skills extension. Call skills/list and read skill:// resources."
	for era, r := range map[string]reply{
		"modern": w.call("tools/call", "help", params(skills, `"name":"help","arguments":{"key":"/"}`)),
		"legacy": w.legacyCall("tools/call", `{"name":"help","arguments":{}}`, w.session(skills)),
	} {
		var got toolResult
		r.decode(t, &got)
		if !got.IsError || got.text() != want {
			t.Errorf("%s: got %+v", era, got)
		}
		if era == "modern" && got.ResultType != "complete" {
			t.Errorf("modern result has resultType %q", got.ResultType)
		}
	}
}

func TestUnknownToolAndArguments(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	for _, tc := range []struct {
		name, arguments string
		code            int
	}{
		{"nope", `{}`, -32602},
		{"kite_explorer", `{}`, -32602},
		{"help", `[]`, -32602},
		{"help", `"x"`, -32602},
	} {
		r := w.call("tools/call", tc.name, params(`{}`, fmt.Sprintf(`"name":%q,"arguments":%s`, tc.name, tc.arguments)))
		if r.Error == nil || r.Error.Code != tc.code {
			t.Errorf("%s %s: got %+v, want %d", tc.name, tc.arguments, r.Error, tc.code)
		}
	}
}
