package kite

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// paceWindow is the second that Kite counts in, plus slack: two calls a second apart here may arrive closer.
	paceWindow = time.Second + 20*time.Millisecond
	// maxPaceWait is how long a call may stand in line before it is refused.
	maxPaceWait = 2 * time.Second

	quotesPerWindow  = 1
	candlesPerWindow = 3
	ordersPerWindow  = 10
	othersPerWindow  = 10
)

// paceClass is a family of calls that Kite counts together.
type paceClass uint8

const (
	paceOther   paceClass = iota
	paceQuote             // /quote, /quote/ohlc and /quote/ltp share one limit
	paceHistory           // candles
	paceOrder             // placing, changing and cancelling orders
)

// Pacer keeps the calls of one user below Kite's limits: one a second for quotes, three for candles, ten for
// orders and ten for everything else. It is safe for concurrent use; a nil Pacer lets everything through.
type Pacer struct {
	now func() time.Time

	mu      sync.Mutex
	quote   slots
	history slots
	order   slots
	other   slots
}

// slots is a ring of the latest departures: the next call may leave one window after the oldest of them.
type slots struct {
	left []time.Time
	next int
}

// NewPacer returns a pacer on the given clock, which must be the real one even when prices come from a demo clock.
func NewPacer(now func() time.Time) *Pacer {
	return &Pacer{
		now:     now,
		quote:   slots{left: make([]time.Time, quotesPerWindow)},
		history: slots{left: make([]time.Time, candlesPerWindow)},
		order:   slots{left: make([]time.Time, ordersPerWindow)},
		other:   slots{left: make([]time.Time, othersPerWindow)},
	}
}

func (p *Pacer) wait(ctx context.Context, class paceClass) error {
	if p == nil {
		return nil
	}
	delay, granted := p.reserve(class)
	if !granted {
		e := newError(KindRateLimited, "too many calls at once: Kite allows "+limitText(class))
		e.RetryAfter = delay
		e.Hint = waitHint(delay)
		return e
	}
	if delay <= 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return transportFailure(ctx, ctx.Err())
	}
}

// reserve takes the next departure if it is near enough. A caller that gives up does not hand its slot back: being a
// little slow is harmless, being too fast is not.
func (p *Pacer) reserve(class paceClass) (delay time.Duration, granted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.other
	switch class {
	case paceQuote:
		s = &p.quote
	case paceHistory:
		s = &p.history
	case paceOrder:
		s = &p.order
	default:
	}
	now := p.now()
	leave := now
	if oldest := s.left[s.next]; !oldest.IsZero() && oldest.Add(paceWindow).After(now) {
		leave = oldest.Add(paceWindow)
	}
	delay = leave.Sub(now)
	if delay > maxPaceWait {
		return delay, false
	}
	s.left[s.next] = leave
	s.next = (s.next + 1) % len(s.left)
	return delay, true
}

func limitText(class paceClass) string {
	switch class {
	case paceQuote:
		return fmt.Sprintf("%d quote call a second", quotesPerWindow)
	case paceHistory:
		return fmt.Sprintf("%d candle calls a second", candlesPerWindow)
	case paceOrder:
		return fmt.Sprintf("%d order calls a second", ordersPerWindow)
	default:
	}
	return fmt.Sprintf("%d calls a second", othersPerWindow)
}
