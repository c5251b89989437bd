package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Library is where pages come from: the embedded catalog, a directory, a remote
// server. Its methods run off the screen's loop and may take their time.
type Library interface {
	// Tree lists every page, parents before their children.
	Tree(ctx context.Context) ([]Node, error)
	// Page reads one page, or returns a *catalog.NotFoundError.
	Page(ctx context.Context, key catalog.Key) (*catalog.Page, error)
	// Skills lists the skills with their manifests.
	Skills(ctx context.Context) ([]*Skill, error)
	// Verify reads the files of skills anew and compares them with their
	// manifests. It returns one finding for every file and any number for what
	// else is wrong with a skill; an error means that it could not go on.
	Verify(ctx context.Context, skills []*Skill) ([]Finding, error)
	// Search finds pages, best first.
	Search(ctx context.Context, text string) ([]catalog.Hit, error)
}

// Node is a page as the tree shows it.
type Node struct {
	Key   catalog.Key
	Kind  catalog.Kind
	Title string
	Path  string // file inside the library, "" for a generated page
	URI   string // of that file, "" when it has none
}

// Skill is a skill as the browser shows it.
type Skill struct {
	*catalog.Skill
	Dynamic bool            // its library publishes no digests: nothing can be verified
	Entry   json.RawMessage // the entry as a server sent it, nil when Skill's JSON form is it
}

// NewCatalogLibrary makes a library of a loaded catalog.
func NewCatalogLibrary(c *catalog.Catalog) Library { return catalogLibrary{c} }

type catalogLibrary struct{ catalog *catalog.Catalog }

// Tree lists the pages in key order.
func (l catalogLibrary) Tree(context.Context) ([]Node, error) {
	keys := l.catalog.Keys()
	nodes := make([]Node, 0, len(keys))
	for _, k := range keys {
		p, err := l.catalog.Page(k)
		if err != nil {
			return nil, fmt.Errorf("list pages: %w", err)
		}
		n := Node{Key: k, Kind: p.Kind, Title: p.Title, Path: p.Path}
		if p.Path != "" && !k.IsRoot() {
			n.URI = catalog.Scheme + p.Path
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// Page returns a page of the catalog.
func (l catalogLibrary) Page(_ context.Context, key catalog.Key) (*catalog.Page, error) {
	return l.catalog.Page(key)
}

// Skills returns the skills of the catalog.
func (l catalogLibrary) Skills(context.Context) ([]*Skill, error) {
	var list []*Skill
	for _, s := range l.catalog.Skills() {
		list = append(list, &Skill{Skill: s})
	}
	return list, nil
}

// Verify hashes the files of the catalog again.
func (l catalogLibrary) Verify(_ context.Context, skills []*Skill) ([]Finding, error) {
	var found []Finding
	for _, s := range skills {
		for _, e := range s.Resources {
			f := Finding{URI: e.URI, Verdict: VerdictOK}
			switch r := l.catalog.Resource(e.URI); {
			case r == nil:
				f.Verdict, f.Detail = VerdictMissing, "there is no such file"
			case int64(len(r.Raw)) != e.Size || catalog.DigestBytes(r.Raw) != e.Digest:
				f.Verdict, f.Detail = VerdictChanged, "its bytes are not those of the manifest"
			}
			found = append(found, f)
		}
	}
	return found, nil
}

// maxHits is how many search results are kept; nobody scrolls further.
const maxHits = 100

// Search searches the catalog.
func (l catalogLibrary) Search(_ context.Context, text string) ([]catalog.Hit, error) {
	return l.catalog.Search(catalog.Query{Text: text, Limit: maxHits})
}

// index answers what a link needs to know about the tree. It never changes, so
// that rendering may use it while the screen runs.
type index struct {
	nodes  []Node
	byKey  map[catalog.Key]int
	byPath map[string]catalog.Key
	byURI  map[string]catalog.Key
}

func newIndex(nodes []Node) *index {
	ix := &index{nodes: nodes, byKey: map[catalog.Key]int{}, byPath: map[string]catalog.Key{}, byURI: map[string]catalog.Key{}}
	for i, n := range nodes {
		ix.byKey[n.Key] = i
		if n.Path != "" {
			ix.byPath[n.Path] = n.Key
		}
		if n.URI != "" {
			ix.byURI[n.URI] = n.Key
		}
	}
	return ix
}

func (ix *index) has(k catalog.Key) bool { _, ok := ix.byKey[k]; return ok }

// hasChildren relies on parents preceding their children.
func (ix *index) hasChildren(i int) bool {
	return i+1 < len(ix.nodes) && ix.nodes[i+1].Key.Parent() == ix.nodes[i].Key && !ix.nodes[i+1].Key.IsRoot()
}

// target is where a link leads.
type target struct {
	key      catalog.Key
	fragment string
	url      string // external
	broken   string // why it leads nowhere, "" when it does not
}

// resolve finds the target of a destination in the page made from file.
func (ix *index) resolve(file, dest string) target {
	if key, err := catalog.ParseKey(dest); err == nil && strings.HasPrefix(dest, "/") && ix.has(key) {
		return target{key: key} // an inline code key
	}
	if key, ok := ix.byURI[dest]; ok {
		return target{key: key}
	}
	t, err := catalog.ResolveLink(file, dest)
	switch {
	case err != nil:
		return target{broken: err.Error()}
	case t.External:
		return target{url: dest}
	}
	for _, path := range []string{t.Path, strings.TrimSuffix(t.Path, "/") + "/" + catalog.SkillFile} {
		if key, ok := ix.byPath[path]; ok {
			return target{key: key, fragment: t.Fragment}
		}
	}
	return target{broken: t.Path + " is not in the catalog"}
}
