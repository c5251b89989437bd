// Package lint checks trees of skills and help pages and reports findings with
// their exact places. It owns the rules' names, severities and texts, the rules
// about links, and the report formats; the rules the loader needs as well are
// checked by package catalog, so the two cannot disagree. It reads files only
// through an fs.FS and knows no terminal. Start at FindRoot and Run.
package lint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// ErrNothingToLint is returned when there is no Markdown to check.
var ErrNothingToLint = errors.New("no skills or help pages found")

// Options adapt a run. The zero value checks with the profile that fits, shows
// warnings and errors, and fails on errors.
type Options struct {
	Profile      Profile             // "" = Auto
	MinSeverity  Severity            // mildest findings in the report; 0 = Warning
	FailOn       Severity            // mildest finding that fails the run; 0 = Error
	Severities   map[string]Severity // by rule id or slug, instead of the profile's
	Only         []string            // run these rules only, by id or slug
	Ignore       []string            // globs of paths not to read; without a slash they match any name
	Files        []string            // report these files only; the others are still link targets
	Jobs         int                 // files read at once; 0 = one per processor
	MaxFileBytes int64               // larger files are not parsed; 0 = catalog.MaxFileBytes
	RootName     string              // name of the directory that is checked, for a SKILL.md at its top
	PathPrefix   string              // put before every path in the report, such as "catalog:"
}

// Report is the result of a run. Equal trees and options give equal reports.
type Report struct {
	Profile    Profile
	Files      int // that were looked at, readable or not
	Skills     int
	Counts     Counts
	Findings   []Finding // by path, line, column and rule
	Failed     bool      // a finding reaches Options.FailOn, shown or not
	Unreadable int       // files that could not be read: the run is incomplete
}

// Counts are the numbers of shown findings.
type Counts struct {
	Error   int
	Warning int
	Info    int
}

// Finding is one place that breaks a rule.
type Finding struct {
	Rule        string
	Slug        string
	Severity    Severity
	Message     string
	Path        string
	Range       Range
	Excerpt     string // the line it begins in
	Help        string // how to mend it, "" when the message says so
	Related     []Related
	Fingerprint string // stays the same when lines are added elsewhere

	before     string // the nearest line above that is not blank
	beforeLine int    // its number, 0 when there is none
	file       string // Path without the prefix
}

// Related is a second place that belongs to a finding.
type Related struct {
	Path    string `json:"path"`
	Range   Range  `json:"range"`
	Message string `json:"message"`
}

// Range is a part of a file; End is just behind it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a place in a file.
type Position struct {
	Line   int `json:"line"`   // from 1
	Column int `json:"column"` // from 1, in code points
	Offset int `json:"offset"` // from 0, in bytes
}

// Run checks a tree. It returns an *OptionError for options that make no sense
// and ErrNothingToLint, with the report of what was found, for a tree or a named
// file without Markdown.
func Run(ctx context.Context, fsys fs.FS, opts Options) (Report, error) {
	r, err := newRun(fsys, opts)
	if err != nil {
		return Report{}, err
	}
	found, err := r.check(ctx)
	if err != nil {
		return Report{}, err
	}
	rep := Report{Profile: r.profile, Findings: []Finding{}}
	files := map[string]bool{} // with those that are no Markdown or cannot be read
	for name, f := range r.index.files {
		if !r.reports(name) {
			continue
		}
		files[opts.PathPrefix+name] = true
		if f.skill {
			rep.Skills++
		}
	}
	markdown := len(files) > 0
	for _, f := range found {
		files[f.Path] = true
		if f.Rule == unreadableFile {
			rep.Unreadable++
		}
		if f.Severity >= cmp.Or(opts.FailOn, Error) {
			rep.Failed = true
		}
		if f.Severity >= cmp.Or(opts.MinSeverity, Warning) {
			rep.Findings = append(rep.Findings, f)
			rep.Counts.add(f.Severity)
		}
	}
	r.quote(rep.Findings)
	rep.Files = len(files)
	named := len(opts.Files) > 0 && len(found) > 0
	if !markdown && !named && rep.Unreadable == 0 {
		return rep, ErrNothingToLint
	}
	return rep, nil
}

// reports reports whether findings in a file are asked for.
func (r *run) reports(file string) bool {
	return len(r.opts.Files) == 0 || slices.Contains(r.opts.Files, file)
}

// unreadableFile is the one rule that tells of a run rather than of a page.
const unreadableFile = "KL904"

func (c *Counts) add(s Severity) {
	switch s {
	case Error:
		c.Error++
	case Warning:
		c.Warning++
	default:
		c.Info++
	}
}

