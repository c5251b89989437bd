package cmd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
)

type manifestOptions struct {
	app   *App
	skill string
	check string
}

func newManifest(app *App) *cobra.Command {
	opts := manifestOptions{app: app}
	c := formats(remote(&cobra.Command{
		Use: "manifest [NAME|URI]", Short: "List files with size and sha256", GroupID: groupHelp,
		Long: "Lists the files of one skill, or of all, with the size and sha256 of their raw\n" +
			"bytes. -o sha256sum is what the program of that name reads; --check compares with\n" +
			"such a list and exits 1 for a file that is changed, missing or not listed.",
		Example: examples("kite-mcp manifest orders", "kite-mcp manifest -o sha256sum > catalog.sha256", "kite-mcp manifest --check catalog.sha256"),
		Args:    arguments(0, 1, "the name or URI of one skill"), ValidArgsFunction: first(app.completeSkills),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.skill = args[0]
			}
			return runManifest(c.Context(), opts)
		},
	}), formatText, formatJSON, formatMD, formatSHA256)
	c.Flags().StringVar(&opts.check, "check", "", "compare with the sha256sum list in `FILE`, - for stdin")
	_ = c.MarkFlagFilename("check")
	return c
}

func runManifest(ctx context.Context, opts manifestOptions) error {
	app := opts.app
	entries, err := opts.entries(ctx)
	if err != nil {
		return err
	}
	if opts.check != "" {
		return opts.compare(ctx, entries)
	}
	switch app.flags.format {
	case formatJSON:
		return app.printJSON(map[string]catalog.Manifest{"resources": entries})
	case formatSHA256:
		var b strings.Builder
		for _, e := range entries {
			b.WriteString(hexOf(e.Digest) + "  " + pathOf(e) + "\n")
		}
		return app.write(b.String())
	}
	return app.printTable(ctx, manifestTable(entries))
}

func (o *manifestOptions) entries(ctx context.Context) (catalog.Manifest, error) {
	src, err := o.app.skills(ctx, host.Auto)
	if err != nil {
		return nil, err
	}
	defer closing(src)
	if o.skill != "" {
		s, err := src.get(ctx, o.skill)
		return s.files, err
	}
	skills, err := src.list(ctx)
	return manifestOf(skills), err
}

func manifestTable(entries catalog.Manifest) *table {
	t := &table{columns: []column{{title: "FILE", keep: true}, {title: "BYTES", number: true}, {title: "SHA256"}}}
	for _, e := range entries {
		t.add(e.URI, strconv.FormatInt(e.Size, 10), hexOf(e.Digest))
	}
	return t
}

// pathOf is the file inside the catalog.
func pathOf(e catalog.ManifestEntry) string { return strings.TrimPrefix(e.URI, catalog.Scheme) }

// compare checks the files against a list that was kept elsewhere.
func (o *manifestOptions) compare(ctx context.Context, entries catalog.Manifest) error {
	app := o.app
	list, err := app.readInput(ctx, o.check)
	if err != nil {
		return err
	}
	want, err := parseSums(o.check, list)
	if err != nil {
		return err
	}
	verdicts := []verdict{}
	for _, e := range entries {
		v := verdict{URI: e.URI, Size: e.Size, Digest: e.Digest}
		sum, listed := want[pathOf(e)]
		switch {
		case !listed:
			v.Reason, v.Problem = string(host.ReasonManifest), "not in the list"
		case sum != hexOf(e.Digest):
			v.Reason, v.Problem = string(host.ReasonDigest), "the list has "+sum
		}
		v.OK = v.Problem == ""
		verdicts = append(verdicts, v)
		delete(want, pathOf(e))
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		verdicts = append(verdicts, verdict{URI: catalog.Scheme + path, Digest: "sha256:" + want[path], Reason: string(host.ReasonRead), Problem: "missing"})
	}
	return app.reportVerdicts(ctx, verdicts)
}

// maxInput bounds what is read from a person's file or stdin.
const maxInput = 1 << 20

// readInput reads a file, or stdin for "-".
func (a *App) readInput(ctx context.Context, name string) ([]byte, error) {
	return whileWanted(ctx, func() ([]byte, error) {
		if name == "-" {
			return readAll(a.proc.In, "stdin", maxInput)
		}
		f, err := os.Open(a.path(name))
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // only read
		return readAll(f, name, maxInput)
	})
}

// parseSums reads "HEX  PATH" lines; a star before the path means binary mode.
func parseSums(name string, list []byte) (map[string]string, error) {
	sums := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(list))
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimRight(lines.Text(), "\r")
		if text == "" {
			continue
		}
		sum, path, ok := strings.Cut(text, " ")
		if path = strings.TrimPrefix(strings.TrimPrefix(path, " "), "*"); !ok || path == "" || !isSHA256(sum) {
			return nil, usage(fmt.Sprintf("%s:%d: not a line of sha256sum: %s", name, n, quoted(text)), "write one with kite-mcp manifest -o sha256sum")
		}
		sums[strings.TrimPrefix(path, "./")] = strings.ToLower(sum)
	}
	if err := lines.Err(); err != nil {
		return nil, usage(name+": "+err.Error(), "")
	}
	if len(sums) == 0 {
		return nil, usage(name+" lists no file", "write one with kite-mcp manifest -o sha256sum")
	}
	return sums, nil
}

func isSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(strings.ToLower(s), "0123456789abcdef") == ""
}
