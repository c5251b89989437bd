package cmd

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
)

type skillsVerifyOptions struct {
	app            *App
	names          []string
	era            string
	requireDigests bool
}

func newSkillsVerify(app *App) *cobra.Command {
	opts := skillsVerifyOptions{app: app}
	c := formats(remote(&cobra.Command{
		Use: "verify [NAME|URI...]", Short: "Check every file against its manifest",
		Long: "Reads every file of the skills again and compares size, digest and frontmatter\n" +
			"with what the manifests say, and the manifests with what is served. Without\n" +
			"--server that is this program, as files and over MCP in both eras; with it, any\n" +
			"Skills server as a strict host reads it. Any difference exits 1.",
		Example: examples("kite-mcp skills verify", "kite-mcp skills verify orders --catalog ./catalog", "kite-mcp skills verify --server http://localhost:8080/mcp", `kite-mcp skills verify --stdio "kite-mcp serve --demo" --era legacy`),
		Args:    cobra.ArbitraryArgs, ValidArgsFunction: app.completeSkills,
		RunE: func(c *cobra.Command, args []string) error {
			opts.names = args
			return runSkillsVerify(c.Context(), opts)
		},
	}), formatText, formatJSON, formatMD)
	c.Flags().BoolVar(&opts.requireDigests, "require-digests", false, "a skill whose server publishes no digests exits 1, too")
	c.Flags().StringVar(&opts.era, "era", "auto", "protocol to speak with another server: auto, modern or legacy")
	_ = c.RegisterFlagCompletionFunc("era", words("auto", "modern", "legacy"))
	return c
}

// verdict is one checked file, or a fault that is not of one file.
type verdict struct {
	URI     string `json:"uri"` // "" for a server as a whole
	OK      bool   `json:"ok"`
	Reason  string `json:"reason"`  // kind of the problem, "" when ok
	Problem string `json:"problem"` // "" when ok
	Size    int64  `json:"size"`    // as the manifest says
	Digest  string `json:"digest"`  // as the manifest says
	Dynamic bool   `json:"dynamic,omitempty"`
}

func runSkillsVerify(ctx context.Context, opts skillsVerifyOptions) error {
	app := opts.app
	eras := map[string]host.Era{"auto": host.Auto, "modern": host.Modern, "legacy": host.Legacy}
	era, ok := eras[opts.era]
	switch {
	case !ok:
		return usage("--era "+quoted(opts.era)+" is not auto, modern or legacy", "").guess(opts.era, []string{"modern", "legacy"})
	case era != host.Auto && !app.remote():
		return usage("--era needs --server or --stdio", "without a server, both eras are checked")
	}
	src, err := app.skills(ctx, era)
	if err != nil {
		return err
	}
	defer closing(src)
	v, err := src.verify(ctx, opts.names)
	if err != nil {
		return err
	}
	if opts.requireDigests {
		v.requireDigests()
	}
	return app.reportVerification(ctx, v)
}

// requireDigests makes a problem of every skill that cannot be verified.
func (v *verification) requireDigests() {
	for i, row := range v.verdicts {
		if row.Dynamic {
			v.verdicts[i].OK = false
			v.verdicts[i].Reason, v.verdicts[i].Problem = string(host.ReasonDigest), "the server publishes no digests"
		}
	}
}

// hash compares the files with the manifests that were made of them.
func (c catalogSkills) hash(words []string) ([]verdict, error) {
	skills, err := c.app.findSkills(words)
	if err != nil {
		return nil, err
	}
	files, err := c.app.files()
	if err != nil {
		return nil, err
	}
	tree, _ := catalog.Scan(files) // its problems show as files that differ
	return verify(tree, skills), nil
}

// verify compares the files of a tree with the manifests of skills.
func verify(tree *catalog.Tree, skills []*catalog.Skill) []verdict {
	verdicts := []verdict{}
	seen := map[string]bool{} // a file of a nested skill is in several manifests
	for _, s := range skills {
		for _, e := range s.Resources {
			if !seen[e.URI] {
				seen[e.URI] = true
				reason, difference := compareFile(tree.File(pathOf(e)), e, s)
				verdicts = append(verdicts, verdict{URI: e.URI, OK: difference == "", Reason: string(reason), Problem: difference, Size: e.Size, Digest: e.Digest})
			}
		}
	}
	for _, s := range skills {
		verdicts = append(verdicts, unlisted(tree, s, seen)...)
	}
	return verdicts
}

