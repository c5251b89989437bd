package host

import (
	"context"
	"io"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// command starts a program as a server on its stdin and stdout. It is an
// mcp.Transport.
type command struct {
	host  *Host
	words []string
	most  int
}

// Connect implements mcp.Transport.
func (c *command) Connect(ctx context.Context) (mcp.Connection, error) {
	h := c.host
	p := exec.CommandContext(h.life, c.words[0], c.words[1:]...) //nolint:gosec,contextcheck // the person named the program; it lives as long as the connection
	p.Env, p.Dir, p.WaitDelay = h.opts.Env, h.opts.Dir, h.opts.Grace
	// A wrapper, such as a shell or npx, is not the server: what it started must
	// end with it.
	lead(p)
	p.Cancel = func() error { return end(p, true) }
	h.guard.stderr.log = h.opts.Log
	p.Stderr = &h.guard.stderr
	stdin, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	child := &process{WriteCloser: stdin, cmd: p, grace: h.opts.Grace}
	return (&mcp.IOTransport{Reader: h.guard.reader(io.NopCloser(stdout)), Writer: child, MaxLineLength: c.most}).Connect(ctx)
}

// process is the input of a program; closing it ends the program and all that it
// started.
type process struct {
	io.WriteCloser
	cmd   *exec.Cmd
	grace time.Duration
}

// Close ends the input, which should end the program. One that goes on is asked
// to end, and then made to.
func (p *process) Close() error {
	_ = p.WriteCloser.Close() // it may have gone already
	ask := time.AfterFunc(p.grace, func() { _ = end(p.cmd, false) })
	kill := time.AfterFunc(2*p.grace, func() { _ = end(p.cmd, true) })
	err := p.cmd.Wait()
	ask.Stop()
	kill.Stop()
	_ = end(p.cmd, true) // what a wrapper left behind
	return err
}

// tail keeps the end of what a program writes to stderr: it says why it failed.
type tail struct {
	log *slog.Logger
	mu  sync.Mutex
	end []byte
}

const tailBytes = 1 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.log.Debug("server stderr", "text", string(p[:min(len(p), tailBytes)]))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-tailBytes):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.end))
}
