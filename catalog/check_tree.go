package catalog

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxSummaryLength is the longest description that fits a listing of children,
// in code points.
const MaxSummaryLength = 200

// maxDepth is how many segments a key may have before readers get lost.
const maxDepth = 4

// segmentSyntax is how a part of a key is written.
var segmentSyntax = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// checkPage runs the catalog rules that need one file only.
func (r *report) checkPage() {
	f := r.file
	if f.Path == rootFile {
		return
	}
	summary, at := f.Title, span{f.Section.Body, f.Section.Body}
	description := f.Front.Field("description")
	if description != nil {
		at = r.span(description)
	}
	if text := oneLine(f.Front.Text("description")); text != "" {
		summary = text
	} else if !f.IsSkill() && description == nil && !r.hasError() { // broken frontmatter may hold one
		if f.Title == "" {
			r.add("KL208", Error, at, "recipe has neither a description nor a heading", "begin the file with frontmatter that holds a description")
		} else {
			r.add("KL208", Info, at, "recipe has no description; its heading stands in listings", "begin the file with frontmatter that holds a description")
		}
	}
	if n := utf8.RuneCountInString(summary); n > MaxSummaryLength {
		r.add("KL209", Warning, at, fmt.Sprintf("summary has %d characters; listings of children read badly above %d", n, MaxSummaryLength), "shorten it")
	}
}

// Check runs the rules that need more than one file. All files of the tree must
// have been read.
func (s *Scanner) Check(t *Tree) []Problem {
	if s.Skills {
		return nil
	}
	c := treeCheck{tree: t}
	c.root()
	c.paths()
	c.collisions()
	c.directories()
	c.names()
	return c.problems
}

type treeCheck struct {
	tree     *Tree
	problems []Problem
}

func (c *treeCheck) add(rule string, severity Severity, p, message, help string) *Problem {
	c.problems = append(c.problems, Problem{Rule: rule, Severity: severity, Path: p, Line: 1, Column: 1, Message: message, Help: help})
	return &c.problems[len(c.problems)-1]
}

func (c *treeCheck) root() {
	if c.tree.File(rootFile) == nil && !c.tree.hidden[rootFile] {
		c.add("KL200", Error, rootFile, "no index.md at the root of the catalog", "write one; it is the page of the key /")
	}
	if c.tree.File(SkillFile) != nil {
		c.add("KL201", Error, SkillFile, "the root of a catalog is no skill", "move it into a directory of its own")
	}
}

// paths runs the rules about one path.
func (c *treeCheck) paths() {
	badDirs := map[string]bool{}
	for _, f := range c.tree.Files {
		if f.Path == rootFile {
			continue
		}
		dir, base := path.Split(f.Path)
		if base == rootFile {
			c.add("KL210", Error, f.Path, "index.md below the root; a directory's page is its "+SkillFile, "rename it")
		}
		key := keyOf(f.Path)
		if n := len(key.String()); n > MaxKeyBytes {
			c.add("KL204", Error, f.Path, fmt.Sprintf("key has %d bytes, the limit is %d", n, MaxKeyBytes), "shorten the path")
		}
		if n := key.Depth(); n > maxDepth {
			c.add("KL211", Warning, f.Path, fmt.Sprintf("key has %d segments; more than %d are hard to find", n, maxDepth), "move it up")
		}
		if !f.IsSkill() {
			c.segment(f.Path, strings.TrimSuffix(base, ".md"))
		}
		for dir = strings.TrimSuffix(dir, "/"); dir != "" && dir != "."; dir = path.Dir(dir) {
			if !badDirs[dir] {
				badDirs[dir] = true // looked at once, at its first file
				c.segment(f.Path, path.Base(dir))
			}
		}
	}
}

func (c *treeCheck) segment(p, segment string) {
	if segmentSyntax.MatchString(segment) {
		return
	}
	help := "rename it"
	if name := kebab(segment); name != "" {
		help = "rename it to " + name
	}
	c.add("KL205", Error, p, quote(segment)+" cannot be part of a key: lower case letters, digits and single hyphens only", help)
}

