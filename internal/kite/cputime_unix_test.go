//go:build unix

package kite_test

import (
	"syscall"
	"time"
)

// cpuTime is what the process has computed so far, the collector included. Other processes of the machine do not change
// it, as they change the time that passes.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
