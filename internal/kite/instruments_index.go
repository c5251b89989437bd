package kite

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// tokenTable finds a row by its token: open addressing over row numbers plus one, 0 being free. The number of slots
// is a power of two and at least twice the rows. Sixteen neighbouring tokens of a segment share a cache line.
type tokenTable []uint32

// newTokenTable reports false when a token appears twice.
func newTokenTable(rows []instrumentRow) (tokenTable, bool) {
	t, unique := tokenTable(make([]uint32, slotsFor(len(rows)))), true
	row := uint32(0)
	for i := range rows {
		at := t.slot(rows[i].token)
		for ; t[at] != 0; at = t.next(at) {
			unique = unique && rows[t[at]-1].token != rows[i].token
		}
		row++
		t[at] = row
	}
	return t, unique
}

func slotsFor(rows int) int { return 1 << max(6, bits.Len(uint(2*rows))) }

// slot spreads the lines; the segment is the last byte of a token, the exchange's own token what stands before.
func (t tokenTable) slot(token uint32) uint32 {
	line := (token&0xff | token>>12<<8) * 0x9e3779b1 >> 4
	return (line&^15 | token>>8&15) & uint32(len(t)-1) //nolint:gosec // fewer than 2^32 slots
}

func (t tokenTable) next(at uint32) uint32 { return (at + 1) & uint32(len(t)-1) } //nolint:gosec // as above

func (t tokenTable) find(rows []instrumentRow, token uint32) (uint32, bool) {
	for at := t.slot(token); t[at] != 0; at = t.next(at) {
		if row := t[at] - 1; rows[row].token == token {
			return row, true
		}
	}
	return 0, false
}

// symbolTable finds rows by trading symbol, like a tokenTable. The hash is that of the symbol in upper case.
type symbolTable struct {
	slots []uint32
	seed  maphash.Seed
}

// newSymbolTable reports false when an exchange has a symbol twice.
func newSymbolTable(rows []instrumentRow, symbols *textIndex) (symbolTable, bool) {
	t, unique := symbolTable{slots: make([]uint32, slotsFor(len(rows))), seed: maphash.MakeSeed()}, true
	// All hashes first: then the processor works on several of the scattered slots at a time.
	hashes := make([]uint32, len(rows))
	for i := range hashes {
		hashes[i] = uint32(maphash.String(t.seed, symbols.folded[symbols.at[i]:symbols.at[i+1]-1])) //nolint:gosec // part of a hash
	}
	mask := uint32(len(t.slots) - 1) //nolint:gosec // fewer than 2^32 slots
	row := uint32(0)
	for i := range rows {
		at := hashes[i] & mask
		for ; t.slots[at] != 0; at = (at + 1) & mask {
			if other := t.slots[at] - 1; hashes[other] == hashes[i] && rows[other].exchange == rows[i].exchange {
				unique = unique && symbols.text(other) != symbols.text(row)
			}
		}
		row++
		t.slots[at] = row
	}
	return t, unique
}

// find returns the row of an exact symbol.
func (t *symbolTable) find(m *Instruments, exchange, symbol string) (uint32, bool) {
	mask := uint32(len(t.slots) - 1)                                                                             //nolint:gosec // as above
	for at := uint32(maphash.String(t.seed, foldASCII(symbol))) & mask; t.slots[at] != 0; at = (at + 1) & mask { //nolint:gosec // part of a hash
		if row := t.slots[at] - 1; m.symbols.text(row) == symbol && m.exchanges[m.rows[row].exchange] == exchange {
			return row, true
		}
	}
	return 0, false
}

// each calls found for rows that may have the symbol, which is in upper case: all that have it are among them.
func (t *symbolTable) each(folded string, found func(row uint32)) {
	mask := uint32(len(t.slots) - 1)                                                                  //nolint:gosec // as above
	for at := uint32(maphash.String(t.seed, folded)) & mask; t.slots[at] != 0; at = (at + 1) & mask { //nolint:gosec // part of a hash
		found(t.slots[at] - 1)
	}
}

// postings lists the rows of every value, in row order.
type postings struct {
	at   []uint32 // where the rows of a value begin, and one entry more
	rows []uint32
}

