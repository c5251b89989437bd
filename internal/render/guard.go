package render

import "strings"

// maxCells bounds columns times rows of a table. The table parser pads every row
// to the width of the header: 20,000 columns and 5,000 short rows in 92 KB kept
// goldmark 1.8.7 busy for a minute.
const maxCells = 50_000

// maxDepth bounds nested lists, quotes and emphasis; what lies deeper is shown
// as source.
const maxDepth = 32

// tablesTooLarge reports whether a page could hold a table of more than maxCells
// cells. It overestimates: every line up to the next blank one counts as a row.
func tablesTooLarge(markdown string) bool {
	columns, rows := 0, 0
	for line := range strings.Lines(markdown) {
		switch {
		case isDelimiterRow(line):
			columns, rows = max(columns, strings.Count(line, "|")+1), rows+1
		case strings.Trim(line, "> \t\r\n") == "":
			columns, rows = 0, 0
		case columns > 0:
			rows++
		}
		if columns*rows > maxCells {
			return true
		}
	}
	return false
}

// isDelimiterRow reports whether a line can be the row of hyphens below a table
// header, inside quotes and list items too.
func isDelimiterRow(line string) bool {
	return strings.Contains(line, "-") && strings.Contains(line, "|") &&
		strings.Trim(line, "|:-> \t\r\n*+.)0123456789") == ""
}

// maxMarkers bounds the quote and list markers that one line may open. The
// parser needs time by their square, before any depth can be looked at.
const maxMarkers = 200

// nestedTooDeeply reports whether a line opens more than maxMarkers containers.
func nestedTooDeeply(markdown string) bool {
	for line := range strings.Lines(markdown) {
		markers := 0
		for _, r := range line {
			if strings.ContainsRune(">-*+.)", r) {
				markers++
			} else if !strings.ContainsRune(" \t0123456789", r) {
				break
			}
		}
		if markers > maxMarkers {
			return true
		}
	}
	return false
}

// maxDelimiters bounds the marks of emphasis and links between two blank lines.
// Unclosed ones cost the parser time by their square: 256 KiB of "*a_" kept
// goldmark 1.8.7 busy for almost five minutes.
const maxDelimiters = 2000

// tooMuchMarkup reports whether a paragraph could hold more than maxDelimiters
// marks.
func tooMuchMarkup(markdown string) bool {
	marks := 0
	for line := range strings.Lines(markdown) {
		if strings.Trim(line, " \t\r\n") == "" {
			marks = 0
			continue
		}
		for i := range len(line) {
			if line[i] == '*' || line[i] == '_' || line[i] == '[' {
				marks++
			}
		}
		if marks > maxDelimiters {
			return true
		}
	}
	return false
}
