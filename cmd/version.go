package cmd

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/server"
	"github.com/kite-mcp/kite-mcp/ui"
)

type versionOptions struct{ app *App }

func newVersion(app *App) *cobra.Command {
	opts := versionOptions{app: app}
	return formats(&cobra.Command{
		Use: "version", Short: "Print the version", GroupID: groupProgram,
		Long:    "Prints version, commit, build and protocol versions. -v and -o json add the\ndigest of the help pages, which takes reading them.",
		Example: examples("kite-mcp version", "kite-mcp version -o json"),
		Args:    arguments(0, 0, ""), ValidArgsFunction: noCompletion,
		RunE: func(*cobra.Command, []string) error { return runVersion(opts) },
	}, formatText, formatJSON)
}

// build is what is known about this binary.
type build struct {
	Version   string   `json:"version"`
	Commit    string   `json:"commit"` // "" when built outside a repository
	Date      string   `json:"date"`   // of the commit, RFC 3339
	Dirty     bool     `json:"dirty"`  // built with changes that are not committed
	Go        string   `json:"go"`
	Platform  string   `json:"platform"`
	Catalog   string   `json:"catalog_digest,omitempty"`
	KiteApp   string   `json:"app_digest,omitempty"` // of the screens for clients with MCP Apps
	Protocols []string `json:"protocol_versions"`    // newest first
}

func (a *App) build() build {
	b := build{Version: cmp.Or(a.proc.Version, "(devel)"), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Protocols: server.ProtocolVersions()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if a.proc.Version == "" && info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

func runVersion(opts versionOptions) error {
	app, b := opts.app, opts.app.build()
	if app.json() || app.flags.verbose > 0 {
		pages, err := app.catalog()
		if err != nil {
			return err
		}
		b.Catalog, b.KiteApp = pages.Digest(), ui.Digest()
	}
	if app.json() {
		return app.printJSON(b)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "kite-mcp %s\n", b.Version)
	if b.Commit != "" {
		dirty := ""
		if b.Dirty {
			dirty = " with uncommitted changes"
		}
		fmt.Fprintf(&out, "commit    %s of %s%s\n", b.Commit, b.Date, dirty)
	}
	fmt.Fprintf(&out, "built     %s for %s\n", b.Go, b.Platform)
	fmt.Fprintf(&out, "protocol  %s\n", strings.Join(b.Protocols, ", "))
	if b.Catalog != "" {
		fmt.Fprintf(&out, "catalog   %s\n", b.Catalog)
		fmt.Fprintf(&out, "app       %s\n", b.KiteApp)
	}
	return app.write(out.String())
}
