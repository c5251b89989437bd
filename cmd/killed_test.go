//go:build unix

package cmd_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// front stands before a demo exchange: it counts the orders that reach it, and can kill their sender before or after.
type front struct {
	t     *testing.T
	url   string
	to    http.Handler
	clock atomic.Int64 // of the processes after the killed one, since stopped
	env   []string

	mu     sync.Mutex
	posts  int
	before func() // an order reaches the exchange
	after  func() // it has its answer
}

func newFront(t *testing.T) *front {
	t.Helper()
	at, err := time.Parse(time.RFC3339, demoNow)
	if err != nil {
		t.Fatal(err)
	}
	x, err := demo.New(demo.Options{Now: stopped, Clock: demo.Clock{Frozen: at}})
	if err != nil {
		t.Fatal(err)
	}
	f := &front{t: t, to: x.Handler()}
	web := httptest.NewServer(f)
	t.Cleanup(web.Close)
	f.url = web.URL
	f.env = []string{
		"XDG_STATE_HOME=" + t.TempDir(), "KITE_BASE_URL=" + web.URL, "INSTRUMENTS_URL=" + web.URL + "/instruments",
		"KITE_API_KEY=" + demo.APIKey, "KITE_ACCESS_TOKEN=" + demo.AccessToken,
	}
	return f
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/orders/") {
		f.to.ServeHTTP(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.before != nil {
		f.before()
		panic(http.ErrAbortHandler) // nothing of it reaches the exchange
	}
	f.posts++
	rec := httptest.NewRecorder()
	f.to.ServeHTTP(rec, r)
	if f.after != nil {
		f.after()
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// now is the clock of those who come after the killed process. It moves on with every look.
func (f *front) now() time.Time {
	return stopped().Add(time.Duration(f.clock.Add(int64(100 * time.Millisecond))))
}

// tagged are the orders in the book that came through the program.
func (f *front) tagged() (ids []string) {
	f.t.Helper()
	book, err := kite.New(kite.Options{BaseURL: f.url, APIKey: demo.APIKey, AccessToken: demo.AccessToken}).Orders(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	for _, o := range book {
		if strings.HasPrefix(o.Tag, "k") {
			ids = append(ids, o.OrderID)
		}
	}
	return ids
}

// victim is a server that is a process of its own.
type victim struct {
	c   *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func (f *front) victim() *victim {
	f.t.Helper()
	c := exec.CommandContext(f.t.Context(), ticking, "serve")
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + f.t.TempDir()}, f.env...) //nolint:forbidigo // TestMain puts the program there
	in, err := c.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		f.t.Fatal(err)
	}
	return &victim{c, in, bufio.NewReader(out)}
}

// die ends the process as a power cut would.
func (v *victim) die() { _ = v.c.Process.Kill() }

// ended waits for the end of the process and reports whether it was killed without another word.
func (v *victim) ended() bool {
	rest, _ := io.ReadAll(v.out)
	_ = v.c.Wait() // the state says more
	return len(rest) == 0 && !v.c.ProcessState.Exited()
}

// kill starts a server, has it ask about an order, and kills it at a step of that. It returns the state of the approval.
func (f *front) kill(arm func(*front, *victim)) (state string) {
	f.t.Helper()
	v := f.victim()
	send := func(line string) {
		f.t.Helper()
		if _, err := io.WriteString(v.in, line+"\n"); err != nil {
			f.t.Fatal(err)
		}
	}
	send(formLine(buyTwo, ""))
	raw, err := v.out.ReadBytes('\n')
	if err != nil {
		f.t.Fatal(err)
	}
	state = stateOf(f.t, raw)
	if arm == nil {
		v.die()
	} else {
		f.mu.Lock()
		arm(f, v)
		f.mu.Unlock()
		send(formLine(buyTwo, saidYes+fmt.Sprintf("%q", state)))
	}
	if !v.ended() {
		f.t.Fatal("the server was not killed, or answered before")
	}
	f.mu.Lock()
	f.before, f.after = nil, nil
	f.mu.Unlock()
	return state
}

// TestKilledServer kills a whole server, a process of its own, at the steps of an order that can be told from outside.
// The next server finds out by itself what became of it, its client and the command line are told, and the approval
// never makes a second order. The steps in between, which only the process knows, are those of TestKillAtEveryStep in
// internal/intent.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		arm    func(*front, *victim) // nil: it dies while the person reads
		found  string                // what the next server logs when it starts
		states []string              // as activity tells it, at each further look
		orders int                   // in the book
		again  string                // the approval presented again
	}{
		"before the answer of the person": {states: []string{""}, again: `"status":"submitted"`},
		"before the first byte reaches Kite": {
			arm:   func(f *front, v *victim) { f.before = v.die },
			found: "was=sending is=unknown", states: []string{"unknown", "absent", "absent"}, again: "already used",
		},
		"after Kite accepted": {
			arm:   func(f *front, v *victim) { f.after = v.die },
			found: "was=sending is=placed", states: []string{"placed"}, orders: 1, again: "already used",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFront(t)
			state := f.kill(tc.arm)
			f.clock.Store(int64(time.Minute))
			s, found := f.next(tc.found)
			if !found {
				t.Errorf("the next server did not log %q", tc.found)
			}
			for i, want := range tc.states {
				f.clock.Add(int64(6 * time.Second))
				f.tells(s, want, i)
			}
			if got := f.tagged(); len(got) != tc.orders {
				t.Errorf("orders %v, want %d", got, tc.orders)
			}
			if answer := s.line(formLine(buyTwo, saidYes+fmt.Sprintf("%q", state))); !strings.Contains(answer, tc.again) {
				t.Errorf("the approval presented again: %s", answer)
			}
			if got := f.tagged(); len(got) != max(tc.orders, f.posts) || f.posts > 1 {
				t.Errorf("orders %v of one approval, %d requests", got, f.posts)
			}
		})
	}
}

