package server_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// toolResult is a tools/call answer.
type toolResult struct {
	ResultType        string
	IsError           bool
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
	Meta              map[string]json.RawMessage `json:"_meta"`
}

func (r toolResult) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

type skillEntry struct {
	URI         string
	Frontmatter json.RawMessage
	Resources   []struct {
		URI, Digest string
		Size        int
	}
}

func TestSkillsListIsCompleteAndTrue(t *testing.T) {
	t.Parallel()
	s, pages := newServer(t)
	w := newWeb(t, s)
	var list struct {
		ResultType, CacheScope string
		TTLMs                  int
		NextCursor             *string
		Skills                 []skillEntry
	}
	w.call("skills/list", "", params(skills)).decode(t, &list)
	if list.ResultType != "complete" || list.TTLMs != 300000 || list.CacheScope != "public" || list.NextCursor != nil {
		t.Errorf("envelope: %+v", list)
	}
	seen := map[string]bool{}
	for _, entry := range list.Skills {
		var got struct{ Skill skillEntry }
		w.call("skills/get", "", params(skills, `"uri":"`+entry.URI+`"`)).decode(t, &got)
		if diff := cmp.Diff(entry, got.Skill); diff != "" {
			t.Errorf("%s: get differs from list (-list +get):\n%s", entry.URI, diff)
		}
		for _, file := range entry.Resources {
			seen[file.URI] = true
			text := w.read(file.URI)
			sum := sha256.Sum256([]byte(text))
			if want := "sha256:" + hex.EncodeToString(sum[:]); file.Digest != want || file.Size != len(text) {
				t.Errorf("%s: listed %d bytes %s, read %d bytes %s", file.URI, file.Size, file.Digest, len(text), want)
			}
			if raw := pages.Resource(file.URI).Raw; !bytes.Equal(raw, []byte(text)) {
				t.Errorf("%s: served text is not the file", file.URI)
			}
		}
	}
	var topics, files []string
	err := fs.WalkDir(catalog.Embedded(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case d.IsDir() || p == "index.md":
		case path.Base(p) == "SKILL.md":
			topics = append(topics, p)
			fallthrough
		default:
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Skills) != len(topics) || len(seen) != len(files) {
		t.Errorf("%d skills with %d files, want %d with %d", len(list.Skills), len(seen), len(topics), len(files))
	}
}

func (w *web) read(uri string) string {
	w.t.Helper()
	var got struct {
		TTLMs      int
		CacheScope string
		Contents   []struct{ URI, MIMEType, Text string }
	}
	w.call("resources/read", uri, params(`{}`, `"uri":"`+uri+`"`)).decode(w.t, &got)
	if len(got.Contents) != 1 || got.Contents[0].MIMEType != "text/markdown" || got.TTLMs != 300000 || got.CacheScope != "public" {
		w.t.Fatalf("%s: %+v", uri, got)
	}
	return got.Contents[0].Text
}

func TestSkillsBadParams(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	open := w.session(skills)
	for _, tc := range []struct {
		method, member string
		code           int
	}{
		{"skills/list", ``, 0},
		{"skills/list", `"cursor":""`, 0},
		{"skills/list", `"cursor":null`, 0},
		{"skills/list", `"cursor":"x"`, -32602},
		{"skills/list", `"cursor":5`, -32602},
		{"skills/get", ``, -32602},
		{"skills/get", `"uri":""`, -32602},
		{"skills/get", `"uri":null`, -32602},
		{"skills/get", `"uri":7`, -32602},
		{"skills/get", `"uri":"skill://nope/SKILL.md"`, -32602},
		{"skills/get", `"uri":"skill://orders/reconcile.md"`, -32602},
		{"skills/get", `"uri":"skill://orders"`, -32602},
		{"skills/get", `"uri":"skill://orders/SKILL.md/"`, -32602},
		{"skills/get", `"uri":"SKILL://orders/SKILL.md"`, -32602},
		{"skills/get", `"uri":"skill://orders/%53KILL.md"`, -32602},
		{"skills/get", `"uri":"/orders"`, -32602},
	} {
		members := []string{}
		if tc.member != "" {
			members = append(members, tc.member)
		}
		for era, r := range map[string]reply{
			"modern": w.call(tc.method, "", params(skills, members...)),
			"legacy": w.legacyCall(tc.method, "{"+tc.member+"}", open),
		} {
			code := 0
			if r.Error != nil {
				code = r.Error.Code
				if strings.Contains(r.Error.Message, "Params") {
					t.Errorf("%s %s: message shows our types: %s", tc.method, tc.member, r.Error.Message)
				}
			}
			if code != tc.code {
				t.Errorf("%s %s %s: code %d, want %d", era, tc.method, tc.member, code, tc.code)
			}
		}
	}
	r := w.answer(w.post(`{"jsonrpc":"2.0","id":6,"method":"skills/list"}`, open...))
	if r.Error != nil {
		t.Errorf("skills/list without params: %s", r.Error.Message)
	}
}

func TestUnknownResource(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	for _, uri := range []string{"skill://nope", "skill://index.md", "skill://orders/", "skill://orders/../orders/SKILL.md", "file:///etc/passwd"} {
		r := w.call("resources/read", uri, params(`{}`, `"uri":"`+uri+`"`))
		if r.Error == nil || r.Error.Code != -32602 || !strings.Contains(string(r.Error.Data), uri) {
			t.Errorf("%s: got %+v, want -32602 with the uri", uri, r.Error)
		}
	}
}

func TestHelpTool(t *testing.T) {
	t.Parallel()
	s, pages := newServer(t)
	w := newWeb(t, s)
	help := func(arguments string) toolResult {
		var got toolResult
		w.call("tools/call", "help", params(`{}`, `"name":"help"`, `"arguments":`+arguments)).decode(t, &got)
		return got
	}
	root := help(`{}`)
	for _, args := range []string{`{"key":""}`, `{"key":"/"}`} {
		if got := help(args); got.text() != root.text() || got.IsError {
			t.Errorf("%s is not the root page", args)
		}
	}
	for _, k := range pages.Keys() {
		if !strings.Contains(root.text(), k.String()) {
			t.Errorf("the root page does not show %s", k)
		}
	}
	type child struct{ Key, Kind string }
	var page struct {
		Key, Kind, Parent, Content string
		Children                   []child
	}
	if err := json.Unmarshal(help(`{"key":"/orders/"}`).StructuredContent, &page); err != nil {
		t.Fatal(err)
	}
	if page.Key != "/orders" || page.Kind != "category" || page.Parent != "/" || page.Content != "" ||
		!slices.Contains(page.Children, child{"/orders/prepare", "recipe"}) || !slices.Contains(page.Children, child{"/orders/reconcile", "recipe"}) {
		t.Errorf("/orders/: %+v", page)
	}
	unknown := help(`{"key":"/orders/unknown"}`)
	if !unknown.IsError || unknown.StructuredContent != nil {
		t.Errorf("an unknown key is an error without structured content: %+v", unknown)
	}
	for _, want := range []string{"/orders/prepare", "/orders/reconcile", "/orders"} {
		if !strings.Contains(unknown.text(), want) {
			t.Errorf("recovery does not offer %s: %s", want, unknown.text())
		}
	}
}

func TestHelpRefusesBadKeys(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	for _, key := range []string{
		`"orders"`, `"/orders//prepare"`, `"/orders//"`, `"/../orders"`, `"/orders/%2e%2e"`, `"/orders/*"`, `"/orders?x"`, `"\\orders"`,
		`"/orders\u0000"`, `"/Orders"`, `"/orders/SKILL.md"`, `"/etc/passwd"`, `null`, `5`, `["/"]`, fmt.Sprintf("%q", "/"+strings.Repeat("a", 1024)), "\"/\xff\"",
	} {
		body := strings.Replace(request(1, "tools/call", params(`{}`, `"name":"help"`, `"arguments":{"key":"@"}`)), `"@"`, key, 1)
		r := w.answer(w.post(body, "Mcp-Protocol-Version", modern, "Mcp-Method", "tools/call", "Mcp-Name", "help"))
		var got toolResult
		r.decode(t, &got)
		if !got.IsError || got.text() == "" {
			t.Errorf("%.40s: not a tool error: %+v", key, got)
		}
		if strings.Contains(got.text(), strings.Repeat("a", 100)) {
			t.Errorf("%.40s: the answer echoes the input: %s", key, got.text())
		}
	}
}

// TestExcludedHelpLeavesTheContent: taking the help tool away does not take the
// public workflows away.
func TestExcludedHelpLeavesTheContent(t *testing.T) {
	t.Parallel()
	reg, err := tools.New(tools.All(), tools.Options{Exclude: []string{"help"}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWeb(t, build(t, func(o *server.Options) { o.Registry = reg }, tools.All()...))
	if names := toolNames(t, w.call("tools/list", "", params(`{}`))); slices.Contains(names, "help") {
		t.Errorf("help is still listed: %v", names)
	}
	if r := w.call("tools/call", "help", params(`{}`, `"name":"help"`)); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("help can still be called: %+v", r)
	}
	var list struct{ Skills []skillEntry }
	w.call("skills/list", "", params(skills)).decode(t, &list)
	var resources struct{ Resources []struct{ URI string } }
	w.call("resources/list", "", params(`{}`)).decode(t, &resources)
	if len(list.Skills) == 0 || len(resources.Resources) == 0 || w.read("skill://orders/SKILL.md") == "" {
		t.Error("skills or resources are gone")
	}
}
