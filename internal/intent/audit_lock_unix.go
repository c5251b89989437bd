//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package intent

import (
	"errors"
	"os"
	"syscall"
)

// openLocked opens a file for appending, making it if need be, and locks it until it is closed. It does not wait:
// errLocked says that another process has the lock.
func openLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) //nolint:gosec // the operator chose it
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		err = errLocked
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
