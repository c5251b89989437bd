package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// helpTool is the tool that stands in for Skills.
const helpTool = "help"

// node is one page of a server's tree.
type node struct {
	Key         string     `json:"key"`
	Kind        string     `json:"kind"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Parent      string     `json:"parent,omitempty"`
	Children    []nodeLink `json:"children"`
	Content     string     `json:"content,omitempty"`

	uri string // of its file, "" for a folder without SKILL.md
}

// nodeLink is a child as its parent lists it.
type nodeLink struct {
	Key         string `json:"key"`
	Kind        string `json:"kind"`
	Description string `json:"description"`
}

// skillPages is a tree made of the manifests of a Skills server. Making it reads
// no file; a page is read, and verified, when it is shown.
type skillPages struct {
	host   *host.Host
	skills []*host.Skill
	faults []host.Fault      // why others are left out
	nodes  map[string]*node  // by key
	byURI  map[string]string // keys
	first  map[string]string // first segment of the keys of a scheme other than skill://
}

// maxFolders bounds the folders of a tree that are no pages: a file of a short
// manifest may lie in a thousand of its own.
const maxFolders = 1 << 14

func newSkillPages(h *host.Host, l *host.Listing) (*skillPages, error) {
	skills := l.Skills
	p := &skillPages{host: h, skills: skills, faults: l.Faults, nodes: map[string]*node{}, byURI: map[string]string{}, first: firstSegments(skills)}
	s := h.Server()
	p.nodes["/"] = &node{Key: "/", Kind: catalog.Root.String(), Title: s.Name, Description: fmt.Sprintf("%d skills of %s %s", len(skills), s.Name, s.Version)}
	for _, s := range skills {
		p.put(strings.TrimSuffix(p.keyPath(s.URI), "/"+catalog.SkillFile), &node{Kind: catalog.Category.String(), Title: s.Name, Description: s.Description, uri: s.URI})
	}
	for _, s := range skills {
		for _, e := range s.Resources {
			if p.byURI[e.URI] != "" || path.Base(e.URI) == catalog.SkillFile {
				continue
			}
			key := p.keyPath(e.URI)
			if short := strings.TrimSuffix(key, ".md"); p.nodes[short] == nil {
				key = short
			}
			p.put(key, &node{Kind: catalog.Recipe.String(), Title: path.Base(key), Description: path.Base(e.URI), uri: e.URI})
		}
	}
	return p, p.link()
}

// firstSegments chooses the first segment of keys for every scheme: its name, or
// that with a colon where a skill:// URI begins with the name, so that
// skill://http/a and http://a stay apart.
func firstSegments(skills []*host.Skill) map[string]string {
	taken := map[string]bool{}
	for _, s := range skills {
		if rest, ok := strings.CutPrefix(s.URI, catalog.Scheme); ok {
			first, _, _ := strings.Cut(rest, "/")
			taken[first] = true
		}
	}
	segments := map[string]string{}
	for _, s := range skills {
		scheme, _, _ := strings.Cut(s.URI, "://")
		first := scheme
		for taken[first] {
			first += ":"
		}
		segments[scheme] = first
	}
	return segments
}

// keyPath turns a URI into a key: skill://a/b.md becomes /a/b.md, and a URI of
// another scheme keeps its scheme as the first segment.
func (p *skillPages) keyPath(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "://")
	if scheme+"://" == catalog.Scheme {
		return "/" + rest
	}
	return "/" + p.first[scheme] + "/" + strings.TrimPrefix(rest, "/")
}

func (p *skillPages) put(key string, n *node) {
	n.Key = key
	p.nodes[key], p.byURI[n.uri] = n, key
}

// link adds the folders between pages and joins children to parents.
func (p *skillPages) link() error {
	most := len(p.nodes) + maxFolders
	for _, key := range slices.Collect(maps.Keys(p.nodes)) {
		for up := path.Dir(key); p.nodes[up] == nil; up = path.Dir(up) {
			if len(p.nodes) == most {
				return &host.LimitError{What: "folders", Most: maxFolders}
			}
			p.nodes[up] = &node{Key: up, Kind: catalog.Category.String(), Title: path.Base(up), Description: "Pages under " + up}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.nodes)) {
		if n := p.nodes[key]; key != "/" {
			n.Parent = path.Dir(key)
			up := p.nodes[n.Parent]
			up.Children = append(up.Children, nodeLink{n.Key, n.Kind, n.Description})
		}
	}
	return nil
}

func (p *skillPages) Close() error { return p.host.Close() }

// Server says who serves the pages.
func (p *skillPages) Server() host.Server { return p.host.Server() }

// find returns the page of a key or of the URI of its file.
func (p *skillPages) find(word string) (*node, error) {
	key := word
	if strings.Contains(word, "://") {
		key = p.byURI[word]
	} else if key != "/" {
		key = strings.TrimSuffix(key, "/")
	}
	if key == "" && !strings.Contains(word, "://") {
		key = "/"
	}
	if n := p.nodes[key]; n != nil {
		return n, nil
	}
	up := "/"
	if strings.HasPrefix(key, "/") && len(key) <= catalog.MaxKeyBytes {
		for up = path.Dir(path.Clean(key)); p.nodes[up] == nil; up = path.Dir(up) {
		}
	}
	missing := &problem{Code: codeUnknownKey, Message: "the server has no page " + quoted(word), Hint: "the nearest one is " + up + "; kite-mcp tree lists all"}
	return nil, missing.guess(word, slices.Concat(slices.Sorted(maps.Keys(p.nodes)), slices.Sorted(maps.Keys(p.byURI))))
}

func (p *skillPages) page(ctx context.Context, word string) (*document, error) {
	n, err := p.find(word)
	if err != nil {
		return nil, err
	}
	d := &document{key: n.Key}
	shown := *n
	if shown.Children == nil {
		shown.Children = []nodeLink{}
	}
	if n.Kind == catalog.Recipe.String() || n.uri != "" {
		f, err := p.host.Read(ctx, n.uri)
		if err != nil {
			return nil, err
		}
		d.raw = f.Data
	}
	if n.Kind == catalog.Recipe.String() {
		if shown.Content, err = textOf(n.uri, d.raw); err != nil {
			return nil, err
		}
	}
	d.markdown = render.Clean(shown.markdown())
	d.body = shown.Content
	switch {
	case d.raw == nil:
		d.body = d.markdown
	case n.Kind != catalog.Recipe.String(): // it lists its children instead, as our own do
		if d.body, err = textOf(n.uri, d.raw); err != nil {
			return nil, err
		}
	}
	d.object = func(context.Context) (any, error) { return shown, nil }
	return d, nil
}

// textOf is the text of a file below its frontmatter. What is not Markdown is
// shown as it is.
func textOf(uri string, raw []byte) (string, error) {
	if !utf8.Valid(raw) {
		return "", usage(quoted(uri)+" is not text", "kite-mcp skills read "+uri+" --out FILE writes it")
	}
	if path.Ext(uri) != ".md" {
		fence := "```"
		for strings.Contains(string(raw), fence) {
			fence += "`"
		}
		return fence + "\n" + ensureNewline(string(raw)) + fence + "\n", nil
	}
	return string(raw[catalog.Split(raw).Body:]), nil
}

