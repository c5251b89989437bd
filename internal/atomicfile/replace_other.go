//go:build !unix

package atomicfile

import (
	"os"
	"time"
)

// replace puts a file in the place of another one, in one step. Windows refuses that while a process reads the other
// one, which takes it microseconds.
func replace(from, to string) error {
	const attempts, pause = 20, 10 * time.Millisecond
	var err error
	for range attempts {
		if err = os.Rename(from, to); err == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return err
}
