package store_test

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/store"
)

// alternating is two handles on one file, used in turn as two processes would.
type alternating struct {
	stores [2]store.Store
	calls  atomic.Int64
}

func (a *alternating) next() store.Store { return a.stores[a.calls.Add(1)%2] }

func (a *alternating) Get(ctx context.Context, k store.Key) ([]byte, error) {
	return a.next().Get(ctx, k)
}

func (a *alternating) Put(ctx context.Context, k store.Key, val []byte, exp time.Time) error {
	return a.next().Put(ctx, k, val, exp)
}

func (a *alternating) Create(ctx context.Context, k store.Key, val []byte, exp time.Time) error {
	return a.next().Create(ctx, k, val, exp)
}

func (a *alternating) Take(ctx context.Context, k store.Key) ([]byte, error) {
	return a.next().Take(ctx, k)
}

func (a *alternating) Swap(ctx context.Context, k store.Key, old, val []byte, exp time.Time) error {
	return a.next().Swap(ctx, k, old, val, exp)
}

func (a *alternating) Delete(ctx context.Context, k store.Key) error { return a.next().Delete(ctx, k) }

func (a *alternating) List(ctx context.Context, kind, owner string) (map[string][]byte, error) {
	return a.next().List(ctx, kind, owner)
}

func (a *alternating) Epoch(ctx context.Context) (string, error) { return a.next().Epoch(ctx) }

func (a *alternating) Close() error { return nil }
