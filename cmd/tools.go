package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

func newTools(app *App) *cobra.Command {
	c := parent(&cobra.Command{
		Use: "tools", Short: "List, explain and call the MCP tools", GroupID: groupTools,
		Long:    "The tools of the MCP server, called in this process. EXCLUDED_TOOLS and READ_ONLY\napply as they do to serve.",
		Example: examples("kite-mcp tools list", "kite-mcp tools call market mode=ltp instruments=NSE:INFY --demo"),
	})
	c.AddCommand(newToolsList(app), newToolsSearch(app), newToolsShow(app), newToolsCall(app))
	return c
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
	guide, err := app.guide(reg, profile)
	if err != nil {
		return err
	}
	found, err := searchTools(guide, "", opts.category)
	if err != nil {
		return err
	}
	return app.printTools(ctx, reg, found)
}

// guide answers questions about tools; it needs no account.
func (a *App) guide(reg *tools.Registry, p tools.Profile) (tools.Guide, error) {
	pages, err := a.catalog()
	if err != nil {
		return tools.Guide{}, err
	}
	return reg.Guide(&tools.Env{Catalog: pages, Server: a.identity(), Demo: a.flags.demo}, p), nil
}

// identity is who answers, on the command line and over MCP.
func (a *App) identity() tools.Identity {
	return tools.Identity{Name: server.Name, Version: a.build().Version}
}

// searchTools searches; a category that does not exist is wrong usage here.
func searchTools(g tools.Guide, query, category string) (tools.FoundTools, error) {
	found, err := g.Search(query, category)
	if err != nil {
		f := tools.Explain(err)
		return found, usage(f.Message, f.Hint)
	}
	return found, nil
}

// printTools prints what kite_search_tools answers.
func (a *App) printTools(ctx context.Context, reg *tools.Registry, found tools.FoundTools) error {
	if a.json() {
		return a.printJSON(found)
	}
	t := &table{columns: []column{{title: "NAME", keep: true}, {title: "CATEGORY", keep: true}, {title: "EFFECT", keep: true}, {title: "MODES", keep: true}, {title: "TITLE"}}, spare: []string{"EFFECT", "MODES"}}
	for _, hit := range found.Tools {
		tool := reg.Tool(hit.Name)
		t.add(tool.Name, string(tool.Category), effectWord(tool.Effect()), strings.Join(tool.ModeNames(), " "), tool.Title)
	}
	return a.printTable(ctx, t)
}

type toolsSearchOptions struct {
	app      *App
	query    string
	category string
}

func newToolsSearch(app *App) *cobra.Command {
	opts := toolsSearchOptions{app: app}
	c := formats(&cobra.Command{
		Use: "search QUERY", Short: "Find a tool by what it does",
		Long:    "Finds tools by words in their names, modes, tags, arguments and descriptions, best\nmatch first, as kite_search_tools does for MCP clients.",
		Example: examples("kite-mcp tools search \"profit and loss\"", "kite-mcp tools search depth --category market -o json"),
		Args:    arguments(1, -1, "what you want to do"), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, args []string) error {
			opts.query = strings.Join(args, " ")
			return runToolsSearch(c.Context(), opts)
		},
	}, formatText, formatJSON, formatMD)
	c.Flags().StringVar(&opts.category, "category", "", "only the tools of one `CATEGORY`")
	_ = c.RegisterFlagCompletionFunc("category", app.completeCategories)
	return c
}

func runToolsSearch(ctx context.Context, opts toolsSearchOptions) error {
	app := opts.app
	reg, err := app.registry()
	if err != nil {
		return err
	}
	guide, err := app.guide(reg, tools.Profile{})
	if err != nil {
		return err
	}
	found, err := searchTools(guide, opts.query, opts.category)
	if err != nil {
		return err
	}
	if found.ResultsCount == 0 {
		next := "kite-mcp tools list shows all"
		if len(found.Suggestions) > 0 {
			next = "try " + strings.Join(found.Suggestions, " or ")
		}
		app.note("no tool fits; %s", next)
	}
	return app.printTools(ctx, reg, found)
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
		Long:    "Shows what a tool does, its modes, arguments and examples. -o json gives what\nkite_help answers for it.",
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
	reg, err := app.registry()
	if err != nil {
		return err
	}
	guide, err := app.guide(reg, tools.Profile{})
	if err != nil {
		return err
	}
	switch app.flags.format {
	case formatJSON:
		answer, _ := guide.Tool(t.Name) // found above
		return app.printJSON(answer)
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
