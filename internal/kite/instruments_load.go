package kite

import (
	"bufio"
	"bytes"
	"compress/gzip"
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
	maxStatProblems     = 5
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
	in := bufio.NewReaderSize(r, maxInstrumentLine)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return brokenOff(err)
		}
		in = bufio.NewReaderSize(unzip, maxInstrumentLine)
	}
	total := 0
	for line := 1; ; line++ {
		text, size, err := readLine(in)
		if total += size; total > maxInstrumentsBytes {
			return errors.New("input too large")
		}
		if size > 0 {
			skipped := l.stats.Skipped
			if err := l.line(line, text); err != nil {
				return err
			}
			if errors.Is(err, io.EOF) && l.stats.Skipped > skipped {
				return errors.New("the list ends within a row")
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
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

// readLine returns the next line without its end. A line longer than the buffer comes back as nil text. The text is
// valid until the next call.
func readLine(in *bufio.Reader) (text []byte, size int, err error) {
	text, err = in.ReadSlice('\n')
	size = len(text)
	if errors.Is(err, bufio.ErrBufferFull) {
		for errors.Is(err, bufio.ErrBufferFull) {
			text, err = in.ReadSlice('\n')
			size += len(text)
		}
		return nil, size, err
	}
	if end := len(text) - 1; end >= 0 && text[end] == '\n' {
		text = text[:end]
	}
	if end := len(text) - 1; end >= 0 && text[end] == '\r' {
		text = text[:end]
	}
	return text, size, err
}

// field is a column of the source that means something to us.
type field int

const (
	fieldToken field = iota
	fieldExchangeToken
	fieldSymbol
	fieldName
	fieldLastPrice
	fieldExpiry
	fieldStrike
	fieldTick
	fieldLot
	fieldKind
	fieldSegment
	fieldExchange
	requiredFields // of a CSV; what follows, only the JSON lines have

	fieldISIN field = iota - 1
	fieldLowerLimit
	fieldUpperLimit
	fieldSeries
	fieldMultiplier
	fieldDeliveryUnits
	fieldPriceUnits
	fieldFreezeQuantity
	fieldMaxOrderQuantity
	fieldExpiryType
	fieldExpiryDate
	fieldExerciseStartDate
	fieldExerciseEndDate
	fieldIssueDate
	fieldListingDate
	fieldMaturityDate
	fieldActive
	fieldCount
	fieldUnknown field = -1

	firstDetail = fieldSeries
	detailCount = fieldCount - firstDetail
)

// fieldNames are the names of the columns and JSON keys.
func fieldNames() [fieldCount]string {
	return [fieldCount]string{
		"instrument_token", "exchange_token", "tradingsymbol", "name", "last_price", "expiry", "strike", "tick_size", "lot_size",
		"instrument_type", "segment", "exchange", "isin", "lower_circuit_limit", "upper_circuit_limit", "series", "multiplier",
		"delivery_units", "price_units", "freeze_quantity", "max_order_quantity", "expiry_type", "expiry_date", "exercise_start_date",
		"exercise_end_date", "issue_date", "listing_date", "maturity_date", "active",
	}
}

func fieldOf(name string) field {
	for i, n := range fieldNames() {
		if n == name {
			return field(i)
		}
	}
	return fieldUnknown
}

// record is one row as texts; what it does not have is empty. The texts are valid until the next line is read.
type record [fieldCount][]byte

type instrumentsLoader struct {
	stats  LoadStats
	format func(l *instrumentsLoader, text []byte) error // nil before the first line
	csv    csvFormat
	json   jsonFormat

	rows           []instrumentRow
	symbols        textBuffer
	highest        Price  // strike
	dead           []bool // rows that repeat others; nil when there are none
	names, isins   interner
	expiries       interner
	kinds          interner
	segments       interner
	exchanges      interner
	tickTexts      interner
	ticks          []Price // by number of the text
	detailed       bool    // whether the source has any of the following
	details        map[[detailCount]uint32]uint32
	detailRows     [][detailCount]uint32
	detailTexts    interner
	lastDetails    [detailCount]uint32 // of the row before: neighbours mostly agree
	lastDetail     uint32
	lastPrices     column
	lowerLimits    column
	upperLimits    column
	exchangeTokens map[uint32]uint32
}

func newInstrumentsLoader() *instrumentsLoader {
	seed := maphash.MakeSeed()
	l := &instrumentsLoader{
		symbols: newTextBuffer(64<<10, 4<<10),
		ticks:   []Price{0}, details: map[[detailCount]uint32]uint32{{}: 0}, detailRows: make([][detailCount]uint32, 1), exchangeTokens: map[uint32]uint32{},
	}
	for _, in := range []*interner{&l.names, &l.isins, &l.expiries, &l.kinds, &l.segments, &l.exchanges, &l.tickTexts, &l.detailTexts} {
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
			l.detailed = slices.ContainsFunc(l.csv.fields, func(f field) bool { return f >= firstDetail })
			return err
		}
		l.format, l.detailed = (*instrumentsLoader).jsonRow, true
	}
	if text != nil && len(text) < 16 && len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if err := l.readRow(text); err != nil {
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

// add takes a row.
func (l *instrumentsLoader) add(rec *record) error {
	r, err := l.row(rec)
	if err != nil {
		return err
	}
	if err := l.amounts(rec, &r); err != nil {
		return err
	}
	l.rows = append(doubled(l.rows), r)
	l.symbols.add(rec[fieldSymbol])
	return nil
}

// doubled makes room for one more. Appending alone would leave five times as much garbage in large slices.
func doubled[T any](s []T) []T {
	if len(s) == cap(s) {
		s = slices.Grow(s, max(256, len(s)))
	}
	return s
}

// row reads what identifies an instrument and what can be interned.
func (l *instrumentsLoader) row(rec *record) (r instrumentRow, err error) {
	switch {
	case len(rec[fieldSymbol]) == 0, len(rec[fieldSymbol]) > maxInstrumentText, hasControl(rec[fieldSymbol]):
		return r, errors.New("tradingsymbol is missing, too long or not printable")
	case len(rec[fieldExchange]) == 0, len(rec[fieldSegment]) == 0:
		return r, errors.New("exchange or segment is missing")
	}
	if r.token, err = parseUint32(rec[fieldToken]); err != nil {
		return r, fmt.Errorf("instrument_token: %w", err)
	}
	if r.token == 0 { // would collect every broken row under one key
		return r, errors.New("instrument_token is 0")
	}
	if r.expiry, err = l.expiry(rec); err != nil {
		return r, err
	}
	if r.tick, err = l.tick(rec[fieldTick]); err != nil {
		return r, err
	}
	k, ok1 := word(&l.kinds, rec[fieldKind])
	s, ok2 := word(&l.segments, rec[fieldSegment])
	x, ok3 := word(&l.exchanges, rec[fieldExchange])
	if !ok1 || !ok2 || !ok3 {
		return r, errors.New("instrument_type, segment or exchange is not one of a few printable words")
	}
	r.kind, r.segment, r.exchange = k, s, x
	return r, nil
}

// word interns one of the texts that exist in a few forms only. A colon would make ids ambiguous.
func word(in *interner, text []byte) (uint8, bool) {
	id, known := in.known(text)
	if !known {
		if in.len() > math.MaxUint8 || hasControl(text) || bytes.IndexByte(text, ':') >= 0 {
			return 0, false
		}
		id = in.id(text)
	}
	return uint8(id), true //nolint:gosec // there are never more
}

// amounts reads the rest of the numbers and the texts that have a place of their own.
func (l *instrumentsLoader) amounts(rec *record, r *instrumentRow) error {
	row := len(l.rows)
	exchangeToken, err := parseUint32(rec[fieldExchangeToken])
	if err != nil {
		return err
	}
	if r.lot, err = parseUint32(rec[fieldLot]); err != nil {
		return err
	}
	strike, err := parseAmount(rec[fieldStrike])
	if err != nil || strike >= 1<<strikeBits {
		return fmt.Errorf("strike %q is no price in range", shorten(string(rec[fieldStrike])))
	}
	for _, c := range [...]struct {
		f  field
		to *column
	}{{fieldLastPrice, &l.lastPrices}, {fieldLowerLimit, &l.lowerLimits}, {fieldUpperLimit, &l.upperLimits}} {
		text := rec[c.f]
		if len(text) == 0 || c.f == fieldLastPrice && string(text) == "0" {
			continue
		}
		amount, err := parseAmount(text)
		if err != nil {
			return err
		}
		c.to.set(row, amount)
	}
	if exchangeToken != r.token>>8 {
		l.exchangeTokens[r.token] = exchangeToken
	}
	r.strike = int64(strike)
	l.highest = max(l.highest, strike)
	r.name, r.isin = l.names.id(oneLine(rec[fieldName])), l.isins.id(oneLine(rec[fieldISIN]))
	if l.detailed {
		r.details = l.detail(rec)
	}
	return nil
}

// expiry reads the day of expiry; the JSON lines have it as expiry_date, perhaps with a time.
func (l *instrumentsLoader) expiry(rec *record) (uint16, error) {
	text := rec[fieldExpiry]
	if len(text) == 0 && kindRank(string(rec[fieldKind])) > 0 {
		text = rec[fieldExpiryDate][:min(len(rec[fieldExpiryDate]), len(time.DateOnly))]
	}
	id, known := l.expiries.known(text)
	if !known {
		if _, err := time.Parse(time.DateOnly, string(text)); err != nil {
			return 0, fmt.Errorf("expiry %q is no date", shorten(string(text)))
		}
		id = l.expiries.id(text)
	}
	if id > math.MaxUint16 {
		return 0, errors.New("too many distinct expiries")
	}
	return uint16(id), nil
}

func (l *instrumentsLoader) tick(text []byte) (uint16, error) {
	id, known := l.tickTexts.known(text)
	if !known {
		tick, err := parseAmount(text)
		if err != nil {
			return 0, err
		}
		id = l.tickTexts.id(text)
		l.ticks = append(l.ticks, tick)
	}
	if id > math.MaxUint16 {
		return 0, errors.New("too many distinct tick sizes")
	}
	return uint16(id), nil
}

// detail interns the fields that only the JSON lines have. Most rows share all of them with many others.
func (l *instrumentsLoader) detail(rec *record) uint32 {
	var ids [detailCount]uint32
	for i := range ids {
		text := rec[firstDetail+field(i)]
		if len(text) == 0 {
			continue
		}
		if last := l.lastDetails[i]; bytes.Equal(text, l.detailTexts.text(last)) {
			ids[i] = last
		} else if usableDetail(firstDetail+field(i), text) {
			ids[i] = l.detailTexts.id(oneLine(text))
		}
	}
	if ids == l.lastDetails {
		return l.lastDetail
	}
	id, known := l.details[ids]
	if !known {
		id = uint32(len(l.detailRows)) //nolint:gosec // at most as many as rows
		l.details[ids] = id
		l.detailRows = append(l.detailRows, ids)
	}
	l.lastDetails, l.lastDetail = ids, id
	return id
}

// usableDetail reports whether a text is what the field holds; a detail that cannot be read is not known.
func usableDetail(f field, text []byte) bool {
	switch f {
	case fieldMultiplier, fieldFreezeQuantity, fieldMaxOrderQuantity:
		return isJSONNumber(text)
	case fieldActive:
		return string(text) == "true" || string(text) == "false"
	default:
		return true
	}
}

// oneLine keeps line breaks, which only JSON can carry, out of the buffers of texts.
func oneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte{'\n'}, []byte{' '})
}

func hasControl(text []byte) bool {
	for _, b := range text {
		if b < ' ' || b == 0x7f {
			return true
		}
	}
	return false
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
