package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/tui"
)

type tuiOptions struct {
	app     *App
	key     string
	ascii   bool
	noMouse bool
	plain   bool
	theme   string
}

func newTUI(app *App) *cobra.Command {
	opts := tuiOptions{app: app, key: "/"}
	c := &cobra.Command{
		Use: "tui [/KEY]", Aliases: []string{"browse"}, Short: "Browse pages and skills in the terminal", GroupID: groupServe,
		Long: "Opens the browser: tree, page, links, search, skills and their manifests. ? shows\n" +
			"the keys. --plain is a numbered list without a screen, for screen readers and\n" +
			"simple terminals.",
		Example: examples("kite-mcp tui", "kite-mcp tui /orders --ascii", "kite-mcp browse --catalog ./catalog"),
		Args:    arguments(0, 1, "one key"), ValidArgsFunction: first(app.completeKeys),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.key = args[0]
			}
			return runTUI(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.BoolVar(&opts.ascii, "ascii", false, "draw lines with ASCII characters")
	f.BoolVar(&opts.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	f.BoolVar(&opts.plain, "plain", false, "no screen: numbered lists and questions")
	f.StringVar(&opts.theme, "theme", "auto", "auto, dark, light, high-contrast or none")
	_ = c.RegisterFlagCompletionFunc("theme", words(tui.ThemeNames()...))
	return c
}

func runTUI(ctx context.Context, opts tuiOptions) error {
	app := opts.app
	theme, ok := tui.ParseTheme(opts.theme)
	if !ok {
		return usage("--theme "+quoted(opts.theme)+" is unknown", "").guess(opts.theme, tui.ThemeNames())
	}
	if opts.theme == "auto" && !app.color() {
		theme = tui.ThemeNone
	}
	start, err := app.resolveKey(opts.key)
	if err != nil {
		return err
	}
	pages, err := app.catalog()
	if err != nil {
		return err
	}
	library := tui.NewCatalogLibrary(pages)
	if opts.plain || app.getenv("KITE_MCP_SCREEN_READER") == "1" {
		return tui.RunPlain(ctx, app.proc.In, app.proc.Out, library, start)
	}
	if t := app.terminal(); !t.in || !t.out {
		return &problem{Code: codeNoTerminal, Message: "tui needs a terminal on stdin and stdout", Hint: "try kite-mcp tree, or kite-mcp tui --plain"}
	}
	if app.dumb() {
		return tui.RunPlain(ctx, app.proc.In, app.proc.Out, library, start)
	}
	source := "embedded"
	if app.flags.catalog != "" {
		source = "dir " + app.flags.catalog
	}
	// A bad setting of the server is no reason not to read pages.
	demo := app.flags.demo
	if cfg, err := app.config(); err == nil {
		demo = cfg.Demo.On
	}
	return tui.Run(ctx, tui.Options{
		Library: library, Start: start, Source: source, Demo: demo,
		In: app.proc.In, Out: app.proc.Out, Env: app.proc.Environ, Now: app.proc.Now,
		Theme: theme, ASCII: opts.ascii, NoMouse: opts.noMouse,
	})
}
