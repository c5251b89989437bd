package kite

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
)

// jsonFormat reads objects of one line each.
type jsonFormat struct {
	rec  record
	plan []plannedKey // keys of the line before, for the next one has the same as a rule
}

type plannedKey struct {
	key   string // with quotes and colon
	field field
}

func (l *instrumentsLoader) jsonRow(line []byte) error {
	j := &l.json
	clear(j.rec[:])
	if !j.split(line) {
		clear(j.rec[:])
		if err := j.splitOdd(line); err != nil {
			return err
		}
	}
	return l.add(&j.rec)
}

// split reads a flat object of printable ASCII without escapes. It reports false for any other line, which
// encoding/json has to read; what it accepts, encoding/json reads in the same way.
func (j *jsonFormat) split(line []byte) bool {
	if !isPlain(line) || len(line) == 0 || line[0] != '{' {
		return false
	}
	for pos, n := 1, 0; ; n++ {
		f, size := j.key(n, line[pos:])
		if size == 0 {
			return false
		}
		pos = skipSpaces(line, pos+size)
		text, size := plainValue(line[pos:])
		if size == 0 {
			return false
		}
		if f >= 0 {
			j.rec[f] = text
		}
		pos = skipSpaces(line, pos+size)
		if pos == len(line) {
			return false
		}
		if line[pos] == '}' {
			return skipSpaces(line, pos+1) == len(line)
		}
		if line[pos] != ',' {
			return false
		}
		pos = skipSpaces(line, pos+1)
	}
}

// key reads the n-th key with its colon; size 0 means that there is none.
func (j *jsonFormat) key(n int, b []byte) (f field, size int) {
	if n < len(j.plan) {
		if p := &j.plan[n]; len(b) >= len(p.key) && string(b[:len(p.key)]) == p.key {
			return p.field, len(p.key)
		}
	}
	if len(b) == 0 || b[0] != '"' {
		return 0, 0
	}
	length := bytes.IndexByte(b[1:], '"')
	size = length + 3
	if length < 0 || size > len(b) || b[size-1] != ':' {
		return 0, 0
	}
	p := plannedKey{key: string(b[:size]), field: fieldOf(string(b[1 : 1+length]))}
	if n < len(j.plan) {
		j.plan[n] = p
	} else if n < 2*int(fieldCount) {
		j.plan = append(j.plan, p)
	}
	return p.field, size
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
			j.rec[f] = []byte(strings.ReplaceAll(text, "\n", lineBreak(f)))
		case '{', '[':
			return errors.New("a field holds an object or a list")
		case 'n':
		default:
			j.rec[f] = raw
		}
	}
	return nil
}
