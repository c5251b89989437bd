package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/lint"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type lintOptions struct {
	app       *App
	paths     []string
	profile   string
	severity  string
	failOn    string
	rules     []string
	only      []string
	ignore    []string
	jobs      int
	maxBytes  int64
	listRules bool
	explain   string
}

func newLint(app *App) *cobra.Command {
	opts := lintOptions{app: app}
	c := formats(&cobra.Command{
		Use: "lint [PATH...]", Short: "Check help pages and skills", GroupID: groupHelp,
		Long: "Checks the built-in pages, or catalogs, folders of skills, single skills and single\n" +
			"files. Exits 0 when nothing reaches --fail-on, 1 for findings, 2 when there is\n" +
			"nothing to check, 3 when a file cannot be read.",
		Example: examples("kite-mcp lint catalog --fail-on warning", "kite-mcp lint ~/skills -o json", "kite-mcp lint --explain link-missing"),
		Args:    cobra.ArbitraryArgs,
		// Paths are completed by the shell.
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error {
			opts.paths = args
			return runLint(c.Context(), opts)
		},
	}, formatText, formatHuman, formatJSON)
	f := c.Flags()
	f.StringVar(&opts.profile, "profile", string(lint.Auto), "auto, catalog, skills or spec")
	f.StringVar(&opts.severity, "severity", "warning", "mildest finding shown: info, warning or error")
	f.StringVar(&opts.failOn, "fail-on", "error", "mildest finding that exits 1: info, warning, error or never")
	f.StringArrayVar(&opts.rules, "rule", nil, "`ID=SEVERITY` for one rule: off, info, warning or error; repeatable")
	f.StringSliceVar(&opts.only, "only", nil, "check these rules only: `ID,...`")
	f.StringArrayVar(&opts.ignore, "ignore", nil, "do not read paths that match `GLOB`; repeatable")
	f.IntVar(&opts.jobs, "jobs", 0, "files read at once, 0 for one per processor")
	f.Int64Var(&opts.maxBytes, "max-file-size", catalog.MaxFileBytes, "largest file that is parsed, in bytes")
	f.BoolVar(&opts.listRules, "list-rules", false, "list all rules and exit")
	f.StringVar(&opts.explain, "explain", "", "explain the rule `ID` and exit")
	_ = c.RegisterFlagCompletionFunc("profile", words("auto", "catalog", "skills", "spec"))
	_ = c.RegisterFlagCompletionFunc("severity", words("info", "warning", "error"))
	_ = c.RegisterFlagCompletionFunc("fail-on", words("info", "warning", "error", "never"))
	for _, name := range []string{"rule", "only", "explain"} {
		_ = c.RegisterFlagCompletionFunc(name, completeRules)
	}
	return c
}

func completeRules(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, r := range lint.Rules() {
		if strings.HasPrefix(r.ID, strings.ToUpper(prefix)) {
			out = append(out, cobra.CompletionWithDesc(r.ID, r.Slug))
		} else if strings.HasPrefix(r.Slug, prefix) {
			out = append(out, cobra.CompletionWithDesc(r.Slug, r.ID))
		}
	}
	return out, noFiles
}

