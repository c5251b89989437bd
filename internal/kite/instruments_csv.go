package kite

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// csvFormat is what the header of a CSV says.
type csvFormat struct {
	fields []field // by column
	ends   []int   // of the fields of a line
	rec    record
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
		if f != fieldUnknown {
			present[f] = true
		}
		c.fields = append(c.fields, f)
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

// split cuts a line at its commas, eight bytes at a time. It reports false when there are quotes that do not just
// enclose a field: such a line encoding/csv has to read. An error means that the number of fields is wrong.
func (c *csvFormat) split(line []byte) (plain bool, err error) {
	ends := c.ends[:0]
	quotes := 0
	pos := 0
	for ; pos+8 <= len(line); pos += 8 {
		word := binary.LittleEndian.Uint64(line[pos:])
		for set := bytesEqual(word, ','); set != 0; set &= set - 1 {
			ends = append(ends, pos+bits.TrailingZeros64(set)/8)
		}
		quotes += bits.OnesCount64(bytesEqual(word, '"'))
	}
	for ; pos < len(line); pos++ {
		switch line[pos] {
		case ',':
			ends = append(ends, pos)
		case '"':
			quotes++
		}
	}
	ends = append(ends, len(line))
	c.ends = ends
	from, wrong := 0, len(ends) != len(c.fields)
	for column, end := range ends {
		text := line[from:end]
		from = end + 1
		if len(text) > 0 && text[0] == '"' {
			if len(text) == 1 || text[len(text)-1] != '"' {
				return false, nil
			}
			quotes -= 2
			text = text[1 : len(text)-1]
		}
		if !wrong && c.fields[column] >= 0 {
			c.rec[c.fields[column]] = text
		}
	}
	switch {
	case quotes != 0:
		return false, nil
	case wrong:
		return true, c.wrongCount()
	}
	return true, nil
}

// bytesEqual sets the highest bit of each byte of word that is b.
func bytesEqual(word uint64, b byte) uint64 {
	const ones, low = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	x := word ^ ones*uint64(b)
	return ^(x&low + low | x | low)
}

func (c *csvFormat) wrongCount() error { return fmt.Errorf("not %d fields", len(c.fields)) }

// splitOdd is split by means of encoding/csv.
func (c *csvFormat) splitOdd(line []byte) error {
	texts, err := splitOdd(line)
	if err != nil {
		return err
	}
	if len(texts) != len(c.fields) {
		return c.wrongCount()
	}
	for column, text := range texts {
		if f := c.fields[column]; f >= 0 {
			c.rec[f] = []byte(text)
		}
	}
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
