package kite

import (
	"encoding/json"
	"time"
)

// row reads one JSON object of Kite's field by field. A field that is missing or null reads as zero; one that cannot
// be read is zero too and leaves a problem behind, so that one odd number never costs the whole list.
type row struct {
	fields   map[string]json.RawMessage
	problems []string
}

func readRow(raw json.RawMessage) *row {
	r := &row{}
	if err := json.Unmarshal(raw, &r.fields); err != nil {
		r.problems = append(r.problems, "not an object: "+shorten(string(raw)))
	}
	return r
}

func (r *row) has(key string) bool {
	raw, ok := r.fields[key]
	return ok && string(raw) != "null"
}

func (r *row) bad(key string) {
	r.problems = append(r.problems, key+": "+shorten(string(r.fields[key])))
}

func (r *row) text(key string) string {
	var s string
	if r.has(key) && json.Unmarshal(r.fields[key], &s) != nil {
		r.bad(key)
	}
	return s
}

func (r *row) texts(key string) []string {
	out := []string{}
	if r.has(key) && json.Unmarshal(r.fields[key], &out) != nil {
		r.bad(key)
		return []string{}
	}
	return out
}

func (r *row) flag(key string) bool {
	var b bool
	if r.has(key) && json.Unmarshal(r.fields[key], &b) != nil {
		r.bad(key)
	}
	return b
}

// number returns the digits of a number that may be sent as a string.
func (r *row) number(key string) string {
	raw := string(r.fields[key])
	if len(raw) >= 2 && raw[0] == '"' {
		return raw[1 : len(raw)-1]
	}
	return raw
}

func (r *row) price(key string) Price {
	if !r.has(key) {
		return 0
	}
	units, ok := parseDecimal(r.number(key))
	if !ok {
		r.bad(key)
	}
	return Price(units)
}

// count reads a whole number. 1.0 is whole, 10.5 is a problem.
func (r *row) count(key string) int64 {
	if !r.has(key) {
		return 0
	}
	units, ok := parseDecimal(r.number(key))
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

// when reads an exchange time, which has no zone on the wire and is IST. Empty is the zero time.
func (r *row) when(key string) time.Time {
	s := r.text(key)
	if s == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, IST); err == nil {
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
	return readRow(r.fields[key])
}

func (r *row) adopt(key string, nested *row) {
	for _, p := range nested.problems {
		r.problems = append(r.problems, key+"."+p)
	}
}

// list splits a JSON array into its elements. Kite sends null for an empty list.
func list(raw json.RawMessage) ([]json.RawMessage, bool) {
	var rows []json.RawMessage
	if len(raw) > 0 && json.Unmarshal(raw, &rows) != nil {
		return nil, false
	}
	return rows, true
}
