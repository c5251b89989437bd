package catalog

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/text"
)

// html collects href and src as links, id and name as anchors, from the HTML
// that goldmark found. The pieces are lines, which need not touch in the file:
// a quoted block has its markers between them.
func (b *outliner) html(lines []text.Segment) {
	var src []byte
	starts := make([]int, len(lines)) // of each line in src
	for i, line := range lines {
		starts[i] = len(src)
		src = append(src, b.body[line.Start:line.Stop]...)
	}
	offset := func(at int) int {
		for i, start := range slices.Backward(starts) {
			if at >= start {
				return lines[i].Start + at - start
			}
		}
		return 0
	}
	s := tagScanner{src: src}
	for s.next() {
		for _, a := range s.attrs {
			value := unescape(src[a.start:a.end])
			switch a.name {
			case "href", "src":
				at, end := offset(a.start), offset(a.end)
				b.doc.Links = append(b.doc.Links, Link{Dest: strings.TrimSpace(value), Kind: LinkHTML, Start: at, End: end, DestStart: at, DestEnd: end})
			case "id", "name":
				if _, taken := b.doc.Anchors[value]; value != "" && !taken {
					b.doc.Anchors[value] = offset(a.start)
				}
			}
		}
	}
}

// tagScanner walks over the tags of an HTML fragment.
type tagScanner struct {
	src   []byte
	at    int
	attrs []attribute
}

type attribute struct {
	name       string // lower case
	start, end int    // of the value
}

// next moves to the next opening tag and reads its attributes.
func (s *tagScanner) next() bool {
	for {
		i := bytes.IndexByte(s.src[s.at:], '<')
		if i < 0 {
			return false
		}
		s.at += i + 1
		rest := s.src[s.at:]
		switch {
		case bytes.HasPrefix(rest, []byte("!--")):
			s.skipPast(3, "-->")
		case len(rest) > 0 && (rest[0] == '!' || rest[0] == '?' || rest[0] == '/'):
			s.skipPast(1, ">")
		case len(rest) > 0 && isLetter(rest[0]):
			s.readTag()
			return true
		}
	}
}

func (s *tagScanner) skipPast(from int, end string) {
	i := bytes.Index(s.src[s.at+from:], []byte(end))
	if i < 0 {
		s.at = len(s.src)
		return
	}
	s.at += from + i + len(end)
}

// readTag reads name and attributes, and leaves at behind the tag. The content
// of a script or a style sheet is skipped: it is no markup.
func (s *tagScanner) readTag() {
	name := strings.ToLower(s.word())
	s.attrs = s.attrs[:0]
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '>':
			s.at++
			if name == "script" || name == "style" {
				s.skipPast(0, "</"+name)
			}
			return
		case isSpaceByte(c) || c == '/':
			s.at++
		default:
			s.readAttribute()
		}
	}
}

func (s *tagScanner) readAttribute() {
	start := s.at
	a := attribute{name: strings.ToLower(s.word())}
	if s.at == start {
		s.at++ // a stray character such as a quote
		return
	}
	s.spaces()
	if s.at >= len(s.src) || s.src[s.at] != '=' {
		return
	}
	s.at++
	s.spaces()
	a.start = s.at
	if s.at < len(s.src) && (s.src[s.at] == '"' || s.src[s.at] == '\'') {
		a.start++
		n := bytes.IndexByte(s.src[a.start:], s.src[s.at])
		if n < 0 {
			n = len(s.src) - a.start
		}
		a.end = a.start + n
		s.at = min(a.end+1, len(s.src))
	} else {
		for s.at < len(s.src) && s.src[s.at] != '>' && !isSpaceByte(s.src[s.at]) {
			s.at++
		}
		a.end = s.at
	}
	s.attrs = append(s.attrs, a)
}

func (s *tagScanner) word() string {
	start := s.at
	for s.at < len(s.src) && !isSpaceByte(s.src[s.at]) && !bytes.ContainsRune([]byte(`"'<>/=`), rune(s.src[s.at])) {
		s.at++
	}
	return string(s.src[start:s.at])
}

func (s *tagScanner) spaces() {
	for s.at < len(s.src) && isSpaceByte(s.src[s.at]) {
		s.at++
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpaceByte(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
