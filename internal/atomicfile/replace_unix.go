//go:build unix

package atomicfile

import "os"

// replace puts a file in the place of another one, in one step.
func replace(from, to string) error { return os.Rename(from, to) }
