package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/store/storetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T, now func() time.Time) store.Store{
		"memory": func(_ *testing.T, now func() time.Time) store.Store { return store.Memory(now) },
		"file": func(t *testing.T, now func() time.Time) store.Store {
			t.Helper()
			return store.OpenFile(filepath.Join(t.TempDir(), "new", "state.db"), now)
		},
		"two processes": func(t *testing.T, now func() time.Time) store.Store {
			t.Helper()
			path := filepath.Join(t.TempDir(), "state.db")
			return &alternating{stores: [2]store.Store{store.OpenFile(path, now), store.OpenFile(path, now)}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, open)
		})
	}
}

func at() time.Time { return new(storetest.Clock).Now() }

func record() store.Key { return store.Key{Kind: "k", Owner: "o", ID: "i"} }

// TestReadingMakesNoFile: a program that only looks leaves nothing behind.
func TestReadingMakesNoFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	s := store.OpenFile(filepath.Join(dir, "state.db"), at)
	if _, err := s.Get(t.Context(), record()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("get: %v", err)
	}
	if list, err := s.List(t.Context(), "k", "o"); len(list) != 0 || err != nil {
		t.Errorf("list: %v, %v", list, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
}

func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes there")
	}
	dir := filepath.Join(t.TempDir(), "state")
	s := store.OpenFile(filepath.Join(dir, "state.db"), at)
	if err := s.Put(t.Context(), record(), []byte("x"), at().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := store.KeyFile(filepath.Join(dir, "keys")).Seal("p", "o", nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "state.db": 0o600, "keys": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q has mode %v, want %v (%v)", name, info.Mode().Perm(), want, err)
		}
	}
}

// TestLockedFileIsBusy: what cannot be done for a lock is said to be not done.
func TestLockedFileIsBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	holder, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := store.OpenFile(path, at)
	if err := s.Create(t.Context(), record(), []byte("x"), at().Add(time.Hour)); !errors.Is(err, store.ErrBusy) {
		t.Errorf("create: %v, want busy", err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), record(), []byte("x"), at().Add(time.Hour)); err != nil {
		t.Errorf("create once it is free: %v", err)
	}
}

// TestBrokenFileIsUnknown: damage is neither "not found" nor "exists".
func TestBrokenFileIsUnknown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("damage"), 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	s := store.OpenFile(path, at)
	_, getErr := s.Get(t.Context(), record())
	for what, err := range map[string]error{"get": getErr, "create": s.Create(t.Context(), record(), nil, at().Add(time.Hour))} {
		if err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestSealOpensOnlyForItsPurposeAndOwner(t *testing.T) {
	t.Parallel()
	keys := store.RandomKeys()
	sealed, err := keys.Seal("intent", "DM0001", []byte("secret"))
	if err != nil || bytes.Contains(sealed, []byte("secret")) {
		t.Fatalf("sealed %q, %v", sealed, err)
	}
	if plain, err := keys.Open("intent", "DM0001", sealed); string(plain) != "secret" || err != nil {
		t.Errorf("open: %q, %v", plain, err)
	}
	flipped := bytes.Clone(sealed)
	flipped[len(flipped)/2] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"other purpose": func() ([]byte, error) { return keys.Open("kite", "DM0001", sealed) },
		"other owner":   func() ([]byte, error) { return keys.Open("intent", "DM0002", sealed) },
		"shifted names": func() ([]byte, error) { return keys.Open("intentD", "M0001", sealed) },
		"other keys":    func() ([]byte, error) { return store.RandomKeys().Open("intent", "DM0001", sealed) },
		"changed":       func() ([]byte, error) { return keys.Open("intent", "DM0001", flipped) },
		"cut":           func() ([]byte, error) { return keys.Open("intent", "DM0001", sealed[:9]) },
		"empty":         func() ([]byte, error) { return keys.Open("intent", "DM0001", nil) },
	} {
		if plain, err := open(); !errors.Is(err, store.ErrSealed) || plain != nil {
			t.Errorf("%s: %q, %v", name, plain, err)
		}
	}
}

// TestKeyFileIsMadeOnce: processes that start together use one key.
func TestKeyFileIsMadeOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "keys")
	var wg sync.WaitGroup
	sealed := make([][]byte, 8)
	for i := range sealed {
		wg.Go(func() {
			var err error
			if sealed[i], err = store.KeyFile(path).Seal("p", "o", []byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range sealed {
		if _, err := store.KeyFile(path).Open("p", "o", s); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(path, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.KeyFile(path).Seal("p", "o", nil); err == nil {
		t.Error("a file without a key was used")
	}
}
