package cmd

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/tui"
)

// serverView makes the pages of another server fit for the search and the
// browser, which know a page by its catalog.Key and find their way by files. The
// tree is read once, a page when it is asked for and then kept, verified.
type serverView struct {
	lib   library
	pages []*viewPage // parents before their children
	byKey map[catalog.Key]*viewPage
	used  map[string]int // keys that were asked for, and how often
	most  int64          // bytes of files that are kept

	searching sync.Mutex // a search waits for the one that reads everything

	mu   sync.Mutex // guards the rest
	read map[*viewPage]*document
	size int64
}

// viewPage is a page or a folder of the view.
type viewPage struct {
	treeKey
	key      catalog.Key
	kind     catalog.Kind
	folder   bool   // made here: the server has no such page
	path     string // of its file, for links
	children []catalog.Key
}

func newServerView(ctx context.Context, lib library) (*serverView, error) {
	list, err := lib.tree(ctx, "/", 0)
	if err != nil {
		return nil, err
	}
	v := &serverView{lib: lib, byKey: map[catalog.Key]*viewPage{}, used: map[string]int{}, read: map[*viewPage]*document{}, most: host.DefaultMaxBytes}
	v.byKey[catalog.Key{}] = &viewPage{folder: true, kind: catalog.Root, treeKey: treeKey{Title: "/"}}
	for i := range list {
		v.add(list[i])
	}
	return v, v.link()
}

// add gives a page a key that the browser can have: what cannot be in one is
// replaced, and a key that is taken gets a number.
func (v *serverView) add(t treeKey) {
	p := &viewPage{treeKey: t, kind: kindOf(t.Kind)}
	p.Title, p.Description = oneLine(t.Title), oneLine(t.Description)
	word := t.Key
	if scheme, rest, ok := strings.Cut(word, "://"); ok {
		word = "/" + scheme + "/" + strings.Trim(rest, "/")
	}
	if t.uri != "" { // a key without its file's name: links between files find it by that
		p.path = strings.TrimPrefix(word, "/")
		switch base := "/" + path.Base(t.uri); {
		case base == "/"+catalog.SkillFile && !strings.HasSuffix(word, base):
			p.path = strings.TrimPrefix(word+base, "/")
		case path.Ext(t.uri) == ".md" && path.Ext(word) != ".md":
			p.path += ".md"
		}
		if plain, err := url.PathUnescape(p.path); err == nil { // as links are
			p.path = plain
		}
	}
	if strings.Contains(t.Key, "://") {
		word = strings.TrimSuffix(word, ".md")
	}
	word = viewKey(word)
	for p.key = v.free(word); v.byKey[p.key] != nil && !v.byKey[p.key].folder; p.key = v.free(word) {
	}
	v.byKey[p.key] = p
}

// free returns a key like word, another one at every call: counting from the
// start again would let a server keep us busy with names that become one.
func (v *serverView) free(word string) catalog.Key {
	if _, err := catalog.ParseKey(word + "~1234567"); err != nil {
		word = "/page" // it is too long
	}
	v.used[word]++
	if n := v.used[word]; n > 1 {
		word += "~" + strconv.Itoa(n)
	}
	key, _ := catalog.ParseKey(word) // it was tried with more
	return key
}

