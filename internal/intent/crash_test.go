package intent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/store/storetest"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// victim is the environment variable that makes this test binary place orders and die.
const victim = "KITE_MCP_TEST_VICTIM"

func TestMain(m *testing.M) {
	job := os.Getenv(victim) //nolint:forbidigo // this process is the one that is killed
	if job == "" {
		os.Exit(m.Run()) //nolint:forbidigo // the way a test binary ends
	}
	if err := place(job); err != nil {
		fmt.Fprintln(os.Stderr, err) //nolint:forbidigo // for the test that started it
		os.Exit(1)                   //nolint:forbidigo // see above
	}
	os.Exit(0) //nolint:forbidigo // see above
}

// task is what a victim does.
type task struct {
	Kite, Dir string // base URL, state folder
	At        time.Time
	KillAt    string
	Approvals []string // one call each, all at once
	Quantity  int      // of the first call; each further one has one more, so that they are not the same change
}

// die ends this process as a power cut would.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// place makes the calls of a task through the registry, the client and the log of the product, and prints one word for
// each: ok or the code of its failure.
func place(job string) error {
	var do task
	if err := json.Unmarshal([]byte(job), &do); err != nil {
		return err
	}
	reg, err := tools.New(tools.All(), tools.Options{})
	if err != nil {
		return err
	}
	now := func() time.Time { return do.At }
	log := intent.New(intent.Options{Store: store.OpenFile(filepath.Join(do.Dir, "state.db"), now), Keys: store.KeyFile(filepath.Join(do.Dir, "key")), Now: now})
	client := kite.New(kite.Options{BaseURL: do.Kite, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: dying{do.KillAt, kite.NewTransport()}})
	var wg sync.WaitGroup
	words := make([]string, len(do.Approvals))
	for i, id := range do.Approvals {
		env := &tools.Env{
			Kite: kite.Fixed(client), Now: now, Log: slog.New(slog.DiscardHandler),
			Approver: says{do.KillAt, id}, Intents: &dyingLog{log, do.KillAt},
		}
		args := fmt.Sprintf(`{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":%d,"product":"CNC","order_type":"MARKET"}`, do.Quantity+i)
		wg.Go(func() {
			words[i] = "ok"
			if _, err := reg.Call(context.Background(), env, tools.Profile{}, "orders", json.RawMessage(args)); err != nil {
				words[i] = string(tools.Explain(err).Code)
			}
		})
	}
	wg.Wait()
	_, err = fmt.Fprintln(os.Stdout, strings.Join(words, " ")) //nolint:forbidigo // for the test that started it
	return err
}

// says approves everything under one id.
type says struct{ killAt, id string }

func (s says) Approve(context.Context, tools.Proposal) (tools.Approval, error) {
	if s.killAt == "before created" {
		die()
	}
	return tools.Approval{IntentID: s.id}, nil
}

// dyingLog kills the process around the writes of a log.
type dyingLog struct {
	*intent.Log
	killAt string
}

func (l *dyingLog) Create(ctx context.Context, in kite.Intent) error {
	err := l.Log.Create(ctx, in)
	if l.killAt == "created" {
		die()
	}
	return err
}

func (l *dyingLog) Sending(ctx context.Context, account, id string) error {
	err := l.Log.Sending(ctx, account, id)
	if l.killAt == "sending" {
		die()
	}
	return err
}

func (l *dyingLog) Settle(ctx context.Context, account, id, ref string, outcome error) error {
	if l.killAt == "answered" {
		die()
	}
	return l.Log.Settle(ctx, account, id, ref, outcome)
}

// dying kills the process once Kite took an order, before its answer is read.
type dying struct {
	killAt string
	to     http.RoundTripper
}

func (d dying) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.to.RoundTrip(r)
	if r.Method == http.MethodPost && d.killAt == "accepted" {
		die()
	}
	return resp, err
}

// site is a demo exchange on a port and a state folder, for processes to share.
type site struct {
	url, dir string
	clock    storetest.Clock

	mu    sync.Mutex
	posts int
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{dir: filepath.Join(t.TempDir(), "state")}
	x, err := demo.New(demo.Options{Now: s.clock.Now, Clock: demo.Clock{Frozen: s.clock.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/orders/") {
			s.mu.Lock()
			s.posts++
			s.mu.Unlock()
		}
		x.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	s.url = web.URL
	return s
}

// run starts a process and returns its words; none when it was killed.
func (s *site) run(t *testing.T, killAt string, approvals ...string) []string {
	t.Helper()
	return s.runFrom(t, 1, killAt, approvals...)
}

// runFrom is run with the quantity of the first order.
func (s *site) runFrom(t *testing.T, quantity int, killAt string, approvals ...string) []string {
	t.Helper()
	job, err := json.Marshal(task{Kite: s.url, Dir: s.dir, At: s.clock.Now(), KillAt: killAt, Approvals: approvals, Quantity: quantity})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)          //nolint:gosec // this test binary
	c.Env = append(os.Environ(), victim+"="+string(job)) //nolint:forbidigo // the process needs what every process does
	var complaint strings.Builder
	c.Stderr = &complaint
	out, err := c.Output()
	_, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case killAt == "" && err != nil, killAt != "" && (!exited || complaint.Len() > 0):
		t.Fatalf("killed at %q: %v %s", killAt, err, complaint.String())
	}
	return strings.Fields(string(out))
}

