package catalog

import (
	"bytes"
	"fmt"
	"strings"
)

// Kind tells how a page stands in the tree.
type Kind int

// The three kinds of page.
const (
	Root     Kind = iota // "/", from index.md
	Category             // a directory: lists children, shows no instructions
	Recipe               // a Markdown file with complete steps
)

// String returns the label shown beside a key: root, category or recipe.
func (k Kind) String() string {
	switch k {
	case Root:
		return "root"
	case Category:
		return "category"
	default:
		return "recipe"
	}
}

// Page is one node of the help tree.
type Page struct {
	Key         Key
	Kind        Kind
	Title       string // first Markdown heading, else the last key segment
	Description string // frontmatter description, else the title
	Path        string // file inside the catalog, "" for a generated page
	Raw         []byte // the file's original bytes, nil for a generated page
	Body        []byte // Raw after the frontmatter
	Children    []Key  // direct children, in key order

	text string // what Text returns
}

// Generated reports whether the page is navigation made for a directory that
// has no SKILL.md. Such pages are help keys only, never Skills resources.
func (p *Page) Generated() bool { return p.Path == "" }

// NotFoundError says that a well-formed key has no page, and where to go on.
type NotFoundError struct {
	Key      string  // as given
	Nearest  *Page   // closest existing ancestor
	Children []*Page // children of Nearest
	Close    Key     // the one similar key, the root when there is none
	CaseOnly bool    // Close differs from Key in letter case only
}

// Error says which key is unknown and names the nearest existing one.
func (e *NotFoundError) Error() string {
	if e.CaseOnly {
		return fmt.Sprintf("no help page %s: keys are case-sensitive, use %s", quote(e.Key), e.Close)
	}
	if !e.Close.IsRoot() {
		return fmt.Sprintf("no help page %s; did you mean %s?", quote(e.Key), e.Close)
	}
	return fmt.Sprintf("no help page %s; the nearest one is %s", quote(e.Key), e.Nearest.Key)
}

// Text returns the guidance every front end shows: what is missing, the nearest
// ancestor and its described children, as Markdown.
func (e *NotFoundError) Text() string {
	var b strings.Builder
	b.WriteString(e.Error())
	if !strings.HasSuffix(e.Error(), "?") {
		b.WriteString(".")
	}
	b.WriteString("\n\n")
	fmt.Fprintf(&b, "Nearest page: `%s` (%s). Its children:\n\n", e.Nearest.Key, e.Nearest.Kind)
	writeChildren(&b, e.Children)
	return b.String()
}

func writeChildren(b *strings.Builder, pages []*Page) {
	for _, p := range pages {
		fmt.Fprintf(b, "- `%s` (%s): %s\n", p.Key, p.Kind, p.Description)
	}
}

// Text returns the page as the help tool shows it, as Markdown: the root with
// its categories and the whole key tree, a category with its direct children
// only, a recipe in full. It returns a *NotFoundError for an unknown key.
func (c *Catalog) Text(k Key) (string, error) {
	p, err := c.Page(k)
	if err != nil {
		return "", err
	}
	return p.text, nil
}

func (c *Catalog) render(p *Page) string {
	var b strings.Builder
	switch p.Kind {
	case Root:
		b.Write(bytes.TrimRight(p.Body, "\r\n"))
		b.WriteString("\n\n## Topics\n\n")
		writeChildren(&b, c.Children(p.Key))
		b.WriteString("\n## All keys\n\n```text\n")
		c.writeTree(&b, p.Key)
		b.WriteString("```\n")
	case Category:
		fmt.Fprintf(&b, "# %s\n\n%s\n\nParent: `%s`\n\n", p.Title, p.Description, p.Key.Parent())
		writeChildren(&b, c.Children(p.Key))
	default:
		fmt.Fprintf(&b, "# %s\n\nParent: `%s`\n\n", p.Title, p.Key.Parent())
		b.Write(bytes.Trim(withoutTitle(p.Body), "\r\n"))
		b.WriteString("\n")
	}
	b.WriteString("\nRead another page by its key, for example `help({\"key\":\"" + c.exampleKey(p) + "\"})`.\n")
	return b.String()
}

// exampleKey offers the reader the most likely next page.
func (c *Catalog) exampleKey(p *Page) string {
	if len(p.Children) > 0 {
		return p.Children[0].String()
	}
	return p.Key.Parent().String()
}

func (c *Catalog) writeTree(b *strings.Builder, k Key) {
	for _, p := range c.Children(k) {
		b.WriteString(strings.Repeat("  ", p.Key.Depth()-1) + p.Key.String() + "\n")
		c.writeTree(b, p.Key)
	}
}

// withoutTitle drops a level one heading that opens the body, since the page is
// shown under its title anyway.
func withoutTitle(body []byte) []byte {
	trimmed := bytes.TrimLeft(body, "\r\n")
	if !bytes.HasPrefix(trimmed, []byte("# ")) {
		return body
	}
	_, rest, _ := bytes.Cut(trimmed, []byte("\n"))
	return rest
}

// firstHeading returns the text of the first ATX heading outside code fences that
// has any.
// The loader does not parse Markdown: starting the program must stay cheap.
func firstHeading(body []byte) string {
	fence := ""
	for line := range bytes.Lines(body) {
		s := strings.TrimRight(string(line), "\r\n")
		t := strings.TrimLeft(s, " ")
		if len(s)-len(t) > 3 {
			continue
		}
		if f := fenceMark(t); f != "" && (fence == "" || strings.HasPrefix(f, fence)) {
			if fence == "" {
				fence = f
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" || !strings.HasPrefix(t, "#") {
			continue
		}
		text := strings.TrimLeft(t, "#")
		if n := len(t) - len(text); n <= 6 && (text == "" || text[0] == ' ' || text[0] == '\t') {
			if text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), "#")); text != "" {
				return text
			}
		}
	}
	return ""
}

// fenceMark returns the run of three or more backquotes or tildes that opens s.
func fenceMark(s string) string {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return ""
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	if n < 3 {
		return ""
	}
	return s[:n]
}
