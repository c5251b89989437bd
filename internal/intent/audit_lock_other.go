//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package intent

import (
	"errors"
	"os"
)

// openLocked refuses: without a lock two processes would break the chain.
func openLocked(path string) (*os.File, error) {
	return nil, &os.PathError{Op: "open", Path: path, Err: errors.New("an audit log in a file needs a system with file locks; use AUDIT_LOG=-")}
}
