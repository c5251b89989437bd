package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// File is one scanned Markdown file.
type File struct {
	Path    string // slash separated, inside the tree
	Raw     []byte
	Section Section
	Front   *Frontmatter // nil when the file has no complete block
}

// Body returns the Markdown after the frontmatter.
func (f *File) Body() []byte { return f.Raw[f.Section.Body:] }

// IsSkill reports whether the file is a SKILL.md.
func (f *File) IsSkill() bool { return path.Base(f.Path) == SkillFile }

// Tree is everything Scan read, sorted by path.
type Tree struct {
	Files []*File
	Other []string // names that are not Markdown files, for the rules about them
}

// File returns the file at p, nil when there is none.
func (t *Tree) File(p string) *File {
	i, ok := slices.BinarySearchFunc(t.Files, p, func(f *File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return nil
	}
	return t.Files[i]
}

// Scan reads a catalog tree tolerantly. It returns what could be read and every
// structural problem, in the order of path, line, column and rule. The loader
// and the linter both start here, so they cannot disagree.
func Scan(fsys fs.FS) (*Tree, []Problem) {
	t := &Tree{}
	var problems []Problem
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			problems = append(problems, unreadable(p, err))
			return nil
		}
		if d.IsDir() {
			if p != "." && (d.Name() == "testdata" || d.Name() == ".git") {
				return fs.SkipDir
			}
			return nil
		}
		problems = append(problems, t.visit(fsys, p, d)...)
		return nil
	})
	if err != nil {
		problems = append(problems, unreadable(".", err))
	}
	slices.SortFunc(t.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	problems = append(problems, checkTree(t)...)
	sortProblems(problems)
	return t, problems
}

func (t *Tree) visit(fsys fs.FS, p string, d fs.DirEntry) []Problem {
	name := d.Name()
	if !strings.HasSuffix(strings.ToLower(name), ".md") {
		// The Go files that embed the content and editor droppings are not content.
		if !strings.HasSuffix(name, ".go") && name[0] != '.' && name[0] != '_' {
			t.Other = append(t.Other, p)
		}
		return nil
	}
	if !d.Type().IsRegular() {
		return []Problem{{Rule: "KL007", Severity: Error, Path: p, Line: 1, Column: 1, Message: "not a regular file; only regular files are embedded"}}
	}
	raw, err := fs.ReadFile(fsys, p)
	if err != nil {
		return []Problem{unreadable(p, err)}
	}
	f := &File{Path: p, Raw: raw}
	t.Files = append(t.Files, f)
	return f.read()
}

// read splits and parses the frontmatter.
func (f *File) read() []Problem {
	f.Section = Split(f.Raw)
	if !f.Section.Closed {
		if !f.Section.HasBlock {
			f.Section.Body = 0
		}
		return nil
	}
	f.Front = &Frontmatter{Block: f.Raw[f.Section.Start:f.Section.End], Start: f.Section.Start}
	node, problems := checkYAML(f)
	f.Front.Node = node
	return problems
}

func unreadable(p string, err error) Problem {
	// The path is already in the problem; the operating system's text repeats it.
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return Problem{Rule: "KL904", Severity: Error, Path: p, Line: 1, Column: 1, Message: fmt.Sprintf("cannot be read: %v", err)}
}

func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Rule, b.Rule))
	})
}
