package tools

import (
	"context"
	"errors"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// Code classifies a failure for programs; the texts are for people.
type Code string

// The codes that Kite does not know.
const (
	CodeExcluded            Code = "excluded"
	CodeApprovalDeclined    Code = "approval_declined"
	CodeApprovalCancelled   Code = "approval_cancelled"
	CodeApprovalUnavailable Code = "approval_unavailable"
	CodeApprovalInvalid     Code = "approval_invalid"
)

// The codes of Kite that tools give to failures of their own, too. fromKite has
// the others.
const (
	CodeInvalidArgument  = Code(kite.KindInvalidArgument)
	CodeRejected         = Code(kite.KindRejected)
	CodeNotFound         = Code(kite.KindNotFound)
	CodeNotAuthenticated = Code(kite.KindNotAuthenticated)
	CodeSessionExpired   = Code(kite.KindSessionExpired)
	CodeTimeout          = Code(kite.KindTimeout)
	CodeInternal         = Code(kite.KindInternal)
)

// Failure is an error as both edges show it: what happened and what to do next.
// Its JSON form stands in _meta["trade.kite/error"] of a tool result.
type Failure struct {
	Code       Code   `json:"code"`
	Message    string `json:"message"`
	KiteError  string `json:"kite_error_type,omitempty"`
	HTTPStatus int    `json:"http_status,omitempty"`
	Retryable  bool   `json:"retryable"`
	Hint       string `json:"hint,omitempty"`

	// Text replaces "message. Hint." where the guidance is longer than a line.
	Text string `json:"-"`
}

// Error returns what happened, then the next step.
func (f *Failure) Error() string {
	if f.Text != "" {
		return f.Text
	}
	if f.Hint == "" {
		return sentence(f.Message)
	}
	return sentence(f.Message) + " " + sentence(strings.ToUpper(f.Hint[:1])+f.Hint[1:])
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "."
}

// Explain turns any error of a handler into the Failure that is shown. What it
// does not know becomes "internal" without the error's text, which may hold
// what must not leave the process.
func Explain(err error) *Failure {
	var (
		failure  *Failure
		notFound *catalog.NotFoundError
		badKey   *catalog.KeyError
		kiteErr  *kite.Error
	)
	switch {
	case errors.As(err, &failure):
		return failure
	case errors.As(err, &notFound):
		return &Failure{Code: CodeNotFound, Message: notFound.Error(), Hint: "Read the nearest page " + notFound.Nearest.Key.String(), Text: notFound.Text()}
	case errors.As(err, &badKey):
		return &Failure{Code: CodeInvalidArgument, Message: badKey.Error(), Hint: `Start at the root: help({"key":"/"})`}
	case errors.As(err, &kiteErr):
		return fromKite(kiteErr)
	case errors.Is(err, ErrNotObject):
		return &Failure{Code: CodeInvalidArgument, Message: err.Error()}
	case errors.Is(err, ErrUnknownTool):
		return &Failure{Code: CodeNotFound, Message: err.Error(), Hint: "the names are in tools/list"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Failure{Code: CodeTimeout, Message: "the call took longer than its deadline", Hint: "Try again", Retryable: true}
	case errors.Is(err, context.Canceled):
		return &Failure{Code: CodeTimeout, Message: "the call was cancelled", Retryable: true}
	default:
		return &Failure{Code: CodeInternal, Message: "internal error", Hint: "The server's log has the cause"}
	}
}

// fromKite keeps what internal/kite found out. How to log in is said by the
// source of the login; where it says nothing, there is one way at least.
func fromKite(e *kite.Error) *Failure {
	f := &Failure{Code: Code(e.Kind), Message: e.Message, KiteError: e.KiteType, HTTPStatus: e.Status, Retryable: e.Retryable, Hint: e.Hint}
	if f.Hint == "" && (f.Code == CodeNotAuthenticated || f.Code == CodeSessionExpired) {
		f.Hint = "Log in with kite-mcp login, or try it with --demo"
	}
	return f
}

func invalid(violations ...string) *Failure {
	return &Failure{Code: CodeInvalidArgument, Message: strings.Join(violations, "\n"), Text: "invalid arguments:\n" + strings.Join(violations, "\n")}
}
