package server_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/golden"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// smallCatalog keeps transcripts short, and still when pages are edited.
func smallCatalog(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	c, err := catalog.Load(fstest.MapFS{
		"index.md":          {Data: []byte("# Help\n\nSee `/orders`.\n")},
		"orders/SKILL.md":   {Data: []byte("---\nname: orders\ndescription: Orders of today. Use when asked.\n---\n\n# Orders\n\nSee [prepare](prepare.md).\n")},
		"orders/prepare.md": {Data: []byte("---\r\ndescription: Prepare one. Use before buying.\r\n---\r\n\r\n# Prepare\r\n\r\nSteps.\r\n")},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// TestTranscripts: what goes over the wire, per era and kind of client, reviewed
// as files. Lists of tools have snapshots of their own in internal/tools.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	calls := []struct{ method, members string }{
		{"skills/list", ``},
		{"skills/get", `"uri":"skill://orders/SKILL.md"`},
		{"skills/get", `"uri":"skill://orders/prepare.md"`},
		{"resources/list", ``},
		{"resources/read", `"uri":"skill://orders/prepare.md"`},
		{"resources/read", `"uri":"skill://nope"`},
		{"resources/directory/read", `"uri":"skill://orders"`},
		{"tools/call", `"name":"help","arguments":{"key":"/orders/nope"}`},
		{"tools/call", `"name":"help","arguments":{"key":"/orders"}`},
		{"tools/call", `"name":"portfolio","arguments":{"mode":"holdings"}`},
		{"tools/call", `"name":"market","arguments":{"mode":"ltp"}`},
		{"tools/call", `"name":"nope"`},
		{"tools/call", `"name":"open_kite_view","arguments":{"view":"holdings","limit":2}`},
		{"tools/call", `"name":"kite_explorer","arguments":{}`},
		{"tools/call", `"name":"orders_read","arguments":{"mode":"list","_app_request_id":"a-1"}`},
		{"completion/complete", `"ref":{"type":"ref/resource","uri":"skill://{+path}"},"argument":{"name":"path","value":"ord"}`},
	}
	for name, tc := range map[string]struct{ era, caps string }{
		"modern-bare": {modern, `{}`}, "modern-skills": {modern, skills}, "modern-apps": {modern, apps},
		"legacy-bare": {legacy, `{}`}, "legacy-skills": {legacy, skills}, "legacy-apps": {legacy, apps},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := smallCatalog(t)
			s := build(t, func(o *server.Options) { o.Env.Catalog = pages }, tools.All()...)
			var transcript bytes.Buffer
			exchange := func(id int, method, params string, opening ...string) {
				line := request(id, method, params)
				answers := runStdio(t, s, append(opening, line)...)
				transcript.WriteString("--> " + line + "\n<-- " + wire(t, byID(t, answers, string(mustJSON(t, id)))) + "\n")
			}
			if tc.era == modern {
				exchange(1, "server/discover", params(tc.caps))
			}
			for i, c := range calls {
				if tc.era == modern {
					members := []string{}
					if c.members != "" {
						members = append(members, c.members)
					}
					exchange(i+2, c.method, params(tc.caps, members...))
					continue
				}
				open := strings.Replace(hello, `"capabilities":{}`, `"capabilities":`+tc.caps, 1)
				exchange(i+2, c.method, "{"+c.members+"}", open, initialized)
			}
			golden.Equal(t, "testdata/transcripts/"+name+".txt", transcript.Bytes())
		})
	}
}

// wire is an answer as one line, with its members in a fixed order.
func wire(tb testing.TB, r reply) string {
	tb.Helper()
	if r.Error != nil {
		return string(mustJSON(tb, map[string]any{"error": r.Error}))
	}
	var result any
	if err := json.Unmarshal(r.Result, &result); err != nil {
		tb.Fatal(err)
	}
	return string(mustJSON(tb, map[string]any{"result": result}))
}

func mustJSON(tb testing.TB, v any) []byte {
	tb.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		tb.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}
