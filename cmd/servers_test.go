package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// otherServer is the command that starts a server for a script and puts its
// address into $URL: server KIND.
func otherServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: server KIND")
	}
	kinds := map[string]func() http.Handler{
		"ours":      func() http.Handler { return ours(ts) },
		"flipped":   func() http.Handler { return replaced{ours(ts), "# Prepare", "# prepare"} },
		"curated":   func() http.Handler { return replaced{ours(ts), `"description":"Read`, `"description":"read`} },
		"login":     func() http.Handler { return http.HandlerFunc(login) },
		"broken":    http.NotFoundHandler,
		"dynamic":   func() http.Handler { return overHTTP(dynamic(ts)) },
		"deep":      func() http.Handler { return overHTTP(deep(ts)) },
		"silent":    func() http.Handler { return http.HandlerFunc(silent) },
		"odd":       func() http.Handler { return overHTTP(odd(ts)) },
		"help":      func() http.Handler { return overHTTP(withHelp()) },
		"resources": func() http.Handler { return overHTTP(withResources()) },
	}
	kind, ok := kinds[args[0]]
	if !ok {
		ts.Fatalf("no server of kind %s", args[0])
	}
	web := httptest.NewServer(kind())
	ts.Defer(web.Close)
	ts.Setenv("URL", web.URL+"/mcp")
}

// ours serves the small catalog of the scripts.
func ours(ts *testscript.TestScript) http.Handler {
	pages, err := catalog.Load(os.DirFS("testdata/catalog"))
	ts.Check(err)
	reg, err := tools.New(tools.All(), tools.Options{})
	ts.Check(err)
	log := slog.New(slog.DiscardHandler)
	s, err := server.New(server.Options{
		Registry: reg, Version: "1.2.3", Log: log,
		Clock: func() time.Time { return time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) }, // deadlines that never pass
		Env:   &tools.Env{Kite: kite.None("no credentials"), Catalog: pages, Now: stopped, Log: log},
	})
	ts.Check(err)
	return s.Handler()
}

// replaced changes what a handler answers.
type replaced struct {
	http.Handler
	old, with string
}

func (r replaced) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	rec := httptest.NewRecorder()
	r.Handler.ServeHTTP(rec, req)
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = w.Write(bytes.ReplaceAll(rec.Body.Bytes(), []byte(r.old), []byte(r.with)))
}

func login(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://kite.example/.well-known/oauth-protected-resource/mcp"`)
	w.WriteHeader(http.StatusUnauthorized)
}

// silent keeps everybody waiting.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // then the server notices that the client has gone
	<-r.Context().Done()
}

func overHTTP(s *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
}

func newMCP(caps *mcp.ServerCapabilities) *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "other", Version: "4.5.6"}, &mcp.ServerOptions{Capabilities: caps})
}

type anyParams struct{ mcp.ParamsBase }

type anyResult struct {
	mcp.ResultBase
	members map[string]any
}

func (r *anyResult) MarshalJSON() ([]byte, error) { return json.Marshal(r.members) }

// dynamic serves a skill without digests, and text that would steer a terminal.
func dynamic(ts *testscript.TestScript) *mcp.Server {
	const uri = "skill://daily/SKILL.md"
	skill := map[string]any{"uri": uri, "resources": "dynamic", "frontmatter": map[string]any{"name": "daily", "description": "Fresh\x1b[31m every day."}}
	caps := &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}}
	caps.AddExtension("io.modelcontextprotocol/skills", nil)
	s := newMCP(caps)
	answer := func(name string, value any) func(context.Context, *mcp.ServerSession, *anyParams) (*anyResult, error) {
		return func(context.Context, *mcp.ServerSession, *anyParams) (*anyResult, error) {
			return &anyResult{members: map[string]any{"resultType": "complete", "ttlMs": 0, "cacheScope": "public", name: value}}, nil
		}
	}
	ts.Check(mcp.AddReceivingCustomMethod(s, "skills/list", answer("skills", []any{skill})))
	ts.Check(mcp.AddReceivingCustomMethod(s, "skills/get", answer("skill", skill)))
	addText(s, uri, "---\nname: daily\ndescription: \"Fresh\\e[31m every day.\"\n---\n\nBody.\n")
	return s
}