// newPostings sorts the rows by value, counting. Value 0, the empty text, has no rows.
func newPostings(rows []instrumentRow, values int, value func(*instrumentRow) uint32) postings {
	p := postings{at: make([]uint32, values+1)}
	for i := range rows {
		if v := value(&rows[i]); v != 0 {
			p.at[v+1]++
		}
	}
	for v := range values {
		p.at[v+1] += p.at[v]
	}
	p.rows = make([]uint32, p.at[values])
	next := slices.Clone(p.at)
	row := uint32(0)
	for i := range rows {
		if v := value(&rows[i]); v != 0 {
			p.rows[next[v]] = row
			next[v]++
		}
		row++
	}
	return p
}

func (p *postings) of(value uint32) []uint32 { return p.rows[p.at[value]:p.at[value+1]] }

// exchangeSpan is where the rows of an exchange stand: first what does not expire, then what does.
type exchangeSpan [2]struct{ from, to uint32 }

func newSpans(rows []instrumentRow, exchanges int, ranks []uint8) []exchangeSpan {
	spans := make([]exchangeSpan, exchanges)
	row := uint32(0)
	for i := range rows {
		part := 0
		if ranks[rows[i].kind] > 0 {
			part = 1
		}
		s := &spans[rows[i].exchange][part]
		if s.to == 0 {
			s.from = row
		}
		row++
		s.to = row
	}
	return spans
}

// sortedOrder returns row numbers in the order of results: what does not expire before what does, then exchange,
// expiry, strike, call before put, trading symbol, token.
func (l *instrumentsLoader) sortedOrder() []uint32 {
	kinds, exchanges, expiries := l.kinds.strings(), l.exchanges.strings(), l.expiries.strings()
	kindRanks, exchangeRanks, expiryRanks := make([]uint64, len(kinds)), ranks(exchanges, "NSE", "BSE", "NFO", "BFO", "MCX", "CDS", "BCD"), ranks(expiries)
	for i, k := range kinds {
		kindRanks[i] = uint64(kindRank(k))
	}
	strikeRanks := l.strikes.ranks()
	// Row and criteria side by side in one number, each as wide as this list needs it; the limits of the loader see to
	// it that they fit.
	kindAt := bits.Len(uint(l.rows.count))
	strikeAt := kindAt + 2
	expiryAt := strikeAt + bits.Len(uint(len(strikeRanks)))
	exchangeAt := expiryAt + bits.Len(uint(len(expiries)))
	classAt := exchangeAt + bits.Len(uint(len(exchanges)))
	keys := make([]uint64, 0, l.rows.count)
	for row := range uint64(l.rows.count) { //nolint:gosec // not negative
		if r := l.rows.at(uint32(row)); l.dead == nil || !l.dead[row] {
			kind := kindRanks[r.kind]
			keys = append(keys, min(kind, 1)<<classAt|exchangeRanks[r.exchange]<<exchangeAt|expiryRanks[r.expiry]<<expiryAt|
				strikeRanks[r.strike]<<strikeAt|kind<<kindAt|row)
		}
	}
	keys = radixSort(keys, kindAt, classAt+1)
	order := make([]uint32, len(keys))
	var tied []tiedRow
	for from := 0; from < len(keys); {
		tied = append(tied[:0], tiedRow{row: uint32(keys[from] & (1<<kindAt - 1))}) //nolint:gosec // the row
		to := from + 1
		for ; to < len(keys) && keys[to]>>kindAt == keys[from]>>kindAt; to++ {
			tied = append(tied, tiedRow{row: uint32(keys[to] & (1<<kindAt - 1))}) //nolint:gosec // the row
		}
		if len(tied) > 1 {
			l.sortBySymbol(tied)
		}
		for i := range tied {
			order[from+i] = tied[i].row
		}
		from = to
	}
	return order
}

// ranks is the place of each price among the distinct ones; equal prices may be written in several ways.
func (in *priceInterner) ranks() []uint64 {
	byPrice := make([]uint32, len(in.prices))
	for i := range byPrice {
		byPrice[i] = uint32(i)
	}
	slices.SortFunc(byPrice, func(a, b uint32) int { return cmp.Compare(in.prices[a], in.prices[b]) })
	out := make([]uint64, max(1, len(in.prices)))
	rank := uint64(0)
	for i, id := range byPrice {
		if i > 0 && in.prices[id] != in.prices[byPrice[i-1]] {
			rank++
		}
		out[id] = rank
	}
	return out
}

