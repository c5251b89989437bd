package kite

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	s := m.scratch.get()
	defer m.scratch.put(s)
	if err := m.match(s, q.On, foldASCII(q.Text)); err != nil {
		return SearchResult{}, err
	}
	result := SearchResult{Rows: []Instrument{}, Total: s.rank()}
	if q.From >= result.Total {
		return result, nil
	}
	size := result.Total - q.From
	if q.Limit > 0 {
		size = min(size, q.Limit)
	}
	result.Rows = make([]Instrument, 0, size)
	s.page(q.From, size, func(row uint32) { result.Rows = append(result.Rows, m.at(row)) })
	return result, nil
}

// match collects the rows that match and those whose trading symbol gives them a better rank.
func (m *Instruments) match(s *searchScratch, on FilterOn, text string) error {
	switch on {
	case FilterID, "":
		m.symbols.mark(text, anywhere, s.blocks, s.hits, s.prefix)
		m.markIDs(s, text)
	case FilterTradingSymbol:
		m.symbols.mark(text, anywhere, s.blocks, s.hits, s.prefix)
	case FilterName:
		m.names.mark(text, anywhere, s.blocks, s.values, s.ignored)
		s.expand(&m.byName)
		m.symbols.mark(text, atStart, s.blocks, s.prefix, nil)
	case FilterISIN:
		if !m.HasISIN() {
			return noISIN()
		}
		m.isins.mark(text, anywhere, s.blocks, s.values, s.ignored)
		s.expand(&m.byISIN)
		m.symbols.mark(text, atStart, s.blocks, s.prefix, nil)
	case FilterUnderlying:
		exchange, name, err := underlying(text)
		if err != nil {
			return err
		}
		m.markUnderlying(s, exchange, name)
		m.symbols.mark(text, atStart, s.blocks, s.prefix, nil)
	default:
		return invalidArgument("filter_on must be one of id, name, isin, tradingsymbol, underlying")
	}
	m.markWhole(text, s.exact)
	return nil
}

// markWhole adds the rows whose trading symbol is the text.
func (m *Instruments) markWhole(text string, found rowSet) {
	m.bySymbol.each(text, func(row uint32) {
		if m.symbols.folded[m.symbols.at[row]:m.symbols.at[row+1]-1] == text {
			found[row/64] |= 1 << (row % 64)
		}
	})
}

func noISIN() *Error {
	e := newError(KindCatalogUnavailable, "the instruments master has no ISIN column, so it cannot be searched by ISIN")
	e.Retryable, e.Hint = false, "search by name or trading symbol; holdings carry the ISIN of what is held"
	return e
}

// markIDs adds what matches because of the exchange before the symbol: a part of its name, or its end with the colon
// and the beginning of the symbol. An exchange has no colon, so the first one of the text is the id's.
func (m *Instruments) markIDs(s *searchScratch, text string) {
	end, symbol, colon := strings.Cut(text, ":")
	if colon && symbol != "" {
		m.symbols.mark(symbol, atStart, s.blocks, s.symbols, nil)
		m.markWhole(symbol, s.wholeSymbols)
	}
	for x, exchange := range m.exchanges {
		exchange = foldASCII(exchange)
		switch {
		case !colon && strings.Contains(exchange, text), colon && symbol == "" && strings.HasSuffix(exchange, end):
			for _, span := range m.spans[x] {
				s.hits.addRange(span.from, span.to)
			}
		case colon && symbol != "" && strings.HasSuffix(exchange, end):
			for _, span := range m.spans[x] {
				s.hits.addFrom(s.symbols, span.from, span.to)
				if exchange == end {
					s.exactIDs.addFrom(s.wholeSymbols, span.from, span.to)
				}
			}
		}
	}
}

// underlying reads NFO:NIFTY, or NIFTY for NFO:NIFTY.
func underlying(text string) (exchange, name string, err error) {
	exchange, name, qualified := strings.Cut(text, ":")
	if !qualified {
		exchange, name = "NFO", text
	}
	if strings.Contains(name, ":") || name == "" {
		return "", "", invalidArgument("an underlying has the form NFO:NIFTY or NIFTY")
	}
	if !slices.Contains([]string{"NFO", "BFO", "MCX", "CDS", "BCD"}, exchange) {
		return "", "", invalidArgument("underlyings exist on NFO, BFO, MCX, CDS and BCD, not on " + strconv.Quote(shorten(exchange)))
	}
	return exchange, name, nil
}

