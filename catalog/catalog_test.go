package catalog_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// files makes a tree of path and content pairs.
func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for pair := range slices.Chunk(pairs, 2) {
		fsys[pair[0]] = &fstest.MapFile{Data: []byte(pair[1]), Mode: 0o644}
	}
	return fsys
}

const (
	rootPage = "# Help\n\nWelcome: `/orders`, `/trades`.\n"
	orders   = "---\nname: orders\ndescription: Read today's orders.\n---\n\n# Today's orders\n\nInstructions.\n"
	prepare  = "---\ndescription: >-\n  Prepare an order\n  for approval.\n---\n\n# Prepare\n\n1. Ask.\n"
)

// nested has a skill in a skill, and a supporting directory without a page.
func nested() fstest.MapFS {
	return files(
		"index.md", rootPage,
		"orders/SKILL.md", orders,
		"orders/prepare.md", prepare,
		"orders/deep/SKILL.md", "---\nname: deep\ndescription: A nested skill.\n---\n\n# Deep\n",
		"orders/deep/more.md", "# Only a heading\n",
		"orders/support/tables/fees.md", "---\ndescription: Fees.\n---\n\nText.\n",
		"trades/SKILL.md", "---\nname: trades\ndescription: Read trades.\n---\n\n# Trades\n",
		"trades/list.md", "---\ndescription: List trades.\n---\n\n# List\n",
	)
}