// radixSort sorts by the bits of the keys between two places and keeps the order of equal ones. Comparing would take
// three times as long.
func radixSort(keys []uint64, from, to int) []uint64 {
	const digit = 11
	other := make([]uint64, len(keys))
	for at := from; at < to; at += digit {
		var next [1 << digit]uint32
		for _, k := range keys {
			next[k>>at%(1<<digit)]++
		}
		sum := uint32(0)
		for v, n := range next {
			next[v] = sum
			sum += n
		}
		for _, k := range keys {
			place := &next[k>>at%(1<<digit)]
			other[*place] = k
			*place++
		}
		keys, other = other, keys
	}
	return keys
}

// tiedRow is a row that agrees with others in all but its symbol.
type tiedRow struct {
	start uint64 // of the symbol, which decides nearly always
	row   uint32
}

func (l *instrumentsLoader) sortBySymbol(tied []tiedRow) {
	for i := range tied {
		tied[i].start = l.starts[tied[i].row]
	}
	slices.SortFunc(tied, func(a, b tiedRow) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return cmp.Or(bytes.Compare(l.symbols.text(a.row), l.symbols.text(b.row)), cmp.Compare(l.rows.at(a.row).token, l.rows.at(b.row).token))
	})
}

// firstBytes are the first eight bytes of a text as a number of the same order.
func firstBytes(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	n := uint64(0)
	for i, c := range text {
		n |= uint64(c) << (56 - 8*i)
	}
	return n
}

// The ranks of what expires.
const (
	rankFuture = iota + 1
	rankCall
	rankPut
)

// kindRank is 0 for what does not expire; futures, calls and puts follow in this order.
func kindRank(kind string) uint8 {
	switch kind {
	case typeFuture:
		return rankFuture
	case typeCall:
		return rankCall
	case typePut:
		return rankPut
	default:
		return 0
	}
}

// ranks is the place of each text: first those named, in the given order, then the others by their text.
func ranks(texts []string, first ...string) []uint64 {
	sorted := slices.Clone(texts)
	slices.SortFunc(sorted, func(a, b string) int {
		x, y := slices.Index(first, a), slices.Index(first, b)
		switch {
		case x >= 0 && y >= 0:
			return x - y
		case x >= 0:
			return -1
		case y >= 0:
			return 1
		}
		return strings.Compare(a, b)
	})
	place := make(map[string]uint64, len(sorted))
	for _, text := range sorted {
		place[text] = uint64(len(place))
	}
	out := make([]uint64, len(texts))
	for i, text := range texts {
		out[i] = place[text]
	}
	return out
}

// digest is computed over sorted rows and numbers given out in their order, so only the content counts.
func (m *Instruments) digest() string {
	h := sha256.New()
	buf := make([]byte, 32<<10)
	n := 0
	for i := range m.rows {
		r := &m.rows[i]
		b := buf[n : n+32]
		binary.LittleEndian.PutUint64(b, uint64(r.token)<<32|uint64(r.lot))
		binary.LittleEndian.PutUint64(b[8:], uint64(r.name)<<32|uint64(r.isin))
		binary.LittleEndian.PutUint64(b[16:], uint64(r.details)<<32|uint64(r.strike))
		binary.LittleEndian.PutUint64(b[24:], uint64(r.expiry)<<40|uint64(r.tick)<<24|uint64(r.kind)<<16|uint64(r.segment)<<8|uint64(r.exchange))
		if n += 32; n == len(buf) {
			h.Write(buf)
			n = 0
		}
	}
	h.Write(buf[:n])
	for _, texts := range []string{m.symbols.all, m.names.all, m.isins.all, m.detailTexts.all} {
		h.Write([]byte(texts))
	}
	for _, texts := range [][]string{m.expiries, m.kinds, m.segments, m.exchanges} {
		h.Write([]byte(strings.Join(texts, "\n") + "\n\n"))
	}
	buf = buf[:0]
	for _, p := range slices.Concat(m.ticks, m.strikes) {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(p)) //nolint:gosec // bytes are meant
	}
	for _, d := range m.details {
		for _, id := range d {
			buf = binary.LittleEndian.AppendUint32(buf, id)
		}
	}
	for _, c := range []column{m.lastPrices, m.lowerLimits, m.upperLimits} {
		for _, p := range c {
			buf = binary.LittleEndian.AppendUint64(buf, uint64(p)) //nolint:gosec // bytes are meant
		}
		buf = append(buf, '\n')
	}
	for _, token := range slices.Sorted(maps.Keys(m.exchangeTokens)) {
		buf = binary.LittleEndian.AppendUint32(buf, token)
		buf = binary.LittleEndian.AppendUint32(buf, m.exchangeTokens[token])
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))[:12]
}
