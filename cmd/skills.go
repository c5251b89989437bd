package cmd

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func newSkills(app *App) *cobra.Command {
	c := parent(&cobra.Command{
		Use: "skills", Short: "Read and verify the Agent Skills", GroupID: groupHelp,
		Long:    "The skills are the topics of the help tree with their files, as MCP clients with\nthe Skills extension see them. --server and --stdio read them from any other\nSkills server, and verify what they read.",
		Example: examples("kite-mcp skills list", "kite-mcp skills verify"),
	})
	c.AddCommand(newSkillsList(app), newSkillsGet(app), newSkillsRead(app), newSkillsVerify(app))
	return c
}

// findSkill finds a skill by name or by the URI of its SKILL.md.
func (a *App) findSkill(word string) (*catalog.Skill, error) {
	pages, err := a.catalog()
	if err != nil {
		return nil, err
	}
	var names, uris []string
	for _, s := range pages.Skills() {
		if s.Name == word || s.URI == word {
			return s, nil
		}
		names, uris = append(names, s.Name), append(uris, s.URI)
	}
	p := &problem{Code: string(tools.CodeNotFound), Message: "no skill " + quoted(word), Hint: "kite-mcp skills list names them"}
	if strings.HasPrefix(word, catalog.Scheme) {
		names = uris
	}
	return nil, p.guess(word, names)
}

// findSkills finds several skills, all of them when no word is given.
func (a *App) findSkills(list []string) ([]*catalog.Skill, error) {
	if len(list) == 0 {
		pages, err := a.catalog()
		if err != nil {
			return nil, err
		}
		return pages.Skills(), nil
	}
	skills := make([]*catalog.Skill, len(list))
	for i, word := range list {
		s, err := a.findSkill(word)
		if err != nil {
			return nil, err
		}
		skills[i] = s
	}
	return skills, nil
}

type skillsListOptions struct{ app *App }

func newSkillsList(app *App) *cobra.Command {
	opts := skillsListOptions{app: app}
	return formats(remote(&cobra.Command{
		Use: "list", Short: "List the skills",
		Long:    "Lists the skills. -o json has the entries exactly as the method skills/list\nreturns them.",
		Example: examples("kite-mcp skills list", "kite-mcp skills list -o json"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error { return runSkillsList(c.Context(), opts) },
	}), formatText, formatJSON, formatMD)
}

func runSkillsList(ctx context.Context, opts skillsListOptions) error {
	app := opts.app
	src, err := app.skills(ctx, host.Auto)
	if err != nil {
		return err
	}
	defer closing(src)
	skills, err := src.list(ctx)
	if err != nil {
		return err
	}
	if app.json() {
		objects := make([]any, len(skills))
		for i, s := range skills {
			objects[i] = s.object
		}
		return app.printJSON(map[string][]any{"skills": objects})
	}
	t := &table{columns: []column{{title: "NAME", keep: true}, {title: "FILES", number: true}, {title: "BYTES", number: true}, {title: "DESCRIPTION"}}}
	for _, s := range skills {
		files, size := strconv.Itoa(len(s.files)), int64(0)
		for _, r := range s.files {
			size += r.Size
		}
		bytes := strconv.FormatInt(size, 10)
		if s.dynamic {
			files, bytes = "dynamic", "-"
		}
		t.add(s.name, files, bytes, s.description)
	}
	return app.printTable(ctx, t)
}

// orEmpty keeps null out of JSON lists.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

type skillsGetOptions struct {
	app  *App
	name string
}

func newSkillsGet(app *App) *cobra.Command {
	opts := skillsGetOptions{app: app}
	return formats(remote(&cobra.Command{
		Use: "get NAME|URI", Short: "Show one skill with its files",
		Long:    "Shows a skill's frontmatter and manifest. -o json is the entry exactly as the\nmethod skills/get returns it.",
		Example: examples("kite-mcp skills get orders", "kite-mcp skills get skill://orders/SKILL.md -o json"),
		Args:    arguments(1, 1, "the name or URI of one skill"), ValidArgsFunction: first(app.completeSkills),
		RunE: func(c *cobra.Command, args []string) error {
			opts.name = args[0]
			return runSkillsGet(c.Context(), opts)
		},
	}), formatText, formatJSON, formatMD)
}

func runSkillsGet(ctx context.Context, opts skillsGetOptions) error {
	app := opts.app
	src, err := app.skills(ctx, host.Auto)
	if err != nil {
		return err
	}
	defer closing(src)
	s, err := src.get(ctx, opts.name)
	if err != nil {
		return err
	}
	if app.json() {
		return app.printJSON(s.object)
	}
	name, description := oneLine(render.Clean(s.name)), oneLine(render.Clean(s.description))
	where, md := "page  "+s.page, "Page: `"+s.page+"`"
	if s.page == "" {
		uri := oneLine(render.Clean(s.uri))
		where, md = "uri  "+uri, "URI: `"+uri+"`"
	}
	t := manifestTable(s.files)
	t.head = "# " + name + "\n\n" + description + "\n\n" + md + "\n\n"
	if app.flags.format != formatMD {
		t.head = app.bold(name) + "\n" + app.wrap(description) + "\n" + where + "\n\n"
	}
	if s.dynamic {
		app.note("note: the server publishes no digests of this skill")
	}
	return app.printTable(ctx, t)
}

type skillsReadOptions struct {
	app *App
	uri string
	out string
}

func newSkillsRead(app *App) *cobra.Command {
	opts := skillsReadOptions{app: app}
	c := formats(remote(&cobra.Command{
		Use: "read URI", Short: "Print one file of a skill",
		Long:    "Prints the original bytes of a file, as resources/read returns them. A terminal\ngets them without control characters.",
		Example: examples("kite-mcp skills read skill://orders/reconcile.md", "kite-mcp skills read skill://orders/SKILL.md --out SKILL.md"),
		Args:    arguments(1, 1, "the URI of one file"), ValidArgsFunction: first(app.completeResources),
		RunE: func(c *cobra.Command, args []string) error {
			opts.uri = args[0]
			return runSkillsRead(c.Context(), opts)
		},
	}), formatText, formatJSON)
	c.Flags().StringVar(&opts.out, "out", "", "write the bytes to `FILE` instead")
	_ = c.MarkFlagFilename("out")
	return c
}

func runSkillsRead(ctx context.Context, opts skillsReadOptions) error {
	app := opts.app
	src, err := app.skills(ctx, host.Auto)
	if err != nil {
		return err
	}
	defer closing(src)
	file, err := src.read(ctx, opts.uri)
	if err != nil {
		return err
	}
	switch {
	case opts.out != "":
		return os.WriteFile(app.path(opts.out), file.raw, 0o644) //nolint:gosec // public documentation, readable like any file
	case app.json():
		return app.printJSON(map[string][]contents{"contents": {file}})
	case app.terminal().out && file.Text == nil:
		return usage(quoted(opts.uri)+" is not text", "write it to a file with --out")
	case app.terminal().out:
		return app.write(render.Clean(*file.Text))
	}
	return app.write(string(file.raw))
}
