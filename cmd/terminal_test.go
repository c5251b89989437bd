//go:build unix

package cmd_test

import (
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/kite-mcp/kite-mcp/internal/termtest"
)

// program is the command line under test as a process of its own.
func program(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), process, args...)                                                                                       //nolint:gosec // installed by TestMain
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "KITE_DEMO_NOW=" + demoNow, "GOCOVERDIR=" + t.TempDir()}, env...) //nolint:forbidigo // TestMain puts the program there
	return c
}

// onTerminal runs the program on a terminal that never answers and returns what
// it wrote there.
func onTerminal(t *testing.T, size pty.Winsize, env []string, args ...string) (output string, status int) {
	t.Helper()
	c := program(t, env, args...)
	f, err := pty.StartWithSize(c, &size)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	read := make(chan []byte)
	go func() {
		data, _ := io.ReadAll(f) // ends with EIO when the program has gone
		read <- data
	}()
	var data []byte
	select {
	case data = <-read:
	case <-time.After(termtest.Limit):
		t.Fatalf("kite-mcp %s did not end within %s", strings.Join(args, " "), termtest.Limit)
	}
	err = c.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		status = exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), status
}

var tall = pty.Winsize{Rows: 400, Cols: 80}

// TestSilentTerminal starts commands on a terminal that never answers a query:
// none may be sent, and nothing may wait.
func TestSilentTerminal(t *testing.T) {
	t.Parallel()
	out, status := onTerminal(t, tall, nil, "version")
	if status != 0 || strings.Contains(out, "\x1b") || !strings.HasPrefix(out, "kite-mcp ") {
		t.Errorf("version: status %d, output %q", status, out)
	}
	out, status = onTerminal(t, tall, nil, "help", "/orders")
	if status != 0 || !strings.Contains(out, "/orders/prepare") {
		t.Errorf("help /orders: status %d, output %q", status, out)
	}
	for _, query := range []string{"\x1b]10;", "\x1b]11;", "\x1b[6n", "\x1b[c", "\x1b[0c", "\x1b[>", "\x1b[?u", "$p", "\x1bP"} {
		if strings.Contains(out, query) {
			t.Errorf("help /orders asks the terminal %q", query)
		}
	}
}

func TestTerminalOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		size      pty.Winsize
		env       []string
		args      []string
		has, not  string
		maxColumn int
	}{
		{"overview alone", tall, nil, nil, "Help pages, from kite-mcp help /:", "\x1b", 0},
		{"pages have colours", tall, nil, []string{"/orders"}, "\x1b[", "# Orders", 0},
		{"no colour keeps bold", tall, []string{"NO_COLOR=1"}, []string{"/orders"}, ";1m", "\x1b[38", 0},
		{"sixteen colours", tall, []string{"TERM=xterm"}, []string{"/orders/prepare"}, "\x1b[", "38;5;", 0},
		{"dumb terminal", tall, []string{"TERM=dumb"}, []string{"/orders"}, "Orders", "\x1b", 80},
		{"tables fit", pty.Winsize{Rows: 400, Cols: 60}, []string{"TERM=dumb"}, []string{"skills", "list"}, "~", "\t", 60},
		{"tree is indented", tall, []string{"TERM=dumb"}, []string{"tree"}, "    /orders/prepare ", "\t", 80},
		{"json is indented", tall, nil, []string{"tree", "/orders", "-o", "json"}, "{\n  \"keys\": [\n", "\x1b", 0},
		{"pager", pty.Winsize{Rows: 5, Cols: 80}, []string{"PAGER=sed s/^/paged:/"}, []string{"tree", "--keys-only"}, "paged:/orders\n", "", 0},
		{"own pager first", pty.Winsize{Rows: 5, Cols: 80}, []string{"KITE_MCP_PAGER=", "PAGER=sed s/^/paged:/"}, []string{"tree", "--keys-only"}, "/orders\n", "paged:", 0},
		{"no pager", pty.Winsize{Rows: 5, Cols: 80}, []string{"PAGER=sed s/^/paged:/"}, []string{"tree", "--keys-only", "--no-pager"}, "/orders\n", "paged:", 0},
		{"short output is not paged", tall, []string{"PAGER=sed s/^/paged:/"}, []string{"tree", "--keys-only"}, "/orders\n", "paged:", 0},
		{"pager that does not exist", pty.Winsize{Rows: 5, Cols: 80}, []string{"PAGER=no-such-pager"}, []string{"tree", "--keys-only"}, "/orders\n", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, status := onTerminal(t, tt.size, tt.env, tt.args...)
			if status != 0 || !strings.Contains(out, tt.has) || tt.not != "" && strings.Contains(out, tt.not) {
				t.Errorf("status %d, want %q and not %q in:\n%q", status, tt.has, tt.not, out)
			}
			for line := range strings.SplitSeq(out, "\n") {
				if tt.maxColumn > 0 && len([]rune(line)) > tt.maxColumn {
					t.Errorf("line of %d columns: %s", len([]rune(line)), line)
				}
			}
		})
	}
}

