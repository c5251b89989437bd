package tui_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Library = altered{
			Library: opts.Library,
			bodies:  map[string]string{"/orders/prepare": "another text"},
			errs:    map[string]error{"/troubleshooting/execution": errors.New("gone")},
		}
		d := drive(t, opts, 140, 40)
		d.keys("2")
		d.lacks("CHANGED")
		d.keys("v")
		d.wants("1 of 3 files of orders do NOT match their manifest", "CHANGED prepare.md", "ok      SKILL.md", "3 files CHANGED")
		d.keys("V")
		d.wants("2 of 5 files in 2 skills do NOT match", "2 files MISSING")
	})
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
		d.wants("back: /troubleshooting")
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
