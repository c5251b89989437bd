package tui

import (
	"context"
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
	Skills(ctx context.Context) ([]*catalog.Skill, error)
	// Search finds pages, best first.
	Search(ctx context.Context, text string) ([]catalog.Hit, error)
}

// Node is a page as the tree shows it.
type Node struct {
	Key   catalog.Key
	Kind  catalog.Kind
	Title string
	Path  string // file inside the catalog, "" for a generated page
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
		nodes = append(nodes, Node{Key: k, Kind: p.Kind, Title: p.Title, Path: p.Path})
	}
	return nodes, nil
}

// Page returns a page of the catalog.
func (l catalogLibrary) Page(_ context.Context, key catalog.Key) (*catalog.Page, error) {
	return l.catalog.Page(key)
}

// Skills returns the skills of the catalog.
func (l catalogLibrary) Skills(context.Context) ([]*catalog.Skill, error) {
	return l.catalog.Skills(), nil
}

// maxHits is how many search results are kept; nobody scrolls further.
const maxHits = 100

// Search searches the catalog.
func (l catalogLibrary) Search(_ context.Context, text string) ([]catalog.Hit, error) {
	return l.catalog.Search(catalog.Query{Text: text, Limit: maxHits})
}

// keyOfURI returns the key of a skill file: skill://orders/SKILL.md is /orders.
func keyOfURI(uri string) (catalog.Key, bool) {
	file, ok := strings.CutPrefix(uri, catalog.Scheme)
	if !ok {
		return catalog.Key{}, false
	}
	name, ok := strings.CutSuffix(file, "/"+catalog.SkillFile)
	if !ok {
		if name, ok = strings.CutSuffix(file, ".md"); !ok {
			return catalog.Key{}, false
		}
	}
	key, err := catalog.ParseKey("/" + name)
	return key, err == nil
}

// index answers what a link needs to know about the tree. It never changes, so
// that rendering may use it while the screen runs.
type index struct {
	nodes  []Node
	byKey  map[catalog.Key]int
	byPath map[string]catalog.Key
}

func newIndex(nodes []Node) *index {
	ix := &index{nodes: nodes, byKey: map[catalog.Key]int{}, byPath: map[string]catalog.Key{}}
	for i, n := range nodes {
		ix.byKey[n.Key] = i
		if n.Path != "" {
			ix.byPath[n.Path] = n.Key
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
	if key, ok := keyOfURI(dest); ok && ix.has(key) {
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
