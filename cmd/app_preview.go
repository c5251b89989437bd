package cmd

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
	"github.com/kite-mcp/kite-mcp/ui"
)

func newKiteApp(app *App) *cobra.Command {
	c := &cobra.Command{
		Use: "app", Short: "The Kite app, as clients with MCP Apps show it", GroupID: groupServe,
		Long:    "The Kite app is the screens that clients with MCP Apps show in the chat.\n`app preview` shows them in a browser, without such a client.",
		Example: examples("kite-mcp app preview --demo", "kite-mcp app preview positions --demo"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newAppPreview(app))
	return c
}

type appPreviewOptions struct {
	app    *App
	view   string
	port   int
	noOpen bool
	theme  string
	width  int
}

func newAppPreview(app *App) *cobra.Command {
	opts := appPreviewOptions{app: app, view: "holdings"}
	c := &cobra.Command{
		Use: "preview [VIEW]", Short: "Open the Kite app in a browser",
		Long: "Serves the Kite app in a page of this machine that does what a chat app does: it\n" +
			"shows the app in a closed frame and passes its calls on. The page can change the\n" +
			"host's habits, theme and width. Its address works once, in one browser. The app\n" +
			"only reads.",
		Example: examples("kite-mcp app preview --demo", "kite-mcp app preview positions --demo --theme dark", "kite-mcp app preview quote --demo --no-open --port 8099"),
		Args:    arguments(0, 1, "one view"), ValidArgsFunction: first(words(viewNames()...)),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.view = args[0]
			}
			return runAppPreview(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.IntVar(&opts.port, "port", 0, "port to listen on, 0 to let the system choose")
	f.BoolVar(&opts.noOpen, "no-open", false, "print the address only")
	f.StringVar(&opts.theme, "theme", "light", "theme of the host: light or dark")
	f.IntVar(&opts.width, "width", 960, "width of the app in `PIXELS`: 1440, 960, 720, 375 or 320")
	_ = c.RegisterFlagCompletionFunc("theme", words("light", "dark"))
	_ = c.RegisterFlagCompletionFunc("width", words(previewWidths()...))
	_ = c.RegisterFlagCompletionFunc("port", words("0", "8099"))
	return c
}

func previewWidths() []string { return []string{"1440", "960", "720", "375", "320"} }

// viewNames are the screens of the app; none for a broken build, which the
// registry reports.
func viewNames() []string {
	views, _ := ui.Views()
	names := make([]string, 0, len(views))
	for _, v := range views {
		names = append(names, v.Name)
	}
	return names
}

func (o *appPreviewOptions) check() error {
	switch {
	case !slices.Contains(viewNames(), o.view):
		return usage("there is no view "+quoted(o.view), "the views are "+strings.Join(viewNames(), ", ")).guess(o.view, viewNames())
	case o.theme != "light" && o.theme != "dark":
		return usage("--theme "+quoted(o.theme)+" is not light or dark", "").guess(o.theme, []string{"light", "dark"})
	case !slices.Contains(previewWidths(), strconv.Itoa(o.width)):
		return usage("--width "+strconv.Itoa(o.width)+" is not one of "+strings.Join(previewWidths(), ", "), "")
	case o.port < 0 || o.port > 65535:
		return usage("--port "+strconv.Itoa(o.port)+" is not a port", "")
	}
	return nil
}

// offered refuses a view that the settings took away.
func (o *appPreviewOptions) offered(reg *tools.Registry) error {
	if t := reg.Tool("open_kite_view"); t != nil {
		if _, ok := t.Mode(o.view); ok {
			return nil
		}
	}
	return &tools.Failure{Code: tools.CodeExcluded, Message: "view " + o.view + " is excluded by EXCLUDED_TOOLS", Hint: "unset it, or leave the view and the tool behind it out of it"}
}

func runAppPreview(ctx context.Context, opts appPreviewOptions) error {
	if err := opts.check(); err != nil {
		return err
	}
	app := opts.app
	cfg, parts, err := app.serverParts()
	if err != nil {
		return err
	}
	if err := opts.offered(parts.Registry); err != nil {
		return err
	}
	if _, err := parts.Env.Kite.Client(ctx); err != nil { // every screen would say so, and none in words for this command
		return err
	}
	parts.Apps = server.AppsAlways
	srv, err := server.New(parts)
	if err != nil {
		return err
	}
	defer app.keep(ctx, cfg, parts.Env)()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(opts.port)))
	if err != nil {
		return err
	}
	page := newPreviewPage(srv.Handler())
	query := url.Values{"view": {opts.view}, "theme": {opts.theme}, "width": {strconv.Itoa(opts.width)}}
	link := "http://" + listener.Addr().String() + "/open/" + page.token + "?" + query.Encode()
	if err := app.write(link + "\n"); err != nil {
		_ = listener.Close()
		return err
	}
	app.note("The Kite app; end it with Ctrl-C")
	if !opts.noOpen {
		app.openBrowser(ctx, link)
	}
	return serveUntilDone(ctx, listener, page)
}