// compareFile returns how a file differs from its manifest entry, "" when it
// does not.
func compareFile(f *catalog.File, e catalog.ManifestEntry, s *catalog.Skill) (reason host.Reason, problem string) {
	switch {
	case f == nil:
		return host.ReasonRead, "missing"
	case int64(len(f.Raw)) != e.Size:
		return host.ReasonSize, "size is " + strconv.Itoa(len(f.Raw))
	case catalog.DigestBytes(f.Raw) != e.Digest:
		return host.ReasonDigest, "digest is " + catalog.DigestBytes(f.Raw)
	case e.URI == s.URI && !sameFrontmatter(f, s):
		return host.ReasonFrontmatter, "frontmatter differs"
	}
	return "", ""
}

func sameFrontmatter(f *catalog.File, s *catalog.Skill) bool {
	if f.Front == nil {
		return false
	}
	fields, err := f.Front.JSON()
	return err == nil && bytes.Equal(fields, s.Frontmatter)
}

// unlisted finds files of a skill that no manifest has.
func unlisted(tree *catalog.Tree, s *catalog.Skill, seen map[string]bool) []verdict {
	var out []verdict
	folder := strings.TrimSuffix(s.URI, catalog.SkillFile)
	for _, f := range tree.Files {
		uri := catalog.Scheme + f.Path
		if strings.HasPrefix(uri, folder) && !seen[uri] {
			seen[uri] = true
			out = append(out, verdict{URI: uri, Reason: string(host.ReasonManifest), Problem: "not in the manifest", Size: int64(len(f.Raw)), Digest: catalog.DigestBytes(f.Raw)})
		}
	}
	return out
}

// reportVerification prints what verify found. Any problem exits 1.
func (a *App) reportVerification(ctx context.Context, v verification) error {
	failed, err := a.printVerdicts(ctx, v.verdicts, v.protocols)
	if err != nil {
		return err
	}
	over := "; read over MCP " + strings.Join(v.protocols, " and ")
	switch {
	case failed > 0 && v.remote:
		return &problem{Code: codeVerifyFailed, Message: strconv.Itoa(failed) + " faults of the server" + over, Hint: "do not load the skills that are named"}
	case failed > 0:
		return &problem{Code: codeVerifyFailed, Message: strconv.Itoa(failed) + " of " + strconv.Itoa(len(v.verdicts)) + " checks failed" + over, Hint: "restore the files, or build the program anew"}
	}
	dynamic := 0
	for _, row := range v.verdicts {
		if row.Dynamic {
			dynamic++
		}
	}
	a.note("%d files, all as their manifests say%s", len(v.verdicts)-dynamic, over)
	if dynamic > 0 {
		a.note("note: %d skills have no digests, so their files were not verified", dynamic)
	}
	return nil
}

// reportVerdicts prints checked files. Any problem exits 1.
func (a *App) reportVerdicts(ctx context.Context, verdicts []verdict) error {
	failed, err := a.printVerdicts(ctx, verdicts, nil)
	if err != nil {
		return err
	}
	if failed > 0 {
		return &problem{Code: codeVerifyFailed, Message: strconv.Itoa(failed) + " of " + strconv.Itoa(len(verdicts)) + " files differ from their manifest", Hint: "restore the files, or build the program anew"}
	}
	a.note("%d files, all as their manifests say", len(verdicts))
	return nil
}

func (a *App) printVerdicts(ctx context.Context, verdicts []verdict, protocols []string) (failed int, err error) {
	t := &table{columns: []column{{title: "RESULT"}, {title: "FILE", keep: true}, {title: "BYTES", number: true}, {title: "SHA256"}}}
	for _, v := range verdicts {
		result, file := "ok", v.URI
		switch {
		case !v.OK:
			failed++
			result = "FAILED: " + v.Problem
		case v.Dynamic:
			result = "not verifiable"
		}
		if file == "" {
			file = "(server)"
		}
		t.add(result, file, strconv.FormatInt(v.Size, 10), hexOf(v.Digest))
	}
	if a.json() {
		return failed, a.printJSON(struct {
			Files     []verdict `json:"files"`
			Protocols []string  `json:"protocols,omitempty"`
		}{verdicts, protocols})
	}
	return failed, a.printTable(ctx, t)
}

func hexOf(digest string) string { return strings.TrimPrefix(digest, "sha256:") }
