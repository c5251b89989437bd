package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
)

// maxHits is how many search results the browser gets.
const maxHits = 100

// parallelReads is how many files a search reads at a time.
const parallelReads = 8

// Search implements tui.Library.
func (v *serverView) Search(ctx context.Context, text string) ([]catalog.Hit, error) {
	v.searching.Lock()
	defer v.searching.Unlock()
	ctx, cancel := wholeTime(ctx)
	defer cancel()
	hits, _, err := v.search(ctx, catalog.Query{Text: text, Limit: maxHits})
	return hits, err
}

// search reads every page and searches them. Pages that cannot be searched, since
// their files are not what their manifest says or no text, are skipped.
func (v *serverView) search(ctx context.Context, q catalog.Query) (hits []catalog.Hit, skipped []error, err error) {
	if _, err := catalog.SearchPages(nil, q); err != nil {
		return nil, nil, err // before the server is asked for everything
	}
	pages := make([]*catalog.Page, len(v.pages))
	errs := make([]error, len(v.pages))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(parallelReads)
	for i, p := range v.pages {
		reads.Go(func() error {
			pages[i], errs[i] = v.searchable(ctx, p)
			if errs[i] != nil && !skippable(errs[i]) {
				return fmt.Errorf("read %s: %w", p.key, errs[i])
			}
			return nil
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, nil, err
	}
	pages = slices.DeleteFunc(pages, func(p *catalog.Page) bool { return p == nil })
	for _, err := range errs {
		if err != nil {
			skipped = append(skipped, err)
		}
	}
	hits, err = catalog.SearchPages(pages, q)
	return hits, skipped, err
}

// wholeTime bounds several calls together, where the connection bounds each.
func wholeTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, host.DefaultTimeout, &host.TimeoutError{After: host.DefaultTimeout})
}

// skippable reports whether an error is about one page only.
func skippable(err error) bool {
	_, fault := errors.AsType[*host.Fault](err)
	_, refused := errors.AsType[*host.RefusedError](err)
	_, noText := errors.AsType[*problem](err)
	return fault || refused || noText
}

// searchable is a page with the text to search: that of its file as it is, so
// that lines are counted as an editor counts them.
func (v *serverView) searchable(ctx context.Context, p *viewPage) (*catalog.Page, error) {
	page := p.page()
	if p.folder {
		return page, nil
	}
	d, err := v.document(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case d.raw != nil:
		page.Raw, page.Body = d.raw, d.raw[catalog.Split(d.raw).Body:]
		p.entitle(page)
	case p.uri == "" && p.kind != catalog.Recipe:
		// A list of children repeats what their own pages say.
	default:
		page.Raw, page.Body = []byte(d.body), []byte(d.body)
	}
	return page, nil
}
