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
	c := formats(&cobra.Command{
		Use: "search WORD...", Short: "Search the text of all help pages", GroupID: groupHelp,
		Long:    "Finds the pages in which every word occurs, best first: in the title, the key,\nthe description, the text. --regexp takes the words as one RE2 pattern.",
		Example: examples(`kite-mcp search "partial fill" -o json`, `kite-mcp search --regexp 't1.?quantity'`),
		Args:    arguments(1, -1, "something to search for"), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, args []string) error {
			opts.query.Text = strings.Join(args, " ")
			return runSearch(c.Context(), opts)
		},
	}, formatText, formatJSON, formatMD)
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
	pages, err := app.catalog()
	if err != nil {
		return err
	}
	found, err := pages.Search(opts.query)
	switch {
	case errors.Is(err, catalog.ErrEmptyQuery):
		return usage(err.Error(), "give a word, as in kite-mcp search margin")
	case err != nil:
		return usage(err.Error(), "leave --regexp away to search for the text as it is")
	}
	if app.json() {
		hits := make([]searchHit, len(found))
		for i, h := range found {
			hits[i] = searchHit{Key: h.Key.String(), Title: h.Title, Kind: h.Kind.String(), Line: h.Line, Snippet: h.Snippet}
		}
		return app.printJSON(struct {
			Query string      `json:"query"`
			Hits  []searchHit `json:"hits"`
		}{opts.query.Text, hits})
	}
	if len(found) == 0 {
		app.note("no page holds %s; try fewer or shorter words", quoted(opts.query.Text))
		return nil
	}
	t := &table{columns: []column{{title: "KEY", keep: true}, {title: "LINE", number: true}, {title: "TITLE"}, {title: "TEXT"}}}
	for _, h := range found {
		t.add(h.Key.String(), strconv.Itoa(h.Line), h.Title, h.Snippet)
	}
	return app.printTable(ctx, t)
}
