package lint

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// HumanOptions adapt WriteHuman.
type HumanOptions struct {
	Excerpt bool // show source lines, for a terminal; else one line per finding
	Color   bool
	Width   int // columns of the terminal; 0 = 80
}

// WriteHuman writes the report for a person: the findings, then one line of
// totals. Nothing from a linted file reaches the terminal as a control sequence.
func WriteHuman(w io.Writer, rep Report, opts HumanOptions) error {
	if opts.Width <= 0 {
		opts.Width = 80
	}
	h := human{HumanOptions: opts}
	files := map[string]bool{}
	for _, f := range rep.Findings {
		files[f.Path] = true
		if opts.Excerpt {
			h.long(f)
		} else {
			h.short(f)
		}
	}
	h.printf("%s\n", totals(rep, len(files)))
	if _, err := io.WriteString(w, h.out.String()); err != nil {
		return fmt.Errorf("write lint report: %w", err)
	}
	return nil
}

type human struct {
	HumanOptions
	out strings.Builder
}

func (h *human) printf(format string, args ...any) { fmt.Fprintf(&h.out, format, args...) }

// short is the form for pipes and editors: PATH:LINE:COL: severity ID slug: text.
func (h *human) short(f Finding) {
	at := f.Range.Start
	h.printf("%s:%d:%d: %s %s %s: %s\n", printable(f.Path), at.Line, at.Column, f.Severity, f.Rule, f.Slug, printable(f.Message))
}

// long shows the source with a mark under the place:
//
//	orders/prepare.md:14:9  error  KL300 link-missing
//	  12 | The line above.
//	  14 | See [the book](bok.md).
//	     |                ^^^^^^ link target orders/bok.md does not exist
//	  did you mean book.md?
func (h *human) long(f Finding) {
	at := f.Range.Start
	h.printf("%s:%d:%d  %s  %s %s\n", h.bold(printable(f.Path)), at.Line, at.Column, h.severity(f.Severity), f.Rule, f.Slug)
	if f.Excerpt == "" {
		h.wrap(printable(f.Message))
	} else {
		h.excerpt(f)
	}
	if f.Help != "" {
		h.wrap(printable(f.Help))
	}
	for _, r := range f.Related {
		h.wrap(fmt.Sprintf("%s: %s:%d:%d", printable(r.Message), printable(r.Path), r.Range.Start.Line, r.Range.Start.Column))
	}
}

func (h *human) excerpt(f Finding) {
	digits := len(strconv.Itoa(f.Range.Start.Line))
	gutter := strings.Repeat(" ", digits)
	room := max(h.Width-digits-5, 20) // "  ", the number, " | "
	if f.beforeLine > 0 {
		h.printf("  %*d | %s\n", digits, f.beforeLine, h.faint(ansi.Truncate(printable(f.before), room, "...")))
	}
	line, from, to := mark(f)
	line, from, to = window(line, from, to, room)
	h.printf("  %d | %s\n", f.Range.Start.Line, line)
	caret := strings.Repeat(" ", from) + h.color(f.Severity, strings.Repeat("^", max(to-from, 1)))
	message := printable(f.Message)
	if to+1+ansi.StringWidth(message) <= room {
		h.printf("  %s | %s %s\n", gutter, caret, message)
		return
	}
	h.printf("  %s | %s\n", gutter, caret)
	h.wrap(message)
}

// mark returns the excerpt as it is shown, and the columns of the screen that
// the finding covers in it. A range of several lines is marked to the end of
// the first.
func mark(f Finding) (line string, from, to int) {
	start, end := f.Range.Start, f.Range.End
	from = byteColumn(f.Excerpt, start.Column)
	to = len(f.Excerpt)
	if end.Line == start.Line {
		to = max(byteColumn(f.Excerpt, end.Column), from)
	}
	head, body := printable(f.Excerpt[:from]), printable(f.Excerpt[from:to])
	line = head + body + printable(f.Excerpt[to:])
	from = ansi.StringWidth(head)
	return line, from, from + ansi.StringWidth(body)
}

// byteColumn converts a column in code points, from 1, to a byte offset.
func byteColumn(line string, column int) int {
	at := 0
	for ; column > 1 && at < len(line); column-- {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// window cuts a line to the room it has, around the marked part.
func window(line string, from, to, room int) (cut string, f, t int) {
	width := ansi.StringWidth(line)
	if width <= room {
		return line, from, min(to, width)
	}
	const dots = "..."
	left := 0
	if from > room*2/3 {
		left = min(from-room/3, width-room+len(dots))
	}
	right := min(left+room, width)
	prefix, suffix := "", ""
	if left > 0 {
		prefix, left = dots, left+len(dots)
	}
	if right < width {
		suffix, right = dots, right-len(dots)
	}
	shift := left - len(prefix)
	return prefix + ansi.Cut(line, left, right) + suffix, from - shift, max(min(to, right)-shift, from-shift)
}

// wrap prints indented text over as many lines as it needs.
func (h *human) wrap(text string) {
	for line := range strings.SplitSeq(ansi.Wordwrap(text, max(h.Width-2, 20), ""), "\n") {
		h.printf("  %s\n", line)
	}
}

func totals(rep Report, withFindings int) string {
	files := plural(rep.Files, "file")
	var parts []string
	if n := rep.Counts.Error; n > 0 {
		parts = append(parts, plural(n, "error"))
	}
	if n := rep.Counts.Warning; n > 0 {
		parts = append(parts, plural(n, "warning"))
	}
	if n := rep.Counts.Info; n > 0 {
		parts = append(parts, fmt.Sprintf("%d info", n))
	}
	if len(parts) == 0 {
		return "no findings in " + files
	}
	return fmt.Sprintf("%s in %d of %s", strings.Join(parts, ", "), withFindings, files)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// printable makes untrusted text safe for a terminal: a tab is one blank, and
// what would move the cursor, reverse the text or be invisible is spelled out.
func printable(s string) string {
	if !strings.ContainsFunc(s, isUnsafe) && utf8.ValidString(s) {
		return s
	}
	var out strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			out.WriteByte(' ')
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&out, "<%02X>", s[i])
		case isUnsafe(r):
			fmt.Fprintf(&out, "<U+%04X>", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

func isUnsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' || r == '\u2028' || r == '\u2029'
}

func (h *human) severity(s Severity) string { return h.color(s, s.String()) }

func (h *human) color(s Severity, text string) string {
	code := "36"
	switch s {
	case Error:
		code = "31"
	case Warning:
		code = "33"
	default:
	}
	return h.sgr("1;"+code, text)
}

func (h *human) bold(text string) string { return h.sgr("1", text) }

func (h *human) faint(text string) string { return h.sgr("2", text) }

func (h *human) sgr(code, text string) string {
	if !h.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
