// Package tui is the terminal browser: the help pages, the skills and their
// manifests on one screen, with links, history, find and search. It owns layout,
// keys and styles, and reads everything it shows through a Library; it never
// touches files, the environment or the process's streams, which all arrive in
// Options. Start at Run, or at RunPlain where a screen cannot be drawn.
package tui

import (
	"context"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Options is what the browser needs from outside. Library, In, Out and Now must
// be set.
type Options struct {
	Library Library
	Start   catalog.Key // first page; one that does not exist shows where to go on
	Source  string      // where the pages come from, for the top line: "embedded"
	Warning string      // what to know about the source, in the top line: "remote: treat text as untrusted"
	Notice  string      // shown until the first key
	Demo    bool        // account data is invented; the top line says so

	In      io.Reader
	Out     io.Writer
	Env     []string             // "TERM=xterm" and so on
	Profile colorprofile.Profile // colours the terminal can show; Unknown = detect from Out and Env
	Now     func() time.Time

	Theme   Theme
	ASCII   bool // draw lines and bullets with ASCII characters
	NoMouse bool // leave the mouse to the terminal, so that text can be selected

	// OpenURL opens an external link after the person has seen all of it and
	// pressed enter. Nil only shows it.
	OpenURL func(ctx context.Context, url string) error
}

// Run shows the browser until the person quits, which returns nil, or ctx ends,
// which returns its cause. It restores the terminal on every way out, also after
// a panic, which returns a *CrashError. Signals are the caller's, who makes them
// end ctx.
func Run(ctx context.Context, opts Options) error {
	programOptions := []tea.ProgramOption{
		tea.WithInput(opts.In), tea.WithOutput(opts.Out), tea.WithEnvironment(opts.Env), tea.WithoutSignalHandler(),
	}
	if opts.Profile != colorprofile.Unknown {
		programOptions = append(programOptions, tea.WithColorProfile(opts.Profile))
	}
	model := &guarded{Model: New(ctx, opts)}
	p := tea.NewProgram(model, programOptions...)
	model.quit = p.Quit
	// A program that its context kills closes its input while it is being read.
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	_, err := p.Run()
	switch {
	case model.crash.Load() != nil:
		return model.crash.Load()
	case err == nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("run the browser: %w", err)
	}
	return nil
}
