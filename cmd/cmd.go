// Package cmd is the command line. It owns the commands, their flags, the one
// error message a failed command prints and its exit status. What the commands
// show comes from catalog, internal/tools, internal/lint, server and tui; none
// of it is decided here. Every command is a constructor, an options struct and a
// run function. Start at Main.
package cmd

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Process is what the operating system gives a program. Nothing in this module
// reads it from anywhere else.
type Process struct {
	Args     []string // without the program's name
	In       io.Reader
	Out, Err io.Writer
	Environ  []string // NAME=value
	Now      func() time.Time
	Version  string // stamped by the release build, "" otherwise
	Dir      string // what relative file names are below; "" is the working directory
}

// Main runs the program until it ends or is interrupted and returns its exit
// status. A second interrupt ends it at once.
func Main(p *Process) int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // below nohup it must stay ignored
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	context.AfterFunc(ctx, stop)
	// Without a receiver, Go kills a program that writes to a closed pipe. With
	// one, the write fails and the program ends quietly.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return Run(ctx, p)
}

// Run runs one command line and returns its exit status.
func Run(ctx context.Context, p *Process) int {
	app := newApp(p)
	defer app.close()
	return app.finish(ctx, app.execute(ctx, newRoot(app))) //nolint:contextcheck // commands get ctx from cobra
}

func (a *App) execute(ctx context.Context, root *cobra.Command) error {
	// A nil slice would make cobra read os.Args.
	root.SetArgs(append([]string{}, a.proc.Args...))
	root.SetIn(a.proc.In)
	root.SetOut(a.proc.Out)
	root.SetErr(a.proc.Err)
	return root.ExecuteContext(ctx)
}
