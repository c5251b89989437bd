package intent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/store"
)

// TestWatch looks at the start, and 2, 5, 15 and 60 seconds after an outcome got lost, while any is open.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		open func(n int) (int, error) // of the look with that number, from 1
		want []int                    // seconds
	}{
		"nothing open":   {func(int) (int, error) { return 0, nil }, []int{0, 102}},
		"stays open":     {func(int) (int, error) { return 1, nil }, []int{0, 2, 5, 15, 60, 102, 105, 115, 160}},
		"settled soon":   {func(n int) (int, error) { return max(0, 7-n), nil }, []int{0, 2, 5, 15, 60, 102, 105}},
		"cannot be read": {func(int) (int, error) { return 0, errors.New("no network") }, []int{0, 2, 5, 15, 60, 102, 105, 115, 160}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				now := time.Now //nolint:forbidigo // the fake clock of the bubble
				began := now()
				l := intent.New(intent.Options{Store: store.Memory(now), Keys: store.RandomKeys(), Now: now})
				ctx, cancel := context.WithCancel(t.Context())
				var looks []int
				done := make(chan struct{})
				go func() {
					defer close(done)
					l.Watch(ctx, func(context.Context) (int, error) {
						looks = append(looks, int(now().Sub(began)/time.Second))
						return tc.open(len(looks))
					})
				}()
				time.Sleep(100 * time.Second)
				if err := l.Create(ctx, placing("i1", "k1")); err != nil {
					t.Error(err)
				}
				if err := l.Settle(ctx, account, "i1", "", &kite.Error{Kind: kite.KindOutcomeUnknown}); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Hour)
				cancel()
				<-done
				if diff := cmp.Diff(tc.want, looks); diff != "" {
					t.Errorf("looked at (-want +got):\n%s", diff)
				}
			})
		})
	}
}