// run is the state of one Run.
type run struct {
	fsys    fs.FS
	opts    Options
	profile Profile
	rules   map[string]Rule     // by id
	grades  map[string]Severity // by rule id; absent = off
	chosen  map[string]bool     // rules whose severity the options set
	links   []Rule              // the ones that check links
	scanner catalog.Scanner
	index   *index
}

func newRun(fsys fs.FS, opts Options) (*run, error) {
	r := &run{
		fsys: fsys, opts: opts, profile: opts.Profile,
		rules: map[string]Rule{}, grades: map[string]Severity{}, chosen: map[string]bool{},
	}
	if r.profile == "" || r.profile == Auto {
		r.profile = Skills
		if _, err := fs.Stat(fsys, "index.md"); err == nil {
			r.profile = Catalog
		}
	}
	if err := r.chooseRules(); err != nil {
		return nil, err
	}
	for _, glob := range opts.Ignore {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, &OptionError{Value: glob, Reason: "not a glob"}
		}
	}
	r.scanner = catalog.Scanner{
		Skills: r.profile != Catalog, RootName: opts.RootName,
		MaxFileBytes: opts.MaxFileBytes, Ignore: r.ignored,
	}
	return r, nil
}

// chooseRules decides the severity of every rule.
func (r *run) chooseRules() error {
	for _, rule := range Rules() {
		r.rules[rule.ID] = rule
		if len(r.opts.Only) == 0 {
			r.grades[rule.ID] = rule.In(r.profile)
		}
	}
	for _, name := range r.opts.Only {
		rule, ok := FindRule(name)
		if !ok {
			return unknownRule(name)
		}
		r.grades[rule.ID] = rule.In(r.profile)
	}
	for name, severity := range r.opts.Severities {
		rule, ok := FindRule(name)
		if !ok {
			return unknownRule(name)
		}
		if severity > Error {
			return &OptionError{Value: severity.String(), Reason: "a rule is off, info, warning or error"}
		}
		if _, on := r.grades[rule.ID]; on || len(r.opts.Only) == 0 {
			r.grades[rule.ID], r.chosen[rule.ID] = severity, true
		}
	}
	for _, rule := range Rules() {
		if rule.link != nil && r.grades[rule.ID] != Off {
			r.links = append(r.links, rule)
		}
	}
	return nil
}

func (r *run) ignored(p string) bool {
	return slices.ContainsFunc(r.opts.Ignore, func(glob string) bool {
		name := p
		if !strings.Contains(glob, "/") {
			name = path.Base(p)
		}
		ok, _ := path.Match(strings.TrimSuffix(glob, "/"), name) // the glob was tested before
		return ok
	})
}

// graded returns the severity of a problem of package catalog. Its own severity
// counts in the catalog profile, where some rules have two.
func (r *run) graded(p catalog.Problem) Severity {
	severity := r.grades[p.Rule]
	if severity == Off || r.profile != Catalog || r.chosen[p.Rule] {
		return severity
	}
	return ofCatalog(p.Severity)
}

// finding places a message in the report; ok is false when it is not wanted.
func (r *run) finding(ruleID, file string, severity Severity, at Range, message, help string) (f Finding, ok bool) {
	if severity == Off || !r.reports(file) {
		return Finding{}, false
	}
	return Finding{
		Rule: ruleID, Slug: r.rules[ruleID].Slug, Severity: severity, Message: message, Help: help,
		Path: r.opts.PathPrefix + file, file: file, Range: at, Related: []Related{},
	}, true
}

// ofProblem turns a problem into a finding. lines are those of its file.
func (r *run) ofProblem(p catalog.Problem, lines lineTable) (Finding, bool) {
	start := Position{Line: p.Line, Column: p.Column, Offset: p.Start}
	f, ok := r.finding(p.Rule, p.Path, r.graded(p), Range{start, lines.end(start, p.End)}, p.Message, p.Help)
	for _, rel := range p.Related {
		at := Position{Line: rel.Line, Column: rel.Column, Offset: rel.Start}
		end := at
		if rel.Path == p.Path {
			end = lines.end(at, rel.End)
		}
		f.Related = append(f.Related, Related{Path: r.opts.PathPrefix + rel.Path, Range: Range{at, end}, Message: rel.Message})
	}
	return f, ok
}

func sortFindings(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.file, b.file), cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
			cmp.Compare(a.Range.Start.Column, b.Range.Start.Column), strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
		)
	})
}

// timedOut is the finding of a page that took too long to parse.
func (r *run) timedOut(file string) (Finding, bool) {
	start := Position{Line: 1, Column: 1}
	message := fmt.Sprintf("not parsed within %s; its links are unchecked", parseLimit)
	return r.finding(unreadableFile, file, r.grades[unreadableFile], Range{start, start}, message, "simplify the nesting of brackets and quotes")
}
