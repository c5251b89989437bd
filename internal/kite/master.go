package kite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultMasterWait = 10 * time.Second
	masterLoadTimeout = 2 * time.Minute // of one source
	// masterHour is when the new list of the day is there; Kite publishes it at about 08:30 IST.
	masterHour, masterMinute = 8, 35
	// masterNap is the longest that Run sleeps: the clock of a computer that was suspended jumps.
	masterNap = 10 * time.Minute
)

// Fetch opens an instruments list as LoadInstruments reads it. The caller closes it; ctx bounds the whole download.
type Fetch func(ctx context.Context) (io.ReadCloser, error)

// MasterOptions configure a Master. Fetch and Now are required.
type MasterOptions struct {
	// Fetch opens today's list.
	Fetch Fetch
	// Fallback opens it elsewhere when Fetch fails or what it opens is refused; nil when there is no other place.
	Fallback Fetch
	// CacheDir is the folder that keeps the lists of the last days, for this and other processes; empty for none.
	CacheDir string
	// Now is the clock that decides which day's list is due.
	Now func() time.Time
	// Log receives the outcome of loads; nil discards.
	Log *slog.Logger
	// Wait is how long Get waits for a load; 0 means 10 seconds.
	Wait time.Duration
}

// Master loads the instruments on first use, keeps them, and renews them after 08:35 IST each day. A failed or
// suspicious load never replaces a good list; the list before the current one is kept for those who are still paging
// through it. It is safe for concurrent use.
type Master struct {
	sources []Fetch
	cache   masterCache
	now     func() time.Time
	log     *slog.Logger
	wait    time.Duration

	state atomic.Pointer[masterState]

	mu       sync.Mutex
	running  *masterLoad // nil when no load runs
	attempts int         // without a new list, since the last one
	failed   bool        // the last of them
	retryAt  time.Time
	closed   bool
	loads    sync.WaitGroup
}

// masterState is what serves at one moment. It never changes.
type masterState struct {
	current, previous *Instruments // previous may be nil
	published         time.Time    // when the current list was due
}

// masterLoad is one attempt; err may be read once done is closed.
type masterLoad struct {
	done   chan struct{}
	first  bool // nobody has tried for this list before
	cancel context.CancelFunc
	err    error
}

// NewMaster returns a master that has loaded nothing yet.
func NewMaster(o MasterOptions) *Master {
	m := &Master{sources: []Fetch{o.Fetch}, now: o.Now, log: o.Log, wait: o.Wait}
	if o.Fallback != nil {
		m.sources = append(m.sources, o.Fallback)
	}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	if m.wait <= 0 {
		m.wait = defaultMasterWait
	}
	m.cache = masterCache{dir: o.CacheDir, log: m.log}
	return m
}

// Get returns the current list, loading it if none is there or a new one is due. When the load takes longer than the
// wait or fails, the old list serves on; without one the error is catalog_unavailable, and the load goes on for the
// next caller. Only the first attempt for a new list is waited for while an old one serves.
func (m *Master) Get(ctx context.Context) (*Instruments, error) {
	if list := m.Loaded(); list != nil {
		return list, nil
	}
	s := m.state.Load()
	load := m.start(ctx)
	if load == nil || s != nil && !load.first {
		return m.kept(nil)
	}
	timer := time.NewTimer(m.wait)
	defer timer.Stop()
	select {
	case <-load.done:
		return m.kept(load.err)
	case <-timer.C:
		return m.kept(nil)
	case <-ctx.Done():
		return nil, fmt.Errorf("read instruments: %w", transportFailure(ctx, ctx.Err()))
	}
}

// Loaded returns the current list if it is there and none is due; nil otherwise. It never loads one.
func (m *Master) Loaded() *Instruments {
	if s := m.state.Load(); s != nil && !s.due(m.now()) {
		return s.current
	}
	return nil
}

