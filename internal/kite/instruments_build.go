package kite

import (
	"errors"
	"fmt"
)

// finish puts the rows in order and builds everything that depends on it.
func (l *instrumentsLoader) finish() (*Instruments, error) {
	good := l.rows.count
	switch {
	case l.format == nil:
		return nil, errors.New("empty input")
	case good == 0:
		return nil, errors.New("no usable row")
	case l.stats.Skipped > good:
		return nil, fmt.Errorf("%d of %d rows cannot be read", l.stats.Skipped, l.stats.Skipped+good)
	case l.stats.Duplicates > good:
		return nil, fmt.Errorf("%d of %d rows repeat others", l.stats.Duplicates, l.stats.Duplicates+good)
	}
	m := &Instruments{exchangeTokens: l.exchangeTokens}
	if unique := l.arrange(m); !unique {
		if l.dropDuplicates(); l.stats.Duplicates > good-l.stats.Duplicates {
			return nil, fmt.Errorf("%d of %d rows repeat others", l.stats.Duplicates, good)
		}
		l.arrange(m)
	}
	l.stats.Rows = len(m.rows)
	m.index()
	m.revision = m.digest()
	return m, nil
}

// dropDuplicates keeps the first row of every token and of every id: two answers for one key would be a coin toss.
func (l *instrumentsLoader) dropDuplicates() {
	type id struct {
		exchange uint8
		symbol   string
	}
	tokens, ids := make(map[uint32]bool, l.rows.count), make(map[id]bool, l.rows.count)
	l.dead = make([]bool, l.rows.count)
	for i := range uint32(l.rows.count) { //nolint:gosec // row numbers fit
		r := l.rows.at(i)
		key := id{r.exchange, string(l.symbols.text(i))}
		if l.dead[i] = tokens[r.token] || ids[key]; l.dead[i] {
			l.stats.Duplicates++
			continue
		}
		tokens[r.token], ids[key] = true, true
	}
}

// arrange moves rows, symbols and amounts into their order and builds what finds a row by its keys. It reports false
// when keys are not unique.
func (l *instrumentsLoader) arrange(m *Instruments) (unique bool) {
	order := l.sortedOrder()
	l.renumber(m, order)
	symbols := newTextBuilder(len(l.symbols.all), len(order))
	for _, old := range order {
		symbols.add(l.symbols.text(old))
	}
	var uniqueTokens, uniqueSymbols bool
	m.byToken, uniqueTokens = newTokenTable(m.rows)
	m.symbols = newTextIndex(symbols.list())
	m.bySymbol, uniqueSymbols = newSymbolTable(m.rows, &m.symbols)
	if !uniqueTokens || !uniqueSymbols {
		return false
	}
	m.lastPrices = l.lastPrices.arranged(order)
	m.lowerLimits = l.lowerLimits.arranged(order)
	m.upperLimits = l.upperLimits.arranged(order)
	return true
}

// index builds what searches and chains use.
func (m *Instruments) index() {
	m.byName = newPostings(m.rows, m.names.len(), func(r *instrumentRow) uint32 { return r.name })
	m.byISIN = newPostings(m.rows, m.isins.len(), func(r *instrumentRow) uint32 { return r.isin })
	m.ranks = make([]uint8, len(m.kinds))
	for i, k := range m.kinds {
		m.ranks[i] = kindRank(k)
	}
	m.spans = newSpans(m.rows, len(m.exchanges), m.ranks)
	m.groups = newGroups(m)
	m.scratch = newScratchPool(m)
}

func (c column) arranged(order []uint32) column {
	if c == nil {
		return nil
	}
	out := make(column, len(order))
	for i, old := range order {
		if int(old) < len(c) {
			out[i] = c[old]
		}
	}
	return out
}

// renumber puts the rows in order and numbers all interned values by their first mention in it.
func (l *instrumentsLoader) renumber(m *Instruments, order []uint32) {
	names, isins, details := newNumbering(l.names.len()), newNumbering(l.isins.len()), newNumbering(len(l.detailRows))
	expiries, ticks, strikes := newNumbering(l.expiries.len()), newNumbering(l.ticks.len()), newNumbering(l.strikes.len())
	kinds, segments, exchanges := newNumbering(l.kinds.len()), newNumbering(l.segments.len()), newNumbering(l.exchanges.len())
	m.rows = make([]instrumentRow, len(order)) // not moved in place: duplicates may ask for a second arrangement
	for i, old := range order {
		from, r := l.rows.at(old), &m.rows[i]
		r.token, r.lot = from.token, from.lot
		r.name, r.isin, r.details, r.strike = names.of(from.name), isins.of(from.isin), details.of(from.details), strikes.of(from.strike)
		r.expiry, r.tick = uint16(expiries.of(uint32(from.expiry))), uint16(ticks.of(uint32(from.tick)))                                                         //nolint:gosec // not more than before
		r.kind, r.segment, r.exchange = uint8(kinds.of(uint32(from.kind))), uint8(segments.of(uint32(from.segment))), uint8(exchanges.of(uint32(from.exchange))) //nolint:gosec // not more than before
	}
	m.names = newTextIndex(names.reordered(&l.names.textBuffer))
	m.isins = newTextIndex(isins.reordered(&l.isins.textBuffer))
	m.expiries, m.kinds = expiries.pick(l.expiries.strings()), kinds.pick(l.kinds.strings())
	m.segments, m.exchanges = segments.pick(l.segments.strings()), exchanges.pick(l.exchanges.strings())
	m.ticks, m.strikes = ticks.prices(l.ticks.prices), strikes.prices(l.strikes.prices)
	texts := newNumbering(l.detailTexts.len())
	m.details = make([][detailCount]uint32, 0, len(details.order))
	for _, old := range details.order {
		ids := l.detailRows[old]
		for i := range ids {
			ids[i] = texts.of(ids[i])
		}
		m.details = append(m.details, ids)
	}
	m.detailTexts = texts.reordered(&l.detailTexts.textBuffer)
}

// prices returns the prices under their new numbers. Number 0, the empty text, has none while no other was read.
func (n *numbering) prices(prices []Price) []Price {
	out := make([]Price, len(n.order))
	for i, old := range n.order {
		if old != 0 {
			out[i] = prices[old]
		}
	}
	return out
}

func (n *numbering) pick(texts []string) []string {
	out := make([]string, len(n.order))
	for i, old := range n.order {
		out[i] = texts[old]
	}
	return out
}