// previewPage serves the host page to the one browser that opened the address. Browsers send the cookies of a host to
// each of its ports, so the page has a path that nobody can guess and its cookie is for that path only: neither other
// programs of this machine nor other previews are shown it.
type previewPage struct {
	token  string // in the address; good once
	cookie string // of the browser that used it
	path   string // of the page, with a slash at both ends
	used   atomic.Bool
	mux    *http.ServeMux
}

const previewCookie = "kite-mcp-preview"

// viewPolicy is what a strict host allows the app: nothing but itself.
const viewPolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// hostPolicy lets the host page show the app and ask this server.
const hostPolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func newPreviewPage(mcp http.Handler) *previewPage {
	p := &previewPage{token: rand.Text(), cookie: rand.Text(), path: "/" + rand.Text() + "/", mux: http.NewServeMux()}
	p.mux.HandleFunc("GET /open/{token}", p.open)
	p.mux.HandleFunc("GET "+p.path+"{$}", p.only(page(ui.Preview(), hostPolicy)))
	p.mux.HandleFunc("GET "+p.path+"view", p.only(page(ui.HTML(), viewPolicy)))
	p.mux.HandleFunc("POST "+p.path+"mcp", p.only(http.StripPrefix(strings.TrimSuffix(p.path, "/"), mcp).ServeHTTP))
	return p
}

// ServeHTTP refuses what another site's name leads here.
func (p *previewPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil || host != "127.0.0.1" {
		http.Error(w, "this page is for 127.0.0.1 only", http.StatusForbidden)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	p.mux.ServeHTTP(w, r)
}

// open trades the address for a cookie, once.
func (p *previewPage) open(w http.ResponseWriter, r *http.Request) {
	switch {
	case !same(r.PathValue("token"), p.token):
		http.Error(w, "this address is wrong; open the one that kite-mcp app preview printed", http.StatusForbidden)
		return
	case r.Method != http.MethodGet: // GET patterns match HEAD too, and a HEAD opens nothing
		http.Error(w, "open this address with GET", http.StatusMethodNotAllowed)
		return
	case !p.used.CompareAndSwap(false, true):
		http.Error(w, "this address has been used; start kite-mcp app preview again", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: previewCookie, Value: p.cookie, Path: p.path, HttpOnly: true, SameSite: http.SameSiteStrictMode}) //nolint:gosec // plain http on loopback
	http.Redirect(w, r, (&url.URL{Path: p.path, RawQuery: r.URL.Query().Encode()}).String(), http.StatusSeeOther)
}

// only lets the browser through that opened the address.
func (p *previewPage) only(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(previewCookie)
		if err != nil || !same(c.Value, p.cookie) {
			http.Error(w, "open the address that kite-mcp app preview printed", http.StatusForbidden)
			return
		}
		next(w, r)
	}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func page(html, policy string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write([]byte(html)) // a browser that has gone needs none
	}
}
