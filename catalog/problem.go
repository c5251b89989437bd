package catalog

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Severity grades a problem. Only errors stop the loader.
type Severity int

// The grades, mildest first.
const (
	Info Severity = iota
	Warning
	Error
)

// String returns info, warning or error.
func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	default:
		return "error"
	}
}

// Problem is a structural fault that Scan found.
type Problem struct {
	Rule     string // permanent id such as KL103
	Severity Severity
	Path     string // inside the scanned tree
	Line     int    // from 1
	Column   int    // from 1, in code points
	Start    int    // byte range in the file
	End      int
	Message  string // what is wrong and what would be right
	Help     string // how to mend it, "" when the message says so
	Related  []Related
}

// Related points at a second place that belongs to a problem.
type Related struct {
	Path    string
	Line    int
	Column  int
	Start   int // byte range in the file
	End     int
	Message string
}

// String returns PATH:LINE:COL: severity RULE: message.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s %s: %s", p.Path, p.Line, p.Column, p.Severity, p.Rule, p.Message)
}

// ProblemsError is what Load returns for a broken tree: every problem, not only
// the first.
type ProblemsError struct{ Problems []Problem }

// Error lists the errors, one line each.
func (e *ProblemsError) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		if p.Severity == Error {
			lines = append(lines, p.String())
		}
	}
	return "catalog is broken:\n" + strings.Join(lines, "\n")
}

// Position converts a byte offset to a line and a column, both from 1; columns
// count code points.
func Position(raw []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(raw))
	head := raw[:offset]
	line = bytes.Count(head, []byte("\n")) + 1
	return line, utf8.RuneCount(head[bytes.LastIndexByte(head, '\n')+1:]) + 1
}

func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Message, b.Message),
		)
	})
}

// span is a byte range of a file.
type span struct{ start, end int }

// report collects the problems of one file.
type report struct {
	file     *File
	skills   bool
	problems []Problem
}

// add places a problem and returns it for details.
func (r *report) add(rule string, severity Severity, at span, message, help string) *Problem {
	line, column := Position(r.file.Raw, at.start)
	r.problems = append(r.problems, Problem{
		Rule: rule, Severity: severity, Path: r.file.Path, Line: line, Column: column,
		Start: at.start, End: max(at.start, at.end), Message: message, Help: help,
	})
	return &r.problems[len(r.problems)-1]
}

func (r *report) related(at span, message string) Related {
	line, column := Position(r.file.Raw, at.start)
	return Related{Path: r.file.Path, Line: line, Column: column, Start: at.start, End: at.end, Message: message}
}

// hasError reports whether an error was found.
func (r *report) hasError() bool {
	return slices.ContainsFunc(r.problems, func(p Problem) bool { return p.Severity == Error })
}
