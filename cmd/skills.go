package cmd

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func newSkills(app *App) *cobra.Command {
	c := parent(&cobra.Command{
		Use: "skills", Short: "Read and verify the Agent Skills", GroupID: groupHelp,
		Long:    "The skills are the topics of the help tree with their files, as MCP clients with\nthe Skills extension see them.",
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
	return formats(&cobra.Command{
		Use: "list", Short: "List the skills",
		Long:    "Lists the skills. -o json has the entries exactly as the method skills/list\nreturns them.",
		Example: examples("kite-mcp skills list", "kite-mcp skills list -o json"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error { return runSkillsList(c.Context(), opts) },
	}, formatText, formatJSON, formatMD)
}

func runSkillsList(ctx context.Context, opts skillsListOptions) error {
	app := opts.app
	pages, err := app.catalog()
	if err != nil {
		return err
	}
	if app.json() {
		return app.printJSON(map[string][]*catalog.Skill{"skills": orEmpty(pages.Skills())})
	}
	t := &table{columns: []column{{title: "NAME", keep: true}, {title: "FILES", number: true}, {title: "BYTES", number: true}, {title: "DESCRIPTION"}}}
	for _, s := range pages.Skills() {
		var size int64
		for _, r := range s.Resources {
			size += r.Size
		}
		t.add(s.Name, strconv.Itoa(len(s.Resources)), strconv.FormatInt(size, 10), s.Description)
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
	return formats(&cobra.Command{
		Use: "get NAME|URI", Short: "Show one skill with its files",
		Long:    "Shows a skill's frontmatter and manifest. -o json is the entry exactly as the\nmethod skills/get returns it.",
		Example: examples("kite-mcp skills get orders", "kite-mcp skills get skill://orders/SKILL.md -o json"),
		Args:    arguments(1, 1, "the name or URI of one skill"), ValidArgsFunction: first(app.completeSkills),
		RunE: func(c *cobra.Command, args []string) error {
			opts.name = args[0]
			return runSkillsGet(c.Context(), opts)
		},
	}, formatText, formatJSON, formatMD)
}

func runSkillsGet(ctx context.Context, opts skillsGetOptions) error {
	app := opts.app
	s, err := app.findSkill(opts.name)
	if err != nil {
		return err
	}
	if app.json() {
		return app.printJSON(s)
	}
	t := manifestTable(s.Resources)
	t.head = "# " + s.Name + "\n\n" + s.Description + "\n\nPage: `" + s.Key.String() + "`\n\n"
	if app.flags.format != formatMD {
		t.head = app.bold(oneLine(render.Clean(s.Name))) + "\n" + app.wrap(oneLine(render.Clean(s.Description))) + "\npage  " + s.Key.String() + "\n\n"
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
	c := formats(&cobra.Command{
		Use: "read URI", Short: "Print one file of a skill",
		Long:    "Prints the original bytes of a file, as resources/read returns them. A terminal\ngets them without control characters.",
		Example: examples("kite-mcp skills read skill://orders/reconcile.md", "kite-mcp skills read skill://orders/SKILL.md --out SKILL.md"),
		Args:    arguments(1, 1, "the URI of one file"), ValidArgsFunction: first(app.completeResources),
		RunE: func(_ *cobra.Command, args []string) error {
			opts.uri = args[0]
			return runSkillsRead(opts)
		},
	}, formatText, formatJSON)
	c.Flags().StringVar(&opts.out, "out", "", "write the bytes to `FILE` instead")
	_ = c.MarkFlagFilename("out")
	return c
}

// contents is the result of resources/read.
type contents struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
}

func runSkillsRead(opts skillsReadOptions) error {
	app := opts.app
	pages, err := app.catalog()
	if err != nil {
		return err
	}
	r := pages.Resource(opts.uri)
	if r == nil {
		var known []string
		for _, r := range pages.Resources() {
			known = append(known, r.URI)
		}
		p := &problem{Code: string(tools.CodeNotFound), Message: "no file " + quoted(opts.uri), Hint: "kite-mcp manifest lists the files"}
		return p.guess(opts.uri, known)
	}
	switch {
	case opts.out != "":
		return os.WriteFile(app.path(opts.out), r.Raw, 0o644) //nolint:gosec // public documentation, readable like any file
	case app.json():
		return app.printJSON(map[string][]contents{"contents": {{URI: r.URI, MIMEType: "text/markdown", Text: string(r.Raw)}}})
	case app.terminal().out:
		return app.write(render.Clean(string(r.Raw)))
	}
	return app.write(string(r.Raw))
}

type skillsVerifyOptions struct {
	app   *App
	names []string
}

func newSkillsVerify(app *App) *cobra.Command {
	opts := skillsVerifyOptions{app: app}
	return formats(&cobra.Command{
		Use: "verify [NAME|URI...]", Short: "Check every file against its manifest",
		Long:    "Reads every file of the skills again and compares size, digest and frontmatter\nwith what the manifests say. Any difference exits 1.",
		Example: examples("kite-mcp skills verify", "kite-mcp skills verify orders --catalog ./catalog"),
		Args:    cobra.ArbitraryArgs, ValidArgsFunction: app.completeSkills,
		RunE: func(c *cobra.Command, args []string) error {
			opts.names = args
			return runSkillsVerify(c.Context(), opts)
		},
	}, formatText, formatJSON, formatMD)
}

// verdict is one checked file.
type verdict struct {
	URI     string `json:"uri"`
	OK      bool   `json:"ok"`
	Problem string `json:"problem"` // "" when ok
	Size    int64  `json:"size"`    // as the manifest says
	Digest  string `json:"digest"`  // as the manifest says
}

func runSkillsVerify(ctx context.Context, opts skillsVerifyOptions) error {
	app := opts.app
	skills, err := app.findSkills(opts.names)
	if err != nil {
		return err
	}
	files, err := app.files()
	if err != nil {
		return err
	}
	tree, _ := catalog.Scan(files) // its problems show as files that differ
	return app.reportVerdicts(ctx, verify(tree, skills))
}

// verify compares the files of a tree with the manifests of skills.
func verify(tree *catalog.Tree, skills []*catalog.Skill) []verdict {
	verdicts := []verdict{}
	seen := map[string]bool{} // a file of a nested skill is in several manifests
	for _, s := range skills {
		for _, e := range s.Resources {
			if !seen[e.URI] {
				seen[e.URI] = true
				difference := compareFile(tree.File(pathOf(e)), e, s)
				verdicts = append(verdicts, verdict{URI: e.URI, OK: difference == "", Problem: difference, Size: e.Size, Digest: e.Digest})
			}
		}
	}
	for _, s := range skills {
		verdicts = append(verdicts, unlisted(tree, s, seen)...)
	}
	return verdicts
}

// compareFile returns how a file differs from its manifest entry, "" when it
// does not.
func compareFile(f *catalog.File, e catalog.ManifestEntry, s *catalog.Skill) string {
	switch {
	case f == nil:
		return "missing"
	case int64(len(f.Raw)) != e.Size:
		return "size is " + strconv.Itoa(len(f.Raw))
	case catalog.DigestBytes(f.Raw) != e.Digest:
		return "digest is " + catalog.DigestBytes(f.Raw)
	case e.URI == s.URI && !sameFrontmatter(f, s):
		return "frontmatter differs"
	}
	return ""
}

func sameFrontmatter(f *catalog.File, s *catalog.Skill) bool {
	if f.Front == nil {
		return false
	}
	fields, err := f.Front.JSON()
	return err == nil && bytes.Equal(fields, s.Frontmatter)
}

// unlisted finds files of a skill that no manifest has.
func unlisted(tree *catalog.Tree, s *catalog.Skill, seen map[string]bool) []verdict {
	var out []verdict
	folder := strings.TrimSuffix(s.URI, catalog.SkillFile)
	for _, f := range tree.Files {
		uri := catalog.Scheme + f.Path
		if strings.HasPrefix(uri, folder) && !seen[uri] {
			seen[uri] = true
			out = append(out, verdict{URI: uri, Problem: "not in the manifest", Size: int64(len(f.Raw)), Digest: catalog.DigestBytes(f.Raw)})
		}
	}
	return out
}

func (a *App) reportVerdicts(ctx context.Context, verdicts []verdict) error {
	failed := 0
	t := &table{columns: []column{{title: "RESULT"}, {title: "FILE", keep: true}, {title: "BYTES", number: true}, {title: "SHA256"}}}
	for _, v := range verdicts {
		result := "ok"
		if !v.OK {
			failed++
			result = "FAILED: " + v.Problem
		}
		t.add(result, v.URI, strconv.FormatInt(v.Size, 10), hexOf(v.Digest))
	}
	var err error
	if a.json() {
		err = a.printJSON(map[string][]verdict{"files": verdicts})
	} else {
		err = a.printTable(ctx, t)
	}
	if err != nil {
		return err
	}
	if failed > 0 {
		return &problem{Code: codeVerifyFailed, Message: strconv.Itoa(failed) + " of " + strconv.Itoa(len(verdicts)) + " files differ from their manifest", Hint: "restore the files, or build the program anew"}
	}
	a.note("%d files, all as their manifests say", len(verdicts))
	return nil
}

func hexOf(digest string) string { return strings.TrimPrefix(digest, "sha256:") }
