package cmd

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

func newTools(app *App) *cobra.Command {
	c := parent(&cobra.Command{
		Use: "tools", Short: "List, explain and call the MCP tools", GroupID: groupTools,
		Long:    "The tools of the MCP server, called in this process. EXCLUDED_TOOLS and READ_ONLY\napply as they do to serve. --server and --stdio use those of another server.",
		Example: examples("kite-mcp tools list", "kite-mcp tools call market mode=ltp instruments=NSE:INFY --demo"),
	})
	c.AddCommand(newToolsList(app), newToolsSearch(app), newToolsShow(app), newToolsCall(app))
	return c
}

// toolSource is where tools come from: this program's registry, or another
// server.
type toolSource interface {
	// list returns the tools that a client sees.
	list(ctx context.Context, category string) (toolList, error)
	// show explains one tool.
	show(ctx context.Context, name string) (toolPage, error)
	// find returns one tool, ready to be called.
	find(ctx context.Context, name string) (callable, error)
	io.Closer
}

// toolList is what tools list and tools search print.
type toolList struct {
	rows   []toolRow
	object any // as JSON
}

type toolRow struct{ name, category, effect, modes, title string }

// toolPage is what tools show prints.
type toolPage struct {
	markdown string
	object   any // as JSON
}

// tools returns the source that the command line asks for, as a client sees it
// that declares what the profile says. The caller closes it.
func (a *App) tools(ctx context.Context, p tools.Profile, all bool) (toolSource, error) {
	if a.remote() {
		h, err := a.connect(ctx, host.Options{Plain: !p.Skills, Apps: p.Apps, PerCall: true}) // a person may think between two calls
		if err != nil {
			return nil, err
		}
		return serverTools{app: a, host: h}, nil
	}
	choose := a.registry
	if all {
		choose = a.allTools
	}
	reg, err := choose()
	if err != nil {
		return nil, err
	}
	return registryTools{app: a, registry: reg, profile: p}, nil
}

// effectWord says what a tool or mode can do.
func effectWord(e tools.Effect) string {
	switch e {
	case tools.ReadOnly:
		return "reads"
	case tools.Access:
		return "logs in or out"
	case tools.Write:
		return "writes"
	default:
		return "destroys"
	}
}

// clients are the values of --as.
func clients() []string { return []string{"legacy", "skills", "apps"} }

// asFlag adds the flag for the client that a command is to be.
func asFlag(c *cobra.Command, as *string) {
	c.Flags().StringVar(as, "as", "", "the `CLIENT`: legacy, or skills or apps with that extension (default legacy, to another server skills)")
	_ = c.RegisterFlagCompletionFunc("as", words(clients()...))
}

// profileAs returns what a client named by --as declares. Without the flag we are a client without extensions to our own
// tools, and to another server's one that has Skills.
func (a *App) profileAs(as string) (tools.Profile, error) {
	switch as {
	case "":
		return tools.Profile{Skills: a.remote()}, nil
	case "legacy":
		return tools.Profile{}, nil
	case "skills":
		return tools.Profile{Skills: true}, nil
	case "apps":
		return tools.Profile{Apps: true}, nil
	}
	return tools.Profile{}, usage("--as "+quoted(as)+" is not legacy, skills or apps", "").guess(as, clients())
}

type toolsListOptions struct {
	app      *App
	as       string
	category string
	all      bool
}

