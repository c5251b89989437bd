package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// App is how the Kite app uses a tool. The zero value: not at all.
type App struct {
	Opens       bool // a host shows its results in the app
	Linked      bool // each result says so, too
	Internal    bool // for the app, not for the model
	Numbered    bool // the app numbers its calls of it
	Entrypoints bool // hosts may offer it as a way into the app
}

// callNumber is the argument under which the app numbers its calls. It never
// reaches Kite.
const callNumber = "_app_request_id"

// maxNumber is how long such a number may be, in bytes.
const maxNumber = 128

func numberSchema() *jsonschema.Schema {
	longest := maxNumber
	return &jsonschema.Schema{Type: "string", MaxLength: &longest, Description: "Set by the Kite app only."}
}

// takeNumber reads the number of a call, or says what is wrong with it.
func (c *call) takeNumber(fields *object) []string {
	raw, sent := fields.take(callNumber)
	if !sent {
		return nil
	}
	if raw[0] != '"' || json.Unmarshal(raw, &c.number) != nil || len(c.number) > maxNumber {
		c.number = ""
		return []string{fmt.Sprintf("%s: must be text of at most %d bytes", callNumber, maxNumber)}
	}
	return nil
}

// Source is the call that gives a result again, as the Kite app repeats it.
type Source struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Origin    *Source        `json:"origin,omitempty"` // the call that was made, when it was another
	Views     []string       `json:"views,omitzero"`   // the screens that this server has data for; none is said, too
}

// source names the tool and mode that lend a mode, and what is set besides the
// arguments it shows.
type source struct {
	tool, mode string
	all        []argument
	set        map[string]any
	self       bool    // the mode is repeated by the tool that shows it
	lender     *source // of a mode that was lent before
}

// lend makes a mode of another tool out of one of lender's, under a name of its
// own. It takes the arguments that accepts names; set gives others a value.
func lend(lender Tool, mode, name string, accepts []string, set map[string]any, spec ModeSpec) Mode {
	m, ok := lender.Mode(mode)
	if !ok {
		return Mode{Name: name, ModeSpec: spec, err: fmt.Errorf("%s has no mode %s to show", lender.Name, mode)}
	}
	lent := Mode{Name: name, ModeSpec: spec, in: m.in, read: m.read, err: m.err, source: &source{tool: lender.Name, mode: mode, all: m.args, set: set, lender: m.source}}
	lent.Effect = m.Effect
	for _, a := range m.args {
		if !slices.Contains(accepts, a.name) {
			continue
		}
		if value, ok := set[a.name]; ok {
			a.def = fmt.Sprint(value)
		}
		lent.args = append(lent.args, a)
	}
	if len(lent.args) != len(accepts) || m.Effect != ReadOnly || m.change != nil {
		lent.err = fmt.Errorf("%s mode %s cannot be shown with arguments %v", lender.Name, mode, accepts)
	}
	return lent
}

// alias lends modes under their own names to a tool that repeats them itself.
func alias(tool string, lender Tool, names ...string) []Mode {
	var out []Mode
	for _, name := range names {
		m, _ := lender.Mode(name)
		spec := m.ModeSpec
		spec.Examples = nil
		for _, e := range m.Examples {
			spec.Examples = append(spec.Examples, tool+strings.TrimPrefix(e, lender.Name))
		}
		var accepts []string
		for _, a := range m.args {
			accepts = append(accepts, a.name)
		}
		lent := lend(lender, name, name, accepts, nil, spec)
		lent.source.self = true
		out = append(out, lent)
	}
	return out
}

// preset gives the arguments that a lent mode sets their values.
func (m Mode) preset(into reflect.Value) []string {
	if m.source == nil {
		return nil
	}
	var wrong []string
	for _, a := range m.source.all {
		value, ok := m.source.set[a.name]
		if !ok {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return []string{err.Error()}
		}
		if msg := a.set(raw, into); msg != "" {
			wrong = append(wrong, a.name+": "+msg)
		}
	}
	return wrong
}

// sourceOf tells the call behind a result. One that could not be decoded is told
// as it was sent.
func sourceOf(t *Tool, c *call, args json.RawMessage) *Source {
	var sent map[string]any
	if json.Unmarshal(args, &sent) != nil || sent == nil {
		sent = map[string]any{}
	}
	made := &Source{Tool: t.Name, Arguments: sent}
	if c == nil {
		return made
	}
	s := &Source{Tool: t.Name, Arguments: c.arguments()}
	lent := c.mode.source
	switch {
	case lent != nil && !lent.self:
		s.Tool, s.Arguments["mode"], s.Origin = lent.tool, lent.mode, made
	case t.Moded():
		s.Arguments["mode"] = c.mode.Name
	}
	if c.number != "" {
		s.Arguments[callNumber] = c.number
	}
	return s
}

// arguments are those of the call, and what absent ones mean.
func (c *call) arguments() map[string]any {
	all := c.mode.args
	if c.mode.source != nil {
		all = c.mode.source.all
	}
	out := map[string]any{}
	for _, a := range all {
		field := reflect.ValueOf(c.in).Elem().FieldByIndex(a.index)
		switch {
		case !field.IsZero():
			out[a.name] = field.Interface()
		case a.def != "":
			out[a.name] = a.defaultJSON()
		}
	}
	return out
}