// tells compares what a client and the command line are told about the change.
func (f *front) tells(s *stdio, want string, look int) {
	f.t.Helper()
	var row struct {
		State   string `json:"state"`
		OrderID string `json:"order_id"`
	}
	rows := s.call("session", `{"mode":"activity"}`).Data
	if len(rows) > 0 {
		text, err := json.Marshal(rows[0])
		if err != nil {
			f.t.Fatal(err)
		}
		if err := json.Unmarshal(text, &row); err != nil {
			f.t.Fatal(err)
		}
	}
	if row.State != want || (row.OrderID != "") != (want == "placed") {
		f.t.Errorf("look %d: activity says %q with order %q, want %q", look, row.State, row.OrderID, want)
	}
	var out, errs strings.Builder
	status := cmd.Run(f.t.Context(), &cmd.Process{Args: []string{"activity", "-q"}, In: strings.NewReader(""), Out: &out, Err: &errs, Environ: f.env, Now: f.now})
	if status != 0 || !strings.Contains(out.String(), want) || strings.Contains(out.String(), "INFY") != (want != "") {
		f.t.Errorf("look %d: kite-mcp activity: status %d, %s%s", look, status, out.String(), errs.String())
	}
}

// next starts a server in the place of the killed one and waits for what it logs by itself.
func (f *front) next(found string) (*stdio, bool) {
	f.t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	notes, stderr := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- cmd.Run(context.WithoutCancel(f.t.Context()), &cmd.Process{Args: []string{"serve"}, In: fromClient, Out: toClient, Err: stderr, Environ: f.env, Now: f.now})
		_ = toClient.Close()
		_ = stderr.Close()
	}()
	logged := bufio.NewScanner(notes)
	ok := found == ""
	for !ok && logged.Scan() {
		ok = strings.Contains(logged.Text(), found)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, notes)
	}()
	f.t.Cleanup(func() {
		_ = in.Close()
		if status := <-done; status != 0 {
			f.t.Errorf("serve: status %d", status)
		}
		<-drained
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &stdio{t: f.t, in: in, answers: lines}, ok
}
