package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// argument is one field of a mode's input struct, as callers send it.
type argument struct {
	name     string
	required bool
	kind     kind
	index    []int // of the field, for reflect
	doc      string
	limits
}

// kind is the JSON form of an argument.
type kind int

const (
	text kind = iota
	boolean
	integer
	decimal
	texts
	jsonObject // as it is, or a text that holds it
	jsonObjects
)

// limits are what the check tag of a field allows.
type limits struct {
	min, max *float64 // of a number, or of the length of a list
	maxBytes int      // of a text
	enum     []string
	def      string // what an absent argument means, for the schema
	form     *form  // of a text, or of each entry of a list
	nonzero  bool   // of a number: 0 means something other than absent, and is refused
}

// argumentsOf reads the fields of an input struct. Their tags are:
//
//	json:"name,omitempty"   the argument's name; without omitempty it is required
//	jsonschema:"text"       its description: unit, format, default
//	check:"min=1,max=500"   limits: min, max, nonzero, maxbytes, enum=a|b, form, default
func argumentsOf(in reflect.Type) ([]argument, error) {
	if in.Kind() != reflect.Struct {
		return nil, fmt.Errorf("input %s is not a struct", in)
	}
	var args []argument
	for _, f := range reflect.VisibleFields(in) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		a := argument{name: name, required: !strings.Contains(opts, "omitempty"), index: f.Index, doc: f.Tag.Get("jsonschema")}
		if name == "" || a.doc == "" {
			return nil, fmt.Errorf("field %s.%s needs json and jsonschema tags", in, f.Name)
		}
		var err error
		if a.kind, err = kindOf(f.Type); err != nil {
			return nil, fmt.Errorf("field %s.%s: %w", in, f.Name, err)
		}
		if a.limits, err = parseLimits(f.Tag.Get("check")); err != nil {
			return nil, fmt.Errorf("field %s.%s: %w", in, f.Name, err)
		}
		args = append(args, a)
	}
	return args, nil
}

func kindOf(t reflect.Type) (kind, error) {
	switch t.Kind() {
	case reflect.String:
		return text, nil
	case reflect.Bool:
		return boolean, nil
	case reflect.Int, reflect.Int64, reflect.Uint32:
		return integer, nil
	case reflect.Float64:
		return decimal, nil
	case reflect.Pointer: // of an argument whose zero value means something
		return kindOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return texts, nil
		}
		if t == reflect.TypeFor[json.RawMessage]() {
			return jsonObject, nil
		}
		if t == reflect.TypeFor[[]json.RawMessage]() {
			return jsonObjects, nil
		}
	default:
	}
	return 0, fmt.Errorf("type %s has no argument form", t)
}

func parseLimits(tag string) (limits, error) {
	var l limits
	if tag == "" {
		return l, nil
	}
	for part := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, numErr := strconv.ParseFloat(value, 64)
		switch name {
		case "min":
			l.min = &n
		case "max":
			l.max = &n
		case "maxbytes":
			l.maxBytes = int(n)
		case "enum":
			l.enum, numErr = strings.Split(value, "|"), nil
		case "form":
			l.form, numErr = formOf(value)
		case "default":
			l.def, numErr = value, nil
		case "nonzero":
			l.nonzero, numErr = true, nil
		default:
			return l, fmt.Errorf("unknown check %q", name)
		}
		if numErr != nil {
			return l, fmt.Errorf("check %s: %w", name, numErr)
		}
	}
	return l, nil
}

// schema returns the JSON schema of the argument. Whole numbers are announced as
// "number" like everywhere in Kite's own tools; fractions are refused on reading.
func (a argument) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Description: a.doc}
	switch a.kind {
	case text:
		s.Type = "string"
		if a.maxBytes > 0 {
			s.MaxLength = &a.maxBytes
		}
		if a.form != nil {
			s.Pattern = a.form.pattern
		}
	case boolean:
		s.Type = "boolean"
	case integer, decimal:
		s.Type, s.Minimum, s.Maximum = "number", a.min, a.max
	case jsonObject:
		s.Types = []string{"object", "string"}
	case jsonObjects:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "object"}
		s.MinItems, s.MaxItems = wholePtr(a.min), wholePtr(a.max)
	case texts:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string"}
		s.MinItems, s.MaxItems = wholePtr(a.min), wholePtr(a.max)
		if a.form != nil {
			s.Items.Pattern = a.form.pattern
		}
	}
	for _, e := range a.enum {
		s.Enum = append(s.Enum, e)
	}
	if a.def != "" {
		s.Default = a.defaultJSON()
	}
	return s
}

func (a argument) defaultJSON() json.RawMessage {
	if a.kind == text {
		return json.RawMessage(strconv.Quote(a.def))
	}
	return json.RawMessage(a.def)
}

func wholePtr(f *float64) *int {
	if f == nil {
		return nil
	}
	n := int(*f)
	return &n
}

// set reads a JSON value into the field, or returns what is wrong with it.
func (a argument) set(raw json.RawMessage, into reflect.Value) string {
	field := into.FieldByIndex(a.index)
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	switch a.kind {
	case text:
		return a.setText(raw, field)
	case boolean:
		switch strings.Trim(string(raw), `"`) {
		case "true":
			field.SetBool(true)
		case "false":
			field.SetBool(false)
		default:
			return "must be true or false" + got(raw)
		}
	case integer, decimal:
		return a.setNumber(raw, field)
	case texts:
		return a.setTexts(raw, field)
	case jsonObject:
		return a.setObject(raw, field)
	case jsonObjects:
		return a.setObjects(raw, field)
	}
	return ""
}

