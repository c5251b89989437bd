package lint_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/lint"
)

// tree makes a file system of empty files.
func tree(paths string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for p := range strings.FieldsSeq(paths) {
		fsys[p] = &fstest.MapFile{Mode: 0o644}
	}
	return fsys
}

func TestFindRoot(t *testing.T) {
	t.Parallel()
	const repo = "docs/readme.md help/index.md help/orders/SKILL.md help/orders/prepare.md help/orders/deep/page.md " +
		"skills/a/SKILL.md skills/a/ref/x.md skills/b/skill.md plain/x.md two/one/index.md two/other/index.md code/x.go"
	tests := map[string]struct {
		paths   string
		name    string
		profile lint.Profile
		want    lint.Root
		err     error
	}{
		"folder with index.md":             {repo, "help", lint.Auto, lint.Root{Dir: "help", Profile: lint.Catalog}, nil},
		"zero profile is auto":             {repo, "help", "", lint.Root{Dir: "help", Profile: lint.Catalog}, nil},
		"index.md wins over SKILL.md":      {"index.md SKILL.md", ".", lint.Auto, lint.Root{Dir: ".", Profile: lint.Catalog}, nil},
		"profile overrides index.md":       {repo, "help", lint.Spec, lint.Root{Dir: "help", Profile: lint.Spec}, nil},
		"one subfolder holds the catalog":  {"p/content/index.md p/content/a/SKILL.md p/catalog.go", "p", lint.Auto, lint.Root{Dir: "p/content", Profile: lint.Catalog, Moved: true}, nil},
		"the same below the root":          {"content/index.md catalog.go", ".", lint.Auto, lint.Root{Dir: "content", Profile: lint.Catalog, Moved: true}, nil},
		"a skill outside the subfolder":    {"p/content/index.md p/other/SKILL.md", "p", lint.Auto, lint.Root{Dir: "p", Profile: lint.Skills}, nil},
		"two subfolders with index.md":     {repo, "two", lint.Auto, lint.Root{}, lint.ErrNothingToLint},
		"index.md two levels below":        {"p/a/b/index.md", "p", lint.Auto, lint.Root{}, lint.ErrNothingToLint},
		"folder of skills":                 {repo, "skills", lint.Auto, lint.Root{Dir: "skills", Profile: lint.Skills}, nil},
		"one skill":                        {repo, "skills/a", lint.Auto, lint.Root{Dir: "skills/a", Profile: lint.Skills}, nil},
		"a misspelled skill counts":        {repo, "skills/b", lint.Auto, lint.Root{Dir: "skills/b", Profile: lint.Skills}, nil},
		"Markdown without a skill":         {repo, "plain", lint.Auto, lint.Root{}, lint.ErrNothingToLint},
		"the same, asked for as a catalog": {repo, "plain", lint.Catalog, lint.Root{Dir: "plain", Profile: lint.Catalog}, nil},
		"no Markdown at all":               {repo, "code", lint.Catalog, lint.Root{}, lint.ErrNothingToLint},
		"skills of dependencies":           {"node_modules/x/SKILL.md vendor/y/SKILL.md .git/SKILL.md", ".", lint.Auto, lint.Root{}, lint.ErrNothingToLint},
		"dependencies asked for":           {"node_modules/x/SKILL.md", "node_modules", lint.Auto, lint.Root{Dir: "node_modules", Profile: lint.Skills}, nil},
		"page of a catalog":                {repo, "help/orders/prepare.md", lint.Auto, lint.Root{Dir: "help", Profile: lint.Catalog, File: "orders/prepare.md"}, nil},
		"page in a directory without one":  {repo, "help/orders/deep/page.md", lint.Auto, lint.Root{Dir: "help", Profile: lint.Catalog, File: "orders/deep/page.md"}, nil},
		"root page":                        {repo, "help/index.md", lint.Auto, lint.Root{Dir: "help", Profile: lint.Catalog, File: "index.md"}, nil},
		"nested index.md is a fault":       {"h/index.md h/a/index.md h/a/x.md", "h/a/x.md", lint.Auto, lint.Root{Dir: "h", Profile: lint.Catalog, File: "a/x.md"}, nil},
		"page of a catalog as a skill":     {repo, "help/orders/prepare.md", lint.Skills, lint.Root{Dir: "help/orders", Profile: lint.Skills, File: "prepare.md"}, nil},
		"page of a skill":                  {repo, "skills/a/ref/x.md", lint.Auto, lint.Root{Dir: "skills/a", Profile: lint.Skills, File: "ref/x.md"}, nil},
		"page at the top":                  {"index.md a.md", "a.md", lint.Auto, lint.Root{Dir: ".", Profile: lint.Catalog, File: "a.md"}, nil},
		"page of nothing":                  {repo, "docs/readme.md", lint.Auto, lint.Root{Dir: "docs", Profile: lint.Skills, File: "readme.md"}, nil},
		"path that is not there":           {repo, "gone", lint.Auto, lint.Root{}, fs.ErrNotExist},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := lint.FindRoot(tree(tt.paths), tt.name, tt.profile)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil && !lint.IsUsage(err) {
				t.Errorf("%v is the caller's mistake", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("root (-want +got):\n%s", diff)
			}
		})
	}
}
