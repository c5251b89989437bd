package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

const isWindows = runtime.GOOS == "windows"

// Output formats. A command lists those it has with formats.
const (
	formatText   = "text"
	formatJSON   = "json"
	formatMD     = "md"
	formatHuman  = "human" // lint's word for text
	formatSHA256 = "sha256sum"
)

// formatsKey is the annotation that holds a command's formats.
const formatsKey = "formats"

// formats declares what -o a command takes. The first is the default.
func formats(c *cobra.Command, names ...string) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[formatsKey] = strings.Join(names, ",")
	return c
}

func formatsOf(c *cobra.Command) []string {
	if list := c.Annotations[formatsKey]; list != "" {
		return strings.Split(list, ",")
	}
	return []string{formatText}
}

// checkFormat refuses a format that the command does not have.
func (a *App) checkFormat(c *cobra.Command) error {
	names := formatsOf(c)
	if !slices.Contains(names, a.flags.format) {
		return usage(fmt.Sprintf("%s has no format %s; it has %s", c.CommandPath(), quoted(a.flags.format), strings.Join(names, ", ")), "").guess(a.flags.format, names)
	}
	return nil
}

func (a *App) json() bool { return a.flags.format == formatJSON }

func (a *App) write(text string) error {
	_, err := io.WriteString(a.proc.Out, text)
	return err
}

// note tells a person something that is not the answer.
func (a *App) note(format string, args ...any) {
	if !a.flags.quiet {
		// What cannot be written to stderr has nowhere to be reported.
		_, _ = io.WriteString(a.proc.Err, render.Clean(fmt.Sprintf(format, args...))+"\n")
	}
}

// printJSON writes one JSON object: indented on a terminal, one line in a pipe.
func (a *App) printJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	if !a.terminal().out {
		return a.write(b.String())
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.Bytes(), "", "  "); err != nil {
		return err
	}
	return a.write(escapeJSON(pretty.String()))
}

// escapeJSON writes the characters that steer a terminal as \u escapes. They
// can only stand inside strings, so the value stays the same.
func escapeJSON(s string) string {
	if render.Clean(s) == s {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// wrap breaks prose for a terminal; a pipe gets it in one line.
func (a *App) wrap(s string) string {
	if !a.laidOut() {
		return s
	}
	return ansi.Wordwrap(s, min(a.width(), maxProse), "")
}

// bold marks text where escape sequences are allowed.
func (a *App) bold(s string) string {
	if !a.styled() || s == "" {
		return s
	}
	return "\x1b[1m" + s + "\x1b[m"
}

// table is rows under titles. Cells are untrusted and cleaned when printed.
type table struct {
	head    string // text before the table, safe to print
	columns []column
	rows    [][]string
	levels  []int    // of the rows when they are a tree; shown on a terminal only
	spare   []string // titles of the columns that a narrow terminal goes without, in this order
}

// column is one column of a table.
type column struct {
	title  string
	number bool // aligned right
	keep   bool // never cut to fit the terminal
	least  int  // columns that are left when it is cut, 8 unless set
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// printTable prints a table: aligned and cut to the width on a terminal, one
// tab between complete cells in a pipe, Markdown with -o md.
func (a *App) printTable(ctx context.Context, t *table) error {
	for _, row := range t.rows {
		for i, cell := range row {
			row[i] = oneLine(render.Clean(cell))
		}
	}
	switch {
	case a.flags.format == formatMD:
		return a.write(t.head + t.markdown())
	case a.laidOut():
		for i, level := range t.levels {
			t.rows[i][0] = strings.Repeat("  ", level) + t.rows[i][0]
		}
		return a.page(ctx, t.head+t.aligned(a.width(), a.bold))
	default:
		return a.write(t.head + t.tabbed())
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (t *table) titles() []string {
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.title
	}
	return out
}

func (t *table) tabbed() string {
	var b strings.Builder
	for _, row := range append([][]string{t.titles()}, t.rows...) {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return b.String()
}

func (t *table) markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.titles())
	rule := make([]string, len(t.columns))
	for i, c := range t.columns {
		rule[i] = "---"
		if c.number {
			rule[i] = "---:"
		}
	}
	line(rule)
	escape := strings.NewReplacer("|", `\|`, `\`, `\\`)
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = escape.Replace(cell)
		}
		line(cells)
	}
	return b.String()
}

func (t *table) aligned(width int, head func(string) string) string {
	t = t.fitting(width)
	widths := t.widths(width)
	var b strings.Builder
	line := func(cells []string, show func(string) string) {
		parts := make([]string, len(cells))
		for i, cell := range cells {
			cell = ansi.Truncate(cell, widths[i], "~")
			gap := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
			switch {
			case t.columns[i].number:
				parts[i] = gap + show(cell)
			case i == len(cells)-1:
				parts[i] = show(cell)
			default:
				parts[i] = show(cell) + gap
			}
		}
		b.WriteString(strings.TrimRight(strings.Join(parts, "  "), " ") + "\n")
	}
	line(t.titles(), head)
	for _, row := range t.rows {
		line(row, func(s string) string { return s })
	}
	return b.String()
}

// fitting leaves out spare columns while the table is wider than the terminal.
func (t *table) fitting(width int) *table {
	for _, title := range t.spare {
		total := 2 * (len(t.columns) - 1)
		for _, w := range t.widths(width) {
			total += w
		}
		i := slices.IndexFunc(t.columns, func(c column) bool { return c.title == title })
		if total <= width || i < 0 {
			break
		}
		less := &table{columns: slices.Delete(slices.Clone(t.columns), i, i+1), spare: t.spare}
		for _, row := range t.rows {
			less.add(slices.Delete(slices.Clone(row), i, i+1)...)
		}
		t = less
	}
	return t
}

// widths gives every column its natural width, then takes from the widest that
// may be cut until the row fits.
func (t *table) widths(most int) []int {
	const least = 8
	widths := make([]int, len(t.columns))
	total := 2 * (len(t.columns) - 1)
	for i, c := range t.columns {
		widths[i] = ansi.StringWidth(c.title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
		total += widths[i]
	}
	for ; total > most; total-- {
		widest := -1
		for i, c := range t.columns {
			if !c.keep && !c.number && widths[i] > cmp.Or(c.least, least) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// quoted shows a person's own word in a message, escaped and cut.
func quoted(s string) string {
	const most = 80
	if len(s) > most {
		return fmt.Sprintf("%+q...", s[:most])
	}
	return fmt.Sprintf("%+q", s)
}
