package lint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/lint"
)

// brokenSkills is a folder of skills with one finding of each severity.
func brokenSkills() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o644} }
	return fstest.MapFS{
		"one/SKILL.md":   file("---\nname: one\ndescription: The first.\nversion: \"1\"\n---\n\n# One\n\n[two](two.md)\n"),
		"one/two.md":     file("# Two\n\n[gone](gone.md)\n"),
		"three/SKILL.md": file("---\nname: three\ndescription: The third.\n---\n\n# Three\n\n"),
		"README.md":      file("[gone](gone.md)\n"),
	}
}

// places lists findings as PATH RULE.
func places(rep lint.Report) []string {
	out := []string{}
	for _, f := range rep.Findings {
		out = append(out, f.Path+" "+f.Rule)
	}
	return out
}

func TestOptions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		opts   lint.Options
		want   []string
		failed bool
	}{
		"zero value":               {lint.Options{}, []string{"one/SKILL.md KL140", "one/two.md KL300"}, true},
		"milder severity":          {lint.Options{MinSeverity: lint.Info}, []string{"one/SKILL.md KL140", "one/two.md KL300", "three/SKILL.md KL008"}, true},
		"errors only":              {lint.Options{MinSeverity: lint.Error}, []string{"one/two.md KL300"}, true},
		"only one rule":            {lint.Options{Only: []string{"unknown-key"}}, []string{"one/SKILL.md KL140"}, false},
		"only, by id in any case":  {lint.Options{Only: []string{"kl300"}}, []string{"one/two.md KL300"}, true},
		"fail on warnings":         {lint.Options{Only: []string{"KL140"}, FailOn: lint.Warning}, []string{"one/SKILL.md KL140"}, true},
		"fail on what is hidden":   {lint.Options{Only: []string{"KL008"}, FailOn: lint.Info}, []string{}, true},
		"never fail":               {lint.Options{FailOn: lint.Never}, []string{"one/SKILL.md KL140", "one/two.md KL300"}, false},
		"rule switched off":        {lint.Options{Severities: map[string]lint.Severity{"link-missing": lint.Off}}, []string{"one/SKILL.md KL140"}, false},
		"rule made stricter":       {lint.Options{Severities: map[string]lint.Severity{"KL008": lint.Warning}}, []string{"one/SKILL.md KL140", "one/two.md KL300", "three/SKILL.md KL008"}, true},
		"spec is stricter":         {lint.Options{Profile: lint.Spec, MinSeverity: lint.Error}, []string{"one/SKILL.md KL140", "one/two.md KL300"}, true},
		"override outside of only": {lint.Options{Only: []string{"KL140"}, Severities: map[string]lint.Severity{"KL300": lint.Error}}, []string{"one/SKILL.md KL140"}, false},
		"ignored name":             {lint.Options{Ignore: []string{"two.md"}}, []string{"one/SKILL.md KL140"}, false},
		"ignored folder":           {lint.Options{Ignore: []string{"one/"}}, []string{}, false},
		"ignored path":             {lint.Options{Ignore: []string{"*/SKILL.md", "x/*"}}, []string{}, false},
		"one file":                 {lint.Options{Files: []string{"one/two.md"}}, []string{"one/two.md KL300"}, true},
		"prefix":                   {lint.Options{PathPrefix: "repo:", MinSeverity: lint.Error}, []string{"repo:one/two.md KL300"}, true},
		"small files only":         {lint.Options{MaxFileBytes: 30, Only: []string{"KL006", "KL300"}, Ignore: []string{"three"}}, []string{"one/SKILL.md KL006", "one/two.md KL300"}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep, err := lint.Run(t.Context(), brokenSkills(), tt.opts)
			if err != nil && !errors.Is(err, lint.ErrNothingToLint) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, places(rep)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if rep.Failed != tt.failed {
				t.Errorf("failed %t, want %t", rep.Failed, tt.failed)
			}
			if n := rep.Counts.Error + rep.Counts.Warning + rep.Counts.Info; n != len(rep.Findings) {
				t.Errorf("counts %+v for %d findings", rep.Counts, len(rep.Findings))
			}
		})
	}
}

func TestOptionErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		opts lint.Options
		want string
	}{
		"unknown rule in only":  {lint.Options{Only: []string{"link-mising"}}, `"link-mising": no such rule; did you mean link-missing?`},
		"unknown rule severity": {lint.Options{Severities: map[string]lint.Severity{"KL999": lint.Off}}, `"KL999": no such rule`},
		"bad severity":          {lint.Options{Severities: map[string]lint.Severity{"KL300": lint.Never}}, `"never": a rule is off, info, warning or error`},
		"bad glob":              {lint.Options{Ignore: []string{"[a"}}, `"[a": not a glob`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := lint.Run(t.Context(), brokenSkills(), tt.opts)
			if err == nil || err.Error() != tt.want || !lint.IsUsage(err) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := lint.ParseSeverity("fatal"); !lint.IsUsage(err) {
		t.Errorf("severity fatal: %v", err)
	}
	if _, err := lint.ParseProfile("strict"); !lint.IsUsage(err) {
		t.Errorf("profile strict: %v", err)
	}
	if got, err := lint.ParseSeverity("warning"); got != lint.Warning || err != nil {
		t.Errorf("severity warning: %v %v", got, err)
	}
}

func TestRootNameIsTheDirectoryOfATopSkill(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"SKILL.md": {Data: []byte("---\nname: orders\ndescription: Read orders.\n---\n\n# Orders\n")}}
	for root, want := range map[string][]string{"": {}, "orders": {}, "holdings": {"SKILL.md KL115"}} {
		rep, err := lint.Run(t.Context(), fsys, lint.Options{RootName: root})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, places(rep)); diff != "" {
			t.Errorf("root %q (-want +got):\n%s", root, diff)
		}
	}
}

func TestNothingToLint(t *testing.T) {
	t.Parallel()
	rep, err := lint.Run(t.Context(), fstest.MapFS{"x.go": {}}, lint.Options{})
	if !errors.Is(err, lint.ErrNothingToLint) || rep.Findings == nil {
		t.Errorf("report %+v, error %v", rep, err)
	}
}

// The pages that ship have no finding at all.
func TestEmbeddedCatalogIsClean(t *testing.T) {
	t.Parallel()
	rep, text := report(t, catalog.Embedded(), lint.Auto)
	if len(rep.Findings) > 0 {
		t.Errorf("embedded catalog:\n%s", text)
	}
	if rep.Profile != lint.Catalog || rep.Files < 20 || rep.Skills < 7 {
		t.Errorf("checked %d files and %d skills as %s", rep.Files, rep.Skills, rep.Profile)
	}
}

func TestSameBytesAtAnyNumberOfJobs(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{}
	for _, f := range loadFixtures(t) {
		for _, name := range f.names() {
			for p, file := range f.cases[name] {
				fsys[f.rule+"-"+name+"/"+p] = file
			}
		}
	}
	var want string
	for _, jobs := range []int{1, 2, 8} {
		rep, err := lint.Run(t.Context(), fsys, lint.Options{Jobs: jobs, MinSeverity: lint.Info})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := lint.WriteJSON(&out, rep, lint.JSONOptions{}); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = out.String()
		}
		if out.String() != want {
			t.Errorf("report differs at %d jobs", jobs)
		}
	}
	if strings.Count(want, `"rule"`) < 100 {
		t.Error("the tree of all fixtures has too few findings to prove anything")
	}
}

// unreadable refuses to open some files and to list some directories.
type unreadable struct {
	fstest.MapFS
	names map[string]bool
}

