package tools_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/golden"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// TestSurface keeps what each kind of client gets from tools/list, so that a
// change of the wire is seen in review.
func TestSurface(t *testing.T) {
	t.Parallel()
	for name, profile := range map[string]tools.Profile{"bare": {}, "skills": {Skills: true}, "apps": {Apps: true}, "apps_skills": {Apps: true, Skills: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := registry(t, tools.Options{})
			list := tools.ListFor(reg.For(profile), listAll(t, reg))
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(list.Tools); err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, "testdata/surface/"+name+".json", b.Bytes())
		})
	}
}

// listAll binds a registry to a server of its own and asks it for everything.
func listAll(t *testing.T, reg *tools.Registry) *mcp.ListToolsResult {
	t.Helper()
	srv := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	env := &tools.Env{Log: slog.New(slog.DiscardHandler)}
	if err := tools.Bind(srv, reg, env, tools.Connection{}); err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // both ends live in this test
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
