package tui_test

import (
	"fmt"
	"image/color"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/internal/golden"
	"github.com/kite-mcp/kite-mcp/tui"
)

func TestScreens(t *testing.T) {
	t.Parallel()
	states := []struct {
		name string
		keys []string
	}{
		{"help", nil},
		{"link", []string{"tab"}},
		{"find", []string{"/", "text:fill", "enter", "n"}},
		{"follow", []string{"f"}},
		{"outline", []string{"o"}},
		{"search", []string{"s", "text:fill"}},
		{"keys", []string{"?"}},
		{"commands", []string{":", "text:link"}},
		{"external", []string{"f", "4"}},
		{"skills", []string{"2", "V", "tab", "down"}},
		{"skills-frontmatter", []string{"2", "right"}},
		{"skills-text", []string{"2", "right", "right"}},
	}
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		for _, state := range states {
			name := fmt.Sprintf("%s-%dx%d", state.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					d := drive(t, options(t), size[0], size[1])
					d.keys(state.keys...)
					golden.Equal(t, filepath.Join("testdata", "screens", name+".txt"), []byte(d.screen()))
				})
			})
		}
	}
}

func TestNarrowScreens(t *testing.T) {
	t.Parallel()
	for _, state := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"page-60x16", 60, 16, nil},
		{"drawer-60x16", 60, 16, []string{"t"}},
		{"page-40x10", 40, 10, nil},
		{"skills-40x10", 40, 10, []string{"2"}},
	} {
		t.Run(state.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := drive(t, options(t), state.w, state.h)
				d.keys(state.keys...)
				golden.Equal(t, filepath.Join("testdata", "screens", state.name+".txt"), []byte(d.screen()))
			})
		})
	}
}

func TestThemes(t *testing.T) {
	t.Parallel()
	for _, name := range tui.ThemeNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts := options(t)
				opts.ASCII = name == "none"
				opts.Theme, _ = tui.ParseTheme(name)
				d := drive(t, opts, 80, 24)
				d.keys("/", "text:fill", "enter", "tab")
				golden.Equal(t, filepath.Join("testdata", "themes", name+".txt"), []byte(d.content()))
			})
		})
	}
}

func TestAutoThemeFollowsTheTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Theme = tui.ThemeLight
		light := drive(t, opts, 80, 24).content()
		opts.Theme = tui.ThemeAuto
		d := drive(t, opts, 80, 24)
		if d.content() == light {
			t.Error("auto starts light")
		}
		d.send(tea.BackgroundColorMsg{Color: color.White})
		if d.content() != light {
			t.Error("auto is not the light theme on a white terminal")
		}
	})
}

// TestNoneThemeHasNoColour allows bold, underline and reverse only.
func TestNoneThemeHasNoColour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.Theme = tui.ThemeNone
		d := drive(t, opts, 80, 24)
		d.keys("/", "text:fill", "enter", "tab", "2", "V")
		for _, sequence := range regexp.MustCompile(`\x1b\[([0-9;]*)m`).FindAllStringSubmatch(d.content(), -1) {
			for parameter := range strings.SplitSeq(sequence[1], ";") {
				if !slices.Contains([]string{"", "0", "1", "3", "4", "7"}, parameter) {
					t.Errorf("the screen has the style %q", sequence[1])
				}
			}
		}
	})
}

func TestASCIIOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := options(t)
		opts.ASCII, opts.Start = true, key(t, "/orders")
		d := drive(t, opts, 140, 40)
		for _, keys := range [][]string{nil, {"?"}, {"esc", "2"}, {"s", "text:order"}} {
			d.keys(keys...)
			for _, r := range d.screen() {
				if r > 0x7e {
					t.Fatalf("%q after %v:\n%s", r, keys, d.screen())
				}
			}
		}
	})
}
