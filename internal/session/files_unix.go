//go:build unix

package session

import (
	"io/fs"
	"os"
	"syscall"
)

// ownFile reports whether this user owns the file.
func ownFile(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int64(stat.Uid) == int64(os.Geteuid())
}
