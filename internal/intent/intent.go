// Package intent is the write-ahead log of account changes: what a person approved, what was sent to Kite and what
// became of it. A record is also the approval's single use, since creating it has one winner, and it is durable before
// the first byte goes to Kite. The log never sends anything; it reads the order book to settle what a lost answer or a
// dead process left open. The package also owns the audit log, lines that are bound to each other by their hashes, and
// its check. Entry points are New, AuditFile and VerifyAudit.
package intent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/store"
)

const (
	// keep is how long the log remembers.
	keep = 30 * 24 * time.Hour
	// stale is the age at which the process that made a record must have died or given up: it waits 15 seconds for Kite.
	stale = 20 * time.Second
	// twice is how close two equal changes are a likely mistake.
	twice = 30 * time.Second

	kind = "intent" // of the records, and the purpose of their seal
)

// Options are what a Log is made of. Log and Audit may be nil.
type Options struct {
	Store store.Store
	Keys  *store.Keys
	Now   func() time.Time // the wall clock
	Log   *slog.Logger
	Audit *Audit // gets a line for every question, answer and state
}

// Log is the record of the changes of any number of accounts. It is safe for concurrent use, also by several processes.
type Log struct {
	store store.Store
	keys  *store.Keys
	now   func() time.Time
	log   *slog.Logger
	audit *Audit
	lost  chan struct{} // has one while an outcome got lost that Watch has not heard of
}

// New returns a log in a store.
func New(o Options) *Log {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Log{store: o.Store, keys: o.Keys, now: o.Now, log: o.Log, audit: o.Audit, lost: make(chan struct{}, 1)}
}

func key(account, id string) (store.Key, error) {
	if !isAccount(account) || id == "" {
		return store.Key{}, errors.New("no account or id of a change")
	}
	return store.Key{Kind: kind, Owner: account, ID: id}, nil
}

// isAccount reports whether s has the form of a Kite user id, which no other part of a key can be taken for.
func isAccount(s string) bool {
	strange := func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }
	return len(s) >= 2 && len(s) <= 12 && !strings.ContainsFunc(s, strange)
}

// Asked notes that a person is about to be asked. When it fails nobody must be asked, for the answer could not be
// recorded either.
func (l *Log) Asked(_ context.Context, in kite.Intent) error { return l.tell(eventOf(EventAsked, in)) }

// tell writes to the audit log, if there is one.
func (l *Log) tell(e Event) error {
	if l.audit == nil {
		return nil
	}
	return l.audit.Append(e)
}

// Create writes down the answer of a person: approved, declined or cancelled. It uses the approval up: of any number of
// calls with one id exactly one returns nil, the others kite.ErrIntentUsed.
func (l *Log) Create(ctx context.Context, in kite.Intent) error {
	k, err := key(in.Account, in.ID)
	if err != nil {
		return err
	}
	in.Created = l.now()
	in.Updated = in.Created
	sealed, err := l.seal(in)
	if err != nil {
		return err
	}
	err = l.store.Create(ctx, k, sealed, in.Created.Add(keep))
	switch {
	case errors.Is(err, store.ErrExists):
		return kite.ErrIntentUsed
	case err != nil:
		return fmt.Errorf("write the log of changes: %w", err)
	}
	switch in.State {
	case kite.IntentDeclined:
		l.mention(ctx, eventOf(EventDeclined, in))
	case kite.IntentCancelled:
		l.mention(ctx, eventOf(EventCancelled, in))
	default:
		return l.orGiveUp(ctx, in, l.tell(eventOf(EventAccepted, in)))
	}
	return nil
}

// mention is tell for what has happened anyway: the audit log gets it with the next line that can be written.
func (l *Log) mention(ctx context.Context, e Event) {
	if err := l.tell(e); err != nil {
		l.log.ErrorContext(ctx, "audit log", "error", err)
	}
}

// orGiveUp ends a change that the audit log does not know: it is not going to be sent.
func (l *Log) orGiveUp(ctx context.Context, in kite.Intent, untold error) error {
	if untold == nil {
		return nil
	}
	err := l.move(context.WithoutCancel(ctx), in.Account, in.ID, func(in *kite.Intent) error {
		if in.State.Open() {
			in.State, in.Message = kite.IntentRejected, "the audit log could not be written, so nothing was sent"
		}
		return nil
	})
	return errors.Join(untold, err)
}

// Sending notes that the request may be at Kite from now on. It fails when the change is no longer approved, which
// happens to a process that stood still for so long that the others gave it up.
func (l *Log) Sending(ctx context.Context, account, id string) error {
	var now kite.Intent
	err := l.move(ctx, account, id, func(in *kite.Intent) error {
		if in.State != kite.IntentApproved {
			return kite.ErrIntentUsed
		}
		in.State = kite.IntentSending
		now = *in
		return nil
	})
	if err != nil {
		return err
	}
	return l.orGiveUp(ctx, now, l.tell(outcomeEvent(now, nil)))
}

// outcomeEvent is the state that a change has come to.
func outcomeEvent(in kite.Intent, failure error) Event {
	e := eventOf(EventIntent, in)
	e.Outcome = in.State
	if f, ok := errors.AsType[*kite.Error](failure); ok {
		if e.Error = f.KiteType; e.Error == "" {
			e.Error = string(f.Kind)
		}
	}
	return e
}

