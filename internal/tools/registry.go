package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// readDeadline bounds what a call reads. An account is never left waiting on a hung upstream.
const readDeadline = 10 * time.Second

// Registry is the checked, ordered list of tools. It never changes.
type Registry struct {
	tools []*Tool
	views []string // the screens of the Kite app that have their data
}

// Options is what the operator decides about the tools.
type Options struct {
	Exclude  []string // entries of EXCLUDED_TOOLS: tool, tool:mode or an old name
	ReadOnly bool     // take away every changing mode
}

// New checks the tools and applies the operator's options. It returns every
// fault at once: a tool without title, category, tags or examples, an example
// that its own schema refuses, an unknown exclusion.
func New(all []Tool, opts Options) (*Registry, error) {
	ex, err := parseExclusions(all, opts.Exclude)
	if err != nil {
		return nil, err
	}
	r := &Registry{}
	var faults []error
	for _, t := range all {
		if err := t.prepare(); err != nil {
			faults = append(faults, err)
			continue
		}
		if slices.ContainsFunc(r.tools, func(o *Tool) bool { return o.Name == t.Name }) {
			faults = append(faults, fmt.Errorf("tool %s: defined twice in all.go", t.Name))
		}
		if t.App.Linked {
			r.views = ex.screens(t)
		}
		if left := ex.apply(&t, opts.ReadOnly); left {
			r.tools = append(r.tools, &t)
		}
	}
	return r, errors.Join(faults...)
}

// prepare checks the definition and builds the schema. Its messages name the
// file to edit.
func (t *Tool) prepare() error {
	var faults []error
	fault := func(format string, a ...any) {
		faults = append(faults, fmt.Errorf("internal/tools/"+t.Name+".go: "+format, a...))
	}
	for _, m := range t.Modes {
		if err := m.check(); err != nil {
			faults = append(faults, fmt.Errorf("internal/tools/%s: %w", m.file(t.Name), err))
		}
	}
	if t.Title == "" || t.Category == "" || t.Description == "" || len(t.AllTags()) == 0 || len(t.AllExamples()) == 0 {
		fault("needs Title, Category, Description, Tags and Examples")
	}
	if len(faults) > 0 || len(t.Modes) == 0 {
		return errors.Join(faults...)
	}
	if err := t.buildSchema(); err != nil {
		fault("%w", err)
		return errors.Join(faults...)
	}
	for _, e := range t.AllExamples() {
		if err := t.checkExample(e); err != nil {
			fault("example %s: %w", e, err)
		}
	}
	return errors.Join(faults...)
}

// check finds what is missing in the definition of a mode.
func (m Mode) check() error {
	if m.err != nil {
		return m.err
	}
	if m.Name != "" && (m.Title == "" || m.Description == "" || len(m.Tags) == 0 || len(m.Examples) == 0) {
		return fmt.Errorf("mode %s needs Title, Description, Tags and Examples", m.Name)
	}
	return nil
}

// file is where a mode of a tool is defined.
func (m Mode) file(tool string) string {
	if m.Name == "" {
		return tool + ".go"
	}
	return tool + "_" + m.Name + ".go"
}

func (t *Tool) checkExample(example string) error {
	args, ok := strings.CutPrefix(example, t.Name+" ")
	if !ok {
		return errors.New("must be " + t.Name + " {json}")
	}
	c, err := t.decode(json.RawMessage(args))
	if err != nil {
		return err
	}
	if len(c.ignored) > 0 {
		return fmt.Errorf("%s mean nothing in that mode", strings.Join(c.ignored, ", "))
	}
	if len(c.kept) > 0 {
		return invalid(c.kept...)
	}
	return nil
}

