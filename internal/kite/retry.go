package kite

import (
	"context"
	"net/http"
	"time"
)

const (
	// maxRetries is how often one read is repeated at most.
	maxRetries = 2
	// firstBackoff is the wait before the first repeat; it doubles for the next.
	firstBackoff = 250 * time.Millisecond
	// maxRetryAfter is the longest wait that Kite may ask for; beyond it the caller decides.
	maxRetryAfter = 2 * time.Second
)

// Retry repeats reads that failed for a reason that may pass. A nil Retry repeats nothing.
type Retry struct {
	random func() float64
}

// NewRetry returns a Retry whose waits are spread by random, which returns numbers from 0 up to 1: callers that failed
// together must not come back together.
func NewRetry(random func() float64) *Retry { return &Retry{random: random} }

// wait reports whether the read is to be repeated, n being how often it was, after standing still for the time
// that Kite asked for or the back-off. A wait that would outlast the deadline is not begun.
func (r *Retry) wait(ctx context.Context, e *Error, n int) bool {
	if r == nil || n >= repeats(e) || e.RetryAfter > maxRetryAfter {
		return false
	}
	backoff := float64(firstBackoff << n)
	delay := max(e.RetryAfter, time.Duration(backoff*(0.5+r.random())))
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= delay {
		return false
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// repeats is how often a read that failed like this is worth repeating. Kite's unclassified failures get one more
// chance, what its own words or a gateway's status call passing gets two, everything else none.
func repeats(e *Error) int {
	switch e.KiteType {
	case "GeneralException":
		if e.Kind == KindUpstreamUnavailable {
			return 1
		}
	case "DataException":
		return maxRetries
	case "NetworkException", "":
		switch e.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return maxRetries
		}
	}
	return 0
}
