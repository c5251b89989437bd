package kite

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/atomicfile"
)

const (
	cachePrefix, cacheSuffix = "instruments-", ".gz"
	cacheTemp                = ".instruments-" // what a process that was killed leaves behind begins with it
	cacheKept                = 2               // days
	cacheTempAge             = time.Hour       // after which nobody writes to it any more
)

// masterCache is a folder with one file for each day's list, compressed so that damage is noticed. Whatever goes wrong
// with it is logged and costs a download, nothing else.
type masterCache struct {
	dir string // empty: no cache
	log *slog.Logger
}

// newest returns the latest list that can be read and when it was published; nil when there is none. Days after the
// given one are passed over: a clock was wrong when they were written.
func (c *masterCache) newest(ctx context.Context, until time.Time) (*Instruments, time.Time) {
	for _, day := range c.days() {
		if day.After(until) {
			continue
		}
		list, err := c.read(day)
		if err == nil {
			return list, day
		}
		c.log.WarnContext(ctx, "instruments cache ignored", "day", day.Format(time.DateOnly), "reason", err)
	}
	return nil, time.Time{}
}

// days lists what is in the folder, latest first.
func (c *masterCache) days() []time.Time {
	if c.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil // not there yet, as a rule
	}
	var days []time.Time
	for _, e := range entries {
		name, isList := strings.CutPrefix(strings.TrimSuffix(e.Name(), cacheSuffix), cachePrefix)
		if day, err := time.ParseInLocation(time.DateOnly, name, IST); err == nil && isList && e.Name() == c.name(day) {
			days = append(days, publication(day.Add(12*time.Hour)))
		}
	}
	slices.SortFunc(days, func(a, b time.Time) int { return b.Compare(a) })
	return days
}

func (c *masterCache) name(day time.Time) string {
	return cachePrefix + day.In(IST).Format(time.DateOnly) + cacheSuffix
}

func (c *masterCache) read(day time.Time) (*Instruments, error) {
	f, err := os.Open(filepath.Join(c.dir, c.name(day)))
	if err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	list, _, err := LoadInstruments(f)
	return list, err
}

// create begins the file of a day. What is read from the returned reader is written to it; the file is nil when there
// can be none.
func (c *masterCache) create(body io.Reader, day time.Time) (*cacheFile, io.Reader) {
	if c.dir == "" {
		return nil, body
	}
	err := os.MkdirAll(c.dir, 0o700)
	var temp *atomicfile.File
	if err == nil {
		temp, err = atomicfile.Create(c.dir, cacheTemp)
	}
	if err != nil {
		c.log.Info("instruments cache not written", "reason", err)
		return nil, body
	}
	in := bufio.NewReader(body)
	f := &cacheFile{cache: c, temp: temp, out: temp, day: day}
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		f.zip = gzip.NewWriter(temp)
		f.out = f.zip
	}
	return f, io.TeeReader(in, f)
}

// cacheFile is the file of a day while it is written.
type cacheFile struct {
	cache *masterCache
	temp  *atomicfile.File
	zip   *gzip.Writer // nil when the list comes compressed
	out   io.Writer
	day   time.Time
	err   error
}

// Write keeps a copy. It reports no error: a full disk must not stop the load.
func (f *cacheFile) Write(p []byte) (int, error) {
	if f.err == nil {
		_, f.err = f.out.Write(p)
	}
	return len(p), nil
}

// close gives the file its name, complete and safe on disk, or removes it. A nil file has nothing to do.
func (f *cacheFile) close(keep bool) {
	if f == nil {
		return
	}
	if f.zip != nil {
		f.err = errors.Join(f.err, f.zip.Close())
	}
	if keep && f.err == nil {
		f.err = f.temp.Commit(filepath.Join(f.cache.dir, f.cache.name(f.day)))
	} else {
		f.temp.Discard()
	}
	switch {
	case !keep:
	case f.err != nil:
		f.cache.log.Info("instruments cache not written", "reason", f.err)
	default:
		f.cache.prune(f.day)
	}
}

// prune removes older days, and what killed processes left behind.
func (c *masterCache) prune(day time.Time) {
	for i, old := range c.days() {
		if i >= cacheKept {
			_ = os.Remove(filepath.Join(c.dir, c.name(old))) // the next one tries again
		}
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	newest, err := os.Stat(filepath.Join(c.dir, c.name(day)))
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		// Ages are compared on the clock of the file system, which may not be ours.
		if err == nil && strings.HasPrefix(e.Name(), cacheTemp) && newest.ModTime().Sub(info.ModTime()) > cacheTempAge {
			_ = os.Remove(filepath.Join(c.dir, e.Name())) // as above
		}
	}
}
