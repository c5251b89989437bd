package catalog

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Document is the outline of a Markdown body: what can be linked to and what it
// links to. All offsets are bytes from the start of the body.
type Document struct {
	Headings []Heading
	Links    []Link
	Anchors  map[string]int // fragment without "#" to the offset it leads to
}

// Heading is one ATX or setext heading.
type Heading struct {
	Level  int    // 1 to 6
	Text   string // without markup
	Slug   string // its anchor, unique in the document
	Offset int    // where the heading begins
}

// LinkKind tells how a link was written.
type LinkKind int

// The ways to write a link.
const (
	LinkInline    LinkKind = iota // [text](dest)
	LinkReference                 // [text][label], [label][] or [label]
	LinkImage                     // ![text](dest) and its reference forms
	LinkAuto                      // <https://example.com>
	LinkHTML                      // href or src of an HTML tag
)

// Link is one link of a document, in the order of the text.
type Link struct {
	Dest      string // Markdown escapes and entities resolved, percent escapes not
	Text      string // without markup
	Start     int    // of the whole link
	End       int    // just behind it
	DestStart int    // of the destination as written; the whole link where that is elsewhere
	DestEnd   int
	Kind      LinkKind
}

// ParseDocument reads CommonMark. Nothing in code or in an HTML comment is a
// link or an anchor. It never fails: every text is a document. The cost of some
// shapes, such as deeply nested quotes, grows with the square of their length,
// so callers limit the size or the time of texts they do not trust.
func ParseDocument(body []byte) *Document {
	ends := map[ast.Node]int{}
	pc := parser.NewContext()
	pc.Set(linkEnds, ends)
	root := markdown().Parse(text.NewReader(body), parser.WithContext(pc))
	d := &Document{Anchors: map[string]int{}}
	b := outliner{doc: d, body: body, ends: ends, slugs: slugger{}}
	// The callback never returns an error, so Walk cannot.
	_ = ast.Walk(root, b.visit)
	for _, h := range d.Headings {
		d.Anchors[h.Slug] = h.Offset // a heading wins over an id attribute
	}
	return d
}

// markdown builds the parser without extensions: goldmark's tables are
// quadratic in hostile pages, and links in table cells are found without them.
var markdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(endRecorder{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

// linkEnds is where a parse keeps the end offsets of its links.
var linkEnds = parser.NewContextKey()

// endRecorder is goldmark's link parser; it also notes where a link ends, which
// the tree of goldmark 1.8 does not say.
type endRecorder struct{ parser.InlineParser }

func (r endRecorder) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	n := r.InlineParser.Parse(parent, block, pc)
	switch n.(type) {
	case *ast.Link, *ast.Image:
		if ends, ok := pc.Get(linkEnds).(map[ast.Node]int); ok {
			_, at := block.Position()
			ends[n] = at.Start
		}
	}
	return n
}

func (r endRecorder) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := r.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

type outliner struct {
	doc   *Document
	body  []byte
	ends  map[ast.Node]int
	slugs slugger
}

func (b *outliner) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		title := b.plain(n)
		b.doc.Headings = append(b.doc.Headings, Heading{Level: n.Level, Text: title, Slug: b.slugs.next(title), Offset: b.lineStart(n.Pos())})
	case *ast.Link:
		b.link(n, n.Destination, n.Reference != nil, LinkInline)
	case *ast.Image:
		b.link(n, n.Destination, n.Reference != nil, LinkImage)
	case *ast.AutoLink:
		label := n.Label(b.body)
		dest := string(n.URL(b.body))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(dest, "mailto:") {
			dest = "mailto:" + dest
		}
		at := n.Pos()
		b.doc.Links = append(b.doc.Links, Link{
			Dest: dest, Text: string(label), Kind: LinkAuto,
			Start: at, End: at + len(label) + 2, DestStart: at + 1, DestEnd: at + 1 + len(label),
		})
	case *ast.RawHTML:
		b.html(segments(n.Segments))
	case *ast.HTMLBlock:
		lines := segments(n.Lines())
		if n.HasClosure() {
			lines = append(lines, n.ClosureLine)
		}
		b.html(lines)
	}
	return ast.WalkContinue, nil
}

func (b *outliner) link(n ast.Node, raw []byte, reference bool, kind LinkKind) {
	start := max(n.Pos(), 0)
	l := Link{Dest: unescape(raw), Text: b.plain(n), Start: start, End: max(b.ends[n], start), Kind: kind}
	l.DestStart, l.DestEnd = l.Start, l.End
	if reference {
		if kind == LinkInline {
			l.Kind = LinkReference
		}
	} else if at := destOffset(b.body[l.Start:l.End], raw); at >= 0 {
		l.DestStart = l.Start + at
		l.DestEnd = l.DestStart + len(raw)
	}
	b.doc.Links = append(b.doc.Links, l)
}

// destOffset finds the destination in a written link: what follows the last
// "](" that it can follow.
func destOffset(link, dest []byte) int {
	for end := len(link); ; {
		at := bytes.LastIndex(link[:end], []byte("]("))
		if at < 0 {
			return -1
		}
		rest := bytes.TrimLeft(link[at+2:], " \t\r\n<")
		if bytes.HasPrefix(rest, dest) {
			return len(link) - len(rest)
		}
		end = at
	}
}

// lineStart returns the offset of the line that holds at; goldmark places a
// heading behind its indentation, or on its text.
func (b *outliner) lineStart(at int) int {
	at = min(max(at, 0), len(b.body))
	return bytes.LastIndexByte(b.body[:at], '\n') + 1
}

// plain returns the text of a node without markup.
func (b *outliner) plain(n ast.Node) string {
	var out strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.Text:
			b.writeText(&out, c)
		case *ast.String:
			out.Write(c.Value)
		case *ast.AutoLink:
			out.Write(c.Label(b.body))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(out.String())
}

func (b *outliner) writeText(out *strings.Builder, t *ast.Text) {
	raw := t.Segment.Value(b.body)
	if t.Parent() != nil && t.Parent().Kind() == ast.KindCodeSpan || t.IsRaw() {
		out.Write(bytes.ReplaceAll(bytes.TrimSuffix(raw, []byte("\r\n")), []byte("\n"), []byte(" ")))
		return
	}
	out.WriteString(unescape(bytes.TrimRight(raw, "\r")))
	if t.SoftLineBreak() || t.HardLineBreak() {
		out.WriteByte(' ')
	}
}

// unescape resolves backslash escapes and character references.
func unescape(raw []byte) string {
	if !bytes.ContainsAny(raw, `\&`) {
		return string(raw)
	}
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw))))
}

func segments(s *text.Segments) []text.Segment {
	out := make([]text.Segment, 0, s.Len())
	for i := range s.Len() {
		out = append(out, s.At(i))
	}
	return out
}
