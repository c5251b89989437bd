package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func newTools(app *App) *cobra.Command {
	c := parent(&cobra.Command{
		Use: "tools", Short: "List, explain and call the MCP tools", GroupID: groupTools,
		Long:    "The tools of the MCP server, called in this process. EXCLUDED_TOOLS and READ_ONLY\napply as they do to serve.",
		Example: examples("kite-mcp tools list", "kite-mcp tools call market mode=ltp instruments=NSE:INFY --demo"),
	})
	c.AddCommand(newToolsList(app), newToolsShow(app), newToolsCall(app))
	return c
}

// toolInfo is a tool as programs read it.
type toolInfo struct {
	Name        string             `json:"name"`
	Category    string             `json:"category"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Parameters  []string           `json:"parameters"` // required ones first
	Examples    []string           `json:"examples"`
	Tags        []string           `json:"tags"`
	ReadOnly    bool               `json:"read_only"`
	Modes       []modeInfo         `json:"modes"`
	HelpKeys    []string           `json:"help_keys"`
	InputSchema *jsonschema.Schema `json:"inputSchema,omitempty"` // of show only
}

type modeInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	ReadOnly    bool   `json:"read_only"`
}

func describeTool(t *tools.Tool) toolInfo {
	info := toolInfo{
		Name: t.Name, Category: string(t.Category), Title: t.Title, Description: t.Description, Parameters: []string{},
		Examples: orEmpty(t.AllExamples()), Tags: orEmpty(t.AllTags()), ReadOnly: t.Effect() == tools.ReadOnly,
		Modes: []modeInfo{}, HelpKeys: orEmpty(t.HelpKeys),
	}
	if s := t.Schema(); s != nil {
		info.Parameters = append(info.Parameters, s.Required...)
		for _, name := range s.PropertyOrder {
			if !slices.Contains(s.Required, name) {
				info.Parameters = append(info.Parameters, name)
			}
		}
	}
	for _, m := range t.Modes {
		if m.Name != "" {
			info.Modes = append(info.Modes, modeInfo{Name: m.Name, Description: m.Description, ReadOnly: m.Effect == tools.ReadOnly})
		}
	}
	return info
}

// effectWord says what a tool or mode can do.
func effectWord(e tools.Effect) string {
	switch e {
	case tools.ReadOnly:
		return "reads"
	case tools.Write:
		return "writes"
	default:
		return "destroys"
	}
}

// profileFor returns what a client named by --as declares.
func profileFor(as string) (tools.Profile, error) {
	switch as {
	case "legacy":
		return tools.Profile{}, nil
	case "skills":
		return tools.Profile{Skills: true}, nil
	}
	return tools.Profile{}, usage("--as "+quoted(as)+" is not legacy or skills", "").guess(as, []string{"legacy", "skills"})
}

type toolsListOptions struct {
	app      *App
	as       string
	category string
	all      bool
}

func newToolsList(app *App) *cobra.Command {
	opts := toolsListOptions{app: app}
	c := formats(&cobra.Command{
		Use: "list", Short: "List the tools a client sees",
		Long:    "Lists the tools with what they can do. --as skills shows what a client sees that\nhas the Skills extension, which reads skills instead of calling help.",
		Example: examples("kite-mcp tools list", "kite-mcp tools list --as skills -o json"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error { return runToolsList(c.Context(), opts) },
	}, formatText, formatJSON, formatMD)
	c.Flags().StringVar(&opts.as, "as", "legacy", "the client: legacy, or skills with that extension")
	c.Flags().StringVar(&opts.category, "category", "", "only the tools of one `CATEGORY`")
	c.Flags().BoolVar(&opts.all, "all", false, "show what EXCLUDED_TOOLS and READ_ONLY take away, too")
	_ = c.RegisterFlagCompletionFunc("as", words("legacy", "skills"))
	_ = c.RegisterFlagCompletionFunc("category", app.completeCategories)
	return c
}

func runToolsList(ctx context.Context, opts toolsListOptions) error {
	app := opts.app
	profile, err := profileFor(opts.as)
	if err != nil {
		return err
	}
	choose := app.registry
	if opts.all {
		choose = app.allTools
	}
	reg, err := choose()
	if err != nil {
		return err
	}
	list := reg.For(profile).Tools()
	if opts.category != "" {
		if list, err = inCategory(list, opts.category); err != nil {
			return err
		}
	}
	if app.json() {
		infos := make([]toolInfo, len(list))
		for i, t := range list {
			infos[i] = describeTool(t)
		}
		return app.printJSON(map[string][]toolInfo{"tools": infos})
	}
	t := &table{columns: []column{{title: "NAME", keep: true}, {title: "CATEGORY", keep: true}, {title: "EFFECT", keep: true}, {title: "MODES", keep: true}, {title: "TITLE"}}}
	for _, tool := range list {
		t.add(tool.Name, string(tool.Category), effectWord(tool.Effect()), strings.Join(tool.ModeNames(), " "), tool.Title)
	}
	return app.printTable(ctx, t)
}

func inCategory(list []*tools.Tool, category string) ([]*tools.Tool, error) {
	var known []string
	for _, t := range list {
		if id := string(t.Category); !slices.Contains(known, id) {
			known = append(known, id)
		}
	}
	if !slices.Contains(known, category) {
		return nil, usage("no tool has the category "+quoted(category)+"; there are "+strings.Join(known, ", "), "").guess(category, known)
	}
	return slices.DeleteFunc(list, func(t *tools.Tool) bool { return string(t.Category) != category }), nil
}

// findTool returns a tool that the operator left.
func (a *App) findTool(name string) (*tools.Tool, error) {
	reg, err := a.registry()
	if err != nil {
		return nil, err
	}
	if t := reg.Tool(name); t != nil {
		return t, nil
	}
	var names []string
	for _, t := range reg.Tools() {
		names = append(names, t.Name)
	}
	return nil, usage("no tool "+quoted(name), "kite-mcp tools list names them").guess(name, names)
}

type toolsShowOptions struct {
	app  *App
	name string
}

func newToolsShow(app *App) *cobra.Command {
	opts := toolsShowOptions{app: app}
	return formats(&cobra.Command{
		Use: "show NAME", Short: "Explain one tool and its arguments",
		Long:    "Shows what a tool does, its modes, arguments and examples. -o json adds the\nschema of its arguments.",
		Example: examples("kite-mcp tools show market", "kite-mcp tools show portfolio -o json"),
		Args:    arguments(1, 1, "the name of one tool"), ValidArgsFunction: first(app.completeTools),
		RunE: func(c *cobra.Command, args []string) error {
			opts.name = args[0]
			return runToolsShow(c.Context(), opts)
		},
	}, formatText, formatJSON, formatMD)
}

func runToolsShow(ctx context.Context, opts toolsShowOptions) error {
	app := opts.app
	t, err := app.findTool(opts.name)
	if err != nil {
		return err
	}
	switch app.flags.format {
	case formatJSON:
		info := describeTool(t)
		info.InputSchema = t.Schema()
		return app.printJSON(info)
	case formatMD:
		return app.write(toolMarkdown(t))
	}
	return app.printMarkdown(ctx, toolMarkdown(t), 0)
}

// toolMarkdown is the page of a tool.
func toolMarkdown(t *tools.Tool) string {
	var b strings.Builder
	b.WriteString("# " + t.Name + ": " + t.Title + "\n\n" + t.Description + "\n\n")
	b.WriteString("Category: " + string(t.Category) + ", " + effectWord(t.Effect()) + ".\n")
	if t.Moded() {
		b.WriteString("\n## Modes\n\n")
		for _, m := range t.Modes {
			b.WriteString("- `" + m.Name + "` (" + effectWord(m.Effect) + "): " + m.Description + "\n")
		}
	}
	if s := t.Schema(); s != nil && len(s.PropertyOrder) > 0 {
		b.WriteString("\n## Arguments\n\n")
		for _, name := range s.PropertyOrder {
			p := s.Properties[name]
			kind := p.Type
			if slices.Contains(s.Required, name) {
				kind += ", required"
			}
			b.WriteString("- `" + name + "` (" + kind + "): " + p.Description + "\n")
		}
	}
	b.WriteString("\n## Examples\n\n```text\n" + strings.Join(t.AllExamples(), "\n") + "\n```\n")
	if len(t.HelpKeys) > 0 {
		b.WriteString("\nHelp pages: `" + strings.Join(t.HelpKeys, "`, `") + "`\n")
	}
	return render.Clean(b.String())
}
