package catalog

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// List walks the tree and returns its files, unread, with the problems of their
// names. It fails on nothing: what cannot be listed is a problem.
func (s *Scanner) List(fsys fs.FS) (*Tree, []Problem) {
	l := lister{Scanner: s, tree: &Tree{hidden: map[string]bool{}}}
	// visit returns no error but SkipDir, so WalkDir returns none.
	_ = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			l.problems = append(l.problems, unreadable(p, err))
			return nil
		}
		return l.visit(fsys, p, d)
	})
	if s.Skills {
		l.keepSkills()
	}
	slices.SortFunc(l.tree.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(l.tree.Other)
	return l.tree, l.problems
}

type lister struct {
	*Scanner
	tree     *Tree
	problems []Problem
}

func (l *lister) add(rule string, p, message, help string) {
	l.problems = append(l.problems, Problem{Rule: rule, Severity: Error, Path: p, Line: 1, Column: 1, Message: message, Help: help})
}

func (l *lister) visit(fsys fs.FS, p string, d fs.DirEntry) error {
	name := d.Name()
	switch {
	case p == "." && d.IsDir():
		return nil
	case l.Ignore != nil && l.Ignore(p):
		if d.IsDir() {
			return fs.SkipDir
		}
		l.tree.Other = append(l.tree.Other, p)
	case d.IsDir():
		return l.visitDir(fsys, p, name)
	case !d.Type().IsRegular():
		if isMarkdown(name) || !isDropped(p) {
			l.hide(p)
			l.add("KL007", p, "not a regular file ("+fileType(d.Type())+"); only regular files are served", "put the file itself here")
		}
	case l.Skills:
		l.visitSkillsFile(p, name)
	default:
		l.visitFile(p, name)
	}
	return nil
}

func (l *lister) visitDir(fsys fs.FS, p, name string) error {
	if name == ".git" || l.Skills && (name == "node_modules" || name == "vendor") || !l.Skills && name == "testdata" {
		return fs.SkipDir
	}
	if !l.Skills {
		if _, err := fs.Stat(fsys, p+"/go.mod"); err == nil {
			l.add("KL009", p+"/go.mod", "go:embed leaves out a directory that is a module of its own", "remove go.mod")
		}
	}
	return nil
}

// visitFile sorts one file of a catalog.
func (l *lister) visitFile(p, name string) {
	switch {
	case strings.EqualFold(name, SkillFile) && name != SkillFile:
		l.wrongCase(p, name)
	case path.Ext(name) != ".md":
		if strings.HasSuffix(name, ".go") || isDropped(p) || name == "go.mod" && p != name {
			return // beside the content, not part of it; a nested go.mod has its own problem
		}
		l.tree.Other = append(l.tree.Other, p)
		if isMarkdown(name) {
			l.add("KL202", p, "the extension must be lower case: .md", "rename it")
			return
		}
		l.add("KL202", p, "not a Markdown file; a catalog holds nothing else", "move it out of the catalog")
	case isDropped(p):
		l.hide(p)
		l.tree.Other = append(l.tree.Other, p)
		l.add("KL009", p, "the go command ignores names that begin with . or _", "rename it")
	case strings.ContainsAny(p, badNameChars):
		l.hide(p)
		l.tree.Other = append(l.tree.Other, p)
		l.badName(p)
	default:
		l.tree.Files = append(l.tree.Files, &File{Path: p})
	}
}

// visitSkillsFile sorts one file of a folder of skills. Which Markdown belongs
// to a skill is known only after the walk.
func (l *lister) visitSkillsFile(p, name string) {
	if strings.EqualFold(name, SkillFile) && name != SkillFile {
		l.wrongCase(p, name)
		return
	}
	if path.Ext(name) != ".md" {
		l.tree.Other = append(l.tree.Other, p)
		return
	}
	l.tree.Files = append(l.tree.Files, &File{Path: p})
}

// keepSkills leaves the Markdown that lies in the directory of a SKILL.md.
func (l *lister) keepSkills() {
	dirs := map[string]bool{}
	for _, f := range l.tree.Files {
		if f.IsSkill() {
			dirs[path.Dir(f.Path)] = true
		}
	}
	l.tree.Files = slices.DeleteFunc(l.tree.Files, func(f *File) bool {
		for dir := path.Dir(f.Path); ; dir = path.Dir(dir) {
			if dirs[dir] {
				if strings.ContainsAny(f.Path, badNameChars) {
					l.badName(f.Path)
				}
				return false
			}
			if dir == "." {
				l.tree.Other = append(l.tree.Other, f.Path)
				return true
			}
		}
	})
}

func (l *lister) wrongCase(p, name string) {
	l.hide(p)
	l.tree.Other = append(l.tree.Other, p)
	l.add("KL142", p, fmt.Sprintf("%s is not read; the name is exactly %s", name, SkillFile), "rename it to "+SkillFile)
}

func (l *lister) badName(p string) {
	l.add("KL010", p, "a name must not hold any of "+badNameChars, "rename it")
}

// hide remembers a file that is there but not usable, so that its directory is
// not also reported for lacking a SKILL.md.
func (l *lister) hide(p string) { l.tree.hidden[strings.ToLower(p)] = true }

// badNameChars are refused by go:embed or by a common file system.
const badNameChars = "\"*<>?'|:\\`"

func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }

// isDropped reports whether a part of the path begins with a dot or an
// underscore, which the go command takes as "not part of this package".
func isDropped(p string) bool {
	for seg := range strings.SplitSeq(p, "/") {
		if seg[0] == '.' || seg[0] == '_' {
			return true
		}
	}
	return false
}

func fileType(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "irregular"
}
