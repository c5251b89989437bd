package kite

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The splitters see what encoding/json sees, in everything it accepts.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `null`, `{"a":1,"b":"x","c":null}`, ` { "a" : [ 1 , { "b" : "]" } ] , "c" : "\"}" } `, `{"a\u0062":true,"":""}`, `{"a":1,"a":2}`,
		`[1,"two",{"three":[3]},[],null,-4e5]`, "[\"\xff\"]", `"text"`, `12`, `null `, `{"a":"\\"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			return
		}
		var wantList []json.RawMessage
		wantOK := json.Unmarshal([]byte(s), &wantList) == nil
		gotList, ok := list(json.RawMessage(s))
		if ok != wantOK {
			t.Fatalf("list of %q: %v, want %v", s, ok, wantOK)
		}
		if d := cmp.Diff(texts(wantList), texts(gotList)); d != "" {
			t.Errorf("list of %q (-want +got):\n%s", s, d)
		}
		var wantFields map[string]json.RawMessage
		wantOK = json.Unmarshal([]byte(s), &wantFields) == nil && wantFields != nil
		fields, ok := splitObject(json.RawMessage(s))
		if ok != wantOK {
			t.Fatalf("object %q: %v, want %v", s, ok, wantOK)
		}
		r := &row{fields: fields}
		got := map[string]string{}
		for _, m := range fields {
			got[string(m.key)] = string(r.raw(string(m.key)))
		}
		want := map[string]string{}
		for k, v := range wantFields {
			want[k] = string(v)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("object %q (-want +got):\n%s", s, d)
		}
	})
}

func texts(rows []json.RawMessage) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, string(r))
	}
	return out
}

// Broken input, which never gets this far, still ends and does not panic.
func FuzzSplitBroken(f *testing.F) {
	for _, s := range []string{`{"a`, `{"a":`, `{"a":"\`, `[{`, `]`, `{]`, `{"a" 1}`, `{:`, `{`} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		_, _ = list(json.RawMessage(s))
		_, _ = splitObject(json.RawMessage(s))
	})
}
