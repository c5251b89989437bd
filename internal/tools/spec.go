package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Effect grades what a mode can do to an account.
type Effect int

// The effects, mildest first.
const (
	ReadOnly Effect = iota
	Access          // logs in or out; leaves the account as it is and needs no approval
	Write           // adds or changes something that can be undone
	Destroy         // may move money or remove something
)

// Audience says which clients a tool is made for.
type Audience int

// The audiences.
const (
	Everyone      Audience = iota
	WithoutSkills          // clients that did not negotiate the Skills extension
	WithApps               // clients that show MCP Apps
)

// Spec describes a tool: what people and models read to choose it.
type Spec struct {
	Name        string // snake_case, unique
	Title       string // for people
	Category    Category
	Description string // what it does, when to use it, what it needs, what comes back
	Tags        []string
	Examples    []string // NAME {json}; decoded against the live schema by New
	HelpKeys    []string // pages that explain its use
	Audience    Audience
	App         App                // how the Kite app uses it
	Selector    string             // the argument that chooses the mode; "" is "mode"
	ClosedWorld bool               // never leaves this process
	Output      *jsonschema.Schema // of structuredContent; nil when modes differ too much to say anything
}

// ModeSpec describes one mode of a tool.
type ModeSpec struct {
	Title       string
	Description string // one clause for the meaning of the mode's name
	Tags        []string
	Examples    []string
	Effect      Effect // of a Change; reads have none
	Ask         string // what ticking the box of a Change does, such as "Place this order"
}

// Mode is one value of a tool's mode argument joined to its typed handler. A
// tool without modes has a single one with an empty name. Read and Change are
// the only ways to make one.
type Mode struct {
	Name string
	ModeSpec

	args   []argument
	in     reflect.Type
	source *source // of a mode that another tool lends
	read   func(ctx context.Context, env *Env, in any) (any, error)
	change *change
	err    error // a fault of the input type, reported by Define
}

// Read makes a mode that changes nothing. The input struct's fields are the
// arguments (see argumentsOf), the output is the structured result.
func Read[In, Out any](name string, spec ModeSpec, handle func(ctx context.Context, env *Env, in In) (Out, error)) Mode {
	m := newMode[In](name, spec)
	m.Effect = ReadOnly
	m.read = func(ctx context.Context, env *Env, in any) (any, error) {
		out, err := handle(ctx, env, *in.(*In))
		if err != nil {
			return nil, err
		}
		if chosen, ok := any(out).(stamped); ok { // a mode whose shape depends on its arguments
			return chosen, nil
		}
		return &out, nil
	}
	return m
}

// access makes a mode of the session tool that logs in or out. It is not exported: what alters an account is a Change.
func access[Out any](name string, spec ModeSpec, handle func(ctx context.Context, env *Env) (Out, error)) Mode {
	m := Read(name, spec, func(ctx context.Context, env *Env, _ noInput) (Out, error) { return handle(ctx, env) })
	m.Effect = Access
	return m
}

// Change makes a mode that alters an account: plan works the change out and only
// reads, apply makes it. Only the approval step joins the two.
func Change[In any, P Plan, Out any](name string, spec ModeSpec,
	plan func(ctx context.Context, env *Env, in In) (P, error),
	apply func(ctx context.Context, env *Env, p P) (Out, error),
) Mode {
	m := newMode[In](name, spec)
	m.change = &change{
		plan: func(ctx context.Context, env *Env, in any) (Plan, error) { return plan(ctx, env, *in.(*In)) },
		apply: func(ctx context.Context, env *Env, p Plan) (any, error) {
			out, err := apply(ctx, env, p.(P))
			if err != nil {
				return nil, err
			}
			return &out, nil
		},
	}
	if spec.Effect < Write {
		m.err = errors.Join(m.err, fmt.Errorf("mode %s: a change has effect Write or Destroy", name))
	}
	if spec.Ask == "" {
		m.err = errors.Join(m.err, fmt.Errorf("mode %s: a change says in Ask what is approved", name))
	}
	return m
}

func newMode[In any](name string, spec ModeSpec) Mode {
	in := reflect.TypeFor[In]()
	args, err := argumentsOf(in)
	return Mode{Name: name, ModeSpec: spec, args: args, in: in, err: err}
}

// Tool is a spec joined to its modes. Define is the only way to make one.
type Tool struct {
	Spec
	Modes []Mode

	excluded []string // modes the operator took away
	schema   *jsonschema.Schema
}

// Define joins a spec to its modes: one mode without a name, or any number of
// named ones.
func Define(spec Spec, modes ...Mode) Tool { return Tool{Spec: spec, Modes: modes} }

// Moded reports whether callers choose a mode.
func (t *Tool) Moded() bool { return len(t.Modes) != 1 || t.Modes[0].Name != "" }

// selector is the argument that chooses the mode.
func (t *Tool) selector() string { return cmp.Or(t.Selector, "mode") }

// Mode returns the mode of that name.
func (t *Tool) Mode(name string) (Mode, bool) {
	i := slices.IndexFunc(t.Modes, func(m Mode) bool { return m.Name == name })
	if i < 0 {
		return Mode{}, false
	}
	return t.Modes[i], true
}

// ModeNames returns the names of the modes in order; none for a tool without.
func (t *Tool) ModeNames() []string {
	var names []string
	for _, m := range t.Modes {
		if m.Name != "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// Effect returns the gravest effect of the modes that are left.
func (t *Tool) Effect() Effect {
	gravest := ReadOnly
	for _, m := range t.Modes {
		gravest = max(gravest, m.Effect)
	}
	return gravest
}

// Schema returns the JSON schema of the arguments.
func (t *Tool) Schema() *jsonschema.Schema { return t.schema }

// AllTags returns the tags of the tool and of its modes, without repeats.
func (t *Tool) AllTags() []string {
	tags := slices.Clone(t.Tags)
	for _, m := range t.Modes {
		tags = append(tags, m.Tags...)
	}
	return unique(tags)
}

// AllExamples returns the examples of the tool and of its modes.
func (t *Tool) AllExamples() []string {
	examples := slices.Clone(t.Examples)
	for _, m := range t.Modes {
		examples = append(examples, m.Examples...)
	}
	return examples
}

func unique(in []string) []string {
	out := make([]string, 0, len(in))
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
