package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/store/storetest"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// fault is what happens to a change on its way. It forwards the request, or does not.
type fault func(r *http.Request, forward func(*http.Request) (*http.Response, error)) (*http.Response, error)

// road is the way to the exchange, on which changes meet a fault.
type road struct {
	to     http.RoundTripper
	fault  atomic.Pointer[fault]
	writes atomic.Int64 // changes that reached the exchange
}

// RoundTrip implements http.RoundTripper.
func (w *road) RoundTrip(r *http.Request) (*http.Response, error) {
	calculates := strings.HasPrefix(r.URL.Path, "/margins/") || strings.HasPrefix(r.URL.Path, "/charges/")
	if r.Method == http.MethodGet || calculates {
		return w.to.RoundTrip(r)
	}
	forward := func(r *http.Request) (*http.Response, error) {
		w.writes.Add(1)
		return w.to.RoundTrip(r)
	}
	if f := w.fault.Load(); f != nil {
		return (*f)(r, forward)
	}
	return forward(r)
}

// bench is a server whose process can die and start again: what it keeps is the store and its key.
type bench struct {
	t        *testing.T
	wire     *road
	clock    storetest.Clock
	log      *intent.Log
	client   *kite.Client // beside the server
	env      *tools.Env
	registry *tools.Registry
	keys     *store.Keys
	store    store.Store
	handler  http.Handler
	hangUp   atomic.Pointer[context.CancelFunc] // of the call that is running
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, keys: store.RandomKeys()}
	at := b.clock.Now()
	x, err := demo.New(demo.Options{Now: func() time.Time { return at }, Clock: demo.Clock{Frozen: at}})
	if err != nil {
		t.Fatal(err)
	}
	b.wire = &road{to: x.Transport()}
	b.client = kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: x.Transport()})
	b.handler = build(t, func(o *server.Options) {
		b.env, b.registry = o.Env, o.Registry
		o.Clock, o.Keys = b.clock.Now, b.keys
		o.Env.Kite = kite.Fixed(kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: b.wire}))
	}, tools.All()...).Handler()
	b.forget()
	return b
}

// restart takes what a process has only in its memory.
func (b *bench) restart() {
	b.log = intent.New(intent.Options{Store: b.store, Keys: b.keys, Now: b.clock.Now})
	b.env.Intents = b.log // no call is running
}

// forget begins a new log of changes and a new book.
func (b *bench) forget() {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), http.MethodPost, demo.BaseURL+"/__demo/reset", http.NoBody)
	r.RemoteAddr = "" // in process
	resp, err := b.wire.to.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.t.Fatalf("reset: %v %v", resp, err)
	}
	_ = resp.Body.Close()
	b.store = store.Memory(b.clock.Now)
	b.restart()
}

// call makes one tools/call without a network. The caller may leave before it is answered.
func (b *bench) call(tool, args string, members ...string) reply {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	b.hangUp.Store(&cancel)
	body := request(1, "tools/call", params(forms, append(members, `"name":"`+tool+`"`, `"arguments":`+args)...))
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	rec := httptest.NewRecorder()
	b.handler.ServeHTTP(rec, r)
	if ctx.Err() != nil { // nobody reads the answer
		return reply{}
	}
	w := &web{t: b.t}
	return w.answer(response{rec.Code, rec.Header(), rec.Body.Bytes()})
}

// ask brings a change to the question and returns its state.
func (b *bench) ask(c change) string {
	b.t.Helper()
	b.clock.Advance(time.Second) // the log puts the newest first
	var q asked
	r := b.call(c.tool, c.args)
	r.decode(b.t, &q)
	if q.ResultType != "input_required" {
		b.t.Fatalf("%s %s: no question: %s", c.tool, c.args, r.body)
	}
	return q.RequestState
}

// accept presents the approval of a change.
func (b *bench) accept(c change, state string) reply {
	b.t.Helper()
	return b.call(c.tool, c.args, withState(state), respond("accept", yes))
}

// change is a call that changes something, unlike any other of its run.
type change struct{ tool, args string }

