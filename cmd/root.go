package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Groups of the command overview.
const (
	groupHelp    = "help"
	groupData    = "data"
	groupTools   = "tools"
	groupServe   = "serve"
	groupProgram = "program"
)

// maxTimeout is the deadline that every tool call has anyway.
const maxTimeout = 10 * time.Second

// newRoot builds the whole command tree. A new command is one line here.
func newRoot(app *App) *cobra.Command {
	opts := helpOptions{app: app}
	var version bool
	root := formats(remote(&cobra.Command{
		Use:   "kite-mcp [/KEY]",
		Short: "Kite account tools, help pages and Skills for people and MCP clients",
		Long: "kite-mcp reads a Kite account, explains trading workflows, and serves both to\n" +
			"MCP clients. Everything but account data works without a login; --demo shows\n" +
			"that too, offline.",
		Example: "  kite-mcp /orders\n" +
			"  kite-mcp holdings --demo",
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		ValidArgsFunction: app.completeRoot,
		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return app.checkGlobals(c) },
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case version:
				return runVersion(versionOptions{app: app})
			case len(args) == 0 && opts.paged():
				return usage("--raw and --width need a key, such as /orders", "")
			case len(args) == 0 && app.remote():
				return app.remoteCommandHelp("")
			case len(args) == 0:
				return c.Help()
			case !app.isKey(args[0]):
				return app.unknownWord(c, args[0])
			}
			return runHelp(c.Context(), c, opts, args)
		},
	}), formatText, formatJSON, formatMD)
	opts.register(root.Flags())
	root.Flags().BoolVar(&version, "version", false, "print the version and exit")
	app.registerGlobals(root)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { app.printCommandHelp(c) })
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: groupHelp, Title: "Help pages and Skills:"},
		&cobra.Group{ID: groupData, Title: "Account and market data:"},
		&cobra.Group{ID: groupTools, Title: "Tools:"},
		&cobra.Group{ID: groupServe, Title: "Server and browser:"},
		&cobra.Group{ID: groupProgram, Title: "This program:"},
	)
	root.SetHelpCommand(newHelp(app))
	root.AddCommand(
		newTree(app), newSearch(app), newSkills(app), newManifest(app), newLint(app),
		newHoldings(app), newPositions(app), newFunds(app), newOrders(app), newGTT(app), newActivity(app),
		newQuote(app), newHistory(app), newInstruments(app), newChain(app),
		newTools(app),
		newLogin(app), newLogout(app), newStatus(app),
		newServe(app), newDemo(app), newKiteApp(app), newTUI(app), newAdmin(app),
		newCompletion(app), newVersion(app),
		newExitCodes(), newEnvironment(),
	)
	return root
}

func (a *App) registerGlobals(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.format, "format", "o", formatText, "output: text, json or md; lint and manifest know more")
	f.BoolFunc("json", "short for -o json", func(string) error {
		a.flags.format = formatJSON
		return nil
	})
	f.StringVar(&a.flags.color, "color", "auto", "colours: auto, always or never")
	f.BoolVar(&a.flags.noPager, "no-pager", false, "do not page long output")
	f.BoolVarP(&a.flags.quiet, "quiet", "q", false, "no notes on stderr, only errors")
	f.CountVarP(&a.flags.verbose, "verbose", "v", "more on stderr")
	f.StringVar(&a.flags.catalog, "catalog", "", "use the pages in `DIR` instead of the built-in ones")
	f.StringVar(&a.flags.server, "server", "", "read from the MCP server at `URL` instead of this program")
	f.StringVar(&a.flags.stdio, "stdio", "", "read from the MCP server that `COMMAND` starts")
	f.StringSliceVar(&a.flags.passEnv, "pass-env", nil, "let the program of --stdio see this secret too, such as KITE_ACCESS_TOKEN; `NAME`s by comma")
	f.BoolVar(&a.flags.demo, "demo", false, "use the built-in demo account, offline")
	f.BoolVar(&a.flags.demoLogin, "demo-login", false, "with --demo: start logged out, with a login page of its own")
	f.DurationVar(&a.flags.timeout, "timeout", maxTimeout, "longest wait for Kite, at most 10s; another server has 30s unless this is given")
	// Registering fails only for a flag that does not exist, and these do.
	_ = root.RegisterFlagCompletionFunc("format", completeFormats)
	_ = root.RegisterFlagCompletionFunc("color", words("auto", "always", "never"))
	_ = root.RegisterFlagCompletionFunc("timeout", words("2s", "5s", "10s"))
	_ = root.RegisterFlagCompletionFunc("server", noCompletion)
	_ = root.RegisterFlagCompletionFunc("stdio", noCompletion)
	_ = root.RegisterFlagCompletionFunc("pass-env", words(secretNames()...))
	_ = root.MarkPersistentFlagDirname("catalog")
}