// buildSchema merges the arguments of all modes. An argument that several modes
// share must mean the same in each.
func (t *Tool) buildSchema() error {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	users := map[string][]Mode{}
	for _, m := range t.Modes {
		for _, a := range m.args {
			p := a.schema()
			if known := s.Properties[a.name]; known != nil && !reflect.DeepEqual(known, p) {
				return fmt.Errorf("argument %s differs between modes", a.name)
			}
			if len(users[a.name]) == 0 {
				s.PropertyOrder = append(s.PropertyOrder, a.name)
			}
			s.Properties[a.name] = p
			users[a.name] = append(users[a.name], m)
			if a.required && !t.Moded() {
				s.Required = append(s.Required, a.name)
			}
		}
	}
	if t.App.Numbered {
		s.Properties[callNumber] = numberSchema()
		s.PropertyOrder = append(s.PropertyOrder, callNumber)
	}
	if t.Moded() {
		t.describeModes(s, users)
	} else {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	t.schema = s
	return nil
}

// describeModes adds the mode argument and says of each other argument which
// modes take it.
func (t *Tool) describeModes(s *jsonschema.Schema, users map[string][]Mode) {
	label := "Modes"
	if t.Selector != "" {
		label = "Only for"
	}
	for name, modes := range users {
		var needs, takes []string
		for _, m := range modes {
			i := slices.IndexFunc(m.args, func(a argument) bool { return a.name == name })
			if m.args[i].required {
				needs = append(needs, m.Name)
			} else {
				takes = append(takes, m.Name)
			}
		}
		if len(needs) > 0 {
			s.Properties[name].Description += " Required for: " + strings.Join(needs, ", ") + "."
		}
		if len(takes) > 0 && len(takes) < len(t.Modes) {
			s.Properties[name].Description += " " + label + ": " + strings.Join(takes, ", ") + "."
		}
	}
	mode := &jsonschema.Schema{Type: "string"}
	var meanings []string
	for _, m := range t.Modes {
		mode.Enum = append(mode.Enum, m.Name)
		meanings = append(meanings, m.Name+": "+m.Description)
	}
	mode.Description = strings.Join(meanings, "; ") + "."
	s.Properties[t.selector()] = mode
	s.PropertyOrder = append([]string{t.selector()}, s.PropertyOrder...)
	s.Required = []string{t.selector()}
}

// Tools returns every registered tool in registry order.
func (r *Registry) Tools() []*Tool { return slices.Clone(r.tools) }

// Tool returns the registered tool of that name, nil when there is none.
func (r *Registry) Tool(name string) *Tool {
	i := slices.IndexFunc(r.tools, func(t *Tool) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return r.tools[i]
}

// Call runs one tool for a caller: surface check, decoding, handler, encoding.
// It returns a Source with a failure too, ErrUnknownTool for a name outside the caller's surface,
// ErrNotObject for arguments that are no object, else errors for Explain.
func (r *Registry) Call(ctx context.Context, env *Env, p Profile, name string, args json.RawMessage) (Result, error) {
	own := *env
	own.guide = r.Guide(env, p)
	own.Kite = kite.Pinned(env.Kite)
	env = &own
	t, err := env.guide.find(name)
	if err != nil {
		return Result{}, err
	}
	var from *Source
	c, err := t.decode(args)
	if p.Apps && t.App != (App{}) {
		from = sourceOf(t, c, args)
		from.Views = r.views
	}
	if err != nil {
		return Result{Source: from}, err
	}
	result, err := c.run(ctx, env, name, args)
	result.Source = from
	return result, err
}

// run carries out a decoded call.
func (c *call) run(ctx context.Context, env *Env, name string, args json.RawMessage) (Result, error) {
	var out any
	var err error
	if c.mode.change != nil { // bounds each of its steps by itself
		out, err = c.mode.change.run(ctx, env, Proposal{Tool: name, Mode: c.mode.Name, Title: c.mode.Ask, Args: digestOf(args)}, c.in)
	} else {
		reading, cancel := context.WithTimeout(ctx, readDeadline)
		defer cancel()
		out, err = c.mode.read(reading, env, c.in)
	}
	if err != nil {
		return Result{}, err
	}
	if s, ok := out.(stamped); ok {
		s.stampIt(env, c.ignored)
	}
	return encode(out)
}

// Changes reports whether a call would change an account if it were approved.
func (r *Registry) Changes(name string, args json.RawMessage) bool {
	t := r.Tool(name)
	if t == nil {
		return false
	}
	c, err := t.decode(args)
	return err == nil && c.mode.change != nil
}