// yesUnder is a person who approves everything, under the id of an approval.
type yesUnder string

// Approve implements tools.Approver.
func (y yesUnder) Approve(context.Context, tools.Proposal) (tools.Approval, error) {
	return tools.Approval{IntentID: string(y)}, nil
}

// approved makes a change without MCP, which has no part in what becomes of a request to Kite.
func (b *bench) approved(c change, person tools.Approver) (told string, receipt map[string]any) {
	b.t.Helper()
	b.clock.Advance(time.Second) // the log puts the newest first
	env := *b.env
	env.Approver = person
	result, err := b.registry.Call(b.t.Context(), &env, tools.Profile{}, c.tool, json.RawMessage(c.args))
	if err != nil {
		f := tools.Explain(err)
		return string(f.Code), map[string]any{"hint": f.Hint}
	}
	if err := json.Unmarshal(result.Structured, &receipt); err != nil {
		b.t.Fatal(err)
	}
	return "receipt", receipt
}

// changes are calls of every kind but a new order, of what a fresh exchange has.
func changes() []change {
	return []change{
		{"orders", `{"mode":"modify","order_id":"2044000000000000003","quantity":410}`},
		{"orders", `{"mode":"cancel","order_id":"2044000000000000002"}`},
		{"gtt", `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","product":"CNC","trigger_type":"single","trigger_value":1700,"quantity":1,"limit_price":1705}`},
		{"gtt", `{"mode":"modify","trigger_id":900001,"limit_price":1310}`},
		{"gtt", `{"mode":"delete","trigger_id":900001}`},
		{"alerts", `{"mode":"create","name":"above","alert_type":"simple","lhs_exchange":"NSE","lhs_tradingsymbol":"INFY","lhs_attribute":"LastTradedPrice","operator":">=","rhs_type":"constant","rhs_constant":1900}`},
		{"alerts", `{"mode":"modify","uuids":["00000000-0000-4000-8000-000000000001"],"rhs_constant":27500}`},
		{"alerts", `{"mode":"delete","uuids":["00000000-0000-4000-8000-000000000001"]}`},
	}
}

// placing is the n-th new order.
func placing(n int) change {
	return change{"orders", fmt.Sprintf(`{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":%d,"product":"CNC","order_type":"LIMIT","price":1800}`, n+1)}
}

// answered says what a caller was told: receipt, or the code of its failure.
func answered(t *testing.T, r reply) (told string) {
	t.Helper()
	if r.Error != nil {
		var data struct{ Code string }
		if len(r.Error.Data) > 0 {
			if err := json.Unmarshal(r.Error.Data, &data); err != nil {
				t.Fatal(err)
			}
		}
		return strings.TrimSpace(fmt.Sprint(r.Error.Code, " ", data.Code))
	}
	var result struct {
		IsError bool
		Meta    map[string]struct{ Code string } `json:"_meta"`
	}
	r.decode(t, &result)
	if result.IsError {
		return result.Meta["trade.kite/error"].Code
	}
	return "receipt"
}

// refused reports whether a caller was told that its approval counts no more: it was used, the same change is being sent,
// or is made already.
func refused(told string) bool {
	return strings.HasSuffix(told, "approval_invalid") || told == "rejected" || told == "invalid_argument" || told == "not_found"
}

// after forwards a request, forgets the answer, and fails or gives another one.
func after(err error, status int, body string) fault {
	return func(r *http.Request, forward func(*http.Request) (*http.Response, error)) (*http.Response, error) {
		got, lost := forward(r)
		if lost != nil {
			return nil, lost
		}
		_ = got.Body.Close()
		if err != nil {
			return nil, err
		}
		got.StatusCode, got.Status, got.Header = status, http.StatusText(status), http.Header{"Content-Type": {"application/json"}}
		got.Body, got.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		return got, nil
	}
}

// before answers without the exchange.
func before(err error) fault {
	return func(*http.Request, func(*http.Request) (*http.Response, error)) (*http.Response, error) {
		return nil, err
	}
}

