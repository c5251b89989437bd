package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/catalog"
)

type helpInput struct {
	Key string `json:"key,omitempty" jsonschema:"Help key such as /orders or /orders/prepare, exact and case-sensitive, at most 1024 bytes." check:"default=/"`
}

// HelpPage is the structured result of the help tool.
type HelpPage struct {
	Key         string      `json:"key"`
	Kind        string      `json:"kind" jsonschema:"root, category or recipe"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Parent      string      `json:"parent,omitempty" jsonschema:"absent for the root"`
	Children    []HelpChild `json:"children"`
	Content     string      `json:"content,omitempty" jsonschema:"Markdown of a recipe or the root"`

	markdown string
}

// HelpChild is one line of a listing.
type HelpChild struct {
	Key         string `json:"key"`
	Kind        string `json:"kind"`
	Description string `json:"description"`
}

func (p *HelpPage) text() string { return p.markdown }

func help() Tool {
	return Define(Spec{
		Name:        "help",
		Title:       "Workflow help",
		Category:    Help,
		Description: "Reads step-by-step trading workflows: start at / and follow the keys it lists. Use it before a task such as placing an order, reconciling fills or reviewing holdings. Static documentation, no login; it never approves a transaction. Returns Markdown with child keys.",
		Tags:        []string{"documentation", "workflow", "recipe", "how to", "guide"},
		Examples:    []string{`help {"key":"/"}`, `help {"key":"/orders/prepare"}`},
		HelpKeys:    []string{"/"},
		Audience:    WithoutSkills,
		ClosedWorld: true,
		Output:      outputSchema[HelpPage](),
	}, Read("", ModeSpec{}, readHelp))
}

func readHelp(_ context.Context, env *Env, in helpInput) (HelpPage, error) {
	key, err := catalog.ParseKey(in.Key)
	if err != nil {
		return HelpPage{}, err
	}
	p, err := env.Catalog.Page(key)
	if err != nil {
		return HelpPage{}, err
	}
	md, err := env.Catalog.Text(key)
	if err != nil {
		return HelpPage{}, err
	}
	out := HelpPage{Key: key.String(), Kind: p.Kind.String(), Title: p.Title, Description: p.Description, Children: []HelpChild{}, markdown: md}
	if !key.IsRoot() {
		out.Parent = key.Parent().String()
	}
	if p.Kind != catalog.Category {
		out.Content = string(p.Body)
	}
	for _, c := range env.Catalog.Children(key) {
		out.Children = append(out.Children, HelpChild{Key: c.Key.String(), Kind: c.Kind.String(), Description: c.Description})
	}
	return out, nil
}
