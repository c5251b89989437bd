package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// exchange is a demo exchange behind a server: it counts what changes something, and can pass for another user's.
type exchange struct {
	to     http.RoundTripper
	writes atomic.Int64
	other  atomic.Bool
}

func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !strings.HasPrefix(r.URL.Path, "/margins/") && !strings.HasPrefix(r.URL.Path, "/charges/") { // calculators change nothing
		x.writes.Add(1)
	}
	resp, err := x.to.RoundTrip(r)
	if err != nil || !x.other.Load() || r.URL.Path != "/user/profile" {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte("DM0001"), []byte("DM0002"))))
	return resp, nil
}

// trading is a server on a demo account.
func trading(tb testing.TB, adjust func(*server.Options)) (*server.Server, *exchange, *clock) {
	tb.Helper()
	at := time.Date(2026, 12, 2, 11, 15, 0, 0, kite.IST)
	c := &clock{}
	d, err := demo.New(demo.Options{Now: func() time.Time { return at }, Clock: demo.Clock{Frozen: at}})
	if err != nil {
		tb.Fatal(err)
	}
	x := &exchange{to: d.Transport()}
	s := build(tb, func(o *server.Options) {
		o.Clock, o.Env.Intents, o.Env.Demo = c.now, changeLog(c.now), true
		o.Env.Kite = kite.Fixed(kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: x}))
		adjust(o)
	}, tools.All()...)
	return s, x, c
}

func asIs(*server.Options) {}

const (
	buyTwo   = `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"LIMIT","price":1800}`
	buyThree = `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":3,"product":"CNC","order_type":"LIMIT","price":1800}`
)

func (w *web) order(caps, arguments string, members ...string) reply {
	return w.call("tools/call", "orders", params(caps, append(members, `"name":"orders"`, `"arguments":`+arguments)...))
}

func (w *web) orderQuestion() string {
	w.t.Helper()
	var q asked
	w.order(forms, buyTwo).decode(w.t, &q)
	if q.ResultType != "input_required" || !strings.HasPrefix(q.InputRequests["approve"].Params.Message, "Account DM0001: BUY 2 NSE:INFY, CNC, LIMIT at 1800") {
		w.t.Fatalf("no question: %+v", q)
	}
	return q.RequestState
}

