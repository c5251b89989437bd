package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// field is a column of a data command: where its value lies in a row.
type field struct {
	title string
	path  string // keys and list indexes joined by dots
	kind  fieldKind
}

type fieldKind int

const (
	plain   fieldKind = iota
	number            // as Kite sent it
	change            // with a sign
	percent           // with a sign and %, two decimals on a terminal
)

// dataTable makes a table of decoded rows. Numbers keep the digits they came
// with; a narrow terminal goes without the spare columns.
func (a *App) dataTable(fields []field, rows []any, spare ...string) *table {
	t := &table{spare: spare}
	for i, f := range fields {
		t.columns = append(t.columns, column{title: f.title, number: f.kind != plain, keep: i == 0})
	}
	for _, row := range rows {
		cells := make([]string, len(fields))
		for i, f := range fields {
			cells[i] = a.cell(f, at(row, f.path))
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
		return v
	case json.Number:
		text = v.String()
	case bool:
		return strconv.FormatBool(v)
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

// signed puts a plus before what is above zero: meaning is not left to colour.
func signed(number string) string {
	if n, ok := new(big.Rat).SetString(number); ok && n.Sign() > 0 {
		return "+" + number
	}
	return number
}

// at follows a path into decoded JSON; nil when it ends early.
func at(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[step]
		case []any:
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

// listing is a data command that shows the rows of one tool call.
type listing struct {
	app    *App
	tool   string
	args   map[string]any
	fields []field
	rows   func(result map[string]any) []any // nil takes "data"
	empty  string                            // note when there is no row
	spare  []string                          // columns that a narrow terminal goes without
}

// show calls the tool and prints its result: unchanged as JSON, else as a table.
func (l *listing) show(ctx context.Context) error {
	app := l.app
	result, err := app.call(ctx, l.tool, l.args)
	if err != nil {
		return err
	}
	if app.json() {
		if err := app.printJSON(result.Structured); err != nil {
			return err
		}
		return app.demoFooter(true)
	}
	decoded, err := decodeResult(result)
	if err != nil {
		return err
	}
	rows, _ := decoded["data"].([]any)
	if l.rows != nil {
		rows = l.rows(decoded)
	}
	if err := app.printTable(ctx, app.dataTable(l.fields, rows, l.spare...)); err != nil {
		return err
	}
	if len(rows) == 0 && l.empty != "" {
		app.note("%s", l.empty)
	}
	if next := at(decoded, "pagination.next_from"); next != nil {
		app.note("%v of %v rows; the next ones: --from %v", at(decoded, "pagination.returned"), at(decoded, "pagination.total"), next)
	}
	return app.demoFooter(true)
}

// pageFlags are --from and --limit of a data command.
type pageFlags struct{ from, limit int }

func (p *pageFlags) register(f *pflag.FlagSet) {
	f.IntVar(&p.from, "from", 0, "first row, counted from 0")
	f.IntVar(&p.limit, "limit", 0, "most rows shown, 1 to 500 (0 for the tool's own)")
}

// into adds the flags that were given; the tool checks their range.
func (p *pageFlags) into(args map[string]any) map[string]any {
	if p.from != 0 {
		args["from"] = p.from
	}
	if p.limit != 0 {
		args["limit"] = p.limit
	}
	return args
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
