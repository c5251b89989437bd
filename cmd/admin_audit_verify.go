package cmd

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type auditVerifyOptions struct {
	app  *App
	file string
	head string
}

func newAdminAuditVerify(app *App) *cobra.Command {
	opts := auditVerifyOptions{app: app}
	c := formats(&cobra.Command{
		Use: "verify FILE", Short: "Check the chain of an audit log",
		Long: "Reads an audit log, - for stdin, and reports by number every line that was changed,\n" +
			"removed, put in or moved; any exits 1. Then it prints the head: number and hash of\n" +
			"the last line. Keep that elsewhere and give it back with --head: only so can it be\n" +
			"seen that the last line was changed, or that lines behind it were cut off.",
		Example: examples("kite-mcp admin audit verify audit.jsonl", "kite-mcp admin audit verify audit.jsonl --head 2:"+strings.Repeat("0123456789abcdef", 4)),
		Args:    arguments(1, 1, "one audit log"),
		RunE: func(c *cobra.Command, args []string) error {
			opts.file = args[0]
			return runAuditVerify(c.Context(), opts)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}, formatText, formatJSON)
	c.Flags().StringVar(&opts.head, "head", "", "`SEQ:SHA256` of a line that must be there, as an earlier check printed it")
	_ = c.RegisterFlagCompletionFunc("head", noCompletion)
	return c
}

func runAuditVerify(ctx context.Context, opts auditVerifyOptions) error {
	app := opts.app
	var known intent.Head
	if opts.head != "" {
		var err error
		if known, err = intent.ParseHead(opts.head); err != nil {
			return usage("--head "+quoted(opts.head)+": "+err.Error(), "")
		}
	}
	report, err := whileWanted(ctx, func() (intent.AuditReport, error) { return app.readAudit(opts.file, known) })
	if err != nil {
		return err
	}
	if app.json() {
		err = app.printJSON(report)
	} else {
		err = app.write(auditText(opts.file, report))
	}
	if err == nil && !report.OK() {
		return &problem{Code: codeVerifyFailed, Message: "the audit log is not as it was written", told: true}
	}
	return err
}

// readAudit checks a log of any size in a file, or stdin for -.
func (a *App) readAudit(file string, known intent.Head) (intent.AuditReport, error) {
	if file == "-" {
		return intent.VerifyAudit(a.proc.In, known)
	}
	f, err := os.Open(a.path(file))
	if err != nil {
		return intent.AuditReport{}, err
	}
	defer closing(f)
	return intent.VerifyAudit(f, known)
}

// auditText is the report for a person.
func auditText(file string, r intent.AuditReport) string {
	var b strings.Builder
	for _, p := range r.Problems {
		if p.Line == 0 {
			b.WriteString(file + ": " + p.Text + "\n")
			continue
		}
		b.WriteString(file + ":" + strconv.FormatInt(p.Line, 10) + ": line " + strconv.FormatInt(p.Line, 10) + " " + p.Text + "\n")
	}
	if r.More > 0 {
		b.WriteString("and " + strconv.Itoa(r.More) + " more\n")
	}
	for _, n := range r.Torn {
		b.WriteString(file + ":" + strconv.FormatInt(n, 10) + ": left unfinished by a process that died; the line after it says so\n")
	}
	b.WriteString(plural(int(r.Lines), "line"))
	if r.Lines > 0 && !r.First.IsZero() {
		b.WriteString(", " + auditTime(r.First) + " to " + auditTime(r.Last))
	}
	if r.OK() {
		b.WriteString("; the chain holds")
	}
	b.WriteString(".\n")
	if r.Head.Seq > 0 {
		b.WriteString("head " + r.Head.String() + "\n")
	}
	return b.String()
}

func auditTime(t time.Time) string { return t.In(kite.IST).Format(time.DateTime) + " IST" }