// TestApprovalMatrixModern: what a 2026-07-28 client can answer, and how many requests reach the exchange.
func TestApprovalMatrixModern(t *testing.T) {
	t.Parallel()
	accept := respond("accept", yes)
	for name, tc := range map[string]struct {
		caps, arguments, response string
		state                     func(string) string
		between                   func(*exchange, *clock)
		says                      string // what the answer must hold
		writes                    int64
	}{
		"accepted":                {response: accept, says: `"status":"submitted"`, writes: 1},
		"no elicitation":          {caps: `{}`, response: accept, says: `"code":-32021`},
		"only links":              {caps: `{"elicitation":{"url":{}}}`, response: accept, says: `"code":-32021`},
		"declined":                {response: respond("decline", `{}`), says: `"approval_declined"`},
		"cancelled":               {response: respond("cancel", `{}`), says: `"approval_cancelled"`},
		"accepted, not confirmed": {response: respond("accept", `{"confirm":false}`), says: `"approval_cancelled"`},
		"accepted, no box":        {response: respond("accept", `{}`), says: `"approval_cancelled"`},
		"no answer":               {response: `"x":1`, says: `"input_required"`},
		"tampered":                {response: accept, state: flip, says: `"approval_invalid"`},
		"no state":                {response: accept, state: func(string) string { return "" }, says: `"input_required"`},
		"expired":                 {response: accept, between: func(_ *exchange, c *clock) { c.offset.Add(int64(5 * time.Minute)) }, says: `"approval_invalid"`},
		"other arguments":         {response: accept, arguments: buyThree, says: `"approval_invalid"`},
		"other user":              {response: accept, between: func(x *exchange, _ *clock) { x.other.Store(true) }, says: `"approval_invalid"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, x, c := trading(t, asIs)
			w := newWeb(t, s)
			state := w.orderQuestion()
			if tc.between != nil {
				tc.between(x, c)
			}
			if tc.state != nil {
				state = tc.state(state)
			}
			caps, arguments := forms, buyTwo
			if tc.caps != "" {
				caps = tc.caps
			}
			if tc.arguments != "" {
				arguments = tc.arguments
			}
			r := w.order(caps, arguments, withState(state), tc.response)
			if !strings.Contains(string(r.body), tc.says) {
				t.Errorf("answer %s, want %s", r.body, tc.says)
			}
			if x.writes.Load() != tc.writes {
				t.Errorf("%d requests reached the exchange, want %d", x.writes.Load(), tc.writes)
			}
		})
	}
}

// TestApprovalIsPresentedOftenButCountsOnce: 64 at once, then again.
func TestApprovalIsPresentedOftenButCountsOnce(t *testing.T) {
	t.Parallel()
	s, x, _ := trading(t, asIs)
	w := newWeb(t, s)
	state := w.orderQuestion()
	var placed atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			if r := w.order(forms, buyTwo, withState(state), respond("accept", yes)); strings.Contains(string(r.body), `"submitted"`) {
				placed.Add(1)
			}
		})
	}
	wg.Wait()
	again := w.order(forms, buyTwo, withState(state), respond("accept", yes))
	if again.Error == nil || !strings.Contains(again.Error.Message, "already used") {
		t.Errorf("presented again: %s", again.body)
	}
	if placed.Load() != 1 || x.writes.Load() != 1 {
		t.Errorf("%d calls placed an order, %d requests reached the exchange; want one of each", placed.Load(), x.writes.Load())
	}
}

// TestApprovalMatrixLegacy: the form is a nested request; a state that a client brings along is not its own.
func TestApprovalMatrixLegacy(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		for name, tc := range map[string]struct {
			caps, members, answer string
			says                  string
			writes                int64
		}{
			"accepted":                {answer: `{"action":"accept","content":{"confirm":true}}`, says: "submitted", writes: 1},
			"no elicitation":          {caps: `{}`, says: "approval_unavailable"},
			"declined":                {answer: `{"action":"decline"}`, says: "approval_declined"},
			"cancelled":               {answer: `{"action":"cancel"}`, says: "approval_cancelled"},
			"with the Kite app":       {caps: appForms, answer: `{"action":"accept","content":{"confirm":true}}`, says: "submitted", writes: 1},
			"declined with it":        {caps: appForms, answer: `{"action":"decline"}`, says: "approval_declined"},
			"the Kite app, no forms":  {caps: apps, says: "approval_unavailable"},
			"accepted, not confirmed": {answer: `{"action":"accept","content":{"confirm":false}}`, says: "approval_cancelled"},
			"forged state":            {members: `,"requestState":"v1.AAAA","inputResponses":{"approve":{"action":"accept","content":{"confirm":true}}}`, answer: `{"action":"decline"}`, says: "approval_"},
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				t.Parallel()
				s, x, _ := trading(t, asIs)
				caps := `{"elicitation":{}}`
				if tc.caps != "" {
					caps = tc.caps
				}
				answer := converse(t, s, version, caps, `{"name":"orders","arguments":`+buyTwo+tc.members+`}`, tc.answer)
				if !strings.Contains(answer, tc.says) {
					t.Errorf("answer %s, want %s", answer, tc.says)
				}
				if x.writes.Load() != tc.writes {
					t.Errorf("%d requests reached the exchange, want %d", x.writes.Load(), tc.writes)
				}
			})
		}
	}
}

// converse makes one tools/call over stdio as a client of an older version, answers the form if one comes, and returns
// the answer to the call.
func converse(t *testing.T, s *server.Server, version, caps, call, answer string) string {
	t.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Stdio(t.Context(), theirs, theirs) // it ends when we hang up
	}()
	defer func() {
		_ = ours.Close()
		<-ended
	}()
	in := bufio.NewReader(ours)
	next := func() string {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	send := func(line string) {
		if _, err := io.WriteString(ours, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	send(request(0, "initialize", `{"protocolVersion":"`+version+`","capabilities":`+caps+`,"clientInfo":{"name":"t","version":"1"}}`))
	if hello := next(); !strings.Contains(hello, `"protocolVersion":"`+version+`"`) {
		t.Fatalf("negotiated %s", hello)
	}
	send(initialized)
	send(request(1, "tools/call", call))
	for {
		line := next()
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Method == "elicitation/create":
			if !strings.Contains(line, "Account DM0001: BUY 2 NSE:INFY") {
				t.Errorf("the form does not say what is bought: %s", line)
			}
			send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer))
		case string(m.ID) == "1" && m.Method == "":
			return line
		}
	}
}

// TestTrustedHost: where the operator trusts the client's program, each call counts as approved, once.
func TestTrustedHost(t *testing.T) {
	t.Parallel()
	s, x, _ := trading(t, func(o *server.Options) { o.TrustHost = true })
	w := newWeb(t, s)
	for n := int64(1); n <= 2; n++ {
		if r := w.order(`{}`, buyTwo); !strings.Contains(string(r.body), `"submitted"`) || x.writes.Load() != n {
			t.Errorf("call %d: %s, %d requests", n, r.body, x.writes.Load())
		}
	}
}

// TestApprovalOfAnotherLog: an approval is void once the log that would know of its use is gone.
func TestApprovalOfAnotherLog(t *testing.T) {
	t.Parallel()
	var env *tools.Env
	s, x, c := trading(t, func(o *server.Options) { env = o.Env })
	w := newWeb(t, s)
	state := w.orderQuestion()
	env.Intents = changeLog(c.now) // no call is running
	r := w.order(forms, buyTwo, withState(state), respond("accept", yes))
	if r.Error == nil || !strings.Contains(r.Error.Message, "not for this request") || x.writes.Load() != 0 {
		t.Errorf("answer %s, %d requests", r.body, x.writes.Load())
	}
}

// TestNoOrderWithoutAuditLog: while the audit log cannot be written nobody is asked and nothing is sent; reading goes on.
func TestNoOrderWithoutAuditLog(t *testing.T) {
	t.Parallel()
	place := filepath.Join(t.TempDir(), "audit.jsonl")
	s, x, _ := trading(t, func(o *server.Options) {
		o.Env.Intents = intent.New(intent.Options{
			Store: store.Memory(o.Clock), Keys: store.RandomKeys(), Now: o.Clock, Audit: intent.AuditFile(place, intent.AuditOptions{Now: o.Clock}),
		})
	})
	w := newWeb(t, s)
	state := w.orderQuestion()
	if err := os.Rename(place, place+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(place, 0o700); err != nil { // nobody can write there
		t.Fatal(err)
	}
	for name, r := range map[string]reply{
		"asking":   w.order(forms, buyThree),
		"approved": w.order(forms, buyTwo, withState(state), respond("accept", yes)),
	} {
		if got := string(r.body); !strings.Contains(got, "the audit log could not be written; nothing was sent to Kite") || strings.Contains(got, place) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if r := w.call("tools/call", "session", params(forms, `"name":"session"`, `"arguments":{"mode":"activity"}`)); !strings.Contains(string(r.body), "the audit log could not be written, so nothing was sent") {
		t.Errorf("activity: %s", r.body)
	}
	if x.writes.Load() != 0 {
		t.Errorf("%d requests reached the exchange", x.writes.Load())
	}
}

// TestClientIsNamed: activity tells which client asked, by a name that can do no harm.
func TestClientIsNamed(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`Claude Desktop`: `Claude Desktop`,
		`a\u001b[2J\u202e\n` + strings.Repeat("b", 100): `a?[2J??` + strings.Repeat("b", 53),
		``: ``,
	} {
		s, _, _ := trading(t, func(o *server.Options) { o.TrustHost = true })
		w := newWeb(t, s)
		call := func(tool, arguments string) string {
			named := strings.Replace(params(forms, `"name":"`+tool+`"`, `"arguments":`+arguments), `clientInfo":{"name":"t"`, `clientInfo":{"name":"`+given+`"`, 1)
			return string(w.call("tools/call", tool, named).body)
		}
		call("orders", buyTwo)
		var r struct {
			Result struct {
				StructuredContent struct{ Data []struct{ Client string } }
			}
		}
		if err := json.Unmarshal([]byte(call("session", `{"mode":"activity"}`)), &r); err != nil {
			t.Fatal(err)
		}
		if rows := r.Result.StructuredContent.Data; len(rows) != 1 || rows[0].Client != want {
			t.Errorf("%q is told as %+v, want %q", given, rows, want)
		}
	}
}
