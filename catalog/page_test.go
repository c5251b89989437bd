package catalog_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// pageTexts are whole pages of the nested tree.
var pageTexts = map[string]string{
	"/": `# Help

Welcome: ` + "`/orders`, `/trades`" + `.

## Topics

- ` + "`/orders`" + ` (category): Read today's orders.
- ` + "`/trades`" + ` (category): Read trades.

## All keys

` + "```text" + `
/orders
  /orders/deep
    /orders/deep/more
  /orders/prepare
  /orders/support
    /orders/support/tables
      /orders/support/tables/fees
/trades
  /trades/list
` + "```" + `

Read another page by its key, for example ` + "`help({\"key\":\"/orders\"})`" + `.
`,
	"/orders": `# Today's orders

Read today's orders.

Parent: ` + "`/`" + `

- ` + "`/orders/deep`" + ` (category): A nested skill.
- ` + "`/orders/prepare`" + ` (recipe): Prepare an order for approval.
- ` + "`/orders/support`" + ` (category): Pages under /orders/support

Read another page by its key, for example ` + "`help({\"key\":\"/orders/deep\"})`" + `.
`,
	"/orders/support": `# support

Pages under /orders/support

Parent: ` + "`/orders`" + `

- ` + "`/orders/support/tables`" + ` (category): Pages under /orders/support/tables

Read another page by its key, for example ` + "`help({\"key\":\"/orders/support/tables\"})`" + `.
`,
	"/orders/prepare": `# Prepare

Parent: ` + "`/orders`" + `

1. Ask.

Read another page by its key, for example ` + "`help({\"key\":\"/orders\"})`" + `.
`,
	"/orders/support/tables/fees": `# fees

Parent: ` + "`/orders/support/tables`" + `

Text.

Read another page by its key, for example ` + "`help({\"key\":\"/orders/support/tables\"})`" + `.
`,
}

func TestPageText(t *testing.T) {
	t.Parallel()
	c := load(t, nested())
	for k, want := range pageTexts {
		got, err := c.Text(key(t, k))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k, diff)
		}
	}
}

// A branch shows no instructions, its own or a descendant's; a recipe is whole.
func TestEmbeddedPagesShowTheirLevelOnly(t *testing.T) {
	t.Parallel()
	c := load(t, catalog.Embedded())
	for _, k := range c.Keys() {
		p, _ := c.Page(k)
		text, err := c.Text(k)
		if err != nil {
			t.Fatal(err)
		}
		if !k.IsRoot() && !strings.Contains(text, "\nParent: `"+k.Parent().String()+"`\n") {
			t.Errorf("%s names no parent", k)
		}
		for _, child := range c.Children(k) {
			line := "- `" + child.Key.String() + "` (" + child.Kind.String() + "): " + child.Description + "\n"
			if !strings.Contains(text, line) {
				t.Errorf("%s lacks the line %q", k, line)
			}
		}
		for line := range strings.SplitSeq(string(p.Body), "\n") {
			shown := strings.Contains(text, line)
			switch {
			case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "# "):
			case p.Kind == catalog.Category && len(line) > 60 && shown:
				t.Errorf("%s shows an instruction: %q", k, line)
			case p.Kind == catalog.Recipe && !shown:
				t.Errorf("%s lacks %q", k, line)
			}
		}
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"# Title\n":                              "Title",
		"## Second level\n# First\n":             "Second level",
		"   # Indented ##  \n":                   "Indented",
		"#hashtag\n# Real\n":                     "Real",
		"```\n# code\n```\n# Real\n":             "Real",
		"~~~sh\n# code\n```\n# code\n~~~\n# R\n": "R",
		"    # code\n# Real\n":                   "Real",
		"####### seven\n":                        "page",
		"no heading\n":                           "page",
		"#\n# Later\n":                           "Later",
	} {
		c := load(t, files("index.md", "`/a`\n", "a/SKILL.md", "---\nname: a\ndescription: A.\n---\n", "a/page.md", "---\ndescription: A page.\n---\n"+body))
		p, err := c.Page(key(t, "/a/page"))
		if err != nil {
			t.Fatal(err)
		}
		if p.Title != want {
			t.Errorf("title of %q is %q, want %q", body, p.Title, want)
		}
	}
}

// recovery is a tree in which every kind of wrong key has a best answer.
func recovery() fstest.MapFS {
	const page = "---\ndescription: A page.\n---\n# Page\n"
	topic := func(name string) string { return "---\nname: " + name + "\ndescription: A topic.\n---\n# Topic\n" }
	return files(
		"index.md", "`/analysis` `/orders`\n",
		"analysis/SKILL.md", topic("analysis"), "analysis/averages.md", page, "analysis/rsi.md", page,
		"orders/SKILL.md", topic("orders"), "orders/prepare.md", page, "orders/reconcile.md", page,
	)
}

