package cmd

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
)

type searchOptions struct {
	app   *App
	query catalog.Query
}

func newSearch(app *App) *cobra.Command {
	opts := searchOptions{app: app}
	c := formats(remote(&cobra.Command{
		Use: "search WORD...", Short: "Search the text of all help pages", GroupID: groupHelp,
		Long:    "Finds the pages in which every word occurs, best first: in the title, the key,\nthe description, the text. --regexp takes the words as one RE2 pattern.\nWith --server or --stdio it reads all pages of that server and searches them.",
		Example: examples(`kite-mcp search "partial fill" -o json`, `kite-mcp search --regexp 't1.?quantity'`, "kite-mcp search margin --server http://localhost:8080/mcp"),
		Args:    arguments(1, -1, "something to search for"), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, args []string) error {
			opts.query.Text = strings.Join(args, " ")
			return runSearch(c.Context(), opts)
		},
	}), formatText, formatJSON, formatMD)
	c.Flags().IntVar(&opts.query.Limit, "limit", 20, "most hits shown, 0 for all")
	c.Flags().BoolVar(&opts.query.Regexp, "regexp", false, "the words are one RE2 pattern")
	c.Flags().BoolVar(&opts.query.Case, "case", false, "upper and lower case differ")
	return c
}

// searchHit is one hit of the JSON form.
type searchHit struct {
	Key     string `json:"key"`
	Title   string `json:"title"`
	Kind    string `json:"kind"`
	Line    int    `json:"line"` // 0 when only the key or the description matched
	Snippet string `json:"snippet"`
}

func runSearch(ctx context.Context, opts searchOptions) error {
	app := opts.app
	if opts.query.Limit < 0 {
		return usage("--limit must not be negative", "")
	}
	found, err := app.search(ctx, opts.query)
	switch {
	case errors.As(err, new(*catalog.QueryError)):
		return usage(err.Error(), "leave --regexp away to search for the text as it is")
	case errors.Is(err, catalog.ErrEmptyQuery):
		return usage(err.Error(), "give a word, as in kite-mcp search margin")
	case err != nil:
		return err
	}
	if app.json() {
		return app.printJSON(struct {
			Query string      `json:"query"`
			Hits  []searchHit `json:"hits"`
		}{opts.query.Text, found})
	}
	if len(found) == 0 {
		app.note("no page holds %s; try fewer or shorter words", quoted(opts.query.Text))
		return nil
	}
	t := &table{columns: []column{{title: "KEY", keep: true}, {title: "LINE", number: true}, {title: "TITLE"}, {title: "TEXT"}}}
	for _, h := range found {
		t.add(h.Key, strconv.Itoa(h.Line), h.Title, h.Snippet)
	}
	return app.printTable(ctx, t)
}

// search searches the pages that the command line asks for.
func (a *App) search(ctx context.Context, q catalog.Query) ([]searchHit, error) {
	if a.remote() {
		return a.searchServer(ctx, q)
	}
	pages, err := a.catalog()
	if err != nil {
		return nil, err
	}
	found, err := pages.Search(q)
	if err != nil {
		return nil, err
	}
	return searchHits(found, catalog.Key.String), nil
}

// searchServer searches another server; hits have the keys that help takes.
func (a *App) searchServer(ctx context.Context, q catalog.Query) ([]searchHit, error) {
	if _, err := catalog.SearchPages(nil, q); err != nil {
		return nil, err // before a program is started
	}
	lib, err := a.library(ctx)
	if err != nil {
		return nil, err
	}
	defer closing(lib)
	view, err := newServerView(ctx, lib)
	if err != nil {
		return nil, err
	}
	found, skipped, err := view.search(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, err := range skipped {
		a.note("note: not searched: %s", oneLine(err.Error()))
	}
	return searchHits(found, func(k catalog.Key) string { return view.word(k) }), nil
}

func searchHits(found []catalog.Hit, key func(catalog.Key) string) []searchHit {
	hits := make([]searchHit, len(found))
	for i, h := range found {
		hits[i] = searchHit{Key: key(h.Key), Title: h.Title, Kind: h.Kind.String(), Line: h.Line, Snippet: h.Snippet}
	}
	return hits
}
