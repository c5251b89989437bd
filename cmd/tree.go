package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

type treeOptions struct {
	app      *App
	key      string
	depth    int
	keysOnly bool
}

func newTree(app *App) *cobra.Command {
	opts := treeOptions{app: app}
	c := formats(remote(&cobra.Command{
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
	}), formatText, formatJSON, formatMD)
	c.Flags().IntVar(&opts.depth, "depth", 0, "levels to show below the key, 0 for all")
	c.Flags().BoolVar(&opts.keysOnly, "keys-only", false, "print nothing but keys")
	return c
}

// treeKey is one page of a tree.
type treeKey struct {
	Key         string `json:"key"`
	Kind        string `json:"kind"`
	Title       string `json:"title"`
	Description string `json:"description"`

	level int    // below the page that was asked for
	uri   string // of the page's file in another server, "" when it has none
}

func runTree(ctx context.Context, opts treeOptions) error {
	app := opts.app
	if opts.depth < 0 {
		return usage("--depth must not be negative", "")
	}
	lib, err := app.library(ctx)
	if err != nil {
		return err
	}
	defer closing(lib)
	list, err := lib.tree(ctx, opts.key, opts.depth)
	if err != nil {
		return err
	}
	switch {
	case app.json():
		return app.printJSON(map[string][]treeKey{"keys": list})
	case opts.keysOnly:
		var b strings.Builder
		for _, p := range list {
			b.WriteString(oneLine(render.Clean(p.Key)) + "\n")
		}
		return app.page(ctx, b.String())
	default:
		return app.printTree(ctx, list)
	}
}

func (a *App) printTree(ctx context.Context, list []treeKey) error {
	if a.flags.format == formatMD {
		var b strings.Builder
		for _, p := range list {
			b.WriteString(strings.Repeat("  ", p.level) + oneLine(render.Clean("- `"+p.Key+"` ("+p.Kind+"): "+p.Description)) + "\n")
		}
		return a.write(b.String())
	}
	t := &table{columns: []column{{title: "KEY", keep: true}, {title: "KIND", keep: true}, {title: "DESCRIPTION"}}}
	for _, p := range list {
		t.add(p.Key, p.Kind, p.Description)
		t.levels = append(t.levels, p.level)
	}
	return a.printTable(ctx, t)
}
