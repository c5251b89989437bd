package kite

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"time"
)

const (
	maxInstrumentsBytes = 512 << 20 // a decompressed master beyond this is an attack or a mistake
	maxInstrumentLine   = 64 << 10
	maxInstrumentText   = 255 // of a symbol; real ones have up to 30 bytes

	// What a list can have of each so that one number holds the order of a row; real ones have 125,000 instruments.
	maxInstruments  = 1<<22 - 1
	maxExpiries     = 1<<11 - 2
	maxWords        = 1<<6 - 2
	maxStatProblems = 5
)

// LoadStats says what a load left out.
type LoadStats struct {
	Rows       int      // rows kept
	Skipped    int      // rows that could not be read
	Duplicates int      // rows whose id or token appeared before
	Problems   []string // the first few skipped rows, with line numbers
}

// LoadInstruments reads an instruments list: Kite's CSV, or one JSON object a line; plain or in gzip. What it is, is
// seen from the content. Columns are found by name, so their order does not matter and unknown ones are passed over.
// A row that cannot be read is skipped and counted, never fatal. A wrong header, no usable row, more bad rows than good
// ones, or a list that ends within a row fail the load.
func LoadInstruments(r io.Reader) (*Instruments, LoadStats, error) {
	l := newInstrumentsLoader()
	if err := l.read(r); err != nil {
		return nil, l.stats, fmt.Errorf("load instruments: %w", err)
	}
	m, err := l.finish()
	if err != nil {
		return nil, l.stats, fmt.Errorf("load instruments: %w", err)
	}
	return m, l.stats, nil
}

func (l *instrumentsLoader) read(r io.Reader) error {
	in := bufio.NewReader(r)
	r = in
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return brokenOff(err)
		}
		r = unzip
	}
	lines := newLineReader(r)
	total := 0
	for number := 1; ; number++ {
		text, size, err := lines.next()
		if total += size; total > maxInstrumentsBytes {
			return errors.New("input too large")
		}
		if lines.moved {
			l.forget()
		}
		if size > 0 {
			skipped := l.stats.Skipped
			if err := l.line(number, text); err != nil {
				return err
			}
			if err != nil && l.stats.Skipped > skipped && errors.Is(err, io.EOF) {
				return errors.New("the list ends within a row")
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return brokenOff(err)
		}
	}
}

// brokenOff classifies an error of the reader: a connection that broke, which is typed already, or a damaged file.
func brokenOff(err error) error {
	if _, typed := errors.AsType[*Error](err); typed {
		return err
	}
	e := newError(KindUpstreamUnavailable, "the list breaks off or is damaged")
	e.Err = err
	return e
}

type instrumentsLoader struct {
	stats  LoadStats
	format func(l *instrumentsLoader, text []byte) error // nil before the first line
	csv    csvFormat
	json   jsonFormat

	rows           rowList
	last           instrumentRow // the row before, which the next one mostly repeats
	symbols        textBuffer
	starts         []uint64 // the first eight bytes of each symbol, by which most are sorted
	dead           []bool   // rows that repeat others; nil when there are none
	names, isins   interner
	expiries       interner
	kinds          interner
	segments       interner
	exchanges      interner
	ticks, strikes priceInterner
	detailed       bool // whether the source has any of the following
	details        map[[detailCount]uint32]uint32
	detailRows     [][detailCount]uint32
	detailTexts    interner
	lastDetails    [detailCount]uint32 // of the row before: neighbours mostly agree
	lastDetail     uint32
	lastPrices     amounts
	lowerLimits    amounts
	upperLimits    amounts
	exchangeTokens map[uint32]uint32
}

func newInstrumentsLoader() *instrumentsLoader {
	seed := maphash.MakeSeed()
	l := &instrumentsLoader{
		// Room for half of a real list: growing step by step would leave the same again as garbage.
		symbols: newTextBuffer(5<<18, 1<<16), starts: make([]uint64, 0, 1<<16),
		details: map[[detailCount]uint32]uint32{{}: 0}, detailRows: make([][detailCount]uint32, 1), exchangeTokens: map[uint32]uint32{},
	}
	for _, in := range []*interner{&l.names, &l.isins, &l.expiries, &l.kinds, &l.segments, &l.exchanges, &l.ticks.interner, &l.strikes.interner, &l.detailTexts} {
		*in = newInterner(seed)
	}
	return l
}

// line takes one line; the error is fatal, a bad row is not. The first line tells the format.
func (l *instrumentsLoader) line(number int, text []byte) error {
	if l.format == nil {
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		if trimmed := bytes.TrimLeft(text, " \t"); len(trimmed) == 0 || trimmed[0] != '{' {
			l.format = (*instrumentsLoader).csvRow
			err := l.csv.header(text)
			l.detailed = slices.ContainsFunc(l.csv.columns, func(c csvColumn) bool { return c.field >= firstDetail })
			return err
		}
		l.format, l.detailed = (*instrumentsLoader).jsonRow, true
	}
	if text != nil && len(text) < 16 && len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if err := l.readRow(text); err != nil {
		l.forget()
		l.stats.Skipped++
		if len(l.stats.Problems) < maxStatProblems {
			l.stats.Problems = append(l.stats.Problems, fmt.Sprintf("line %d: %v", number, err))
		}
	}
	return nil
}

