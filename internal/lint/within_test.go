package lint

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		slow := func() int { <-release; return 1 }
		start := time.Now() //nolint:forbidigo // the bubble's clock
		if _, ok := within(t.Context(), parseLimit, slow); ok {
			t.Error("work that never ends was waited for")
		}
		if waited := time.Since(start); waited != parseLimit {
			t.Errorf("waited %s, want %s", waited, parseLimit)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, ok := within(ctx, parseLimit, slow); ok {
			t.Error("work went on after the run was cancelled")
		}
		close(release)
		if got, ok := within(t.Context(), parseLimit, func() int { return 2 }); !ok || got != 2 {
			t.Errorf("quick work gave %d, %t", got, ok)
		}
	})
}