// TestBrowser opens the browser on a terminal and leaves it by key and by signal.
func TestBrowser(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		leave  func(screen *termtest.Terminal, p *os.Process) error
		status int
	}{
		"q":       {func(screen *termtest.Terminal, _ *os.Process) error { screen.Types("q"); return nil }, 0},
		"SIGTERM": {func(_ *termtest.Terminal, p *os.Process) error { return p.Signal(syscall.SIGTERM) }, 130},
		"SIGHUP":  {func(_ *termtest.Terminal, p *os.Process) error { return p.Signal(syscall.SIGHUP) }, 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := program(t, []string{"KITE_DEMO=1"}, "tui", "/orders")
			screen := termtest.Start(t, c, 100, 40)
			screen.Shows("/orders")
			screen.Shows(" DEMO ") // data is invented
			if err := tt.leave(screen, c.Process); err != nil {
				t.Fatal(err)
			}
			screen.Closed()
			_ = c.Wait()
			if got := c.ProcessState.ExitCode(); got != tt.status {
				t.Errorf("exit status %d, want %d", got, tt.status)
			}
			if screen.Screen.IsAltScreen() {
				t.Errorf("the terminal is not restored:\n%s", screen.Text())
			}
		})
	}
}

// TestBrowseServer browses a server that the program starts, verifies its skills
// and leaves: the server ends with it.
func TestBrowseServer(t *testing.T) {
	t.Parallel()
	c := program(t, nil, "tui", "/orders", "--stdio", process+" serve --demo")
	screen := termtest.Start(t, c, 140, 40)
	screen.Shows("remote: treat text as untrusted")
	screen.Types("2")
	screen.Shows("technical-analysis") // the skills are loaded
	screen.Types("V")
	screen.Shows("skills verified, ")
	screen.Types("q")
	screen.Closed() // nobody has the terminal any more, the server neither
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestServeOnTerminal says what it is and waits; the end of input ends it.
func TestServeOnTerminal(t *testing.T) {
	t.Parallel()
	c := program(t, nil, "serve", "--demo")
	var stdout, stderr bytes.Buffer
	master, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = master.Close() }()
	c.Stdin, c.Stdout, c.Stderr = terminal, &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close()
	if _, err := master.Write([]byte{4}); err != nil { // Ctrl-D
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("serve: %v, stderr %s", err, stderr.String())
	}
	if stdout.Len() > 0 || !strings.Contains(stderr.String(), "waits for an MCP client on stdin") || !strings.Contains(stderr.String(), "DEMO") {
		t.Errorf("stdout %q, stderr %q", stdout.String(), stderr.String())
	}
}

// TestSignals ends a server as a service manager does, and a command as a
// person does.
func TestSignals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		signal os.Signal
		args   []string
		status int
	}{
		"serve stdio, SIGTERM": {syscall.SIGTERM, []string{"serve", "--demo"}, 0},
		"serve http, SIGINT":   {os.Interrupt, []string{"serve", "--demo", "--http", "localhost:0"}, 0},
		"command, SIGINT":      {os.Interrupt, []string{"tools", "call", "market", "--args", "-", "-v"}, 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := program(t, []string{"LOG_LEVEL=debug"}, tt.args...)
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close() }()
			stderr, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if tt.status == 0 {
				// It logs once it runs: the instruments are loaded first.
				if _, err := stderr.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
			} else {
				waitForRead(t, in)
			}
			if err := c.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, stderr)
			err = c.Wait()
			got := c.ProcessState.ExitCode()
			if got != tt.status {
				t.Errorf("exit status %d (%v), want %d", got, err, tt.status)
			}
		})
	}
}

// waitForRead fills the pipe, so that the next write ends only when the program
// has read something: then it has installed its signal handler.
func waitForRead(t *testing.T, in io.Writer) {
	t.Helper()
	if _, err := in.Write(make([]byte, 70<<10)); err != nil {
		t.Fatal(err)
	}
}

// TestClosedPipe ends quietly when nobody reads the output, as with head.
func TestClosedPipe(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"tree"}, {"help"}, {"help", "/"}, {"tools", "list", "-o", "json"}, {"holdings", "--demo", "-q"}, {"lint", "--list-rules"}, {"completion", "bash"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			_ = r.Close()
			c := program(t, nil, args...)
			var stderr bytes.Buffer
			c.Stdout, c.Stderr = w, &stderr
			err = c.Run()
			_ = w.Close()
			if err != nil || stderr.Len() > 0 {
				t.Errorf("%v, stderr %q", err, stderr.String())
			}
		})
	}
}

// TestAskBeforeCalling: a tool of another server that may change something is
// called after a yes on the terminal, and not otherwise.
func TestAskBeforeCalling(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(overHTTP(withHelp()))
	t.Cleanup(web.Close)
	for answer, want := range map[string]string{"y\n": "erased", "yes\n": "erased", "n\n": "not called", "\n": "not called", "\x04": "not called"} {
		c := program(t, nil, "tools", "call", "erase", "--server", web.URL+"/mcp")
		f, err := pty.StartWithSize(c, &pty.Winsize{Rows: 24, Cols: 80})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(answer); err != nil { // the terminal keeps it until it is read
			t.Fatal(err)
		}
		out, _ := io.ReadAll(f) // ends with EIO when the program has gone
		_ = f.Close()
		_ = c.Wait() // its status is 0 or 1; the text says which
		if text := string(out); !strings.Contains(text, "[y/N]") || !strings.Contains(text, want) || strings.Contains(text, "erased") != (want == "erased") {
			t.Errorf("answer %q: %s", answer, text)
		}
	}
}