// Settle notes what became of a change that was sent. outcome is nil when Kite took it, and
// ref then names the order or trigger.
func (l *Log) Settle(ctx context.Context, account, id, ref string, outcome error) error {
	if outcome != nil && unknown(outcome) {
		select {
		case l.lost <- struct{}{}:
		default: // Watch has yet to hear of an earlier one
		}
	}
	var was, now kite.Intent
	err := l.move(ctx, account, id, func(in *kite.Intent) error {
		was = *in
		switch {
		case outcome == nil:
			in.State, in.Message, in.Ref = kite.IntentPlaced, "", ref
		case !in.State.Open(): // somebody found out meanwhile
		case unknown(outcome):
			in.State, in.Message = kite.IntentUnknown, "the answer of Kite got lost"
		default:
			in.State, in.Message = kite.IntentRejected, messageOf(outcome)
		}
		now = *in
		return nil
	})
	if err != nil || now == was {
		return err
	}
	l.mention(ctx, outcomeEvent(now, outcome))
	return nil
}

// Dismiss ends the telling of a change that nobody can settle any more. It fails with kite.ErrNotUnsettled for any
// other, and with store.ErrNotFound for one that is not there.
func (l *Log) Dismiss(ctx context.Context, account, id string) (kite.Intent, error) {
	var now kite.Intent
	err := l.move(ctx, account, id, func(in *kite.Intent) error {
		now = *in
		if in.State != kite.IntentUnsettled {
			return kite.ErrNotUnsettled
		}
		in.State = kite.IntentDismissed
		now = *in
		return nil
	})
	if err != nil {
		return now, err
	}
	return now, l.tell(outcomeEvent(now, nil))
}

// unknown reports whether an error leaves it open whether the change was made; one that Kite's client did not make does.
func unknown(outcome error) bool {
	e, ok := errors.AsType[*kite.Error](outcome)
	return !ok || e.Kind == kite.KindOutcomeUnknown
}

func messageOf(err error) string {
	e, _ := errors.AsType[*kite.Error](err)
	return e.Message
}

// List returns the changes of an account, newest first.
func (l *Log) List(ctx context.Context, account string) ([]kite.Intent, error) {
	records, err := l.records(ctx, account)
	if err != nil {
		return nil, err
	}
	out := make([]kite.Intent, 0, len(records))
	for _, r := range records {
		out = append(out, r.Intent)
	}
	return out, nil
}

// record is a change as it is stored, for a Swap.
type record struct {
	kite.Intent
	sealed []byte
}

// records reads the changes of an account, newest first. One that cannot be opened, since its key is gone, is left out
// and told.
func (l *Log) records(ctx context.Context, account string) ([]record, error) {
	if _, err := key(account, "any"); err != nil {
		return nil, err
	}
	list, err := l.store.List(ctx, kind, account)
	if err != nil {
		return nil, fmt.Errorf("read the log of changes: %w", err)
	}
	out := make([]record, 0, len(list))
	for id, sealed := range list {
		in, err := l.open(account, id, sealed)
		if err != nil {
			l.log.WarnContext(ctx, "a record of the log of changes cannot be read", "id", id, "error", err)
			continue
		}
		out = append(out, record{in, sealed})
	}
	slices.SortFunc(out, func(a, b record) int {
		if c := b.Created.Compare(a.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, nil
}

// move changes one record. A record that another process changed meanwhile is read again.
func (l *Log) move(ctx context.Context, account, id string, edit func(*kite.Intent) error) error {
	k, err := key(account, id)
	if err != nil {
		return err
	}
	const tries = 4
	for range tries {
		sealed, err := l.store.Get(ctx, k)
		if err != nil {
			return fmt.Errorf("read the log of changes: %w", err)
		}
		in, err := l.open(account, id, sealed)
		if err != nil {
			return err
		}
		before := in
		if err := edit(&in); err != nil {
			return err
		}
		if in == before {
			return nil
		}
		err = l.swap(ctx, record{in, sealed})
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return errors.New("the record of a change does not stand still")
}

// swap replaces the stored form of a record by its present one.
func (l *Log) swap(ctx context.Context, r record) error {
	k, err := key(r.Account, r.ID)
	if err != nil {
		return err
	}
	r.Updated = l.now()
	sealed, err := l.seal(r.Intent)
	if err != nil {
		return err
	}
	if err := l.store.Swap(ctx, k, r.sealed, sealed, r.Created.Add(keep)); err != nil {
		return fmt.Errorf("write the log of changes: %w", err)
	}
	return nil
}

func (l *Log) seal(in kite.Intent) ([]byte, error) {
	plain, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode a change: %w", err)
	}
	sealed, err := l.keys.Seal(kind, in.Account, plain)
	if err != nil {
		return nil, fmt.Errorf("seal a change: %w", err)
	}
	return sealed, nil
}

// open reads a record. A copy of it under another id does not count.
func (l *Log) open(account, id string, sealed []byte) (kite.Intent, error) {
	plain, err := l.keys.Open(kind, account, sealed)
	if err != nil {
		return kite.Intent{}, fmt.Errorf("open a change: %w", err)
	}
	var in kite.Intent
	if err := json.Unmarshal(plain, &in); err != nil {
		return kite.Intent{}, fmt.Errorf("decode a change: %w", err)
	}
	if in.ID != id || in.Account != account {
		return kite.Intent{}, errors.New("a record stands under another's key")
	}
	return in, nil
}
