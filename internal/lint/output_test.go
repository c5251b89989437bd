package lint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kite-mcp/kite-mcp/internal/golden"
	"github.com/kite-mcp/kite-mcp/internal/lint"
)

// sample is a tree whose report shows what reporters must cope with: wide
// characters, tabs, long lines, places at the end of a file, related places,
// text that would steer a terminal.
func sample(t *testing.T) lint.Report {
	t.Helper()
	fsys := fstest.MapFS{
		"a/SKILL.md": {Data: []byte("---\nname: a\ndescription: A.\nname: a\n---\n\n# A\n\nText before it.\n\n日本語 [link](gone.md) and\t[tab](gone.md)\n")},
		"a/long.md":  {Data: []byte("# Long\n\n" + strings.Repeat("word ", 40) + "[here](../a/lon.md) " + strings.Repeat("more ", 40) + "\n")},
		"a/evil.md":  {Data: []byte("# Evil\n\n\u202egnihtemos\u202c [x](\u202emd.x)\x1b]0;title\x07\n")},
		"a/end.md":   {Data: []byte("# End")},
	}
	rep, err := lint.Run(t.Context(), fsys, lint.Options{MinSeverity: lint.Info, PathPrefix: "skills/"})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestHumanReport(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]lint.HumanOptions{
		"pipe":     {},
		"terminal": {Excerpt: true},
		"narrow":   {Excerpt: true, Width: 40},
		"color":    {Excerpt: true, Color: true, Width: 100},
	} {
		var out bytes.Buffer
		if err := lint.WriteHuman(&out, sample(t), opts); err != nil {
			t.Fatal(err)
		}
		if !opts.Color && bytes.ContainsAny(out.Bytes(), "\x1b\a\u202e") {
			t.Errorf("%s holds control characters: %q", name, out.String())
		}
		golden.Equal(t, "testdata/report/"+name+".txt", out.Bytes())
	}
}

func TestHumanReportWithoutFindings(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := lint.WriteHuman(&out, lint.Report{Files: 1}, lint.HumanOptions{Excerpt: true}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "no findings in 1 file\n" {
		t.Errorf("report %q", got)
	}
}

func TestJSONReport(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tool := lint.Tool{Name: "kite-mcp", Version: "1.2.3"}
	if err := lint.WriteJSON(&out, sample(t), lint.JSONOptions{Tool: tool, Indent: true}); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/report/report.json", out.Bytes())
}

// Readers find the object, with findings as a list, also when nothing ran.
func TestJSONReportOfARunThatDidNotTakePlace(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := lint.WriteJSON(&out, lint.Report{}, lint.JSONOptions{Err: errors.New("no such path")}); err != nil {
		t.Fatal(err)
	}
	want := `{"schemaVersion":1,"tool":{"name":"","version":""},"profile":"","files":0,"skills":0,` +
		`"counts":{"error":0,"warning":0,"info":0,"suppressed":0,"baselined":0,"fixable":0},"findings":[],"error":"no such path"}` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

func TestRuleJSON(t *testing.T) {
	t.Parallel()
	rule, _ := lint.FindRule("KL140")
	got, err := json.Marshal(rule)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"KL140","slug":"unknown-key","severity":{"catalog":"error","skills":"warning","spec":"error"},"fixable":true,"doc":`
	if !strings.HasPrefix(string(got), want) {
		t.Errorf("got %s", got)
	}
}
