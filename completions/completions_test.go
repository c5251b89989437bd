package completions_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/completions"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func texts(values []completions.Value) []string {
	out := []string{}
	for _, v := range values {
		out = append(out, v.Text)
	}
	return out
}

func loadPages(t *testing.T) *catalog.Catalog {
	t.Helper()
	pages, err := catalog.Load(fstest.MapFS{
		"index.md":          {Data: []byte("# Help\n\nSee [orders](orders/SKILL.md).\n")},
		"orders/SKILL.md":   {Data: []byte("---\nname: orders\ndescription: |\n  Inspect\torders.\n  Use when asked.\n---\n# Orders\n\n[prepare](prepare.md)\n")},
		"orders/prepare.md": {Data: []byte("# Prepare\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func TestPages(t *testing.T) {
	t.Parallel()
	pages := loadPages(t)
	tests := []struct {
		name string
		got  []completions.Value
		want []string
	}{
		{"all keys", completions.Keys(pages, "/"), []string{"/", "/orders", "/orders/prepare"}},
		{"keys by prefix", completions.Keys(pages, "/orders/"), []string{"/orders/prepare"}},
		{"no key", completions.Keys(pages, "/x"), []string{}},
		{"skill names", completions.Skills(pages, "o"), []string{"orders"}},
		{"skill URIs", completions.Skills(pages, "skill:"), []string{"skill://orders/SKILL.md"}},
		{"files", completions.Resources(pages, "skill://orders/p"), []string{"skill://orders/prepare.md"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, texts(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A shell's protocol separates values by lines and descriptions by tabs.
func TestDescriptionsAreOneLine(t *testing.T) {
	t.Parallel()
	for _, v := range completions.Keys(loadPages(t), "/orders") {
		if strings.ContainsAny(v.Description, "\t\r\n") {
			t.Errorf("%s: description %q", v.Text, v.Description)
		}
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	reg, err := tools.New(tools.All(), tools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	market := reg.Tool("market")
	tests := []struct {
		name string
		got  []completions.Value
		want []string
	}{
		{"tools", completions.Tools(reg.For(tools.Profile{}), "h"), []string{"help"}},
		{"a client with skills", completions.Tools(reg.For(tools.Profile{Skills: true}), "h"), []string{}},
		{"categories", completions.Categories(reg.For(tools.Profile{}), "m"), []string{"market"}},
		{"argument names", completions.Arguments(market, nil, "mo"), []string{"mode="}},
		{"argument given before", completions.Arguments(market, []string{"mode=ltp"}, "mo"), []string{}},
		{"argument values", completions.Arguments(market, nil, "mode=l"), []string{"mode=ltp"}},
		{"argument without values", completions.Arguments(market, nil, "query=x"), []string{}},
		{"unknown argument", completions.Arguments(market, nil, "nope="), []string{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, texts(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
