package lint

import (
	"path"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// outline is what the second pass needs of a page.
type outline struct {
	read    bool // its lines can be shown
	parsed  bool
	links   []placedLink
	anchors map[string]int
}

// placedLink is a link with its place in the file.
type placedLink struct {
	dest string
	at   Range
}

// add takes over a parsed page. base is where the body begins in the file.
func (out *outline) add(doc *catalog.Document, base int, lines lineTable) {
	out.parsed, out.anchors = true, doc.Anchors
	for _, l := range doc.Links {
		at := Range{lines.position(base + l.DestStart), lines.position(base + l.DestEnd)}
		out.links = append(out.links, placedLink{dest: l.Dest, at: at})
	}
}

// index holds all paths, anchors and links of a tree. Link rules look targets up
// here and never touch the file system.
type index struct {
	profile Profile
	files   map[string]indexedFile
	order   []string          // paths of files, sorted
	names   map[string]bool   // every file and directory
	folded  map[string]string // lower case to the path as it is
}

type indexedFile struct {
	outline
	skill bool
}

func newIndex(tree *catalog.Tree, outlines []outline, profile Profile) *index {
	x := &index{profile: profile, files: map[string]indexedFile{}, names: map[string]bool{".": true}, folded: map[string]string{}}
	for i, f := range tree.Files {
		x.files[f.Path] = indexedFile{outline: outlines[i], skill: f.IsSkill()}
		x.order = append(x.order, f.Path)
		x.add(f.Path)
	}
	for _, p := range tree.Other {
		x.add(p)
	}
	return x
}

func (x *index) add(p string) {
	for ; p != "." && !x.names[p]; p = path.Dir(p) {
		x.names[p] = true
		if low := strings.ToLower(p); x.folded[low] == "" {
			x.folded[low] = p
		}
	}
}

// skillDir returns the outermost directory with a SKILL.md around a file, "." at
// the top, "" when there is none. Nested skills are served with the outer one.
func (x *index) skillDir(file string) (dir string) {
	for up := path.Dir(file); ; up = path.Dir(up) {
		if x.files[path.Join(up, catalog.SkillFile)].skill {
			dir = up
		}
		if up == "." {
			return dir
		}
	}
}

// nearest offers a file for a target that does not exist: one of the same name
// elsewhere, or one beside the target that is spelled much like it.
func (x *index) nearest(target string) string {
	base, ext := path.Base(target), path.Ext(target)
	var same, beside []string
	for _, p := range x.order {
		switch {
		case path.Base(p) == base && base != catalog.SkillFile:
			same = append(same, p)
		case path.Dir(p) == path.Dir(target) && path.Ext(p) == ext:
			beside = append(beside, strings.TrimSuffix(path.Base(p), ext))
		}
	}
	if len(same) == 1 {
		return same[0]
	}
	if near := catalog.Closest(strings.TrimSuffix(base, ext), beside); near != "" {
		return path.Join(path.Dir(target), near+ext)
	}
	return ""
}

// relative writes a target as a link from a file.
func relative(from, target string) string {
	dir := path.Dir(from)
	up := ""
	for dir != "." && target != dir && !strings.HasPrefix(target, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(target, dir), "/")
	if dir == "." {
		rest = target
	}
	return up + rest
}
