package intent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/atomicfile"
)

const (
	// auditWait is how long a process stands in line for the file.
	auditWait = 2 * time.Second
	// auditPoll is how often it looks whether its turn has come.
	auditPoll = 2 * time.Millisecond
)

var (
	errLocked  = errors.New("another process holds the file")
	errDamaged = errors.New("its last line is not one of an audit log; look at it with kite-mcp admin audit verify, then move it away")
)

// auditFile is a file that several processes append to, one at a time.
type auditFile struct{ path string }

// extend appends lines to the chain that the file holds now. A write that fails leaves the file as it was, if the system
// lets it; else the next one tells of what is left.
func (a *auditFile) extend(lines []auditLine) (written int, err error) {
	if err := a.append(lines); err != nil {
		return 0, err
	}
	return len(lines), nil
}

func (a *auditFile) append(lines []auditLine) (err error) {
	f, err := a.open()
	if err != nil {
		return fmt.Errorf("open audit log: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }() // frees the lock
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("read audit log: %w", err)
	}
	var now time.Time
	if len(lines) > 0 {
		now = lines[len(lines)-1].Time
	}
	raw, head, err := resume(f, size, now)
	if err != nil {
		return fmt.Errorf("read audit log: %w", err)
	}
	if len(lines) == 0 {
		return nil
	}
	for _, l := range lines {
		if raw, head, err = head.next(raw, l); err != nil {
			return err
		}
	}
	if _, err = f.Write(raw); err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Truncate(size) // all or nothing
		return fmt.Errorf("write audit log: %w", err)
	}
	if size == 0 {
		atomicfile.SyncFolder(filepath.Dir(a.path))
	}
	return nil
}

// open returns the file, locked for this process alone.
func (a *auditFile) open() (*os.File, error) {
	var err error
	for began := time.Duration(0); began < auditWait; began += auditPoll {
		var f *os.File
		if f, err = a.try(); err == nil || !errors.Is(err, errLocked) {
			return f, err
		}
		time.Sleep(auditPoll) // systems have no lock that can be waited for and given up
	}
	return nil, err
}

// try is one attempt to open the file. Whoever moves it away between opening and locking makes the attempt void.
func (a *auditFile) try() (_ *os.File, err error) {
	if info, err := os.Stat(a.path); err == nil && !info.Mode().IsRegular() { // before opening: a pipe would wait
		return nil, fmt.Errorf("%s is not a regular file", a.path)
	}
	f, err := openLocked(a.path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // nothing was written
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("others can read or write %s (mode %04o instead of 0600)", a.path, info.Mode().Perm())
	}
	named, err := os.Stat(a.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(named, info) {
		return nil, errLocked // another try finds what has the name now
	}
	return f, err
}

// resume returns where the chain goes on, and what has to stand before the next line: the end of a line that lacks it,
// and the note of one that was cut off.
func resume(f io.ReaderAt, size int64, now time.Time) ([]byte, Head, error) {
	if size == 0 {
		return nil, Head{}, nil
	}
	const window = 2 * maxLine // holds a whole line and a cut one
	tail := make([]byte, min(size, window))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, Head{}, err
	}
	whole, cutOff := tail, []byte(nil)
	if i := bytes.LastIndexByte(tail, '\n'); i < len(tail)-1 {
		whole, cutOff = tail[:i+1], tail[i+1:]
	}
	if l, err := parseLine(cutOff); err == nil { // only its end is missing
		return []byte{'\n'}, Head{l.Seq, sumOf(cutOff)}, nil
	}
	head, err := lastOf(whole, int64(len(tail)) == size)
	switch {
	case err != nil:
		return nil, Head{}, err
	case cutOff == nil:
		return nil, head, nil
	case head.Seq == 0 && !begins(cutOff, []byte(`{"seq":1,`)): // somebody else's file
		return nil, Head{}, errDamaged
	}
	note := auditLine{Time: now, Event: Event{Kind: EventTorn}, Torn: &fragment{len(cutOff), sumOf(cutOff)}}
	return head.next([]byte{'\n'}, note)
}

// begins reports whether one of two texts is the beginning of the other.
func begins(a, b []byte) bool { return bytes.HasPrefix(a, b) || bytes.HasPrefix(b, a) }

// lastOf reads the last of some whole lines; all says that they are the whole file.
func lastOf(whole []byte, all bool) (Head, error) {
	if len(whole) == 0 && all {
		return Head{}, nil
	}
	last := bytes.TrimSuffix(whole, []byte{'\n'})
	last = last[bytes.LastIndexByte(last, '\n')+1:]
	l, err := parseLine(last)
	if err != nil {
		return Head{}, errDamaged
	}
	return Head{l.Seq, sumOf(last)}, nil
}