// markdown lays a page out as pages of our own are: a folder lists its children,
// a file is shown in full.
func (n *node) markdown() string {
	var b strings.Builder
	if n.Kind == catalog.Recipe.String() {
		fmt.Fprintf(&b, "Parent: `%s`\n\n%s", n.Parent, ensureNewline(strings.TrimLeft(n.Content, "\r\n")))
		return b.String()
	}
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", oneLine(n.Title), oneLine(n.Description))
	if n.Parent != "" {
		fmt.Fprintf(&b, "Parent: `%s`\n\n", n.Parent)
	}
	for _, c := range n.Children {
		fmt.Fprintf(&b, "- `%s` (%s): %s\n", c.Key, c.Kind, oneLine(c.Description))
	}
	return b.String()
}

func (p *skillPages) tree(_ context.Context, word string, depth int) ([]treeKey, error) {
	top, err := p.find(word)
	if err != nil {
		return nil, err
	}
	var list []treeKey
	var walk func(n *node, level int)
	walk = func(n *node, level int) {
		list = append(list, treeKey{Key: n.Key, Kind: n.Kind, Title: n.Title, Description: n.Description, level: level, uri: n.uri})
		if depth > 0 && level == depth {
			return
		}
		for _, c := range n.Children {
			walk(p.nodes[c.Key], level+1)
		}
	}
	walk(top, 0)
	return list, nil
}

