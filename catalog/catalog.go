// Package catalog owns the help content: the Markdown files beside its Go code
// and the rules by which they become help keys, pages, skills and manifests.
// It knows nothing of MCP, terminals or Kite. Start at Load, which turns a tree
// of files into an immutable Catalog; Scan is the tolerant half of it that the
// linter shares.
package catalog

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Catalog is all pages and skills of one tree. It never changes after Load and
// may be used by any number of goroutines.
type Catalog struct {
	pages     map[Key]*Page
	keys      []Key // sorted
	skills    []*Skill
	resources []*Resource // sorted by URI
	byURI     map[string]*Resource
	skillAt   map[string]*Skill
	digest    string
}

// Load reads a tree and returns its catalog, or a *ProblemsError that lists
// every structural error of the tree.
func Load(fsys fs.FS) (*Catalog, error) {
	tree, problems := Scan(fsys)
	if slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error }) {
		return nil, &ProblemsError{Problems: problems}
	}
	c := &Catalog{pages: map[Key]*Page{}, byURI: map[string]*Resource{}, skillAt: map[string]*Skill{}}
	fronts := map[string]*Frontmatter{}
	for _, f := range tree.Files {
		c.addPage(f)
		if f.Path != rootFile {
			c.addResource(f)
			fronts[f.Path] = f.Front
		}
	}
	skills, err := newSkills(c.resources, fronts)
	if err != nil {
		return nil, err
	}
	c.skills = skills
	for _, s := range skills {
		c.skillAt[s.URI] = s
	}
	c.link()
	c.digest = digestAll(tree)
	return c, nil
}

const rootFile = "index.md"

// keyOf maps a file to its key: orders/SKILL.md is /orders.
func keyOf(p string) Key {
	dir, file := path.Split(p)
	switch {
	case p == rootFile:
		return Key{}
	case file == SkillFile:
		return Key{path: strings.TrimSuffix(dir, "/")}
	default:
		return Key{path: strings.TrimSuffix(p, ".md")}
	}
}

func (c *Catalog) addPage(f *File) {
	p := &Page{Key: keyOf(f.Path), Kind: Recipe, Path: f.Path, Raw: f.Raw, Body: f.Body()}
	switch {
	case f.Path == rootFile:
		p.Kind = Root
	case f.IsSkill():
		p.Kind = Category
	}
	p.Title = f.Title
	if p.Title == "" {
		p.Title = p.Key.Name()
	}
	p.Description = oneLine(f.Front.Text("description"))
	if p.Description == "" {
		p.Description = p.Title
	}
	c.pages[p.Key] = p
}

func (c *Catalog) addResource(f *File) {
	r := &Resource{
		URI: Scheme + f.Path, Path: f.Path, Name: path.Base(f.Path), Description: c.pages[keyOf(f.Path)].Description,
		Size: int64(len(f.Raw)), Digest: DigestBytes(f.Raw), Raw: f.Raw,
	}
	if f.IsSkill() {
		r.Name = f.Front.Text("name")
	}
	c.resources = append(c.resources, r)
	c.byURI[r.URI] = r
}

// link adds the generated navigation pages, joins children to parents and
// renders every page once.
func (c *Catalog) link() {
	for k := range c.pages {
		for up := k.Parent(); !up.IsRoot() && c.pages[up] == nil; up = up.Parent() {
			c.pages[up] = &Page{Key: up, Kind: Category, Title: up.Name(), Description: "Pages under " + up.String()}
		}
	}
	for k := range c.pages {
		c.keys = append(c.keys, k)
	}
	slices.SortFunc(c.keys, func(a, b Key) int { return strings.Compare(a.path, b.path) })
	for _, k := range c.keys {
		if !k.IsRoot() {
			parent := c.pages[k.Parent()]
			parent.Children = append(parent.Children, k)
		}
	}
	for _, k := range c.keys {
		p := c.pages[k]
		p.text = c.render(p)
	}
	slices.SortFunc(c.resources, func(a, b *Resource) int { return strings.Compare(a.URI, b.URI) })
}

func digestAll(t *Tree) string {
	var b strings.Builder
	for _, f := range t.Files {
		b.WriteString(DigestBytes(f.Raw) + "  " + f.Path + "\n")
	}
	return DigestBytes([]byte(b.String()))
}

// oneLine folds white space, so that a description fits one line of a listing.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Keys returns all keys, the root first, in order.
func (c *Catalog) Keys() []Key { return slices.Clone(c.keys) }

// Page returns the page of a key, or a *NotFoundError with the nearest existing
// ancestor and its children.
func (c *Catalog) Page(k Key) (*Page, error) {
	if p := c.pages[k]; p != nil {
		return p, nil
	}
	return nil, c.notFound(k)
}

// Children returns the direct children of a key in order.
func (c *Catalog) Children(k Key) []*Page {
	p := c.pages[k]
	if p == nil {
		return nil
	}
	out := make([]*Page, len(p.Children))
	for i, child := range p.Children {
		out[i] = c.pages[child]
	}
	return out
}

// Skills returns every skill, sorted by URI.
func (c *Catalog) Skills() []*Skill { return slices.Clone(c.skills) }

// Skill returns the skill with this exact SKILL.md URI, nil when there is none.
func (c *Catalog) Skill(uri string) *Skill { return c.skillAt[uri] }

// Resources returns every served file, sorted by URI. index.md is not one.
func (c *Catalog) Resources() []*Resource { return slices.Clone(c.resources) }

// Resource returns the file with this exact URI, nil when there is none.
func (c *Catalog) Resource(uri string) *Resource { return c.byURI[uri] }

// PageAt returns the page made from a catalog file such as orders/prepare.md,
// nil when there is none.
func (c *Catalog) PageAt(file string) *Page {
	if p := c.pages[keyOf(file)]; p != nil && p.Path == file {
		return p
	}
	return nil
}

// Digest identifies the whole content: equal digests, equal bytes and paths.
func (c *Catalog) Digest() string { return c.digest }

func (c *Catalog) notFound(k Key) *NotFoundError {
	up := k.Parent()
	for c.pages[up] == nil {
		up = up.Parent()
	}
	e := &NotFoundError{Key: k.String(), Nearest: c.pages[up], Children: c.Children(up)}
	e.Close, e.CaseOnly = c.similar(k)
	return e
}

// similar returns the single key that differs from k in letter case, or by a
// slip in its last segment; the root when there is none or more than one.
func (c *Catalog) similar(k Key) (found Key, caseOnly bool) {
	var siblings []string
	for _, other := range c.keys {
		if strings.EqualFold(other.path, k.path) {
			return other, true
		}
		if other.Parent() == k.Parent() && !other.IsRoot() {
			siblings = append(siblings, other.Name())
		}
	}
	name := Closest(k.Name(), siblings)
	if name == "" {
		return Key{}, false
	}
	return Key{path: strings.TrimPrefix(k.Parent().path+"/"+name, "/")}, false
}
