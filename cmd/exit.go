package cmd

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"runtime"
	"strings"
	"syscall"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/config"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// The exit statuses.
const (
	exitOK          = 0
	exitNo          = 1 // ran, and the answer is no
	exitUsage       = 2 // wrong usage, unreadable input, no terminal
	exitLintBroken  = 3 // lint could not finish
	exitLogin       = 4 // Kite login missing or expired, or another server wants one
	exitInterrupted = 130
)

// The codes that no tool has. The others are tools.Code and kite.ErrorKind
// values.
const (
	codeUsage        = "usage"
	codeUnknownKey   = "unknown_key"
	codeLintFailed   = "lint_failed"
	codeLintBroken   = "lint_incomplete"
	codeVerifyFailed = "verify_failed"
	codeNoTerminal   = "no_terminal"
	codeInterrupted  = "interrupted"
	codeToolFailed   = "tool_failed" // of another server
)

// statusOf maps every error code to its exit status. A code that is not listed
// means the command ran and the answer is no.
func statusOf(code string) int {
	switch code {
	case codeUsage, codeNoTerminal:
		return exitUsage
	case codeLintBroken:
		return exitLintBroken
	case string(tools.CodeNotAuthenticated), string(tools.CodeSessionExpired):
		return exitLogin
	case codeInterrupted:
		return exitInterrupted
	default:
		return exitNo
	}
}

// problem is the one message of a failed command. Commands return one when they
// know what to say; explain makes one of every other error.
type problem struct {
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Hint       string   `json:"hint"`
	DidYouMean []string `json:"did_you_mean"` // at most one: a guess among several is noise

	text   string // replaces message and hint on a terminal, where guidance is longer
	status int    // overrides the status of the code when not 0
	told   bool   // the answer on stdout says it all
}

// Error returns what happened and what to do next.
func (p *problem) Error() string {
	if p.text != "" {
		return strings.TrimRight(p.text, "\n")
	}
	parts := []string{sentence(p.Message)}
	if len(p.DidYouMean) == 1 {
		parts = append(parts, "Did you mean "+p.DidYouMean[0]+"?")
	}
	if p.Hint != "" {
		parts = append(parts, sentence(capital(p.Hint)))
	}
	return strings.Join(parts, " ")
}

func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!\n") {
		return s
	}
	return s + "."
}

// capital begins a sentence, unless its first word is to be typed.
func capital(s string) string {
	if strings.HasPrefix(s, "kite-mcp") || strings.HasPrefix(s, "-") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// usage is wrong usage of a command; it exits 2.
func usage(message, hint string) *problem {
	return &problem{Code: codeUsage, Message: message, Hint: hint}
}

// guess adds the one word of candidates that is close to what was typed.
func (p *problem) guess(typed string, candidates []string) *problem {
	if word := catalog.Closest(typed, candidates); word != "" {
		p.DidYouMean = []string{word}
	}
	return p
}

// finish prints the message of a failed command, if it has any, and returns the
// exit status. It is the only place that does either.
func (a *App) finish(ctx context.Context, err error) int {
	if err == nil {
		err = a.helpErr
	}
	if err == nil || closedPipe(err) {
		return exitOK
	}
	p := a.explain(ctx, err)
	if cause := networkCause(err); a.flags.verbose > 0 && !strings.Contains(p.Error(), cause) {
		p.Message, p.text = p.Message+": "+cause, ""
	}
	status := p.status
	if status == 0 {
		status = statusOf(p.Code)
	}
	if a.json() || a.asksJSON() {
		a.tellJSON(p)
	} else if !p.told {
		// A failure to write this message has nowhere to be reported.
		_, _ = io.WriteString(a.proc.Err, "kite-mcp: "+render.Clean(p.Error())+"\n")
	}
	return status
}

// asksJSON looks for -o json among the arguments themselves: a command line with
// a mistake in it may not have been read that far.
func (a *App) asksJSON() bool {
	for i, arg := range a.proc.Args {
		switch arg {
		case "--":
			return false
		case "--json", "-ojson", "-o=json", "--format=json":
			return true
		case "-o", "--format":
			if i+1 < len(a.proc.Args) && a.proc.Args[i+1] == formatJSON {
				return true
			}
		}
	}
	return false
}

func (a *App) tellJSON(p *problem) {
	if p.DidYouMean == nil {
		p.DidYouMean = []string{}
	}
	enc := json.NewEncoder(a.proc.Err)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]*problem{"error": p})
}

