package lint

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// position converts a byte offset.
func (t lineTable) position(offset int) Position {
	offset = min(max(offset, 0), len(t.raw))
	line, found := slices.BinarySearch(t.starts, offset)
	if !found {
		line--
	}
	return Position{Line: line + 1, Column: utf8.RuneCount(t.raw[t.starts[line]:offset]) + 1, Offset: offset}
}

// end converts the offset where a range ends, which is its start in a file whose
// lines are not known.
func (t lineTable) end(start Position, offset int) Position {
	if t.raw == nil || offset < start.Offset {
		return Position{Line: start.Line, Column: start.Column, Offset: max(offset, start.Offset)}
	}
	return t.position(offset)
}

// text returns a line without its ending, "" when there is no such line.
func (t lineTable) text(line int) string {
	if line < 1 || line > len(t.starts) {
		return ""
	}
	end := len(t.raw)
	if line < len(t.starts) {
		end = t.starts[line]
	}
	return strings.TrimRight(string(t.raw[t.starts[line-1]:end]), "\r\n")
}

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
