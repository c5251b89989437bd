package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kite-mcp/kite-mcp/catalog"
)

func TestParseDocumentHeadings(t *testing.T) {
	t.Parallel()
	const body = "# Naïve été\n\ntext\n\nSecond *line*\n---\n\n  ## Use `a_b`, [then](x.md) stop! ##\n\n```\n# code\n```\n\n    # indented code\n\n<!-- # comment -->\n\n## Naïve Été\n\n> ### Naïve été-1\n"
	want := []catalog.Heading{
		{Level: 1, Text: "Naïve été", Slug: "naïve-été"},
		{Level: 2, Text: "Second line", Slug: "second-line"},
		{Level: 2, Text: "Use a_b, then stop!", Slug: "use-a_b-then-stop"},
		{Level: 2, Text: "Naïve Été", Slug: "naïve-été-1"},
		{Level: 3, Text: "Naïve été-1", Slug: "naïve-été-1-1"},
	}
	for _, text := range []string{body, crlf(body)} {
		d := catalog.ParseDocument([]byte(text))
		if diff := cmp.Diff(want, d.Headings, cmpopts.IgnoreFields(catalog.Heading{}, "Offset")); diff != "" {
			t.Errorf("headings (-want +got):\n%s", diff)
		}
		for i, start := range []string{"# Naïve", "Second", "  ## Use", "## Naïve Été", "> ###"} {
			if at := d.Headings[i].Offset; !strings.HasPrefix(text[at:], start) {
				t.Errorf("heading %d at %q, want %q", i, text[at:min(at+12, len(text))], start)
			}
		}
		if _, ok := d.Anchors["use-a_b-then-stop"]; !ok {
			t.Errorf("anchors %v lack a heading's slug", d.Anchors)
		}
	}
}

func TestParseDocumentLinks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body string
		want []catalog.Link
	}{
		"inline":              {"see [the *page*](a.md#x \"A (page)\") now", []catalog.Link{{Dest: "a.md#x", Text: "the page", Kind: catalog.LinkInline}}},
		"pointy":              {"[a](<my page.md>)", []catalog.Link{{Dest: "my page.md", Text: "a", Kind: catalog.LinkInline}}},
		"escapes":             {`[a](a\_b&amp;c.md)`, []catalog.Link{{Dest: "a_b&c.md", Text: "a", Kind: catalog.LinkInline}}},
		"backslash":           {`[a](dir\page.md)`, []catalog.Link{{Dest: `dir\page.md`, Text: "a", Kind: catalog.LinkInline}}},
		"empty":               {"[a]()", []catalog.Link{{Dest: "", Text: "a", Kind: catalog.LinkInline}}},
		"full reference":      {"[a][r]\n\n[r]: r.md\n", []catalog.Link{{Dest: "r.md", Text: "a", Kind: catalog.LinkReference}}},
		"shortcut reference":  {"[r]\n\n[r]: r.md\n", []catalog.Link{{Dest: "r.md", Text: "r", Kind: catalog.LinkReference}}},
		"unused definition":   {"[r]: r.md\n", nil},
		"image":               {"![alt](i.png)", []catalog.Link{{Dest: "i.png", Text: "alt", Kind: catalog.LinkImage}}},
		"image in a link":     {"[![alt](i.png)](a.md)", []catalog.Link{{Dest: "a.md", Text: "alt", Kind: catalog.LinkInline}, {Dest: "i.png", Text: "alt", Kind: catalog.LinkImage}}},
		"autolink":            {"<https://example.com/a>", []catalog.Link{{Dest: "https://example.com/a", Text: "https://example.com/a", Kind: catalog.LinkAuto}}},
		"mail":                {"<a@example.com>", []catalog.Link{{Dest: "mailto:a@example.com", Text: "a@example.com", Kind: catalog.LinkAuto}}},
		"inline HTML":         {"a <a class=x href='b.md'>b</a>", []catalog.Link{{Dest: "b.md", Kind: catalog.LinkHTML}}},
		"HTML block":          {"<p>\n<img alt=\"\" src=i.png>\n</p>", []catalog.Link{{Dest: "i.png", Kind: catalog.LinkHTML}}},
		"HTML in a quote":     {"> <p>\n> <a href=\"b.md\">\n", []catalog.Link{{Dest: "b.md", Kind: catalog.LinkHTML}}},
		"table cell":          {"| a | b |\n|---|---|\n| [x](x.md) | y |", []catalog.Link{{Dest: "x.md", Text: "x", Kind: catalog.LinkInline}}},
		"code span":           {"`[a](a.md)`", nil},
		"fence":               {"~~~\n[a](a.md)\n~~~", nil},
		"unclosed fence":      {"```\n[a](a.md)\n", nil},
		"indented code":       {"    [a](a.md)", nil},
		"comment block":       {"<!-- [a](a.md) <a href=\"a.md\"> -->", nil},
		"inline comment":      {"a <!-- <a href='x'> --> b", nil},
		"script":              {"<script>\nx = \"<a href='b.md'>\"\n</script>", nil},
		"escaped bracket":     {`\[a](a.md)`, nil},
		"undefined reference": {"[a][nowhere]", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, body := range []string{tt.body, crlf(tt.body)} {
				got := catalog.ParseDocument([]byte(body)).Links
				ignore := cmpopts.IgnoreFields(catalog.Link{}, "Start", "End", "DestStart", "DestEnd")
				if diff := cmp.Diff(tt.want, got, ignore); diff != "" {
					t.Errorf("links of %q (-want +got):\n%s", body, diff)
				}
			}
		})
	}
}

