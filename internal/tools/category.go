package tools

import (
	"slices"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Category is the functional group of a tool.
type Category string

// The categories. The order of categories() is the order of listings.
const (
	Account   Category = "account"
	Portfolio Category = "portfolio"
	Orders    Category = "orders"
	Triggers  Category = "triggers"
	Market    Category = "market"
	Views     Category = "views"
	Help      Category = "help"
)

// categoryInfo is what people read about a category, and the other words for it.
type categoryInfo struct {
	id          Category
	description string
	aliases     []string
}

func categories() []categoryInfo {
	return []categoryInfo{
		{Account, "Login state of the Kite account", []string{"session", "login", "auth", "core", "admin"}},
		{Portfolio, "What the account owns and owes: holdings, positions, funds", []string{"holdings", "positions", "funds", "margins", "data"}},
		{Orders, "Orders and trades of today", []string{"trading", "trades"}},
		{Triggers, "GTT triggers and price alerts that wait at the broker", []string{"gtt", "alerts"}},
		{Market, "Instruments, prices and candles", []string{"quotes", "market-data", "charts", "instruments", "options"}},
		{Views, "Screens of the Kite app", []string{"apps", "ui"}},
		{Help, "Workflows, and finding the right tool", []string{"search", "docs", "utility"}},
	}
}

// CategorySummary is a category as listings show it.
type CategorySummary struct {
	Category    Category `json:"category"`
	Description string   `json:"description"`
	ToolCount   int      `json:"tool_count"`
}

// Categories returns the categories with at least one visible tool, in order.
func (s Surface) Categories() []CategorySummary {
	out := []CategorySummary{}
	for _, c := range categories() {
		if n := len(s.inCategory(c.id)); n > 0 {
			out = append(out, CategorySummary{Category: c.id, Description: c.description, ToolCount: n})
		}
	}
	return out
}

func (s Surface) inCategory(id Category) []*Tool {
	return slices.DeleteFunc(s.Tools(), func(t *Tool) bool { return t.Category != id })
}

// category finds a visible category by id or alias. Case, blanks and
// underscores do not matter.
func (s Surface) category(text string) (CategorySummary, error) {
	word := normalized(text)
	visible := s.Categories()
	for _, byAlias := range []bool{false, true} {
		for _, c := range categories() {
			hit := string(c.id) == word || byAlias && slices.Contains(c.aliases, word)
			i := slices.IndexFunc(visible, func(v CategorySummary) bool { return v.Category == c.id })
			if hit && i >= 0 {
				return visible[i], nil
			}
		}
	}
	return CategorySummary{}, unknownCategory(text, visible)
}

func unknownCategory(text string, visible []CategorySummary) *Failure {
	var b strings.Builder
	b.WriteString("unknown category " + quoted(text))
	ids := make([]string, len(visible))
	for i, c := range visible {
		ids[i] = string(c.Category)
	}
	message := b.String()
	if word := catalog.Closest(normalized(text), ids); word != "" {
		b.WriteString("; did you mean " + word + "?")
	} else {
		b.WriteString(".")
	}
	b.WriteString(" The categories are:\n")
	for _, c := range visible {
		b.WriteString("- " + string(c.Category) + ": " + c.Description + "\n")
	}
	return &Failure{Code: CodeInvalidArgument, Message: message, Hint: "the categories are " + strings.Join(ids, ", "), Text: b.String()}
}

// normalized makes _ and blanks equal to -, and case unimportant.
func normalized(s string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(s)))
}