// viewKey replaces what a catalog.Key cannot hold.
func viewKey(word string) string {
	word = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`%*?\`, r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, oneLine(render.Clean(word)))
	var segments []string
	for segment := range strings.SplitSeq(word, "/") {
		switch {
		case segment == "":
			continue
		case segment == "." || segment == "..":
			segment = "_"
		case strings.EqualFold(path.Ext(segment), ".md"):
			segment = segment[:len(segment)-len(".md")] + "_md"
		}
		segments = append(segments, segment)
	}
	return "/" + strings.Join(segments, "/")
}

func kindOf(word string) catalog.Kind {
	for _, k := range []catalog.Kind{catalog.Root, catalog.Category} {
		if word == k.String() {
			return k
		}
	}
	return catalog.Recipe
}

// link adds the folders between pages, orders pages and joins children to them.
func (v *serverView) link() error {
	folders := 0
	for _, p := range v.byKey {
		for up := p.key.Parent(); v.byKey[up] == nil; up = up.Parent() {
			if folders++; folders > maxFolders {
				return &host.LimitError{What: "folders", Most: maxFolders}
			}
			v.byKey[up] = &viewPage{key: up, kind: catalog.Category, folder: true, treeKey: treeKey{Title: up.Name(), Description: "Pages under " + up.String()}}
		}
	}
	for _, p := range v.byKey {
		v.pages = append(v.pages, p)
	}
	// The separator sorts before every other character: children follow parents.
	order := func(k catalog.Key) string { return strings.ReplaceAll(k.String(), "/", "\x00") }
	slices.SortFunc(v.pages, func(a, b *viewPage) int { return strings.Compare(order(a.key), order(b.key)) })
	for _, p := range v.pages {
		if !p.key.IsRoot() {
			up := v.byKey[p.key.Parent()]
			up.children = append(up.children, p.key)
		}
	}
	return nil
}

// Tree implements tui.Library.
func (v *serverView) Tree(context.Context) ([]tui.Node, error) {
	nodes := make([]tui.Node, len(v.pages))
	for i, p := range v.pages {
		nodes[i] = tui.Node{Key: p.key, Kind: p.kind, Title: p.Title, Path: p.path, URI: p.uri}
	}
	return nodes, nil
}

// Page implements tui.Library. A file is read, and verified, the first time.
func (v *serverView) Page(ctx context.Context, key catalog.Key) (*catalog.Page, error) {
	p := v.byKey[key]
	if p == nil {
		return nil, v.missing(key)
	}
	page := p.page()
	if p.folder {
		return page, nil
	}
	d, err := v.document(ctx, p)
	if err != nil {
		return nil, err
	}
	page.Raw, page.Body, page.Path = d.raw, []byte(d.body), p.path
	p.entitle(page)
	return page, nil
}

// word is what the server's own key is; a folder made here has none.
func (v *serverView) word(key catalog.Key) string {
	if p := v.byKey[key]; !p.folder {
		return p.Key
	}
	return key.String()
}

// find returns the key of a page that a person named: by a key, or by the URI of
// its file.
func (v *serverView) find(word string) (catalog.Key, error) {
	for _, p := range v.pages {
		if !p.folder && (p.Key == word || p.uri != "" && p.uri == word) {
			return p.key, nil
		}
	}
	return catalog.ParseKey(word)
}

// page is what is known of a page without reading it.
func (p *viewPage) page() *catalog.Page {
	return &catalog.Page{Key: p.key, Kind: p.kind, Title: p.Title, Description: p.Description, Children: p.children}
}

// entitle takes the title of a page from the heading that its file begins with.
func (p *viewPage) entitle(page *catalog.Page) {
	if path.Ext(p.uri) != ".md" {
		return
	}
	first, _, _ := strings.Cut(strings.TrimLeft(string(page.Body), "\r\n"), "\n")
	if heading, ok := strings.CutPrefix(first, "# "); ok && strings.TrimSpace(heading) != "" {
		page.Title = oneLine(strings.Trim(heading, "# \r"))
	}
}

func (v *serverView) missing(key catalog.Key) error {
	near := key.Parent()
	for v.byKey[near] == nil {
		near = near.Parent()
	}
	e := &catalog.NotFoundError{Key: key.String(), Nearest: v.byKey[near].page()}
	for _, k := range v.byKey[near].children {
		e.Children = append(e.Children, v.byKey[k].page())
	}
	return e
}

// document returns a page in full. The server is asked for it once.
func (v *serverView) document(ctx context.Context, p *viewPage) (*document, error) {
	v.mu.Lock()
	d := v.read[p]
	v.mu.Unlock()
	if d != nil {
		return d, nil
	}
	d, err := v.lib.page(ctx, p.Key)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.read[p] == nil {
		v.read[p] = d
		v.size += int64(len(d.raw) + len(d.body))
	}
	if v.size > 2*v.most { // the file, and the page made of it
		return nil, &host.LimitError{What: "bytes", Most: v.most}
	}
	return d, nil
}

// Skills implements tui.Library.
func (v *serverView) Skills(context.Context) ([]*tui.Skill, error) {
	pages, ok := v.lib.(*skillPages)
	if !ok {
		return nil, nil
	}
	keys := map[string]catalog.Key{}
	for _, p := range v.pages {
		keys[p.uri] = p.key
	}
	list := make([]*tui.Skill, len(pages.skills))
	for i, s := range pages.skills {
		list[i] = &tui.Skill{
			Skill:   &catalog.Skill{URI: s.URI, Frontmatter: s.Frontmatter, Resources: s.Resources, Name: s.Name, Description: s.Description, Key: keys[s.URI]},
			Dynamic: s.Dynamic, Entry: s.Raw,
		}
	}
	return list, nil
}

// Verify implements tui.Library: the strict verification of skills verify.
func (v *serverView) Verify(ctx context.Context, skills []*tui.Skill) ([]tui.Finding, error) {
	pages, ok := v.lib.(*skillPages)
	if !ok {
		return nil, host.ErrNoSkills
	}
	uris := make([]string, len(skills))
	for i, s := range skills {
		uris[i] = s.URI
	}
	report, err := pages.host.Verify(ctx, uris...)
	if err != nil {
		return nil, err
	}
	var found []tui.Finding
	for _, s := range report.Skills {
		for _, f := range s.Faults {
			found = append(found, finding(s.URI, f))
		}
		for _, f := range s.Files {
			if f.Fault == nil {
				found = append(found, tui.Finding{URI: f.URI, Verdict: tui.VerdictOK})
			} else {
				found = append(found, finding(f.URI, *f.Fault))
			}
		}
	}
	return found, nil
}

func finding(uri string, f host.Fault) tui.Finding {
	out := tui.Finding{URI: uri, Verdict: tui.VerdictFault, Detail: f.Detail}
	if f.Reason == host.ReasonSize || f.Reason == host.ReasonDigest {
		out.Verdict = tui.VerdictChanged
		out.Detail = "not the bytes of the manifest: " + f.Detail // the long digest comes last
	}
	if f.Reason == host.ReasonRead {
		out.Verdict = tui.VerdictMissing
	}
	if f.URI != uri && f.URI != "" {
		out.Detail = f.Error()
	}
	return out
}
