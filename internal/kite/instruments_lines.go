package kite

import (
	"bytes"
	"io"
)

// lineReader cuts a list into lines. Unlike those of a bufio.Reader, they stay in place until the buffer is filled
// again, some hundred lines later.
type lineReader struct {
	from  io.Reader
	buf   []byte
	rest  []byte // of buf: what was read but not handed out
	err   error  // that ended the reading
	moved bool   // the last call of next filled the buffer: the lines before are gone
}

func newLineReader(from io.Reader) *lineReader {
	return &lineReader{from: from, buf: make([]byte, maxInstrumentLine)}
}

// next returns a line without its end, and how many bytes were taken. A line longer than the buffer comes as nil. The
// error of the reader comes with what is left.
func (in *lineReader) next() (text []byte, size int, err error) {
	in.moved = false
	tooLong, searched := false, 0
	for {
		if i := bytes.IndexByte(in.rest[searched:], '\n'); i >= 0 {
			text, in.rest = in.rest[:searched+i], in.rest[searched+i+1:]
			size += len(text) + 1
			break
		}
		if in.err != nil {
			text, in.rest = in.rest, nil
			size += len(text)
			err = in.err
			break
		}
		if len(in.rest) == len(in.buf) {
			size += len(in.rest)
			tooLong, in.rest = true, nil
		}
		searched = len(in.rest)
		in.fill()
	}
	if tooLong {
		return nil, size, err
	}
	if end := len(text) - 1; end >= 0 && text[end] == '\r' {
		text = text[:end]
	}
	return text, size, err
}

// fill reads more behind the rest, which must be shorter than the buffer.
func (in *lineReader) fill() {
	in.moved = true
	kept := copy(in.buf, in.rest)
	read := 0
	for range 100 { // a reader may return nothing now and then, not for ever
		if read, in.err = in.from.Read(in.buf[kept:]); read > 0 || in.err != nil {
			break
		}
		in.err = io.ErrNoProgress
	}
	in.rest = in.buf[:kept+read]
}
