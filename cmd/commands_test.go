package cmd_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/golden"
)

func newRoot() *cobra.Command {
	return cmd.NewRoot(&cmd.Process{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Now: stopped})
}

// eachCommand visits all commands, help topics included, parents first.
func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, visit)
	}
}

// fileOf names the source of a command for failure messages.
func fileOf(c *cobra.Command) string { return "cmd/" + scriptOf(c) + ".go" }

func scriptOf(c *cobra.Command) string {
	if !c.HasParent() {
		return "usage"
	}
	return strings.Join(strings.Fields(c.CommandPath())[1:], "_")
}

// TestCommands holds every command to the pattern. Its failures say what to edit.
func TestCommands(t *testing.T) {
	t.Parallel()
	eachCommand(newRoot(), func(c *cobra.Command) {
		if !c.Runnable() { // a help topic
			if c.Short == "" || c.Long == "" {
				t.Errorf("cmd/topics.go: topic %s needs Short and Long", c.Name())
			}
			return
		}
		checkCommand(t, c)
		if _, err := os.Stat("testdata/script/" + scriptOf(c) + ".txtar"); err != nil {
			t.Errorf("%s: add cmd/testdata/script/%s.txtar, a script that runs it", c.CommandPath(), scriptOf(c))
		}
	})
}

func checkCommand(t *testing.T, c *cobra.Command) {
	t.Helper()
	say := func(format string, args ...any) {
		t.Helper()
		t.Errorf(fileOf(c)+" (or its parent's file): "+format, args...)
	}
	if c.Short == "" || c.Long == "" || strings.HasSuffix(c.Short, ".") || unicode.IsLower(rune(c.Short[0])) && c.HasParent() {
		say("%s needs Short (a phrase with a capital, no full stop) and Long", c.CommandPath())
	}
	for line := range strings.SplitSeq(c.Long, "\n") {
		if len(line) > 84 {
			say("a line of Long is over 84 columns: %s", line)
		}
	}
	if c.Parent() == c.Root() && c.GroupID == "" {
		say("%s needs a GroupID, see root.go", c.CommandPath())
	}
	if c.Args == nil {
		say("%s needs Args; without it cobra accepts or refuses words by rules of its own", c.CommandPath())
	}
	if c.ValidArgsFunction == nil {
		say("%s needs ValidArgsFunction, noCompletion if there is nothing to offer", c.CommandPath())
	}
	names := map[string]bool{}
	for _, sub := range c.Commands() {
		for _, name := range append([]string{sub.Name()}, sub.Aliases...) {
			if names[name] {
				say("two commands of %s are called %s", c.CommandPath(), name)
			}
			names[name] = true
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" || unicode.IsUpper(rune(f.Usage[0])) && !strings.Contains(f.Usage, "`") {
			say("flag --%s needs a usage that begins with a small letter", f.Name)
		}
	})
	checkExamples(t, c)
}

// checkExamples parses the examples against a fresh tree, so that none can name
// a flag or command that does not exist.
func checkExamples(t *testing.T, c *cobra.Command) {
	t.Helper()
	lines := strings.Split(c.Example, "\n")
	if len(lines) < 2 {
		t.Errorf("%s: %s needs at least two examples", fileOf(c), c.CommandPath())
		return
	}
	for _, line := range lines {
		command, _, _ := strings.Cut(strings.TrimSpace(line), " > ")
		words := splitWords(command)
		if len(words) < 2 || words[0] != "kite-mcp" {
			t.Errorf("%s: example %q does not begin with kite-mcp", fileOf(c), line)
			continue
		}
		root := newRoot()
		found, rest, err := root.Find(words[1:])
		if err == nil {
			err = found.ParseFlags(rest)
		}
		if err == nil {
			err = found.ValidateArgs(found.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s: example %q: %v", fileOf(c), line, err)
			continue
		}
		if path := found.CommandPath(); !strings.HasPrefix(path, c.CommandPath()) {
			t.Errorf("%s: example %q runs %s", fileOf(c), line, path)
		}
	}
}

// splitWords splits like a shell, as far as examples go.
func splitWords(line string) []string {
	var out []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote == 0 && r == ' ':
			if inWord {
				out = append(out, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		out = append(out, word.String())
	}
	return out
}

// TestScriptsHaveCommands finds scripts whose command is gone.
func TestScriptsHaveCommands(t *testing.T) {
	t.Parallel()
	known := []string{"usage", "color", "remote"}
	eachCommand(newRoot(), func(c *cobra.Command) { known = append(known, scriptOf(c)) })
	entries, err := os.ReadDir("testdata/script")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".txtar"); !ok || !slices.Contains(known, name) {
			t.Errorf("cmd/testdata/script/%s belongs to no command", e.Name())
		}
	}
}

// TestGenerated regenerates what is made from the command tree. make generate
// accepts the difference.
func TestGenerated(t *testing.T) {
	t.Parallel()
	for shell, name := range map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1"} {
		script, err := cmd.CompletionScript(newRoot(), shell)
		if err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "../completions/kite-mcp."+name, []byte(script))
	}
	golden.Equal(t, "../docs/commands.md", []byte(commandsMarkdown(newRoot())))
}

// commandsMarkdown is the reference page of all commands.
func commandsMarkdown(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\n<!-- Generated from the command tree by make generate; DO NOT EDIT. -->\n\n" +
		root.Long + "\n\nFlags of every command:\n\n")
	writeFlags(&b, root.PersistentFlags())
	eachCommand(root, func(c *cobra.Command) {
		if c == root {
			return
		}
		b.WriteString("\n## " + c.CommandPath() + "\n\n")
		if !c.Runnable() {
			b.WriteString("```text\n" + strings.TrimSpace(c.Long) + "\n```\n")
			return
		}
		b.WriteString("```text\n" + strings.TrimSpace(c.Long) + "\n\n" + c.UseLine() + "\n```\n")
		if c.HasAvailableLocalFlags() {
			b.WriteString("\n")
			writeFlags(&b, c.NonInheritedFlags())
		}
		b.WriteString("\n```sh\n")
		for line := range strings.SplitSeq(c.Example, "\n") {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
		b.WriteString("```\n")
	})
	return b.String()
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| Flag | Default | Meaning |\n| --- | --- | --- |\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if kind != "" && kind != "count" {
			name += " " + kind
		}
		def := f.DefValue
		if def == "[]" || def == "false" || kind == "count" {
			def = ""
		}
		b.WriteString("| `" + name + "` | " + def + " | " + usage + " |\n")
	})
}
