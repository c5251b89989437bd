package tools

import (
	"context"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

type searchToolsInput struct {
	Query    string `json:"query" jsonschema:"Words to find, such as: cancel my order. Empty lists every tool." check:"maxbytes=1024"`
	Category string `json:"category,omitempty" jsonschema:"Only tools of this category, by id or alias." check:"maxbytes=1024"`
}

// FoundTools is the answer of kite_search_tools. The last three members help a
// caller on when nothing was found.
type FoundTools struct {
	Query        string      `json:"query"`
	ResultsCount int         `json:"results_count"`
	Tools        []FoundTool `json:"tools"`
	Suggestions  []string    `json:"suggestions,omitempty" jsonschema:"only without hits"`
	Categories   []Category  `json:"available_categories,omitempty" jsonschema:"only without hits"`
	Usage        string      `json:"usage,omitempty" jsonschema:"only without hits"`
}

// FoundTool is a hit.
type FoundTool struct {
	ToolMetadata
	MatchedIn []string `json:"matched_in" jsonschema:"where each word was found, such as mode:cancel"`
}

func searchTools() Tool {
	return Define(Spec{
		Name:        "kite_search_tools",
		Title:       "Search the tools",
		Category:    Help,
		Description: "Finds tools by what you want to do, in words; best match first. Use it when you do not know which tool or mode to call. Static, no login. Returns tool metadata with examples.",
		Tags:        []string{"find", "discover", "which tool", "capability"},
		Examples:    []string{`kite_search_tools {"query":"profit and loss"}`, `kite_search_tools {"query":"","category":"market"}`},
		HelpKeys:    []string{"/"},
		ClosedWorld: true,
		Output:      outputSchema[FoundTools](),
	}, Read("", ModeSpec{}, readSearchTools))
}

func readSearchTools(_ context.Context, env *Env, in searchToolsInput) (FoundTools, error) {
	return env.guide.Search(in.Query, in.Category)
}

// Search answers kite_search_tools: the tools that a query fits, best first, of
// one category unless that is blank.
func (g Guide) Search(query, category string) (FoundTools, error) {
	out := FoundTools{Query: query, Tools: []FoundTool{}}
	pool := g.Tools()
	if strings.TrimSpace(category) != "" {
		c, err := g.category(category)
		if err != nil {
			return FoundTools{}, err
		}
		pool = g.inCategory(c.Category)
	}
	for _, hit := range rankTools(pool, query) {
		out.Tools = append(out.Tools, FoundTool{g.Metadata(hit.tool), hit.matched})
	}
	out.ResultsCount = len(out.Tools)
	if out.ResultsCount == 0 {
		out.Suggestions = suggestWords(pool, query)
		for _, c := range g.Categories() {
			out.Categories = append(out.Categories, c.Category)
		}
		out.Usage = "Search with other words, or call kite_list_tools_by_category to see everything"
	}
	return out, nil
}

// suggestWords offers up to three known words that a query may have meant.
func suggestWords(pool []*Tool, query string) []string {
	var known []string
	for _, t := range pool {
		for _, f := range fieldsOf(t) {
			if f.weight > weightDescription {
				known = append(known, f.words...)
			}
		}
	}
	known = unique(known)
	out := []string{}
	for _, word := range wordsOf(query) {
		if near := catalog.Closest(word, known); near != "" && len(out) < 3 {
			out = append(out, near)
		}
	}
	return unique(out)
}
