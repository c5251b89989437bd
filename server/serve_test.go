package server_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// waiting is a tool that answers when it is let go.
func waiting(entered chan<- struct{}, release <-chan struct{}) tools.Tool {
	return tools.Define(tools.Spec{
		Name: "waiting", Title: "Waiting", Category: tools.Market, Description: "Waits.",
		Tags: []string{"test"}, Examples: []string{"waiting {}"},
	}, tools.Read("", tools.ModeSpec{}, func(ctx context.Context, _ *tools.Env, _ struct{}) (struct{}, error) {
		entered <- struct{}{}
		select {
		case <-release:
			return struct{}{}, nil
		case <-ctx.Done():
			return struct{}{}, ctx.Err()
		}
	}))
}

// TestShutdownFinishesWhatWasBegun: a running call is answered, an open event
// stream ends, and the server returns nil.
func TestShutdownFinishesWhatWasBegun(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	s, _ := newServer(t, waiting(entered, release))
	ctx, stop := context.WithCancel(t.Context())
	addr, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- s.ListenAndServe(ctx, server.HTTPOptions{Addr: "127.0.0.1:0", Ready: func(a string) { addr <- a }})
	}()
	w := &web{t: t, url: "http://" + <-addr}

	stream, err := http.DefaultClient.Do(w.request(http.MethodGet, "/mcp", "", append(w.session(`{}`), "Accept", "text/event-stream")...))
	if err != nil {
		t.Fatal(err)
	}
	answer := make(chan reply, 1)
	go func() { answer <- w.call("tools/call", "waiting", params(`{}`, `"name":"waiting"`)) }()
	<-entered
	stop()
	_, _ = io.Copy(io.Discard, stream.Body) // returns when the stream ends
	_ = stream.Body.Close()
	close(release)
	if r := <-answer; r.Error != nil {
		t.Errorf("the running call was cut: %s", r.Error.Message)
	}
	if err := <-done; err != nil {
		t.Errorf("ListenAndServe: %v", err)
	}
}

// TestHelpDoesNotWaitForKite: with every slot taken by calls that hang, what never
// leaves the process is still answered.
func TestHelpDoesNotWaitForKite(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	s, _ := newServer(t, append(tools.All(), waiting(entered, release))...)
	w := newWeb(t, s)
	done := make(chan reply)
	for range 8 {
		go func() { done <- w.call("tools/call", "waiting", params(`{}`, `"name":"waiting"`)) }()
		<-entered
	}
	if r := w.call("tools/call", "help", params(`{}`, `"name":"help"`)); r.Error != nil {
		t.Errorf("help: %+v", r.Error)
	}
	close(release)
	for range 8 {
		if r := <-done; r.Error != nil {
			t.Errorf("waiting call: %+v", r.Error)
		}
	}
}

func TestListenAndServeNamesTheAddress(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	if err := s.ListenAndServe(t.Context(), server.HTTPOptions{Addr: "127.0.0.1:99999"}); err == nil {
		t.Error("an impossible port must be an error")
	}
}
