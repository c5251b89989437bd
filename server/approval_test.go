package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

type transferInput struct {
	Count int    `json:"count" jsonschema:"How many." check:"min=1"`
	Note  string `json:"note,omitempty" jsonschema:"A note."`
}

type transferPlan struct {
	Count int
	Note  string
}

func (p transferPlan) Summary() string { return fmt.Sprintf("MOVE %d. Approve?", p.Count) }

func (transferPlan) Intent(string) kite.Intent { return kite.Intent{Account: "DM0001"} }

// transfer is a tool that changes something, and counts how often.
func transfer(applied *atomic.Int64) tools.Tool {
	return tools.Define(tools.Spec{Name: "transfer", Title: "Transfer", Category: tools.Orders, Description: "Moves."},
		tools.Change("move", tools.ModeSpec{
			Title: "Move", Description: "moves", Tags: []string{"t"}, Effect: tools.Destroy, Ask: "Move it", Examples: []string{`transfer {"mode":"move","count":1}`},
		},
			func(_ context.Context, _ *tools.Env, in transferInput) (transferPlan, error) {
				return transferPlan(in), nil
			},
			func(_ context.Context, _ *tools.Env, p transferPlan) (map[string]int, error) {
				applied.Add(1)
				return map[string]int{"moved": p.Count}, nil
			}))
}

// changeLog is the real log of changes, in memory.
func changeLog(now func() time.Time) *intent.Log {
	return intent.New(intent.Options{Store: store.Memory(now), Keys: store.RandomKeys(), Now: now})
}

// clock is a wall clock that tests move.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time { return farFuture().Add(time.Duration(c.offset.Load())) }

func approving(tb testing.TB) (w *web, applied *atomic.Int64, c *clock) {
	tb.Helper()
	applied, c = &atomic.Int64{}, &clock{}
	s := build(tb, func(o *server.Options) { o.Clock, o.Env.Intents = c.now, changeLog(c.now) }, transfer(applied))
	return newWeb(tb, s), applied, c
}

const forms = `{"elicitation":{"form":{}}}`

// move calls the tool in the modern era; members are added to the params.
func (w *web) move(caps, arguments string, members ...string) reply {
	return w.call("tools/call", "transfer", params(caps, append(members, `"name":"transfer"`, `"arguments":`+arguments)...))
}

// asked is the answer that asks the person.
type asked struct {
	ResultType    string
	RequestState  string
	InputRequests map[string]struct {
		Method string
		Params struct {
			Mode, Message   string
			RequestedSchema json.RawMessage
		}
	}
}

// question asks for moveTwo and returns the state.
func (w *web) question() string {
	w.t.Helper()
	var q asked
	w.move(forms, moveTwo).decode(w.t, &q)
	if q.ResultType != "input_required" || q.InputRequests["approve"].Method != "elicitation/create" {
		w.t.Fatalf("no question: %+v", q)
	}
	return q.RequestState
}

func respond(action, content string) string {
	return `"inputResponses":{"approve":{"action":"` + action + `","content":` + content + `}}`
}

func withState(state string) string { return fmt.Sprintf(`"requestState":%q`, state) }

const (
	moveTwo = `{"mode":"move","count":2,"note":"x"}`
	yes     = `{"confirm":true}`
)

func TestApprovalIsAskedAndUsedOnce(t *testing.T) {
	t.Parallel()
	w, applied, _ := approving(t)
	state := w.question()
	if applied.Load() != 0 {
		t.Fatal("the change was made before anybody approved")
	}
	// The order of the members does not matter.
	r := w.move(forms, `{"note":"x","count":2,"mode":"move"}`, withState(state), respond("accept", yes))
	var got toolResult
	r.decode(t, &got)
	if got.IsError || got.text() != `{"moved":2}` || applied.Load() != 1 {
		t.Fatalf("approved: %+v, applied %d", got, applied.Load())
	}
	again := w.move(forms, moveTwo, withState(state), respond("accept", yes))
	if again.Error == nil || again.Error.Code != -32602 || !strings.Contains(again.Error.Message, "already used") || applied.Load() != 1 {
		t.Errorf("replay: %+v, applied %d", again.Error, applied.Load())
	}
}

