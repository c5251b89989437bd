package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
)

type treeOptions struct {
	app      *App
	key      string
	depth    int
	keysOnly bool
}

func newTree(app *App) *cobra.Command {
	opts := treeOptions{app: app}
	c := formats(&cobra.Command{
		Use: "tree [/KEY]", Short: "Show help keys as a tree", GroupID: groupHelp,
		Long:    "Lists the help pages below a key, the whole tree by default. In a pipe it is one\nline per page: key, kind and description, separated by tabs.",
		Example: examples("kite-mcp tree /holdings --depth 1", "kite-mcp tree --keys-only"),
		Args:    arguments(0, 1, "one key"), ValidArgsFunction: first(app.completeKeys),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.key = args[0]
			}
			return runTree(c.Context(), opts)
		},
	}, formatText, formatJSON, formatMD)
	c.Flags().IntVar(&opts.depth, "depth", 0, "levels to show below the key, 0 for all")
	c.Flags().BoolVar(&opts.keysOnly, "keys-only", false, "print nothing but keys")
	return c
}

// treeKey is one page of the JSON form.
type treeKey struct {
	Key         string `json:"key"`
	Kind        string `json:"kind"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

func runTree(ctx context.Context, opts treeOptions) error {
	app := opts.app
	if opts.depth < 0 {
		return usage("--depth must not be negative", "")
	}
	pages, err := app.catalog()
	if err != nil {
		return err
	}
	key, err := app.resolveKey(opts.key)
	if err != nil {
		return err
	}
	top, err := pages.Page(key)
	if err != nil {
		return err
	}
	var list []*catalog.Page
	opts.walk(pages, top, 0, func(p *catalog.Page) { list = append(list, p) })
	switch {
	case app.json():
		keys := make([]treeKey, len(list))
		for i, p := range list {
			keys[i] = treeKey{Key: p.Key.String(), Kind: p.Kind.String(), Title: p.Title, Description: p.Description}
		}
		return app.printJSON(map[string][]treeKey{"keys": keys})
	case opts.keysOnly:
		var b strings.Builder
		for _, p := range list {
			b.WriteString(p.Key.String() + "\n")
		}
		return app.page(ctx, b.String())
	default:
		return app.printTree(ctx, top, list)
	}
}

// walk visits a page and what lies below it, in key order.
func (o *treeOptions) walk(pages *catalog.Catalog, p *catalog.Page, level int, visit func(*catalog.Page)) {
	visit(p)
	if o.depth > 0 && level == o.depth {
		return
	}
	for _, child := range pages.Children(p.Key) {
		o.walk(pages, child, level+1, visit)
	}
}

func (a *App) printTree(ctx context.Context, top *catalog.Page, list []*catalog.Page) error {
	if a.flags.format == formatMD {
		var b strings.Builder
		for _, p := range list {
			b.WriteString(strings.Repeat("  ", p.Key.Depth()-top.Key.Depth()) + "- `" + p.Key.String() + "` (" + p.Kind.String() + "): " + p.Description + "\n")
		}
		return a.write(b.String())
	}
	t := &table{columns: []column{{title: "KEY", keep: true}, {title: "KIND", keep: true}, {title: "DESCRIPTION"}}}
	for _, p := range list {
		t.add(p.Key.String(), p.Kind.String(), p.Description)
		t.levels = append(t.levels, p.Key.Depth()-top.Key.Depth())
	}
	return a.printTable(ctx, t)
}
