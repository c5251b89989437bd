package kite

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

const (
	maxInstrumentsBytes = 512 << 20 // a decompressed master beyond this is an attack or a mistake
	maxInstrumentLine   = 64 << 10
	maxStatProblems     = 5
)

// LoadStats says what a load left out.
type LoadStats struct {
	Rows       int      // rows kept
	Skipped    int      // rows that could not be read
	Duplicates int      // rows whose id or token appeared before
	Problems   []string // the first few skipped rows, with line numbers
}

// LoadInstruments reads Kite's instruments CSV. Columns are found by name, so their order does not matter and unknown
// ones are passed over; isin is optional. A row that cannot be read is skipped and counted, never fatal. A wrong
// header, no usable row, or more bad rows than good ones fail the load.
func LoadInstruments(r io.Reader) (*Instruments, LoadStats, error) {
	l := newInstrumentsLoader()
	in := bufio.NewReaderSize(io.LimitReader(r, maxInstrumentsBytes+1), maxInstrumentLine)
	total := int64(0)
	for line := 1; ; line++ {
		text, size, err := readLine(in)
		if total += size; total > maxInstrumentsBytes {
			return nil, l.stats, errors.New("load instruments: input too large")
		}
		if size > 0 {
			if e := l.line(line, text); e != nil {
				return nil, l.stats, fmt.Errorf("load instruments: %w", e)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, l.stats, fmt.Errorf("load instruments: %w", err)
		}
	}
	return l.finish()
}

// readLine returns the next line without its end. A line longer than the buffer comes back as nil text. The text is
// valid until the next call.
func readLine(in *bufio.Reader) (text []byte, size int64, err error) {
	text, err = in.ReadSlice('\n')
	size = int64(len(text))
	if errors.Is(err, bufio.ErrBufferFull) {
		for errors.Is(err, bufio.ErrBufferFull) {
			text, err = in.ReadSlice('\n')
			size += int64(len(text))
		}
		return nil, size, err
	}
	return bytes.TrimRight(text, "\r\n"), size, err
}

type instrumentsLoader struct {
	m       *Instruments
	stats   LoadStats
	width   int     // columns of the header; 0 before it
	at      columns // where the known ones are
	fields  [][]byte
	names   interner
	isins   interner
	expiry  interner
	kinds   interner
	segment interner
	exch    interner
}

func newInstrumentsLoader() *instrumentsLoader {
	l := &instrumentsLoader{m: &Instruments{lastPrices: map[uint32]Price{}, exchangeTokens: map[uint32]uint32{}}}
	for _, in := range []*interner{&l.names, &l.isins, &l.expiry, &l.kinds, &l.segment, &l.exch} {
		in.ids = map[string]uint32{}
		in.id(nil) // id 0 is always the empty text
	}
	return l
}

// line takes one line; the error is fatal, a bad row is not.
func (l *instrumentsLoader) line(number int, text []byte) error {
	if l.width == 0 {
		return l.header(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	}
	if len(bytes.TrimSpace(text)) == 0 && text != nil {
		return nil
	}
	if err := l.row(text); err != nil {
		l.stats.Skipped++
		if len(l.stats.Problems) < maxStatProblems {
			l.stats.Problems = append(l.stats.Problems, fmt.Sprintf("line %d: %v", number, err))
		}
	}
	return nil
}

func (l *instrumentsLoader) header(text []byte) error {
	fields, err := splitCSV(text, nil)
	if err != nil {
		return errors.New("not an instruments list: the first line is no CSV header")
	}
	l.width = len(fields)
	for name, at := range l.at.byName() {
		*at = slices.IndexFunc(fields, func(f []byte) bool { return string(bytes.TrimSpace(f)) == name })
		if *at < 0 && name != "isin" {
			return fmt.Errorf("not an instruments list: column %s is missing", name)
		}
	}
	l.m.hasISIN = l.at.isin >= 0
	return nil
}

// columns are the places of the fields in a row.
type columns struct {
	token, exchangeToken, symbol, name, lastPrice, expiry, strike, tick, lot, kind, segment, exchange int
	isin                                                                                              int // -1 when there is none
}

func (c *columns) byName() map[string]*int {
	return map[string]*int{
		"instrument_token": &c.token, "exchange_token": &c.exchangeToken, "tradingsymbol": &c.symbol, "name": &c.name,
		"last_price": &c.lastPrice, "expiry": &c.expiry, "strike": &c.strike, "tick_size": &c.tick, "lot_size": &c.lot,
		"instrument_type": &c.kind, "segment": &c.segment, "exchange": &c.exchange, "isin": &c.isin,
	}
}

func (l *instrumentsLoader) row(text []byte) error {
	if text == nil {
		return errors.New("line too long")
	}
	fields, err := splitCSV(text, l.fields[:0])
	l.fields = fields
	if err != nil {
		return err
	}
	if len(fields) != l.width {
		return fmt.Errorf("%d fields, want %d", len(fields), l.width)
	}
	r, err := l.numbers(fields)
	if err != nil {
		return err
	}
	symbol := fields[l.at.symbol]
	length := len(symbol)
	exchange, segment := fields[l.at.exchange], fields[l.at.segment]
	if length == 0 || length > math.MaxUint8 || len(exchange) == 0 || len(segment) == 0 {
		return errors.New("tradingsymbol, exchange or segment missing or too long")
	}
	e, known := l.expiry.ids[string(fields[l.at.expiry])]
	if !known {
		if _, err := time.Parse(time.DateOnly, string(fields[l.at.expiry])); err != nil {
			return fmt.Errorf("expiry %q is no date", shorten(string(fields[l.at.expiry])))
		}
		e = l.expiry.id(fields[l.at.expiry])
	}
	k, s, x := l.kinds.id(fields[l.at.kind]), l.segment.id(segment), l.exch.id(exchange)
	if e > math.MaxUint16 || k > math.MaxUint8 || s > math.MaxUint8 || x > math.MaxUint8 {
		return errors.New("too many distinct expiries, types, segments or exchanges")
	}
	r.expiry, r.kind, r.segment, r.exchange = uint16(e), uint8(k), uint8(s), uint8(x)
	r.name = l.names.id(fields[l.at.name])
	if l.m.hasISIN {
		r.isin = l.isins.id(fields[l.at.isin])
	}
	at := len(l.m.symbols)
	if at > math.MaxUint32 {
		return errors.New("too many symbols")
	}
	r.symbolAt, r.symbolLen = uint32(at), uint8(length)
	l.m.symbols = append(l.m.symbols, symbol...)
	l.m.rows = append(l.m.rows, r)
	return nil
}

// numbers reads the numeric fields. A token of zero would collect every broken row under one key, so it is refused.
func (l *instrumentsLoader) numbers(fields [][]byte) (r instrumentRow, err error) {
	token, err1 := parseUint32(fields[l.at.token])
	exchangeToken, err2 := parseUint32(fields[l.at.exchangeToken])
	lot, err3 := parseUint32(fields[l.at.lot])
	strike, err4 := priceOrZero(fields[l.at.strike])
	tick, err5 := priceOrZero(fields[l.at.tick])
	last, err6 := priceOrZero(fields[l.at.lastPrice])
	switch err := errors.Join(err1, err2, err3, err4, err5, err6); {
	case err != nil:
		return r, err
	case token == 0:
		return r, errors.New("instrument_token is 0")
	case strike < 0, tick < 0, tick > math.MaxUint32:
		return r, errors.New("strike or tick_size out of range")
	}
	if last != 0 {
		l.m.lastPrices[token] = last
	}
	if exchangeToken != token>>8 {
		l.m.exchangeTokens[token] = exchangeToken
	}
	return instrumentRow{token: token, lot: lot, strike: int64(strike), tick: uint32(tick)}, nil
}

func (l *instrumentsLoader) finish() (*Instruments, LoadStats, error) {
	m := l.m
	switch {
	case l.width == 0:
		return nil, l.stats, errors.New("load instruments: empty input")
	case len(m.rows) == 0:
		return nil, l.stats, errors.New("load instruments: no usable row")
	case l.stats.Skipped > len(m.rows):
		return nil, l.stats, fmt.Errorf("load instruments: %d of %d rows cannot be read", l.stats.Skipped, l.stats.Skipped+len(m.rows))
	}
	m.names, m.isins, m.expiries = l.names.values, l.isins.values, l.expiry.values
	m.kinds, m.segments, m.exchanges = l.kinds.values, l.segment.values, l.exch.values
	l.stats.Duplicates = m.seal()
	l.stats.Rows = len(m.rows)
	return m, l.stats, nil
}

// splitCSV splits one line. A quoted field may hold commas and doubled quotes; a quote anywhere else is an error, which
// stays inside its line: a general CSV reader would swallow everything up to the next quote.
func splitCSV(line []byte, fields [][]byte) ([][]byte, error) {
	for {
		if len(line) == 0 || line[0] != '"' {
			field, rest, more := bytes.Cut(line, []byte{','})
			if bytes.IndexByte(field, '"') >= 0 {
				return fields, errors.New("bare quote")
			}
			fields = append(fields, field)
			if !more {
				return fields, nil
			}
			line = rest
			continue
		}
		field, rest, ok := quotedField(line[1:])
		if !ok {
			return fields, errors.New("quote not closed")
		}
		fields = append(fields, field)
		if len(rest) == 0 {
			return fields, nil
		}
		if rest[0] != ',' {
			return fields, errors.New("text after a closing quote")
		}
		line = rest[1:]
	}
}

// quotedField reads up to the closing quote; doubled quotes stand for one.
func quotedField(s []byte) (field, rest []byte, ok bool) {
	end := bytes.IndexByte(s, '"')
	if end < 0 {
		return nil, nil, false
	}
	if end+1 == len(s) || s[end+1] != '"' {
		return s[:end], s[end+1:], true
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			field = append(field, s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			field = append(field, '"')
			i++
			continue
		}
		return field, s[i+1:], true
	}
	return nil, nil, false
}

func parseUint32(b []byte) (uint32, error) {
	n := uint64(0)
	for _, d := range b {
		if n = n*10 + uint64(d-'0'); d < '0' || d > '9' || n > math.MaxUint32 {
			return 0, fmt.Errorf("%q is no whole number in range", shorten(string(b)))
		}
	}
	if len(b) == 0 {
		return 0, errors.New("a number is missing")
	}
	return uint32(n), nil
}

func priceOrZero(b []byte) (Price, error) {
	if len(b) == 0 {
		return 0, nil
	}
	units, ok := parseDecimal(b)
	if !ok {
		return 0, fmt.Errorf("%q is no price", shorten(string(b)))
	}
	return Price(units), nil
}

// interner gives equal texts one id and one copy.
type interner struct {
	ids    map[string]uint32
	values []string
	next   uint32
}

func (in *interner) id(text []byte) uint32 {
	if id, ok := in.ids[string(text)]; ok {
		return id
	}
	own, id := string(text), in.next
	in.next++
	in.ids[own] = id
	in.values = append(in.values, own)
	return id
}
