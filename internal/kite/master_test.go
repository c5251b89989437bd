package kite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// rows is an instruments list of n shares.
func rows(n int) string {
	var b strings.Builder
	b.WriteString(header)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%d,%d,SYM%d,\"NAME\",0,,0,0.05,1,EQ,NSE,NSE\n", i*256+1, i, i)
	}
	return b.String()
}

// feed is a source of lists that counts how often it was asked.
type feed struct {
	calls atomic.Int32
	mu    sync.Mutex
	delay time.Duration
	text  string
	err   error
}

func (f *feed) set(text string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text, f.err = text, err
}

func (f *feed) fetch(ctx context.Context) (io.ReadCloser, error) {
	f.calls.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-time.After(f.delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return io.NopCloser(strings.NewReader(f.text)), f.err
}

// shifted is the running clock with its start, which in a synctest bubble is midnight UTC of 2000-01-01, moved to at.
func shifted(at time.Time) func() time.Time {
	offset := at.Sub(running())
	return func() time.Time { return running().Add(offset) }
}

func newMaster(t *testing.T, f *feed, start time.Time) *kite.Master {
	t.Helper()
	m := kite.NewMaster(kite.MasterOptions{Fetch: f.fetch, Now: shifted(start)})
	t.Cleanup(m.Close)
	return m
}

func mustLen(t *testing.T, m *kite.Master, want int) *kite.Instruments {
	t.Helper()
	list, err := m.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if list.Len() != want {
		t.Fatalf("%d rows, want %d", list.Len(), want)
	}
	if loaded := m.Loaded(); loaded != nil && loaded != list {
		t.Error("Loaded is another list")
	}
	return list
}

// Many callers at once cause one load and get one list, dated by the day in India on which it was published.
func TestMasterLoadsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(10), delay: time.Second}
		m := newMaster(t, f, time.Date(2026, 12, 1, 20, 0, 0, 0, time.UTC))
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if list := mustLen(t, m, 10); list.Date() != "2026-12-01" {
					t.Errorf("date %s", list.Date())
				}
			})
		}
		wg.Wait()
		mustLen(t, m, 10)
		if n := f.calls.Load(); n != 1 {
			t.Errorf("%d loads, want 1", n)
		}
	})
}

// A caller that found the list due, while another renewed it, takes the new one: nothing is left to load.
func TestMasterRenewsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(10)}
		now, between := shifted(time.Date(2026, 12, 2, 8, 34, 0, 0, kite.IST)), func() {}
		m := kite.NewMaster(kite.MasterOptions{Fetch: f.fetch, Now: func() time.Time {
			run := between
			between = func() {}
			run()
			return now()
		}})
		t.Cleanup(m.Close)
		mustLen(t, m, 10)
		f.set(rows(11), nil)
		time.Sleep(time.Minute)
		between = func() { mustLen(t, m, 11) } // after the caller has looked at the old list
		mustLen(t, m, 11)
		if n := f.calls.Load(); n != 2 {
			t.Errorf("%d loads, want 2", n)
		}
	})
}

// A new list is due on the first use after 08:35 in India, and only then.
func TestMasterRenewsDaily(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(10)}
		m := newMaster(t, f, time.Date(2026, 12, 2, 8, 34, 0, 0, kite.IST))
		mustLen(t, m, 10)
		f.set(rows(11), nil)
		time.Sleep(59 * time.Second)
		mustLen(t, m, 10)
		time.Sleep(time.Second) // 08:35
		mustLen(t, m, 11)
		f.set(rows(12), nil)
		time.Sleep(24*time.Hour - time.Second)
		mustLen(t, m, 11)
		time.Sleep(time.Second)
		mustLen(t, m, 12)
		if n := f.calls.Load(); n != 3 {
			t.Errorf("%d loads, want 3", n)
		}
	})
}

// Whatever goes wrong with a new list, the old one serves on, and the next attempts keep their distance: 1, 5, 15, 30
// and again 30 minutes.
func TestMasterKeepsTheOldList(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]struct {
		text string
		err  error
	}{
		"less than half":  {rows(9), nil},
		"html":            {"<html>\n<body>", nil},
		"empty":           {"", nil},
		"header only":     {header, nil},
		"fetch failed":    {"", errors.New("dial tcp 10.0.0.1: refused")},
		"session expired": {"", &kite.Error{Kind: kite.KindSessionExpired, Message: "over"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &feed{text: rows(20)}
				m := newMaster(t, f, time.Date(2026, 12, 2, 9, 0, 0, 0, kite.IST))
				old := mustLen(t, m, 20)
				f.set(bad.text, bad.err)
				time.Sleep(24 * time.Hour)
				want := int32(1)
				for _, pause := range []time.Duration{0, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, 30 * time.Minute} {
					if pause > 0 {
						time.Sleep(pause - time.Second)
						mustLen(t, m, 20)
						synctest.Wait()
						if n := f.calls.Load(); n != want {
							t.Errorf("%d loads within %v, want %d", n, pause, want)
						}
						time.Sleep(time.Second)
					}
					want++
					if list := mustLen(t, m, 20); list != old {
						t.Error("not the old list")
					}
					synctest.Wait()
					if n := f.calls.Load(); n != want {
						t.Errorf("%d loads after %v, want %d", n, pause, want)
					}
					if !m.Stale() {
						t.Error("the list is not said to be stale")
					}
				}
				f.set(rows(10), nil) // exactly half is believed
				time.Sleep(30 * time.Minute)
				mustLen(t, m, 20) // an attempt that follows others is not waited for
				synctest.Wait()
				mustLen(t, m, 10)
				if m.Stale() {
					t.Error("the new list is said to be stale")
				}
			})
		})
	}
}