func (u unreadable) Open(name string) (fs.File, error) {
	if u.names[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.MapFS.Open(name)
}

func (u unreadable) ReadDir(name string) ([]fs.DirEntry, error) {
	if u.names[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.MapFS.ReadDir(name)
}

func TestUnreadableFilesDoNotStopTheRun(t *testing.T) {
	t.Parallel()
	fsys := unreadable{brokenSkills(), map[string]bool{"one/SKILL.md": true, "three": true}}
	rep, err := lint.Run(t.Context(), fsys, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"one/SKILL.md KL904", "one/two.md KL300", "three KL904"}
	if diff := cmp.Diff(want, places(rep)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if rep.Unreadable != 2 || !rep.Failed {
		t.Errorf("unreadable %d, failed %t", rep.Unreadable, rep.Failed)
	}
	if got := rep.Findings[0].Message; got != "cannot be read: permission denied" {
		t.Errorf("message %q", got)
	}
}

func TestCancelledRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lint.Run(ctx, brokenSkills(), lint.Options{}); !errors.Is(err, context.Canceled) || lint.IsUsage(err) {
		t.Errorf("error %v, want one that wraps context.Canceled", err)
	}
}

// A fingerprint stays when lines are added above, and differs between equal
// lines.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	prints := func(body string) []string {
		fsys := fstest.MapFS{"a/SKILL.md": {Data: []byte("---\nname: a\ndescription: A.\n---\n\n" + body)}}
		rep, err := lint.Run(t.Context(), fsys, lint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, f := range rep.Findings {
			out = append(out, f.Fingerprint)
		}
		return out
	}
	before := prints("[x](gone.md)\n\n[x](gone.md)\n")
	if len(before) != 2 || before[0] == before[1] || len(before[0]) != 64 {
		t.Fatalf("fingerprints %v", before)
	}
	if diff := cmp.Diff(before, prints("# New\n\ntext\n\n  [x](gone.md)\n\n[x](gone.md)\n")); diff != "" {
		t.Errorf("after adding lines (-before +after):\n%s", diff)
	}
}

func TestRuleTable(t *testing.T) {
	t.Parallel()
	ids, slugs, last := map[string]bool{}, map[string]bool{}, ""
	for _, r := range lint.Rules() {
		if ids[r.ID] || slugs[r.Slug] {
			t.Errorf("%s %s is there twice", r.ID, r.Slug)
		}
		ids[r.ID], slugs[r.Slug] = true, true
		if len(r.ID) != 5 || !strings.HasPrefix(r.ID, "KL") || r.ID <= last {
			t.Errorf("%s after %s: ids are KL and three digits, in order", r.ID, last)
		}
		last = r.ID
		if !strings.HasSuffix(r.Doc, ".") || strings.Contains(r.Doc, "\n") {
			t.Errorf("%s: the text is one paragraph of sentences: %q", r.ID, r.Doc)
		}
		if r.Severity == (lint.Severities{}) {
			t.Errorf("%s is off everywhere", r.ID)
		}
		for _, name := range []string{r.ID, r.Slug, strings.ToLower(r.ID)} {
			if found, ok := lint.FindRule(name); !ok || found.ID != r.ID {
				t.Errorf("FindRule(%q) = %s, %t", name, found.ID, ok)
			}
		}
	}
	if _, ok := lint.FindRule("KL000"); ok {
		t.Error("KL000 exists")
	}
}

// BenchmarkRun has two budgets: 50 ms for the embedded catalog, and 5,000 files
// a second, which is 0.2 ms per file, on two idle cores.
func BenchmarkRun(b *testing.B) {
	generated := fstest.MapFS{}
	page := strings.Repeat("Some text with `code`, *emphasis* and a [link](SKILL.md#skill).\n\n## A heading\n\n", 30)
	for i := range 500 {
		dir := fmt.Sprintf("skill-%d/", i)
		generated[dir+"SKILL.md"] = &fstest.MapFile{Data: fmt.Appendf(nil, "---\nname: skill-%d\ndescription: One of many.\n---\n\n# Skill\n\n[page](page.md)\n", i)}
		generated[dir+"page.md"] = &fstest.MapFile{Data: []byte(page)}
	}
	for name, fsys := range map[string]fs.FS{"embedded": catalog.Embedded(), "1000 files": generated} {
		b.Run(name, func(b *testing.B) {
			files := 0
			for b.Loop() {
				rep, err := lint.Run(b.Context(), fsys, lint.Options{})
				if err != nil || len(rep.Findings) > 0 {
					b.Fatal(rep.Findings, err)
				}
				files += rep.Files
			}
			b.ReportMetric(float64(files)/b.Elapsed().Seconds(), "files/s")
		})
	}
}

// TestFilesAreCounted: the total is never below the files with findings, and a
// named file that is no Markdown is nothing to lint.
func TestFilesAreCounted(t *testing.T) {
	t.Parallel()
	tree := brokenSkills()
	tree["one/link.md"] = &fstest.MapFile{Data: []byte("two.md"), Mode: fs.ModeSymlink | 0o777}
	tree["notes.txt"] = &fstest.MapFile{Data: []byte("x"), Mode: 0o644}
	for name, tt := range map[string]struct {
		opts  lint.Options
		files int
		err   error
	}{
		"all":               {lint.Options{MinSeverity: lint.Info}, 4, nil},
		"one":               {lint.Options{Files: []string{"one/two.md"}}, 1, nil},
		"one without fault": {lint.Options{Files: []string{"three/SKILL.md"}}, 1, nil},
		"one link":          {lint.Options{Files: []string{"one/link.md"}, MinSeverity: lint.Info}, 1, nil},
		"no Markdown":       {lint.Options{Files: []string{"notes.txt"}}, 0, lint.ErrNothingToLint},
	} {
		rep, err := lint.Run(t.Context(), tree, tt.opts)
		if !errors.Is(err, tt.err) || rep.Files != tt.files {
			t.Errorf("%s: %d files, error %v; want %d, %v", name, rep.Files, err, tt.files, tt.err)
		}
		paths := map[string]bool{}
		for _, f := range rep.Findings {
			paths[f.Path] = true
		}
		if len(paths) > rep.Files {
			t.Errorf("%s: findings in %d of %d files", name, len(paths), rep.Files)
		}
	}
}