// helpPages asks the help tool of a server that has no Skills.
type helpPages struct{ *host.Host }

// maxHelpCalls bounds the calls for one tree.
const maxHelpCalls = 512

func (h helpPages) ask(ctx context.Context, key string) (*host.ToolResult, error) {
	if key == "" {
		key = "/"
	}
	args, err := json.Marshal(map[string]string{"key": key})
	if err != nil {
		return nil, err
	}
	r, err := h.CallTool(ctx, helpTool, args)
	if err != nil {
		return nil, err
	}
	if r.Failed {
		return nil, &problem{Code: codeUnknownKey, Message: "the server has no page " + quoted(key), text: r.Text}
	}
	return r, nil
}

func (h helpPages) page(ctx context.Context, word string) (*document, error) {
	r, err := h.ask(ctx, word)
	if err != nil {
		return nil, err
	}
	text := render.Clean(ensureNewline(r.Text))
	return &document{key: word, markdown: text, body: text, object: func(context.Context) (any, error) {
		if r.Structured != nil {
			return r.Structured, nil
		}
		return map[string]string{"key": word, "content": r.Text}, nil
	}}, nil
}

func (h helpPages) tree(ctx context.Context, word string, depth int) ([]treeKey, error) {
	var list []treeKey
	seen := map[string]bool{}
	var walk func(key string, level int) error
	walk = func(key string, level int) error {
		if seen[key] || len(seen) == maxHelpCalls {
			return nil
		}
		seen[key] = true
		r, err := h.ask(ctx, key)
		if err != nil {
			return err
		}
		var n node
		if err := json.Unmarshal(r.Structured, &n); err != nil || n.Key == "" {
			return &problem{Code: string(tools.CodeNotFound), Message: "the server's help tool does not say what its tree is", Hint: "read it with kite-mcp help /"}
		}
		list = append(list, treeKey{Key: n.Key, Kind: n.Kind, Title: n.Title, Description: n.Description, level: level})
		for _, c := range n.Children {
			if depth > 0 && level+1 > depth {
				break
			}
			if err := walk(c.Key, level+1); err != nil {
				return err
			}
		}
		return nil
	}
	return list, walk(word, 0)
}

// resourcePages are the resources of a server that has nothing better.
type resourcePages struct{ *host.Host }

const kindResource = "resource"

func (r resourcePages) tree(ctx context.Context, word string, _ int) ([]treeKey, error) {
	resources, err := r.Resources(ctx)
	if err != nil {
		return nil, err
	}
	s := r.Server()
	list := []treeKey{{Key: "/", Kind: catalog.Root.String(), Title: s.Name, Description: fmt.Sprintf("%d resources of %s %s", len(resources), s.Name, s.Version)}}
	for _, res := range resources {
		list = append(list, treeKey{Key: res.URI, Kind: kindResource, Title: res.Name, Description: res.Description, level: 1, uri: res.URI})
	}
	if word == "" || word == "/" {
		return list, nil
	}
	var known []string
	for i := range list {
		if list[i].Key == word {
			return list[i : i+1], nil
		}
		known = append(known, list[i].Key)
	}
	return nil, &host.UnlistedError{URI: word, Known: known, Plain: true}
}

func (r resourcePages) page(ctx context.Context, word string) (*document, error) {
	if word == "" || word == "/" {
		list, err := r.tree(ctx, word, 1)
		if err != nil {
			return nil, err
		}
		root := node{Key: "/", Kind: list[0].Kind, Title: list[0].Title, Description: list[0].Description, Children: []nodeLink{}}
		for _, k := range list[1:] {
			root.Children = append(root.Children, nodeLink{k.Key, k.Kind, k.Description})
		}
		return &document{key: "/", markdown: render.Clean(root.markdown()), body: render.Clean(root.markdown()), object: func(context.Context) (any, error) { return root, nil }}, nil
	}
	f, err := r.Read(ctx, word)
	if err != nil {
		return nil, err
	}
	n := node{Key: word, Kind: kindResource, Title: path.Base(word), Children: []nodeLink{}}
	if n.Content, err = textOf(word, f.Data); err != nil {
		return nil, err
	}
	return &document{key: word, markdown: render.Clean(n.Content), body: n.Content, raw: f.Data, object: func(context.Context) (any, error) { return n, nil }}, nil
}
