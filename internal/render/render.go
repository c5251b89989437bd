// Package render turns Markdown into terminal text. It owns block layout, the
// styles of each theme, the guards against pages that are slow to render, and
// Clean, which every untrusted text passes before it is drawn. It reads no files
// and knows no help keys: the caller says how a link is shown. It is the only
// importer of glamour, which styles and wraps single paragraphs; its lists glue
// paragraphs together, its tables break words and its links print as wrong keys,
// so those are laid out here. Start at Layout.
package render

import "strings"

// MaxBytes is the largest page that is laid out; a longer one is shown as source.
const MaxBytes = 256 << 10

// Style names the colours of a page.
type Style int

// The styles. None uses no colour at all, only bold, italic and underline.
const (
	Dark Style = iota
	Light
	HighContrast
	None
)

// Options says how a page is laid out. The zero value is a dark page one column
// wide, so set Width.
type Options struct {
	Width  int             // columns; less than 1 counts as 1
	Style  Style           // colours
	ASCII  bool            // no characters beyond ASCII for bullets and rules
	NoWrap bool            // code and tables keep their natural width
	Link   func(Link) Mark // how a link is shown; nil shows "label (destination)"

	// CodeLink reports whether inline code is to be a link to itself, as a help
	// key is; nil makes none.
	CodeLink func(code string) bool
}

// Link is one link of a page, in reading order.
type Link struct {
	Index int    // from 1
	Label string // visible text
	Dest  string // destination as the page has it
	Spans []Span // where it is drawn; more than one when it wraps
}

// Mark is text drawn before and after the label of a link.
type Mark struct{ Before, After string }

// Span is a range of columns in a line, both from 0, End exclusive.
type Span struct{ Line, Start, End int }

// Heading is one heading of a page and the line it is drawn on.
type Heading struct {
	Level int // 1 to 6
	Text  string
	Line  int // from 0
}

// Line is one line of a page, styled and as a reader sees it.
type Line struct{ Text, Plain string }

// Document is a page laid out for one width and style.
type Document struct {
	Lines    []Line
	Links    []Link
	Headings []Heading
	Note     string // why something is shown as source, "" when nothing is
}

// Layout lays a page out. Frontmatter must be cut off before. It returns an
// error only when the styling library fails.
func Layout(markdown string, opts Options) (*Document, error) {
	opts.Width = max(opts.Width, 1)
	switch {
	case len(markdown) > MaxBytes:
		return noted(Source(markdown, opts.Width), "page over 256 KiB, shown as source"), nil
	case nestedTooDeeply(markdown):
		return noted(Source(markdown, opts.Width), "nested too deeply, shown as source"), nil
	case tooMuchMarkup(markdown):
		return noted(Source(markdown, opts.Width), "too much markup in one paragraph, shown as source"), nil
	}
	l := newLayout(Clean(markdown), opts)
	lines, err := l.blocks(l.root, opts.Width, 0)
	if err != nil {
		return nil, err
	}
	return l.finish(lines), nil
}

func noted(doc *Document, note string) *Document {
	doc.Note = note
	return doc
}

// String returns the styled lines, each ended by a newline.
func (d *Document) String() string {
	var b strings.Builder
	for _, l := range d.Lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Source lays a text out as it is written, long lines wrapped at width.
func Source(text string, width int) *Document {
	doc := &Document{}
	for line := range strings.Lines(Clean(text)) {
		for _, part := range wrapSource(expandTabs(strings.TrimSuffix(line, "\n")), width) {
			doc.Lines = append(doc.Lines, Line{Text: part, Plain: part})
		}
	}
	return doc
}

// Plain returns the lines as a reader sees them, without styles.
func (d *Document) Plain() []string {
	out := make([]string, len(d.Lines))
	for i, l := range d.Lines {
		out[i] = l.Plain
	}
	return out
}
