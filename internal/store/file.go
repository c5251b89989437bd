package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"

	"github.com/kite-mcp/kite-mcp/internal/atomicfile"
)

const (
	// lockWait is how long an operation stands in line for the file.
	lockWait = 2 * time.Second
	// sweepEvery is how often records that have ended are removed.
	sweepEvery = 10 * time.Minute
)

// file is a bbolt file that many processes share: each operation opens it, makes one transaction and closes it, so that
// nobody keeps its lock.
type file struct {
	path string
	now  func() time.Time
	turn chan struct{} // one operation at a time in this process: waiting for the lock of the file polls
}

// OpenFile returns a Store in the file at path, readable by its owner only. Nothing is opened before the first
// operation, and only writing creates the file. Several processes may use one file; when its lock cannot be had in two
// seconds the operation fails with ErrBusy and nothing is done.
func OpenFile(path string, now func() time.Time) Store {
	return &file{path: path, now: now, turn: make(chan struct{}, 1)}
}

// The buckets; records carry the version of their layout in the name.
func recordBucket() []byte { return []byte("v1") }
func metaBucket() []byte   { return []byte("meta") }

func epochKey() []byte { return []byte("epoch") }
func sweptKey() []byte { return []byte("swept") }

// enter waits for this process's turn.
func (f *file) enter(ctx context.Context) (leave func(), err error) {
	timer := time.NewTimer(lockWait)
	defer timer.Stop()
	select {
	case f.turn <- struct{}{}:
		return func() { <-f.turn }, ctx.Err()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, ErrBusy
	}
}

func (f *file) open(readOnly bool) (*bbolt.DB, error) {
	db, err := bbolt.Open(f.path, 0o600, &bbolt.Options{Timeout: lockWait, ReadOnly: readOnly})
	switch {
	case errors.Is(err, boltErrors.ErrTimeout):
		return nil, ErrBusy
	case err != nil:
		return nil, fmt.Errorf("open state file: %w", err)
	}
	return db, nil
}

// view runs one reading transaction. A file that does not exist, or was never written, has no records.
func (f *file) view(ctx context.Context, read func(records *bbolt.Bucket) error) error {
	leave, err := f.enter(ctx)
	if leave != nil {
		defer leave()
	}
	if err != nil {
		return err
	}
	if info, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	db, err := f.open(true)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // only read
	return db.View(func(tx *bbolt.Tx) error {
		if records := tx.Bucket(recordBucket()); records != nil {
			return read(records)
		}
		return nil
	})
}

// update runs one writing transaction; it is on the disk when update returns nil.
func (f *file) update(ctx context.Context, write func(records, meta *bbolt.Bucket) error) (err error) {
	leave, err := f.enter(ctx)
	if leave != nil {
		defer leave()
	}
	if err != nil {
		return err
	}
	fresh, err := f.prepare()
	if err != nil {
		return err
	}
	db, err := f.open(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if fresh {
		atomicfile.SyncFolder(filepath.Dir(f.path))
	}
	return db.Update(func(tx *bbolt.Tx) error {
		records, err := tx.CreateBucketIfNotExists(recordBucket())
		if err != nil {
			return fmt.Errorf("write state file: %w", err)
		}
		meta, err := tx.CreateBucketIfNotExists(metaBucket())
		if err != nil {
			return fmt.Errorf("write state file: %w", err)
		}
		if meta.Get(epochKey()) == nil {
			if err := meta.Put(epochKey(), []byte(rand.Text())); err != nil {
				return fmt.Errorf("write state file: %w", err)
			}
		}
		if err := f.sweep(records, meta); err != nil {
			return err
		}
		return write(records, meta)
	})
}

// prepare makes the folder and reports whether the file is new.
func (f *file) prepare() (fresh bool, err error) {
	_, err = os.Stat(f.path)
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return false, fmt.Errorf("make state folder: %w", err)
	}
	return true, nil
}

// sweep removes what has ended, now and then.
func (f *file) sweep(records, meta *bbolt.Bucket) error {
	now := f.now()
	if last := meta.Get(sweptKey()); len(last) == 8 && now.Sub(decodeTime(last)) < sweepEvery && !decodeTime(last).After(now) {
		return nil
	}
	var ended [][]byte
	_ = records.ForEach(func(k, v []byte) error { // never fails
		if _, live := f.live(v); !live {
			ended = append(ended, bytes.Clone(k))
		}
		return nil
	})
	for _, k := range ended {
		if err := records.Delete(k); err != nil {
			return fmt.Errorf("sweep state file: %w", err)
		}
	}
	return meta.Put(sweptKey(), encodeTime(now))
}

