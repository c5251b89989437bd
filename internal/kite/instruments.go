package kite

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Instrument is one row of the instruments master. Fields that the source does not have are empty.
type Instrument struct {
	Token         uint32
	ExchangeToken uint32
	TradingSymbol string
	Name          string // for derivatives the underlying; often empty for debt
	ISIN          string
	LastPrice     Price  // of the master: zero or stale
	Expiry        string // YYYY-MM-DD; empty for what does not expire
	Strike        Price
	TickSize      Price
	LotSize       int64
	Type          string // EQ, FUT, CE, PE
	Segment       string
	Exchange      string
}

// ID returns EXCHANGE:TRADINGSYMBOL, the key of quotes.
func (i Instrument) ID() string { return i.Exchange + ":" + i.TradingSymbol }

const (
	typeFuture = "FUT"
	typeCall   = "CE"
	typePut    = "PE"
)

// instrumentRow is an instrument without pointers, so that the collector has nothing to follow in 120,000 of them.
// Texts are ids of interned values, the symbol a piece of one buffer, money is in 1/10000 rupee.
type instrumentRow struct {
	strike    int64
	token     uint32
	symbolAt  uint32
	tick      uint32
	lot       uint32
	name      uint32
	isin      uint32
	expiry    uint16
	symbolLen uint8
	kind      uint8
	segment   uint8
	exchange  uint8
}

// Instruments is one revision of the instruments master. It never changes, so it is shared without locks. The rows
// stand in the order in which results are shown.
type Instruments struct {
	rows      []instrumentRow
	symbols   []byte // trading symbols, back to back
	folded    []byte // the same in upper case; the same slice when nothing differs
	names     []string
	isins     []string
	expiries  []string
	kinds     []string
	segments  []string
	exchanges []string

	lastPrices     map[uint32]Price  // by token, where not zero
	exchangeTokens map[uint32]uint32 // by token, where it is not token / 256
	hasISIN        bool
	byID           idTable
	revision       string
	date           string
}

// Len returns the number of instruments.
func (m *Instruments) Len() int { return len(m.rows) }

// Revision identifies the content: the first 12 hex digits of the SHA-256 over the rows in order.
func (m *Instruments) Revision() string { return m.revision }

// Date is the IST day on which a Master loaded the list, as YYYY-MM-DD; empty when loaded without one.
func (m *Instruments) Date() string { return m.date }

// HasISIN reports whether the source had ISINs. Kite's CSV has none.
func (m *Instruments) HasISIN() bool { return m.hasISIN }

// ByID finds an instrument by its exact EXCHANGE:TRADINGSYMBOL.
func (m *Instruments) ByID(id string) (Instrument, bool) {
	exchange, symbol, ok := strings.Cut(id, ":")
	if !ok {
		return Instrument{}, false
	}
	x := slices.Index(m.exchanges, exchange)
	if x < 0 || x > math.MaxUint8 {
		return Instrument{}, false
	}
	i, ok := m.byID.find(m, uint8(x), []byte(symbol))
	if !ok {
		return Instrument{}, false
	}
	return m.at(i), true
}

func (m *Instruments) symbol(r *instrumentRow) []byte {
	return m.symbols[r.symbolAt : r.symbolAt+uint32(r.symbolLen)]
}

func (m *Instruments) foldedSymbol(r *instrumentRow) []byte {
	return m.folded[r.symbolAt : r.symbolAt+uint32(r.symbolLen)]
}

func (m *Instruments) exchangeToken(r *instrumentRow) uint32 {
	if odd, ok := m.exchangeTokens[r.token]; ok {
		return odd
	}
	return r.token >> 8
}

func (m *Instruments) at(i uint32) Instrument {
	r := &m.rows[i]
	return Instrument{
		Token:         r.token,
		ExchangeToken: m.exchangeToken(r),
		TradingSymbol: string(m.symbol(r)),
		Name:          m.names[r.name],
		ISIN:          m.isins[r.isin],
		LastPrice:     m.lastPrices[r.token],
		Expiry:        m.expiries[r.expiry],
		Strike:        Price(r.strike),
		TickSize:      Price(r.tick),
		LotSize:       int64(r.lot),
		Type:          m.kinds[r.kind],
		Segment:       m.segments[r.segment],
		Exchange:      m.exchanges[r.exchange],
	}
}

// onDay returns the same revision with its loading day, sharing all rows.
func (m *Instruments) onDay(day time.Time) *Instruments {
	dated := *m
	dated.date = day.In(IST).Format(time.DateOnly)
	return &dated
}

// seal drops repeated rows, puts the rest in order and builds what depends on the order.
func (m *Instruments) seal() (duplicates int) {
	m.folded = foldASCII(m.symbols)
	duplicates = m.dropDuplicates()
	m.sort()
	m.byID = newIDTable(m)
	m.revision = m.digest()
	return duplicates
}

// dropDuplicates keeps the first row of every id and of every token: two answers for one key would be a coin toss.
func (m *Instruments) dropDuplicates() int {
	ids := emptyIDTable(len(m.rows))
	tokens := make(map[uint32]struct{}, len(m.rows))
	kept := m.rows[:0]
	view := &Instruments{symbols: m.symbols}
	row := uint32(0)
	for _, r := range m.rows {
		if _, again := tokens[r.token]; again {
			continue
		}
		view.rows = kept
		if _, again := ids.find(view, r.exchange, m.symbol(&r)); again {
			continue
		}
		tokens[r.token] = struct{}{}
		ids.insert(r.exchange, m.symbol(&r), row)
		kept = append(kept, r)
		row++
	}
	dropped := len(m.rows) - len(kept)
	m.rows = kept
	return dropped
}

