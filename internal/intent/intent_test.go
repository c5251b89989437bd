package intent_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/store/storetest"
)

const account = "DM0001"

// world is a log on a clock and an order book that tests write.
type world struct {
	*intent.Log
	clock storetest.Clock
	store store.Store
	book  []kite.Order

	triggers []kite.GTT
	reads    int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	w.store = store.Memory(w.clock.Now)
	w.Log = intent.New(intent.Options{Store: w.store, Keys: store.RandomKeys(), Now: w.clock.Now})
	return w
}

func (w *world) books() kite.Books {
	return kite.Books{
		Orders: func(context.Context) ([]kite.Order, error) {
			w.reads++
			return w.book, nil
		},
		GTTs: func(context.Context) ([]kite.GTT, error) {
			w.reads++
			return w.triggers, nil
		},
	}
}

// placing is an approved order for 10 INFY.
func placing(id, tag string) kite.Intent {
	return kite.Intent{
		ID: id, Account: account, Tool: "orders", Mode: "place", Action: "BUY 10 NSE:INFY", State: kite.IntentApproved, Tag: tag, Args: "a1",
		Expect: kite.Expect{Place: &kite.ExpectPlace{Generated: true, Exchange: "NSE", Symbol: "INFY", Side: "BUY", Quantity: 10}},
	}
}

func (w *world) state(t *testing.T, id string) kite.Intent {
	t.Helper()
	all, err := w.List(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range all {
		if in.ID == id {
			return in
		}
	}
	t.Fatalf("no intent %s among %d", id, len(all))
	return kite.Intent{}
}

func (w *world) want(t *testing.T, id string, state kite.IntentState, orderID string) {
	t.Helper()
	if in := w.state(t, id); in.State != state || in.Ref != orderID {
		t.Errorf("intent %s is %s with order %q (%s), want %s with %q", id, in.State, in.Ref, in.Message, state, orderID)
	}
}

func (w *world) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) reconcile(t *testing.T) int {
	t.Helper()
	open, err := w.Reconcile(t.Context(), account, w.books())
	w.must(t, err)
	return open
}

func TestOneApprovalCountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var won, used atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			switch err := w.Create(t.Context(), placing("i1", "k1")); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, kite.ErrIntentUsed):
				used.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || used.Load() != 63 {
		t.Errorf("%d won, %d were told that it is used; want 1 and 63", won.Load(), used.Load())
	}
}

func TestOutcomesAreWrittenDown(t *testing.T) {
	t.Parallel()
	lost := &kite.Error{Kind: kite.KindOutcomeUnknown, Message: "reset"}
	for name, tc := range map[string]struct {
		outcome error
		want    kite.IntentState
	}{
		"taken":    {nil, kite.IntentPlaced},
		"refused":  {&kite.Error{Kind: kite.KindRejected, Message: "no funds"}, kite.IntentRejected},
		"not sent": {&kite.Error{Kind: kite.KindRateLimited}, kite.IntentRejected},
		"lost":     {lost, kite.IntentUnknown},
		"a bug":    {errors.New("anything"), kite.IntentUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.must(t, w.Create(t.Context(), placing("i1", "k1")))
			w.must(t, w.Sending(t.Context(), account, "i1"))
			if err := w.Sending(t.Context(), account, "i1"); !errors.Is(err, kite.ErrIntentUsed) {
				t.Errorf("sent a second time: %v", err)
			}
			w.must(t, w.Settle(t.Context(), account, "i1", "", tc.outcome))
			w.want(t, "i1", tc.want, "")
		})
	}
}

