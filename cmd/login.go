package cmd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/session"
)

type loginOptions struct {
	app       *App
	paste     bool
	noBrowser bool
}

func newLogin(app *App) *cobra.Command {
	opts := loginOptions{app: app}
	c := formats(&cobra.Command{
		Use: "login", Short: "Log in to Kite", GroupID: groupData,
		Long: "Opens Kite's login page in the browser, waits until it comes back, and keeps the\n" +
			"session for every command and local server of this user, until 06:00 IST.\n" +
			"KITE_API_KEY and KITE_API_SECRET are those of your Kite Connect app, whose redirect\n" +
			"URL must be http://APP_HOST:APP_PORT/callback. With --paste nothing listens: paste\n" +
			"the address that the browser ended on, or the request token, into stdin.",
		Example: examples("kite-mcp login", "kite-mcp login --paste", "kite-mcp login --no-browser"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 { // not repeated: it may be a request token
				return usage(c.CommandPath()+" takes no argument", "arguments are seen by every program of this machine: use --paste and stdin")
			}
			return nil
		},
		ValidArgsFunction: noCompletion,
		RunE:              func(c *cobra.Command, _ []string) error { return runLogin(c.Context(), opts) },
	}, formatText, formatJSON)
	c.Flags().BoolVar(&opts.paste, "paste", false, "read from stdin what the browser ended on, or a request token")
	c.Flags().BoolVar(&opts.noBrowser, "no-browser", false, "only print the link")
	return c
}

func runLogin(ctx context.Context, opts loginOptions) error {
	app := opts.app
	logins, err := app.logins()
	if err != nil {
		return err
	}
	if err := logins.CanLogIn(); err != nil {
		return err
	}
	demo, err := app.demo()
	if err != nil {
		return err
	}
	if app.configDir() == "" && !demo {
		return usage("no home folder is known, so a login could not be kept", "set HOME or XDG_CONFIG_HOME, or put an access token into KITE_ACCESS_TOKEN")
	}
	if logins.Status().Err == nil {
		// It may have been ended elsewhere, which only Kite knows.
		switch user, err := app.whoIs(ctx, logins); {
		case err == nil:
			s := logins.Status()
			return app.tellLogin("Already logged in", user, s)
		case !errors.Is(err, kite.ErrSessionExpired):
			return err
		}
	}
	var s session.Status
	if opts.paste {
		s, err = opts.pasted(ctx, logins)
	} else {
		s, err = opts.browsed(ctx, logins)
	}
	if err != nil {
		return err
	}
	return app.tellLogin("Logged in", s.UserID, s)
}

// browsed lets the browser bring the login back.
func (o *loginOptions) browsed(ctx context.Context, logins *session.Keeper) (session.Status, error) {
	link, life, err := logins.Begin(ctx)
	if err != nil {
		return session.Status{}, err
	}
	o.app.tellLink(link)
	if o.app.terminal().err && !o.noBrowser {
		o.app.openBrowser(ctx, link)
	}
	o.app.note("Waiting for the browser, for %d minutes; Ctrl-C ends it.", int(life/time.Minute))
	return logins.Wait(ctx)
}

// pasted takes the login from stdin.
func (o *loginOptions) pasted(ctx context.Context, logins *session.Keeper) (session.Status, error) {
	link, err := logins.Address()
	if err != nil {
		return session.Status{}, err
	}
	o.app.tellLink(link)
	o.app.note("Then paste the address that the browser ended on, or its request_token, and press Enter.")
	line, err := readLine(ctx, o.app.proc.In)
	if err != nil {
		return session.Status{}, err
	}
	ctx, cancel := o.app.withTimeout(ctx)
	defer cancel()
	s, err := logins.Paste(ctx, line)
	if e, ok := errors.AsType[*kite.Error](err); ok && e.Kind == kite.KindInvalidArgument {
		return s, usage(e.Message, "start kite-mcp login --paste again")
	}
	return s, err
}

// demo reports whether the demo account is in use.
func (a *App) demo() (bool, error) {
	cfg, err := a.config()
	return err == nil && cfg.Demo.On, err
}

// tellLink shows the link even to those who want no notes: nothing goes on without.
func (a *App) tellLink(link string) {
	// What cannot be written to stderr has nowhere to be reported.
	_, _ = io.WriteString(a.proc.Err, "Log in to Kite at\n  "+link+"\n")
}

func (a *App) tellLogin(what, user string, s session.Status) error {
	if a.json() {
		return a.printJSON(stateOf(s, user, a.proc.Now()))
	}
	return a.write(what + " to Kite as " + user + ", until " + indianTime(s.Expires) + ".\n")
}

func indianTime(t time.Time) string { return t.In(kite.IST).Format("2006-01-02 15:04") + " IST" }

// warnEphemeral says once that a login made through this server ends with it.
func (a *App) warnEphemeral(log *slog.Logger) {
	if a.configDir() == "" {
		log.Warn("no home folder is known (HOME, XDG_CONFIG_HOME): a login is not shared and ends with this process")
	}
}

// openBrowser does its best; the link is printed all the same.
func (a *App) openBrowser(ctx context.Context, link string) {
	command := a.browser()
	if command == nil {
		return
	}
	c := exec.CommandContext(context.WithoutCancel(ctx), command[0], append(command[1:], link)...) //nolint:gosec // one of three fixed programs
	c.Env = a.proc.Environ
	if c.Start() == nil {
		_ = c.Process.Release() // it outlives us
	}
}

const maxPaste = 8 << 10

// readLine reads one line.
func readLine(ctx context.Context, r io.Reader) (string, error) {
	return whileWanted(ctx, func() (string, error) {
		line, err := bufio.NewReader(io.LimitReader(r, maxPaste)).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return line, err
	})
}
