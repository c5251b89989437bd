package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// Result is the outcome of a call: one JSON object, and the text shown beside
// it. Both edges and the tests read this value.
type Result struct {
	Structured json.RawMessage // one JSON object
	Text       string          // the same as text: compact JSON unless the tool has better
	Source     *Source         // for the Kite app: the call that gives this result again
}

// Meta is the "meta" member of a result.
type Meta map[string]any

// stamp is embedded in every account or market result. The binder fills it.
type stamp struct {
	Demo bool `json:"demo,omitempty"`
	Meta Meta `json:"meta"`
}

type stamped interface {
	stampIt(env *Env, ignored []string)
}

// stampIt adds receipt time, ignored arguments and the demo mark.
func (s *stamp) stampIt(env *Env, ignored []string) {
	if s.Meta == nil {
		s.Meta = Meta{}
	}
	s.Meta["fetched_at"] = env.Now().In(kite.IST).Format(time.RFC3339)
	for _, name := range ignored {
		s.ignore(name)
	}
	s.Demo = env.Demo
}

// ignore notes an argument that was sent and means nothing for this answer.
func (s *stamp) ignore(name string) {
	if s.Meta == nil {
		s.Meta = Meta{}
	}
	had, _ := s.Meta["ignored_arguments"].([]string)
	s.Meta["ignored_arguments"] = append(had, name)
}

// passthrough is one of Kite's objects handed on unchanged, with meta beside
// its own fields.
type passthrough struct {
	stamp
	object any // marshals to a JSON object
}

// MarshalJSON writes Kite's fields first, then demo and meta. Kite has a "meta" of its own in some objects: its members
// join ours, for JSON has no room for both.
func (p passthrough) MarshalJSON() ([]byte, error) {
	body, err := json.Marshal(p.object)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	var theirs struct {
		Meta json.RawMessage `json:"meta"`
	}
	if err := json.Unmarshal(body, &theirs); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	own := p.stamp
	if theirs.Meta != nil {
		own.Meta = withTheirs(own.Meta, theirs.Meta)
		if body, err = without(body, "meta"); err != nil {
			return nil, err
		}
	}
	tail, err := json.Marshal(own)
	if err != nil {
		return nil, fmt.Errorf("encode meta: %w", err)
	}
	body = bytes.TrimSuffix(bytes.TrimSpace(body), []byte("}"))
	if len(body) > 1 {
		body = append(body, ',')
	}
	return append(body, tail[1:]...), nil
}

// withTheirs adds the members of Kite's meta to ours, which win.
func withTheirs(ours Meta, theirs json.RawMessage) Meta {
	all := Meta{}
	var members map[string]json.RawMessage
	if json.Unmarshal(theirs, &members) == nil {
		for name, value := range members {
			all[name] = value
		}
	}
	maps.Copy(all, ours)
	return all
}

// without returns an object without one member, the others as they were.
func without(body []byte, name string) ([]byte, error) {
	o, err := splitObject(body)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	o.take(name)
	out := []byte{'{'}
	for i, n := range o.left() {
		key, err := json.Marshal(n)
		if err != nil {
			return nil, fmt.Errorf("encode result: %w", err)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), o.values[n]...)
	}
	return append(out, '}'), nil
}

// texter is a result with a better text than its JSON.
type texter interface{ text() string }

// encode makes the Result of a handler's output.
func encode(out any) (Result, error) {
	raw, err := marshal(out)
	if err != nil {
		return Result{}, err
	}
	r := Result{Structured: raw, Text: string(raw)}
	if t, ok := out.(texter); ok {
		r.Text = t.text()
	}
	return r, nil
}

// marshal encodes without HTML escapes: M&M stays M&M in the text too.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// paging is embedded in the input of modes that return rows in pages.
type paging struct {
	From  int `json:"from,omitempty" jsonschema:"First row, counted from 0." check:"min=0,default=0"`
	Limit int `json:"limit,omitempty" jsonschema:"Rows to return." check:"min=1,max=500"`
}

// Pagination tells where a page lies.
type Pagination struct {
	From     int  `json:"from"`
	Limit    int  `json:"limit"`
	Total    int  `json:"total"`
	Returned int  `json:"returned"`
	HasMore  bool `json:"has_more"`
	NextFrom *int `json:"next_from,omitempty"` // only with HasMore
}

// maxRows is the most rows of one page.
const maxRows = 500

// page cuts rows to the asked page. A from beyond the end is an empty page.
func page[T any](rows []T, p paging) ([]T, Pagination) {
	limit := p.Limit
	if limit == 0 {
		limit = maxRows
	}
	from := min(p.From, len(rows))
	to := min(from+limit, len(rows))
	cut := make([]T, 0, to-from)
	cut = append(cut, rows[from:to]...)
	return cut, pageOf(p.From, limit, len(rows), len(cut))
}

// whole is the one page of a list that has no pages.
func whole[T any](all []T) rows[T] {
	return rows[T]{Data: all, Pagination: pageOf(0, max(maxRows, len(all)), len(all), len(all))}
}

func pageOf(from, limit, total, returned int) Pagination {
	out := Pagination{From: from, Limit: limit, Total: total, Returned: returned, HasMore: from+returned < total && returned > 0}
	if out.HasMore {
		next := from + returned
		out.NextFrom = &next
	}
	return out
}