func runLint(ctx context.Context, opts lintOptions) error {
	switch {
	case opts.listRules:
		return opts.app.printRules(ctx)
	case opts.explain != "":
		return opts.app.explainRule(ctx, opts.explain)
	}
	report, err := opts.check(ctx)
	if err == nil || opts.app.json() {
		if printErr := opts.app.printReport(report, err); closedPipe(printErr) {
			return printErr
		} else if printErr != nil {
			return &problem{Code: codeLintBroken, Message: printErr.Error()}
		}
	}
	missing, absent := errors.AsType[*fs.PathError](err)
	said, told := errors.AsType[*problem](err)
	switch {
	case absent:
		return missing
	case told:
		return said
	case err != nil && lint.IsUsage(err):
		return usage(err.Error(), "kite-mcp lint --help shows what can be checked")
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		return &problem{Code: codeLintBroken, Message: err.Error()}
	case report.Unreadable > 0:
		return &problem{Code: codeLintBroken, Message: plural(report.Unreadable, "file") + " could not be read", Hint: "the other findings are complete"}
	case report.Failed:
		return &problem{Code: codeLintFailed, Message: plural(len(report.Findings), "finding"), told: true}
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// check lints every path and joins the reports.
func (o *lintOptions) check(ctx context.Context) (lint.Report, error) {
	all := lint.Report{Profile: lint.Profile(o.profile), Findings: []lint.Finding{}}
	options, err := o.options()
	if err != nil {
		return all, err
	}
	targets, err := o.targets()
	if err != nil {
		return all, err
	}
	for i, t := range targets {
		each := options
		each.Profile, each.RootName, each.PathPrefix, each.Files = t.profile, t.name, t.prefix, t.only
		report, err := lint.Run(ctx, t.files, each)
		if err != nil {
			return all, fmt.Errorf("%s: %w", t.shown, err)
		}
		if i == 0 {
			all.Profile = report.Profile
		} else if all.Profile != report.Profile {
			all.Profile = lint.Auto
		}
		all.Files += report.Files
		all.Skills += report.Skills
		all.Unreadable += report.Unreadable
		all.Counts.Error += report.Counts.Error
		all.Counts.Warning += report.Counts.Warning
		all.Counts.Info += report.Counts.Info
		all.Failed = all.Failed || report.Failed
		all.Findings = append(all.Findings, report.Findings...)
	}
	return all, nil
}

// options reads the flags.
func (o *lintOptions) options() (lint.Options, error) {
	out := lint.Options{Only: o.only, Ignore: o.ignore, Jobs: o.jobs, MaxFileBytes: o.maxBytes, Severities: map[string]lint.Severity{}}
	if _, err := lint.ParseProfile(o.profile); err != nil {
		return out, fmt.Errorf("--profile %w", err)
	}
	var err error
	if out.MinSeverity, err = lint.ParseSeverity(o.severity); err != nil || out.MinSeverity == lint.Off || out.MinSeverity == lint.Never {
		return out, usage("--severity "+quoted(o.severity)+" is not info, warning or error", "")
	}
	if out.FailOn, err = lint.ParseSeverity(o.failOn); err != nil || out.FailOn == lint.Off {
		return out, usage("--fail-on "+quoted(o.failOn)+" is not info, warning, error or never", "")
	}
	if o.jobs < 0 || o.maxBytes <= 0 {
		return out, usage("--jobs must not be negative and --max-file-size must be above 0", "")
	}
	for _, word := range o.rules {
		name, grade, ok := strings.Cut(word, "=")
		if !ok {
			return out, usage("--rule "+quoted(word)+" is not ID=SEVERITY", "write it as --rule KL300=off")
		}
		if out.Severities[name], err = lint.ParseSeverity(grade); err != nil {
			return out, fmt.Errorf("--rule %w", err)
		}
	}
	return out, nil
}

// lintTarget is one tree to check.
type lintTarget struct {
	files   fs.FS
	profile lint.Profile
	name    string   // of the directory
	prefix  string   // of reported paths
	only    []string // report these files
	shown   string   // as the person named it
}

func (o *lintOptions) targets() ([]lintTarget, error) {
	paths := o.paths
	if len(paths) == 0 && o.app.flags.catalog != "" {
		paths = []string{o.app.flags.catalog}
	}
	if len(paths) == 0 {
		return []lintTarget{{files: catalog.Embedded(), profile: lint.Profile(o.profile), name: "catalog", prefix: "catalog:", shown: "the built-in pages"}}, nil
	}
	targets := make([]lintTarget, 0, len(paths))
	for _, p := range paths {
		t, err := o.target(p)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// target finds the tree that a path belongs to. The whole file system is
// searched, since the root of a single file lies above it.
func (o *lintOptions) target(given string) (lintTarget, error) {
	absolute, err := filepath.Abs(o.app.path(given))
	if err != nil {
		return lintTarget{}, err
	}
	volume := filepath.VolumeName(absolute) + string(filepath.Separator)
	inside := filepath.ToSlash(strings.TrimPrefix(absolute, volume))
	if inside == "" {
		inside = "."
	}
	root, err := lint.FindRoot(os.DirFS(volume), inside, lint.Profile(o.profile))
	if missing, absent := errors.AsType[*fs.PathError](err); absent {
		missing.Path = given
		return lintTarget{}, missing
	}
	if err != nil {
		return lintTarget{}, usage("no skills or help pages in "+given, "name a folder with index.md or SKILL.md in it")
	}
	dir := filepath.Join(volume, filepath.FromSlash(root.Dir))
	t := lintTarget{files: os.DirFS(dir), profile: root.Profile, name: path.Base(root.Dir), prefix: o.app.reportPrefix(dir), shown: given}
	if root.File != "" {
		t.only = []string{root.File}
	}
	if root.Moved {
		o.app.note("note: checking %s", strings.TrimSuffix(t.prefix, "/"))
	}
	return t, nil
}

// reportPrefix is how a directory begins the paths of a report.
func (a *App) reportPrefix(dir string) string {
	short := a.shortPath(dir)
	if short == "." {
		return ""
	}
	return strings.TrimSuffix(filepath.ToSlash(short), "/") + "/"
}

// printReport prints the findings. A program finds a JSON object even when the
// run failed.
func (a *App) printReport(report lint.Report, err error) error {
	if a.json() {
		return lint.WriteJSON(a.proc.Out, report, lint.JSONOptions{
			Tool: lint.Tool{Name: "kite-mcp", Version: a.build().Version}, Indent: a.terminal().out, Err: err,
		})
	}
	return lint.WriteHuman(a.proc.Out, report, lint.HumanOptions{Excerpt: a.laidOut(), Color: a.color(), Width: a.width()})
}

func (a *App) printRules(ctx context.Context) error {
	if a.json() {
		return a.printJSON(map[string][]lint.Rule{"rules": lint.Rules()})
	}
	t := &table{columns: []column{{title: "ID", keep: true}, {title: "SLUG", keep: true}, {title: "CATALOG", keep: true}, {title: "SKILLS", keep: true}, {title: "SPEC", keep: true}, {title: "WHAT"}}}
	for _, r := range lint.Rules() {
		t.add(r.ID, r.Slug, r.Severity.Catalog.String(), r.Severity.Skills.String(), r.Severity.Spec.String(), r.Doc)
	}
	return a.printTable(ctx, t)
}

func (a *App) explainRule(ctx context.Context, name string) error {
	r, ok := lint.FindRule(name)
	if !ok {
		var slugs []string
		for _, r := range lint.Rules() {
			slugs = append(slugs, r.Slug)
		}
		p := &problem{Code: string(tools.CodeNotFound), Message: "no rule " + quoted(name), Hint: "kite-mcp lint --list-rules lists them"}
		return p.guess(name, slugs)
	}
	if a.json() {
		return a.printJSON(r)
	}
	s := r.Severity
	return a.printMarkdown(ctx, fmt.Sprintf("# %s %s\n\n%s\n\nSeverity: catalog %s, skills %s, spec %s.\n", r.ID, r.Slug, r.Doc, s.Catalog, s.Skills, s.Spec), 0)
}
