package tools

import (
	"slices"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// ToolMetadata is a tool as the help tools describe it. The first six members
// are those of the MCP Help System Standard; nothing is ever null.
type ToolMetadata struct {
	Name        string         `json:"name"`
	Category    Category       `json:"category"`
	Description string         `json:"description"`
	Parameters  []string       `json:"parameters"` // required ones first
	Examples    []string       `json:"examples"`   // NAME {json}
	Tags        []string       `json:"tags"`
	Title       string         `json:"title"`
	ReadOnly    bool           `json:"read_only"`
	Modes       []ModeMetadata `json:"modes"`
	HelpKeys    []string       `json:"help_keys"` // skill:// URIs for Skills clients
}

// ModeMetadata is a mode of a tool.
type ModeMetadata struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	ReadOnly    bool     `json:"read_only"`
	Parameters  []string `json:"parameters"`
}

// Metadata describes a visible tool for this caller. It is derived from the
// tool itself, so it cannot disagree with tools/list.
func (g Guide) Metadata(t *Tool) ToolMetadata {
	m := ToolMetadata{
		Name: t.Name, Title: t.Title, Category: t.Category, Description: t.Description,
		Parameters: t.parameters(), Examples: []string{}, Tags: t.AllTags(),
		ReadOnly: t.Effect() == ReadOnly, Modes: []ModeMetadata{}, HelpKeys: g.helpKeys(t.HelpKeys),
	}
	for _, example := range t.AllExamples() {
		if t.checkExample(example) == nil { // one of an excluded mode no longer works
			m.Examples = append(m.Examples, example)
		}
	}
	for _, mode := range t.Modes {
		if mode.Name != "" {
			m.Modes = append(m.Modes, ModeMetadata{Name: mode.Name, Description: mode.Description, ReadOnly: mode.Effect == ReadOnly, Parameters: mode.parameters()})
		}
	}
	return m
}

// parameters returns the names of the schema, required ones first.
func (t *Tool) parameters() []string {
	return requiredFirst(t.schema.PropertyOrder, func(name string) bool { return slices.Contains(t.schema.Required, name) })
}

func (m Mode) parameters() []string {
	names, required := []string{}, map[string]bool{}
	for _, a := range m.args {
		names = append(names, a.name)
		required[a.name] = a.required
	}
	return requiredFirst(names, func(name string) bool { return required[name] })
}

func requiredFirst(names []string, required func(string) bool) []string {
	out := slices.Clone(names)
	slices.SortStableFunc(out, func(a, b string) int {
		switch ra, rb := required(a), required(b); {
		case ra == rb:
			return 0
		case ra:
			return -1
		default:
			return 1
		}
	})
	return out
}

// helpKeys turns help keys into what the caller can read: a Skills client reads
// resources. The root page is no resource and is left out for it.
func (g Guide) helpKeys(keys []string) []string {
	out := []string{}
	for _, key := range keys {
		if !g.profile.Skills {
			out = append(out, key)
		} else if uri := g.resourceOf(key); uri != "" {
			out = append(out, uri)
		}
	}
	return out
}

func (g Guide) resourceOf(key string) string {
	k, err := catalog.ParseKey(key)
	if err != nil {
		return ""
	}
	p, err := g.pages.Page(k)
	if err != nil || g.pages.Resource(catalog.Scheme+p.Path) == nil {
		return ""
	}
	return catalog.Scheme + p.Path
}
