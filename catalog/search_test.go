package catalog_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
)

func searchable() *catalog.Catalog {
	c, err := catalog.Load(files(
		"index.md", "# Help\n\nSee `/fills` and `/orders`.\n",
		"fills/SKILL.md", "---\nname: fills\ndescription: Trades.\n---\n\n# Trades of today\n",
		"fills/list.md", "---\ndescription: What was traded.\n---\n\n# List\n\nEach fill is\n  one   trade. Partial fills too.\n",
		"orders/SKILL.md", "---\nname: orders\ndescription: Orders and their partial fills.\n---\n\n# Orders\n",
		"orders/partial.md", "---\ndescription: Unfinished.\n---\n\n# Partial fills\n\nPartial\nfills\npartial fills here\n",
		"orders/trigger.md", "---\ndescription: Prices.\n---\n\n# Trigger\n\nNo such thing.\n",
	))
	if err != nil {
		panic(err)
	}
	return c
}

func TestSearch(t *testing.T) {
	t.Parallel()
	c := searchable()
	tests := map[string]struct {
		query catalog.Query
		want  []string
	}{
		"title, key, description, body": {catalog.Query{Text: "fills"}, []string{"/orders/partial", "/fills", "/fills/list", "/orders", "/"}},
		"all words":                     {catalog.Query{Text: "partial  fills"}, []string{"/orders/partial", "/fills/list", "/orders"}},
		"words in any order":            {catalog.Query{Text: "fills PARTIAL"}, []string{"/orders/partial", "/fills/list", "/orders"}},
		"case counts":                   {catalog.Query{Text: "Partial", Case: true}, []string{"/orders/partial", "/fills/list"}},
		"limit":                         {catalog.Query{Text: "fills", Limit: 2}, []string{"/orders/partial", "/fills"}},
		"part of a word":                {catalog.Query{Text: "rigg"}, []string{"/orders/trigger"}},
		"pattern":                       {catalog.Query{Text: "tr(ade|igger)s", Regexp: true}, []string{"/fills"}},
		"pattern with case":             {catalog.Query{Text: "^trigger", Regexp: true, Case: true}, []string{}},
		"pattern without case":          {catalog.Query{Text: "^trigger", Regexp: true}, []string{"/orders/trigger"}},
		"a line begins in a pattern":    {catalog.Query{Text: "^fills$", Regexp: true, Case: true}, []string{"/orders/partial"}},
		"a pattern's signs are text":    {catalog.Query{Text: "tr.de"}, []string{}},
		"nothing":                       {catalog.Query{Text: "absent"}, []string{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hits, err := c.Search(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, h := range hits {
				got = append(got, h.Key.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSearchHits(t *testing.T) {
	t.Parallel()
	c := searchable()
	type hit struct {
		Title, Snippet string
		Kind           catalog.Kind
		Line           int
	}
	tests := map[string]hit{
		"one trade": {"List", "one trade. Partial fills too.", catalog.Recipe, 8},
		// The line with most words wins over the first line with one.
		"partial fills here": {"Partial fills", "partial fills here", catalog.Recipe, 9},
		"unfinished":         {"Partial fills", "Unfinished.", catalog.Recipe, 0},
		"trades of today":    {"Trades of today", "# Trades of today", catalog.Category, 6},
	}
	for text, want := range tests {
		hits, err := c.Search(catalog.Query{Text: text})
		if err != nil || len(hits) == 0 {
			t.Fatalf("%s: %v, %v", text, hits, err)
		}
		h := hits[0]
		if got := (hit{h.Title, h.Snippet, h.Kind, h.Line}); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	t.Parallel()
	c := searchable()
	for _, text := range []string{"", " \t\n"} {
		if _, err := c.Search(catalog.Query{Text: text}); !errors.Is(err, catalog.ErrEmptyQuery) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := c.Search(catalog.Query{Text: "(", Regexp: true}); err == nil || errors.Is(err, catalog.ErrEmptyQuery) {
		t.Errorf("bad pattern: %v", err)
	}
}

// BenchmarkSearch has a budget of 1 ms over the embedded pages for words, which the
// terminal searches on every key press, and of 5 ms for a pattern.
func BenchmarkSearch(b *testing.B) {
	c := load(b, catalog.Embedded())
	for name, q := range map[string]catalog.Query{"words": {Text: "partial fill"}, "miss": {Text: "absent"}, "pattern": {Text: "p.rtial", Regexp: true}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Search(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
