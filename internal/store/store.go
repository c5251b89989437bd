// Package store keeps what must outlive a process: small records under a key, each with an end. It owns durability,
// expiry, the one winner of parallel claims, and the sealing of secrets at rest. It does not know what a record means.
// Entry points are the Store interface with its backends Memory and OpenFile, and Keys for sealing.
package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Key names a record. Kind and Owner hold no slash; ID may hold any byte. Only records with an Owner can be listed.
type Key struct{ Kind, Owner, ID string }

// Store is a set of records. An error other than the three below means that the outcome is unknown: it is never a
// "not found", and Create, Take and Swap must not be repeated after it.
type Store interface {
	// Get returns a record, or ErrNotFound, also when its end has passed.
	Get(ctx context.Context, k Key) ([]byte, error)
	// Put writes a record that ends at exp. It is durable when Put returns nil.
	Put(ctx context.Context, k Key, val []byte, exp time.Time) error
	// Create writes a record that is not there. Of parallel calls exactly one wins; the others get ErrExists.
	Create(ctx context.Context, k Key, val []byte, exp time.Time) error
	// Take reads and removes a record. Of parallel calls exactly one wins; the others get ErrNotFound.
	Take(ctx context.Context, k Key) ([]byte, error)
	// Swap replaces a record that still holds old, else returns ErrConflict.
	Swap(ctx context.Context, k Key, old, val []byte, exp time.Time) error
	// Delete removes a record; one that is not there is no error.
	Delete(ctx context.Context, k Key) error
	// List returns the live records of an owner by ID.
	List(ctx context.Context, kind, owner string) (map[string][]byte, error)
	// Epoch changes whenever acknowledged writes may have been lost.
	Epoch(ctx context.Context) (string, error)
	// Close ends the use of the store.
	Close() error
}

// The outcomes that callers branch on.
var (
	ErrNotFound = errors.New("no such record")
	ErrExists   = errors.New("the record exists already")
	ErrConflict = errors.New("the record has changed")
	// ErrBusy says that nothing was done, because other processes held the store for too long.
	ErrBusy = errors.New("another kite-mcp is busy with the state file")
)

// path is the key as the backends order it.
func (k Key) path() (string, error) {
	if k.Kind == "" || k.ID == "" || strings.Contains(k.Kind, "/") || strings.Contains(k.Owner, "/") {
		return "", fmt.Errorf("bad record key %q", k.Kind+"/"+k.Owner)
	}
	return prefix(k.Kind, k.Owner) + k.ID, nil
}

func prefix(kind, owner string) string { return kind + "/" + owner + "/" }

// listable refuses a List that could not be answered by every backend.
func listable(kind, owner string) error {
	if owner == "" {
		return errors.New("records without an owner cannot be listed")
	}
	_, err := Key{Kind: kind, Owner: owner, ID: "any"}.path()
	return err
}

// memory keeps everything in this process: for the demo exchange and for tests.
type memory struct {
	now   func() time.Time
	epoch string

	mu      sync.Mutex
	records map[string]record
}

type record struct {
	val []byte
	exp time.Time
}

// Memory returns a Store that ends with the process. now is the wall clock.
func Memory(now func() time.Time) Store {
	return &memory{now: now, epoch: rand.Text(), records: map[string]record{}}
}

// with runs f on the live record of k, if there is one.
func (m *memory) with(ctx context.Context, k Key, f func(path string, had []byte, live bool) error) error {
	path, err := k.path()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[path]
	live := ok && m.now().Before(r.exp)
	if ok && !live {
		delete(m.records, path)
	}
	return f(path, r.val, live)
}

func (m *memory) set(path string, val []byte, exp time.Time) {
	m.records[path] = record{append([]byte{}, val...), exp}
}

// Get implements Store.
func (m *memory) Get(ctx context.Context, k Key) (val []byte, err error) {
	err = m.with(ctx, k, func(_ string, had []byte, live bool) error {
		if !live {
			return ErrNotFound
		}
		val = append([]byte{}, had...)
		return nil
	})
	return val, err
}

// Put implements Store.
func (m *memory) Put(ctx context.Context, k Key, val []byte, exp time.Time) error {
	return m.with(ctx, k, func(path string, _ []byte, _ bool) error {
		m.set(path, val, exp)
		return nil
	})
}

// Create implements Store.
func (m *memory) Create(ctx context.Context, k Key, val []byte, exp time.Time) error {
	return m.with(ctx, k, func(path string, _ []byte, live bool) error {
		if live {
			return ErrExists
		}
		m.set(path, val, exp)
		return nil
	})
}

// Take implements Store.
func (m *memory) Take(ctx context.Context, k Key) (val []byte, err error) {
	err = m.with(ctx, k, func(path string, had []byte, live bool) error {
		if !live {
			return ErrNotFound
		}
		val = had
		delete(m.records, path)
		return nil
	})
	return val, err
}

// Swap implements Store.
func (m *memory) Swap(ctx context.Context, k Key, old, val []byte, exp time.Time) error {
	return m.with(ctx, k, func(path string, had []byte, live bool) error {
		if !live || string(had) != string(old) {
			return ErrConflict
		}
		m.set(path, val, exp)
		return nil
	})
}

// Delete implements Store.
func (m *memory) Delete(ctx context.Context, k Key) error {
	return m.with(ctx, k, func(path string, _ []byte, _ bool) error {
		delete(m.records, path)
		return nil
	})
}

// List implements Store.
func (m *memory) List(ctx context.Context, kind, owner string) (map[string][]byte, error) {
	if err := listable(kind, owner); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string][]byte{}
	now := m.now()
	for path, r := range m.records {
		if id, ok := strings.CutPrefix(path, prefix(kind, owner)); ok && now.Before(r.exp) {
			out[id] = append([]byte{}, r.val...)
		}
	}
	return out, nil
}

// Epoch implements Store.
func (m *memory) Epoch(context.Context) (string, error) { return m.epoch, nil }

// Close implements Store.
func (m *memory) Close() error { return nil }
