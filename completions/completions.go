// Package completions owns the values that can be completed: help keys, skills,
// files, tools and their arguments, each with a description. It knows no shell
// and no command; cmd hands the values to cobra and server to MCP clients. The
// shell scripts beside it are generated from the command tree. Start at Keys.
package completions

import (
	"slices"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// Value is one word that can be typed, and what it stands for in one line.
type Value struct{ Text, Description string }

// Keys returns the help keys that begin with prefix, in key order.
func Keys(c *catalog.Catalog, prefix string) []Value {
	var out []Value
	for _, k := range c.Keys() {
		if p, err := c.Page(k); err == nil {
			out = offer(out, prefix, k.String(), p.Description)
		}
	}
	return out
}

// Skills returns the names of skills that begin with prefix, or their URIs once
// the prefix looks like one.
func Skills(c *catalog.Catalog, prefix string) []Value {
	var out []Value
	for _, s := range c.Skills() {
		word := s.Name
		if looksLikeURI(prefix) {
			word = s.URI
		}
		out = offer(out, prefix, word, s.Description)
	}
	return out
}

// Resources returns the URIs of served files that begin with prefix.
func Resources(c *catalog.Catalog, prefix string) []Value {
	var out []Value
	for _, r := range c.Resources() {
		out = offer(out, prefix, r.URI, r.Description)
	}
	return out
}

// Tools returns the visible tools whose names begin with prefix.
func Tools(s tools.Surface, prefix string) []Value {
	var out []Value
	for _, t := range s.Tools() {
		out = offer(out, prefix, t.Name, t.Title)
	}
	return out
}

// Categories returns the tool categories in use that begin with prefix.
func Categories(s tools.Surface, prefix string) []Value {
	var out []Value
	for _, t := range s.Tools() {
		id := string(t.Category)
		if !slices.ContainsFunc(out, func(v Value) bool { return v.Text == id }) {
			out = offer(out, prefix, id, "")
		}
	}
	return out
}

// Arguments returns the NAME=VALUE words that can follow a tool's name: the
// names not given yet, and the values of a name that is complete.
func Arguments(t *tools.Tool, given []string, prefix string) []Value {
	schema := t.Schema()
	if schema == nil {
		return nil
	}
	var out []Value
	name, _, hasValue := strings.Cut(prefix, "=")
	if property := schema.Properties[name]; hasValue && property != nil {
		for _, v := range property.Enum {
			word, ok := v.(string)
			if !ok {
				continue
			}
			description := ""
			if m, ok := t.Mode(word); ok && name == "mode" {
				description = m.Description
			}
			out = offer(out, prefix, name+"="+word, description)
		}
		return out
	}
	for _, name := range schema.PropertyOrder {
		if !slices.ContainsFunc(given, func(g string) bool { return strings.HasPrefix(g, name+"=") }) {
			out = offer(out, prefix, name+"=", schema.Properties[name].Description)
		}
	}
	return out
}

func looksLikeURI(prefix string) bool {
	return strings.Contains(prefix, ":")
}

func offer(to []Value, prefix, text, description string) []Value {
	if !strings.HasPrefix(text, prefix) {
		return to
	}
	// A shell's completion protocol separates with tabs and newlines.
	return append(to, Value{Text: text, Description: strings.Join(strings.Fields(description), " ")})
}