// explain turns any error into the message shown. Errors of tools keep the text
// that an MCP client gets.
func (a *App) explain(ctx context.Context, err error) *problem {
	var (
		known    *problem
		notFound *catalog.NotFoundError
		badKey   *catalog.KeyError
		broken   *catalog.ProblemsError
		settings *config.Error
		excluded *tools.ExclusionError
		failure  *tools.Failure
		file     *fs.PathError
	)
	switch {
	case ctx.Err() != nil: // whatever failed, failed because of that
		return &problem{Code: codeInterrupted, Message: "interrupted"}
	case errors.As(err, &known):
		return known
	case errors.As(err, &notFound):
		p := &problem{Code: codeUnknownKey, Message: notFound.Error(), Hint: "read the nearest page: kite-mcp help " + notFound.Nearest.Key.String(), text: notFound.Text()}
		if !notFound.Close.IsRoot() {
			p.DidYouMean = []string{notFound.Close.String()}
		}
		return p
	case errors.As(err, &badKey):
		p := fromTool(err)
		if badKey.TooLong {
			p.status = exitUsage
		}
		return p
	case errors.As(err, &broken):
		return &problem{Code: codeLintFailed, Message: broken.Error(), Hint: "kite-mcp lint says more about each", text: broken.Error()}
	case errors.As(err, &settings):
		return &problem{Code: codeUsage, Message: settings.Error(), Hint: "kite-mcp help environment lists the settings", text: "bad settings:\n" + settings.Error()}
	case errors.As(err, &excluded):
		return usage(excluded.Error(), "")
	case errors.Is(err, tools.ErrNotObject):
		return usage(err.Error(), "")
	case errors.Is(err, tools.ErrUnknownTool):
		return &problem{Code: string(tools.CodeNotFound), Message: err.Error(), Hint: "kite-mcp tools list names the tools"}
	case explainServer(err) != nil: // before files: a program that cannot be started is one
		return explainServer(err)
	case errors.As(err, &failure): // before files: it says what became of the call
		return failed(failure, err)
	case errors.As(err, &file) && file.Op == "write":
		return &problem{Code: string(tools.CodeInternal), Message: a.shortPath(file.Path) + ": " + file.Err.Error()}
	case errors.As(err, &file):
		return usage(a.shortPath(file.Path)+": "+file.Err.Error(), "")
	}
	p := fromTool(err)
	if p.Code == string(tools.CodeInternal) && kite.KindOf(err) == kite.KindInternal && !isKite(err) {
		// The text of our own errors holds no secret: the tools hide it from
		// remote callers, not from the person who runs the program.
		p.Message, p.Hint = err.Error(), ""
	}
	return p
}

// failed is a failure with its cause, which tools hide from remote callers and
// not from the person who runs the program.
func failed(failure *tools.Failure, err error) *problem {
	p := fromTool(err)
	if cause := err.Error(); failure.Code == tools.CodeInternal && cause != failure.Error() {
		p.Message += " (" + cause + ")"
	}
	return p
}

func isKite(err error) bool {
	_, ok := errors.AsType[*kite.Error](err)
	return ok
}

func fromTool(err error) *problem {
	f := tools.Explain(err)
	return &problem{Code: string(f.Code), Message: f.Message, Hint: f.Hint, text: f.Text}
}

// networkCause is why a connection failed, in words that hold no URL and so no
// secret; "" when it is about something else.
func networkCause(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Error()
	}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return bad.Error()
	}
	return ""
}

// closedPipe reports whether the reader of our output has gone, as head does.
func closedPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // of Windows
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return true
	}
	return runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}
