package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
)

const skillsExtension = "io.modelcontextprotocol/skills"

// world is a Skills server whose every answer a test may bend.
type world struct {
	files   map[string]string // what resources/read gives, by URI
	list    []entry           // what skills/list gives
	get     map[string]any    // what skills/get gives instead
	listed  map[string]any    // members of the skills/list result
	noList  bool              // resources/list names nothing
	caps    *mcp.ServerCapabilities
	perPage int                                                            // skills on a page, 0 for all
	read    func(context.Context, string) (*mcp.ReadResourceResult, error) // instead of files
	answer  func(mcp.MethodHandler) mcp.MethodHandler                      // around everything
	tools   func(*mcp.Server)                                              // adds tools
}

// entry is an entry of skills/list before it becomes JSON.
type entry map[string]any

const (
	ordersFile = "---\nname: orders\ndescription: Read today's orders.\nmetadata:\n  version: 1.5\n  since: 2026-01-01\n---\n\n# Orders\n\nSee [prepare](prepare.md).\n"
	prepare    = "# Prepare\n\n1. Ask: \u20b9 100 <b>&amp;</b>\u2028\n"
	deepFile   = "---\nname: deep\ndescription: A skill in a skill.\n---\n\n# Deep\n"
	tradesFile = "---\r\nname: trades\r\ndescription: Read trades.\r\n---\r\n\r\n# Trades\r\n"
)

// newWorld is a server without a fault.
func newWorld() *world {
	w := &world{
		files: map[string]string{
			"skill://orders/SKILL.md": ordersFile, "skill://orders/prepare.md": prepare,
			"skill://orders/deep/SKILL.md": deepFile, "skill://orders/deep/note.txt": "note\n",
			"skill://trades/SKILL.md": tradesFile,
		},
		get:    map[string]any{},
		listed: map[string]any{"resultType": "complete", "ttlMs": 300000, "cacheScope": "public"},
		caps:   &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}, Tools: &mcp.ToolCapabilities{}},
	}
	w.caps.AddExtension(skillsExtension, nil)
	w.list = []entry{
		w.entry("skill://orders/SKILL.md", map[string]any{"name": "orders", "description": "Read today's orders.", "metadata": map[string]any{"version": 1.5, "since": "2026-01-01"}}),
		w.entry("skill://orders/deep/SKILL.md", map[string]any{"name": "deep", "description": "A skill in a skill."}),
		w.entry("skill://trades/SKILL.md", map[string]any{"name": "trades", "description": "Read trades."}),
	}
	return w
}

// entry makes the truthful entry of a skill.
func (w *world) entry(uri string, front map[string]any) entry {
	var resources []any
	for _, file := range slices.Sorted(maps.Keys(w.files)) {
		if strings.HasPrefix(file, strings.TrimSuffix(uri, catalog.SkillFile)) {
			resources = append(resources, map[string]any{"uri": file, "size": len(w.files[file]), "digest": catalog.DigestBytes([]byte(w.files[file]))})
		}
	}
	return entry{"uri": uri, "frontmatter": front, "resources": resources}
}

// add puts one more skill of one file into the world.
func (w *world) add(name, body string) {
	uri := "skill://" + name + "/SKILL.md"
	w.files[uri] = "---\nname: " + name + "\ndescription: One more.\n---\n" + body
	w.list = append(w.list, w.entry(uri, map[string]any{"name": name, "description": "One more."}))
}

// skill returns the n-th entry.
func (w *world) skill(n int) entry { return w.list[n] }

// file returns the manifest entry for a file in the n-th skill.
func (e entry) file(uri string) map[string]any {
	for _, r := range e["resources"].([]any) {
		if f, ok := r.(map[string]any); ok && f["uri"] == uri {
			return f
		}
	}
	panic("no " + uri)
}

// drop takes a file out of the manifests of all skills.
func (w *world) drop(uri string) {
	for _, e := range w.list {
		e["resources"] = slices.DeleteFunc(e["resources"].([]any), func(r any) bool { return r.(map[string]any)["uri"] == uri })
	}
}

type params struct {
	mcp.ParamsBase
	Cursor string `json:"cursor"`
	URI    string `json:"uri"`
}

// result is any JSON object as a result.
type result struct {
	mcp.ResultBase
	members map[string]any
}

func (r *result) MarshalJSON() ([]byte, error) { return json.Marshal(r.members) }

// server builds the server as it is now.
func (w *world) server(tb testing.TB) *mcp.Server {
	tb.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "world", Version: "1.2.3"}, &mcp.ServerOptions{Capabilities: w.caps, SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
		c.TTLMs, c.CacheScope = 300000, "public"
	}})
	must(tb, mcp.AddReceivingCustomMethod(s, "skills/list", func(_ context.Context, _ *mcp.ServerSession, p *params) (*result, error) {
		return w.page(p), nil
	}))
	must(tb, mcp.AddReceivingCustomMethod(s, "skills/get", func(_ context.Context, _ *mcp.ServerSession, p *params) (*result, error) {
		skill, ok := w.get[p.URI]
		for _, e := range w.list {
			if e["uri"] == p.URI && !ok {
				skill, ok = e, true
			}
		}
		if !ok {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such skill"}
		}
		return &result{members: map[string]any{"resultType": "complete", "ttlMs": 300000, "cacheScope": "public", "skill": skill}}, nil
	}))
	for uri := range w.files {
		s.AddResource(&mcp.Resource{URI: uri, Name: path.Base(uri)}, w.readResource)
	}
	if w.tools != nil {
		w.tools(s)
	}
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "resources/list" && w.noList {
				return &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}, nil
			}
			return next(ctx, method, req)
		}
	})
	if w.answer != nil {
		s.AddReceivingMiddleware(w.answer)
	}
	return s
}

func (w *world) page(p *params) *result {
	list, from := w.list, 0
	if p != nil && p.Cursor != "" {
		_, _ = fmt.Sscan(p.Cursor, &from)
	}
	members := maps.Clone(w.listed)
	if w.perPage > 0 {
		list = w.list[from:min(from+w.perPage, len(w.list))]
		if from += w.perPage; from < len(w.list) {
			members["nextCursor"] = strconv.Itoa(from)
		}
	}
	if _, bent := members["skills"]; !bent {
		members["skills"] = list
	}
	return &result{members: members}
}

func (w *world) readResource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if w.read != nil {
		if res, err := w.read(ctx, r.Params.URI); res != nil || err != nil {
			return res, err
		}
	}
	return contents(r.Params.URI, w.files[r.Params.URI]), nil
}

func contents(uri, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/markdown", Text: text}}}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// dial connects to the world through a pipe.
func (w *world) dial(tb testing.TB, opts host.Options) (*host.Host, error) {
	tb.Helper()
	ours, theirs := net.Pipe()
	s := w.server(tb)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Run(ctx, &mcp.IOTransport{Reader: theirs, Writer: theirs})
	}()
	tb.Cleanup(func() {
		stop()
		_ = theirs.Close()
		<-ended
	})
	return host.Dial(tb.Context(), host.Target{Conn: ours}, opts)
}

// connect is dial that must succeed.
func (w *world) connect(tb testing.TB, opts host.Options) *host.Host {
	tb.Helper()
	h, err := w.dial(tb, opts)
	must(tb, err)
	tb.Cleanup(func() { _ = h.Close() })
	return h
}

// web serves the world over HTTP and returns the endpoint.
func (w *world) web(tb testing.TB) string {
	tb.Helper()
	s := w.server(tb)
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	tb.Cleanup(web.Close)
	return web.URL + "/mcp" // the Inspector tells transports by this name
}