// TestReconcile finds out what a lost answer or a dead process left open.
func TestReconcile(t *testing.T) {
	t.Parallel()
	lost := &kite.Error{Kind: kite.KindOutcomeUnknown}
	own := func(in kite.Intent) kite.Intent { // a tag of the person's own, which other orders carry too
		place := *in.Expect.Place
		place.Generated = false
		in.Expect.Place, in.Expect.After = &place, time.Date(2026, 12, 2, 11, 15, 0, 0, kite.IST)
		return in
	}
	row := kite.Order{OrderID: "7", Tag: "k1", Exchange: "NSE", TradingSymbol: "INFY", TransactionType: "BUY", Quantity: 10, OrderTimestamp: time.Date(2026, 12, 2, 11, 15, 0, 0, kite.IST)}
	changed := func(edit func(*kite.Order)) kite.Order { r := row; edit(&r); return r }
	modify := placing("i1", "")
	modify.Mode, modify.Ref, modify.Expect = "modify", "7", kite.Expect{Modify: &kite.OrderChange{OrderID: "7", Price: 15_000_000}}
	cancel := placing("i1", "")
	cancel.Mode, cancel.Ref, cancel.Expect = "cancel", "7", kite.Expect{Cancel: "7"}
	for name, tc := range map[string]struct {
		intent kite.Intent
		book   []kite.Order
		want   kite.IntentState
		order  string
	}{
		"there":                {placing("i1", "k1"), []kite.Order{{OrderID: "6", Tag: "k2"}, row}, kite.IntentPlaced, "7"},
		"there among the tags": {placing("i1", "k1"), []kite.Order{changed(func(o *kite.Order) { o.Tag, o.Tags = "", []string{"x", "k1"} })}, kite.IntentPlaced, "7"},
		"not there":            {placing("i1", "k1"), []kite.Order{{OrderID: "6", Tag: "k2"}}, kite.IntentAbsent, ""},
		"own tag":              {own(placing("i1", "k1")), []kite.Order{row}, kite.IntentPlaced, "7"},
		"own tag, older":       {own(placing("i1", "k1")), []kite.Order{changed(func(o *kite.Order) { o.OrderTimestamp = o.OrderTimestamp.Add(-time.Second) })}, kite.IntentAbsent, ""},
		"own tag, other side":  {own(placing("i1", "k1")), []kite.Order{changed(func(o *kite.Order) { o.TransactionType = "SELL" })}, kite.IntentAbsent, ""},
		"own tag, other size":  {own(placing("i1", "k1")), []kite.Order{changed(func(o *kite.Order) { o.Quantity = 11 })}, kite.IntentAbsent, ""},
		"modified":             {modify, []kite.Order{changed(func(o *kite.Order) { o.Price = 15_000_000 })}, kite.IntentPlaced, "7"},
		"not modified":         {modify, []kite.Order{row}, kite.IntentAbsent, "7"},
		"cancelled":            {cancel, []kite.Order{changed(func(o *kite.Order) { o.Status = "CANCELLED" })}, kite.IntentPlaced, "7"},
		"not cancelled":        {cancel, []kite.Order{changed(func(o *kite.Order) { o.Status = "COMPLETE" })}, kite.IntentAbsent, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.must(t, w.Create(t.Context(), tc.intent))
			w.must(t, w.Sending(t.Context(), account, "i1"))
			w.must(t, w.Settle(t.Context(), account, "i1", tc.intent.Ref, lost))
			w.book = tc.book
			for range 3 {
				w.reconcile(t)
				w.clock.Advance(5 * time.Second)
			}
			w.want(t, "i1", tc.want, tc.order)
			if open := w.reconcile(t); open != 0 {
				t.Errorf("%d stay open", open)
			}
		})
	}
}

// TestAbsenceNeedsThreeLooks: Kite's book can lag behind its own answers.
func TestAbsenceNeedsThreeLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, w.Create(t.Context(), placing("i1", "k1")))
	w.must(t, w.Sending(t.Context(), account, "i1"))
	w.must(t, w.Settle(t.Context(), account, "i1", "", &kite.Error{Kind: kite.KindOutcomeUnknown}))
	for range 20 { // in quick succession these are one look
		w.reconcile(t)
	}
	w.clock.Advance(11 * time.Second)
	w.reconcile(t)
	w.want(t, "i1", kite.IntentUnknown, "")
	w.clock.Advance(2 * time.Second)
	w.reconcile(t)
	w.want(t, "i1", kite.IntentAbsent, "")
}

