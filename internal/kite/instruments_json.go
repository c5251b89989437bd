package kite

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/bits"
	"strings"
)

// jsonFormat reads objects of one line each.
type jsonFormat struct {
	rec    record
	before []byte     // the line before; empty when it is gone, or was no plain row
	pairs  []jsonPair // of the line before, for the next one mostly has the same keys in the same order
	given  fieldSet   // the fields of the line before
}

type jsonPair struct {
	key   string // with quotes and colon
	field field
	size  int // of key and value in the line before, with what stands behind: a comma and spaces, or the brace
}

const maxJSONPairs = 2 * int(fieldCount)

func (l *instrumentsLoader) jsonRow(line []byte) error {
	j := &l.json
	if !j.split(line) {
		if err := j.splitOdd(line); err != nil {
			return err
		}
	}
	return l.add(&j.rec)
}

// split reads a flat object of printable ASCII without escapes. What is as in the line before is passed over. It reports
// false for any other line, which encoding/json has to read; what it accepts, encoding/json reads in the same way.
func (j *jsonFormat) split(line []byte) bool {
	before := j.before
	j.before, j.rec.changed = nil, 0
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	if len(before) > 0 {
		before = before[1:]
	}
	pos, given := 1, fieldSet(0)
	same := commonPrefix(line[1:], before)
	for n := 0; n == 0 || line[pos-1] != '}'; n++ {
		if n == len(j.pairs) {
			if n == maxJSONPairs {
				return false
			}
			j.pairs = append(j.pairs, jsonPair{})
		}
		p := &j.pairs[n]
		if same > 0 && p.size <= same {
			pos += p.size
			before = before[p.size:]
			same -= p.size
		} else {
			size := j.pair(p, line[pos:], same)
			if size == 0 {
				return false
			}
			pos += size
			before = before[min(p.size, len(before)):]
			same = commonPrefix(line[pos:], before)
			p.size = size
		}
		if p.field >= 0 {
			if given.has(p.field) { // twice: the last one counts, whichever has changed
				return false
			}
			given |= 1 << p.field
		}
	}
	if skipSpaces(line, pos) != len(line) {
		return false
	}
	j.drop(j.given &^ given)
	j.given = given
	j.before = line
	return true
}

// drop empties fields that the line before had.
func (j *jsonFormat) drop(gone fieldSet) {
	j.rec.changed |= gone
	for ; gone != 0; gone &= gone - 1 {
		j.rec.text[bits.TrailingZeros32(uint32(gone))] = nil
	}
}

// pair reads a key, its value and what stands behind: a comma and spaces, or the brace that closes the object. Size 0
// means that it is no plain pair. The first bytes are known to be plain.
func (j *jsonFormat) pair(p *jsonPair, b []byte, first int) (size int) {
	if len(b) < len(p.key) || len(p.key) == 0 || string(b[:len(p.key)]) != p.key {
		if !p.read(b) {
			return 0
		}
	}
	pos := skipSpaces(b, len(p.key))
	text, size := plainValue(b[pos:])
	if size == 0 {
		return 0
	}
	pos = skipSpaces(b, pos+size)
	if pos == len(b) || b[pos] != ',' && b[pos] != '}' {
		return 0
	}
	if pos++; b[pos-1] == ',' {
		pos = skipSpaces(b, pos)
	}
	if !isPlain(b[min(first, pos):pos]) {
		return 0
	}
	if p.field >= 0 {
		j.rec.text[p.field] = text
		j.rec.changed |= 1 << p.field
	}
	return pos
}

// read finds out what the key at the beginning of b means.
func (p *jsonPair) read(b []byte) bool {
	if len(b) == 0 || b[0] != '"' {
		return false
	}
	length := bytes.IndexByte(b[1:], '"')
	size := length + 3
	if length < 0 || size > len(b) || b[size-1] != ':' {
		return false
	}
	p.key, p.field = string(b[:size]), fieldOf(string(b[1:1+length]))
	return true
}

// plainValue reads a text, a number or a literal at the beginning of b; size 0 means that it is something else. The
// text of null is empty.
func plainValue(b []byte) (text []byte, size int) {
	if len(b) == 0 {
		return nil, 0
	}
	switch b[0] {
	case '"':
		length := bytes.IndexByte(b[1:], '"')
		if length < 0 {
			return nil, 0
		}
		return b[1 : 1+length], length + 2
	case 't':
		return literal(b, "true")
	case 'f':
		return literal(b, "false")
	case 'n':
		_, size := literal(b, "null")
		return nil, size
	}
	for size < len(b) && '0' <= b[size] && b[size] <= '9' {
		size++
	}
	if size > 0 && size < len(b) && (b[size] == ',' || b[size] == '}') && (size == 1 || b[0] != '0') { // whole, as most are
		return b[:size], size
	}
	for size < len(b) && b[size] != ',' && b[size] != '}' && b[size] != ' ' {
		size++
	}
	if !isJSONNumber(b[:size]) {
		return nil, 0
	}
	return b[:size], size
}

func literal(b []byte, word string) ([]byte, int) {
	if !bytes.HasPrefix(b, []byte(word)) {
		return nil, 0
	}
	return b[:len(word)], len(word)
}

func skipSpaces(b []byte, pos int) int {
	for pos < len(b) && b[pos] == ' ' {
		pos++
	}
	return pos
}

// isJSONNumber knows the numbers without an exponent; others are left to encoding/json.
func isJSONNumber(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	digits := 0
	for digits < len(b) && '0' <= b[digits] && b[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 1 && b[0] == '0' {
		return false
	}
	if digits == len(b) {
		return true
	}
	decimals := b[digits+1:]
	for _, d := range decimals {
		if d < '0' || d > '9' {
			return false
		}
	}
	return b[digits] == '.' && len(decimals) > 0
}

// isPlain reports whether all bytes are printable ASCII and none is a backslash, eight at a time.
func isPlain(b []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	odd := func(w uint64) uint64 {
		slash := w ^ ones*'\\'
		return (w | (w - ones*' ') | (slash - ones)) & highs
	}
	for len(b) >= 8 {
		if odd(binary.LittleEndian.Uint64(b)) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c < ' ' || c >= 0x80 || c == '\\' {
			return false
		}
	}
	return true
}

// lineBreak is what a line break becomes: a space, but in a trading symbol it stays and refuses the row.
func lineBreak(f field) string {
	if f == fieldSymbol {
		return "\n"
	}
	return " "
}

// splitOdd is split by means of encoding/json.
func (j *jsonFormat) splitOdd(line []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return errors.New("not a JSON object")
	}
	j.rec = record{changed: allFields}
	j.given = allFields
	for name, raw := range object {
		f := fieldOf(name)
		if f < 0 {
			continue
		}
		switch raw[0] {
		case '"':
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return errors.New("not a JSON object")
			}
			// A line break, which only JSON can carry, would tear the buffers of texts.
			j.rec.text[f] = []byte(strings.ReplaceAll(text, "\n", lineBreak(f)))
		case '{', '[':
			return errors.New("a field holds an object or a list")
		case 'n':
		default:
			j.rec.text[f] = raw
		}
	}
	return nil
}
