package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// field is a column of a data command: where its value lies in a row.
type field struct {
	title string
	path  string // keys and list indexes joined by dots; * is every element of a list
	kind  fieldKind
}

// key is the title as --sort takes it: "P&L%" is pnl-pct.
func (f field) key() string {
	return strings.NewReplacer("&", "n", "%", "-pct", " ", "-").Replace(strings.ToLower(f.title))
}

// value is what a row holds in the column, nil for nothing. Kite writes a price
// that there is none of as 0: the cost of shares moved in, the best offer of an
// empty side, the trigger of an order without one.
func (f field) value(row any) any {
	v := at(row, f.path)
	if n, ok := numeric(v); ok && f.kind == price && n.Sign() == 0 {
		return nil
	}
	return v
}

type fieldKind int

const (
	plain   fieldKind = iota
	name              // text that is of no use when cut
	number            // as Kite sent it
	price             // a number of which 0 says that there is none
	change            // with a sign
	percent           // with a sign and %, two decimals on a terminal
	moment            // a time with its zone, shown as commands take it: in IST, a day alone without 00:00:00
)

// longestName is how much of an id or a symbol is never cut: all of a real one, not
// all of what a broken answer may hold.
const longestName = 26

// dataTable makes a table of decoded rows. Numbers keep the digits they came
// with; a narrow terminal goes without the spare columns.
func (a *App) dataTable(fields []field, rows []any, spare ...string) *table {
	t := &table{spare: spare}
	for i, f := range fields {
		t.columns = append(t.columns, column{title: f.title, number: f.kind != plain && f.kind != name && f.kind != moment})
		if i == 0 || f.kind == name {
			t.columns[i].least = longestName
		}
	}
	for _, row := range rows {
		cells := make([]string, len(fields))
		for i, f := range fields {
			cells[i] = a.cell(f, f.value(row))
		}
		t.add(cells...)
	}
	return t
}

func (a *App) cell(f field, v any) string {
	var text string
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		if f.kind == moment {
			return inIST(v)
		}
		return v
	case json.Number:
		text = v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return a.cells(f, v)
	default:
		return fmt.Sprint(v)
	}
	if f.kind == percent && a.laidOut() {
		if n, ok := new(big.Rat).SetString(text); ok {
			text = n.FloatString(2)
		}
	}
	if f.kind == change || f.kind == percent {
		text = signed(text)
	}
	if f.kind == percent {
		text += "%"
	}
	return text
}

// inIST writes a time of Kite's as --since takes it; what is none stays as it is.
func inIST(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	t = t.In(kite.IST)
	if t.Equal(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, kite.IST)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.DateTime)
}

// cells shows the values of a list, and one when all are the same.
func (a *App) cells(f field, list []any) string {
	var texts []string
	for _, v := range list {
		texts = append(texts, a.cell(f, v))
	}
	if len(slices.Compact(slices.Clone(texts))) == 1 {
		return texts[0]
	}
	return strings.Join(texts, " / ")
}

// signed puts a plus before what is above zero: meaning is not left to colour.
func signed(number string) string {
	if n, ok := new(big.Rat).SetString(number); ok && n.Sign() > 0 {
		return "+" + number
	}
	return number
}

// at follows a path into decoded JSON; nil when it ends early.
func at(v any, path string) any {
	for path != "" {
		var step string
		step, path, _ = strings.Cut(path, ".")
		switch node := v.(type) {
		case map[string]any:
			v = node[step]
		case []any:
			if step == "*" {
				return each(node, path)
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(node) {
				return nil
			}
			v = node[i]
		default:
			return nil
		}
	}
	return v
}

// each follows a path into every element of a list.
func each(list []any, path string) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
		if path != "" {
			out[i] = at(v, path)
		}
	}
	return out
}

// decodeResult reads a structured result without rounding its numbers.
func decodeResult(r tools.Result) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(r.Structured))
	dec.UseNumber()
	var out map[string]any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	return out, nil
}

// inOwnWords makes wrong usage of an argument that a tool refuses, and calls it
// what it is called on the command line.
func inOwnWords(err error) error {
	f := tools.Explain(err)
	if f.Code != tools.CodeInvalidArgument {
		return err
	}
	words := map[string]string{
		"from": "--from", "limit": "--limit", "type": "--type", "position_view": "--view",
		"interval": "--interval", "from_date": "--since", "to_date": "--until", "continuous": "--continuous",
		"filter_on": "--on", "query": "QUERY", "expiry": "--expiry", "exchange": "NAME", "underlying": "NAME",
		"order_id": "ORDER_ID", "trigger_id": "TRIGGER_ID", "instrument_token": "TOKEN", "id": "EXCHANGE:SYMBOL", "instruments": "EXCHANGE:SYMBOL",
	}
	lines := strings.Split(f.Message, "\n")
	for i, line := range lines {
		name, wrong, ok := strings.Cut(line, ": ")
		if word := words[name]; ok && word != "" {
			lines[i] = word + ": " + strings.ReplaceAll(wrong, "from_date", words["from_date"])
		}
	}
	return usage(strings.Join(lines, "\n"), f.Hint)
}

// dataCommand fills in what all data commands share.
func dataCommand(c *cobra.Command) *cobra.Command {
	c.GroupID = groupData
	if c.Args == nil {
		c.Args = arguments(0, 0, "")
	}
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = noCompletion
	}
	return formats(c, formatText, formatJSON, formatMD)
}
