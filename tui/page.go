package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/render"
)

// maxPageWidth is where prose stops getting wider.
const maxPageWidth = 100

// request asks for a page in one layout; it is also the key of the cache.
type request struct {
	key    catalog.Key
	width  int
	style  render.Style
	noWrap bool
}

// pageView is a page laid out, with everything the screen shows about it. It
// does not change once made.
type pageView struct {
	request
	page    *catalog.Page
	uri     string // of its file, "" when it has none
	doc     *render.Document
	targets []target // of doc.Links
	slugs   []string // of doc.Headings
	digest  string
	front   []string // lines of the frontmatter
	gone    bool     // there is no such page; the text says where to go on
}

// pageMsg answers a request.
type pageMsg struct {
	id   int
	view *pageView
	err  error
}

// load reads and lays out a page off the screen's loop.
func (s *shared) load(id int, req request) tea.Cmd {
	lib, ix, ascii := s.lib, s.index, s.ascii
	return s.do(func(ctx context.Context) tea.Msg {
		view, err := layoutPage(ctx, lib, ix, ascii, req)
		return pageMsg{id: id, view: view, err: err}
	})
}

func layoutPage(ctx context.Context, lib Library, ix *index, ascii bool, req request) (*pageView, error) {
	v := &pageView{request: req}
	var missing *catalog.NotFoundError
	page, err := lib.Page(ctx, req.key)
	switch {
	case errors.As(err, &missing):
		v.gone = true
		page = &catalog.Page{Key: req.key, Kind: catalog.Recipe, Title: req.key.Name(), Body: []byte(missing.Text())}
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", req.key, err)
	}
	v.page = page
	if i, ok := ix.byKey[req.key]; ok {
		v.uri = ix.nodes[i].URI
	}
	body := string(page.Body)
	if page.Generated() && page.Body == nil {
		body = generatedBody(page)
	}
	v.doc, err = render.Layout(body, render.Options{
		Width: req.width, Style: req.style, ASCII: ascii, NoWrap: req.noWrap,
		Link: v.marker(ix), CodeLink: func(code string) bool {
			if _, file := ix.byURI[code]; file {
				return true
			}
			key, err := catalog.ParseKey(code)
			return err == nil && strings.HasPrefix(code, "/") && key != req.key && ix.has(key)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("lay out %s: %w", req.key, err)
	}
	v.describe(body)
	return v, nil
}

// generatedBody lists the children of a directory that has no page of its own;
// keys in code become links.
func generatedBody(p *catalog.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nThis directory has no page of its own. Pages in it:\n\n", p.Title)
	for _, k := range p.Children {
		fmt.Fprintf(&b, "- `%s`\n", k)
	}
	return b.String()
}

// marker numbers links and notes where each leads.
func (v *pageView) marker(ix *index) func(render.Link) render.Mark {
	return func(l render.Link) render.Mark {
		t := ix.resolve(v.page.Path, l.Dest)
		v.targets = append(v.targets, t)
		mark := render.Mark{Before: fmt.Sprintf("[%d] ", l.Index)}
		if t.broken != "" {
			mark.After = " (broken link)"
		}
		return mark
	}
}

// describe fills in what the detail pane shows.
func (v *pageView) describe(body string) {
	var headings []catalog.Heading
	if len(v.doc.Headings) > 0 { // a page shown as source may be one that is slow to parse
		headings = catalog.ParseDocument([]byte(body)).Headings
	}
	for i, h := range v.doc.Headings {
		slug := catalog.Slug(h.Text)
		if len(headings) == len(v.doc.Headings) {
			slug = headings[i].Slug
		}
		v.slugs = append(v.slugs, slug)
	}
	if v.page.Raw != nil {
		v.digest = catalog.DigestBytes(v.page.Raw)
		if at := catalog.Split(v.page.Raw); at.Closed {
			v.front = strings.Split(strings.TrimSpace(render.Clean(string(v.page.Raw[at.Start:at.End]))), "\n")
		}
	}
}

// lineOf returns the line of a fragment, false when the page has none such.
func (v *pageView) lineOf(fragment string) (int, bool) {
	i := slices.Index(v.slugs, fragment)
	if i < 0 {
		return 0, false
	}
	return v.doc.Headings[i].Line, true
}

// broken counts the links that lead nowhere.
func (v *pageView) broken() int {
	n := 0
	for _, t := range v.targets {
		if t.broken != "" {
			n++
		}
	}
	return n
}

// pageCache keeps the pages used last.
type pageCache struct {
	limit int
	views []*pageView // the latest at the end
}

func (c *pageCache) get(req request) *pageView {
	i := slices.IndexFunc(c.views, func(v *pageView) bool { return v.request == req })
	if i < 0 {
		return nil
	}
	v := c.views[i]
	c.views = append(slices.Delete(c.views, i, i+1), v)
	return v
}

func (c *pageCache) put(v *pageView) {
	if c.get(v.request) == nil {
		c.views = append(c.views, v)
	}
	if len(c.views) > c.limit {
		c.views = slices.Delete(c.views, 0, 1)
	}
}