// sort establishes the order of results: shares and indices before derivatives, then exchange, expiry, strike, call
// before put, trading symbol, token.
func (m *Instruments) sort() {
	kinds := make([]int, len(m.kinds))
	for i, k := range m.kinds {
		kinds[i] = kindRank(k)
	}
	exchanges := make([]int, len(m.exchanges))
	for i := range m.exchanges {
		exchanges[i] = rankOf(m.exchanges, i, "NSE", "BSE", "NFO", "BFO", "MCX", "CDS", "BCD")
	}
	expiries := make([]int, len(m.expiries))
	for i := range m.expiries {
		expiries[i] = rankOf(m.expiries, i)
	}
	// The first three criteria in one number: most comparisons end here.
	group := func(r *instrumentRow) int {
		return min(kinds[r.kind], 1)<<24 | exchanges[r.exchange]<<16 | expiries[r.expiry]
	}
	slices.SortFunc(m.rows, func(a, b instrumentRow) int {
		if c := group(&a) - group(&b); c != 0 {
			return c
		}
		return cmp.Or(
			cmp.Compare(a.strike, b.strike),
			cmp.Compare(kinds[a.kind], kinds[b.kind]),
			bytes.Compare(m.symbol(&a), m.symbol(&b)),
			cmp.Compare(a.token, b.token),
		)
	})
}

// kindRank is 0 for what does not expire; futures, calls and puts follow in this order.
func kindRank(kind string) int {
	switch kind {
	case typeFuture:
		return 1
	case typeCall:
		return 2
	case typePut:
		return 3
	default:
		return 0
	}
}

// rankOf is the place of texts[i] among texts: first those named, in the given order, then the others by their text.
func rankOf(texts []string, i int, first ...string) int {
	if at := slices.Index(first, texts[i]); at >= 0 {
		return at
	}
	rank := len(first)
	for _, t := range texts {
		if t < texts[i] {
			rank++
		}
	}
	return rank
}

func (m *Instruments) digest() string {
	h := sha256.New()
	buf := make([]byte, 0, 512)
	for i := range m.rows {
		r := &m.rows[i]
		buf = strconv.AppendUint(buf[:0], uint64(r.token), 10)
		buf = strconv.AppendUint(append(buf, ','), uint64(m.exchangeToken(r)), 10)
		buf = append(append(buf, ','), m.symbol(r)...)
		for _, text := range [...]string{
			m.names[r.name], m.isins[r.isin], m.expiries[r.expiry], m.kinds[r.kind], m.segments[r.segment], m.exchanges[r.exchange],
		} {
			buf = append(append(buf, ','), text...)
		}
		for _, amount := range [...]Price{m.lastPrices[r.token], Price(r.strike), Price(r.tick)} {
			buf = amount.append(append(buf, ','))
		}
		buf = strconv.AppendUint(append(buf, ','), uint64(r.lot), 10)
		h.Write(append(buf, '\n'))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// idTable finds a row by exchange and symbol: open addressing over row numbers plus one, 0 being free. The number of
// slots is a power of two.
type idTable struct {
	slots []uint32
	mask  uint32
}

func emptyIDTable(rows int) idTable {
	size := uint32(16)
	for int(size) < 2*rows {
		size *= 2
	}
	return idTable{slots: make([]uint32, size), mask: size - 1}
}

func newIDTable(m *Instruments) idTable {
	t := emptyIDTable(len(m.rows))
	row := uint32(0)
	for i := range m.rows {
		t.insert(m.rows[i].exchange, m.symbol(&m.rows[i]), row)
		row++
	}
	return t
}

func (t idTable) insert(exchange uint8, symbol []byte, row uint32) {
	at := hashID(exchange, symbol) & t.mask
	for t.slots[at] != 0 {
		at = (at + 1) & t.mask
	}
	t.slots[at] = row + 1
}

func (t idTable) find(m *Instruments, exchange uint8, symbol []byte) (uint32, bool) {
	at := hashID(exchange, symbol) & t.mask
	for t.slots[at] != 0 {
		r := &m.rows[t.slots[at]-1]
		if r.exchange == exchange && bytes.Equal(m.symbol(r), symbol) {
			return t.slots[at] - 1, true
		}
		at = (at + 1) & t.mask
	}
	return 0, false
}

// hashID is FNV-1a.
func hashID(exchange uint8, symbol []byte) uint32 {
	h := (uint32(2166136261) ^ uint32(exchange)) * 16777619
	for _, b := range symbol {
		h = (h ^ uint32(b)) * 16777619
	}
	return h ^ h>>15
}

// foldASCII returns b in upper case, byte for byte, or b itself when nothing changes. Symbols and names are ASCII; a
// stray other letter matches only itself.
func foldASCII(b []byte) []byte {
	if !slices.ContainsFunc(b, func(c byte) bool { return 'a' <= c && c <= 'z' }) {
		return b
	}
	up := make([]byte, len(b))
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		up[i] = c
	}
	return up
}