func newToolsList(app *App) *cobra.Command {
	opts := toolsListOptions{app: app}
	c := formats(remote(&cobra.Command{
		Use: "list", Short: "List the tools a client sees",
		Long:    "Lists the tools with what they can do. --as skills shows what a client sees that\nhas the Skills extension, which reads skills instead of calling help, and\n--as apps what one sees that shows the Kite app. Of another server, you see what\nskills sees unless you say otherwise, and what tools do is what the server says\nof itself.",
		Example: examples("kite-mcp tools list", "kite-mcp tools list --as skills -o json", "kite-mcp tools list --server http://localhost:8080/mcp"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error { return runToolsList(c.Context(), opts) },
	}), formatText, formatJSON, formatMD)
	asFlag(c, &opts.as)
	c.Flags().StringVar(&opts.category, "category", "", "only the tools of one `CATEGORY`")
	c.Flags().BoolVar(&opts.all, "all", false, "show what EXCLUDED_TOOLS and READ_ONLY take away, too")
	_ = c.RegisterFlagCompletionFunc("category", app.completeCategories)
	return c
}

func runToolsList(ctx context.Context, opts toolsListOptions) error {
	app := opts.app
	profile, err := app.profileAs(opts.as)
	if err != nil {
		return err
	}
	if app.remote() && (opts.all || opts.category != "") {
		return usage("--all and --category are for the tools of this program", "leave them away with --server and --stdio")
	}
	src, err := app.tools(ctx, profile, opts.all)
	if err != nil {
		return err
	}
	defer closing(src)
	list, err := src.list(ctx, opts.category)
	if err != nil {
		return err
	}
	return app.printTools(ctx, list)
}

// registryTools are the tools of this program.
type registryTools struct {
	app      *App
	registry *tools.Registry
	profile  tools.Profile
}

func (registryTools) Close() error { return nil }

func (r registryTools) list(_ context.Context, category string) (toolList, error) {
	return r.search("", category)
}

func (r registryTools) search(query, category string) (toolList, error) {
	guide, err := r.app.guide(r.registry, r.profile)
	if err != nil {
		return toolList{}, err
	}
	found, err := searchTools(guide, query, category)
	if err != nil {
		return toolList{}, err
	}
	if found.ResultsCount == 0 && query != "" {
		next := "kite-mcp tools list shows all"
		if len(found.Suggestions) > 0 {
			next = "try " + strings.Join(found.Suggestions, " or ")
		}
		r.app.note("no tool fits; %s", next)
	}
	out := toolList{object: found}
	for _, hit := range found.Tools {
		t := r.registry.Tool(hit.Name)
		out.rows = append(out.rows, toolRow{t.Name, string(t.Category), effectWord(t.Effect()), strings.Join(t.ModeNames(), " "), t.Title})
	}
	return out, nil
}

func (r registryTools) show(_ context.Context, name string) (toolPage, error) {
	t, err := r.tool(name)
	if err != nil {
		return toolPage{}, err
	}
	guide, err := r.app.guide(r.registry, r.profile)
	if err != nil {
		return toolPage{}, err
	}
	answer, _ := guide.Tool(t.Name) // found above
	return toolPage{markdown: toolMarkdown(t), object: answer}, nil
}

func (r registryTools) find(_ context.Context, name string) (callable, error) {
	t, err := r.tool(name)
	if err != nil {
		return callable{}, err
	}
	return callable{name: t.Name, schema: t.Schema(), account: !t.ClosedWorld, call: func(ctx context.Context, args json.RawMessage) (tools.Result, error) {
		return r.app.callRaw(ctx, r.profile, t.Name, args)
	}}, nil
}

// tool returns a tool that the operator left and the client sees.
func (r registryTools) tool(name string) (*tools.Tool, error) {
	surface := r.registry.For(r.profile)
	if surface.Has(name) {
		return r.registry.Tool(name), nil
	}
	for _, as := range clients() {
		if p, err := r.app.profileAs(as); err == nil && r.registry.For(p).Has(name) {
			return nil, &problem{Code: string(tools.CodeNotFound), Message: "not every client sees " + quoted(name), Hint: "add --as " + as + " to be one that does"}
		}
	}
	var names []string
	for _, t := range surface.Tools() {
		names = append(names, t.Name)
	}
	return nil, noTool(name, names)
}

func noTool(name string, names []string) error {
	p := &problem{Code: string(tools.CodeNotFound), Message: "no tool " + quoted(name), Hint: "kite-mcp tools list names them"}
	if tool, mode, ok := strings.Cut(name, ":"); ok && slices.Contains(names, tool) {
		p.Message += ": " + quoted(mode) + " can only be a mode of " + tool
		p.Hint = "kite-mcp tools show " + tool + " explains it, kite-mcp tools call " + tool + " mode=" + mode + " calls it"
		return p
	}
	return p.guess(name, names)
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

func (a *App) printTools(ctx context.Context, list toolList) error {
	if a.json() {
		return a.printJSON(list.object)
	}
	t := &table{columns: []column{{title: "NAME", keep: true}, {title: "CATEGORY", keep: true}, {title: "EFFECT", keep: true}, {title: "MODES", keep: true}, {title: "TITLE"}}, spare: []string{"EFFECT", "MODES"}}
	for _, r := range list.rows {
		t.add(r.name, r.category, r.effect, r.modes, r.title)
	}
	return a.printTable(ctx, t)
}

type toolsSearchOptions struct {
	app      *App
	query    string
	as       string
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
	asFlag(c, &opts.as)
	c.Flags().StringVar(&opts.category, "category", "", "only the tools of one `CATEGORY`")
	_ = c.RegisterFlagCompletionFunc("category", app.completeCategories)
	return c
}

func runToolsSearch(ctx context.Context, opts toolsSearchOptions) error {
	app := opts.app
	profile, err := app.profileAs(opts.as)
	if err != nil {
		return err
	}
	reg, err := app.registry()
	if err != nil {
		return err
	}
	list, err := registryTools{app: app, registry: reg, profile: profile}.search(opts.query, opts.category)
	if err != nil {
		return err
	}
	return app.printTools(ctx, list)
}

type toolsShowOptions struct {
	app      *App
	as, name string
}

func newToolsShow(app *App) *cobra.Command {
	opts := toolsShowOptions{app: app}
	c := formats(remote(&cobra.Command{
		Use: "show NAME", Short: "Explain one tool and its arguments",
		Long:    "Shows what a tool does, its modes, arguments and examples. -o json gives what\nkite_help answers for it.",
		Example: examples("kite-mcp tools show market", "kite-mcp tools show portfolio -o json", "kite-mcp tools show open_kite_view --as apps"),
		Args:    arguments(1, 1, "the name of one tool"), ValidArgsFunction: first(app.completeTools),
		RunE: func(c *cobra.Command, args []string) error {
			opts.name = args[0]
			return runToolsShow(c.Context(), opts)
		},
	}), formatText, formatJSON, formatMD)
	asFlag(c, &opts.as)
	return c
}

func runToolsShow(ctx context.Context, opts toolsShowOptions) error {
	app := opts.app
	profile, err := app.profileAs(opts.as)
	if err != nil {
		return err
	}
	src, err := app.tools(ctx, profile, false)
	if err != nil {
		return err
	}
	defer closing(src)
	page, err := src.show(ctx, opts.name)
	if err != nil {
		return err
	}
	switch app.flags.format {
	case formatJSON:
		return app.printJSON(page.object)
	case formatMD:
		return app.write(page.markdown)
	}
	return app.printMarkdown(ctx, page.markdown, 0)
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
	writeArguments(&b, t.Schema())
	b.WriteString("\n## Examples\n\n```text\n" + strings.Join(t.AllExamples(), "\n") + "\n```\n")
	if len(t.HelpKeys) > 0 {
		b.WriteString("\nHelp pages: `" + strings.Join(t.HelpKeys, "`, `") + "`\n")
	}
	return render.Clean(b.String())
}

// writeArguments lists what a schema takes.
func writeArguments(b *strings.Builder, s *jsonschema.Schema) {
	names := propertyNames(s)
	if len(names) == 0 {
		return
	}
	b.WriteString("\n## Arguments\n\n")
	for _, name := range names {
		p := s.Properties[name]
		kind := p.Type
		if kind == "" {
			kind = "any"
		}
		if slices.Contains(s.Required, name) {
			kind += ", required"
		}
		b.WriteString("- `" + name + "` (" + kind + "): " + p.Description + "\n")
	}
}

// propertyNames lists the properties of a schema in its own order, else by name.
func propertyNames(s *jsonschema.Schema) []string {
	switch {
	case s == nil:
		return nil
	case len(s.PropertyOrder) > 0:
		return s.PropertyOrder
	}
	return slices.Sorted(maps.Keys(s.Properties))
}