// Without a list every use tries again at once, and the error says why without saying where.
func TestMasterWithoutList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{err: errors.New("dial tcp 10.0.0.1: refused")}
		m := newMaster(t, f, frozen())
		for range 3 {
			_, err := m.Get(t.Context())
			e := failure(t, err, kite.KindCatalogUnavailable)
			if !e.Retryable || strings.Contains(err.Error(), "10.0.0.1") || !strings.Contains(e.Message, "could not be fetched") {
				t.Errorf("error = %+v", e)
			}
		}
		f.set("", &kite.Error{Kind: kite.KindNotAuthenticated, Message: "not logged in to Kite"})
		_, err := m.Get(t.Context())
		if wantKind(t, err, kite.KindNotAuthenticated); !strings.Contains(err.Error(), "not logged in") { // trying again cannot help
			t.Errorf("error = %v", err)
		}
		f.set(rows(3), nil)
		mustLen(t, m, 3)
	})
}

// A slow load is waited for ten seconds; it goes on for the callers after that.
func TestMasterSlowLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(5), delay: 15 * time.Second}
		m := newMaster(t, f, frozen())
		began := running()
		_, err := m.Get(t.Context())
		wantKind(t, err, kite.KindCatalogUnavailable)
		if took := running().Sub(began); took != 10*time.Second {
			t.Errorf("waited %v, want 10s", took)
		}
		mustLen(t, m, 5)
		if n := f.calls.Load(); n != 1 {
			t.Errorf("%d loads, want 1", n)
		}
	})
}

// A caller that leaves does not take the load with it.
func TestMasterCallerLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(5), delay: 5 * time.Second}
		m := newMaster(t, f, frozen())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.Get(ctx)
		if wantKind(t, err, kite.KindTimeout); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v", err)
		}
		mustLen(t, m, 5)
		if n := f.calls.Load(); n != 1 {
			t.Errorf("%d loads, want 1", n)
		}
	})
}

// Close ends a running load and starts no other; synctest fails the test if a goroutine is left.
func TestMasterClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(5), delay: time.Hour}
		m := kite.NewMaster(kite.MasterOptions{Fetch: f.fetch, Now: frozen})
		_, err := m.Get(t.Context())
		wantKind(t, err, kite.KindCatalogUnavailable)
		m.Close()
		_, err = m.Get(t.Context())
		wantKind(t, err, kite.KindCatalogUnavailable)
		if n := f.calls.Load(); n != 1 {
			t.Errorf("%d loads, want 1", n)
		}
	})
}

// The faults of the demo exchange meet the master as the real ones would.
func TestMasterOnDemoFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]int{
		"": 5690, "badrow": 5689, "evil": 5690, "html-instruments": 0, "502html": 0, "truncate": 0, "reset": 0, "empty": 0, "429": 0, "token1": 0,
		"half-instruments": 2276, // nothing to compare with on a first load
	} {
		t.Run("first "+fault, func(t *testing.T) {
			t.Parallel()
			rules := ""
			if fault != "" {
				rules = "instruments:" + fault
			}
			c := demoClient(t, rules)
			m := kite.NewMaster(kite.MasterOptions{Fetch: c.FetchInstruments, Now: frozen})
			t.Cleanup(m.Close)
			if want > 0 {
				mustLen(t, m, want)
				return
			}
			_, err := m.Get(t.Context())
			kind := kite.KindCatalogUnavailable
			if fault == "token1" {
				kind = kite.KindSessionExpired
			}
			wantKind(t, err, kind)
			mustLen(t, m, 5690) // the fault is used up
		})
	}
	t.Run("half after whole", func(t *testing.T) {
		t.Parallel()
		good, half := demoClient(t, ""), demoClient(t, "instruments:half-instruments")
		source := good
		now := frozen()
		m := kite.NewMaster(kite.MasterOptions{
			Fetch: func(ctx context.Context) (io.ReadCloser, error) { return source.FetchInstruments(ctx) },
			Now:   func() time.Time { return now },
		})
		t.Cleanup(m.Close)
		mustLen(t, m, 5690)
		source, now = half, now.Add(24*time.Hour)
		mustLen(t, m, 5690)
	})
}
