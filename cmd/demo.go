package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

func newDemo(app *App) *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Try everything on a demo account, offline", GroupID: groupServe,
		Long: "Opens the browser on the built-in demo account; without a terminal it prints what\n" +
			"to try. Every other command takes --demo. Nothing is real: no broker, no money,\n" +
			"no network.",
		Example: examples("kite-mcp demo", "kite-mcp demo serve --addr 127.0.0.1:0"),
		Args:    cobra.ArbitraryArgs, ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return runDemo(c.Context(), app)
		},
	}
	c.AddCommand(newDemoServe(app))
	return c
}

const demoTour = `The DEMO account needs no login and no network. Try:

  kite-mcp holdings --demo
  kite-mcp positions --demo
  kite-mcp funds --demo
  kite-mcp orders --demo
  kite-mcp gtt --demo
  kite-mcp quote NSE:INFY --demo
  kite-mcp history NSE:INFY --demo
  kite-mcp chain NIFTY --demo
  kite-mcp tools call portfolio mode=holdings type=summary --demo
  kite-mcp app preview --demo           the Kite app, in a browser
  kite-mcp serve --demo                 an MCP server on it, for a client
  kite-mcp demo serve                   the exchange by itself, for programs

In a terminal, kite-mcp demo opens the browser.
`

func runDemo(ctx context.Context, app *App) error {
	app.flags.demo = true
	if t := app.terminal(); !t.in || !t.out {
		_, err := io.WriteString(app.proc.Out, demoTour)
		return err
	}
	return runTUI(ctx, tuiOptions{app: app, key: "/", theme: "auto"})
}

type demoServeOptions struct {
	app       *App
	addr      string
	redirect  string
	users     bool
	loggedOut bool
}

func newDemoServe(app *App) *cobra.Command {
	opts := demoServeOptions{app: app}
	c := &cobra.Command{
		Use: "serve", Short: "Serve the demo exchange over HTTP, for programs and tests",
		Long: "Serves the API of the demo exchange on this machine and prints its base URL. Point\n" +
			"a Kite Connect client at it: API key " + demo.APIKey + ", secret " + demo.APISecret + ",\n" +
			"access token " + demo.AccessToken + ". The login page is /connect/login; clock, faults,\n" +
			"requests and reset under /__demo/ control it. The KITE_DEMO_ settings apply.",
		Example: examples("kite-mcp demo serve", "kite-mcp demo serve --addr 127.0.0.1:8099 --redirect-url http://localhost:8080/callback"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error { return runDemoServe(c.Context(), opts) },
	}
	f := c.Flags()
	f.StringVar(&opts.addr, "addr", "127.0.0.1:0", "loopback `HOST:PORT` to listen on, port 0 to let the system choose")
	f.StringVar(&opts.redirect, "redirect-url", "", "loopback `URL` that a login leads to")
	f.BoolVar(&opts.users, "users", false, "let three users log in instead of one")
	f.BoolVar(&opts.loggedOut, "logged-out", false, "start without a session")
	_ = c.RegisterFlagCompletionFunc("addr", words("127.0.0.1:0", "127.0.0.1:8099"))
	_ = c.RegisterFlagCompletionFunc("redirect-url", words("http://localhost:8080/callback"))
	return c
}

func runDemoServe(ctx context.Context, opts demoServeOptions) error {
	app := opts.app
	host, port, err := net.SplitHostPort(opts.addr)
	if err != nil || port == "" {
		return usage("--addr "+quoted(opts.addr)+" is not HOST:PORT, such as 127.0.0.1:0", "")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usage("--addr "+quoted(opts.addr)+" is not a loopback address", "the demo exchange knows no security; use 127.0.0.1")
	}
	cfg, err := app.config()
	if err != nil {
		return err
	}
	from := demoSettings
	if opts.redirect != "" {
		from = "--redirect-url, " + from
	}
	x, err := app.startExchange(cfg, demo.Options{RedirectURL: opts.redirect, Users: opts.users, LoggedOut: opts.loggedOut}, from)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", opts.addr)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(app.proc.Out, "http://%s\n", listener.Addr()); err != nil {
		_ = listener.Close()
		return err
	}
	app.note("DEMO exchange at %s; end it with Ctrl-C", x.Now().Format(time.RFC3339))
	return serveUntilDone(ctx, listener, x.Handler())
}

// serveUntilDone serves until the context ends. Calls that hang by a fault end
// with it, since they wait for the same context.
func serveUntilDone(ctx context.Context, listener net.Listener, handler http.Handler) error {
	srv := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = srv.Shutdown(grace) // what is still open then is cut with the process
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
