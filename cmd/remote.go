package cmd

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/config"
	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// remoteKey is the annotation of commands that can read from another server.
const remoteKey = "remote"

// remote marks a command that takes --server and --stdio.
func remote(c *cobra.Command) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[remoteKey] = "yes"
	return c
}

// remote reports whether the command line names another server.
func (a *App) remote() bool { return a.flags.server != "" || a.flags.stdio != "" }

// checkRemote refuses --server and --stdio where they mean nothing.
func (a *App) checkRemote(c *cobra.Command) error {
	flag := "--server"
	if a.flags.server == "" {
		flag = "--stdio"
	}
	switch {
	case len(a.flags.passEnv) > 0 && a.flags.stdio == "":
		return usage("--pass-env needs --stdio", "")
	case !a.remote():
		return nil
	case a.flags.server != "" && a.flags.stdio != "":
		return usage("--server and --stdio exclude each other", "name one server")
	case a.flags.catalog != "":
		return usage(flag+" and --catalog exclude each other", "")
	case a.flags.demo:
		return usage(flag+" and --demo exclude each other", "another server has its own data")
	case c.Annotations[remoteKey] == "":
		return usage(c.CommandPath()+" cannot read from another server", "leave "+flag+" away")
	}
	return nil
}

// connect opens the connection to the server that the command line names and
// says on stderr who answers. The caller closes it.
func (a *App) connect(ctx context.Context, opts host.Options) (*host.Host, error) {
	target := host.Target{URL: a.flags.server}
	if a.flags.stdio != "" {
		var err error
		if target.Command, err = splitCommand(a.flags.stdio); err != nil {
			return nil, usage("--stdio "+quoted(a.flags.stdio)+": "+err.Error(), `write it as --stdio "PROGRAM ARGUMENT..."`)
		}
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	opts.Version = a.build().Version
	if opts.Log == nil {
		opts.Log = a.log(cfg)
	}
	if a.flags.timeoutGiven {
		opts.Timeout = a.flags.timeout
	}
	opts.Env, opts.Dir = a.childEnv(), a.proc.Dir
	h, err := host.Dial(ctx, target, opts)
	if err != nil {
		return nil, err
	}
	if s := h.Server(); !a.json() { // which promises one line on stderr
		a.note("%s %s at %s, MCP %s; remote: treat its text as untrusted", oneLine(s.Name), oneLine(s.Version), target, s.Protocol)
	}
	return h, nil
}

// childEnv is the environment of a program that --stdio starts: ours without the
// secrets, but for those that --pass-env names. Another server has no business
// with a Kite login unless its person says so.
func (a *App) childEnv() []string {
	var env []string
	for _, pair := range a.proc.Environ {
		name, _, _ := strings.Cut(pair, "=")
		if !secretName(name) || slices.Contains(a.flags.passEnv, name) {
			env = append(env, pair)
		}
	}
	return env
}

// secretNames are the variables that --pass-env is for.
func secretNames() []string {
	var names []string
	for _, v := range config.Variables() {
		if v.Secret {
			names = append(names, v.Name)
		}
	}
	return names
}

// stateKeys is the variable with the keys of a hosted server, which this version
// does not read; a machine that has it must not lose it to other programs.
const stateKeys = "STATE_KEYS"

// secretName reports whether a variable is a secret of this program. Windows does
// not tell case apart.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	return name == stateKeys || slices.Contains(secretNames(), name)
}

// splitCommand splits a command line into words the way a shell does: quotes
// group, a backslash escapes a blank, a quote or itself. Nothing is expanded.
func splitCommand(line string) ([]string, error) {
	var (
		out    []string
		word   strings.Builder
		inWord bool
		quote  byte
	)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line) && strings.IndexByte(" \t\"'\\", line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
			inWord = true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if inWord {
				out = append(out, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote is never closed")
	case inWord:
		out = append(out, word.String())
	}
	if len(out) == 0 || out[0] == "" {
		return nil, errors.New("it names no program")
	}
	return out, nil
}

// explainServer explains what went wrong with another server, nil when the error
// is not about one.
func explainServer(err error) *problem {
	var (
		auth     *host.AuthError
		late     *host.TimeoutError
		limit    *host.LimitError
		refused  *host.RefusedError
		lost     *host.ConnectionError
		missing  *host.NotFoundError
		unlisted *host.UnlistedError
		bad      *host.Fault
	)
	const unavailable = string(kite.KindUpstreamUnavailable)
	switch {
	case errors.As(err, &auth):
		return &problem{Code: string(tools.CodeNotAuthenticated), Message: auth.Error(), Hint: "this command sends no credentials; use a client that can log in there"}
	case errors.As(err, &late):
		return &problem{Code: string(tools.CodeTimeout), Message: err.Error(), Hint: "nothing waits longer for a server"}
	case errors.As(err, &limit):
		return &problem{Code: unavailable, Message: limit.Error(), Hint: "more is not read from one server"}
	case errors.As(err, &refused):
		return &problem{Code: unavailable, Message: refused.Error()}
	case errors.As(err, &lost):
		return &problem{Code: unavailable, Message: lost.Error(), Hint: "check that it is an MCP server and that it runs"}
	case errors.Is(err, host.ErrNoSkills):
		return &problem{Code: string(tools.CodeNotFound), Message: err.Error(), Hint: "kite-mcp help and kite-mcp tools list work without"}
	case errors.As(err, &missing):
		p := &problem{Code: string(tools.CodeNotFound), Message: missing.Error(), Hint: "kite-mcp skills list names them"}
		return p.guess(missing.Word, missing.Known)
	case errors.As(err, &unlisted) && unlisted.Plain:
		p := &problem{Code: string(tools.CodeNotFound), Message: unlisted.Error(), Hint: "kite-mcp tree lists them"}
		return p.guess(unlisted.URI, unlisted.Known)
	case errors.As(err, &unlisted):
		p := &problem{Code: codeVerifyFailed, Message: unlisted.Error(), Hint: "kite-mcp manifest lists the files"}
		return p.guess(unlisted.URI, unlisted.Known)
	case errors.As(err, &bad):
		return &problem{Code: codeVerifyFailed, Message: bad.Error(), Hint: "nothing of it was used; kite-mcp skills verify checks the rest"}
	}
	return nil
}

// closing drops the error of closing what was only read from.
func closing(c io.Closer) { _ = c.Close() }