// TestDeadProcesses: what nobody is going to report is found out; what somebody may still report is left alone.
func TestDeadProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, w.Create(t.Context(), placing("before", "k1")))
	w.must(t, w.Create(t.Context(), placing("after", "k2")))
	w.must(t, w.Sending(t.Context(), account, "after"))
	w.book = []kite.Order{{OrderID: "7", Tag: "k2"}}
	w.clock.Advance(19 * time.Second)
	if open := w.reconcile(t); open != 2 || w.reads != 0 {
		t.Errorf("%d open after %d reads, want 2 and none", open, w.reads)
	}
	w.clock.Advance(time.Second)
	w.reconcile(t)
	w.want(t, "before", kite.IntentAbsent, "")
	w.want(t, "after", kite.IntentPlaced, "7")
	if err := w.Sending(t.Context(), account, "before"); !errors.Is(err, kite.ErrIntentUsed) {
		t.Errorf("a process that was given up may send: %v", err)
	}
	// A late answer is the better knowledge.
	w.must(t, w.Settle(t.Context(), account, "before", "9", nil))
	w.want(t, "before", kite.IntentPlaced, "9")
}

func TestTheDayEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, w.Create(t.Context(), placing("i1", "k1")))
	w.must(t, w.Sending(t.Context(), account, "i1"))
	w.clock.Advance(24 * time.Hour)
	w.reconcile(t)
	w.want(t, "i1", kite.IntentUnsettled, "")
}

func TestAnUnreadableBookSettlesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, w.Create(t.Context(), placing("i1", "k1")))
	w.must(t, w.Sending(t.Context(), account, "i1"))
	for range 4 {
		w.clock.Advance(time.Minute)
		broken := &kite.Error{Kind: kite.KindUpstreamUnavailable}
		if _, err := w.Reconcile(t.Context(), account, kite.Books{Orders: func(context.Context) ([]kite.Order, error) { return nil, broken }}); !errors.Is(err, kite.ErrUpstreamUnavailable) {
			t.Errorf("got %v", err)
		}
	}
	w.want(t, "i1", kite.IntentSending, "")
}

func TestReviewWarns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	next := placing("", "")
	w.must(t, w.Create(t.Context(), placing("i1", "k1")))
	w.must(t, w.Sending(t.Context(), account, "i1"))
	if _, err := w.Review(t.Context(), next); !errors.Is(err, kite.ErrIntentPending) {
		t.Errorf("the same change is under way: %v", err)
	}
	warned := func(in kite.Intent, words ...string) {
		t.Helper()
		r, err := w.Review(t.Context(), in)
		w.must(t, err)
		text := strings.Join(r.Warnings, "\n")
		if (len(words) == 0) != (text == "") {
			t.Errorf("warnings %q, want %q", text, words)
		}
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("warnings %q, want %q", text, word)
			}
		}
	}
	other := next
	other.Args = "a2"
	w.must(t, w.Settle(t.Context(), account, "i1", "", &kite.Error{Kind: kite.KindOutcomeUnknown}))
	warned(other, "outcome of an earlier change is not known", "11:15:00", "BUY 10 NSE:INFY")
	w.must(t, w.Settle(t.Context(), account, "i1", "7", nil))
	w.clock.Advance(29 * time.Second)
	warned(next, "likely duplicate", "11:15:00")
	warned(other)
	foreign := next
	foreign.Account = "DM0002"
	warned(foreign)
	w.clock.Advance(time.Second)
	warned(next)
}

