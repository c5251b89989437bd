package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// listing is a data command that shows the rows of one tool call.
type listing struct {
	app    *App
	tool   string
	args   map[string]any
	fields []field
	rows   func(result map[string]any) []any // nil takes "data"
	page   pageFlags
	whole  bool                               // the tool has no pages: --from and --limit cut the table
	empty  string                             // note when there is no row
	lost   string                             // where to find what was not found; "" takes the hint of the tool
	spare  []string                           // columns that a narrow terminal goes without, in this order
	check  func(result map[string]any) error  // nil, or refuses a result that answers nothing
	notes  func(result map[string]any) string // nil, or what a person should know besides

	unpriced string // why rows are without the current prices that were asked for
}

// reply is the result of one call, as it came and read.
type reply struct {
	result  tools.Result
	decoded map[string]any
	rows    []any
}

// most is the largest page of a tool.
const most = 500

// show calls the tool and prints its result: unchanged as JSON, else as a table.
func (l *listing) show(ctx context.Context) error {
	sort, err := l.page.sorting(l.fields)
	if err != nil {
		return err
	}
	if l.app.json() {
		return l.showJSON(ctx, sort)
	}
	if sort == nil && !l.whole {
		return l.showPage(ctx)
	}
	if l.page.from < 0 || l.page.limit < 0 || l.page.limit > most {
		return usage(fmt.Sprintf("--from %d or --limit %d is out of range", l.page.from, l.page.limit), "--limit is 1 to 500")
	}
	r, err := l.all(ctx)
	if err != nil {
		return err
	}
	if sort != nil {
		slices.SortStableFunc(r.rows, sort.compare)
	}
	total, from := len(r.rows), min(l.page.from, len(r.rows))
	limit := cmp.Or(l.page.limit, most)
	if l.whole {
		limit = cmp.Or(l.page.limit, total)
	}
	rows := r.rows[from:min(from+limit, total)]
	next := any(nil)
	if from+len(rows) < total && len(rows) > 0 {
		next = from + len(rows)
	}
	if err := l.print(ctx, rows, total, next); err != nil {
		return err
	}
	return l.finish(r)
}

// showJSON prints the tool's own result, which knows the tool's pages and order
// and no others.
func (l *listing) showJSON(ctx context.Context, sort *sorting) error {
	if sort != nil {
		return usage("--sort is for tables; -o json is the tool's result, unchanged", "leave out one of them")
	}
	if l.whole && (l.page.from != 0 || l.page.limit != 0) {
		return usage("--from and --limit are for tables here; -o json is the tool's result, unchanged", "leave them out")
	}
	r, err := l.call(ctx, l.paged(l.page.from, l.page.limit))
	if err != nil {
		return err
	}
	if err := l.app.printJSON(r.result.Structured); err != nil {
		return err
	}
	return l.finish(r)
}

// showPage prints one page of the tool.
func (l *listing) showPage(ctx context.Context) error {
	r, err := l.call(ctx, l.paged(l.page.from, l.page.limit))
	if err != nil {
		return err
	}
	if err := l.print(ctx, r.rows, at(r.decoded, "pagination.total"), at(r.decoded, "pagination.next_from")); err != nil {
		return err
	}
	return l.finish(r)
}

// all reads every page of the tool, since rows can be put in order only when all
// are there. The last reply holds all rows.
func (l *listing) all(ctx context.Context) (*reply, error) {
	var all []any
	for {
		args := l.args
		if !l.whole {
			args = l.paged(len(all), most)
		}
		r, err := l.call(ctx, args)
		if err != nil {
			return nil, err
		}
		all = append(all, r.rows...)
		if l.whole || at(r.decoded, "pagination.next_from") == nil || len(r.rows) == 0 {
			r.rows = all
			return r, nil
		}
	}
}

// paged is the arguments with the paging that was asked for; the tool checks it.
func (l *listing) paged(from, limit int) map[string]any {
	args := maps.Clone(l.args)
	if from != 0 {
		args["from"] = from
	}
	if limit != 0 {
		args["limit"] = limit
	}
	return args
}

