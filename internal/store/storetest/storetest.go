// Package storetest is the contract of store.Store as tests that every backend runs. Start at Run.
package storetest

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/store"
)

// Clock is a wall clock that tests move.
type Clock struct{ offset atomic.Int64 }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	return time.Date(2026, 12, 2, 5, 45, 0, 0, time.UTC).Add(time.Duration(c.offset.Load()))
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) { c.offset.Add(int64(d)) }

// Run holds a backend to the contract; open returns an empty store on the clock.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, store.Store, *Clock){
		"records": records, "ends": ends, "owners are apart": owners, "one winner": oneWinner, "bad keys": badKeys, "epoch": epoch,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &Clock{}
			s := open(t, c.Now)
			t.Cleanup(func() { _ = s.Close() })
			test(t, s, c)
		})
	}
}

func key(id string) store.Key { return store.Key{Kind: "intent", Owner: "DM0001", ID: id} }

func want(t *testing.T, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: %v, want %v", what, err, target)
	}
}

func records(t *testing.T, s store.Store, c *Clock) {
	t.Helper()
	ctx, exp := t.Context(), c.Now().Add(time.Hour)
	_, err := s.Get(ctx, key("a"))
	want(t, "get of nothing", err, store.ErrNotFound)
	_, err = s.Take(ctx, key("a"))
	want(t, "take of nothing", err, store.ErrNotFound)
	want(t, "swap of nothing", s.Swap(ctx, key("a"), nil, []byte("x"), exp), store.ErrConflict)
	want(t, "delete of nothing", s.Delete(ctx, key("a")), nil)
	want(t, "create", s.Create(ctx, key("a"), []byte("one"), exp), nil)
	want(t, "create again", s.Create(ctx, key("a"), []byte("two"), exp), store.ErrExists)
	want(t, "swap of another value", s.Swap(ctx, key("a"), []byte("two"), []byte("three"), exp), store.ErrConflict)
	want(t, "swap", s.Swap(ctx, key("a"), []byte("one"), []byte("three"), exp), nil)
	got, err := s.Get(ctx, key("a"))
	if string(got) != "three" || err != nil {
		t.Errorf("get: %q, %v", got, err)
	}
	want(t, "put", s.Put(ctx, key("a"), []byte{}, exp), nil)
	if got, err := s.Get(ctx, key("a")); err != nil || len(got) != 0 {
		t.Errorf("get of an empty value: %q, %v", got, err)
	}
	if _, err := s.Take(ctx, key("a")); err != nil {
		t.Errorf("take: %v", err)
	}
	_, err = s.Get(ctx, key("a"))
	want(t, "get after take", err, store.ErrNotFound)
}

func ends(t *testing.T, s store.Store, c *Clock) {
	t.Helper()
	ctx := t.Context()
	want(t, "create", s.Create(ctx, key("a"), []byte("one"), c.Now().Add(time.Minute)), nil)
	c.Advance(time.Minute - time.Second)
	if _, err := s.Get(ctx, key("a")); err != nil {
		t.Errorf("just before its end: %v", err)
	}
	c.Advance(time.Second)
	_, err := s.Get(ctx, key("a"))
	want(t, "get after its end", err, store.ErrNotFound)
	_, err = s.Take(ctx, key("a"))
	want(t, "take after its end", err, store.ErrNotFound)
	want(t, "swap after its end", s.Swap(ctx, key("a"), []byte("one"), nil, c.Now().Add(time.Minute)), store.ErrConflict)
	if list, err := s.List(ctx, "intent", "DM0001"); len(list) != 0 || err != nil {
		t.Errorf("list: %v, %v", list, err)
	}
	want(t, "create after its end", s.Create(ctx, key("a"), []byte("two"), c.Now().Add(24*time.Hour)), nil)
	c.Advance(time.Hour) // past any sweep
	want(t, "another write", s.Put(ctx, key("b"), []byte("x"), c.Now().Add(time.Hour)), nil)
	if got, err := s.Get(ctx, key("a")); string(got) != "two" || err != nil {
		t.Errorf("what lives was swept: %q, %v", got, err)
	}
}

func owners(t *testing.T, s store.Store, c *Clock) {
	t.Helper()
	ctx, exp := t.Context(), c.Now().Add(time.Hour)
	for _, k := range []store.Key{
		{Kind: "intent", Owner: "A1", ID: "x"},
		{Kind: "intent", Owner: "A1", ID: "y/z\x00"},
		{Kind: "intent", Owner: "A11", ID: "x"},
		{Kind: "grant", Owner: "A1", ID: "x"},
		{Kind: "intent", ID: "A1"},
	} {
		want(t, "put", s.Put(ctx, k, []byte(k.Owner+k.ID), exp), nil)
	}
	got, err := s.List(ctx, "intent", "A1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]byte{"x": []byte("A1x"), "y/z\x00": []byte("A1y/z\x00")}, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func oneWinner(t *testing.T, s store.Store, c *Clock) {
	t.Helper()
	ctx, exp := t.Context(), c.Now().Add(time.Hour)
	for name, claim := range map[string]func(k store.Key, n int) error{
		"create": func(k store.Key, n int) error { return s.Create(ctx, k, []byte(strconv.Itoa(n)), exp) },
		"take": func(k store.Key, _ int) error {
			_, err := s.Take(ctx, k)
			return err
		},
		"swap": func(k store.Key, n int) error { return s.Swap(ctx, k, []byte("old"), []byte(strconv.Itoa(n)), exp) },
	} {
		if name != "create" {
			want(t, "put", s.Put(ctx, key(name), []byte("old"), exp), nil)
		}
		var won, lost atomic.Int64
		var wg sync.WaitGroup
		for n := range 64 {
			wg.Go(func() {
				switch err := claim(key(name), n); {
				case err == nil:
					won.Add(1)
				case errors.Is(err, store.ErrExists), errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrConflict):
					lost.Add(1)
				default:
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || lost.Load() != 63 {
			t.Errorf("%s: %d won and %d lost, want 1 and 63", name, won.Load(), lost.Load())
		}
	}
}

func badKeys(t *testing.T, s store.Store, c *Clock) {
	t.Helper()
	for _, k := range []store.Key{{}, {Kind: "a/b", ID: "x"}, {Kind: "a", Owner: "b/c", ID: "x"}, {Kind: "a", Owner: "b"}} {
		if err := s.Put(t.Context(), k, nil, c.Now().Add(time.Hour)); err == nil {
			t.Errorf("%+v was accepted", k)
		}
	}
	if _, err := s.List(t.Context(), "a", ""); err == nil {
		t.Error("records without an owner were listed")
	}
}

func epoch(t *testing.T, s store.Store, c *Clock) {
	t.Helper()
	first, err := s.Epoch(t.Context())
	if err != nil || first == "" {
		t.Fatalf("epoch %q, %v", first, err)
	}
	want(t, "put", s.Put(t.Context(), key("a"), nil, c.Now().Add(time.Hour)), nil)
	if again, err := s.Epoch(t.Context()); again != first || err != nil {
		t.Errorf("epoch %q then %q, %v", first, again, err)
	}
}
