package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/atomicfile"
)

const (
	loginFile  = "session.json"
	endFile    = "session-ended.json"
	tempPrefix = ".session-"
	tempAge    = time.Hour // a temporary file that old belongs to a process that was killed
)

func (k *Keeper) place() string {
	if k.o.Dir == "" {
		return ""
	}
	return filepath.Join(k.o.Dir, loginFile)
}

// load reads the saved login; fs.ErrNotExist when there is none. The keeper must be locked.
func (k *Keeper) load() (*record, error) {
	if k.o.Dir == "" {
		if k.memory == nil {
			return nil, fs.ErrNotExist
		}
		return k.memory, nil
	}
	raw, err := readPrivate(k.place())
	if err != nil {
		return nil, err
	}
	r, err := parseRecord(raw)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", named(k.place()), err)
	}
	return r, nil
}

// readPrivate reads a small file that nobody else can read or have written.
func readPrivate(place string) ([]byte, error) {
	info, err := os.Lstat(place) // before opening: opening a pipe would wait for a writer
	if err != nil {
		return nil, short(place, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s cannot be used: it is not a regular file", named(place))
	}
	f, err := os.Open(place) //nolint:gosec // a fixed name in the user's own folder
	if err != nil {
		return nil, short(place, err)
	}
	defer func() { _ = f.Close() }() // only read
	if info, err = f.Stat(); err != nil {
		return nil, short(place, err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s cannot be used: it is not a regular file", named(place))
	case !ownFile(info):
		return nil, fmt.Errorf("%s cannot be used: it belongs to another user", named(place))
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%s cannot be used: others can read it (mode %04o instead of 0600)", named(place), info.Mode().Perm())
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, short(place, err)
	}
	return raw, nil
}

// named is a file without its folder: the message may go to a client, which has no business with the latter.
func named(place string) string { return "the saved login " + filepath.Base(place) }

// short names the file once and keeps the cause.
func short(place string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", named(place), err)
}

// save keeps a login. The keeper must be locked.
func (k *Keeper) save(r *record) error {
	k.ended = nil
	if k.o.Dir == "" {
		k.memory = r
		return nil
	}
	raw, err := r.encode()
	if err != nil {
		return err
	}
	return k.write(loginFile, raw)
}

// endOf returns how a login ended, zero when it has not. The keeper must be locked.
func (k *Keeper) endOf(r *record) ending {
	for _, e := range k.ends() {
		if e.Token == tokenHash(r.AccessToken) {
			return e
		}
	}
	return ending{}
}

// ends returns the ends that are known: the one that could not be saved, then the saved one. The keeper must be locked.
func (k *Keeper) ends() []ending {
	var all []ending
	if k.ended != nil {
		all = append(all, *k.ended)
	}
	if k.o.Dir == "" {
		return all
	}
	raw, err := readPrivate(filepath.Join(k.o.Dir, endFile))
	if err != nil {
		return all
	}
	return append(all, parseEnding(raw))
}

// end notes that a token is no good any more, and reports whether that is news.
func (k *Keeper) end(token string, e ending) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.noteEnd(token, e)
}

// noteEnd is end for a locked keeper. It has a file of its own: to change the login's would race with a new login.
func (k *Keeper) noteEnd(token string, e ending) (fresh bool) {
	e.Token = tokenHash(token)
	said := func(had ending) bool {
		return had.Token == e.Token && (had.Status == e.Status || had.Status == statusLoggedOut)
	}
	if slices.ContainsFunc(k.ends(), said) {
		return false // a logout says more than that Kite refuses the token
	}
	if k.o.Dir == "" {
		k.ended = &e
		return true
	}
	raw, err := json.Marshal(e)
	if err == nil {
		err = k.write(endFile, raw)
	}
	if err != nil {
		k.ended = &e // this process knows it all the same
		k.log.Warn("the end of the session could not be saved", "problem", err.Error())
	}
	return true
}

// drop removes the saved login; r is nil when the file cannot be read. The keeper must be locked.
func (k *Keeper) drop(r *record) error {
	if r != nil {
		k.noteEnd(r.AccessToken, ending{Status: statusLoggedOut})
	}
	if k.o.Dir == "" {
		k.memory = nil
		return nil
	}
	if err := os.Remove(k.place()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write replaces a file of the folder at once: whoever reads it, and a process killed at any point, finds the old file
// or the new one, whole.
func (k *Keeper) write(name string, raw []byte) error {
	if err := privateDir(k.o.Dir); err != nil {
		return err
	}
	k.sweep()
	return atomicfile.Write(filepath.Join(k.o.Dir, name), tempPrefix+"*", append(raw, '\n'))
}

// privateDir makes sure that only its owner can enter the folder.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !ownFile(info) {
		return fmt.Errorf("the folder %s belongs to another user", dir)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(dir, 0o700) //nolint:gosec // a folder needs the x bit
	}
	return nil
}

// sweep removes what killed processes left behind.
func (k *Keeper) sweep() {
	entries, err := os.ReadDir(k.o.Dir)
	if err != nil {
		return // the write will say it
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && k.o.Kite.Now().Sub(info.ModTime()) > tempAge {
			_ = os.Remove(filepath.Join(k.o.Dir, e.Name())) // somebody else's sweep may have been first
		}
	}
}