// others is how often each fault hits a change that is no order; runs, how often an order, is in two files: the race
// detector makes each ten times as dear.
const others = 3

// TestNothingIsSentTwice: whatever happens on the way to Kite and back, one approval makes one request at most, its
// caller learns the id of the order or that the outcome is not known and by what tag it is found, and in the end the log
// of changes and the books agree.
func TestNothingIsSentTwice(t *testing.T) {
	t.Parallel()
	const broken = `{"status":"error","error_type":"GeneralException","message":"Something went wrong"}`
	reset := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	for name, tc := range map[string]struct {
		fault  fault
		told   string // to the caller
		writes int64  // for each approval
	}{
		"nothing happens":      {nil, "receipt", 1},
		"timeout before":       {before(context.DeadlineExceeded), "outcome_unknown", 0},
		"timeout after":        {after(context.DeadlineExceeded, 0, ""), "outcome_unknown", 1},
		"reset before":         {before(reset), "outcome_unknown", 0},
		"reset after":          {after(reset, 0, ""), "outcome_unknown", 1},
		"no connection":        {before(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}), "upstream_unavailable", 0},
		"500 after acceptance": {after(nil, http.StatusInternalServerError, broken), "outcome_unknown", 1},
		"503 after acceptance": {after(nil, http.StatusServiceUnavailable, broken), "outcome_unknown", 1},
		"half an answer":       {after(nil, http.StatusOK, `{"status":"success","data":{"order`), "outcome_unknown", 1},
		"a page of a proxy":    {after(nil, http.StatusBadGateway, "<html>"), "outcome_unknown", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if tc.fault != nil {
				b.wire.fault.Store(&tc.fault)
			}
			b.each(func(c change, n int) {
				was := b.wire.writes.Load()
				told, receipt := b.approved(c, yesUnder(strconv.Itoa(n)))
				if told != tc.told {
					t.Fatalf("run %d, %s: told %s, want %s", n, c.args, told, tc.told)
				}
				b.learns(c, told, receipt)
				if again, _ := b.approved(c, yesUnder(strconv.Itoa(n))); !refused(again) {
					t.Fatalf("run %d: the approval presented again: %s", n, again)
				}
				if sent := b.wire.writes.Load() - was; sent != tc.writes {
					t.Fatalf("run %d, %s: %d requests for one approval, want %d", n, c.args, sent, tc.writes)
				}
			})
		})
	}
}

// each runs a test for every run of every kind of change.
func (b *bench) each(run func(c change, n int)) {
	b.t.Helper()
	const batch = 5 // every question reads the whole log, and the book while an outcome is open
	for n := range runs {
		run(placing(n), n)
		if n%batch == batch-1 {
			b.agree()
		}
	}
	for _, c := range changes() {
		for n := range others {
			run(c, n)
			b.agree()
		}
	}
}

// learns fails unless the caller can find the change again.
func (b *bench) learns(c change, told string, receipt map[string]any) {
	b.t.Helper()
	if told == "upstream_unavailable" {
		return
	}
	last := b.intents()[0]
	hint, _ := receipt["hint"].(string)
	tagged := c.tool == "orders" && strings.Contains(c.args, `"mode":"place"`)
	switch {
	case told == "outcome_unknown" && (!strings.Contains(hint, last.ID) || tagged && (last.Tag == "" || !strings.Contains(hint, last.Tag))):
		b.t.Fatalf("%s: the hint %q does not name intent %s and tag %s", c.args, hint, last.ID, last.Tag)
	case told == "receipt" && (receipt["intent"] != last.ID || last.Ref == ""):
		b.t.Fatalf("%s: receipt %v, logged as %+v", c.args, receipt, last)
	}
}

