package tui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/golden"
	"github.com/kite-mcp/kite-mcp/tui"
)

// TestGenerated regenerates the page about keys. make generate accepts the
// difference.
func TestGenerated(t *testing.T) {
	t.Parallel()
	golden.Equal(t, "../docs/keys.md", []byte(keysMarkdown()))
}

func keysMarkdown() string {
	var b strings.Builder
	b.WriteString("# Keys of the terminal browser\n\n<!-- Generated from tui/keys.go by make generate; DO NOT EDIT. -->\n\n" +
		"Every key is also in the command list (`:`), which needs only arrows and enter. Letters typed into an input\n" +
		"never act as keys. The mouse selects with a click, opens with a second one, and scrolls the pane under it.\n")
	follow := tui.FollowKey().Help()
	for _, group := range tui.KeyGroups() {
		fmt.Fprintf(&b, "\n## %s\n\n| Key | Does |\n|---|---|\n", group.Title)
		for _, binding := range group.Keys {
			names := "`" + strings.Join(binding.Keys(), "`, `") + "`"
			if binding.Help() == follow {
				names += ", then the number shown before the link"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", names, binding.Help().Desc)
		}
	}
	return b.String()
}

// TestNoKeyClashes looks at what each screen and the program together answer to.
func TestNoKeyClashes(t *testing.T) {
	t.Parallel()
	for name, bindings := range tui.ScreenKeys() {
		var seen []string
		for _, b := range bindings {
			for _, k := range b.Keys() {
				if slices.Contains(seen, k) {
					t.Errorf("tui/keys.go: %s: %q means two things, one of them %q", name, k, b.Help().Desc)
				}
				seen = append(seen, k)
			}
			if b.Help().Key == "" || b.Help().Desc == "" {
				t.Errorf("tui/keys.go: %s: %q has no help", name, b.Keys())
			}
		}
	}
}
