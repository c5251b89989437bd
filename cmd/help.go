package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type helpOptions struct {
	app   *App
	raw   bool
	width int
}

func newHelp(app *App) *cobra.Command {
	opts := helpOptions{app: app}
	c := formats(remote(&cobra.Command{
		Use: "help [/KEY | COMMAND...]", Short: "Read a help page, or about a command", GroupID: groupHelp,
		Long: "A word that begins with / is a help page, any other is a command. -o md prints\n" +
			"exactly what the MCP help tool returns; --raw prints the file's bytes.",
		Example: examples("kite-mcp help /orders", "kite-mcp help /orders/prepare -o md", "kite-mcp help skills list"),
		Args:    cobra.ArbitraryArgs, ValidArgsFunction: app.completeHelp,
		RunE: func(c *cobra.Command, args []string) error { return runHelp(c.Context(), c, opts, args) },
	}), formatText, formatJSON, formatMD)
	opts.register(c.Flags())
	return c
}

func (o *helpOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.raw, "raw", false, "print the file's bytes, frontmatter included")
	f.IntVar(&o.width, "width", 0, "lay the page out for `N` columns")
}

// paged reports whether a flag was given that only a page has.
func (o *helpOptions) paged() bool { return o.raw || o.width != 0 }

// runHelp decides which of its two meanings a help request has.
func runHelp(ctx context.Context, c *cobra.Command, opts helpOptions, args []string) error {
	app := opts.app
	switch {
	case len(args) == 0 && app.remote():
		return app.remoteCommandHelp("")
	case len(args) == 0:
		return opts.showCommand(c.Root())
	case app.isKey(args[0]):
		if len(args) > 1 {
			return usage("help takes one key, got also "+quoted(args[1]), "")
		}
		return opts.showPage(ctx, c.Root(), args[0])
	case app.remote():
		return app.remoteCommandHelp(args[0])
	}
	target, rest, err := c.Root().Find(args)
	if err == nil && len(rest) == 0 && target != c.Root() {
		return opts.showCommand(target)
	}
	if key, ok := app.pageWithoutSlash(args); ok {
		app.note("note: no command %s; this is the page %s", quoted(args[0]), key)
		return opts.showPage(ctx, c.Root(), key.String())
	}
	return app.noSuchHelp(target, args, rest)
}

// noSuchHelp exits 1, where cobra's own help would exit 0.
func (a *App) noSuchHelp(nearest *cobra.Command, args, rest []string) error {
	word := args[0]
	if len(rest) > 0 {
		word = rest[0]
	}
	p := &problem{Code: codeUnknownKey, Message: "no command and no help page " + quoted(strings.Join(args, " ")), Hint: "kite-mcp help lists the commands, kite-mcp tree the pages"}
	return a.guessPage(p.guessCommand(nearest, word), strings.Join(args, "/"))
}

// guessPage adds the one help page close to a word that was typed without its
// slash, unless there is a guess already.
func (a *App) guessPage(p *problem, word string) *problem {
	pages, err := a.catalog()
	if err != nil || len(p.DidYouMean) > 0 || word == "" {
		return p
	}
	var keys []string
	for _, k := range pages.Keys() {
		keys = append(keys, k.String())
	}
	return p.guess("/"+word, keys)
}

// isKey reports whether a word names a help page rather than a command.
func (a *App) isKey(word string) bool {
	return word == "" || word[0] == '/' || strings.HasPrefix(word, catalog.Scheme) || a.rewritten(word) ||
		a.remote() && strings.Contains(word, "://")
}

// remoteCommandHelp refuses help about commands of another server: it has none.
func (a *App) remoteCommandHelp(word string) error {
	if word == "" {
		return usage("--server and --stdio are for pages", "name one, such as kite-mcp help /")
	}
	return usage(quoted(word)+" is no page of a server", "a page begins with /, as in kite-mcp help /"+word)
}

// rewritten reports whether Git Bash on Windows turned a key into a file path
// before we could see it: /orders arrives as C:/Program Files/Git/orders.
func (a *App) rewritten(word string) bool {
	return a.getenv("MSYSTEM") != "" && len(word) > 2 && word[1] == ':' && (word[2] == '/' || word[2] == '\\')
}

// resolveKey reads a key in any of the forms a person may have: a key, the URI
// of its file, or what Git Bash made of it.
func (a *App) resolveKey(word string) (catalog.Key, error) {
	switch {
	case strings.HasPrefix(word, catalog.Scheme):
		return a.keyOfURI(word)
	case a.rewritten(word):
		return a.keyOfPath(word)
	default:
		return catalog.ParseKey(word)
	}
}

func (a *App) keyOfURI(uri string) (catalog.Key, error) {
	pages, err := a.catalog()
	if err != nil {
		return catalog.Key{}, err
	}
	if p := pages.PageAt(strings.TrimPrefix(uri, catalog.Scheme)); p != nil {
		return p.Key, nil
	}
	var known []string
	for _, r := range pages.Resources() {
		known = append(known, r.URI)
	}
	p := &problem{Code: codeUnknownKey, Message: "no file " + quoted(uri), Hint: "kite-mcp manifest lists the files"}
	return catalog.Key{}, p.guess(uri, known)
}