func (l *instrumentsLoader) readRow(text []byte) error {
	if text == nil {
		return errors.New("line too long")
	}
	return l.format(l, text)
}

// forget makes the next row one that repeats nothing: because the texts of the row before are gone, or were no row.
func (l *instrumentsLoader) forget() {
	l.csv.before, l.json.before = nil, nil
	l.json.given = allFields // what the next line does not have is not what any row before it had
}

// add takes a row.
func (l *instrumentsLoader) add(rec *record) error {
	if l.rows.count == maxInstruments {
		return errors.New("too many instruments")
	}
	row := l.last
	if err := l.row(rec, &row); err != nil {
		return err
	}
	l.last = row
	l.rows.add(&row)
	l.symbols.add(rec.text[fieldSymbol])
	l.starts = append(doubled(l.starts), firstBytes(rec.text[fieldSymbol]))
	return nil
}

// rowList is rows in pieces, so that it grows without a copy.
type rowList struct {
	pieces [][]instrumentRow
	count  int
}

const rowPiece = 1 << 12

func (r *rowList) add(row *instrumentRow) {
	if r.count%rowPiece == 0 {
		r.pieces = append(r.pieces, make([]instrumentRow, rowPiece))
	}
	r.pieces[r.count/rowPiece][r.count%rowPiece] = *row
	r.count++
}

func (r *rowList) at(i uint32) *instrumentRow { return &r.pieces[i/rowPiece][i%rowPiece] }

// doubled makes room for one more. Appending alone would leave five times as much garbage in large slices.
func doubled[T any](s []T) []T {
	if len(s) == cap(s) {
		s = slices.Grow(s, max(256, len(s)))
	}
	return s
}

// row reads everything but the trading symbol into r, which holds the row before. What has not changed since is not
// looked at again: most of a row is as in the one before.
func (l *instrumentsLoader) row(rec *record, r *instrumentRow) (err error) {
	if symbol := rec.text[fieldSymbol]; len(symbol) == 0 || len(symbol) > maxInstrumentText || hasControl(symbol) {
		return errors.New("tradingsymbol is missing, too long or not printable")
	}
	if r.token, err = parseUint32(rec.text[fieldToken]); err != nil {
		return fmt.Errorf("instrument_token: %w", err)
	}
	if r.token == 0 { // would collect every broken row under one key
		return errors.New("instrument_token is 0")
	}
	exchangeToken, err := parseUint32(rec.text[fieldExchangeToken])
	if err != nil {
		return fmt.Errorf("exchange_token: %w", err)
	}
	if rec.changed&classFields != 0 {
		if err := l.class(rec, r); err != nil {
			return err
		}
	}
	if err := l.numbers(rec, r); err != nil {
		return err
	}
	l.rest(rec, r)
	if exchangeToken != r.token>>8 {
		l.exchangeTokens[r.token] = exchangeToken
	}
	return nil
}

// class reads what a row shares with many others.
func (l *instrumentsLoader) class(rec *record, r *instrumentRow) (err error) {
	kind, segment, exchange := true, true, true
	if rec.changed.has(fieldKind) {
		r.kind, kind = word(&l.kinds, rec.text[fieldKind])
	}
	if rec.changed.has(fieldSegment) {
		r.segment, segment = word(&l.segments, rec.text[fieldSegment])
	}
	if rec.changed.has(fieldExchange) {
		r.exchange, exchange = word(&l.exchanges, rec.text[fieldExchange])
	}
	switch {
	case len(rec.text[fieldExchange]) == 0, len(rec.text[fieldSegment]) == 0:
		return errors.New("exchange or segment is missing")
	case !kind || !segment || !exchange:
		return errors.New("instrument_type, segment or exchange is not one of a few printable words")
	}
	if rec.changed.has(fieldExpiry) || len(rec.text[fieldExpiry]) == 0 {
		r.expiry, err = l.expiry(rec)
	}
	return err
}

