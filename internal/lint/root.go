package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Root is the directory to check for a path that a person named.
type Root struct {
	Dir     string  // inside the file system that was searched
	Profile Profile // never Auto
	File    string  // the named file below Dir; "" for a directory
	Moved   bool    // Dir is the one subfolder that holds the catalog
}

// FindRoot decides what lint means by a path. A folder with index.md is a
// catalog. Without it, the one direct subfolder that has an index.md is taken,
// if no SKILL.md lies outside it. Any other folder with a SKILL.md holds skills.
// A file belongs to the outermost catalog or skill around it; fsys must then
// include those folders. A profile other than Auto overrides what was found. The
// error is ErrNothingToLint, or tells why name cannot be read.
func FindRoot(fsys fs.FS, name string, profile Profile) (Root, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return Root{}, fmt.Errorf("lint: %w", err)
	}
	f := finder{fsys: fsys, profile: profile}
	if profile == "" {
		f.profile = Auto
	}
	if !info.IsDir() {
		return f.around(name), nil
	}
	root, ok := f.inside(name)
	if !ok {
		return Root{}, fmt.Errorf("%s: %w", name, ErrNothingToLint)
	}
	return root, nil
}

type finder struct {
	fsys    fs.FS
	profile Profile
}

func (f *finder) has(dir, name string) bool {
	info, err := fs.Stat(f.fsys, path.Join(dir, name))
	return err == nil && !info.IsDir()
}

// or returns the profile that was asked for, else the one that was found.
func (f *finder) or(found Profile) Profile {
	if f.profile != Auto {
		return f.profile
	}
	return found
}

func (f *finder) inside(dir string) (Root, bool) {
	if f.has(dir, "index.md") {
		return Root{Dir: dir, Profile: f.or(Catalog)}, true
	}
	if f.or(Catalog) == Catalog {
		if sub := f.onlyCatalog(dir); sub != "" {
			return Root{Dir: sub, Profile: Catalog, Moved: true}, true
		}
	}
	skills, markdown := f.contents(dir)
	switch {
	case f.profile == Catalog && markdown:
		return Root{Dir: dir, Profile: Catalog}, true
	case f.profile != Catalog && len(skills) > 0:
		return Root{Dir: dir, Profile: f.or(Skills)}, true
	}
	return Root{}, false
}

// onlyCatalog returns the direct subfolder with an index.md, if it is the only
// one and all skills lie in it.
func (f *finder) onlyCatalog(dir string) (sub string) {
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if p := path.Join(dir, e.Name()); e.IsDir() && f.has(p, "index.md") {
			if sub != "" {
				return ""
			}
			sub = p
		}
	}
	skills, _ := f.contents(dir)
	for _, s := range skills {
		if !strings.HasPrefix(s, sub+"/") {
			return ""
		}
	}
	return sub
}

// contents lists the files that are, or were meant as, a SKILL.md.
func (f *finder) contents(dir string) (skills []string, markdown bool) {
	// Folders that cannot be read are reported by the run itself.
	_ = fs.WalkDir(f.fsys, dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // see above
		case d.IsDir():
			if name := d.Name(); p != dir && (name == ".git" || name == "node_modules" || name == "vendor" || name == "testdata") {
				return fs.SkipDir
			}
		case strings.EqualFold(d.Name(), catalog.SkillFile):
			skills = append(skills, p)
			markdown = true
		case path.Ext(p) == ".md":
			markdown = true
		}
		return nil
	})
	return skills, markdown
}

// around finds the root of a single file: the outermost folder that marks a
// catalog or a skill. One folder without a mark may lie between, as a topic
// whose page is generated does.
func (f *finder) around(file string) Root {
	start := path.Dir(file)
	catalogDir, skillDir := "", ""
	for dir, bare := start, 0; bare <= 1; dir = path.Dir(dir) {
		bare++
		if f.has(dir, catalog.SkillFile) {
			skillDir, bare = dir, 0
		}
		if f.has(dir, "index.md") {
			catalogDir, bare = dir, 0
		}
		if dir == "." {
			break
		}
	}
	root := Root{Dir: start, Profile: f.or(Skills)}
	switch {
	case catalogDir != "" && f.or(Catalog) == Catalog:
		root = Root{Dir: catalogDir, Profile: Catalog}
	case skillDir != "" && f.profile != Catalog:
		root.Dir = skillDir
	}
	root.File = strings.TrimPrefix(strings.TrimPrefix(file, root.Dir), "/")
	if root.Dir == "." {
		root.File = file
	}
	return root
}

// IsUsage reports whether an error of FindRoot or Run is the caller's mistake (a
// path or an option) and not a failure of the run.
func IsUsage(err error) bool {
	if _, ok := errors.AsType[*OptionError](err); ok {
		return true
	}
	return errors.Is(err, ErrNothingToLint) || errors.Is(err, fs.ErrNotExist)
}