// At returns the list of a revision that Get has returned before: the current one or the one before it. For an older
// one the error is catalog_changed. An empty revision means the current list.
func (m *Master) At(ctx context.Context, revision string) (*Instruments, error) {
	if list := m.state.Load().find(revision); list != nil {
		return list, nil
	}
	current, err := m.Get(ctx)
	if err != nil || revision == "" {
		return current, err
	}
	if list := m.state.Load().find(revision); list != nil {
		return list, nil
	}
	e := newError(KindCatalogChanged, "the instruments master of revision "+strconv.Quote(shorten(revision))+" is no longer kept")
	e.Hint = "begin again without catalog_revision; the current one is " + current.Revision()
	return nil, fmt.Errorf("read instruments: %w", e)
}

// Stale reports whether the current list is older than it should be because a newer one could not be loaded.
func (m *Master) Stale() bool {
	s := m.state.Load()
	if s == nil || !s.due(m.now()) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// Run loads the list and every new one when it is due, until ctx ends. Without it, loads begin when somebody asks.
func (m *Master) Run(ctx context.Context) {
	for {
		if s := m.state.Load(); s == nil || s.due(m.now()) {
			if load := m.start(ctx); load != nil {
				select {
				case <-load.done:
				case <-ctx.Done():
					return
				}
			}
		}
		select {
		case <-time.After(m.pause()):
		case <-ctx.Done():
			return
		}
	}
}

// pause is how long Run has nothing to do.
func (m *Master) pause() time.Duration {
	now := m.now()
	next := publication(now).AddDate(0, 0, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.attempts > 0 {
		next = m.retryAt
	}
	return max(time.Second, min(next.Sub(now), masterNap))
}

// Close stops a running load and waits for it. Lists handed out stay valid.
func (m *Master) Close() {
	m.mu.Lock()
	m.closed = true
	if m.running != nil {
		m.running.cancel()
	}
	m.mu.Unlock()
	m.loads.Wait()
}

func (m *Master) kept(cause error) (*Instruments, error) {
	if s := m.state.Load(); s != nil {
		return s.current, nil
	}
	switch KindOf(cause) {
	case KindNotAuthenticated, KindSessionExpired, KindPermissionDenied: // trying again cannot help
		return nil, cause
	default:
	}
	e := newError(KindCatalogUnavailable, "the instruments master is not loaded yet")
	if cause != nil {
		e.Message, e.Err = "the instruments master could not be loaded: "+publicCause(cause), cause
	}
	return nil, fmt.Errorf("read instruments: %w", e)
}

// bigList is the number of rows from which a load leaves garbage worth giving back: some 40 MB for all of Kite, which a
// quiet server would hold for minutes.
const bigList = 50_000

// start returns the running load, or a new one, or nil when there must be none now: after Close, between two attempts to
// renew a list that still serves, and once another caller has renewed it.
func (m *Master) start(ctx context.Context) *masterLoad {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, now := m.state.Load(), m.now()
	switch {
	case m.running != nil:
		return m.running
	case m.closed || s != nil && (now.Before(m.retryAt) || !s.due(now)):
		return nil
	}
	// The load outlives the caller that began it: others wait for the same one.
	loadCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	load := &masterLoad{done: make(chan struct{}), first: m.attempts == 0, cancel: cancel}
	m.running = load
	m.loads.Go(func() {
		defer cancel()
		published := publication(m.now())
		list, file, err := m.load(loadCtx, published)
		accepted := m.finish(load, list, published, err)
		file.close(accepted)
		if err == nil && list.Len() >= bigList {
			debug.FreeOSMemory()
		}
	})
	return load
}

// load finds the list that was published last: in the cache, where another process may have put it, or at a source.
// The file is what the download was written to; nil when there was none.
func (m *Master) load(ctx context.Context, published time.Time) (*Instruments, *cacheFile, error) {
	old := m.state.Load()
	list, day := m.cache.newest(ctx, published)
	if list != nil && day.Equal(published) && m.check(list, old) == nil && old.find(list.Revision()) == nil {
		return list, nil, nil
	}
	if list != nil && old == nil {
		// Better than nothing while the download runs, and what it is compared with.
		old = &masterState{current: list.onDay(day), published: day}
		m.state.Store(old)
	}
	var err error
	for i, fetch := range m.sources {
		if i > 0 {
			m.log.InfoContext(ctx, "instruments not loaded from the first source", "kind", KindOf(err), "reason", publicCause(err))
		}
		var file *cacheFile
		if list, file, err = m.download(ctx, fetch, published); err == nil {
			if err = m.check(list, old); err == nil {
				return list, file, nil
			}
		}
		file.close(false)
	}
	return nil, nil, err
}

func (m *Master) download(ctx context.Context, fetch Fetch, published time.Time) (*Instruments, *cacheFile, error) {
	ctx, cancel := context.WithTimeout(ctx, masterLoadTimeout)
	defer cancel()
	body, err := fetch(ctx)
	if err != nil {
		if _, typed := errors.AsType[*Error](err); !typed {
			// What a foreign error says may hold an address or a path.
			e := newError(KindUpstreamUnavailable, "the list could not be fetched")
			e.Err = err
			err = e
		}
		return nil, nil, err
	}
	file, copied := m.cache.create(body, published)
	list, stats, err := LoadInstruments(copied)
	if closeErr := body.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err == nil && stats.Skipped+stats.Duplicates > 0 {
		m.log.WarnContext(ctx, "instrument rows skipped", "unreadable", stats.Skipped, "duplicate", stats.Duplicates, "first", stats.Problems)
	}
	return list, file, err
}

// check refuses a list that has lost more than half of the old one.
func (m *Master) check(list *Instruments, old *masterState) error {
	if old != nil && list.Len()*2 < old.current.Len() {
		return fmt.Errorf("new list has %d rows, the old one %d", list.Len(), old.current.Len())
	}
	return nil
}

// finish ends a load and reports whether its list serves from now on.
func (m *Master) finish(load *masterLoad, list *Instruments, published time.Time, err error) (accepted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer close(load.done)
	m.running, load.err = nil, err
	old := m.state.Load()
	switch {
	case err == nil && old != nil && list.Revision() == old.current.Revision() && m.attempts < len(backoff()):
		// Kite was late, or there is nothing new on a day without trading.
		m.retryLater(false)
	case err == nil:
		m.state.Store(old.next(list.onDay(published), published))
		m.attempts, m.failed, m.retryAt = 0, false, time.Time{}
		m.log.Info("instruments loaded", "rows", list.Len(), "revision", list.Revision())
		return true
	case m.closed: // the load was given up, nothing failed
	default:
		m.retryLater(true)
		m.log.Warn("instruments not loaded", "kind", KindOf(err), "reason", publicCause(err), "attempt", m.attempts)
	}
	return false
}

func (m *Master) retryLater(failed bool) {
	pauses := backoff()
	m.retryAt = m.now().Add(pauses[min(m.attempts, len(pauses)-1)])
	m.attempts++
	m.failed = failed
}

// backoff is how long to wait after each attempt in a row.
func backoff() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute}
}

// next makes list the current one. A list with the content of the current one takes its place, so that the one before
// stays.
func (s *masterState) next(list *Instruments, published time.Time) *masterState {
	n := &masterState{current: list, published: published}
	switch {
	case s == nil:
	case s.current.Revision() == list.Revision():
		n.previous = s.previous
	default:
		n.previous = s.current
	}
	return n
}

func (s *masterState) find(revision string) *Instruments {
	switch {
	case s == nil || revision == "":
		return nil
	case s.current.Revision() == revision:
		return s.current
	case s.previous != nil && s.previous.Revision() == revision:
		return s.previous
	}
	return nil
}

// due reports whether a newer list should be there.
func (s *masterState) due(now time.Time) bool { return s.published.Before(publication(now)) }

// publication is the latest instant at which a new list was due.
func publication(now time.Time) time.Time {
	ist := now.In(IST)
	published := time.Date(ist.Year(), ist.Month(), ist.Day(), masterHour, masterMinute, 0, 0, IST)
	if ist.Before(published) {
		published = published.AddDate(0, 0, -1)
	}
	return published
}
