package catalog

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// Target is where a link leads.
type Target struct {
	Path     string // file inside the tree, or a directory; "" for an external target
	Fragment string // decoded, without "#"
	Query    string // as written, without "?"
	External bool   // the destination names a scheme, such as https:
	Scheme   string // lower case, of an external target
}

// LinkFault tells why a destination cannot be resolved.
type LinkFault int

// The faults of a destination.
const (
	LinkAbsolute  LinkFault = iota // /x, C:\x, //host, file:
	LinkBackslash                  // a\b.md
	LinkEscapes                    // leaves the tree
	LinkEncoding                   // a bad percent escape, or one that hides a path character
)

// LinkError is a relative destination that ResolveLink refuses.
type LinkError struct {
	Dest  string
	Fault LinkFault
}

// Error says what is wrong with the destination.
func (e *LinkError) Error() string {
	switch e.Fault {
	case LinkAbsolute:
		return fmt.Sprintf("link %s is absolute; links between files are relative", quote(e.Dest))
	case LinkBackslash:
		return fmt.Sprintf("link %s has a backslash; paths use /", quote(e.Dest))
	case LinkEscapes:
		return fmt.Sprintf("link %s leads out of the tree", quote(e.Dest))
	default:
		return fmt.Sprintf("link %s has a percent escape that is not allowed", quote(e.Dest))
	}
}

// ResolveLink tells where a destination leads that is written in fromFile. The
// path is percent-decoded once and taken from the directory of fromFile; it
// never leaves the tree. A destination that only holds a fragment, or nothing,
// leads to fromFile. Refusals are *LinkError. The target need not exist.
func ResolveLink(fromFile, dest string) (Target, error) {
	refuse := func(f LinkFault) (Target, error) { return Target{}, &LinkError{Dest: dest, Fault: f} }
	if scheme, ok := schemeOf(dest); ok {
		if len(scheme) == 1 || scheme == "file" { // a drive letter is no scheme
			return refuse(LinkAbsolute)
		}
		_, fragment, _ := strings.Cut(dest, "#")
		return Target{External: true, Scheme: scheme, Fragment: fragment}, nil
	}
	p, fragment, _ := strings.Cut(dest, "#")
	p, query, _ := strings.Cut(p, "?")
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return refuse(LinkEncoding)
	}
	t := Target{Path: fromFile, Fragment: fragment, Query: query}
	if p == "" {
		return t, nil
	}
	if p[0] == '/' {
		return refuse(LinkAbsolute)
	}
	if strings.Contains(p, `\`) {
		return refuse(LinkBackslash)
	}
	p, ok := decodePath(p)
	if !ok {
		return refuse(LinkEncoding)
	}
	t.Path = path.Join(path.Dir(fromFile), p)
	if t.Path == ".." || strings.HasPrefix(t.Path, "../") {
		return refuse(LinkEscapes)
	}
	return t, nil
}

// schemeOf returns the scheme of an absolute URI in lower case.
func schemeOf(dest string) (string, bool) {
	for i := range len(dest) {
		switch c := dest[i]; {
		case isLetter(c):
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return strings.ToLower(dest[:i]), true
		default:
			return "", false
		}
	}
	return "", false
}

// decodePath decodes each segment once. An escape must not stand for a
// separator, a control character or a dot segment: such a link reads otherwise
// than it resolves.
func decodePath(p string) (string, bool) {
	if !strings.Contains(p, "%") {
		return p, !strings.ContainsFunc(p, unicode.IsControl)
	}
	segments := strings.Split(p, "/")
	for i, seg := range segments {
		plain, err := url.PathUnescape(seg)
		if err != nil || strings.ContainsAny(plain, `/\`) || strings.ContainsFunc(plain, unicode.IsControl) {
			return "", false
		}
		if plain != seg && (plain == "." || plain == "..") {
			return "", false
		}
		segments[i] = plain
	}
	return strings.Join(segments, "/"), true
}

// slugger gives headings their anchors, unique within one document.
type slugger map[string]int

// next returns the anchor of the next heading: its slug, with -1, -2 and so on
// when that is taken.
func (s slugger) next(title string) string {
	base := Slug(title)
	slug := base
	for {
		if _, taken := s[slug]; !taken {
			break
		}
		s[base]++
		slug = base + "-" + strconv.Itoa(s[base])
	}
	s[slug] = 0
	return slug
}

// Slug returns the anchor that GitHub gives a heading: lower case; letters,
// marks, digits, "_" and "-" stay, spaces become "-", all else goes.
func Slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}