// log is the log as a restarted server has it.
func (s *site) log() *intent.Log {
	return intent.New(intent.Options{Store: store.OpenFile(filepath.Join(s.dir, "state.db"), s.clock.Now), Keys: store.KeyFile(filepath.Join(s.dir, "key")), Now: s.clock.Now})
}

func (s *site) client() *kite.Client {
	return kite.New(kite.Options{BaseURL: s.url, APIKey: demo.APIKey, AccessToken: demo.AccessToken})
}

// TestKillAtEveryStep kills the process at each step of an order. The next one tells what became of it, the same
// approval never places a second order, and an approval that was not used yet still works.
func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	for killAt, tc := range map[string]struct {
		posts  int              // before anything is presented again
		state  kite.IntentState // once it is settled, empty for no record
		replay string
	}{
		"before created": {0, "", "ok"},
		"created":        {0, kite.IntentAbsent, "approval_invalid"},
		"sending":        {0, kite.IntentAbsent, "approval_invalid"},
		"accepted":       {1, kite.IntentPlaced, "approval_invalid"},
		"answered":       {1, kite.IntentPlaced, "approval_invalid"},
	} {
		t.Run(killAt, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.run(t, killAt, "approval-1")
			if s.posts != tc.posts {
				t.Fatalf("%d orders were posted, want %d", s.posts, tc.posts)
			}
			s.clock.Advance(20 * time.Second)
			for range 3 {
				if _, err := s.log().Reconcile(t.Context(), account, s.client().Books()); err != nil {
					t.Fatal(err)
				}
				s.clock.Advance(6 * time.Second)
			}
			s.check(t, tc.state, tc.posts)
			s.clock.Advance(time.Minute)
			if got := s.run(t, "", "approval-1"); len(got) != 1 || got[0] != tc.replay {
				t.Errorf("the approval presented again: %v, want %s", got, tc.replay)
			}
			if s.posts > 1 {
				t.Errorf("%d orders were posted for one approval", s.posts)
			}
		})
	}
}

// check compares the log with the book: every order it calls placed is there, and no others.
func (s *site) check(t *testing.T, state kite.IntentState, posts int) {
	t.Helper()
	all, err := s.log().List(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	var states []kite.IntentState
	for _, in := range all {
		states = append(states, in.State)
	}
	var want []kite.IntentState
	if state != "" {
		want = append(want, state)
	}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	book, err := s.client().Orders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	placed := 0
	for _, o := range book {
		if o.Tag == "" {
			continue
		}
		placed++
		if len(all) != 1 || all[0].Ref != o.OrderID || all[0].Tag != o.Tag {
			t.Errorf("order %s has the tag %s, the log says %+v", o.OrderID, o.Tag, all)
		}
	}
	if placed != posts {
		t.Errorf("%d orders with a tag are in the book, want %d", placed, posts)
	}
}

// TestProcessesShareOneFile: approvals from four processes on one file are all answered, and one approval presented by
// all of them counts once.
func TestProcessesShareOneFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	answers := func(approvals func(process int) []string) map[string]int {
		counts := map[string]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for process := range 4 {
			wg.Go(func() {
				words := s.runFrom(t, 1+2*process, "", approvals(process)...)
				mu.Lock()
				defer mu.Unlock()
				for _, w := range words {
					counts[w]++
				}
			})
		}
		wg.Wait()
		return counts
	}
	own := answers(func(process int) []string { return []string{"a" + strconv.Itoa(process), "b" + strconv.Itoa(process)} })
	if own["ok"] != 8 || s.posts != 8 {
		t.Errorf("eight approvals: %v, %d posts", own, s.posts)
	}
	s.clock.Advance(time.Minute)
	s.posts = 0
	one := answers(func(int) []string { return strings.Fields(strings.Repeat("same ", 16)) })
	// Some are refused earlier: they see that the same order is being sent.
	if one["ok"] != 1 || one["approval_invalid"]+one["rejected"] != 63 || s.posts != 1 {
		t.Errorf("one approval, 64 times: %v, %d posts", one, s.posts)
	}
}
