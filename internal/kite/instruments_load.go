package kite

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
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
	columns map[string]int // by name; nil before the header
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
	if l.columns == nil {
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
	l.columns = make(map[string]int, len(fields))
	for i, f := range fields {
		l.columns[string(bytes.TrimSpace(f))] = i
	}
	for _, want := range []string{
		"instrument_token", "exchange_token", "tradingsymbol", "name", "last_price", "expiry",
		"strike", "tick_size", "lot_size", "instrument_type", "segment", "exchange",
	} {
		if _, ok := l.columns[want]; !ok {
			return fmt.Errorf("not an instruments list: column %s is missing", want)
		}
	}
	_, l.m.hasISIN = l.columns["isin"]
	return nil
}

func (l *instrumentsLoader) field(name string) []byte { return l.fields[l.columns[name]] }

func (l *instrumentsLoader) row(text []byte) error {
	if text == nil {
		return errors.New("line too long")
	}
	fields, err := splitCSV(text, l.fields[:0])
	l.fields = fields
	if err != nil {
		return err
	}
	if len(fields) != len(l.columns) {
		return fmt.Errorf("%d fields, want %d", len(fields), len(l.columns))
	}
	r, err := l.numbers()
	if err != nil {
		return err
	}
	symbol := l.field("tradingsymbol")
	exchange, segment := l.field("exchange"), l.field("segment")
	if len(symbol) == 0 || len(symbol) > math.MaxUint8 || len(exchange) == 0 || len(segment) == 0 {
		return errors.New("tradingsymbol, exchange or segment missing or too long")
	}
	expiry := l.field("expiry")
	if !validDate(expiry) {
		return fmt.Errorf("expiry %q is no date", shorten(string(expiry)))
	}
	e, k, s, x := l.expiry.id(expiry), l.kinds.id(l.field("instrument_type")), l.segment.id(segment), l.exch.id(exchange)
	if e > math.MaxUint16 || k > math.MaxUint8 || s > math.MaxUint8 || x > math.MaxUint8 {
		return errors.New("too many distinct expiries, types, segments or exchanges")
	}
	r.expiry, r.kind, r.segment, r.exchange = uint16(e), uint8(k), uint8(s), uint8(x)
	r.name = l.names.id(l.field("name"))
	if l.m.hasISIN {
		r.isin = l.isins.id(l.field("isin"))
	}
	at := len(l.m.symbols)
	if at > math.MaxUint32 {
		return errors.New("too many symbols")
	}
	r.symbolAt, r.symbolLen = uint32(at), uint8(len(symbol))
	l.m.symbols = append(l.m.symbols, symbol...)
	l.m.rows = append(l.m.rows, r)
	return nil
}

// numbers reads the numeric fields. A token of zero would collect every broken row under one key, so it is refused.
func (l *instrumentsLoader) numbers() (r instrumentRow, err error) {
	token, err1 := parseUint32(l.field("instrument_token"))
	exchangeToken, err2 := parseUint32(l.field("exchange_token"))
	lot, err3 := parseUint32(l.field("lot_size"))
	strike, err4 := ParsePrice(zeroIfEmpty(l.field("strike")))
	tick, err5 := ParsePrice(zeroIfEmpty(l.field("tick_size")))
	last, err6 := ParsePrice(zeroIfEmpty(l.field("last_price")))
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
	case l.columns == nil:
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
	n, err := strconv.ParseUint(string(b), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number in range", shorten(string(b)))
	}
	return uint32(n), nil
}

func zeroIfEmpty(b []byte) string {
	if len(b) == 0 {
		return "0"
	}
	return string(b)
}

func validDate(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	_, err := time.Parse(time.DateOnly, string(b))
	return err == nil
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
