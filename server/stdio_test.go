package server_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func TestStdioAnswersEverythingReadBeforeTheEnd(t *testing.T) {
	t.Parallel()
	s, pages := newServer(t)
	got := runStdio(t, s, hello, initialized, request(2, "skills/list", `{}`))
	var init struct {
		ProtocolVersion string
		Capabilities    map[string]any
	}
	byID(t, got, "1").decode(t, &init)
	if init.ProtocolVersion != legacy {
		t.Errorf("negotiated %s, want %s", init.ProtocolVersion, legacy)
	}
	want := map[string]any{
		"extensions": map[string]any{
			"io.modelcontextprotocol/skills": map[string]any{},
			"io.modelcontextprotocol/ui":     map[string]any{"mimeTypes": []any{"text/html;profile=mcp-app"}},
		},
		"completions": map[string]any{}, "resources": map[string]any{}, "tools": map[string]any{},
	}
	if diff := cmp.Diff(want, init.Capabilities); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	var list struct{ Skills []struct{ URI string } }
	byID(t, got, "2").decode(t, &list)
	if len(list.Skills) != len(pages.Skills()) {
		t.Errorf("%d skills listed, want %d", len(list.Skills), len(pages.Skills()))
	}
}

func TestStdioSurvivesBadLines(t *testing.T) {
	t.Parallel()
	ping := request(7, "ping", `{}`)
	for name, tc := range map[string]struct {
		line string
		code int // 0: no answer to the line itself
	}{
		"not JSON":        {`{"jsonrpc":`, -32700},
		"bare word":       {`hello`, -32700},
		"invalid UTF-8":   {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700},
		"bare string":     {`"x"`, -32600},
		"number":          {`5`, -32600},
		"batch":           {`[` + ping + `]`, -32600},
		"no version":      {`{"id":1,"method":"ping"}`, -32600},
		"bool id":         {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600},
		"null id":         {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600},
		"broken id":       {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600},
		"huge id":         {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600},
		"infinite id":     {`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, -32600},
		"deep nesting":    {strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000), -32700},
		"too long":        {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1<<20) + `"}`, -32600},
		"empty":           {``, 0},
		"blanks":          {"  \t ", 0},
		"unknown note":    {`{"jsonrpc":"2.0","method":"notifications/nope"}`, 0},
		"unasked reply":   {`{"jsonrpc":"2.0","id":99,"result":{}}`, 0},
		"carriage return": {"\r", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newServer(t)
			got := runStdio(t, s, hello, initialized, tc.line, ping)
			if r := byID(t, got, "7"); r.Error != nil {
				t.Errorf("the ping after it failed: %s", r.Error.Message)
			}
			var codes []int
			for _, r := range got {
				if string(r.ID) == "null" {
					codes = append(codes, r.Error.Code)
				}
			}
			var want []int
			if tc.code != 0 {
				want = []int{tc.code}
			}
			if diff := cmp.Diff(want, codes); diff != "" {
				t.Errorf("answers without id (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStdioLastLineWithoutNewline(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		tail string
		code int
	}{
		"whole message": {request(7, "ping", `{}`), 0},
		"half a line":   {`{"jsonrpc":"2.0","id":7,"meth`, -32700},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newServer(t)
			var out bytes.Buffer
			if err := s.Stdio(t.Context(), strings.NewReader(hello+"\n"+tc.tail), &out); err != nil {
				t.Fatalf("Stdio: %v", err)
			}
			got := replies(t, out.Bytes())
			if len(got) != 2 {
				t.Fatalf("%d answers, want 2: %s", len(got), out.String())
			}
			if tc.code == 0 {
				byID(t, got, "7")
			} else if r := byID(t, got, "null"); r.Error == nil || r.Error.Code != tc.code {
				t.Errorf("got %+v, want error %d", r, tc.code)
			}
		})
	}
}

func TestStdioModernNeedsNoHandshake(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	got := runStdio(t, s,
		request(1, "tools/list", params(`{}`)),
		request(2, "tools/list", params(skills)),
		request(3, "tools/list", params(`{"extensions":{"io.modelcontextprotocol/skills":true}}`)),
		request(4, "tools/list", params(`{"experimental":{"io.modelcontextprotocol/skills":{}}}`)),
		request(5, "server/discover", params(`{}`)),
		request(6, "tools/list", params(apps)),
		request(7, "tools/list", params(both)),
		request(8, "tools/list", params(`{}`)),
	)
	all, native := allTools(), allTools("help")
	app, appNative := toolsFor(tools.Profile{Apps: true}), toolsFor(tools.Profile{Apps: true}, "help")
	for id, want := range map[string][]string{"1": all, "2": native, "3": all, "4": all, "6": app, "7": appNative, "8": all} {
		if diff := cmp.Diff(want, toolNames(t, byID(t, got, id))); diff != "" {
			t.Errorf("request %s (-want +got):\n%s", id, diff)
		}
	}
	if r := byID(t, got, "5"); r.Error != nil {
		t.Errorf("server/discover: %s", r.Error.Message)
	}
}

// TestStdioRequestWithoutMeta: a pipe is one program. What it leaves out after it has declared something once is taken
// from its first request; before that there is nothing to take, and the request is refused.
func TestStdioRequestWithoutMeta(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	got := runStdio(t, s,
		request(1, "tools/list", `{}`),
		request(2, "tools/list", params(apps)),
		request(3, "tools/list", params(skills)),
		request(4, "tools/list", `{}`),
	)
	if r := byID(t, got, "1"); r.Error == nil {
		t.Errorf("without a handshake or a declaration: %s", r.Result)
	}
	if diff := cmp.Diff(toolNames(t, byID(t, got, "2")), toolNames(t, byID(t, got, "4"))); diff != "" {
		t.Errorf("(-first +without):\n%s", diff)
	}
}

func TestStdioEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe() // never ends by itself
	done := make(chan error, 1)
	go func() { done <- s.Stdio(ctx, in, io.Discard) }()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("a cancelled serve is a normal end, got %v", err)
	}
}