// odd serves two skills whose keys could be the same, and files whose names are
// no keys of ours.
func odd(ts *testscript.TestScript) *mcp.Server {
	files := map[string]string{
		"skill://http/a/SKILL.md":   "---\nname: a\ndescription: Of the scheme skill.\n---\n\n# Own\n\nRead [more](x%20y.md) or [the code](run.py).\n",
		"skill://http/a/x%20y.md":   "# More \x1b[31mred\n\nThe zebra sleeps.\n",
		"skill://http/a/run.py":     "print('zebra')  # never run\n",
		"skill://http/a/notes.md":   "# Notes\n",
		"skill://http/a/notes":      "other notes\n",
		"skill://http/a/bytes.bin":  "\xff\xfe",
		"http://a/SKILL.md":         "---\nname: a\ndescription: Of the scheme http.\n---\n\n# Foreign\n",
		"http://a/deep/er/zebra.md": "# Deep\n",
	}
	caps := &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}}
	caps.AddExtension("io.modelcontextprotocol/skills", nil)
	s := newMCP(caps)
	var skills []any
	for uri, front := range map[string]map[string]any{
		"skill://http/a/SKILL.md": {"name": "a", "description": "Of the scheme skill."},
		"http://a/SKILL.md":       {"name": "a", "description": "Of the scheme http."},
	} {
		var resources []any
		for _, file := range slices.Sorted(maps.Keys(files)) {
			if strings.HasPrefix(file, strings.TrimSuffix(uri, catalog.SkillFile)) {
				addText(s, file, files[file])
				resources = append(resources, map[string]any{"uri": file, "size": len(files[file]), "digest": catalog.DigestBytes([]byte(files[file]))})
			}
		}
		skills = append(skills, map[string]any{"uri": uri, "resources": resources, "frontmatter": front})
	}
	answer := func(name string, value func(uri string) any) func(context.Context, *mcp.ServerSession, *oddParams) (*anyResult, error) {
		return func(_ context.Context, _ *mcp.ServerSession, p *oddParams) (*anyResult, error) {
			return &anyResult{members: map[string]any{"resultType": "complete", "ttlMs": 0, "cacheScope": "public", name: value(p.URI)}}, nil
		}
	}
	ts.Check(mcp.AddReceivingCustomMethod(s, "skills/list", answer("skills", func(string) any { return skills })))
	ts.Check(mcp.AddReceivingCustomMethod(s, "skills/get", answer("skill", func(uri string) any {
		return skills[slices.IndexFunc(skills, func(s any) bool { return s.(map[string]any)["uri"] == uri })]
	})))
	return s
}

type oddParams struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

// deep lists one skill whose every file lies in five hundred folders of its own.
func deep(ts *testscript.TestScript) *mcp.Server {
	const root = "skill://deep/"
	digest := catalog.DigestBytes(nil)
	files := []any{map[string]any{"uri": root + catalog.SkillFile, "size": 0, "digest": digest}}
	for i := range 400 {
		files = append(files, map[string]any{"uri": root + strconv.Itoa(i) + strings.Repeat("/a", 500) + "/b.md", "size": 0, "digest": digest})
	}
	skill := map[string]any{"uri": root + catalog.SkillFile, "resources": files, "frontmatter": map[string]any{"name": "deep", "description": "Deep."}}
	caps := &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}}
	caps.AddExtension("io.modelcontextprotocol/skills", nil)
	s := newMCP(caps)
	ts.Check(mcp.AddReceivingCustomMethod(s, "skills/list", func(context.Context, *mcp.ServerSession, *anyParams) (*anyResult, error) {
		return &anyResult{members: map[string]any{"resultType": "complete", "ttlMs": 0, "cacheScope": "public", "skills": []any{skill}}}, nil
	}))
	return s
}

func addText(s *mcp.Server, uri, text string) {
	contents := &mcp.ResourceContents{URI: uri, MIMEType: "text/markdown", Text: text}
	if !utf8.ValidString(text) {
		contents = &mcp.ResourceContents{URI: uri, MIMEType: "application/octet-stream", Blob: []byte(text)}
	}
	s.AddResource(&mcp.Resource{URI: uri, Name: uri[strings.LastIndexByte(uri, '/')+1:], Description: "A file.", MIMEType: "text/markdown"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
		})
}

type keyInput struct {
	Key string `json:"key,omitempty"`
}

// withHelp has no Skills but a help tool of two pages, and a tool that writes.
func withHelp() *mcp.Server {
	s := newMCP(&mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}})
	mcp.AddTool(s, &mcp.Tool{Name: "help", Description: "Reads a page.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in keyInput) (*mcp.CallToolResult, any, error) {
			page := func(text, structured string) *mcp.CallToolResult {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: json.RawMessage(structured)}
			}
			switch in.Key {
			case "/":
				return page("# Other\n\n- /a\n", `{"key":"/","kind":"root","title":"Other","description":"All.","children":[{"key":"/a","kind":"recipe","description":"One."}]}`), nil, nil
			case "/a":
				return page("# A\n\nSteps.\n", `{"key":"/a","kind":"recipe","title":"A","description":"One.","children":[]}`), nil, nil
			}
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no page " + in.Key}}}, nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "erase", Title: "Erase", Description: "Erases everything."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "erased"}}}, nil, nil
		})
	return s
}

// withResources has nothing but resources.
func withResources() *mcp.Server {
	s := newMCP(&mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}})
	addText(s, "notes://one/a.md", "# One\n\nText.\n")
	return s
}