func load(tb testing.TB, fsys fs.FS) *catalog.Catalog {
	tb.Helper()
	c, err := catalog.Load(fsys)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func key(tb testing.TB, s string) catalog.Key {
	tb.Helper()
	k, err := catalog.ParseKey(s)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// The tree of the requirements, which the shipped pages must at least hold.
func TestEmbeddedKeyTree(t *testing.T) {
	t.Parallel()
	const want = `/orders
/orders/margin-check
/orders/prepare
/orders/reconcile
/holdings
/holdings/concentration
/holdings/positions
/market-data
/market-data/resolve
/technical-analysis
/technical-analysis/moving-averages
/technical-analysis/rsi
/triggers-and-alerts
/triggers-and-alerts/audit
/daily-review
/daily-review/account-briefing
/troubleshooting
/troubleshooting/authentication
/troubleshooting/data
/troubleshooting/execution`
	c := load(t, catalog.Embedded())
	for want := range strings.SplitSeq(want, "\n") {
		if _, err := c.Page(key(t, want)); err != nil {
			t.Error(err)
		}
	}
	skills := 0
	for _, k := range c.Keys() {
		p, err := c.Page(k)
		if err != nil {
			t.Fatal(err)
		}
		kind := catalog.Recipe
		switch path.Base(p.Path) {
		case "index.md":
			kind = catalog.Root
		case "SKILL.md":
			kind = catalog.Category
			skills++
		}
		if p.Kind != kind || p.Title == "" || p.Description == "" || p.Generated() {
			t.Errorf("%s: kind %s, title %q, description %q, generated %t", k, p.Kind, p.Title, p.Description, p.Generated())
		}
	}
	if n := len(c.Skills()); n != skills {
		t.Errorf("%d skills, want one for each SKILL.md: %d", n, skills)
	}
}

// embed has no pattern for "all Markdown below": the first page at a new depth
// needs a new one.
func TestEmbedMatchesDisk(t *testing.T) {
	t.Parallel()
	disk := markdown(t, os.DirFS("."))
	binary := markdown(t, catalog.Embedded())
	for p := range disk {
		if _, ok := binary[p]; !ok {
			pattern := strings.Repeat("*/", strings.Count(p, "/")) + "*.md"
			t.Errorf("%s is not in the binary; add the pattern %s to the go:embed line in catalog/embed.go", p, pattern)
		}
	}
	if diff := cmp.Diff(disk, binary); diff != "" && !t.Failed() {
		t.Errorf("disk and binary differ (-disk +binary):\n%s", diff)
	}
}

func markdown(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if path.Ext(p) == ".md" {
			raw, err := fs.ReadFile(fsys, p)
			if err != nil {
				return err
			}
			found[p] = string(raw)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A nested skill's files belong to it and to every skill around it. Pages that
// were made for directories belong to none.
func TestManifests(t *testing.T) {
	t.Parallel()
	fsys := nested()
	c := load(t, fsys)
	want := map[string][]string{
		"skill://orders/SKILL.md": {
			"skill://orders/SKILL.md", "skill://orders/deep/SKILL.md", "skill://orders/deep/more.md",
			"skill://orders/prepare.md", "skill://orders/support/tables/fees.md",
		},
		"skill://orders/deep/SKILL.md": {"skill://orders/deep/SKILL.md", "skill://orders/deep/more.md"},
		"skill://trades/SKILL.md":      {"skill://trades/SKILL.md", "skill://trades/list.md"},
	}
	got := map[string][]string{}
	var order []string
	for _, s := range c.Skills() {
		order = append(order, s.URI)
		for _, e := range s.Resources {
			got[s.URI] = append(got[s.URI], e.URI)
			raw := fsys[strings.TrimPrefix(e.URI, catalog.Scheme)].Data
			sum := sha256.Sum256(raw)
			if e.Size != int64(len(raw)) || e.Digest != "sha256:"+hex.EncodeToString(sum[:]) {
				t.Errorf("%s in %s: size %d, digest %s", e.URI, s.URI, e.Size, e.Digest)
			}
		}
		if c.Skill(s.URI) != s {
			t.Errorf("Skill(%s) is another entry than the listed one", s.URI)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("manifests (-want +got):\n%s", diff)
	}
	if !slices.IsSorted(order) {
		t.Errorf("skills are not sorted: %v", order)
	}
	for _, uri := range []string{"", "skill://orders", "skill://orders/prepare.md", "/orders", "skill://orders/support/SKILL.md", "skill://ORDERS/SKILL.md"} {
		if s := c.Skill(uri); s != nil {
			t.Errorf("Skill(%q) = %s", uri, s.URI)
		}
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	c := load(t, nested())
	var uris []string
	for _, r := range c.Resources() {
		uris = append(uris, r.URI)
		if c.Resource(r.URI) != r || string(r.Raw) != string(nested()[r.Path].Data) {
			t.Errorf("%s: other bytes than the file's", r.URI)
		}
	}
	want := []string{
		"skill://orders/SKILL.md", "skill://orders/deep/SKILL.md", "skill://orders/deep/more.md", "skill://orders/prepare.md",
		"skill://orders/support/tables/fees.md", "skill://trades/SKILL.md", "skill://trades/list.md",
	}
	if diff := cmp.Diff(want, uris); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	type named struct{ Name, Description string }
	for uri, want := range map[string]named{
		"skill://orders/SKILL.md":     {"orders", "Read today's orders."},
		"skill://orders/prepare.md":   {"prepare.md", "Prepare an order for approval."},
		"skill://orders/deep/more.md": {"more.md", "Only a heading"},
	} {
		if got := (named{c.Resource(uri).Name, c.Resource(uri).Description}); got != want {
			t.Errorf("%s is %+v, want %+v", uri, got, want)
		}
	}
	for _, uri := range []string{"skill://index.md", "index.md", "skill://orders/", "skill://orders/support", "skill://orders/%70repare.md"} {
		if r := c.Resource(uri); r != nil {
			t.Errorf("Resource(%q) = %s", uri, r.Path)
		}
	}
}

// Reading accepts CRLF; what is served stays as it is on disk.
func TestLineEndingsArePreserved(t *testing.T) {
	t.Parallel()
	lf, mixed := nested(), nested()
	for p, f := range mixed {
		f.Data = bytes.ReplaceAll(f.Data, []byte("\n"), []byte("\r\n"))
		mixed[p] = f
	}
	a, b := load(t, lf), load(t, mixed)
	if diff := cmp.Diff(keyStrings(a), keyStrings(b)); diff != "" {
		t.Errorf("keys (-LF +CRLF):\n%s", diff)
	}
	for i, s := range a.Skills() {
		other := b.Skills()[i]
		if !bytes.Equal(s.Frontmatter, other.Frontmatter) || s.Description != other.Description {
			t.Errorf("%s: frontmatter %s with LF, %s with CRLF", s.URI, s.Frontmatter, other.Frontmatter)
		}
		for j, e := range s.Resources {
			if o := other.Resources[j]; e.URI != o.URI || e.Size >= o.Size || e.Digest == o.Digest {
				t.Errorf("%s: %+v with LF, %+v with CRLF", s.URI, e, o)
			}
		}
	}
	for _, k := range a.Keys() {
		p, _ := a.Page(k)
		o, _ := b.Page(k)
		if p.Title != o.Title || p.Description != o.Description || p.Kind != o.Kind {
			t.Errorf("%s: %q %q with LF, %q %q with CRLF", k, p.Title, p.Description, o.Title, o.Description)
		}
	}
	if a.Digest() == b.Digest() {
		t.Error("catalogs with other bytes have one digest")
	}
}

func keyStrings(c *catalog.Catalog) []string {
	var out []string
	for _, k := range c.Keys() {
		out = append(out, k.String())
	}
	return out
}

func TestDigest(t *testing.T) {
	t.Parallel()
	base := load(t, nested()).Digest()
	if !strings.HasPrefix(base, "sha256:") || len(base) != len("sha256:")+64 {
		t.Errorf("digest %q", base)
	}
	if again := load(t, nested()).Digest(); again != base {
		t.Error("equal trees have different digests")
	}
	changes := map[string]func(fstest.MapFS){
		"root page": func(f fstest.MapFS) { f["index.md"].Data = append(f["index.md"].Data, ' ') },
		"recipe":    func(f fstest.MapFS) { f["trades/list.md"].Data = append(f["trades/list.md"].Data, ' ') },
		"name":      func(f fstest.MapFS) { f["trades/all.md"] = f["trades/list.md"]; delete(f, "trades/list.md") },
	}
	for name, change := range changes {
		fsys := nested()
		change(fsys)
		if load(t, fsys).Digest() == base {
			t.Errorf("change of the %s is not in the digest", name)
		}
	}
}

// A broken tree is refused with every problem, each with its place.
func TestLoadListsEveryProblem(t *testing.T) {
	t.Parallel()
	fsys := nested()
	fsys["orders/SKILL.md"].Data = []byte("---\nname: Orders\ndescription: Use when: asked\n---\n")
	fsys["trades/SKILL.md"].Data = []byte("# No frontmatter\n")
	fsys["orders/chart.png"] = &fstest.MapFile{}
	delete(fsys, "index.md")
	_, err := catalog.Load(fsys)
	broken, ok := errors.AsType[*catalog.ProblemsError](err)
	if !ok {
		t.Fatalf("error %v, want a *ProblemsError", err)
	}
	want := []string{
		"index.md:1:1 KL200", "orders/SKILL.md:3:22 KL103", "orders/chart.png:1:1 KL202", "trades/SKILL.md:1:1 KL100",
	}
	for _, w := range want {
		place, rule, _ := strings.Cut(w, " ")
		if !strings.Contains(broken.Error(), "\n"+place+": error "+rule+": ") {
			t.Errorf("%s is not reported in:\n%v", w, broken)
		}
	}
	if n := strings.Count(broken.Error(), "\n"); n != len(want) {
		t.Errorf("%d lines, want %d:\n%v", n, len(want), broken)
	}
}

func TestLoadAcceptsMilderProblems(t *testing.T) {
	t.Parallel()
	fsys := nested() // notes a recipe without description and generated pages
	_, problems := catalog.Scan(fsys)
	if len(problems) == 0 {
		t.Error("the tree has no problem to accept")
	}
	load(t, fsys)
}

func TestSkillJSON(t *testing.T) {
	t.Parallel()
	c := load(t, files("index.md", "`/a`\n", "a/b.md", "# B\n", "a/SKILL.md", `---
# comments are no content
name: a
description: "Quotes \" <b> & \u2028"
license: 2026-01-01
compatibility: yes
metadata:
  version: "1.0"
  empty: ""
allowed-tools: Read
---
`))
	got, err := json.Marshal(c.Skills()[0])
	if err != nil {
		t.Fatal(err)
	}
	var entry struct {
		URI         string          `json:"uri"`
		Frontmatter json.RawMessage `json:"frontmatter"`
		Resources   []map[string]any
	}
	if err := json.Unmarshal(got, &entry); err != nil {
		t.Fatal(err)
	}
	if entry.URI != "skill://a/SKILL.md" || len(entry.Resources) != 2 {
		t.Errorf("entry %s", got)
	}
	var front map[string]any
	if err := json.Unmarshal(entry.Frontmatter, &front); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "a", "description": "Quotes \" <b> & \u2028", "license": "2026-01-01", "compatibility": "yes",
		"metadata": map[string]any{"version": "1.0", "empty": ""}, "allowed-tools": "Read",
	}
	if diff := cmp.Diff(want, front); diff != "" {
		t.Errorf("frontmatter (-want +got):\n%s", diff)
	}
	if s := string(c.Skills()[0].Frontmatter); !strings.HasPrefix(s, `{"name":"a","description":`) {
		t.Errorf("keys are not in the order of the file: %s", s)
	}
}

func TestPageAt(t *testing.T) {
	t.Parallel()
	c := load(t, nested())
	for file, want := range map[string]string{"index.md": "/", "orders/SKILL.md": "/orders", "orders/deep/more.md": "/orders/deep/more"} {
		if p := c.PageAt(file); p == nil || p.Key.String() != want {
			t.Errorf("PageAt(%q) = %v, want %s", file, p, want)
		}
	}
	for _, file := range []string{"", ".", "orders", "orders.md", "orders/support/SKILL.md", "orders/gone.md", "/orders/SKILL.md"} {
		if p := c.PageAt(file); p != nil {
			t.Errorf("PageAt(%q) = %s", file, p.Key)
		}
	}
}

// BenchmarkLoad has a budget of 5 ms for the embedded pages: every start pays it.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		load(b, catalog.Embedded())
	}
}