func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	c := load(t, recovery())
	recipes := []string{"/orders/prepare", "/orders/reconcile"}
	topics := []string{"/analysis", "/orders"}
	tests := map[string]struct {
		nearest  string
		children []string
		close    string
		caseOnly bool
	}{
		"/orders/unknown":        {"/orders", recipes, "/", false},
		"/orders/prepare/deeper": {"/orders/prepare", nil, "/", false},
		"/orders/prepar":         {"/orders", recipes, "/orders/prepare", false},
		"/nowhere":               {"/", topics, "/", false},
		"/nowhere/at/all":        {"/", topics, "/", false},
		"/Orders":                {"/", topics, "/orders", true},
		"/ORDERS/Prepare":        {"/", topics, "/orders/prepare", true},
		"/order":                 {"/", topics, "/orders", false},
		"/orders/SKILL":          {"/orders", recipes, "/", false},
		"/analysis/rss":          {"/analysis", []string{"/analysis/averages", "/analysis/rsi"}, "/analysis/rsi", false},
		"/\u202eorders":          {"/", topics, "/", false},
	}
	for s, tt := range tests {
		_, err := c.Text(key(t, s))
		missing, ok := errors.AsType[*catalog.NotFoundError](err)
		if !ok {
			t.Errorf("%s: error %v", s, err)
			continue
		}
		var children []string
		for _, p := range missing.Children {
			children = append(children, p.Key.String())
			if line := "`" + p.Key.String() + "` (" + p.Kind.String() + "): " + p.Description; !strings.Contains(missing.Text(), line) {
				t.Errorf("%s: the guidance lacks %q", s, line)
			}
		}
		if missing.Key != s || missing.Nearest.Key.String() != tt.nearest || missing.Close.String() != tt.close || missing.CaseOnly != tt.caseOnly {
			t.Errorf("%s: nearest %s, close %s, case only %t", s, missing.Nearest.Key, missing.Close, missing.CaseOnly)
		}
		if diff := cmp.Diff(tt.children, children); diff != "" {
			t.Errorf("%s: children (-want +got):\n%s", s, diff)
		}
		if strings.Contains(missing.Error(), "\u202e") {
			t.Errorf("%s: the message repeats invisible characters", s)
		}
	}
}

// Lookups must not allocate: the server answers them for every client.
func TestLookupDoesNotAllocate(t *testing.T) {
	c := load(t, catalog.Embedded())
	for _, s := range []string{"/", "/orders", "/orders/prepare"} {
		allocs := testing.AllocsPerRun(100, func() {
			k, _ := catalog.ParseKey(s)
			if _, err := c.Text(k); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 0 {
			t.Errorf("%s: %.0f allocations", s, allocs)
		}
	}
}

// BenchmarkLookup has a budget of 200 ns and no allocation for pages that exist,
// and of 5 µs for one that does not.
func BenchmarkLookup(b *testing.B) {
	c := load(b, catalog.Embedded())
	for name, s := range map[string]string{"root": "/", "branch": "/orders", "recipe": "/technical-analysis/moving-averages", "unknown": "/orders/unknown"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k, err := catalog.ParseKey(s)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := c.Text(k); (err != nil) != (name == "unknown") {
					b.Fatal(err)
				}
			}
		})
	}
}

// What the requirement wants explained, and where a reader looks for it first.
func TestEmbeddedPagesExplainWhatTheyMust(t *testing.T) {
	t.Parallel()
	c := load(t, catalog.Embedded())
	for k, words := range map[string][]string{
		"/orders/reconcile":                   {"has_more", "next_from", "partly filled", "## Uncertainty", "Not found: \"probably not placed\""},
		"/troubleshooting/data":               {"stale", "missing", "partial"},
		"/troubleshooting/execution":          {"unknown"},
		"/holdings/concentration":             {"next_from", "stale", "## Uncertainty"},
		"/technical-analysis/moving-averages": {"historical", "host computation tool"},
		"/technical-analysis/rsi":             {"historical", "host computation tool"},
	} {
		p, err := c.Page(key(t, k))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range words {
			if !strings.Contains(strings.ToLower(string(p.Raw)), strings.ToLower(word)) {
				t.Errorf("catalog/%s does not say %q", p.Path, word)
			}
		}
	}
	analysis, err := c.Page(key(t, "/technical-analysis"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(analysis.Body), "no indicator engine") {
		t.Error("catalog/technical-analysis/SKILL.md does not say that the server has no indicator engine")
	}
	for _, k := range c.Keys() {
		p, _ := c.Page(k)
		if p.Kind == catalog.Recipe && bytes.Contains(p.Body, []byte("\n## Steps\n")) && !bytes.Contains(p.Body, []byte("tools/list")) {
			t.Errorf("catalog/%s follows steps without checking tools/list", p.Path)
		}
	}
}
