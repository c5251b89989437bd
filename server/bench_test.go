package server_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// yardstick is a tool that answers help's root page as a constant: what a call
// costs before our own code does anything.
func yardstick(page string) tools.Tool {
	type constant struct {
		Content string `json:"content"`
	}
	return tools.Define(tools.Spec{
		Name: "yardstick", Title: "Yardstick", Category: tools.Market, Description: "A constant.",
		Tags: []string{"test"}, Examples: []string{"yardstick {}"},
	}, tools.Read("", tools.ModeSpec{}, func(context.Context, *tools.Env, struct{}) (constant, error) {
		return constant{page}, nil
	}))
}

// pipe is a stdio connection to a server, one request and one answer at a time.
type pipe struct {
	in  *io.PipeWriter
	out *bufio.Reader
}

func newPipe(b *testing.B, s *server.Server) *pipe {
	b.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.Stdio(b.Context(), inR, outW)
		_ = outW.Close()
	}()
	b.Cleanup(func() {
		_ = inW.Close()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	return &pipe{in: inW, out: bufio.NewReaderSize(outR, 1<<20)}
}

func (p *pipe) call(b *testing.B, line string) {
	b.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		b.Fatal(err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil || !strings.Contains(answer, `"result"`) {
		b.Fatalf("answer %q: %v", answer, err)
	}
}

// BenchmarkStdio is one round trip over a pipe. Budgets, as ratios to Constant:
// help at most 1.05 for the same bytes, SkillsList and ResourcesRead 1.05 for
// theirs; ToolsList at most 12 us for each tool.
func BenchmarkStdio(b *testing.B) {
	_, pages := newServer(b)
	root, err := pages.Text(pages.Keys()[0])
	if err != nil {
		b.Fatal(err)
	}
	s, _ := newServer(b, append(tools.All(), yardstick(root))...)
	for _, bench := range []struct{ name, method, params string }{
		{"Constant", "tools/call", params(`{}`, `"name":"yardstick"`)},
		{"HelpRoot", "tools/call", params(`{}`, `"name":"help"`)},
		{"HelpRecipe", "tools/call", params(`{}`, `"name":"help"`, `"arguments":{"key":"/orders/prepare"}`)},
		{"HelpUnknown", "tools/call", params(`{}`, `"name":"help"`, `"arguments":{"key":"/orders/unknown"}`)},
		{"SkillsList", "skills/list", params(skills)},
		{"ResourcesRead", "resources/read", params(`{}`, `"uri":"skill://orders/prepare.md"`)},
		{"ToolsList", "tools/list", params(`{}`)},
		{"Ping", "server/discover", params(`{}`)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := newPipe(b, s)
			line := request(1, bench.method, bench.params)
			b.ReportAllocs()
			for b.Loop() {
				p.call(b, line)
			}
		})
	}
}

// TestToolsListIsSmall: every client pays the list as context. The goal for the
// largest client is 24 KiB, the limit 40 KiB.
func TestToolsListIsSmall(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	for kind, caps := range map[string]string{"bare": `{}`, "skills": skills, "apps": apps} {
		r := byID(t, runStdio(t, s, request(1, "tools/list", params(caps))), "1")
		t.Logf("tools/list for a %s client is %d bytes", kind, len(r.Result))
		if len(r.Result) > 40<<10 {
			t.Errorf("tools/list for a %s client is %d bytes; shorten descriptions in internal/tools", kind, len(r.Result))
		}
	}
}
