package cmd

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/config"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

type serveOptions struct {
	app      *App
	http     string
	auth     string
	exclude  string
	readOnly bool
	approval string
	apps     string
	check    bool
	dev      bool
}

func newServe(app *App) *cobra.Command {
	opts := serveOptions{app: app}
	c := &cobra.Command{
		Use: "serve", Short: "Serve MCP over stdio or HTTP", GroupID: groupServe,
		Long: "Serves tools, help and Skills to MCP clients: one client on stdin and stdout, or\n" +
			"any number over HTTP on this machine. It ends with its client, or on a signal\n" +
			"once running calls are answered. Settings: kite-mcp help environment.",
		Example: examples("kite-mcp serve --demo", "kite-mcp serve --demo --http localhost:8080", "kite-mcp serve --check"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := opts.override(c); err != nil {
				return err
			}
			return runServe(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.http, "http", "", "serve HTTP on `HOST:PORT` instead of stdio")
	f.StringVar(&opts.auth, "auth", "local", "who may connect: local, this machine only; there is no other yet")
	f.StringVar(&opts.exclude, "exclude-tools", "", "comma `LIST` of tools, or tool:mode, to take away")
	f.BoolVar(&opts.readOnly, "read-only", false, "take away every mode that changes an account")
	f.StringVar(&opts.approval, "trade-approval", string(config.Elicit), "who approves a change: elicit, host or deny")
	f.StringVar(&opts.apps, "apps", string(config.AppsAuto), "which clients get the Kite app: auto, always or never")
	f.BoolVar(&opts.check, "check", false, "check the settings, show them and exit")
	f.BoolVar(&opts.dev, "dev", false, "allow --catalog, for authors")
	_ = c.RegisterFlagCompletionFunc("http", words("localhost:8080", "localhost:0"))
	_ = c.RegisterFlagCompletionFunc("auth", words("local"))
	_ = c.RegisterFlagCompletionFunc("exclude-tools", app.completeTools)
	_ = c.RegisterFlagCompletionFunc("trade-approval", words(string(config.Elicit), string(config.Host), string(config.Deny)))
	_ = c.RegisterFlagCompletionFunc("apps", words(string(config.AppsAuto), string(config.AppsAlways), string(config.AppsNever)))
	return c
}

// override turns the flags that were given into settings; they win over the
// environment.
func (o *serveOptions) override(c *cobra.Command) error {
	if c.Flags().Changed("http") {
		flags, err := config.HTTPFlags(o.http)
		if err != nil {
			return usage(err.Error(), "")
		}
		o.app.overrides = append(o.app.overrides, flags...)
	}
	for _, f := range []config.Flag{
		{Name: "--auth", Variable: "AUTH_MODE", Value: o.auth},
		{Name: "--exclude-tools", Variable: "EXCLUDED_TOOLS", Value: o.exclude},
		{Name: "--read-only", Variable: "READ_ONLY", Value: strconv.FormatBool(o.readOnly)},
		{Name: "--trade-approval", Variable: "TRADE_APPROVAL", Value: o.approval},
		{Name: "--apps", Variable: "KITE_APPS", Value: o.apps},
	} {
		if c.Flags().Changed(strings.TrimPrefix(f.Name, "--")) {
			o.app.overrides = append(o.app.overrides, f)
		}
	}
	return nil
}

// drainDelay is how long the server still answers after a signal: clients on this
// machine may be about to send what they prepared.
const drainDelay = 500 * time.Millisecond

func runServe(ctx context.Context, opts serveOptions) error {
	app := opts.app
	if app.flags.catalog != "" && !opts.dev {
		return usage("serve reads no files while it runs", "add --dev to serve --catalog for authoring")
	}
	if opts.dev && app.flags.catalog == "" {
		return usage("--dev does nothing without --catalog", "")
	}
	app.serving = true
	cfg, parts, err := app.serverParts()
	if err != nil {
		return err
	}
	if opts.check {
		return app.printSettings(ctx, cfg)
	}
	log := parts.Log
	for _, w := range cfg.Warnings {
		log.Warn("setting", "problem", w)
	}
	if !cfg.Demo.On {
		app.warnEphemeral(log)
	}
	if audit, _ := app.audit(); audit != nil { // env would have failed with it
		if err := audit.Ready(); err != nil {
			log.Error("no change will be sent", "error", err)
		}
	}
	parts.TrustHost, parts.Apps = cfg.Approval == config.Host, appsFor(cfg.Apps)
	srv, err := server.New(parts)
	if err != nil {
		return err
	}
	defer app.keep(ctx, cfg, parts.Env)()
	if cfg.Transport == config.HTTP {
		return srv.ListenAndServe(ctx, server.HTTPOptions{Addr: cfg.Addr(), DrainDelay: drainDelay, Ready: func(addr string) {
			app.note("kite-mcp %s serves MCP on http://%s/mcp%s; end it with Ctrl-C", app.build().Version, addr, opts.demoMark(cfg))
		}})
	}
	if app.terminal().in {
		app.note("kite-mcp %s%s waits for an MCP client on stdin; a client starts it by itself.\n"+
			"For HTTP: kite-mcp serve --http localhost:8080. For the commands: kite-mcp help.", app.build().Version, opts.demoMark(cfg))
	}
	return srv.Stdio(ctx, app.proc.In, app.proc.Out)
}

// serverParts is what every server of ours is made of: the tools, and the account
// behind them.
func (a *App) serverParts() (*config.Config, server.Options, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, server.Options{}, err
	}
	reg, err := a.registry()
	if err != nil {
		return nil, server.Options{}, err
	}
	env, err := a.env()
	if err != nil {
		return nil, server.Options{}, err
	}
	logins, err := a.logins()
	if err != nil {
		return nil, server.Options{}, err
	}
	changes, err := a.changes()
	if err != nil {
		return nil, server.Options{}, err
	}
	var keys *store.Keys
	if changes != nil {
		keys = changes.keys
	}
	return cfg, server.Options{Registry: reg, Env: env, Keys: keys, Pages: logins.Pages(), Version: a.build().Version, Clock: a.proc.Now, Log: a.log(cfg)}, nil
}

// keep loads the instruments master, so that the first search does not wait for
// it, renews it every day, and looks for the outcomes of changes that got lost.
// The server does not wait; a failure is in the log and is tried again. The
// function it returns ends all that.
func (a *App) keep(ctx context.Context, cfg *config.Config, env *tools.Env) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { env.Instruments.Run(ctx) })
	running.Go(func() { a.watchChanges(ctx, cfg, env) })
	return func() {
		stop()
		env.Instruments.Close()
		running.Wait()
	}
}

// appsFor is a setting as the server has it.
func appsFor(a config.Apps) server.Apps {
	switch a {
	case config.AppsAlways:
		return server.AppsAlways
	case config.AppsNever:
		return server.AppsNever
	default:
		return server.AppsAuto
	}
}

func (o *serveOptions) demoMark(cfg *config.Config) string {
	if cfg.Demo.On {
		return " (DEMO account)"
	}
	return ""
}

// printSettings shows every setting in force and where it came from.
func (a *App) printSettings(ctx context.Context, cfg *config.Config) error {
	t := &table{columns: []column{{title: "SETTING", keep: true}, {title: "VALUE"}, {title: "FROM", keep: true}}}
	for _, s := range cfg.Settings() {
		value := s.Value
		if value == "" {
			value = "-"
		}
		t.add(s.Name, value, s.Origin)
	}
	return a.printTable(ctx, t)
}