func (b *bench) intents() []kite.Intent {
	b.t.Helper()
	all, err := b.log.List(b.t.Context(), account)
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

const account = "DM0001"

// settle lets time pass until no outcome is open.
func (b *bench) settle() {
	b.t.Helper()
	b.clock.Advance(20 * time.Second)
	for range 4 {
		open, err := b.log.Reconcile(b.t.Context(), account, b.client.Books())
		if err != nil {
			b.t.Fatal(err)
		}
		if open == 0 {
			return
		}
		b.clock.Advance(6 * time.Second)
	}
	b.t.Fatal("outcomes stay open")
}

// agree compares the log of changes with the order book: each order that came through the server belongs to one
// approval, which the log calls placed, and to no other. Then both begin anew.
func (b *bench) agree() {
	b.t.Helper()
	b.settle()
	book, err := b.client.Orders(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	made, logged := map[string]string{}, map[string]string{} // orders by tag
	for _, o := range book {
		if strings.HasPrefix(o.Tag, "k") {
			made[o.Tag] += o.OrderID
		}
	}
	for _, in := range b.intents() {
		if in.Tag != "" && in.State == kite.IntentPlaced {
			logged[in.Tag] = in.Ref
		}
	}
	if diff := cmp.Diff(logged, made); diff != "" {
		b.t.Fatalf("orders (-in the log +in the book):\n%s", diff)
	}
	b.forget()
}

// TestCallerLeaves: a client that is gone before the answer changes nothing about it.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var leave fault = func(r *http.Request, forward func(*http.Request) (*http.Response, error)) (*http.Response, error) {
		(*b.hangUp.Load())()
		return forward(r)
	}
	b.each(func(c change, n int) {
		state := b.ask(c)
		b.wire.fault.Store(&leave)
		was := b.wire.writes.Load()
		b.accept(c, state)
		b.wire.fault.Store(nil)
		if last := b.intents()[0]; last.State != kite.IntentPlaced || last.Ref == "" {
			t.Fatalf("run %d: the log says %+v", n, last)
		}
		if sent := b.wire.writes.Load() - was; sent != 1 {
			t.Fatalf("run %d: %d requests", n, sent)
		}
	})
}

// TestCallsInParallel: calls with one approval, or one call that a client sent twice, at the same time.
func TestCallsInParallel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.each(func(c change, n int) {
		state := b.ask(c)
		was := b.wire.writes.Load()
		told := make([]string, 2)
		var wg sync.WaitGroup
		for i := range told {
			wg.Go(func() { told[i] = answered(t, b.accept(c, state)) })
		}
		wg.Wait()
		won, lost := told[0], told[1]
		if won != "receipt" {
			won, lost = lost, won
		}
		if won != "receipt" || !refused(lost) {
			t.Fatalf("run %d, %s: told %q", n, c.args, told)
		}
		if sent := b.wire.writes.Load() - was; sent != 1 {
			t.Fatalf("run %d: %d requests", n, sent)
		}
	})
}

// errKilled is what the process dies of. To end one in the middle of a test takes a panic, which leaves everything as it
// is: nothing is settled, nothing is told. What kill -9 does to a process of its own is the subject of TestKilledServer
// in cmd and of TestKillAtEveryStep in internal/intent.
var errKilled = errors.New("killed")

// TestRestartAfterACrash: the process dies between sending and the answer, the next one is given the same approval again.
func TestRestartAfterACrash(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]int64{"before the first byte": 0, "before the answer": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			var die fault = func(r *http.Request, forward func(*http.Request) (*http.Response, error)) (*http.Response, error) {
				if sent == 1 {
					resp, err := forward(r)
					if err != nil {
						return nil, err
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
				panic(errKilled)
			}
			b.each(func(c change, n int) {
				state := b.ask(c)
				b.wire.fault.Store(&die)
				was := b.wire.writes.Load()
				if told := answered(t, b.accept(c, state)); told != "-32603" {
					t.Fatalf("run %d: a dead process says %s", n, told)
				}
				b.wire.fault.Store(nil)
				b.restart()
				if told := answered(t, b.accept(c, state)); !refused(told) {
					t.Fatalf("run %d: the approval presented again: %s", n, told)
				}
				if got := b.wire.writes.Load() - was; got != sent {
					t.Fatalf("run %d: %d requests, want %d", n, got, sent)
				}
			})
		})
	}
}
