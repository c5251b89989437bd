package tui_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/tui"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Library = altered{
			Library: opts.Library,
			bodies:  map[string]string{"/orders/prepare": "another text"},
			errs:    map[string]error{"/troubleshooting/execution": errors.New("gone")},
			found: []tui.Finding{
				{URI: "skill://orders/prepare.md", Verdict: tui.VerdictChanged, Detail: "other\x1b[31m bytes"},
				{URI: "skill://troubleshooting/execution.md", Verdict: tui.VerdictMissing, Detail: "gone"},
			},
		}
		d := drive(t, opts, 140, 40)
		d.keys("2")
		d.lacks("CHANGED")
		d.keys("v")
		d.wants("1 of 3 files of orders do NOT match their manifest", "CHANGED prepare.md", "ok      SKILL.md", "3 files CHANGED", "prepare.md: other bytes")
		d.keys("down", "v")
		d.wants("1 of 2 files of troubleshooting do NOT match")
		d.keys("V")
		d.wants("2 of 5 files in 2 skills do NOT match", "2 files MISSING")
	})
}

// TestSkillsStillLoading: a key that comes before the skills is not lost without
// a word.
func TestSkillsStillLoading(t *testing.T) {
	t.Parallel()
	d := &driver{tb: t, model: tui.New(t.Context(), options(t)), hold: true}
	d.run(d.model.Init())
	d.resize(100, 30)
	d.keys("2", "V")
	d.wants("the skills are still loading")
}

func TestSkillTabsAndCopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 100, 30)
		d.keys("2", "right")
		d.wants("[Frontmatter]", "name: orders")
		d.keys("right", "right")
		d.wants("[Text]", "# Orders")
		d.keys("left", "left", "left", "tab", "down")
		d.effects = nil
		d.keys("y")
		want := catalog.DigestBytes(files()["orders/prepare.md"].Data)
		if len(d.effects) != 1 || !strings.HasSuffix(d.effects[0], want) {
			t.Errorf("copied %q, want %s", d.effects, want)
		}
		d.effects = nil
		d.keys("tab", "Y")
		var skill struct {
			URI       string                  `json:"uri"`
			Resources []catalog.ManifestEntry `json:"resources"`
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(d.effects[0], "tea.setClipboardMsg ")), &skill); err != nil {
			t.Fatal(err)
		}
		if skill.URI != "skill://orders/SKILL.md" || len(skill.Resources) != 3 {
			t.Errorf("got %+v", skill)
		}
	})
}

func TestSkillOpensPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		d.keys("2", "down", "enter")
		if d.page() != "/troubleshooting" {
			t.Errorf("on %s", d.page())
		}
		d.keys("2", "tab", "down", "enter")
		if d.page() != "/troubleshooting/execution" {
			t.Errorf("on %s", d.page())
		}
		d.wants("back: Skills")
		d.keys("[")
		d.wants("[2 Skills]", "* troubleshooting")
		d.keys("1")
		if d.page() != "/troubleshooting" {
			t.Errorf("under Skills is %s", d.page())
		}
		d.keys("[")
		d.wants("[2 Skills]")
		d.keys("1", "]", "]")
		if d.page() != "/troubleshooting/execution" {
			t.Errorf("forward to %s", d.page())
		}
	})
}

func TestSkillMouse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, options(t), 80, 24)
		click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
		d.keys("2")
		click(4, 3)
		d.wants("* troubleshooting")
		click(60, 4) // execution.md
		click(60, 4)
		if d.page() != "/troubleshooting/execution" {
			t.Errorf("on %s", d.page())
		}
		d.keys("2")
		click(70, 1)
		d.wants("[Frontmatter]")
		click(40, 10)
		d.send(tea.MouseWheelMsg{X: 60, Y: 5, Button: tea.MouseWheelDown})
		d.send(tea.MouseWheelMsg{X: 4, Y: 5, Button: tea.MouseWheelUp})
		d.wants("* orders")
	})
}

// served is a library as a server's may be: it refuses, and has a skill without
// digests.
type served struct {
	altered
	skills  []*tui.Skill
	treeErr error
	listErr error
	vErr    error
}