// TestStdioFinishesWhatWasBegun: a signal ends the session after the running
// call is answered.
func TestStdioFinishesWhatWasBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		entered, release := make(chan struct{}), make(chan struct{})
		s, _ := newServer(t, waiting(entered, release))
		ctx, stop := context.WithCancel(t.Context())
		in, client := io.Pipe()
		var out bytes.Buffer
		done := make(chan error, 1)
		go func() { done <- s.Stdio(ctx, in, &out) }()
		if _, err := io.WriteString(client, request(3, "tools/call", params(`{}`, `"name":"waiting"`))+"\n"); err != nil {
			t.Fatal(err)
		}
		<-entered
		stop()
		synctest.Wait() // the signal is taken before the call ends
		close(release)
		if err := <-done; err != nil {
			t.Fatalf("Stdio: %v", err)
		}
		if r := byID(t, replies(t, out.Bytes()), "3"); r.Error != nil {
			t.Errorf("the running call was cut: %s", r.Error.Message)
		}
		_ = client.Close() // ends the read of the input
	})
}

// TestStdioLeavesAStalledReader: a client that reads nothing cannot keep the
// server, neither after its input has ended nor after a signal.
func TestStdioLeavesAStalledReader(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(stop func(), client io.Closer){
		"end of input": func(_ func(), client io.Closer) { _ = client.Close() },
		"signal":       func(stop func(), _ io.Closer) { stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, _ := newServer(t)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				in, client := io.Pipe()
				unread, out := io.Pipe()
				done := make(chan error, 1)
				go func() { done <- s.Stdio(ctx, in, out) }()
				if _, err := io.WriteString(client, request(1, "server/discover", params(`{}`))+"\n"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				end(stop, client)
				if err := <-done; err != nil {
					t.Errorf("Stdio: %v", err)
				}
				_, _ = client.Close(), unread.Close() // let what is blocked end
			})
		})
	}
}

// FuzzStdioLine: each line gets at most one answer and the next ping is answered.
func FuzzStdioLine(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"help","arguments":[]}}`, "\x00", `{"jsonrpc":"2.0","id":3,"method":"skills/get","params":5}`} {
		f.Add(seed)
	}
	s, _ := newServer(f)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n") || strings.Contains(text, "7777") || strings.Contains(text, "initialize") {
			return
		}
		got := runStdio(t, s, hello, initialized, text, request(7777, "ping", `{}`))
		if n := len(got); n > 3 {
			t.Errorf("%d answers to %q and two requests", n, text)
		}
		byID(t, got, "7777")
	})
}
