package cmd

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

// terminal says which streams are terminals and how large the one of stdout is.
type terminal struct {
	in, out, err  bool
	width, height int // of stdout; 0 when unknown
}

// Widths in columns.
const (
	unknownWidth = 80
	maxProse     = 100 // longer lines are hard to read
)

func detectTerminal(p *Process) terminal {
	t := terminal{in: isTerminal(p.In), err: isTerminal(p.Err)}
	if f, ok := p.Out.(*os.File); ok && isTerminal(f) {
		t.out = true
		// A terminal that does not know its size reports an error or zeros.
		t.width, t.height, _ = term.GetSize(int(f.Fd()))
	}
	return t
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// color decides whether colours are used: --color, then NO_COLOR,
// CLICOLOR_FORCE, CLICOLOR and TERM, then whether stdout is a terminal.
func (a *App) color() bool {
	switch a.flags.color {
	case "always":
		return true
	case "never":
		return false
	}
	force := a.getenv("CLICOLOR_FORCE")
	switch {
	case a.getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	case a.getenv("CLICOLOR") == "0", a.dumb():
		return false
	}
	return a.terminal().out
}

// dumb reports whether the terminal understands no escape sequence.
func (a *App) dumb() bool {
	name := a.getenv("TERM")
	return name == "" && !isWindows || name == "dumb"
}

// laidOut reports whether pages and tables are laid out for reading. Otherwise
// the output is for a program: Markdown, and columns separated by tabs.
func (a *App) laidOut() bool { return a.terminal().out || a.color() }

// styled reports whether escape sequences may be written. Without colours a
// terminal still shows bold.
func (a *App) styled() bool { return a.color() || a.terminal().out && !a.dumb() }

// style picks the colours of pages. The terminal is never asked: some do not
// answer. Terminals that say so in COLORFGBG get dark text.
func (a *App) style() render.Style {
	if !a.color() {
		return render.None
	}
	_, background, _ := strings.Cut(a.getenv("COLORFGBG"), ";")
	background = background[strings.LastIndexByte(background, ';')+1:]
	if n, err := strconv.Atoi(background); err == nil && (n == 7 || n > 8 && n < 16) {
		return render.Light
	}
	return render.Dark
}

// downsample replaces colours that the terminal does not have.
func (a *App) downsample(text string) string {
	if !a.color() {
		return text
	}
	// Whether to use colours is decided already; only their number is asked for.
	env := slices.DeleteFunc(slices.Clone(a.proc.Environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return name == "NO_COLOR" || strings.HasPrefix(name, "CLICOLOR")
	})
	var b strings.Builder
	w := colorprofile.Writer{Forward: &b, Profile: max(colorprofile.Env(env), colorprofile.ANSI)}
	if _, err := w.WriteString(text); err != nil {
		return text // a strings.Builder does not fail
	}
	return b.String()
}

// width is the columns of stdout.
func (a *App) width() int {
	if w := a.terminal().width; w > 0 {
		return w
	}
	return unknownWidth
}

// page prints text that a person reads from top to bottom, through a pager when
// it is taller than the terminal.
func (a *App) page(ctx context.Context, text string) error {
	t := a.terminal()
	if !t.out || a.flags.noPager || a.dumb() || t.height <= 0 || strings.Count(text, "\n") < t.height {
		return a.write(text)
	}
	command := a.pager()
	if len(command) == 0 || command[0] == "cat" {
		return a.write(text)
	}
	// An interrupt in the pager is the pager's: it must not outlive us.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	c := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...) //nolint:gosec // the person chose the pager
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), a.proc.Out, a.proc.Err
	c.Env = a.proc.Environ
	if a.getenv("LESS") == "" {
		c.Env = append(c.Env, "LESS=FRX")
	}
	if err := c.Start(); err != nil {
		return a.write(text)
	}
	// Leaving a pager early closes its input; that is no failure of ours.
	_ = c.Wait()
	return nil
}

// pager returns the words of the pager's command line, none when it is off.
func (a *App) pager() []string {
	for _, name := range []string{"KITE_MCP_PAGER", "PAGER"} {
		if v, set := a.lookup(name); set {
			return strings.Fields(v)
		}
	}
	return []string{"less"}
}

// whileWanted runs what can block for ever, such as a read from a terminal or the
// opening of a pipe, and gives up when ctx ends. What was given up runs on by
// itself, so it must touch nothing of the caller's.
func whileWanted[T any](ctx context.Context, run func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := run()
		done <- outcome{value, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case got := <-done:
		return got.value, got.err
	}
}

// readAll reads the whole stream of a name.
func readAll(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, usage(name+" holds more than "+strconv.FormatInt(most, 10)+" bytes", "")
	}
	return data, err
}