// TestRecordsAreSealed: the store holds no symbol, and a record works under its own key only.
func TestRecordsAreSealed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, w.Create(t.Context(), placing("i1", "k1")))
	list, err := w.store.List(t.Context(), "intent", account)
	w.must(t, err)
	for id, val := range list {
		if bytes.Contains(val, []byte("INFY")) {
			t.Errorf("record %s is readable: %q", id, val)
		}
		exp := w.clock.Now().Add(time.Hour)
		w.must(t, w.store.Put(t.Context(), store.Key{Kind: "intent", Owner: account, ID: "copy"}, val, exp))
		w.must(t, w.store.Put(t.Context(), store.Key{Kind: "intent", Owner: "DM0002", ID: id}, val, exp))
	}
	for owner, want := range map[string]int{account: 1, "DM0002": 0} {
		if got, err := w.List(t.Context(), owner); len(got) != want || err != nil {
			t.Errorf("%s has %d changes, %v; want %d", owner, len(got), err, want)
		}
	}
}

func TestListIsNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"a", "b", "c"} {
		w.must(t, w.Create(t.Context(), placing(id, id)))
		w.clock.Advance(time.Second)
	}
	all, err := w.List(t.Context(), account)
	w.must(t, err)
	var ids []string
	for _, in := range all {
		ids = append(ids, in.ID)
	}
	if diff := cmp.Diff([]string{"c", "b", "a"}, ids); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	w.clock.Advance(30 * 24 * time.Hour)
	if all, err := w.List(t.Context(), account); len(all) != 0 || err != nil {
		t.Errorf("after 30 days: %v, %v", all, err)
	}
}

func TestBadAccountsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, bad := range []string{"", "a/b", "dm0001", "X", "WAYTOOLONGACCOUNT"} {
		in := placing("i1", "k1")
		in.Account = bad
		if err := w.Create(t.Context(), in); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// TestUnsettledIsToldUntilDismissed: an order that nobody can find out any more is told for days, until the person has
// enough of it; nothing else can be dismissed.
func TestUnsettledIsToldUntilDismissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"lost", "placed"} {
		w.must(t, w.Create(t.Context(), placing(id, "k"+id)))
		w.must(t, w.Sending(t.Context(), account, id))
	}
	w.must(t, w.Settle(t.Context(), account, "placed", "2044", nil))
	w.must(t, w.Settle(t.Context(), account, "lost", "", &kite.Error{Kind: kite.KindOutcomeUnknown}))
	if in, err := w.Dismiss(t.Context(), account, "lost"); !errors.Is(err, kite.ErrNotUnsettled) || in.State != kite.IntentUnknown {
		t.Errorf("dismissed while it is looked for: %v, %v", in.State, err)
	}
	w.clock.Advance(7 * 24 * time.Hour)
	w.reconcile(t)
	w.want(t, "lost", kite.IntentUnsettled, "")
	told := func() []string {
		t.Helper()
		next := placing("", "")
		next.Args = "others"
		r, err := w.Review(t.Context(), next)
		w.must(t, err)
		return r.Warnings
	}
	want := []string{"The outcome of an earlier change was never found out (sent 2026-12-02 11:15:00): BUY 10 NSE:INFY (kite-mcp activity dismiss lost ends this reminder)."}
	if diff := cmp.Diff(want, told()); diff != "" {
		t.Errorf("told a week later (-want +got):\n%s", diff)
	}
	if _, err := w.Dismiss(t.Context(), account, "lost"); err != nil {
		t.Error(err)
	}
	w.want(t, "lost", kite.IntentDismissed, "")
	if got := told(); len(got) != 0 {
		t.Errorf("told after it was dismissed: %q", got)
	}
	if in, err := w.Dismiss(t.Context(), account, "lost"); !errors.Is(err, kite.ErrNotUnsettled) || in.State != kite.IntentDismissed {
		t.Errorf("dismissed twice: %v, %v", in.State, err)
	}
	if in, err := w.Dismiss(t.Context(), account, "placed"); !errors.Is(err, kite.ErrNotUnsettled) || in.State != kite.IntentPlaced {
		t.Errorf("dismissed a placed one: %v, %v", in.State, err)
	}
	if _, err := w.Dismiss(t.Context(), account, "nobody"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("dismissed nothing: %v", err)
	}
}
