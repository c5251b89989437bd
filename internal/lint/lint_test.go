package lint_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/lint"
)

// withoutFixture are the rules that no file of an archive can break.
var withoutFixture = []string{"KL904"}

// twoGrades are the rules that give milder cases a lower severity.
var twoGrades = []string{"KL006", "KL206", "KL208", "KL302"}

func TestRuleFixtures(t *testing.T) {
	t.Parallel()
	for _, f := range loadFixtures(t) {
		t.Run(f.rule, func(t *testing.T) {
			t.Parallel()
			for _, name := range f.names() {
				rep, got := report(t, f.cases[name], profileOf(name))
				if diff := cmp.Diff(f.want(t, name, got), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
				broken := slices.ContainsFunc(rep.Findings, func(x lint.Finding) bool { return x.Rule == f.rule })
				if strings.HasPrefix(name, "bad") != broken {
					t.Errorf("%s: %s found: %t", name, f.rule, broken)
				}
				if strings.HasPrefix(name, "good") && len(rep.Findings) > 0 {
					t.Errorf("%s has findings:\n%s", name, got)
				}
			}
		})
	}
}

func TestEveryRuleHasGoodAndBadFixtures(t *testing.T) {
	t.Parallel()
	cases := map[string]string{}
	for _, f := range loadFixtures(t) {
		cases[f.rule] = strings.Join(f.names(), " ")
	}
	for _, r := range lint.Rules() {
		if slices.Contains(withoutFixture, r.ID) {
			continue
		}
		if !strings.Contains(cases[r.ID], "bad") || !strings.Contains(cases[r.ID], "good") {
			t.Errorf("testdata/%s.txtar (%s) needs a good and a bad case, has %q", r.ID, r.Slug, cases[r.ID])
		}
		delete(cases, r.ID)
	}
	if len(cases) > 0 {
		t.Errorf("fixtures for unknown rules: %v", cases)
	}
}

func TestLoaderAndLinterAgree(t *testing.T) {
	t.Parallel()
	for _, f := range loadFixtures(t) {
		for _, name := range f.names() {
			if profileOf(name) != lint.Catalog {
				continue
			}
			rep, text := report(t, f.cases[name], lint.Catalog)
			refused := slices.ContainsFunc(rep.Findings, func(x lint.Finding) bool {
				return x.Severity == lint.Error && !strings.HasPrefix(x.Rule, "KL3")
			})
			_, err := catalog.Load(f.cases[name])
			if (err != nil) != refused {
				t.Errorf("%s %s: Load says %v, lint says\n%s", f.rule, name, err, text)
			}
		}
	}
}

func TestSeveritiesComeFromOneTable(t *testing.T) {
	t.Parallel()
	table := map[string]lint.Rule{}
	for _, r := range lint.Rules() {
		table[r.ID] = r
	}
	for _, f := range loadFixtures(t) {
		for _, name := range f.names() {
			rep, _ := report(t, f.cases[name], profileOf(name))
			for _, x := range rep.Findings {
				want := table[x.Rule].In(profileOf(name))
				if x.Severity != want && !slices.Contains(twoGrades, x.Rule) || x.Severity > want {
					t.Errorf("%s %s: %s is %s, the table says %s", f.rule, name, x.Rule, x.Severity, want)
				}
			}
		}
	}
}

func TestLineEndingsDoNotMovePlaces(t *testing.T) {
	t.Parallel()
	// Fields that hold bytes differ, and so may a range that covers line endings.
	ignore := cmp.Options{
		cmpopts.IgnoreFields(lint.Position{}, "Offset"),
		cmpopts.IgnoreUnexported(lint.Finding{}),
		cmpopts.IgnoreSliceElements(func(x lint.Finding) bool { return slices.Contains([]string{"KL006", "KL008"}, x.Rule) }),
	}
	for _, f := range loadFixtures(t) {
		for _, name := range f.names() {
			lf, crlf := fstest.MapFS{}, fstest.MapFS{}
			for p, file := range f.cases[name] {
				lf[p] = file
				if file.Mode.IsRegular() && !strings.Contains(string(file.Data), "\r") && len(file.Data) < 4<<10 {
					file = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(file.Data), "\n", "\r\n")), Mode: file.Mode}
				}
				crlf[p] = file
			}
			a, _ := report(t, lf, profileOf(name))
			b, _ := report(t, crlf, profileOf(name))
			if diff := cmp.Diff(a.Findings, b.Findings, ignore); diff != "" {
				t.Errorf("%s %s (-LF +CRLF):\n%s", f.rule, name, diff)
			}
		}
	}
}