func (m *Instruments) markUnderlying(s *searchScratch, exchange, name string) {
	m.names.mark(name, whole, s.blocks, s.values, nil)
	s.expand(&m.byName)
	s.symbols.copyFrom(s.hits)
	s.hits.reset()
	if x := slices.Index(m.exchanges, exchange); x >= 0 {
		expiring := m.spans[x][1]
		s.hits.addFrom(s.symbols, expiring.from, expiring.to)
	}
}

// rowSet is a set of row numbers, one bit each.
type rowSet []uint64

func (r rowSet) reset() { clear(r) }

func (r rowSet) copyFrom(other rowSet) { copy(r, other) }

func (r rowSet) addRange(from, to uint32) {
	for ; from < to && from%64 != 0; from++ {
		r[from/64] |= 1 << (from % 64)
	}
	for ; from+64 <= to; from += 64 {
		r[from/64] = ^uint64(0)
	}
	for ; from < to; from++ {
		r[from/64] |= 1 << (from % 64)
	}
}

// addFrom adds the rows of another set that lie in a range.
func (r rowSet) addFrom(other rowSet, from, to uint32) {
	if from == to {
		return
	}
	first, last := from/64, (to-1)/64
	for w := first; w <= last; w++ {
		part := other[w]
		if w == first {
			part &= ^uint64(0) << (from % 64)
		}
		if w == last {
			part &= ^uint64(0) >> (63 - (to-1)%64)
		}
		r[w] |= part
	}
}

// searchScratch is the working space of one search: sets over rows, and over the values of names or ISINs.
type searchScratch struct {
	all []uint64 // what the following are pieces of

	hits, prefix, exact, exactIDs rowSet // the results, and those of better ranks
	symbols, wholeSymbols         rowSet
	values, ignored               rowSet // numbers of names or ISINs
	blocks                        []uint64
}

// scratchPool keeps working spaces, so that a search allocates nothing but its page.
type scratchPool struct{ sync.Pool }

func newScratchPool(m *Instruments) *scratchPool {
	rows, values := (len(m.rows)+63)/64, (max(m.names.len(), m.isins.len())+63)/64
	blocks := max(m.symbols.words, m.names.words, m.isins.words)
	return &scratchPool{sync.Pool{New: func() any {
		s := &searchScratch{all: make([]uint64, 6*rows+2*values+blocks)}
		rest := s.all
		cut := func(n int) []uint64 {
			piece := rest[:n:n]
			rest = rest[n:]
			return piece
		}
		s.hits, s.prefix, s.exact, s.exactIDs, s.symbols, s.wholeSymbols = cut(rows), cut(rows), cut(rows), cut(rows), cut(rows), cut(rows)
		s.values, s.ignored, s.blocks = cut(values), cut(values), cut(blocks)
		return s
	}}}
}

func (p *scratchPool) get() *searchScratch {
	s, _ := p.Get().(*searchScratch)
	return s
}

func (p *scratchPool) put(s *searchScratch) {
	clear(s.all)
	p.Put(s)
}

// expand adds the rows of all values found.
func (s *searchScratch) expand(p *postings) {
	for word, set := range s.values {
		for ; set != 0; set &= set - 1 {
			value := uint32(word*64 + bits.TrailingZeros64(set)) //nolint:gosec // numbers of texts fit
			for _, row := range p.of(value) {
				s.hits[row/64] |= 1 << (row % 64)
			}
		}
	}
}

// rank makes the four sets disjoint, each a rank of its own, and returns the size of all.
func (s *searchScratch) rank() (total int) {
	for w, hits := range s.hits {
		if hits == 0 {
			s.exactIDs[w], s.exact[w], s.prefix[w] = 0, 0, 0
			continue
		}
		total += bits.OnesCount64(hits)
		s.exactIDs[w] &= hits
		hits &^= s.exactIDs[w]
		s.exact[w] &= hits
		hits &^= s.exact[w]
		s.prefix[w] &= hits
		s.hits[w] = hits &^ s.prefix[w]
	}
	return total
}

// page calls show for size rows beginning with number from, best rank first.
func (s *searchScratch) page(from, size int, show func(row uint32)) {
	for _, rank := range [...]rowSet{s.exactIDs, s.exact, s.prefix, s.hits} {
		for word, set := range rank {
			if n := bits.OnesCount64(set); n <= from {
				from -= n
				continue
			}
			for ; from > 0; from-- {
				set &= set - 1
			}
			for ; set != 0; set &= set - 1 {
				if size == 0 {
					return
				}
				show(uint32(word*64 + bits.TrailingZeros64(set))) //nolint:gosec // row numbers fit
				size--
			}
		}
	}
}