func TestApprovalRefusals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		arguments string
		state     func(string) string
		response  string
		later     time.Duration
		code      string // of a tool error
		rpc       int    // of a protocol error
		says      string
	}{
		"declined":           {response: respond("decline", `{}`), code: "approval_declined"},
		"cancelled":          {response: respond("cancel", `{}`), code: "approval_cancelled"},
		"not ticked":         {response: respond("accept", `{"confirm":false}`), code: "approval_cancelled"},
		"box missing":        {response: respond("accept", `{}`), code: "approval_cancelled"},
		"box is text":        {response: respond("accept", `{"confirm":"true"}`), code: "approval_cancelled"},
		"other arguments":    {arguments: `{"mode":"move","count":3,"note":"x"}`, response: respond("accept", yes), rpc: -32602, says: "not for this request"},
		"tampered":           {state: flip, response: respond("accept", yes), rpc: -32602, says: "not for this request"},
		"other format":       {state: func(s string) string { return "v2." + s[3:] }, response: respond("accept", yes), rpc: -32602, says: "not for this request"},
		"empty seal":         {state: func(string) string { return "v1." }, response: respond("accept", yes), rpc: -32602, says: "not for this request"},
		"not base64":         {state: func(string) string { return "v1.!!" }, response: respond("accept", yes), rpc: -32602, says: "not for this request"},
		"expired":            {later: 5 * time.Minute, response: respond("accept", yes), rpc: -32602, says: "expired"},
		"just before expiry": {later: 5*time.Minute - time.Second, response: respond("decline", `{}`), code: "approval_declined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, applied, c := approving(t)
			state := w.question()
			c.offset.Add(int64(tc.later))
			if tc.state != nil {
				state = tc.state(state)
			}
			arguments := tc.arguments
			if arguments == "" {
				arguments = moveTwo
			}
			r := w.move(forms, arguments, withState(state), tc.response)
			if applied.Load() != 0 {
				t.Fatal("the change was made")
			}
			if tc.rpc != 0 {
				if r.Error == nil || r.Error.Code != tc.rpc || !strings.Contains(r.Error.Message, tc.says) || string(r.Error.Data) != `{"code":"approval_invalid"}` {
					t.Errorf("got %+v", r.Error)
				}
				return
			}
			var got toolResult
			r.decode(t, &got)
			if !got.IsError || !strings.Contains(string(got.Meta["trade.kite/error"]), tc.code) || !strings.Contains(got.text(), "othing was sent") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// flip changes one character in the middle of a state.
func flip(s string) string {
	i := len(s) / 2
	other := byte('A')
	if s[i] == other {
		other = 'B'
	}
	return s[:i] + string(other) + s[i+1:]
}

func TestApprovalIsAskedAgain(t *testing.T) {
	t.Parallel()
	w, applied, _ := approving(t)
	for name, members := range map[string][]string{
		"answer without state": {respond("accept", yes)},
		"state without answer": {withState(w.question())},
		"answer to nothing":    {withState(w.question()), `"inputResponses":{"other":{"action":"accept","content":{"confirm":true}}}`},
	} {
		var q asked
		w.move(forms, moveTwo, members...).decode(t, &q)
		if q.ResultType != "input_required" || q.RequestState == "" || applied.Load() != 0 {
			t.Errorf("%s: %+v, applied %d", name, q, applied.Load())
		}
	}
}

func TestApprovalNeedsForms(t *testing.T) {
	t.Parallel()
	w, applied, _ := approving(t)
	for name, tc := range map[string]struct {
		caps string
		asks bool
	}{
		"none":             {`{}`, false},
		"only urls":        {`{"elicitation":{"url":{}}}`, false},
		"bare elicitation": {`{"elicitation":{}}`, true},
		"forms and urls":   {`{"elicitation":{"form":{},"url":{}}}`, true},
	} {
		r := w.move(tc.caps, moveTwo)
		if tc.asks {
			if r.Error != nil {
				t.Errorf("%s: %+v", name, r.Error)
			}
			continue
		}
		if r.Error == nil || r.Error.Code != -32021 || !strings.Contains(string(r.Error.Data), `"requiredCapabilities":{"elicitation":{"form":{}}}`) || strings.Contains(string(r.Error.Data), "roots") {
			t.Errorf("%s: got %+v", name, r.Error)
		}
	}
	// A legacy client cannot be told by a protocol error that its model sees.
	var got toolResult
	w.legacyCall("tools/call", `{"name":"transfer","arguments":`+moveTwo+`}`, w.session(`{}`)).decode(t, &got)
	if !got.IsError || !strings.Contains(got.text(), "nothing was sent") {
		t.Errorf("legacy: %+v", got)
	}
	if applied.Load() != 0 {
		t.Error("the change was made")
	}
}

func TestApprovalStateIsSpentExactlyOnce(t *testing.T) {
	t.Parallel()
	w, applied, _ := approving(t)
	state := w.question()
	var passed atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			// One that comes while the first is being sent is refused as a tool error.
			r := w.move(forms, moveTwo, withState(state), respond("accept", yes))
			if r.Error == nil && !bytes.Contains(r.Result, []byte(`"isError":true`)) {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	if passed.Load() != 1 || applied.Load() != 1 {
		t.Errorf("%d calls passed, %d changes were made; want one of each", passed.Load(), applied.Load())
	}
}

// TestApprovalOnLegacySessions: the same handler asks through a nested request.
func TestApprovalOnLegacySessions(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]int64{"accept": 1, "decline": 0, "cancel": 0} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			w, applied, _ := approving(t)
			var shown string
			client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					shown = req.Params.Message
					return &mcp.ElicitResult{Action: action, Content: map[string]any{"confirm": action == "accept"}}, nil
				},
			})
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: w.url + "/mcp"}, &mcp.ClientSessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = session.Close() }()
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "transfer", Arguments: map[string]any{"mode": "move", "count": 2}})
			if err != nil {
				t.Fatal(err)
			}
			if shown != "MOVE 2. Approve?" || applied.Load() != want || res.IsError != (want == 0) {
				t.Errorf("shown %q, applied %d, error %t", shown, applied.Load(), res.IsError)
			}
		})
	}
}

