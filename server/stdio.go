package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxMessage = 1 << 20         // bytes of one message, on either transport
	drainTime  = 5 * time.Second // most wait for answers after the input ended
	closeTime  = time.Second     // most wait for the session to close after that
)

// Stdio serves one client over newline-delimited JSON until the input ends or
// ctx is cancelled, which are both normal ends and return nil. What was begun
// before is answered first, as long as the client takes the answers.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	t := &stdioTransport{in: in, out: out, log: s.opts.Log, stop: ctx.Done(), ended: make(chan struct{})}
	served := make(chan error, 1)
	// The transport ends the session, not ctx: the SDK would close it at once
	// and lose the answers still to come.
	go func() { served <- s.mcp.Run(context.WithoutCancel(ctx), t) }()
	limit := shutdownTime
	select {
	case err := <-served:
		return stdioEnd(ctx, err)
	case <-ctx.Done():
	case <-t.ended:
		limit = drainTime
	}
	late := time.NewTimer(limit + closeTime)
	defer late.Stop()
	select {
	case err := <-served:
		return stdioEnd(ctx, err)
	case <-late.C: // a write that nobody reads cannot be interrupted, only left behind
		s.opts.Log.WarnContext(ctx, "output was not read to the end")
		return nil
	}
}

func stdioEnd(ctx context.Context, err error) error {
	if ctx.Err() == nil && err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve stdio: %w", err)
	}
	return nil
}

// stdioTransport frames messages by lines. Unlike the SDK's own it survives a
// line that is not a message, and it answers what was read before the end.
type stdioTransport struct {
	in    io.Reader
	out   io.Writer
	log   *slog.Logger
	stop  <-chan struct{} // closed when no further line may be accepted
	ended chan struct{}   // closed when the input has ended
}

// Connect implements mcp.Transport.
func (t *stdioTransport) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{
		out: t.out, log: t.log, stop: t.stop,
		lines: make(chan line), closed: make(chan struct{}),
		open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1),
	}
	go c.readLines(bufio.NewReaderSize(t.in, 64<<10), t.ended)
	return c, nil
}

// line is one line of input, or why there is none.
type line struct {
	text    []byte
	tooLong bool
	cut     bool // the input ended before the newline
	err     error
}

type stdioConn struct {
	out   io.Writer
	log   *slog.Logger
	stop  <-chan struct{}
	lines chan line
	ended error // why no further line comes; only Read touches it

	closeOnce sync.Once
	closed    chan struct{}

	writing sync.Mutex // guards out; held as long as the client takes to read

	mu       sync.Mutex // guards open
	open     map[jsonrpc.ID]bool
	answered chan struct{} // signals that open may have become empty
}

// readLines feeds lines until the input ends, and closes ended then. It outlives
// Close while blocked in a read of the process's input, which nothing can
// interrupt portably.
func (c *stdioConn) readLines(in *bufio.Reader, ended chan<- struct{}) {
	for {
		l := readLine(in)
		if l.err != nil {
			close(ended)
		}
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads up to the newline. The rest of an overlong line is dropped as
// it arrives.
func readLine(in *bufio.Reader) line {
	var l line
	for {
		part, err := in.ReadSlice('\n')
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		if len(l.text) > maxMessage+1 { // one more for the newline
			l.text, l.tooLong = nil, true
		}
		switch {
		case err == nil:
			return l
		case errors.Is(err, bufio.ErrBufferFull):
		default:
			l.cut, l.err = true, err
			return l
		}
	}
}

// Read implements mcp.Connection. It answers bad lines itself and goes on.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for c.ended == nil {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case <-c.stop:
			return c.end(ctx, io.EOF, shutdownTime)
		case l := <-c.lines:
			msg, err := c.accept(l)
			if msg != nil || err != nil {
				return msg, err
			}
			c.ended = l.err
		}
	}
	return c.end(ctx, c.ended, drainTime)
}

// accept decodes a line. A nil message without an error means: nothing to
// dispatch, go on.
func (c *stdioConn) accept(l line) (jsonrpc.Message, error) {
	if l.tooLong {
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("message is larger than %d bytes", maxMessage))
	}
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 {
		return nil, nil
	}
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, c.refuse(jsonrpc.CodeParseError, "line is not JSON")
	}
	if text[0] == '[' {
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, "batches are not supported; send one message a line")
	}
	if !soundID(text) {
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, wrongID)
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, c.refuse(jsonrpc.CodeInvalidRequest, "line is "+notMessage)
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		c.mu.Lock()
		c.open[req.ID] = true
		c.mu.Unlock()
	}
	c.ended = l.err // of a last line without newline: the next read ends
	return msg, nil
}

// refuse answers a line that is no message. Its id cannot be known, so it is null.
func (c *stdioConn) refuse(code int, message string) error {
	c.log.Warn("input line refused", "reason", message)
	return c.writeLine(refusal(code, message))
}

// end waits until everything read has been answered, at most for limit, then
// ends the session.
func (c *stdioConn) end(ctx context.Context, cause error, limit time.Duration) (jsonrpc.Message, error) {
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		c.mu.Lock()
		left := len(c.open)
		c.mu.Unlock()
		if left == 0 {
			break
		}
		select {
		case <-c.answered:
		case <-late.C:
			c.log.WarnContext(ctx, "session ended before every answer was ready", "unanswered", left)
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
	}
	if !errors.Is(cause, io.EOF) {
		return nil, fmt.Errorf("read input: %w", cause)
	}
	return nil, io.EOF
}

// Write implements mcp.Connection. Messages are written whole, one at a time.
func (c *stdioConn) Write(_ context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	err = c.writeLine(plainly(text))
	if resp, ok := msg.(*jsonrpc.Response); ok {
		c.settle(resp.ID)
	}
	return err
}

// settle notes that a request has been answered.
func (c *stdioConn) settle(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
	if len(c.open) == 0 {
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
}

func (c *stdioConn) writeLine(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// Close implements mcp.Connection.
func (c *stdioConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements mcp.Connection; a pipe has a single session.
func (c *stdioConn) SessionID() string { return "" }
