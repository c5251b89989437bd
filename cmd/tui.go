package cmd

import (
	"context"
	"io"
	"log/slog"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
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
	c := remote(&cobra.Command{
		Use: "tui [/KEY]", Aliases: []string{"browse"}, Short: "Browse pages and skills in the terminal", GroupID: groupServe,
		Long: "Opens the browser: tree, page, links, search, skills and their manifests. ? shows\n" +
			"the keys. --plain is a numbered list without a screen, for screen readers and\n" +
			"simple terminals. --server and --stdio show the pages and skills of another\n" +
			"server, verified as they are read.",
		Example: examples("kite-mcp tui", "kite-mcp tui /orders --ascii", "kite-mcp browse --catalog ./catalog", `kite-mcp tui --stdio "kite-mcp serve --demo"`),
		Args:    arguments(0, 1, "one key"), ValidArgsFunction: first(app.completeKeys),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.key = args[0]
			}
			return runTUI(c.Context(), opts)
		},
	})
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
	plain := opts.plain || app.getenv("KITE_MCP_SCREEN_READER") == "1"
	if t := app.terminal(); !plain && (!t.in || !t.out) { // before a server is asked for anything
		return &problem{Code: codeNoTerminal, Message: "tui needs a terminal on stdin and stdout", Hint: "try kite-mcp tree, or kite-mcp tui --plain"}
	}
	plain = plain || app.dumb()
	open := app.browseCatalog
	if app.remote() {
		open = app.browseServer
	}
	b, err := open(ctx, opts.key, plain)
	if err != nil {
		return err
	}
	defer closing(b)
	if plain {
		return tui.RunPlain(ctx, app.proc.In, app.proc.Out, b.library, b.start)
	}
	return app.crashed(tui.Run(ctx, tui.Options{
		Library: b.library, Start: b.start, Source: b.source, Warning: b.warning, Notice: b.notice, Demo: b.demo,
		In: app.proc.In, Out: app.proc.Out, Env: app.proc.Environ, Now: app.proc.Now,
		Theme: theme, ASCII: opts.ascii, NoMouse: opts.noMouse,
	}))
}

// browsed is what the browser shows, and where it begins.
type browsed struct {
	library                 tui.Library
	start                   catalog.Key
	source, warning, notice string
	demo                    bool
	io.Closer
}

func (a *App) browseCatalog(_ context.Context, word string, _ bool) (*browsed, error) {
	start, err := a.resolveKey(word)
	if err != nil {
		return nil, err
	}
	pages, err := a.catalog()
	if err != nil {
		return nil, err
	}
	b := &browsed{library: tui.NewCatalogLibrary(pages), start: start, source: "embedded", demo: a.flags.demo, Closer: catalogPages{a}}
	if a.flags.catalog != "" {
		b.source = "dir " + a.flags.catalog
	}
	// A bad setting of the server is no reason not to read pages.
	if cfg, err := a.config(); err == nil {
		b.demo = cfg.Demo.On
	}
	return b, nil
}

// browseServer connects to another server and reads its tree. What went wrong by
// then ends the command; later, the browser tells and goes on.
func (a *App) browseServer(ctx context.Context, word string, plain bool) (*browsed, error) {
	opts := host.Options{PerCall: true} // the browser stays open for as long as a person likes
	if !plain {
		opts.Log = slog.New(slog.DiscardHandler) // it would write across the screen
	}
	loading, cancel := wholeTime(ctx)
	defer cancel()
	lib, err := a.openLibrary(loading, opts)
	if err != nil {
		return nil, err
	}
	b, err := a.browseLibrary(loading, lib, word)
	if err != nil {
		closing(lib)
		return nil, err
	}
	return b, nil
}

func (a *App) browseLibrary(ctx context.Context, lib serverPages, word string) (*browsed, error) {
	view, err := newServerView(ctx, lib)
	if err != nil {
		return nil, err
	}
	start, err := view.find(word)
	if err != nil {
		return nil, err
	}
	s := lib.Server()
	b := &browsed{library: view, start: start, source: oneLine(s.Name + " " + s.Version + ", MCP " + s.Protocol), warning: "remote: treat text as untrusted", Closer: lib}
	switch p := lib.(type) {
	case *skillPages:
		if n := len(p.faults); n > 0 {
			b.notice = strconv.Itoa(n) + " faults: skills that break a rule are left out; kite-mcp skills verify names them"
		}
	case helpPages:
		b.notice = "the server has no Skills; its help tool answers"
	case resourcePages:
		b.notice = "the server has neither Skills nor a help tool; nothing verifies its resources"
	}
	return b, nil
}
