package render

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	astext "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// inline rewrites the inline content of a block for the styling library: text is
// resolved, cleaned and shielded, links get their mark and tags, and kinds it
// would drop or print wrongly become text.
func (l *layout) inline(parent ast.Node, keep bool) {
	for n := parent.FirstChild(); n != nil; {
		next := n.NextSibling()
		switch n := n.(type) {
		case *ast.Text:
			l.replace(n, l.resolved(n), keep)
		case *ast.CodeSpan:
			l.codeSpan(n)
		case *ast.Link:
			l.link(n, string(n.Destination))
		case *ast.AutoLink:
			l.autoLink(n)
		case *ast.Image:
			parent.InsertBefore(parent, n, l.text("[image: "+l.label(n)+"]", false))
			parent.RemoveChild(parent, n)
		case *ast.RawHTML:
			l.replace(n, rawHTML(n, l.src), false)
		case *ast.Emphasis, *astext.Strikethrough:
			l.inline(n, keep)
		case *astext.TaskCheckBox: // drawn as the marker of its list item
			parent.RemoveChild(parent, n)
		default:
			// The library reports kinds it does not know on standard output.
			parent.RemoveChild(parent, n)
		}
		n = next
	}
}

func (l *layout) codeSpan(n *ast.CodeSpan) {
	code := Clean(strings.ReplaceAll(string(plainText(n, l.src)), "\n", " "))
	n.RemoveChildren(n)
	if l.opts.CodeLink == nil || inLink(n) || !l.opts.CodeLink(code) {
		n.AppendChild(n, l.text(code, true))
		return
	}
	n.AppendChild(n, l.raw(code))
	link := ast.NewLink()
	parent := n.Parent()
	parent.ReplaceChild(parent, n, link)
	link.AppendChild(link, n)
	l.link(link, code)
}

func inLink(n ast.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

func (l *layout) replace(n ast.Node, with string, keep bool) {
	parent := n.Parent()
	parent.InsertBefore(parent, n, l.text(with, keep))
	parent.RemoveChild(parent, n)
}

// text makes a node out of a string, which is appended to the source since text
// nodes can only point there.
func (l *layout) text(s string, keep bool) *ast.Text { return l.raw(shield(s, keep)) }

func (l *layout) raw(s string) *ast.Text {
	start := len(l.src)
	l.src = append(l.src, s...)
	return ast.NewTextSegment(text.NewSegment(start, len(l.src)))
}

// resolved returns what a text node means: escapes and entities resolved once,
// and only then cleaned, because "&#27;" is an escape character too.
func (l *layout) resolved(n *ast.Text) string {
	s := resolve(string(n.Value(l.src)))
	if n.SoftLineBreak() || n.HardLineBreak() {
		s = strings.TrimRight(s, " ") + " "
	}
	return strings.ReplaceAll(Clean(s), "\n", " ")
}

func resolve(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:min(len(s), i+40)], ';') + 1
			b.WriteString(html.UnescapeString(s[i : i+max(end, 1)]))
			i += max(end, 1) - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// link marks a link and points it at a bare fragment: that is the only
// destination which the styling library does not print behind the label.
func (l *layout) link(n *ast.Link, dest string) {
	link := Link{Index: len(l.links) + 1, Label: l.label(n), Dest: Clean(resolve(dest))}
	mark := l.mark(link)
	l.links = append(l.links, link)
	l.inline(n, true)
	if n.FirstChild() == nil {
		n.AppendChild(n, l.text(link.Dest, true))
	}
	n.Destination = []byte("#")
	parent := n.Parent()
	parent.InsertBefore(parent, n, l.raw(tag('L', link.Index)))
	if mark.Before != "" {
		// The mark and the first word of the label stay on one line.
		parent.InsertBefore(parent, n, l.text(strings.ReplaceAll(mark.Before, " ", "\u00a0"), true))
	}
	after := l.raw(untag())
	parent.InsertAfter(parent, n, after)
	if mark.After != "" {
		parent.InsertBefore(parent, after, l.text(mark.After, true))
	}
}

func (l *layout) mark(link Link) Mark {
	if l.opts.Link != nil {
		m := l.opts.Link(link)
		return Mark{Before: Clean(m.Before), After: Clean(m.After)}
	}
	if link.Dest == "" || link.Dest == link.Label {
		return Mark{}
	}
	return Mark{After: " (" + link.Dest + ")"}
}

func (l *layout) autoLink(n *ast.AutoLink) {
	label, dest := string(n.Label(l.src)), string(n.URL(l.src))
	if n.AutoLinkType == ast.AutoLinkEmail {
		dest = "mailto:" + dest
	}
	link := ast.NewLink()
	at := l.raw(label)
	link.AppendChild(link, at)
	parent := n.Parent()
	parent.ReplaceChild(parent, n, link)
	l.link(link, dest)
}

// label returns the visible text of a node on one line.
func (l *layout) label(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			if t.Parent().Kind() == ast.KindCodeSpan {
				b.Write(t.Value(l.src))
			} else {
				b.WriteString(l.resolved(t))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(unshield(Clean(b.String()))), " ")
}

func plainText(n ast.Node, src []byte) []byte {
	var out []byte
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			out = append(out, t.Value(src)...)
		}
	}
	return out
}

// rawHTML shows a tag as it is written: a placeholder such as <order_id> is far
// more likely here than markup, and nothing may hide behind it. Comments go.
func rawHTML(n *ast.RawHTML, src []byte) string {
	s := string(n.Segments.Value(src))
	switch {
	case strings.HasPrefix(s, "<!--"):
		return ""
	case strings.HasPrefix(strings.ToLower(s), "<br"):
		return " "
	}
	return strings.ReplaceAll(Clean(s), "\n", " ")
}
