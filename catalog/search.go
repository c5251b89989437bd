package catalog

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// Query is a full-text search over all pages.
type Query struct {
	Text   string // words, all of which must occur in the page; or one pattern
	Regexp bool   // Text is a regular expression (RE2)
	Case   bool   // letter case counts
	Limit  int    // most hits returned; 0 = all
}

// Hit is one page found by a search, with the best line in it.
type Hit struct {
	Key     Key
	Title   string
	Kind    Kind
	Line    int    // from 1 in the file; 0 when only the key or description matched
	Snippet string // the line, white space folded
}

// ErrEmptyQuery is returned for a search without any text.
var ErrEmptyQuery = errors.New("search text is empty")

// QueryError says that the text of a query is no pattern.
type QueryError struct{ Err error }

func (e *QueryError) Error() string { return "search pattern: " + e.Err.Error() }

// Unwrap returns what is wrong with the pattern.
func (e *QueryError) Unwrap() error { return e.Err }

// Where a page matched, best first.
const (
	inTitle = iota
	inKey
	inDescription
	inBody
	nowhere
)

// Search returns the matching pages, best first: title before key before
// description before body, ties in key order. It returns ErrEmptyQuery for a
// blank text and an error for a bad pattern.
func (c *Catalog) Search(q Query) ([]Hit, error) {
	pages := make([]*Page, len(c.keys))
	for i, k := range c.keys {
		pages[i] = c.pages[k]
	}
	return SearchPages(pages, q)
}

// SearchPages is Catalog.Search over any pages; ties stay in the order given.
// The Body of a page with Raw bytes must be the end of them.
func SearchPages(pages []*Page, q Query) ([]Hit, error) {
	match, err := q.matchers()
	if err != nil {
		return nil, err
	}
	type ranked struct {
		Hit
		rank int
	}
	var found []ranked
	for _, p := range pages {
		body := q.fold(string(p.Body))
		if rank, ok := q.rank(p, body, match); ok {
			h := Hit{Key: p.Key, Title: p.Title, Kind: p.Kind}
			h.Line, h.Snippet = bestLine(p, body, match)
			found = append(found, ranked{h, rank})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit]
	}
	hits := make([]Hit, len(found))
	for i, f := range found {
		hits[i] = f.Hit
	}
	return hits, nil
}

// matcher looks for one word in a folded text.
type matcher func(folded string) bool

func (q Query) matchers() ([]matcher, error) {
	text := strings.TrimSpace(q.Text)
	if text == "" {
		return nil, ErrEmptyQuery
	}
	if q.Regexp {
		flags := "(?m)" // ^ and $ are the ends of a line
		if !q.Case {
			flags = "(?im)"
		}
		re, err := regexp.Compile(flags + text)
		if err != nil {
			return nil, &QueryError{Err: err}
		}
		return []matcher{re.MatchString}, nil
	}
	var out []matcher
	for word := range strings.FieldsSeq(q.fold(text)) {
		out = append(out, func(s string) bool { return strings.Contains(s, word) })
	}
	return out, nil
}

// fold prepares a text for the matchers. Patterns fold by themselves.
func (q Query) fold(text string) string {
	if q.Case || q.Regexp {
		return text
	}
	return strings.ToLower(text)
}

// rank returns the best field that holds a word; every word must occur somewhere
// in the page.
func (q Query) rank(p *Page, body string, match []matcher) (best int, ok bool) {
	fields := [...]string{inTitle: q.fold(p.Title), inKey: q.fold(p.Key.String()), inDescription: q.fold(p.Description), inBody: body}
	best = nowhere
	for _, m := range match {
		at := slices.IndexFunc(fields[:], m)
		if at < 0 {
			return nowhere, false
		}
		best = min(best, at)
	}
	return best, true
}

// bestLine returns the first line that holds the most words. Folding keeps line
// endings, so lines are counted in the folded body.
func bestLine(p *Page, body string, match []matcher) (line int, snippet string) {
	best, at := 0, 0
	for i, text := range strings.Split(body, "\n") {
		n := 0
		for _, m := range match {
			if m(text) {
				n++
			}
		}
		if n > best {
			best, at = n, i
		}
	}
	if best == 0 {
		return 0, p.Description
	}
	first := bytes.Count(p.Raw[:len(p.Raw)-len(p.Body)], []byte("\n")) + 1
	return first + at, oneLine(strings.Split(string(p.Body), "\n")[at])
}
