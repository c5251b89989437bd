package catalog

import (
	"cmp"
	"errors"
	"fmt"
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
	match, err := q.matchers()
	if err != nil {
		return nil, err
	}
	type ranked struct {
		Hit
		rank int
	}
	var found []ranked
	for _, k := range c.keys {
		p := c.pages[k]
		if rank, ok := rankPage(p, match); ok {
			h := Hit{Key: k, Title: p.Title, Kind: p.Kind}
			h.Line, h.Snippet = bestLine(p, match)
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

type matcher func(string) bool

func (q Query) matchers() ([]matcher, error) {
	text := strings.TrimSpace(q.Text)
	if text == "" {
		return nil, ErrEmptyQuery
	}
	if q.Regexp {
		if !q.Case {
			text = "(?i:" + text + ")"
		}
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("search pattern: %w", err)
		}
		return []matcher{re.MatchString}, nil
	}
	var out []matcher
	for word := range strings.FieldsSeq(text) {
		if q.Case {
			out = append(out, func(s string) bool { return strings.Contains(s, word) })
			continue
		}
		word = strings.ToLower(word)
		out = append(out, func(s string) bool { return strings.Contains(strings.ToLower(s), word) })
	}
	return out, nil
}

// rankPage returns the best field that holds a word; every word must occur
// somewhere in the page.
func rankPage(p *Page, match []matcher) (rank int, ok bool) {
	rank = nowhere
	for _, m := range match {
		at := nowhere
		for i, field := range []string{p.Title, p.Key.String(), p.Description, string(p.Body)} {
			if m(field) {
				at = i
				break
			}
		}
		if at == nowhere {
			return nowhere, false
		}
		rank = min(rank, at)
	}
	return rank, true
}

// bestLine returns the first line that holds the most words.
func bestLine(p *Page, match []matcher) (line int, snippet string) {
	best := 0
	first := strings.Count(string(p.Raw[:len(p.Raw)-len(p.Body)]), "\n") + 1
	for i, text := range strings.Split(string(p.Body), "\n") {
		n := 0
		for _, m := range match {
			if m(text) {
				n++
			}
		}
		if n > best {
			best, line, snippet = n, first+i, oneLine(text)
		}
	}
	if best == 0 {
		return 0, p.Description
	}
	return line, snippet
}
