package intent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/store"
)

const (
	// A change is absent when that many reads did not show it, the first and last of them so far apart: Kite's book can
	// lag behind its own answers.
	absentLooks = 3
	absentAfter = 10 * time.Second
	// remind is how long an order whose outcome is being looked for is told before every other; one that cannot be found
	// out any more is told until the person dismisses it.
	remind = 24 * time.Hour
	// lookEvery keeps reads in quick succession from counting as several.
	lookEvery = 2 * time.Second
)

// delays are when a lost outcome is looked for by itself, counted from the one before.
func delays() []time.Duration {
	return []time.Duration{2 * time.Second, 3 * time.Second, 10 * time.Second, 45 * time.Second}
}

// Reconcile finds out what became of the changes whose outcome is not known, by one read of each book they concern;
// without any there is none. It returns how many are still open. It never sends anything, and an absent change is never sent again.
func (l *Log) Reconcile(ctx context.Context, account string, books kite.Books) (open int, err error) {
	records, err := l.records(ctx, account)
	if err != nil {
		return 0, err
	}
	for _, r := range records {
		if r.State.Open() {
			open++
		}
	}
	lost := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return !l.orphan(r.Intent) })
	if len(lost) == 0 {
		return open, nil
	}
	seen := &shelf{books: books, claimed: claimed(records)}
	for _, r := range lost {
		before := r.Intent
		if !l.judge(ctx, &r.Intent, seen) || r.Intent == before {
			continue
		}
		err := l.swap(ctx, r)
		if errors.Is(err, store.ErrConflict) {
			continue // another process was faster; what it found counts
		}
		if err != nil {
			return open, err
		}
		if !r.State.Open() {
			open--
		}
		if r.State != before.State {
			l.log.InfoContext(ctx, "change reconciled", "intent", r.ID, "was", before.State, "is", r.State)
			l.mention(ctx, outcomeEvent(r.Intent, nil))
		}
	}
	if err := errors.Join(seen.orders.err, seen.gtts.err, seen.alerts.err); err != nil {
		return open, fmt.Errorf("reconcile: %w", err)
	}
	return open, nil
}

// judge finds out what became of one change; false when the book that would tell cannot be read.
func (l *Log) judge(ctx context.Context, in *kite.Intent, seen *shelf) bool {
	now := l.now()
	switch {
	case in.State == kite.IntentApproved:
		// Whoever was about to send it fails in Sending now.
		in.State, in.Message = kite.IntentAbsent, "the program ended before anything was sent"
	case !now.Before(kite.SessionEnd(in.Created)):
		in.State, in.Message = kite.IntentUnsettled, "the day ended before it was known; look at the positions and the contract note"
	case seen.read(ctx, in.Expect) != nil:
		return false
	default:
		if in.State == kite.IntentSending {
			in.State, in.Message = kite.IntentUnknown, "the program ended before Kite's answer came"
		}
		look(in, seen, now)
	}
	return true
}

// orphan reports whether nobody is going to say what became of a change.
func (l *Log) orphan(in kite.Intent) bool {
	return in.State == kite.IntentUnknown || in.State.Open() && l.now().Sub(in.Updated) >= stale
}

// look judges one lost change by the books.
func look(in *kite.Intent, seen *shelf, now time.Time) {
	if ref, found := seen.find(*in); found {
		in.State, in.Ref, in.Message = kite.IntentPlaced, ref, "found at Kite after the answer was lost"
		if in.Expect.New() {
			seen.claimed[claim(*in)] = true
		}
		return
	}
	if in.Looks.Count > 0 && now.Sub(in.Looks.Last) < lookEvery {
		return
	}
	if in.Looks.Count == 0 {
		in.Looks.First = now
	}
	in.Looks.Count++
	in.Looks.Last = now
	if in.Looks.Count >= absentLooks && now.Sub(in.Looks.First) >= absentAfter {
		in.State, in.Message = kite.IntentAbsent, "Kite was asked three times and does not show it"
	}
}

// Review says what the person should know about earlier changes before being asked about this one. It refuses a change
// that equals one at Kite right now with kite.ErrIntentPending.
func (l *Log) Review(ctx context.Context, in kite.Intent) (kite.Review, error) {
	epoch, err := l.store.Epoch(ctx)
	if err != nil {
		return kite.Review{}, fmt.Errorf("read the log of changes: %w", err)
	}
	records, err := l.records(ctx, in.Account)
	if err != nil {
		return kite.Review{}, err
	}
	out := kite.Review{Epoch: epoch}
	for _, r := range records {
		same := r.Tool == in.Tool && r.Mode == in.Mode && r.Args == in.Args
		at := r.Created.In(kite.IST).Format(time.TimeOnly)
		switch {
		case same && r.State == kite.IntentSending:
			return kite.Review{}, kite.ErrIntentPending
		case r.Expect.New() && r.State == kite.IntentUnsettled:
			out.Warnings = append(out.Warnings, fmt.Sprintf("The outcome of an earlier change was never found out (sent %s): %s (kite-mcp activity dismiss %s ends this reminder).",
				r.Created.In(kite.IST).Format(time.DateTime), r.Action, r.ID))
		case l.now().Sub(r.Created) >= remind:
		case r.Expect.New() && (r.State == kite.IntentUnknown || r.State == kite.IntentSending):
			out.Warnings = append(out.Warnings, fmt.Sprintf("The outcome of an earlier change is not known (%s, sent %s): %s", r.State, at, r.Action))
		case same && r.State == kite.IntentPlaced && l.now().Sub(r.Created) < twice:
			out.Warnings = append(out.Warnings, fmt.Sprintf("This is a likely duplicate: the same was sent at %s.", at))
		}
	}
	return out, nil
}

// Watch looks for lost outcomes by itself until ctx ends: at the start, and 2, 5, 15 and 60 seconds after the start and
// after each outcome that gets lost, as long as any is open. look reconciles and returns how many are.
func (l *Log) Watch(ctx context.Context, look func(context.Context) (open int, err error)) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	left := delays()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.lost:
			left = delays()
		case <-timer.C:
			open, err := look(ctx)
			if err != nil && ctx.Err() == nil {
				l.log.DebugContext(ctx, "reconcile", "error", err)
			}
			if open == 0 && err == nil {
				left = nil
			}
		}
		if len(left) > 0 {
			timer.Reset(left[0])
			left = left[1:]
		}
	}
}
