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