func (l *instrumentsLoader) numbers(rec *record, r *instrumentRow) (err error) {
	if rec.changed.has(fieldStrike) {
		if r.strike, err = l.strikes.id(rec.text[fieldStrike], maxInstruments); err != nil {
			return fmt.Errorf("strike: %w", err)
		}
	}
	if rec.changed.has(fieldTick) {
		tick, err := l.ticks.id(rec.text[fieldTick], math.MaxUint16)
		if err != nil {
			return fmt.Errorf("tick_size: %w", err)
		}
		r.tick = uint16(tick) //nolint:gosec // not above the limit given
	}
	if rec.changed.has(fieldLot) {
		if r.lot, err = parseUint32(rec.text[fieldLot]); err != nil {
			return fmt.Errorf("lot_size: %w", err)
		}
	}
	if rec.changed&amountFields != 0 {
		return cmp.Or(l.lastPrices.read(rec, fieldLastPrice), l.lowerLimits.read(rec, fieldLowerLimit), l.upperLimits.read(rec, fieldUpperLimit))
	}
	return nil
}

// rest reads what cannot be wrong, and keeps what stands in a place of its own.
func (l *instrumentsLoader) rest(rec *record, r *instrumentRow) {
	if rec.changed.has(fieldName) {
		r.name = l.names.id(rec.text[fieldName])
	}
	if rec.changed.has(fieldISIN) {
		r.isin = l.isins.id(rec.text[fieldISIN])
	}
	if l.detailed && rec.changed&detailFields != 0 {
		r.details = l.detail(rec)
	}
	l.lastPrices.keep(l.rows.count)
	l.lowerLimits.keep(l.rows.count)
	l.upperLimits.keep(l.rows.count)
}

// amounts are the prices of one column as they are read.
type amounts struct {
	column
	last  Price // of the newest row
	given bool  // whether that row has one
}

func (a *amounts) read(rec *record, f field) (err error) {
	text := rec.text[f]
	a.given = len(text) > 0 && (f != fieldLastPrice || string(text) != "0")
	a.last, err = parseAmount(text)
	return err
}

func (a *amounts) keep(row int) {
	if a.given {
		a.set(row, a.last)
	}
}

// priceInterner gives equal texts of prices one number, so that each is parsed once.
type priceInterner struct {
	interner
	prices []Price
}

func (in *priceInterner) id(text []byte, most int) (uint32, error) {
	id, known := in.known(text)
	if known {
		return id, nil
	}
	price, err := parseAmount(text)
	if err != nil {
		return 0, err
	}
	if in.len() > most {
		return 0, errors.New("too many distinct prices")
	}
	for len(in.prices) < in.len() { // the empty text
		in.prices = append(in.prices, 0)
	}
	in.prices = append(in.prices, price)
	return in.interner.id(text), nil
}

// word interns one of the texts that exist in a few forms only. A colon would make ids ambiguous.
func word(in *interner, text []byte) (uint8, bool) {
	id, known := in.known(text)
	if !known {
		if in.len() > maxWords || hasControl(text) || bytes.IndexByte(text, ':') >= 0 {
			return 0, false
		}
		id = in.id(text)
	}
	return uint8(id), true //nolint:gosec // there are never more
}

// expiry reads the day of expiry; the JSON lines have it as expiry_date, perhaps with a time.
func (l *instrumentsLoader) expiry(rec *record) (uint16, error) {
	text := rec.text[fieldExpiry]
	if len(text) == 0 && kindRank(string(rec.text[fieldKind])) > 0 {
		text = rec.text[fieldExpiryDate][:min(len(rec.text[fieldExpiryDate]), len(time.DateOnly))]
	}
	id, known := l.expiries.known(text)
	if !known {
		if _, err := time.Parse(time.DateOnly, string(text)); err != nil {
			return 0, fmt.Errorf("expiry %q is no date", shorten(string(text)))
		}
		id = l.expiries.id(text)
	}
	if id > maxExpiries {
		return 0, errors.New("too many distinct expiries")
	}
	return uint16(id), nil
}

// hasControl reports whether there is a control character, looking at eight bytes at a time.
func hasControl(text []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(text) >= 8; text = text[8:] {
		if w := binary.LittleEndian.Uint64(text); ((w-ones*' ')&^w|bytesEqual(w, 0x7f))&highs != 0 {
			return true
		}
	}
	for _, b := range text {
		if b < ' ' || b == 0x7f {
			return true
		}
	}
	return false
}

func parseUint32(b []byte) (uint32, error) {
	n, digits := uint64(0), len(b) <= 10
	for _, c := range b {
		d := uint64(c - '0')
		digits = digits && d <= 9
		n = n*10 + d
	}
	switch {
	case len(b) == 0:
		return 0, errors.New("a number is missing")
	case !digits || n > math.MaxUint32:
		return 0, fmt.Errorf("%q is no whole number in range", shorten(string(b)))
	}
	return uint32(n), nil
}

// parseAmount reads a price that is not negative; an empty text is 0.
func parseAmount(b []byte) (Price, error) {
	if len(b) == 0 || len(b) == 1 && b[0] == '0' {
		return 0, nil
	}
	units, ok := parseDecimal(b)
	if !ok || units < 0 {
		return 0, fmt.Errorf("%q is no price", shorten(string(b)))
	}
	return Price(units), nil
}
