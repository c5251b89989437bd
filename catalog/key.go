package catalog

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxKeyBytes is the longest help key that is looked at, in UTF-8 bytes.
const MaxKeyBytes = 1024

// Key is a validated help key such as /orders/prepare. The zero value is the
// root key "/". ParseKey is the only way to make another one from text.
type Key struct {
	path string // slash separated, no leading slash; "" is the root
}

// KeyError says why a text is not a help key. No lookup was made.
type KeyError struct {
	Input   string // the text as given
	Reason  string // what is wrong with it
	TooLong bool   // more than MaxKeyBytes bytes
}

// Error names the offending text, cut and escaped, and what a key looks like.
func (e *KeyError) Error() string {
	if e.TooLong {
		return fmt.Sprintf("help key is %d bytes long, the limit is %d bytes", len(e.Input), MaxKeyBytes)
	}
	return fmt.Sprintf("%s is not a help key: %s; a key looks like /orders/prepare", quote(e.Input), e.Reason)
}

// ParseKey reads a help key. The empty text is the root and one trailing slash
// is accepted. It decodes, folds and globs nothing; a text outside the syntax
// returns a *KeyError.
func ParseKey(s string) (Key, error) {
	if len(s) > MaxKeyBytes {
		return Key{}, &KeyError{Input: s, TooLong: true}
	}
	if s == "" || s == "/" {
		return Key{}, nil
	}
	if reason := badKey(s); reason != "" {
		return Key{}, &KeyError{Input: s, Reason: reason}
	}
	return Key{path: strings.TrimSuffix(s[1:], "/")}, nil
}

// badKey returns what is wrong with a key, "" when nothing is.
func badKey(s string) string {
	if !utf8.ValidString(s) {
		return "it is not valid UTF-8"
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c == 0x7f || c == 0xc2 && s[i+1] < 0xa0: // C2 80 to C2 9F encode U+0080 to U+009F
			return "it has a control character"
		case c == '%':
			return "URL encoding is not decoded"
		case c == '*' || c == '?':
			return "wildcards are not expanded"
		case c == '\\':
			return "it has a backslash; keys use /"
		}
	}
	rest, ok := strings.CutPrefix(s, "/")
	if !ok {
		return "it does not start with /"
	}
	rest = strings.TrimSuffix(rest, "/")
	for more := true; more; {
		var seg string
		seg, rest, more = strings.Cut(rest, "/")
		switch {
		case seg == "":
			return "it has an empty segment"
		case seg == "." || seg == "..":
			return "path traversal is not resolved"
		case len(seg) >= 3 && strings.EqualFold(seg[len(seg)-3:], ".md"):
			return "keys carry no file extension"
		}
	}
	return ""
}

// String returns the key as a person writes it, with its leading slash.
func (k Key) String() string { return "/" + k.path }

// IsRoot reports whether k is "/".
func (k Key) IsRoot() bool { return k.path == "" }

// Parent returns the key one level up; the root is its own parent.
func (k Key) Parent() Key {
	i := strings.LastIndexByte(k.path, '/')
	return Key{path: k.path[:max(i, 0)]}
}

// Name returns the last segment, "" for the root.
func (k Key) Name() string { return k.path[strings.LastIndexByte(k.path, '/')+1:] }

// Depth counts the segments: 0 for the root, 2 for /orders/prepare.
func (k Key) Depth() int {
	if k.IsRoot() {
		return 0
	}
	return strings.Count(k.path, "/") + 1
}

// quote shows untrusted text in a message: escaped, and cut after 80 bytes.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		return fmt.Sprintf("%+q...", s[:most])
	}
	return fmt.Sprintf("%+q", s)
}
