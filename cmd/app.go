package cmd

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/config"
	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/session"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// App is what every command gets: the process, the global flags and the shared
// values. What costs something is a function that does its work on first use,
// so that version loads no catalog and tree opens no Kite configuration.
type App struct {
	proc      *Process
	flags     globals
	overrides []config.Flag // of the running command
	serving   bool          // the command is a server
	helpErr   error         // of printing a command's help, which cobra has no place for

	terminal func() terminal
	catalog  func() (*catalog.Catalog, error)
	config   func() (*config.Config, error)
	registry func() (*tools.Registry, error) // what the operator left
	allTools func() (*tools.Registry, error) // exclusions ignored
	env      func() (*tools.Env, error)
	logins   func() (*session.Keeper, error) // of the account in use
	exchange func() (*demo.Exchange, error)  // of this process
	audit    func() (*intent.Audit, error)   // nil when none is kept
	changes  func() (*changeLog, error)      // nil when there is no place for one
	ends     []func()                        // of what was begun
}

// globals are the flags of every command.
type globals struct {
	format  string
	color   string
	noPager bool
	quiet   bool
	verbose int
	catalog string
	server  string   // URL of another server
	stdio   string   // command line of another server
	passEnv []string // secrets that its program gets
	demo    bool
	timeout time.Duration

	demoLogin    bool // the demo starts logged out
	timeoutGiven bool
}

func newApp(p *Process) *App {
	a := &App{proc: p}
	a.terminal = sync.OnceValue(func() terminal { return detectTerminal(p) })
	a.catalog = sync.OnceValues(func() (*catalog.Catalog, error) {
		files, err := a.files()
		if err != nil {
			return nil, err
		}
		return catalog.Load(files)
	})
	a.config = sync.OnceValues(func() (*config.Config, error) {
		flags := a.overrides
		if a.flags.demo {
			flags = append(flags, config.Flag{Name: "--demo", Variable: "KITE_DEMO", Value: "true"})
		}
		cfg, err := config.Load(a.lookup, flags...)
		if bad, ok := errors.AsType[*config.Error](err); ok {
			return nil, a.withExclusions(bad, flags)
		}
		if err == nil && a.flags.demoLogin && !cfg.Demo.On {
			return nil, usage("--demo-login is about the demo account", "add --demo")
		}
		return cfg, err
	})
	a.registry = sync.OnceValues(func() (*tools.Registry, error) {
		cfg, err := a.config()
		if err != nil {
			return nil, err
		}
		return tools.New(tools.All(), tools.Options{Exclude: cfg.Exclude, ReadOnly: cfg.ReadOnly || cfg.Approval == config.Deny})
	})
	a.allTools = sync.OnceValues(func() (*tools.Registry, error) { return tools.New(tools.All(), tools.Options{}) })
	a.env = sync.OnceValues(a.newEnv)
	a.logins = sync.OnceValues(a.newLogins)
	a.exchange = sync.OnceValues(a.newExchange)
	a.audit = sync.OnceValues(a.newAudit)
	a.changes = sync.OnceValues(a.newChanges)
	return a
}

// withExclusions adds what is wrong with EXCLUDED_TOOLS to other bad settings: a
// person who mends settings wants to know all of them at once.
func (a *App) withExclusions(bad *config.Error, flags []config.Flag) error {
	const name = "EXCLUDED_TOOLS"
	cfg, err := config.Load(func(n string) (string, bool) {
		if n != name {
			return "", false
		}
		return a.lookup(n)
	}, slices.DeleteFunc(slices.Clone(flags), func(f config.Flag) bool { return f.Variable != name })...)
	if err != nil {
		return bad // the list itself cannot be read, and is among them
	}
	if _, err := tools.New(tools.All(), tools.Options{Exclude: cfg.Exclude}); err != nil {
		bad.Problems = append(bad.Problems, err.Error())
	}
	return bad
}

// lookup reads one environment variable; the last of several wins, as in a shell.
func (a *App) lookup(name string) (string, bool) {
	value, found := "", false
	for _, pair := range a.proc.Environ {
		if n, v, _ := strings.Cut(pair, "="); n == name {
			value, found = v, true
		}
	}
	return value, found
}

func (a *App) getenv(name string) string {
	v, _ := a.lookup(name)
	return v
}

