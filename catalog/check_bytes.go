package catalog

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

var byteOrderMark = []byte("\uFEFF")

// checkBytes runs the rules about a file's raw bytes. It returns false when the
// text is not fit for a YAML parser: what that would say is said here better.
func (r *report) checkBytes() (clean bool) {
	raw := r.file.Raw
	if r.file.Size > LargeFileBytes {
		r.add("KL006", Warning, span{}, fmt.Sprintf("file has %d bytes; over %d it is costly to read in one answer", r.file.Size, LargeFileBytes), "split the page")
	}
	if bytes.HasPrefix(raw, byteOrderMark) {
		r.add("KL002", Error, span{0, len(byteOrderMark)}, "file begins with a byte order mark, which hides the frontmatter", "save it as UTF-8 without a mark")
	}
	valid := r.checkUTF8()
	endings := r.checkLineEndings()
	controls := r.checkControls()
	r.checkFinalNewline()
	return valid && endings && controls
}

func (r *report) checkUTF8() bool {
	raw := r.file.Raw
	if utf8.Valid(raw) {
		return true
	}
	for at := 0; at < len(raw); {
		c, size := utf8.DecodeRune(raw[at:])
		if c == utf8.RuneError && size == 1 {
			r.add("KL001", Error, span{at, at + 1}, fmt.Sprintf("invalid UTF-8: byte 0x%02x", raw[at]), "save the file as UTF-8")
			break
		}
		at += size
	}
	return false
}

// checkLineEndings reports carriage returns that end a line alone, and files
// that mix both line endings. It returns false for the former.
func (r *report) checkLineEndings() bool {
	raw := r.file.Raw
	if bytes.IndexByte(raw, '\r') < 0 {
		return true
	}
	crlf, lf, alone := 0, 0, 0
	firstCRLF, firstLF, firstAlone := -1, -1, -1
	note := func(count, first *int, at int) {
		if *count++; *first < 0 {
			*first = at
		}
	}
	for at, c := range raw {
		switch {
		case c == '\n' && at > 0 && raw[at-1] == '\r':
			note(&crlf, &firstCRLF, at-1)
		case c == '\n':
			note(&lf, &firstLF, at)
		case c == '\r' && (at+1 == len(raw) || raw[at+1] != '\n'):
			note(&alone, &firstAlone, at)
		}
	}
	if alone > 0 {
		r.add("KL004", Error, span{firstAlone, firstAlone + 1}, "carriage return without a line feed; delimiters are not found behind it", "end lines with LF or CRLF")
	}
	if crlf > 0 && lf > 0 {
		at, kind := span{firstLF, firstLF + 1}, "LF"
		if crlf < lf {
			at, kind = span{firstCRLF, firstCRLF + 2}, "CRLF"
		}
		r.add("KL003", Warning, at, fmt.Sprintf("first %s in a file with %d CRLF and %d LF line endings", kind, crlf, lf), "use one of them throughout")
	}
	return alone == 0
}

// checkControls reports the first control character; one such file has many.
func (r *report) checkControls() bool {
	raw := r.file.Raw
	first, size, count := -1, 0, 0
	var what rune
	for at := 0; at < len(raw); {
		c, n := rune(raw[at]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRune(raw[at:])
		}
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0 {
			if count++; first < 0 {
				first, size, what = at, n, c
			}
		}
		at += n
	}
	if count == 0 {
		return true
	}
	more := ""
	if count > 1 {
		more = fmt.Sprintf(" (and %d more)", count-1)
	}
	r.add("KL005", Error, span{first, first + size}, fmt.Sprintf("control character U+%04X%s", what, more), "remove it")
	return false
}

func (r *report) checkFinalNewline() {
	raw := r.file.Raw
	if len(raw) == 0 {
		return
	}
	text := bytes.TrimRight(raw, "\r\n")
	switch n := bytes.Count(raw[len(text):], []byte("\n")); {
	case n == 0:
		r.add("KL008", Info, span{len(raw), len(raw)}, "no line feed at the end of the file", "end the last line")
	case n > 1:
		first := len(text) + bytes.IndexByte(raw[len(text):], '\n') + 1
		r.add("KL008", Info, span{first, len(raw)}, fmt.Sprintf("%d blank lines at the end of the file", n-1), "end the file with one line feed")
	}
}