// keyOfPath finds the longest tail of a path that is a key.
func (a *App) keyOfPath(word string) (catalog.Key, error) {
	pages, err := a.catalog()
	if err != nil {
		return catalog.Key{}, err
	}
	segments := strings.Split(strings.ReplaceAll(word, `\`, "/"), "/")[1:]
	for i := range segments {
		key, err := catalog.ParseKey("/" + strings.Join(segments[i:], "/"))
		if err != nil {
			continue
		}
		if _, err := pages.Page(key); err == nil {
			a.note("note: Git Bash rewrote the key to %s; this is %s", quoted(word), key)
			return key, nil
		}
	}
	return catalog.Key{}, &problem{
		Code: codeUnknownKey, Message: "Git Bash rewrote the key to the path " + quoted(word) + ", and no part of it is a help page",
		Hint: "write it with two slashes, as in kite-mcp help //orders, or set MSYS_NO_PATHCONV=1",
	}
}

// pageWithoutSlash finds the page of a word such as holdings/positions.
func (a *App) pageWithoutSlash(args []string) (catalog.Key, bool) {
	if len(args) != 1 {
		return catalog.Key{}, false
	}
	key, err := catalog.ParseKey("/" + args[0])
	if err != nil || key.IsRoot() {
		return catalog.Key{}, false
	}
	pages, err := a.catalog()
	if err != nil {
		return catalog.Key{}, false
	}
	_, err = pages.Page(key)
	return key, err == nil
}

func (o *helpOptions) showPage(ctx context.Context, root *cobra.Command, word string) error {
	app := o.app
	if o.raw && app.flags.format != formatText {
		return usage("--raw and -o "+app.flags.format+" exclude each other", "")
	}
	if o.width < 0 {
		return usage("--width must be at least 1", "")
	}
	lib, err := app.library(ctx)
	if err != nil {
		return err
	}
	defer closing(lib)
	page, err := lib.page(ctx, word)
	if err != nil {
		return err
	}
	switch {
	case o.raw && page.raw == nil:
		return &problem{Code: string(tools.CodeNotFound), Message: page.key + " is a generated list and has no file", Hint: "leave --raw away"}
	case o.raw:
		return app.write(string(page.raw))
	case app.flags.format == formatMD:
		return app.write(page.markdown)
	case app.json():
		object, err := page.object(ctx)
		if err != nil {
			return err
		}
		return app.printJSON(object)
	}
	if err := app.printMarkdown(ctx, page.markdown, o.width); err != nil {
		return err
	}
	if name, ok := strings.CutPrefix(page.key, "/"); ok && !app.remote() && slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }) {
		app.note("See also the command: kite-mcp help %s", name)
	}
	return nil
}

// printMarkdown lays a page out for a person, or passes it on to a program.
func (a *App) printMarkdown(ctx context.Context, markdown string, width int) error {
	if !a.laidOut() && width == 0 {
		return a.write(render.Clean(markdown))
	}
	if width == 0 {
		width = min(a.width(), maxProse)
	}
	doc, err := render.Layout(markdown, render.Options{Width: width, Style: a.style()})
	if err != nil {
		return err
	}
	if doc.Note != "" {
		a.note("note: %s", doc.Note)
	}
	if a.styled() {
		return a.page(ctx, a.downsample(doc.String()))
	}
	var b strings.Builder
	for _, line := range doc.Lines {
		b.WriteString(line.Plain + "\n")
	}
	return a.page(ctx, b.String())
}

func (o *helpOptions) showCommand(c *cobra.Command) error {
	if o.paged() {
		return usage("--raw and --width are for pages, and "+c.CommandPath()+" is a command", "")
	}
	if o.app.flags.format != formatText {
		return usage("help about a command has no format "+o.app.flags.format, "leave -o away")
	}
	c.InitDefaultHelpFlag() // so that the flag is listed
	return c.Help()
}

// printCommandHelp prints what a command is for. It is cobra's help function,
// which cannot fail.
func (a *App) printCommandHelp(c *cobra.Command) {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(c.Long) + "\n")
	if c.Runnable() || c.HasSubCommands() {
		b.WriteString("\n" + c.UsageString())
	}
	if c == c.Root() {
		a.writeFirstLevel(&b)
	} else if key, ok := a.pageWithoutSlash([]string{c.Name()}); ok && c.Parent() == c.Root() {
		b.WriteString("\nSee also the help page: kite-mcp help " + key.String() + "\n")
	}
	a.helpErr = a.page(c.Context(), b.String())
}

// writeFirstLevel lists the pages below the root. The overview must work with a
// broken catalog too, so it says so instead of failing.
func (a *App) writeFirstLevel(b *strings.Builder) {
	b.WriteString("\nHelp pages, from kite-mcp help /:\n")
	pages, err := a.catalog()
	if err != nil {
		b.WriteString("  not readable; kite-mcp tree says why\n")
		return
	}
	widest := 0
	for _, p := range pages.Children(catalog.Key{}) {
		widest = max(widest, len(p.Key.String()))
	}
	for _, p := range pages.Children(catalog.Key{}) {
		key := p.Key.String()
		b.WriteString("  " + render.Clean(key+strings.Repeat(" ", widest-len(key)+2)+summary(p.Description, 76-widest)) + "\n")
	}
}

// summary is the first sentence of a description, cut at a word if need be.
func summary(s string, most int) string {
	s, _, _ = strings.Cut(s, ". ")
	if len(s) <= most {
		return s
	}
	cut := strings.LastIndexByte(s[:most+1], ' ')
	if cut <= 0 {
		return s
	}
	return strings.TrimRight(s[:cut], ",;:.") + " ..."
}