// files returns the catalog's files: those in the binary, or a directory's.
func (a *App) files() (fs.FS, error) {
	dir := a.flags.catalog
	if dir == "" {
		return catalog.Embedded(), nil
	}
	dir = a.path(dir)
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, usage("--catalog "+quoted(dir)+" is not a directory", "name the folder that holds index.md")
	}
	return os.DirFS(dir), nil
}

// path returns the place of a file that a person named.
func (a *App) path(name string) string {
	if a.proc.Dir == "" || filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(a.proc.Dir, name)
}

// shortPath is path backwards, for messages and reports.
func (a *App) shortPath(place string) string {
	dir := a.proc.Dir
	if dir == "" {
		dir, _ = os.Getwd() // without one, long names are all there is
	}
	if short, err := filepath.Rel(dir, place); err == nil && filepath.IsLocal(short) {
		return short
	}
	return place
}

// log writes to stderr. LOG_LEVEL is for servers; a command tells its person
// only what went wrong, and -v more.
func (a *App) log(cfg *config.Config) *slog.Logger {
	level := slog.LevelWarn
	if a.serving {
		level = cfg.LogLevel
	}
	switch {
	case a.flags.quiet, a.json() && !a.serving && a.flags.verbose == 0: // a program reads one line of JSON there
		level = slog.LevelError
	case a.flags.verbose == 1:
		level = min(level, slog.LevelInfo)
	case a.flags.verbose > 1:
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.proc.Err, &slog.HandlerOptions{Level: level}))
}

// newEnv builds what tool handlers use: the demo exchange when it is asked for,
// else Kite with this user's login. In demo mode nothing of the real login is
// read and no connection is opened.
func (a *App) newEnv() (*tools.Env, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	pages, err := a.catalog()
	if err != nil {
		return nil, err
	}
	env := &tools.Env{Catalog: pages, Now: a.proc.Now, Log: a.log(cfg), Demo: cfg.Demo.On, Server: a.identity(), Client: terminalClient}
	logins, err := a.logins()
	if err != nil {
		return nil, err
	}
	env.Kite, env.Logins = logins, logins
	if cfg.Demo.On {
		exchange, err := a.exchange()
		if err != nil {
			return nil, err
		}
		env.Now = exchange.Now
	}
	changes, err := a.changes()
	if err != nil {
		return nil, err
	}
	if changes != nil {
		env.Intents = changes.Log
	}
	env.Instruments = kite.NewMaster(a.masterOptions(cfg, env, logins.Anonymous()))
	a.ends = append(a.ends, env.Instruments.Close)
	return env, nil
}

// kiteOptions is what every client of this process shares.
func (a *App) kiteOptions(cfg *config.Config) kite.Options {
	return kite.Options{
		BaseURL: cfg.Kite.BaseURL, APIKey: cfg.Kite.APIKey, AccessToken: cfg.Kite.AccessToken, Transport: kite.NewTransport(),
		Now: a.proc.Now, Log: a.log(cfg), Pacer: kite.NewPacer(a.proc.Now), Retry: kite.NewRetry(rand.Float64),
	}
}

// newLogins builds the keeper of this user's login, or of the demo account's,
// which is never saved. It opens nothing yet.
func (a *App) newLogins() (*session.Keeper, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	reg, err := a.registry()
	if err != nil {
		return nil, err
	}
	o := session.Options{
		Dir: a.configDir(), Kite: a.kiteOptions(cfg), APISecret: cfg.Kite.APISecret, LoginURL: cfg.Kite.LoginBaseURL,
		Addr: cfg.Addr(), Served: a.serving && cfg.Transport == config.HTTP,
	}
	if o.Note, err = a.noteLogins(cfg); err != nil {
		return nil, err
	}
	if t := reg.Tool("session"); t != nil && a.serving {
		_, o.Links = t.Mode("login")
	}
	if cfg.Demo.On {
		exchange, err := a.exchange()
		if err != nil {
			return nil, err
		}
		o.Dir, o.APISecret, o.LoginURL, o.Page = "", demo.APISecret, "http://"+cfg.Addr(), exchange.Handler()
		o.Kite.BaseURL, o.Kite.Transport, o.Kite.Now = demo.BaseURL, exchange.Transport(), exchange.Now
		o.Kite.APIKey, o.Kite.AccessToken = demo.APIKey, ""
		if !a.flags.demoLogin {
			o.Initial = kite.Login{UserID: demo.User, AccessToken: demo.AccessToken}
		}
	}
	keeper := session.New(o)
	a.ends = append(a.ends, keeper.Close)
	return keeper, nil
}

