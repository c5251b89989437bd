package kite_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// A list that equals yesterday's is asked for again after 1, 5, 15 and 30 minutes, then believed: on days without
// trading there is nothing new.
func TestMasterSameContent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(10)}
		m := newMaster(t, f, time.Date(2026, 12, 2, 8, 30, 0, 0, kite.IST))
		if d := mustLen(t, m, 10).Date(); d != "2026-12-01" {
			t.Errorf("date %s", d)
		}
		time.Sleep(5 * time.Minute)
		for i, pause := range []time.Duration{0, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute} {
			time.Sleep(pause)
			mustLen(t, m, 10)
			synctest.Wait()
			if n := f.calls.Load(); n != int32(i)+2 || m.Stale() {
				t.Errorf("%d loads after %v, want %d; stale %v", n, pause, i+2, m.Stale())
			}
		}
		if d := mustLen(t, m, 10).Date(); d != "2026-12-02" {
			t.Errorf("date %s", d)
		}
		time.Sleep(time.Hour)
		mustLen(t, m, 10)
		if n := f.calls.Load(); n != 6 {
			t.Errorf("%d loads, want 6", n)
		}
	})
}

// A late list is found by the same repetition.
func TestMasterLatePublication(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(10)}
		m := newMaster(t, f, time.Date(2026, 12, 2, 8, 30, 0, 0, kite.IST))
		mustLen(t, m, 10)
		time.Sleep(5 * time.Minute)
		mustLen(t, m, 10)
		f.set(rows(12), nil)
		time.Sleep(time.Minute)
		mustLen(t, m, 10)
		synctest.Wait()
		if d := mustLen(t, m, 12).Date(); d != "2026-12-02" {
			t.Errorf("date %s", d)
		}
	})
}

// Run loads at once and renews every day at 08:35 without anybody asking, through failures too.
func TestMasterRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(10), delay: time.Second}
		m := newMaster(t, f, time.Date(2026, 12, 2, 6, 0, 0, 0, kite.IST))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			m.Run(ctx)
		}()
		want := func(rows int, date string, loads int32) {
			t.Helper()
			synctest.Wait()
			began := running()
			if d := mustLen(t, m, rows).Date(); d != date || f.calls.Load() != loads {
				t.Errorf("date %s after %d loads, want %s after %d", d, f.calls.Load(), date, loads)
			}
			if took := running().Sub(began); took != 0 {
				t.Errorf("the list was waited for, %v", took)
			}
		}
		time.Sleep(2 * time.Second)
		want(10, "2026-12-01", 1)
		f.set(rows(11), nil)
		time.Sleep(2*time.Hour + 35*time.Minute)
		want(11, "2026-12-02", 2)
		f.set("", errors.New("down"))
		time.Sleep(24 * time.Hour)
		f.set(rows(12), nil)
		time.Sleep(30*time.Minute + time.Second)
		if list := mustLen(t, m, 12); list.Date() != "2026-12-03" {
			t.Errorf("date %s", list.Date())
		}
		cancel()
		<-done
	})
}

// Pages of one walk stay on their revision: the list before the current one is kept, the one before that is not.
func TestMasterKeepsTwoRevisions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{text: rows(10)}
		m := newMaster(t, f, time.Date(2026, 12, 2, 9, 0, 0, 0, kite.IST))
		first := mustLen(t, m, 10)
		at := func(revision string) (*kite.Instruments, error) { return m.At(t.Context(), revision) }
		if list, err := at(""); err != nil || list != first {
			t.Errorf("no revision: %v", err)
		}
		f.set(rows(11), nil)
		time.Sleep(24 * time.Hour)
		second := mustLen(t, m, 11)
		for _, list := range []*kite.Instruments{first, second} {
			if got, err := at(list.Revision()); err != nil || got != list {
				t.Errorf("revision %s: %v", list.Revision(), err)
			}
		}
		f.set(rows(12), nil)
		time.Sleep(24 * time.Hour)
		third := mustLen(t, m, 12)
		if got, err := at(second.Revision()); err != nil || got != second {
			t.Errorf("the second revision: %v", err)
		}
		_, err := at(first.Revision())
		if e := failure(t, err, kite.KindCatalogChanged); !errors.Is(err, kite.ErrCatalogChanged) || !e.Retryable || !strings.Contains(e.Hint, third.Revision()) {
			t.Errorf("error = %+v", e)
		}
		if _, err := at("nonsense"); !errors.Is(err, kite.ErrCatalogChanged) {
			t.Errorf("an unknown revision: %v", err)
		}
	})
}

// The second source is asked when the first fails or opens something that is no list, and only then.
func TestMasterFallback(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		first         string
		err           error
		rows, second2 int
	}{
		"good":   {rows(10), nil, 10, 0},
		"failed": {"", errors.New("no route"), 7, 1},
		"html":   {"<html>", nil, 7, 1},
		"empty":  {"", nil, 7, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var second atomic.Int32
			m := kite.NewMaster(kite.MasterOptions{
				Fetch: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(tc.first)), tc.err },
				Fallback: func(context.Context) (io.ReadCloser, error) {
					second.Add(1)
					return io.NopCloser(strings.NewReader(rows(7))), nil
				},
				Now: frozen,
			})
			t.Cleanup(m.Close)
			mustLen(t, m, tc.rows)
			if n := second.Load(); int(n) != tc.second2 {
				t.Errorf("second source asked %d times, want %d", n, tc.second2)
			}
		})
	}
}