// collisions reports files that share a key, or whose keys look the same to a
// person or a file system.
func (c *treeCheck) collisions() {
	taken := map[string]string{} // folded key to the file, or the directory with a slash
	reported := map[string]bool{}
	claim := func(folded, owner, file string) {
		earlier, ok := taken[folded]
		if !ok {
			taken[folded] = owner
			return
		}
		if earlier != owner && !reported[owner] {
			reported[owner] = true // a directory is claimed by each file in it
			p := c.add("KL203", Error, file, fmt.Sprintf("key %s is also that of %s", quote("/"+folded), earlier), "rename one of them")
			p.Related = []Related{{Path: earlier, Line: 1, Column: 1, Message: "the other page"}}
		}
	}
	for _, f := range c.tree.Files {
		if dir := path.Dir(f.Path); dir != "." {
			for up := dir; up != "."; up = path.Dir(up) {
				claim(foldKey(up), up+"/", f.Path)
			}
		}
		if !f.IsSkill() && f.Path != rootFile {
			claim(foldKey(strings.TrimSuffix(f.Path, ".md")), f.Path, f.Path)
		}
	}
}

func foldKey(p string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(p))) }

// directories runs the rules about topics.
func (c *treeCheck) directories() {
	pages := map[string]int{} // directory to the number of files in and below it, SKILL.md aside
	first := map[string]string{}
	for _, f := range c.tree.Files {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			if first[dir] == "" {
				first[dir] = f.Path
			}
			if !f.IsSkill() || path.Dir(f.Path) != dir {
				pages[dir]++
			}
		}
	}
	root := c.tree.File(rootFile)
	for _, dir := range slices.Sorted(maps.Keys(first)) {
		skill := dir + "/" + SkillFile
		topic := !strings.Contains(dir, "/")
		switch {
		case c.tree.File(skill) != nil:
			if pages[dir] == 0 {
				c.add("KL207", Warning, skill, "topic has no page below it", "add a recipe")
			}
		case c.tree.hidden[strings.ToLower(skill)]:
		case topic:
			c.add("KL206", Error, first[dir], fmt.Sprintf("topic %s has no %s", quote(dir), SkillFile), "write "+skill)
		default:
			c.add("KL206", Info, first[dir], fmt.Sprintf("directory %s has no %s; its page is generated", quote(dir), SkillFile), "")
		}
		if topic && root != nil && root.Raw != nil && !mentions(root.Body(), dir) {
			c.add("KL212", Warning, rootFile, fmt.Sprintf("topic %s is not named in index.md", quote("/"+dir)), "add a line for it")
		}
	}
}

// mentions reports whether a text names a topic as a key or links to its page.
func mentions(text []byte, topic string) bool {
	if bytes.Contains(text, []byte(topic+"/"+SkillFile)) {
		return true
	}
	for rest := text; ; {
		i := bytes.Index(rest, []byte("/"+topic))
		if i < 0 {
			return false
		}
		rest = rest[i+1+len(topic):]
		if len(rest) == 0 || rest[0] != '-' && !isLetter(rest[0]) && (rest[0] < '0' || rest[0] > '9') {
			return true
		}
	}
}

// names reports nested skills that carry the name of another one.
func (c *treeCheck) names() {
	owners := map[string]*File{}
	skills := slices.DeleteFunc(slices.Clone(c.tree.Files), func(f *File) bool { return !f.IsSkill() || f.name.Message == "" })
	// Outer skills keep their names; the nested one is the odd one out.
	slices.SortStableFunc(skills, func(a, b *File) int {
		return cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/"))
	})
	for _, f := range skills {
		other := owners[f.name.Message]
		if other == nil {
			owners[f.name.Message] = f
			continue
		}
		p := c.add("KL213", Warning, f.Path, fmt.Sprintf("name %s is also that of %s", quote(f.name.Message), other.Path), "hosts must tell them apart by path; rename one")
		p.Line, p.Column, p.Start, p.End = f.name.Line, f.name.Column, f.name.Start, f.name.End
		p.Related = []Related{other.name}
		p.Related[0].Message = "the other skill"
	}
}