// FuzzRequestState: nothing but a state this server sealed passes.
func FuzzRequestState(f *testing.F) {
	applied, c := &atomic.Int64{}, &clock{}
	s := build(f, func(o *server.Options) { o.Clock, o.Env.Intents = c.now, changeLog(c.now) }, transfer(applied))
	w := newDirect(f, s)
	real := w.question()
	for _, seed := range []string{"", "v1.", real, real[:20], strings.ToUpper(real), real + "A", "v1.AAAA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, state string) {
		w := w.of(t)
		if state == real {
			return
		}
		text, err := json.Marshal(state)
		if err != nil {
			return
		}
		before := applied.Load()
		w.move(forms, moveTwo, `"requestState":`+string(text), respond("accept", yes))
		if applied.Load() != before {
			t.Errorf("forged state %q was accepted", state)
		}
	})
}

// TestApprovalAnswerIsFinal answers no, then presents the same state with a yes.
func TestApprovalAnswerIsFinal(t *testing.T) {
	t.Parallel()
	for name, no := range map[string]string{
		"declined": respond("decline", `{}`), "cancelled": respond("cancel", `{}`), "not ticked": respond("accept", `{"confirm":false}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, applied, _ := approving(t)
			state := w.question()
			w.move(forms, moveTwo, withState(state), no)
			r := w.move(forms, moveTwo, withState(state), respond("accept", yes))
			if r.Error == nil || !strings.Contains(r.Error.Message, "already used") || applied.Load() != 0 {
				t.Errorf("error %+v, applied %d", r.Error, applied.Load())
			}
		})
	}
}

// pricedPlan shows more than its JSON has.
type pricedPlan struct{ price int64 }

func (p pricedPlan) Summary() string { return fmt.Sprintf("BUY at %d. Approve?", p.price) }

func (pricedPlan) Intent(string) kite.Intent { return kite.Intent{Account: "DM0001"} }

// TestApprovalIsOfWhatWasShown changes what the person would read between the
// question and the answer.
func TestApprovalIsOfWhatWasShown(t *testing.T) {
	t.Parallel()
	var price, applied atomic.Int64
	tool := tools.Define(tools.Spec{Name: "transfer", Title: "Transfer", Category: tools.Orders, Description: "Moves."},
		tools.Change("move", tools.ModeSpec{
			Title: "Move", Description: "moves", Tags: []string{"t"}, Effect: tools.Destroy, Ask: "Move it", Examples: []string{`transfer {"mode":"move","count":1}`},
		},
			func(context.Context, *tools.Env, transferInput) (pricedPlan, error) {
				return pricedPlan{price.Load()}, nil
			},
			func(context.Context, *tools.Env, pricedPlan) (map[string]int, error) {
				applied.Add(1)
				return map[string]int{}, nil
			}))
	w := newWeb(t, build(t, func(o *server.Options) { o.Env.Intents = changeLog(farFuture) }, tool))
	state := w.question()
	price.Store(1)
	r := w.move(forms, moveTwo, withState(state), respond("accept", yes))
	if r.Error == nil || !strings.Contains(r.Error.Message, "not for this request") || applied.Load() != 0 {
		t.Errorf("error %+v, applied %d", r.Error, applied.Load())
	}
}