// A record is its end, 8 bytes, and the value.
func encodeTime(t time.Time) []byte { return binary.BigEndian.AppendUint64(nil, uint64(t.UnixMilli())) }

func decodeTime(b []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b))) //nolint:gosec // two's complement both ways
}

func encode(val []byte, exp time.Time) []byte { return append(encodeTime(exp), val...) }

// live returns the value of a record whose end has not come.
func (f *file) live(stored []byte) ([]byte, bool) {
	if len(stored) < 8 || !f.now().Before(decodeTime(stored)) {
		return nil, false
	}
	return stored[8:], true
}

// Get implements Store.
func (f *file) Get(ctx context.Context, k Key) ([]byte, error) {
	path, err := k.path()
	if err != nil {
		return nil, err
	}
	var out []byte
	err = f.view(ctx, func(records *bbolt.Bucket) error {
		if val, live := f.live(records.Get([]byte(path))); live {
			out = append([]byte{}, val...)
		}
		return nil
	})
	if err == nil && out == nil {
		err = ErrNotFound
	}
	return out, err
}

// change runs f on the live record of k in one transaction. What it returns rolls the transaction back.
func (f *file) change(ctx context.Context, k Key, write func(records *bbolt.Bucket, path, had []byte, live bool) error) error {
	path, err := k.path()
	if err != nil {
		return err
	}
	return f.update(ctx, func(records, _ *bbolt.Bucket) error {
		had, live := f.live(records.Get([]byte(path)))
		return write(records, []byte(path), had, live)
	})
}

// Put implements Store.
func (f *file) Put(ctx context.Context, k Key, val []byte, exp time.Time) error {
	return f.change(ctx, k, func(records *bbolt.Bucket, path, _ []byte, _ bool) error {
		return records.Put(path, encode(val, exp))
	})
}

// Create implements Store.
func (f *file) Create(ctx context.Context, k Key, val []byte, exp time.Time) error {
	return f.change(ctx, k, func(records *bbolt.Bucket, path, _ []byte, live bool) error {
		if live {
			return ErrExists
		}
		return records.Put(path, encode(val, exp))
	})
}

// Take implements Store.
func (f *file) Take(ctx context.Context, k Key) (val []byte, err error) {
	err = f.change(ctx, k, func(records *bbolt.Bucket, path, had []byte, live bool) error {
		if !live {
			return ErrNotFound
		}
		val = append([]byte{}, had...)
		return records.Delete(path)
	})
	if err != nil {
		return nil, err
	}
	return val, nil
}

// Swap implements Store.
func (f *file) Swap(ctx context.Context, k Key, old, val []byte, exp time.Time) error {
	return f.change(ctx, k, func(records *bbolt.Bucket, path, had []byte, live bool) error {
		if !live || !bytes.Equal(had, old) {
			return ErrConflict
		}
		return records.Put(path, encode(val, exp))
	})
}

// Delete implements Store.
func (f *file) Delete(ctx context.Context, k Key) error {
	return f.change(ctx, k, func(records *bbolt.Bucket, path, _ []byte, _ bool) error { return records.Delete(path) })
}

// List implements Store.
func (f *file) List(ctx context.Context, kind, owner string) (map[string][]byte, error) {
	if err := listable(kind, owner); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	start := []byte(prefix(kind, owner))
	err := f.view(ctx, func(records *bbolt.Bucket) error {
		c := records.Cursor()
		for k, v := c.Seek(start); bytes.HasPrefix(k, start); k, v = c.Next() {
			if val, live := f.live(v); live {
				out[string(k[len(start):])] = append([]byte{}, val...)
			}
		}
		return nil
	})
	return out, err
}

// Epoch implements Store: an id that was made with the file.
func (f *file) Epoch(ctx context.Context) (epoch string, err error) {
	err = f.update(ctx, func(_, meta *bbolt.Bucket) error {
		epoch = string(meta.Get(epochKey()))
		return nil
	})
	return epoch, err
}

// Close implements Store; nothing is open between operations.
func (f *file) Close() error { return nil }
