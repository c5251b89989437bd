//go:build !unix

package host

import "os/exec"

// lead does nothing: these systems have no process groups to speak of.
func lead(*exec.Cmd) {}

// end makes a program end. There is no way to ask.
func end(p *exec.Cmd, _ bool) error { return p.Process.Kill() }