func (l served) Tree(ctx context.Context) ([]tui.Node, error) {
	if l.treeErr != nil {
		return nil, l.treeErr
	}
	return l.Library.Tree(ctx)
}

func (l served) Skills(context.Context) ([]*tui.Skill, error) { return l.skills, l.listErr }

func (l served) Verify(context.Context, []*tui.Skill) ([]tui.Finding, error) {
	return []tui.Finding{{URI: "skill://daily/SKILL.md", Verdict: tui.VerdictFault, Detail: "the entry's frontmatter differs"}}, l.vErr
}

func daily() *tui.Skill {
	const raw = `{"uri":"skill://daily/SKILL.md","resources":"dynamic","frontmatter":{"name":"daily"}}`
	return &tui.Skill{
		Skill:   &catalog.Skill{URI: "skill://daily/SKILL.md", Name: "daily", Description: "Fresh\x1b[31m every day."},
		Dynamic: true, Entry: json.RawMessage(raw),
	}
}

// TestServedSkills: the top line says whose text it is; a skill without digests
// is no verified one; what a server sends steers no terminal.
func TestServedSkills(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Source, opts.Warning, opts.Notice, opts.Demo = "other\x1b[2J 1.2.3, MCP 2026-07-28", "remote: treat text as untrusted", "2 faults", false
		opts.Library = served{altered: altered{Library: opts.Library}, skills: []*tui.Skill{daily()}}
		d := drive(t, opts, 140, 40)
		d.wants("other 1.2.3, MCP 2026-07-28  remote: treat text as untrusted", "2 faults")
		d.keys("2")
		d.wants("0 files dynamic", "publishes no digests", "Fresh every day.")
		if strings.Contains(d.content(), "\x1b[31m every") || strings.Contains(d.content(), "\x1b[2J") {
			t.Error("a server's escape reaches the terminal")
		}
		d.effects = nil
		d.keys("Y")
		if len(d.effects) != 1 || !strings.Contains(d.effects[0], `"resources": "dynamic"`) {
			t.Errorf("copied %q", d.effects)
		}
		d.keys("v")
		d.wants("0 files FAULT", "SKILL.md: the entry's frontmatter differs")
		d.resize(80, 24)
		d.wants("other 1.2.3, MCP 2026-07-28  untrusted")
	})
}

// TestServerFails: what cannot be loaded says so and stays readable.
func TestServerFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		lost := errors.New("connection closed by \x1b]0;x\x07it")
		opts.Library = served{altered: altered{Library: opts.Library}, treeErr: lost, listErr: lost}
		d := drive(t, opts, 80, 24)
		d.wants("load the tree: connection closed by it")
		d.keys("2", "enter", "v", "Y", "down")
		d.wants("not loaded", "load the skills: connection closed by it")

		opts = options(t)
		opts.Library = served{
			altered: altered{Library: opts.Library, errs: map[string]error{"/": errors.New("its digest is another")}},
			skills:  []*tui.Skill{daily()}, vErr: lost,
		}
		d = drive(t, opts, 80, 24)
		d.keys("2", "v")
		d.wants("verify: connection closed by it")
		d.keys("right", "right")
		d.wants("its digest is another")
	})
}

// TestVerdictsOfTheCatalog: the embedded pages are as their manifests say, until
// a manifest is not.
func TestVerdictsOfTheCatalog(t *testing.T) {
	t.Parallel()
	lib := library(t)
	skills, err := lib.Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	bent := *skills[0].Skill
	bent.Resources = append(catalog.Manifest{{URI: "skill://orders/nope.md"}}, bent.Resources...)
	bent.Resources[1].Size++
	found, err := lib.Verify(t.Context(), []*tui.Skill{{Skill: &bent}, skills[1]})
	if err != nil {
		t.Fatal(err)
	}
	var got []tui.Verdict
	for _, f := range found {
		got = append(got, f.Verdict)
	}
	want := []tui.Verdict{tui.VerdictMissing, tui.VerdictChanged, tui.VerdictOK, tui.VerdictOK, tui.VerdictOK, tui.VerdictOK}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}
