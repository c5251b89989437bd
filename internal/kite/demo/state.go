package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/atomicfile"
)

// state is what is kept between runs, for commands that are a process each.
type state struct {
	Version  int                `json:"version"`
	Books    map[string]*book   `json:"books"`
	Sessions map[string]session `json:"sessions"`
}

const stateVersion = 1

// oldest is how many seconds a stored book may be away from the clock: others are opened anew.
const oldest = 366 * secondsPerDay

// load reads the state file, if there is one.
func (x *Exchange) load() error {
	if x.options.State == "" {
		return nil
	}
	if info, err := os.Stat(x.options.State); err == nil && !info.Mode().IsRegular() { // before opening: a pipe would wait
		return fmt.Errorf("demo state %s is not a regular file", x.options.State)
	}
	b, err := os.ReadFile(x.options.State)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read demo state: %w", err)
	}
	var s state
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read demo state %s: %w", x.options.State, err)
	}
	if s.Version != stateVersion {
		return fmt.Errorf("demo state %s has version %d, want %d", x.options.State, s.Version, stateVersion)
	}
	for user, b := range s.Books {
		if b == nil || x.accounts[user] == nil || b.User != user {
			return fmt.Errorf("demo state %s: unknown user %q", x.options.State, user)
		}
		if x.start-b.At <= oldest && b.At-x.start <= oldest {
			x.stored[user] = b
		}
	}
	// A clock that was moved, or that starts at the same instant in every process, goes on where the books stand.
	for _, b := range x.stored {
		if ahead := b.At - momentOf(x.clock.raw()); ahead > 0 {
			x.clock.advance(time.Duration(ahead) * time.Second)
		}
	}
	for token, s := range s.Sessions {
		if x.accounts[s.User] != nil {
			x.sessions[token] = s
		}
	}
	return nil
}

// save writes the state file in one step, readable by its owner only. A demo goes on without it: the next call tries
// again.
func (x *Exchange) save() {
	if x.options.State == "" {
		return
	}
	s := state{Version: stateVersion, Books: map[string]*book{}, Sessions: map[string]session{}}
	maps.Copy(s.Books, x.stored)
	for user, d := range x.books {
		s.Books[user] = d.book
	}
	x.mu.Lock()
	for token, session := range x.sessions {
		if token != AccessToken {
			s.Sessions[token] = session
		}
	}
	x.mu.Unlock()
	if err := atomicfile.Write(x.options.State, ".demo-*", mustJSON(s)); err != nil {
		x.options.Log.Warn("demo state not written", "error", err)
		return
	}
	for _, d := range x.books {
		d.changed = false
	}
}