// checkGlobals refuses bad values of global flags before a command runs.
func (a *App) checkGlobals(c *cobra.Command) error {
	if colors := []string{"auto", "always", "never"}; !slices.Contains(colors, a.flags.color) {
		return usage("--color "+quoted(a.flags.color)+" is not auto, always or never", "").guess(a.flags.color, colors)
	}
	if a.flags.timeout <= 0 || a.flags.timeout > maxTimeout {
		return usage("--timeout "+a.flags.timeout.String()+" is not above 0 and at most 10s", "")
	}
	a.flags.timeoutGiven = c.Flags().Changed("timeout")
	if err := a.checkRemote(c); err != nil {
		return err
	}
	return a.checkFormat(c)
}

// parent makes a command that only holds others. Cobra would print help for an
// unknown word and exit 0.
func parent(c *cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.ValidArgsFunction = noCompletion
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return c.Help()
	}
	return c
}

// unknownWord refuses a word after the program's name. The page of that name is
// the better guess when there is one.
func (a *App) unknownWord(root *cobra.Command, word string) error {
	if key, ok := a.pageWithoutSlash([]string{word}); ok {
		return usage("unknown command "+quoted(word), "the help page is kite-mcp help "+key.String())
	}
	return a.guessPage(unknownCommand(root, word), word)
}

func unknownCommand(c *cobra.Command, word string) *problem {
	message := "unknown command " + quoted(word)
	if c.HasParent() {
		message += " of " + c.CommandPath()
	}
	return usage(message, c.CommandPath()+" --help lists the commands").guessCommand(c, word)
}

// guessCommand adds the one command below c that is close to a word: by the
// measure of all guesses, else with two letters swapped, which that measure finds
// far in a short word, else by cobra's measure, which knows beginnings too.
func (p *problem) guessCommand(c *cobra.Command, word string) *problem {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			names = append(append(names, sub.Name()), sub.Aliases...)
		}
	}
	if guessed := p.guess(word, names); len(guessed.DidYouMean) > 0 {
		return guessed
	}
	if i := slices.IndexFunc(names, func(name string) bool { return swapped(word, name) }); i >= 0 {
		p.DidYouMean = names[i : i+1]
		return p
	}
	c.SuggestionsMinimumDistance = 2
	if found := c.SuggestionsFor(word); len(found) == 1 {
		p.DidYouMean = found
	}
	return p
}

// swapped reports whether two words differ by two neighbouring letters.
func swapped(a, b string) bool {
	for i := range len(a) - 1 {
		if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
			return a != b
		}
	}
	return false
}

// flagError explains what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	hint := c.CommandPath() + " --help lists the flags"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		typed := "--" + unknown.GetSpecifiedName()
		return usage(err.Error(), hint).guess(typed, names)
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usage(fmt.Sprintf("--%s cannot be %s", bad.GetFlag().Name, quoted(bad.GetValue())), hint)
	}
	return usage(err.Error(), hint)
}

// arguments checks how many words follow a command; what names them.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := c.CommandPath() + " --help shows examples"
		switch {
		case len(args) < least:
			return usage(c.CommandPath()+" needs "+what, hint)
		case most >= 0 && len(args) > most && most == 0:
			return usage(c.CommandPath()+" takes no argument, got "+quoted(args[0]), hint)
		case most >= 0 && len(args) > most:
			return usage(c.CommandPath()+" takes "+what+", got also "+quoted(args[most]), hint)
		}
		return nil
	}
}

// examples joins example lines as help shows them.
func examples(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }
