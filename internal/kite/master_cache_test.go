package kite_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// at is a master with a cache folder whose clock stands still.
func at(t *testing.T, dir string, f *feed, now time.Time) *kite.Master {
	t.Helper()
	m := kite.NewMaster(kite.MasterOptions{Fetch: f.fetch, CacheDir: dir, Now: func() time.Time { return now }})
	t.Cleanup(m.Close)
	return m
}

// loadAt loads once and waits until the file is written.
func loadAt(t *testing.T, dir, text string, now time.Time, rows int) {
	t.Helper()
	m := at(t, dir, &feed{text: text}, now)
	mustLen(t, m, rows)
	m.Close()
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func december(day, hour int) time.Time { return time.Date(2026, 12, day, hour, 0, 0, 0, kite.IST) }

// The next process of the day reads the file instead of downloading, whether the list came compressed or not.
func TestCacheServesTheDay(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"plain": rows(10), "gzip": gzipped(t, rows(10))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "new", "folder")
			loadAt(t, dir, text, december(2, 9), 10)
			if d := cmp.Diff([]string{"instruments-2026-12-02.gz"}, names(t, dir)); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			info, err := os.Stat(filepath.Join(dir, "instruments-2026-12-02.gz"))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			f := &feed{text: rows(11)}
			m := at(t, dir, f, december(3, 8)) // before 08:35 the list of the 2nd is the latest
			if list := mustLen(t, m, 10); f.calls.Load() != 0 || list.Date() != "2026-12-02" || m.Stale() {
				t.Errorf("%d downloads, date %s, stale %v", f.calls.Load(), list.Date(), m.Stale())
			}
		})
	}
}

// Yesterday's file serves when today's list cannot be had, and is said to be stale.
func TestCacheServesWhenDownloadsFail(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*feed{
		"no network": {err: errors.New("no route")}, "html": {text: "<html>"}, "empty": {}, "cut to 40 percent": {text: rows(8)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			loadAt(t, dir, rows(20), december(2, 9), 20)
			m := at(t, dir, f, december(3, 9))
			if list := mustLen(t, m, 20); list.Date() != "2026-12-02" || !m.Stale() {
				t.Errorf("date %s, stale %v", list.Date(), m.Stale())
			}
			m.Close()
			if n := len(names(t, dir)); n != 1 {
				t.Errorf("%d files are left", n)
			}
		})
	}
}

// A new list replaces the file's, and only the files of two days are kept, without the leavings of killed processes.
func TestCacheIsRenewed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	loadAt(t, dir, rows(20), december(1, 9), 20)
	loadAt(t, dir, rows(21), december(2, 9), 21)
	left := filepath.Join(dir, ".instruments-123")
	fresh := filepath.Join(dir, ".instruments-456")
	for _, name := range []string{left, fresh, filepath.Join(dir, "other.txt")} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(left)
	if err != nil {
		t.Fatal(err)
	}
	old := info.ModTime().Add(-2 * time.Hour)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	loadAt(t, dir, rows(22), december(3, 9), 22)
	want := []string{".instruments-456", "instruments-2026-12-02.gz", "instruments-2026-12-03.gz", "other.txt"}
	if d := cmp.Diff(want, names(t, dir)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// A damaged file, or one from a day that has not come, is passed over.
func TestCacheIgnoresDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	loadAt(t, dir, rows(20), december(2, 9), 20)
	file := filepath.Join(dir, "instruments-2026-12-02.gz")
	whole, err := os.ReadFile(file) //nolint:gosec // in the test's own folder
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 0x40
	for name, content := range map[string][]byte{"cut": whole[:len(whole)/2], "flipped": flipped, "empty": nil, "html": []byte("<html>")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "instruments-2026-12-02.gz"), content, 0o600); err != nil {
				t.Fatal(err)
			}
			f := &feed{text: rows(15)}
			m := at(t, dir, f, december(2, 10))
			mustLen(t, m, 15)
			m.Close()
			loadAt(t, dir, "", december(2, 11), 15) // and it has been replaced
		})
	}
	t.Run("future", func(t *testing.T) {
		t.Parallel()
		mustLen(t, at(t, dir, &feed{text: rows(15)}, december(1, 10)), 15)
	})
}

// A folder that cannot be written costs nothing but the file, and without a folder nothing is written.
func TestCacheUnwritable(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	loadAt(t, filepath.Join(blocked, "cache"), rows(10), december(2, 9), 10)
	loadAt(t, "", rows(10), december(2, 9), 10)
}

// A process that dies in the middle of a download leaves no file under the name of a day.
func TestCacheHalfDownload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := kite.NewMaster(kite.MasterOptions{CacheDir: dir, Now: func() time.Time { return december(2, 9) }, Fetch: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(rows(10)), failingReader{})), nil
	}})
	_, err := m.Get(t.Context())
	wantKind(t, err, kite.KindCatalogUnavailable)
	m.Close()
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
}
