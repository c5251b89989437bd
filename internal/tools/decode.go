package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// ErrNotObject is returned for arguments that are not a JSON object. Transports
// report it as a protocol error, not as a tool result.
var ErrNotObject = errors.New("arguments must be a JSON object")

// call is one decoded tool call.
type call struct {
	mode    Mode
	in      any      // pointer to the mode's input struct
	ignored []string // arguments that mean nothing in this mode
	kept    []string // violations that the mode answers with
	number  string   // of a call of the Kite app, "" for others
}

// decode reads the arguments of a call. Every violation is reported at once.
// Exact numeric strings and "true" or "false" are taken as what they spell;
// nothing is truncated or guessed.
func (t *Tool) decode(args json.RawMessage) (*call, error) {
	fields, err := splitObject(args)
	if err != nil {
		return nil, err
	}
	c := &call{mode: t.Modes[0]}
	if t.Moded() {
		if c.mode, err = t.chooseMode(fields); err != nil {
			return nil, err
		}
	}
	value := reflect.New(c.mode.in)
	wrong := c.mode.preset(value.Elem())
	wrong = append(wrong, fill(c.mode.args, fields, value.Elem(), requiredFor(t.selector(), c.mode.Name))...)
	if t.App.Numbered {
		wrong = append(wrong, c.takeNumber(fields)...)
	}
	for _, f := range fields.left() {
		if c.mode.Effect == ReadOnly && t.Moded() {
			c.ignored = append(c.ignored, f)
			continue
		}
		wrong = append(wrong, fmt.Sprintf("%s: not an argument of %s", quoted(f), t.label(c.mode)))
	}
	c.in = value.Interface()
	if rules, ok := c.in.(checker); ok {
		wrong = append(wrong, besides(wrong, rules.check())...)
	}
	if in, ok := c.in.(lenient); ok {
		c.kept, wrong = in.keep(wrong)
	}
	if len(wrong) > 0 {
		return nil, invalid(wrong...)
	}
	return c, nil
}

// requiredFor ends the violation of an argument that a mode needs and did not get.
func requiredFor(selector, mode string) string {
	if mode == "" {
		return "required"
	}
	return "required for " + selector + " " + mode
}

// fill reads the fields of an object into an input struct, and returns what is wrong with them and what is missing.
func fill(args []argument, fields *object, into reflect.Value, needed string) []string {
	var wrong []string
	for _, a := range args {
		if raw, sent := fields.take(a.name); sent {
			if msg := a.set(raw, into); msg != "" {
				wrong = append(wrong, a.name+": "+msg)
			}
		} else if a.required {
			wrong = append(wrong, a.name+": "+needed)
		}
	}
	return wrong
}

// lenient is an input that answers with violations instead of being refused for them.
type lenient interface {
	// keep takes the violations that it answers with, and leaves the rest.
	keep(wrong []string) (kept, refused []string)
}

// checker is an input with rules that hold between its arguments. An argument that is absent or was refused alone is
// its zero value; what check says about the latter is left out.
type checker interface {
	// check returns the violations, each beginning with the name of an argument.
	check() []string
}

// besides returns the violations of rules that are not about an argument refused already: it was given, and its zero
// value only looks absent.
func besides(refused, broken []string) []string {
	said := map[string]bool{}
	for _, violation := range refused {
		name, _, _ := strings.Cut(violation, ":")
		said[name] = true
	}
	return slices.DeleteFunc(broken, func(violation string) bool {
		names, _, _ := strings.Cut(violation, ":") // one, or a list of them
		return slices.ContainsFunc(strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' }), func(name string) bool { return said[name] })
	})
}

func (t *Tool) label(m Mode) string {
	if m.Name == "" {
		return t.Name
	}
	return t.Name + " " + t.selector() + " " + m.Name
}

func (t *Tool) chooseMode(fields *object) (Mode, error) {
	allowed := strings.Join(t.ModeNames(), ", ")
	raw, sent := fields.take(t.selector())
	var name string
	switch {
	case !sent:
		return Mode{}, invalid(t.selector() + ": required, one of " + allowed)
	case raw[0] != '"' || json.Unmarshal(raw, &name) != nil:
		return Mode{}, invalid(t.selector() + ": must be one of " + allowed + got(raw))
	case slices.Contains(t.excluded, name):
		return Mode{}, &Failure{Code: CodeExcluded, Message: fmt.Sprintf("%s %s %s is excluded on this server", t.Name, t.selector(), name), Hint: "Left are: " + allowed}
	}
	m, ok := t.Mode(name)
	if !ok {
		return Mode{}, invalid(t.selector() + ": must be one of " + allowed + got(raw))
	}
	return m, nil
}

// object is a JSON object whose fields are taken one by one.
type object struct {
	names  []string // in the order sent
	values map[string]json.RawMessage
}

// splitObject reads one level of a JSON object. A repeated name is refused:
// readers disagree about which of the two counts.
func splitObject(raw json.RawMessage) (*object, error) {
	o := &object{values: map[string]json.RawMessage{}}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return o, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("%w%s", ErrNotObject, got(raw))
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotObject, err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotObject, err)
		}
		key := name.(string)
		if _, twice := o.values[key]; twice {
			return nil, invalid(quoted(key) + ": given twice")
		}
		o.names = append(o.names, key)
		o.values[key] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotObject, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: text after the object", ErrNotObject)
	}
	return o, nil
}

// take returns a field and removes it.
func (o *object) take(name string) (json.RawMessage, bool) {
	raw, ok := o.values[name]
	delete(o.values, name)
	return raw, ok
}

// left returns the names that nobody took, in the order sent.
func (o *object) left() []string {
	var names []string
	for _, n := range o.names {
		if _, still := o.values[n]; still {
			names = append(names, n)
		}
	}
	return names
}

// quoted shows a caller's name in a message, escaped and cut.
func quoted(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%+q...", s[:most])
	}
	return fmt.Sprintf("%+q", s)
}
