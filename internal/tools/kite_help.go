package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/kite-mcp/kite-mcp/catalog"
)

type kiteHelpInput struct {
	Topic string `json:"topic,omitempty" jsonschema:"A topic, a tool name, or tool:mode. Without it the topics are listed." check:"maxbytes=1024"`
}

// helpOverview is the answer without a topic.
type helpOverview struct {
	Topics     []string          `json:"available_topics"`
	Usage      string            `json:"usage"`
	Server     Identity          `json:"server"`
	ToolCount  int               `json:"tool_count"`
	Categories []CategorySummary `json:"categories"`
}

// topicHelp is the answer for a topic.
type topicHelp struct {
	Topic         string   `json:"topic"`
	Title         string   `json:"title"`
	Content       string   `json:"content"`
	RelatedTopics []string `json:"related_topics"`
	RelatedTools  []string `json:"related_tools"`
	HelpKeys      []string `json:"help_keys"`
}

// ToolHelp is the answer for a tool or one of its modes.
type ToolHelp struct {
	Topic   string       `json:"topic"`
	Tool    ToolMetadata `json:"tool"`
	Content string       `json:"content"`
}

func kiteHelp() Tool {
	return Define(Spec{
		Name:        "kite_help",
		Title:       "About this server",
		Category:    Help,
		Description: "Explains this server: its topics, and any tool or mode by name with parameters and examples. Use it to learn how to call something; workflows are elsewhere, topic workflows says where. Static, no login.",
		Tags:        []string{"getting started", "explain", "usage", "parameters"},
		Examples:    []string{`kite_help {}`, `kite_help {"topic":"getting_started"}`},
		HelpKeys:    []string{"/"},
		ClosedWorld: true,
		Output:      kiteHelpOutput(),
	}, Read("", ModeSpec{}, readKiteHelp))
}

func kiteHelpOutput() *jsonschema.Schema {
	list := func(when string) *jsonschema.Schema { return &jsonschema.Schema{Type: "array", Description: when} }
	word := func(when string) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Description: when} }
	return &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"available_topics": list("without topic"), "usage": word("without topic"), "server": {Type: "object", Description: "without topic"},
			"tool_count": {Type: "integer", Description: "without topic"}, "categories": list("without topic"),
			"topic": word("with topic"), "title": word("with topic"), "content": word("with topic"),
			"related_topics": list("with topic"), "related_tools": list("with topic"), "help_keys": list("with topic"),
			"tool": {Type: "object", Description: "when topic is a tool"},
		},
		PropertyOrder: []string{"available_topics", "usage", "server", "tool_count", "categories", "topic", "title", "content", "related_topics", "related_tools", "help_keys", "tool"},
	}
}

func readKiteHelp(_ context.Context, env *Env, in kiteHelpInput) (any, error) {
	return env.guide.Help(in.Topic)
}

// Help answers kite_help: the list of topics for a blank text, else a topic, a
// tool or a tool:mode. It never answers with a page of the catalog.
func (g Guide) Help(text string) (any, error) {
	text = strings.TrimSpace(text)
	visible := g.visibleTopics()
	switch {
	case text == "":
		return g.overview(visible), nil
	case strings.HasPrefix(text, "/"):
		return nil, g.notATopic(text)
	}
	word := normalized(text)
	if i := slices.IndexFunc(visible, func(t topic) bool { return normalized(t.name) == word }); i >= 0 {
		return g.topicHelp(visible[i]), nil
	}
	if answer, ok := g.Tool(text); ok {
		return answer, nil
	}
	return nil, g.unknownTopic(text, visible)
}

func (g Guide) overview(visible []topic) helpOverview {
	out := helpOverview{
		Topics: []string{}, Usage: "Call kite_help with a topic, a tool name or tool:mode for detailed guidance",
		Server: g.server, ToolCount: len(g.Tools()), Categories: g.Categories(),
	}
	for _, t := range visible {
		out.Topics = append(out.Topics, t.name)
	}
	return out
}

func (g Guide) topicHelp(t topic) topicHelp {
	out := topicHelp{Topic: t.name, Title: t.title, Content: t.content(g), RelatedTopics: []string{}, RelatedTools: []string{}, HelpKeys: g.helpKeys(t.keys)}
	for _, other := range g.visibleTopics() {
		if slices.Contains(t.related, other.name) {
			out.RelatedTopics = append(out.RelatedTopics, other.name)
		}
	}
	for _, tool := range g.Tools() {
		if slices.Contains(t.tools, tool.Name) {
			out.RelatedTools = append(out.RelatedTools, tool.Name)
		}
	}
	return out
}

// Tool describes a visible tool, or one of its modes as tool:mode.
func (g Guide) Tool(text string) (ToolHelp, bool) {
	name, mode, one := strings.Cut(strings.ToLower(text), ":")
	if !g.Has(name) {
		return ToolHelp{}, false
	}
	t := g.registry.Tool(name)
	out := ToolHelp{Topic: name, Tool: g.Metadata(t), Content: t.Description}
	if !one {
		return out, true
	}
	m, ok := t.Mode(mode)
	if !ok || mode == "" {
		return ToolHelp{}, false
	}
	out.Topic = name + ":" + mode
	out.Tool.Modes = slices.DeleteFunc(out.Tool.Modes, func(o ModeMetadata) bool { return o.Name != mode })
	out.Tool.Examples = slices.DeleteFunc(out.Tool.Examples, func(o string) bool { return !slices.Contains(m.Examples, o) })
	out.Content = m.Title + ": " + m.Description + "."
	return out, true
}

// notATopic sends a help key where it is read. It never answers with the page:
// pages have their own access per client.
func (g Guide) notATopic(text string) *Failure {
	f := &Failure{Code: CodeInvalidArgument, Message: quoted(text) + " is a help key, not a topic"}
	if !g.profile.Skills {
		f.Hint = "Call help with that key"
		return f
	}
	f.Hint = "Call skills/list and read skill:// resources"
	if uri := g.resourceOf(text); uri != "" {
		f.Hint = "Read the resource " + uri
	}
	return f
}

func (g Guide) unknownTopic(text string, visible []topic) *Failure {
	var names []string
	for _, t := range visible {
		names = append(names, t.name)
	}
	message := "unknown topic " + quoted(text)
	f := &Failure{Code: CodeInvalidArgument, Message: message, Hint: "the topics are " + strings.Join(names, ", ") + "; a tool name or tool:mode works too"}
	words := slices.Clone(names)
	for _, t := range g.Tools() {
		words = append(words, t.Name)
	}
	if near := catalog.Closest(strings.ToLower(text), words); near != "" {
		f.Message += "; did you mean " + near + "?"
	}
	return f
}
