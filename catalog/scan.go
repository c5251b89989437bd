package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// File is one scanned Markdown file.
type File struct {
	Path    string // slash separated, inside the tree
	Raw     []byte // nil when the file could not be read or is too large
	Size    int64
	Section Section
	Front   *Frontmatter // nil when the file has no complete block
	Title   string       // first heading of the body, "" when there is none

	name Related // where the frontmatter says its name, which Message holds
}

// Body returns the Markdown after the frontmatter.
func (f *File) Body() []byte { return f.Raw[min(f.Section.Body, len(f.Raw)):] }

// IsSkill reports whether the file is a SKILL.md.
func (f *File) IsSkill() bool { return path.Base(f.Path) == SkillFile }

// Tree is everything Scan read, sorted by path.
type Tree struct {
	Files []*File
	Other []string // files that are not read: not Markdown, ignored, or in no skill

	hidden map[string]bool // SKILL.md paths, in lower case, that exist in a form another rule reports
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
	var s Scanner
	t, problems := s.List(fsys)
	for _, f := range t.Files {
		problems = append(problems, s.Read(fsys, f)...)
	}
	problems = append(problems, s.Check(t)...)
	sortProblems(problems)
	return t, problems
}

// Scanner is Scan in three steps, for callers that read many files at once: List,
// then Read for each file, in any order and on any goroutine, then Check. The
// zero value scans a catalog as Load does. Severities are those of a catalog.
type Scanner struct {
	// Skills scans any folder of skills instead of a catalog: every SKILL.md and
	// the Markdown below its directory. There is no root page and no key.
	Skills bool
	// RootName is the name of the scanned directory. A SKILL.md at the top of a
	// folder of skills must carry it; "" skips that test.
	RootName string
	// MaxFileBytes is the largest file that is parsed; 0 means MaxFileBytes.
	MaxFileBytes int64
	// Ignore, if set, names paths that are not scanned. Links may lead to them.
	Ignore func(path string) bool
}

// Limits of a file's size, in bytes.
const (
	MaxFileBytes   = 1 << 20  // larger ones are not parsed
	LargeFileBytes = 64 << 10 // larger ones are reported: one read returns it all
)

// Read reads and checks one file of the tree. It changes f only.
func (s *Scanner) Read(fsys fs.FS, f *File) []Problem {
	limit := s.MaxFileBytes
	if limit <= 0 {
		limit = MaxFileBytes
	}
	raw, size, err := readFile(fsys, f.Path, limit)
	if err != nil {
		return []Problem{unreadable(f.Path, err)}
	}
	f.Raw, f.Size = raw, size
	r := &report{file: f, skills: s.Skills}
	if size > limit {
		f.Raw = nil
		r.add("KL006", Error, span{}, fmt.Sprintf("file is larger than %d bytes and is not parsed", limit), "split the page")
		return r.problems
	}
	clean := r.checkBytes()
	f.split()
	if !s.Skills || f.IsSkill() {
		r.checkSection(clean)
		r.checkFields(s.parentName(f.Path))
	} else if !f.Section.Closed {
		f.Section.Body = 0 // a page beside a skill may open with a thematic break
	}
	f.Title = firstHeading(f.Body())
	if !s.Skills {
		r.checkPage()
	}
	return r.problems
}

// parentName returns the name of the directory that holds p.
func (s *Scanner) parentName(p string) string {
	if dir := path.Dir(p); dir != "." {
		return path.Base(dir)
	}
	return s.RootName
}

// Forget drops the bytes of a file that was read, except the root page's, in
// which Check looks for the topics.
func (f *File) Forget() {
	if f.Path == rootFile {
		return
	}
	f.Raw = nil
	if f.Front != nil {
		f.Front.Block = nil
	}
}

// split finds the frontmatter. A byte order mark hides it from other readers,
// which KL002 reports; looking behind it finds the file's other faults too.
func (f *File) split() {
	mark := 0
	if bytes.HasPrefix(f.Raw, byteOrderMark) {
		mark = len(byteOrderMark)
	}
	f.Section = Split(f.Raw[mark:])
	f.Section.Start += mark
	f.Section.End += mark
	f.Section.Body += mark
	if f.Section.Closed {
		f.Front = &Frontmatter{Block: f.Raw[f.Section.Start:f.Section.End], Start: f.Section.Start}
	}
}

// readFile returns at most one byte more than the limit.
func readFile(fsys fs.FS, p string, limit int64) (raw []byte, size int64, err error) {
	file, err := fsys.Open(p)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	if info.Size() > limit {
		return nil, info.Size(), nil
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(file, limit+1)); err != nil {
		return nil, 0, err
	}
	return b.Bytes(), int64(b.Len()), nil
}

func unreadable(p string, err error) Problem {
	// The path is already in the problem; the operating system's text repeats it.
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return Problem{Rule: "KL904", Severity: Error, Path: p, Line: 1, Column: 1, Message: fmt.Sprintf("cannot be read: %v", err)}
}
