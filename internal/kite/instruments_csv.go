package kite

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
)

// csvFormat is what the header of a CSV says, and the row before.
type csvFormat struct {
	columns []csvColumn
	before  []byte // the line before; empty when it is gone, or was no plain row
	rec     record
}

type csvColumn struct {
	field field
	size  int // of the field in the line before, with quotes and comma
}

// header finds the columns. The error is fatal: the text is no instruments list.
func (c *csvFormat) header(text []byte) error {
	names, err := splitOdd(text)
	if err != nil {
		return errors.New("not an instruments list: the first line is no CSV header")
	}
	var present [fieldCount]bool
	for _, name := range names {
		f := fieldOf(string(bytes.TrimSpace([]byte(name))))
		if f != fieldUnknown && present[f] { // of two, the last counts
			c.columns[slices.IndexFunc(c.columns, func(c csvColumn) bool { return c.field == f })].field = fieldUnknown
		}
		if f != fieldUnknown {
			present[f] = true
		}
		c.columns = append(c.columns, csvColumn{field: f})
	}
	for f := range requiredFields {
		if !present[f] {
			return fmt.Errorf("not an instruments list: column %s is missing", fieldNames()[f])
		}
	}
	return nil
}

func (l *instrumentsLoader) csvRow(text []byte) error {
	c := &l.csv
	plain, err := c.split(text)
	if !plain && err == nil {
		err = c.splitOdd(text)
	}
	if err != nil {
		return err
	}
	return l.add(&c.rec)
}

// split cuts a line at its commas. What is as in the line before is passed over. It reports false when there are quotes
// that do not just enclose a field: such a line encoding/csv has to read. An error means that the number of fields is
// wrong.
func (c *csvFormat) split(line []byte) (plain bool, err error) {
	before := c.before
	known, last := len(before) > 0, len(c.columns)-1
	c.before, c.rec.changed = nil, 0
	pos, shift := 0, 0                 // where a column begins, and how much later it did in the line before
	same := commonPrefix(line, before) // up to where both lines agree
	for i := range c.columns {
		column := &c.columns[i]
		if end := pos + column.size; known && end <= same && (i < last || end == len(line)) {
			pos = end
			continue
		}
		text, end := csvField(line, pos, same)
		switch {
		case end < 0:
			return false, nil
		case end < len(line) && i < last:
			end++
		case end < len(line) || i < last:
			return true, c.wrongCount()
		}
		if f := column.field; f >= 0 {
			c.rec.text[f] = text
			c.rec.changed |= 1 << f
		}
		shift += column.size - (end - pos)
		column.size = end - pos
		pos, same = end, end
		if known {
			same += commonPrefix(line[pos:], before[pos+shift:])
		}
	}
	c.before = line
	return true, nil
}

// csvField returns the text of the field that begins at pos, and where its comma or the end of the line is: -1 when
// there are quotes inside. Up to first there is known to be no comma, and no quote but at pos.
func csvField(line []byte, pos, first int) (text []byte, end int) {
	if pos < len(line) && line[pos] == '"' {
		length := bytes.IndexByte(line[pos+1:], '"')
		end = pos + length + 2
		if length < 0 || end < len(line) && line[end] != ',' {
			return nil, -1
		}
		return line[pos+1 : end-1], end
	}
	end = first
	for rest := line[first:]; len(rest) >= 8; rest = rest[8:] {
		word := binary.LittleEndian.Uint64(rest)
		if stop := firstEqual(word, ',') | firstEqual(word, '"'); stop != 0 {
			end += bits.TrailingZeros64(stop) / 8
			break
		}
		end += 8
	}
	for end < len(line) && line[end] != ',' && line[end] != '"' {
		end++
	}
	if end < len(line) && line[end] == '"' {
		return nil, -1
	}
	return line[pos:end], end
}

// commonPrefix returns how many bytes a and b begin with in common.
func commonPrefix(a, b []byte) (n int) {
	for len(a) >= 8 && len(b) >= 8 {
		if differ := binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b); differ != 0 {
			return n + bits.TrailingZeros64(differ)/8
		}
		n += 8
		a, b = a[8:], b[8:]
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		n++
	}
	return n
}

// firstEqual sets the highest bit of the first byte of word that is b; what it says of later bytes means nothing.
func firstEqual(word uint64, b byte) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	x := word ^ ones*uint64(b)
	return (x - ones) &^ x & highs
}

// bytesEqual sets the highest bit of each byte of word that is b.
func bytesEqual(word uint64, b byte) uint64 {
	const ones, low = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	x := word ^ ones*uint64(b)
	return ^(x&low + low | x | low)
}

func (c *csvFormat) wrongCount() error { return fmt.Errorf("not %d fields", len(c.columns)) }

// splitOdd is split by means of encoding/csv.
func (c *csvFormat) splitOdd(line []byte) error {
	texts, err := splitOdd(line)
	if err != nil {
		return err
	}
	if len(texts) != len(c.columns) {
		return c.wrongCount()
	}
	for i, text := range texts {
		if f := c.columns[i].field; f >= 0 {
			c.rec.text[f] = []byte(text)
		}
	}
	c.rec.changed = allFields
	return nil
}

// splitOdd reads one line on its own. A quote that is never closed stays inside its line in this way; reading the whole
// file, encoding/csv would swallow everything up to the next quote.
func splitOdd(line []byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(line))
	texts, err := r.Read()
	if err != nil {
		if e, ok := errors.AsType[*csv.ParseError](err); ok {
			err = e.Err
		}
		return nil, err
	}
	if _, err := r.Read(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one row")
	}
	return texts, nil
}
