package lint_test

import (
	"bytes"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kite-mcp/kite-mcp/internal/golden"
	"github.com/kite-mcp/kite-mcp/internal/lint"
)

// fixture is one testdata/<id>.txtar. Its files lie in cases, the first part of
// their path: cases named bad... must break the rule, cases named good... break
// none. A case whose name ends in -skills or -spec is checked with that profile,
// others as a catalog, over the files of base.txtar. Suffixes of a file name:
//
//	.quoted   lines of Go strings, each with an optional count before it
//	.symlink  the target of a symbolic link
//	.deleted  the file of base.txtar is not there
//
// The section CASE.want holds the report.
type fixture struct {
	path    string
	rule    string
	archive *txtar.Archive
	cases   map[string]fstest.MapFS
}

func loadFixtures(t *testing.T) []*fixture {
	t.Helper()
	base, err := txtar.ParseFile("testdata/base.txtar")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("testdata/KL*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var all []*fixture
	for _, p := range paths {
		archive, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{path: p, rule: strings.TrimSuffix(filepath.Base(p), ".txtar"), archive: archive, cases: map[string]fstest.MapFS{}}
		for _, file := range archive.Files {
			name, rest, ok := strings.Cut(file.Name, "/")
			if !ok {
				continue // a .want section
			}
			if f.cases[name] == nil {
				f.cases[name] = baseTree(base, name)
			}
			addFile(t, f.cases[name], rest, file.Data)
		}
		all = append(all, f)
	}
	return all
}

func baseTree(base *txtar.Archive, name string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, file := range base.Files {
		if file.Name != "index.md" || profileOf(name) == lint.Catalog {
			tree[file.Name] = &fstest.MapFile{Data: file.Data, Mode: 0o644}
		}
	}
	return tree
}

func addFile(t *testing.T, tree fstest.MapFS, name string, data []byte) {
	t.Helper()
	plain := name[:max(strings.LastIndexByte(name, '.'), 0)]
	switch filepath.Ext(name) {
	case ".deleted":
		delete(tree, plain)
	case ".symlink":
		tree[plain] = &fstest.MapFile{Data: bytes.TrimSpace(data), Mode: fs.ModeSymlink | 0o777}
	case ".quoted":
		tree[plain] = &fstest.MapFile{Data: unquote(t, data), Mode: 0o644}
	default:
		tree[name] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
}

func unquote(t *testing.T, data []byte) []byte {
	t.Helper()
	var out []byte
	for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		count := 1
		if number, rest, ok := strings.Cut(line, ` "`); ok && !strings.HasPrefix(line, `"`) {
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			count, line = n, `"`+rest
		}
		text, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, strings.Repeat(text, count)...)
	}
	return out
}

func profileOf(name string) lint.Profile {
	switch {
	case strings.HasSuffix(name, "-skills"):
		return lint.Skills
	case strings.HasSuffix(name, "-spec"):
		return lint.Spec
	}
	return lint.Catalog
}

// want returns the expected report of a case; under -update it stores got first.
func (f *fixture) want(t *testing.T, name, got string) string {
	t.Helper()
	section := name + ".want"
	i := slices.IndexFunc(f.archive.Files, func(file txtar.File) bool { return file.Name == section })
	if golden.Updating() {
		if i < 0 {
			f.archive.Files = append(f.archive.Files, txtar.File{Name: section})
			i = len(f.archive.Files) - 1
		}
		f.archive.Files[i].Data = []byte(got)
		if err := golden.Write(f.path, txtar.Format(f.archive)); err != nil {
			t.Fatal(err)
		}
	}
	if i < 0 {
		t.Fatalf("%s has no section %s; go test -update writes it", f.path, section)
	}
	return string(f.archive.Files[i].Data)
}

func (f *fixture) names() []string { return slices.Sorted(maps.Keys(f.cases)) }

// report runs lint over a tree, everything shown, and renders it as in a pipe,
// with help in brackets.
func report(t *testing.T, tree fs.FS, profile lint.Profile) (lint.Report, string) {
	t.Helper()
	rep, err := lint.Run(t.Context(), tree, lint.Options{Profile: profile, MinSeverity: lint.Info})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := lint.WriteHuman(&out, rep, lint.HumanOptions{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(out.String(), "\n")
	var text strings.Builder
	for i, f := range rep.Findings {
		text.WriteString(strings.TrimSuffix(lines[i], "\n"))
		if f.Help != "" {
			text.WriteString(" [" + f.Help + "]")
		}
		for _, r := range f.Related {
			text.WriteString(" {" + r.Path + ":" + strconv.Itoa(r.Range.Start.Line) + ":" + strconv.Itoa(r.Range.Start.Column) + " " + r.Message + "}")
		}
		text.WriteString("\n")
	}
	return rep, text.String()
}