// setObject keeps an object as it was sent, or as a text that holds one.
func (a argument) setObject(raw json.RawMessage, field reflect.Value) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil || compact.Len() == 0 || compact.Bytes()[0] != '{' {
		return "must be a JSON object" + got(raw)
	}
	if a.maxBytes > 0 && compact.Len() > a.maxBytes {
		return fmt.Sprintf("is %d bytes long, at most %d are allowed", compact.Len(), a.maxBytes)
	}
	if !unambiguous(json.NewDecoder(bytes.NewReader(compact.Bytes()))) {
		return "has a member twice, or in two spellings"
	}
	field.SetBytes(compact.Bytes())
	return ""
}

// setObjects keeps the objects of a list as they were sent.
func (a argument) setObjects(raw json.RawMessage, field reflect.Value) string {
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil || slices.ContainsFunc(list, func(o json.RawMessage) bool { return o[0] != '{' }) {
		return "must be a list of objects" + got(raw)
	}
	if msg := outside(float64(len(list)), a.limits, "have", entries); msg != "" {
		return msg
	}
	field.Set(reflect.ValueOf(list))
	return ""
}

// unambiguous reports whether every reader finds the same in the next JSON value. Of members that differ in case only,
// encoding/json takes the last; Kite need not, and the person would approve something else than what it gets.
func unambiguous(dec *json.Decoder) bool {
	token, err := dec.Token()
	open, nested := token.(json.Delim)
	if err != nil || !nested {
		return err == nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			token, err := dec.Token()
			name, _ := token.(string)
			if err != nil || seen[caseless(name)] {
				return false
			}
			seen[caseless(name)] = true
		}
		if !unambiguous(dec) {
			return false
		}
	}
	_, err = dec.Token() // the end
	return err == nil
}

// caseless is equal for the names that encoding/json takes for each other.
func caseless(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, name)
}

func (a argument) setTexts(raw json.RawMessage, field reflect.Value) string {
	var list []string
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil || slices.Contains(splitNulls(raw), "null") {
		return "must be a list of strings" + got(raw)
	}
	if msg := outside(float64(len(list)), a.limits, "have", entries); msg != "" {
		return msg
	}
	var bad []string
	for _, entry := range list {
		if a.form != nil && !a.form.fits(entry) && len(bad) < 10 {
			bad = append(bad, quoted(entry))
		}
	}
	if len(bad) > 0 {
		return "each must be " + a.form.says + ", got " + strings.Join(bad, ", ")
	}
	field.Set(reflect.ValueOf(list))
	return ""
}

// splitNulls finds null elements, which encoding/json reads as empty strings.
func splitNulls(raw json.RawMessage) []string {
	var elems []json.RawMessage
	if json.Unmarshal(raw, &elems) != nil {
		return nil
	}
	out := make([]string, len(elems))
	for i, e := range elems {
		out[i] = string(e)
	}
	return out
}

func (a argument) setText(raw json.RawMessage, field reflect.Value) string {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "must be a string" + got(raw)
	}
	if !utf8.Valid(raw) { // encoding/json has put U+FFFD into s
		return "must be valid UTF-8"
	}
	if a.maxBytes > 0 && len(s) > a.maxBytes {
		return fmt.Sprintf("is %d bytes long, at most %d are allowed", len(s), a.maxBytes)
	}
	if len(a.enum) > 0 && !slices.Contains(a.enum, s) {
		return fmt.Sprintf("must be one of %s%s", strings.Join(a.enum, ", "), got(raw))
	}
	if a.form != nil && !a.form.fits(s) {
		return "must be " + a.form.says + got(raw)
	}
	field.SetString(s)
	return ""
}

func (a argument) setNumber(raw json.RawMessage, field reflect.Value) string {
	s := string(raw)
	if raw[0] == '"' {
		if json.Unmarshal(raw, &s) != nil || !json.Valid([]byte(s)) {
			return "must be a number" + got(raw)
		}
	}
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return "must be a number" + got(raw)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(n, 0) {
		return "is out of range" + got(raw)
	}
	if a.nonzero && n == 0 {
		return "must not be 0"
	}
	if a.kind == decimal {
		if msg := outside(n, a.limits, "be", plainDigits); msg != "" {
			return msg + got(raw)
		}
		field.SetFloat(n)
		return ""
	}
	const exact = 1 << 53 // beyond it a float64 no longer tells neighbours apart
	if n != math.Trunc(n) {
		return "must be a whole number" + got(raw)
	}
	if n >= exact || n <= -exact {
		return "is out of range" + got(raw)
	}
	if msg := outside(n, a.limits, "be", plainDigits); msg != "" {
		return msg + got(raw)
	}
	if field.Kind() == reflect.Uint32 {
		if n < 0 || n > math.MaxUint32 {
			return "is out of range" + got(raw)
		}
		field.SetUint(uint64(n))
		return ""
	}
	field.SetInt(int64(n))
	return ""
}

// outside says which limit a number breaks, if any: it must be or have so much.
func outside(n float64, l limits, verb string, show func(float64) string) string {
	switch {
	case l.min != nil && n < *l.min:
		return "must " + verb + " at least " + show(*l.min)
	case l.max != nil && n > *l.max:
		return "must " + verb + " at most " + show(*l.max)
	}
	return ""
}

// plainDigits writes a limit as a person would, however large it is.
func plainDigits(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func entries(n float64) string {
	if n == 1 {
		return "1 entry"
	}
	return plainDigits(n) + " entries"
}

// got shows the value that was sent, cut short.
func got(raw json.RawMessage) string {
	const most = 60
	s := string(raw)
	if len(s) > most {
		s = s[:most] + "..."
	}
	return ", got " + strings.ToValidUTF8(s, "?")
}
