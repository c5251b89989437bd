package kite

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"
)

// row reads one JSON object of Kite's field by field. A field that is missing or null reads as zero; one that cannot
// be read is zero too and leaves a problem behind, so that one odd number never costs the whole list.
type row struct {
	fields   []member
	problems []string
}

func readRow(raw json.RawMessage) *row {
	r := &row{}
	fields, ok := splitObject(raw)
	if !ok {
		r.problems = append(r.problems, "not an object: "+shorten(string(raw)))
	}
	r.fields = fields
	return r
}

// raw returns the value of a field as sent; nil when it is missing. Of a repeated field the last one counts.
func (r *row) raw(key string) json.RawMessage {
	for _, m := range slices.Backward(r.fields) {
		if string(m.key) == key {
			return m.value
		}
	}
	return nil
}

func (r *row) has(key string) bool {
	raw := r.raw(key)
	return raw != nil && string(raw) != "null"
}

func (r *row) bad(key string) {
	r.problems = append(r.problems, key+": "+shorten(string(r.raw(key))))
}

func (r *row) text(key string) string {
	if !r.has(key) {
		return ""
	}
	s, ok := unquote(r.raw(key))
	if !ok {
		r.bad(key)
	}
	return s
}

// id reads an id, which is text but has been sent as a number.
func (r *row) id(key string) string {
	if raw := r.raw(key); len(raw) > 0 && raw[0] >= '0' && raw[0] <= '9' {
		return string(raw)
	}
	return r.text(key)
}

func (r *row) texts(key string) []string {
	out := []string{}
	if r.has(key) && json.Unmarshal(r.raw(key), &out) != nil {
		r.bad(key)
		return []string{}
	}
	return out
}

func (r *row) flag(key string) bool {
	var b bool
	if r.has(key) && json.Unmarshal(r.raw(key), &b) != nil {
		r.bad(key)
	}
	return b
}

// number returns the digits of a number that may be sent as a string.
func (r *row) number(key string) []byte {
	raw := r.raw(key)
	if len(raw) >= 2 && raw[0] == '"' {
		return raw[1 : len(raw)-1]
	}
	return raw
}

func (r *row) price(key string) Price {
	n := r.number(key)
	if n == nil || string(n) == "null" {
		return 0
	}
	units, ok := parseDecimal(n)
	if !ok {
		r.bad(key)
	}
	return Price(units)
}

func (r *row) prices(key string) []Price {
	values, ok := list(r.raw(key))
	if !ok {
		r.bad(key)
	}
	out := make([]Price, 0, len(values))
	for _, v := range values {
		units, ok := parseDecimal([]byte(v))
		if !ok {
			r.bad(key)
		}
		out = append(out, Price(units))
	}
	return out
}

// count reads a whole number. 1.0 is whole, 10.5 is a problem.
func (r *row) count(key string) int64 {
	n := r.number(key)
	if n == nil || string(n) == "null" {
		return 0
	}
	units, ok := parseDecimal(n)
	if !ok || units%priceScale != 0 {
		r.bad(key)
		return 0
	}
	return units / priceScale
}

func (r *row) token() uint32 {
	const key = "instrument_token"
	n := r.count(key)
	if n < 0 || n > 1<<32-1 {
		r.bad(key)
		return 0
	}
	return uint32(n)
}

// when reads an exchange time, which has no zone on the wire and is IST. Empty is the zero time, and so is the year 1,
// which Kite sends for what never traded.
func (r *row) when(key string) time.Time {
	s := r.text(key)
	if s == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, IST); err == nil && t.Year() == 1 {
			return time.Time{}
		} else if err == nil {
			return t
		}
	}
	r.bad(key)
	return time.Time{}
}

// object reads a nested object; adopt takes over its problems.
func (r *row) object(key string) *row {
	if !r.has(key) {
		return &row{}
	}
	return readRow(r.raw(key))
}

func (r *row) adopt(key string, nested *row) {
	for _, p := range nested.problems {
		r.problems = append(r.problems, key+"."+p)
	}
}

// list splits a JSON array into its elements. Kite sends null for an empty list.
func list(raw json.RawMessage) ([]json.RawMessage, bool) {
	i := skipSpace(raw, 0)
	if i == len(raw) || string(bytes.TrimSpace(raw)) == "null" {
		return nil, true
	}
	if raw[i] != '[' {
		return nil, false
	}
	var rows []json.RawMessage
	for i++; ; {
		if i = skipSpace(raw, i); i >= len(raw) || raw[i] == ']' {
			return rows, true
		}
		if raw[i] == ',' {
			i++
			continue
		}
		end := valueEnd(raw, i)
		rows = append(rows, raw[i:end:end])
		i = end
	}
}

// member is one field of an object, its value as sent.
type member struct {
	key   []byte
	value json.RawMessage
}

// splitObject finds the fields of an object. Like list, it is given parts of an answer that encoding/json has found
// valid, so it only has to find where values end; that is many times cheaper than decoding every row into a map.
func splitObject(raw json.RawMessage) ([]member, bool) {
	i := skipSpace(raw, 0)
	if i == len(raw) || raw[i] != '{' {
		return nil, false
	}
	fields := make([]member, 0, 32)
	for i++; ; {
		if i = skipSpace(raw, i); i >= len(raw) || raw[i] == '}' {
			return fields, true
		}
		if raw[i] == ',' {
			i++
			continue
		}
		end := valueEnd(raw, i)
		key := raw[min(i+1, end):max(end-1, i+1)]
		if bytes.IndexByte(key, '\\') >= 0 || !utf8.Valid(key) {
			text, _ := unquote(raw[i:end])
			key = []byte(text)
		}
		i = skipSpace(raw, end) + 1 // the colon
		i = skipSpace(raw, i)
		end = valueEnd(raw, i)
		fields = append(fields, member{key, raw[min(i, end):end:end]})
		i = end
	}
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// valueEnd returns the index after the value that starts at i; always beyond i, so that a reader moves on.
func valueEnd(raw []byte, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
			if depth == 0 {
				return min(i+1, len(raw))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		default:
			if depth == 0 {
				return literalEnd(raw, i)
			}
		}
	}
	return len(raw)
}

// stringEnd returns the index of the quote that closes the string opened at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

func literalEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case ',', ']', '}', ' ', '\n', '\t', '\r':
			return i
		}
	}
	return len(raw)
}

// unquote reads a JSON string. One without escapes is copied as it is.
func unquote(raw []byte) (string, bool) {
	if len(raw) >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
