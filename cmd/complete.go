package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/completions"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// completer is what cobra calls for the next word.
type completer = cobra.CompletionFunc

const noFiles = cobra.ShellCompDirectiveNoFileComp

// noCompletion offers nothing, not even files.
func noCompletion(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, noFiles
}

// words offers a fixed list.
func words(list ...string) completer {
	return func(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return !strings.HasPrefix(w, prefix) }), noFiles
	}
}

// offer adapts values to cobra. A description comes from the catalog, which may
// be any directory, so it is cleaned.
func offer(values []completions.Value) ([]cobra.Completion, cobra.ShellCompDirective) {
	out := make([]cobra.Completion, len(values))
	directive := noFiles
	for i, v := range values {
		out[i] = cobra.CompletionWithDesc(render.Clean(v.Text), render.Clean(v.Description))
		if strings.HasSuffix(v.Text, "=") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
	}
	return out, directive
}

// first completes the first argument only.
func first(next completer) completer {
	return func(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, noFiles
		}
		return next(c, args, prefix)
	}
}

// completeKeys offers help keys. A broken catalog offers none: completion has
// nobody to tell.
func (a *App) completeKeys(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	pages, err := a.catalog()
	if err != nil || a.remote() { // asking another server would take too long
		return nil, noFiles
	}
	return offer(completions.Keys(pages, prefix))
}

// completeHelp offers keys for a word that begins with a slash, else commands.
func (a *App) completeHelp(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.HasPrefix(prefix, "/") && len(args) == 0 {
		return a.completeKeys(c, args, prefix)
	}
	target, rest, err := c.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, sub := range target.Commands() {
		if (sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand()) && strings.HasPrefix(sub.Name(), prefix) {
			out = append(out, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	return out, noFiles
}

// completeRoot offers keys after a slash; cobra adds the commands itself.
func (a *App) completeRoot(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if !strings.HasPrefix(prefix, "/") || len(args) > 0 {
		return nil, noFiles
	}
	return a.completeKeys(c, args, prefix)
}

func (a *App) completeSkills(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	pages, err := a.catalog()
	if err != nil || a.remote() { // asking another server would take too long
		return nil, noFiles
	}
	values := slices.DeleteFunc(completions.Skills(pages, prefix), func(v completions.Value) bool { return slices.Contains(args, v.Text) })
	return offer(values)
}

func (a *App) completeResources(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	pages, err := a.catalog()
	if err != nil || a.remote() { // asking another server would take too long
		return nil, noFiles
	}
	return offer(completions.Resources(pages, prefix))
}

func (a *App) completeTools(c *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	reg, err := a.registry()
	if err != nil || a.remote() { // asking another server would take too long
		return nil, noFiles
	}
	as, _ := c.Flags().GetString("as") // help has none
	p, _ := a.profileAs(as)            // of a wrong word: none
	return offer(completions.Tools(reg.For(p), prefix))
}

func (a *App) completeCategories(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	reg, err := a.registry()
	if err != nil || a.remote() { // asking another server would take too long
		return nil, noFiles
	}
	return offer(completions.Categories(reg.For(tools.Profile{}), prefix))
}

// completeCall offers a tool, then its arguments.
func (a *App) completeCall(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.completeTools(c, args, prefix)
	}
	reg, err := a.registry()
	if err != nil || a.remote() || reg.Tool(args[0]) == nil {
		return nil, noFiles
	}
	return offer(completions.Arguments(reg.Tool(args[0]), args[1:], prefix))
}

// completeFormats offers what -o takes for the command being typed.
func completeFormats(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return words(formatsOf(c)...)(c, args, prefix)
}
