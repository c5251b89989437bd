//go:build unix

package host

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// lead makes a program that is about to start the leader of a process group. It
// also keeps the interrupt key of the terminal for us.
func lead(p *exec.Cmd) { p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end asks the group of a program to end, or makes it.
func end(p *exec.Cmd, force bool) error {
	signal := syscall.SIGTERM
	if force {
		signal = syscall.SIGKILL
	}
	err := syscall.Kill(-p.Process.Pid, signal)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
