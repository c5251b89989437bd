package tools

import (
	"context"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

type listByCategoryInput struct {
	Category string `json:"category,omitempty" jsonschema:"Category id or alias, such as market or funds. Without it the categories are listed." check:"maxbytes=1024"`
}

// categoryList is the answer without a category.
type categoryList struct {
	Available  []Category        `json:"available_categories"`
	Usage      string            `json:"usage"`
	Categories []CategorySummary `json:"categories"`
}

// categoryTools is the answer for one category.
type categoryTools struct {
	CategorySummary
	Tools []ToolMetadata `json:"tools"`
}

func listToolsByCategory() Tool {
	return Define(Spec{
		Name:        "kite_list_tools_by_category",
		Title:       "Tools by category",
		Category:    Help,
		Description: "Lists the categories of tools, or the tools of one category with modes, parameters and examples. Use it to see what this server can do; use kite_search_tools when you know what you want. Static, no login.",
		Tags:        []string{"browse", "categories", "overview", "list tools"},
		Examples:    []string{`kite_list_tools_by_category {}`, `kite_list_tools_by_category {"category":"market"}`},
		HelpKeys:    []string{"/"},
		ClosedWorld: true,
		Output: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"available_categories": {Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: "without category"},
				"usage":                {Type: "string", Description: "without category"},
				"categories":           {Type: "array", Description: "without category"},
				"category":             {Type: "string"},
				"description":          {Type: "string"},
				"tool_count":           {Type: "integer"},
				"tools":                {Type: "array"},
			},
			PropertyOrder: []string{"available_categories", "usage", "categories", "category", "description", "tool_count", "tools"},
		},
	}, Read("", ModeSpec{}, readListByCategory))
}

func readListByCategory(_ context.Context, env *Env, in listByCategoryInput) (any, error) {
	return env.guide.ByCategory(in.Category)
}

// ByCategory answers kite_list_tools_by_category: the categories for a blank
// text, else the tools of one.
func (g Guide) ByCategory(category string) (any, error) {
	if strings.TrimSpace(category) == "" {
		out := categoryList{Available: []Category{}, Usage: "Specify a category to see the tools in that group", Categories: g.Categories()}
		for _, c := range out.Categories {
			out.Available = append(out.Available, c.Category)
		}
		return out, nil
	}
	c, err := g.category(category)
	if err != nil {
		return nil, err
	}
	out := categoryTools{CategorySummary: c, Tools: []ToolMetadata{}}
	for _, t := range g.inCategory(c.Category) {
		out.Tools = append(out.Tools, g.Metadata(t))
	}
	return out, nil
}