func TestParseDocumentLinkOffsets(t *testing.T) {
	t.Parallel()
	const body = "é [one](one.md \"](one.md\")\n> and ![two](<two.md>) then [three][3] <https://x.test> <a href=\"four.md\">\n\n[3]: three.md\n"
	type span struct{ Link, Dest string }
	want := []span{
		{`[one](one.md "](one.md")`, "one.md"},
		{"![two](<two.md>)", "two.md"},
		{"[three][3]", "[three][3]"},
		{"<https://x.test>", "https://x.test"},
		{"four.md", "four.md"},
	}
	var got []span
	for _, l := range catalog.ParseDocument([]byte(body)).Links {
		got = append(got, span{body[l.Start:l.End], body[l.DestStart:l.DestEnd]})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

func TestParseDocumentAnchors(t *testing.T) {
	t.Parallel()
	d := catalog.ParseDocument([]byte("<a id=\"first\"></a>\n\ntext <a name='second'></a>\n\n`<a id=\"code\">`\n\n<!-- <a id=\"comment\"> -->\n\n# Third\n"))
	want := map[string]int{"first": 7, "second": 34, "third": 92}
	if diff := cmp.Diff(want, d.Anchors); diff != "" {
		t.Errorf("anchors (-want +got):\n%s", diff)
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"When to stop":      "when-to-stop",
		"A & B":             "a--b",
		"Price: ₹100 (INR)": "price-100-inr",
		"snake_case-kept":   "snake_case-kept",
		"日本語 テスト":           "日本語-テスト",
		"…":                 "",
	} {
		if got := catalog.Slug(title); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func FuzzParseDocument(f *testing.F) {
	for _, seed := range []string{"", "# a\n# a\n", "[a](b)\r\n", "<a href=", "<!--", "> <p>\n> <a\n> href=\"x\ny\">", "![[[](<>)", "[a]: b\n[a][]\n", "\t<a id=x", "\x00\xff[\xfe](\xff)"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 4<<10 {
			return
		}
		d := catalog.ParseDocument(body)
		for _, l := range d.Links {
			if l.Start < 0 || l.Start > l.DestStart || l.DestStart > l.DestEnd || l.DestEnd > l.End || l.End > len(body) {
				t.Fatalf("offsets of %+v do not nest in %d bytes", l, len(body))
			}
		}
		slugs := map[string]bool{}
		for _, h := range d.Headings {
			if slugs[h.Slug] || h.Level < 1 || h.Level > 6 || h.Offset > len(body) {
				t.Fatalf("heading %+v of %q", h, body)
			}
			slugs[h.Slug] = true
		}
	})
}