// close ends what newLogins and newEnv began, in this order.
func (a *App) close() {
	for _, end := range a.ends {
		end()
	}
}

// masterOptions says where the instruments come from: the demo exchange, which
// leaves nothing on disk, or the JSON lines with Kite's CSV behind them.
func (a *App) masterOptions(cfg *config.Config, env *tools.Env, anonymous *kite.Client) kite.MasterOptions {
	csv := func(ctx context.Context) (io.ReadCloser, error) {
		client, err := env.Kite.Client(ctx)
		if err != nil {
			client = anonymous // the list is the same without a login
		}
		return client.FetchInstruments(ctx)
	}
	o := kite.MasterOptions{Fetch: csv, Now: env.Now, Log: env.Log}
	if cfg.Demo.On {
		return o
	}
	o.Fetch, o.Fallback, o.CacheDir = anonymous.FetchJSONLines, csv, a.cacheDir()
	if address := cfg.Kite.InstrumentsURL; address != "" {
		o.Fetch = kite.FetchFrom(kite.NewTransport(), address)
	}
	return o
}

// cacheDir is the program's folder for what can be had again; empty when the
// environment does not tell.
func (a *App) cacheDir() string {
	return a.userFolder("LocalAppData", "Library/Caches", "XDG_CACHE_HOME", ".cache")
}

// configDir is the program's folder for what the user decided, the login among
// it; empty when the environment does not tell.
func (a *App) configDir() string {
	return a.userFolder("AppData", "Library/Application Support", "XDG_CONFIG_HOME", ".config")
}

// userFolder is where this system keeps files of one kind: below a variable, or
// below the home folder.
func (a *App) userFolder(windows, darwin, variable, below string) string {
	base, home := a.getenv(variable), a.getenv("HOME")
	switch {
	case runtime.GOOS == "windows":
		base = a.getenv(windows)
	case base != "" || home == "":
	case runtime.GOOS == "darwin":
		base = filepath.Join(home, filepath.FromSlash(darwin))
	default:
		base = filepath.Join(home, filepath.FromSlash(below))
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "kite-mcp")
}

// newExchange starts the demo exchange of this process. Its logins come back to
// where a real one would, if that is a place on this machine.
func (a *App) newExchange() (*demo.Exchange, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	opts := demo.Options{LoggedOut: a.flags.demoLogin}
	if cfg.Loopback() && cfg.Port != "0" {
		opts.RedirectURL = "http://" + cfg.Addr() + session.CallbackPath
	}
	return a.startExchange(cfg, opts, demoSettings)
}

// demoSettings are where a demo exchange that cannot start gets its input from.
const demoSettings = "KITE_DEMO_INSTRUMENTS and KITE_DEMO_STATE"

// startExchange starts a demo exchange as the settings say; what they do not say
// is in opts. A failure asks to check where its input is from.
func (a *App) startExchange(cfg *config.Config, opts demo.Options, from string) (*demo.Exchange, error) {
	d := cfg.Demo
	faults, err := demo.ParseFaults(d.Faults)
	if err != nil {
		return nil, usage("KITE_DEMO_FAULTS: "+err.Error(), "")
	}
	opts.Now, opts.Clock, opts.Faults, opts.RateLimit = a.proc.Now, demo.Clock{Frozen: d.Now, Speed: d.Speed}, faults, d.RateLimit
	opts.Log = a.log(cfg)
	if d.State != "" {
		opts.State = a.path(d.State)
	}
	if d.Instruments != "" {
		if info, err := os.Stat(a.path(d.Instruments)); err == nil && !info.Mode().IsRegular() { // before opening: a pipe would wait
			return nil, usage("KITE_DEMO_INSTRUMENTS: "+d.Instruments+" is not a regular file", "")
		}
		f, err := os.Open(a.path(d.Instruments))
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // only read
		opts.Instruments = f
	}
	x, err := demo.New(opts)
	if err != nil {
		return nil, usage("demo exchange: "+err.Error(), "check "+from)
	}
	return x, nil
}

// withTimeout bounds a call by --timeout.
func (a *App) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, a.flags.timeout)
}