func (l *listing) call(ctx context.Context, args map[string]any) (*reply, error) {
	result, err := l.app.call(ctx, l.tool, args)
	if err != nil {
		if f := tools.Explain(err); f.Code == tools.CodeNotFound && l.lost != "" {
			return nil, &problem{Code: string(f.Code), Message: f.Message, Hint: l.lost}
		}
		return nil, inOwnWords(err)
	}
	r := &reply{result: result}
	if r.decoded, err = decodeResult(result); err != nil {
		return nil, err
	}
	if why, ok := at(r.decoded, "meta.live_quote_error.message").(string); ok && l.unpriced == "" {
		hint, _ := at(r.decoded, "meta.live_quote_error.hint").(string)
		l.unpriced = (&problem{Message: why, Hint: hint}).Error()
	}
	if l.check != nil {
		if err := l.check(r.decoded); err != nil {
			return nil, err
		}
	}
	r.rows, _ = r.decoded["data"].([]any)
	if l.rows != nil {
		r.rows = l.rows(r.decoded)
	}
	return r, nil
}

func (l *listing) print(ctx context.Context, rows []any, total, next any) error {
	app := l.app
	if err := app.printTable(ctx, app.dataTable(l.fields, rows, l.spare...)); err != nil {
		return err
	}
	switch {
	case len(rows) > 0:
	case l.page.from > 0 && total != nil && fmt.Sprint(total) != "0":
		app.note("there are only %v rows, counted from 0", total)
	case l.empty != "":
		app.note("%s", l.empty)
	}
	if next != nil {
		app.note("%d of %v rows; the next ones: --from %v", len(rows), total, next)
	}
	return nil
}

// finish says what belongs below a result.
func (l *listing) finish(r *reply) error {
	if l.unpriced != "" {
		l.app.note("no current prices: %s", l.unpriced)
	}
	if l.notes != nil {
		if text := l.notes(r.decoded); text != "" {
			l.app.note("%s", text)
		}
	}
	return l.app.demoFooter(true)
}

// pageFlags are --from, --limit and --sort of a data command.
type pageFlags struct {
	from, limit int
	sort        string
}

// register adds the flags; the fields are what --sort offers.
func (p *pageFlags) register(c *cobra.Command, fields []field) {
	f := c.Flags()
	f.IntVar(&p.from, "from", 0, "first row, counted from 0")
	f.IntVar(&p.limit, "limit", 0, "most rows shown, 1 to 500 (0 for the tool's own)")
	f.StringVar(&p.sort, "sort", "", "`COLUMN` to sort all rows by; -COLUMN for the largest first")
	_ = c.RegisterFlagCompletionFunc("sort", words(sortKeys(fields)...))
}

func sortKeys(fields []field) []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key()
	}
	return keys
}

// sorting is an order of rows by one column.
type sorting struct {
	field      field
	descending bool
}

// sorting reads --sort; nil without it.
func (p *pageFlags) sorting(fields []field) (*sorting, error) {
	if p.sort == "" {
		return nil, nil //nolint:nilnil // no order is asked for, which is no error
	}
	word, descending := strings.CutPrefix(p.sort, "-")
	i := slices.IndexFunc(fields, func(f field) bool { return strings.EqualFold(word, f.title) || strings.EqualFold(word, f.key()) })
	if i < 0 {
		keys := sortKeys(fields)
		return nil, usage("--sort "+quoted(p.sort)+" is not a column", "the columns are "+strings.Join(keys, ", ")).guess(word, keys)
	}
	return &sorting{fields[i], descending}, nil
}

// compare puts numbers before texts and rows without a value last in either
// direction.
func (s *sorting) compare(a, b any) int {
	va, vb := leading(s.field.value(a)), leading(s.field.value(b))
	switch {
	case va == nil || vb == nil:
		return cmp.Compare(boolRank(va == nil), boolRank(vb == nil))
	case s.descending:
		va, vb = vb, va
	}
	na, oka := numeric(va)
	nb, okb := numeric(vb)
	switch {
	case oka && okb:
		return na.Cmp(nb)
	case oka != okb:
		return cmp.Compare(boolRank(!oka), boolRank(!okb))
	default:
		return strings.Compare(fmt.Sprint(va), fmt.Sprint(vb))
	}
}

// leading is what stands for a value in comparisons: of a list the first, and
// nothing for an empty text.
func leading(v any) any {
	if list, ok := v.([]any); ok {
		if len(list) == 0 {
			return nil
		}
		v = list[0]
	}
	if v == "" {
		return nil
	}
	return v
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

func numeric(v any) (*big.Rat, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(n.String())
}
