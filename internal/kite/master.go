package kite

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultMasterWait = 10 * time.Second
	masterLoadTimeout = 2 * time.Minute
	// masterHour is when the new list of the day is there; Kite publishes it at about 08:30 IST.
	masterHour, masterMinute = 8, 35
)

// MasterOptions configure a Master. Fetch and Now are required.
type MasterOptions struct {
	// Fetch opens today's list, uncompressed.
	Fetch func(ctx context.Context) (io.ReadCloser, error)
	// Now is the clock that decides which day's list is due.
	Now func() time.Time
	// Log receives the outcome of loads; nil discards.
	Log *slog.Logger
	// Wait is how long Get waits for a load; 0 means 10 seconds.
	Wait time.Duration
}

// Master loads the instruments on first use, keeps them, and renews them on the first use after 08:35 IST. A failed or
// suspicious load never replaces a good list. It is safe for concurrent use.
type Master struct {
	fetch func(ctx context.Context) (io.ReadCloser, error)
	now   func() time.Time
	log   *slog.Logger
	wait  time.Duration

	current atomic.Pointer[loadedInstruments]

	mu       sync.Mutex
	running  *masterLoad // nil when no load runs
	failures int         // in a row, since the last good load
	retryAt  time.Time
	closed   bool
	loads    sync.WaitGroup
}

type loadedInstruments struct {
	list *Instruments
	at   time.Time
}

// masterLoad is one attempt; err may be read once done is closed.
type masterLoad struct {
	done   chan struct{}
	cancel context.CancelFunc
	err    error
}

// NewMaster returns a master that has loaded nothing yet.
func NewMaster(o MasterOptions) *Master {
	m := &Master{fetch: o.Fetch, now: o.Now, log: o.Log, wait: o.Wait}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	if m.wait <= 0 {
		m.wait = defaultMasterWait
	}
	return m
}

// Get returns the current list, loading it if none is there or a new one is due. When the load takes longer than the
// wait or fails, the old list serves on; without one the error is catalog_unavailable, and the load goes on for the
// next caller.
func (m *Master) Get(ctx context.Context) (*Instruments, error) {
	cur := m.current.Load()
	if cur != nil && !due(cur.at, m.now()) {
		return cur.list, nil
	}
	load := m.start(ctx)
	if load == nil {
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
	if cur := m.current.Load(); cur != nil {
		return cur.list, nil
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

// start returns the running load, or a new one, or nil when there must be none now: after Close, and between two
// attempts to renew a list that still serves.
func (m *Master) start(ctx context.Context) *masterLoad {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.running != nil:
		return m.running
	case m.closed:
		return nil
	case m.current.Load() != nil && m.now().Before(m.retryAt):
		return nil
	}
	// The load outlives the caller that began it: others wait for the same one.
	loadCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), masterLoadTimeout)
	load := &masterLoad{done: make(chan struct{}), cancel: cancel}
	m.running = load
	m.loads.Go(func() {
		defer cancel()
		list, err := m.load(loadCtx)
		m.finish(load, list, err)
	})
	return load
}

func (m *Master) load(ctx context.Context) (*Instruments, error) {
	body, err := m.fetch(ctx)
	if err != nil {
		if _, typed := errors.AsType[*Error](err); !typed {
			// What a foreign error says may hold an address or a path.
			e := newError(KindUpstreamUnavailable, "the list could not be fetched")
			e.Err = err
			err = e
		}
		return nil, err
	}
	list, stats, err := LoadInstruments(body)
	if closeErr := body.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	if old := m.current.Load(); old != nil && list.Len()*2 < old.list.Len() {
		return nil, fmt.Errorf("new list has %d rows, the old one %d", list.Len(), old.list.Len())
	}
	if stats.Skipped+stats.Duplicates > 0 {
		m.log.WarnContext(ctx, "instrument rows skipped", "unreadable", stats.Skipped, "duplicate", stats.Duplicates, "first", stats.Problems)
	}
	return list, nil
}

func (m *Master) finish(load *masterLoad, list *Instruments, err error) {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running = nil
	load.err = err
	switch {
	case err == nil:
		m.current.Store(&loadedInstruments{list: list.onDay(now), at: now})
		m.failures, m.retryAt = 0, time.Time{}
		m.log.Info("instruments loaded", "rows", list.Len(), "revision", list.Revision())
	case m.closed: // the load was given up, nothing failed
	default:
		m.retryAt = now.Add(backoff(m.failures))
		m.failures++
		m.log.Warn("instruments not loaded", "kind", KindOf(err), "attempt", m.failures)
	}
	close(load.done)
}

func backoff(failures int) time.Duration {
	steps := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute}
	return steps[min(failures, len(steps)-1)]
}

// due reports whether a list loaded at the given instant is older than the latest publication.
func due(loaded, now time.Time) bool {
	ist := now.In(IST)
	published := time.Date(ist.Year(), ist.Month(), ist.Day(), masterHour, masterMinute, 0, 0, IST)
	if ist.Before(published) {
		published = published.AddDate(0, 0, -1)
	}
	return loaded.Before(published)
}

// FetchInstruments opens Kite's instruments CSV, uncompressed. The caller closes it; ctx bounds the whole download.
func (c *Client) FetchInstruments(ctx context.Context) (io.ReadCloser, error) {
	if c.invalid != nil {
		return nil, fmt.Errorf("read instruments: %w", c.invalid)
	}
	if err := c.pacer.wait(ctx, paceOther); err != nil {
		return nil, fmt.Errorf("read instruments: %w", err)
	}
	req, err := c.newRequest(ctx, "/instruments", nil)
	if err != nil {
		return nil, fmt.Errorf("read instruments: %w", newError(KindInternal, "the request to Kite could not be built"))
	}
	// Asked for by hand, so that transports which do not unpack by themselves behave like those that do.
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("read instruments: %w", transportFailure(ctx, err))
	}
	if resp.StatusCode != http.StatusOK {
		// The library reads the body of any status as CSV; that is how an error page becomes a list of two instruments.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		_ = resp.Body.Close()
		_, failure := c.judge(resp, body)
		return nil, fmt.Errorf("read instruments: %w", failure)
	}
	return uncompressed(ctx, resp.Body)
}

// uncompressed looks at the bytes rather than at the headers: files and proxies disagree about who unpacks.
func uncompressed(ctx context.Context, body io.ReadCloser) (io.ReadCloser, error) {
	in := bufio.NewReaderSize(body, 64<<10)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return download{ctx: ctx, Reader: in, Closer: body}, nil
	}
	unzip, err := gzip.NewReader(in)
	if err != nil {
		_ = body.Close()
		return nil, fmt.Errorf("read instruments: %w", transportFailure(ctx, err))
	}
	return download{ctx: ctx, Reader: unzip, Closer: body}, nil
}

// download gives a connection that breaks in mid-file the typed error of every other call. It keeps ctx because it is
// the tail of a call, and lives exactly as long.
type download struct {
	ctx context.Context
	io.Reader
	io.Closer
}

// Read reads the uncompressed list.
func (d download) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = transportFailure(d.ctx, err)
	}
	return n, err
}
