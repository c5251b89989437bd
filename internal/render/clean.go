package render

import (
	"strings"
	"unicode/utf8"
)

// Clean makes untrusted text safe to draw or copy. It removes terminal control
// sequences and every control character but newline and tab, marks that change
// the reading direction, byte order marks and invisible tag characters; it turns
// CR and CRLF into LF and invalid UTF-8 into U+FFFD. Clean text stays as it is.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case r == '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		case r == 0x1b || r >= 0x80 && r < 0xa0:
			n += sequence(r, s[i+n:])
		case !hostile(r):
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isClean(s string) bool {
	for i, r := range s {
		if hostile(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return false
		}
	}
	return true
}

// hostile reports whether a character can move the cursor, reorder a line or
// hide text.
func hostile(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r == 0x61c || r == 0x200e || r == 0x200f: // direction marks
		return true
	case r >= 0x2028 && r <= 0x202e: // line and paragraph separators, embeddings, overrides
		return true
	case r >= 0x2066 && r <= 0x2069: // isolates
		return true
	case r == 0xfeff || r >= 0xfff9 && r <= 0xfffb: // byte order mark, annotations
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	}
	return false
}

// maxSequence bounds how much of a text one control sequence may swallow.
const maxSequence = 4096

// sequence returns how many bytes after the introducer belong to a complete
// control sequence. An unfinished one has no length: only its introducer goes,
// so that it cannot hide the rest of the text.
func sequence(intro rune, rest string) int {
	kind, n := intro, 0
	if intro == 0x1b {
		if rest == "" || rest[0] < 0x40 || rest[0] > 0x5f {
			return 0
		}
		kind, n = rune(rest[0])+0x40, 1 // ESC [ is the seven bit form of U+009B
	}
	switch kind {
	case 0x9b:
		return n + controlLength(rest[n:])
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f: // DCS, SOS, OSC, PM, APC
		if body := stringLength(rest[n:]); body > 0 {
			return n + body
		}
	}
	return n
}

// controlLength measures parameters, intermediates and final byte of a CSI.
func controlLength(s string) int {
	for i := range min(len(s), maxSequence) {
		switch {
		case s[i] >= 0x40 && s[i] <= 0x7e:
			return i + 1
		case s[i] < 0x20 || s[i] > 0x3f:
			return 0
		}
	}
	return 0
}

// stringLength measures a string up to its terminator on the same line.
func stringLength(s string) int {
	s = s[:min(len(s), maxSequence)]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	end := 0
	for _, terminator := range []string{"\a", "\x1b\\", "\u009c"} {
		if i := strings.Index(s, terminator); i >= 0 && (end == 0 || i+len(terminator) < end) {
			end = i + len(terminator)
		}
	}
	return end
}
