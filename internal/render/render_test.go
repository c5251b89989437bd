package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

func layout(t *testing.T, markdown string, opts render.Options) *render.Document {
	t.Helper()
	if opts.Width == 0 {
		opts.Width = 60
	}
	doc, err := render.Layout(markdown, opts)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func plain(d *render.Document) string {
	var lines []string
	for _, l := range d.Lines {
		lines = append(lines, l.Plain)
	}
	return strings.Join(lines, "\n")
}

func TestLayout(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"paragraph is refilled":         {"one\ntwo\nthree\n\nfour", "one two three\n\nfour"},
		"hard breaks stay":              {"one  \ntwo\\\nthree", "one\ntwo\nthree"},
		"tight list hangs":              {"- one two three four five six seven eight nine ten eleven twelve\n- b", "• one two three four five six seven eight nine ten eleven\n  twelve\n• b"},
		"loose list keeps its parts":    {"1. a\n\n   ```text\n   x\n   ```\n\n   c\n2. d", "1. a\n\n     x\n\n   c\n\n2. d"},
		"numbers line up":               {"9. a\n10. b", " 9. a\n10. b"},
		"nested list":                   {"- a\n  - b\n    1. c", "• a\n  • b\n    1. c"},
		"tasks":                         {"- [x] done\n- [ ] open", "[x] done\n[ ] open"},
		"quote":                         {"> a\n>\n> b", "│ a\n│\n│ b"},
		"code is not refilled":          {"```\na  b\n\tc\n```", "  a  b\n      c"},
		"escapes resolve once":          {`\*a\* \\ &amp;amp; &lt;b&gt;`, `*a* \ &amp; <b>`},
		"code spans are literal":        {"`a\\*b` `&amp;`", `a\*b &amp;`},
		"code spans in cells":           {"| a |\n|---|\n| `x\\_y` |", " a\n──────\n x\\_y"},
		"placeholders are not markup":   {"call <order_id> now<br>please", "call <order_id> now please"},
		"comments are hidden":           {"a <!-- b --> c\n\n<!-- d -->\n\ne", "a  c\n\ne"},
		"markup is shown as source":     {"<div>\n<b>x</b>\n</div>", "  <div>\n  <b>x</b>\n  </div>"},
		"image":                         {"![a chart](x.png)", "[image: a chart]"},
		"link shows its own target":     {"see [prepare](prepare.md)", "see prepare (prepare.md)"},
		"link that is its target":       {"<https://kite.trade>", "https://kite.trade"},
		"reference definition vanishes": {"[a]\n\n[a]: b.md", "a (b.md)"},
		"keys do not break at hyphens":  {strings.Repeat("x", 50) + " `/market-data/resolve`", strings.Repeat("x", 50) + "\n/market-data/resolve"},
		"wide table wraps its cells":    {"| a | b |\n|---|---|\n| x | one two three four five six seven eight nine ten eleven twelve |", " a │ b\n───┼" + strings.Repeat("─", 56) + "\n x │ one two three four five six seven eight nine ten\n   │ eleven twelve"},
		"escape by entity":              {"a &#27;[31m b", "a [31m b"},
		"direction by entity":           {"a &#8238;b", "a b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, plain(layout(t, tt.in, render.Options{}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASCII(t *testing.T) {
	t.Parallel()
	doc := layout(t, "- a\n\n> b\n\n---\n\n| c |\n|---|\n| d |", render.Options{Width: 10, ASCII: true})
	if diff := cmp.Diff("- a\n\n| b\n\n----------\n\n c\n---\n d", plain(doc)); diff != "" {
		t.Error(diff)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	in := "# Go [up](../index.md)\n\nThen **[`a-b`](x.md \"t\")**, [](y.md) and\n\n| k |\n|---|\n| [cell](z.md#h) |"
	doc := layout(t, in, render.Options{Link: func(l render.Link) render.Mark {
		return render.Mark{Before: fmt.Sprintf("[%d] ", l.Index)}
	}})
	want := []render.Link{
		{Index: 1, Label: "up", Dest: "../index.md", Spans: []render.Span{{Line: 0, Start: 3, End: 9}}},
		{Index: 2, Label: "a-b", Dest: "x.md", Spans: []render.Span{{Line: 2, Start: 5, End: 12}}},
		{Index: 3, Label: "", Dest: "y.md", Spans: []render.Span{{Line: 2, Start: 14, End: 22}}},
		{Index: 4, Label: "cell", Dest: "z.md#h", Spans: []render.Span{{Line: 6, Start: 1, End: 9}}},
	}
	if diff := cmp.Diff(want, doc.Links); diff != "" {
		t.Error(diff)
	}
	for _, l := range doc.Links {
		for _, s := range l.Spans {
			got := ansi.Cut(doc.Lines[s.Line].Plain, s.Start, s.End)
			if want := fmt.Sprintf("[%d] ", l.Index); !strings.HasPrefix(got, want) {
				t.Errorf("span of link %d shows %q", l.Index, got)
			}
		}
	}
}

func TestCodeLinks(t *testing.T) {
	t.Parallel()
	doc := layout(t, "- `/a-b`: x `c` [`/a-b`](y.md)", render.Options{
		Link:     func(l render.Link) render.Mark { return render.Mark{Before: fmt.Sprintf("[%d] ", l.Index)} },
		CodeLink: func(code string) bool { return code == "/a-b" },
	})
	if diff := cmp.Diff("• [1] /a-b: x c [2] /a-b", plain(doc)); diff != "" {
		t.Error(diff)
	}
	if doc.Links[0].Dest != "/a-b" || doc.Links[1].Dest != "y.md" {
		t.Errorf("got %+v", doc.Links)
	}
}

func TestLinkWrapsOverLines(t *testing.T) {
	t.Parallel()
	doc := layout(t, "[one two three four](x.md)", render.Options{Width: 10, Link: func(render.Link) render.Mark { return render.Mark{} }})
	want := []render.Span{{Line: 0, Start: 0, End: 7}, {Line: 1, Start: 0, End: 10}}
	if diff := cmp.Diff(want, doc.Links[0].Spans); diff != "" {
		t.Error(diff, plain(doc))
	}
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	doc := layout(t, "# One `x`\n\ntext\n\nTwo\n---\n\n> ### Three\n\n#", render.Options{})
	want := []render.Heading{{Level: 1, Text: "One x", Line: 0}, {Level: 2, Text: "Two", Line: 4}, {Level: 3, Text: "Three", Line: 6}, {Level: 1, Line: 8}}
	if diff := cmp.Diff(want, doc.Headings); diff != "" {
		t.Error(diff)
	}
}

func TestNoWrap(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("abc, ", 30)
	wrapped := layout(t, "```\n"+code+"\n```", render.Options{Width: 40})
	if len(wrapped.Lines) < 4 {
		t.Errorf("got %d lines", len(wrapped.Lines))
	}
	if got := layout(t, "```\n"+code+"\n```", render.Options{Width: 40, NoWrap: true}); len(got.Lines) != 1 {
		t.Errorf("got %d lines", len(got.Lines))
	}
	cell := strings.TrimSpace(strings.Repeat("word ", 30))
	if got := layout(t, "|a|\n|-|\n|"+cell+"|\n\n"+cell, render.Options{Width: 40, NoWrap: true}); len(got.Lines) < 6 || got.Lines[2].Plain != " "+cell {
		t.Errorf("got %q", plain(got))
	}
}

func TestTableAlignment(t *testing.T) {
	t.Parallel()
	doc := layout(t, "| left | mid | right |\n|:---|:---:|---:|\n| a | b | 1 |\n|  | [x](y.md) |", render.Options{Width: 60})
	want := " left │   mid    │ right\n──────┼──────────┼───────\n a    │    b     │     1\n      │ x (y.md) │"
	if diff := cmp.Diff(want, plain(doc)); diff != "" {
		t.Error(diff)
	}
}

func TestTableKeepsWordsWhole(t *testing.T) {
	t.Parallel()
	doc := layout(t, "| Status | still working | gone |\n|---|---|---|\n| in flight | `quantity` - `filled_quantity` | zero or nothing at all |", render.Options{Width: 40})
	if got := plain(doc); !strings.Contains(got, "filled_quantity") {
		t.Error(got)
	}
}

func TestNarrowTableBecomesRecords(t *testing.T) {
	t.Parallel()
	doc := layout(t, "| Field | Values | Note |\n|---|---|---|\n| product | CNC or MIS | x |\n| variety | regular | y |", render.Options{Width: 20})
	if diff := cmp.Diff("Field: product\nValues: CNC or MIS\nNote: x\n\nField: variety\nValues: regular\nNote: y", plain(doc)); diff != "" {
		t.Error(diff)
	}
}

// TestSlowPages holds pages that are slow in goldmark or glamour by themselves;
// the limit is far above what they take here and far below what they took.
func TestSlowPages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ page, note string }{
		"wide header, short rows":  {strings.Repeat("|a", 20_000) + "\n" + strings.Repeat("|-", 20_000) + "\n" + strings.Repeat("|\n", 5_000), "a table is too large, tables are shown as source"},
		"as many cells as allowed": {"|a|b|c|d|\n|-|-|-|-|\n" + strings.Repeat("|1|2|3|4|\n", 8_000), ""},
		"deep quotes":              {strings.Repeat("> ", 20_000) + "a", "nested too deeply, shown as source"},
		"quotes that are parsed":   {strings.Repeat("> ", 150) + "a", "nested too deeply, partly shown as source"},
		"deep lists":               {strings.Repeat("- ", 5_000) + "a", "nested too deeply, shown as source"},
		"deep emphasis":            {strings.Repeat("*a ", 900) + "b" + strings.Repeat("*", 900), "nested too deeply, partly shown as source"},
		"unclosed emphasis":        {strings.Repeat("*a_", 80_000), "too much markup in one paragraph, shown as source"},
		"unclosed links":           {strings.Repeat("[a](", 60_000), "too much markup in one paragraph, shown as source"},
		"too long":                 {strings.Repeat("word ", render.MaxBytes/4), "page over 256 KiB, shown as source"},
		"one long paragraph":       {strings.Repeat("word ", 20_000), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan *render.Document, 1)
			go func() {
				doc, _ := render.Layout(tt.page, render.Options{Width: 80})
				done <- doc
			}()
			select {
			case doc := <-done:
				if doc.Note != tt.note || len(doc.Lines) == 0 {
					t.Errorf("note %q, %d lines", doc.Note, len(doc.Lines))
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("too slow")
			}
		})
	}
}

