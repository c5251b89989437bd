package kite

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// FilterOn says which text of an instrument a search looks at.
type FilterOn string

// The texts that can be searched.
const (
	FilterID            FilterOn = "id" // EXCHANGE:TRADINGSYMBOL
	FilterName          FilterOn = "name"
	FilterISIN          FilterOn = "isin"
	FilterTradingSymbol FilterOn = "tradingsymbol"
	FilterUnderlying    FilterOn = "underlying" // exact: NFO:NIFTY, or NIFTY for NFO
)

const maxQueryLength = 100

// SearchQuery asks for one page of a search.
type SearchQuery struct {
	Text  string   // 1 to 100 characters; literal, spaces included; case does not matter
	On    FilterOn // empty means FilterID
	From  int      // first row of the page, from 0
	Limit int      // rows of the page; 0 means all
}

// SearchResult is one page and the number of all matches.
type SearchResult struct {
	Rows  []Instrument // never nil
	Total int
}

// Search finds instruments by literal, case-insensitive substring, or by exact underlying. The order is total and
// depends only on the revision: exact id, exact trading symbol, trading symbol prefix, the rest; inside each the
// order of the rows. Errors are invalid_argument, and catalog_unavailable for ISINs in a master without them.
func (m *Instruments) Search(q SearchQuery) (SearchResult, error) {
	if n := utf8.RuneCountInString(q.Text); n == 0 || n > maxQueryLength {
		return SearchResult{}, invalidArgument("query must have 1 to " + strconv.Itoa(maxQueryLength) + " characters")
	}
	if q.From < 0 || q.Limit < 0 {
		return SearchResult{}, invalidArgument("from and limit must not be negative")
	}
	match, err := m.matcher(q)
	if err != nil {
		return SearchResult{}, err
	}
	hits := m.ranked(match, string(foldASCII([]byte(q.Text))))
	result := SearchResult{Rows: []Instrument{}, Total: len(hits)}
	if q.From >= len(hits) {
		return result, nil
	}
	page := hits[q.From:]
	if q.Limit > 0 && q.Limit < len(page) {
		page = page[:q.Limit]
	}
	result.Rows = make([]Instrument, len(page))
	for i, row := range page {
		result.Rows[i] = m.at(row)
	}
	return result, nil
}

// matcher returns the test of one row.
func (m *Instruments) matcher(q SearchQuery) (func(*instrumentRow) bool, error) {
	text := foldASCII([]byte(q.Text))
	switch q.On {
	case FilterID, "":
		scratch := make([]byte, 0, 300)
		return func(r *instrumentRow) bool {
			scratch = append(append(append(scratch[:0], m.exchanges[r.exchange]...), ':'), m.foldedSymbol(r)...)
			return bytes.Contains(scratch, text)
		}, nil
	case FilterTradingSymbol:
		return func(r *instrumentRow) bool { return bytes.Contains(m.foldedSymbol(r), text) }, nil
	case FilterName:
		hit := matching(m.names, text)
		return func(r *instrumentRow) bool { return hit[r.name] }, nil
	case FilterISIN:
		if !m.hasISIN {
			e := newError(KindCatalogUnavailable, "the instruments master has no ISIN column, so it cannot be searched by ISIN")
			e.Retryable, e.Hint = false, "search by name or trading symbol; holdings carry the ISIN of what is held"
			return nil, e
		}
		hit := matching(m.isins, text)
		return func(r *instrumentRow) bool { return hit[r.isin] }, nil
	case FilterUnderlying:
		return m.underlyingMatcher(string(text))
	default:
		return nil, invalidArgument("filter_on must be one of id, name, isin, tradingsymbol, underlying")
	}
}

func (m *Instruments) underlyingMatcher(text string) (func(*instrumentRow) bool, error) {
	exchange, name, qualified := strings.Cut(text, ":")
	if !qualified {
		exchange, name = "NFO", text
	}
	if strings.Contains(name, ":") || name == "" {
		return nil, invalidArgument("an underlying has the form NFO:NIFTY or NIFTY")
	}
	if !slices.Contains([]string{"NFO", "BFO", "MCX", "CDS", "BCD"}, exchange) {
		return nil, invalidArgument("underlyings exist on NFO, BFO, MCX, CDS and BCD, not on " + strconv.Quote(shorten(exchange)))
	}
	x := slices.Index(m.exchanges, exchange)
	hit := make([]bool, len(m.names))
	for i, n := range m.names {
		hit[i] = string(foldASCII([]byte(n))) == name
	}
	return func(r *instrumentRow) bool {
		return int(r.exchange) == x && hit[r.name] && kindRank(m.kinds[r.kind]) > 0
	}, nil
}

// matching tests each distinct text once.
func matching(texts []string, part []byte) []bool {
	hit := make([]bool, len(texts))
	for i, s := range texts {
		hit[i] = bytes.Contains(foldASCII([]byte(s)), part)
	}
	return hit
}

// ranked collects the numbers of matching rows, best rank first and in row order inside a rank.
func (m *Instruments) ranked(match func(*instrumentRow) bool, text string) []uint32 {
	const ranks = 4
	var buckets [ranks][]uint32
	exchange, rest, qualified := strings.Cut(text, ":")
	for i := range m.rows {
		r := &m.rows[i]
		if !match(r) {
			continue
		}
		symbol := m.foldedSymbol(r)
		rank := 3
		switch {
		case qualified && m.exchanges[r.exchange] == exchange && string(symbol) == rest:
			rank = 0
		case string(symbol) == text:
			rank = 1
		case len(symbol) > len(text) && string(symbol[:len(text)]) == text:
			rank = 2
		}
		buckets[rank] = append(buckets[rank], uint32(i))
	}
	return slices.Concat(buckets[:]...)
}