func TestPageHasNoHyperlinks(t *testing.T) {
	t.Parallel()
	doc, err := render.Layout("# [a](b.md)\n\n<https://x.example> `c`", render.Options{Width: 40, Style: render.None})
	if err != nil {
		t.Fatal(err)
	}
	got := doc.String()
	if strings.Contains(got, "\x1b]") {
		t.Errorf("got %q", got)
	}
	if diff := cmp.Diff("a (b.md)\n\nhttps://x.example c\n", ansi.Strip(got)); diff != "" {
		t.Error(diff)
	}
}

func FuzzLayout(f *testing.F) {
	for _, s := range []string{"# a\n\n- b\n  1. c\n\n> d\n", "| a | b |\n|---|:-:|\n| `c` | [d](e) |", "**a _b_** ~~c [d](e)~~", "[x]: y\n[x] ![i](j) <http://k>", "- [ ] t\n- [x] *u*", "```json\n{\n```", "&#27;]8;;x\a", "\u4f60\u597d \U0001f1ee\U0001f1f3 \u20b9", "Term\n: def\n\n[^1]\n\n[^1]: n", "<div>\n\n\ta"} {
		f.Add(s, 40, false)
	}
	f.Fuzz(func(t *testing.T, markdown string, width int, noWrap bool) {
		width %= 301
		doc, err := render.Layout(markdown, render.Options{Width: width, NoWrap: noWrap, Link: func(l render.Link) render.Mark {
			return render.Mark{Before: fmt.Sprintf("[%d] ", l.Index)}
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range doc.Lines {
			if w := ansi.StringWidth(l.Text); w > max(width, 1) && !noWrap {
				t.Errorf("line %d is %d columns wide, over %d: %q", i, w, width, l.Text)
			}
			if bare := ansi.Strip(l.Text); bare != l.Plain || render.Clean(bare) != bare || strings.ContainsAny(bare, "\n\t") {
				t.Errorf("line %d is unsafe: %q", i, l.Text)
			}
		}
		for _, l := range doc.Links {
			for _, s := range l.Spans {
				if s.Line >= len(doc.Lines) || s.Start >= s.End {
					t.Errorf("link %d has a bad span %+v", l.Index, s)
				}
			}
		}
	})
}

// Budgets: 4 ms and 25 ms on two busy cores; a browser renders off its event
// loop, and the command prints one page.
func BenchmarkRender(b *testing.B) {
	recipe := "# Title\n\nSome `code` and [a link](x.md) in a paragraph of words.\n\n" +
		"1. First read the book:\n\n   ```text\n   orders({\"mode\":\"list\",\"from\":0,\"limit\":100})\n   ```\n\n" +
		"2. Then **compare** it.\n\n| a | b |\n|---|---|\n| one | two |\n| three | four |\n\n- x\n- y\n"
	for name, page := range map[string]string{"short": recipe, "long": strings.Repeat(recipe, 10)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := render.Layout(page, render.Options{Width: 80}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
