package kite

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// ErrorKind is the class of a failure. Its text is the error code of the tool surface.
type ErrorKind string

// The classes a caller can branch on.
const (
	KindNotAuthenticated    ErrorKind = "not_authenticated"    // nobody is logged in for this caller
	KindSessionExpired      ErrorKind = "session_expired"      // Kite no longer accepts the access token
	KindPermissionDenied    ErrorKind = "permission_denied"    // the app or user may not make this call
	KindRateLimited         ErrorKind = "rate_limited"         // our pacer or Kite said "too many"
	KindRejected            ErrorKind = "rejected"             // Kite understood and refused
	KindUpstreamUnavailable ErrorKind = "upstream_unavailable" // no usable answer from Kite
	KindOutcomeUnknown      ErrorKind = "outcome_unknown"      // a write whose fate is not known
	KindNotFound            ErrorKind = "not_found"            // Kite or the master does not have it
	KindInvalidArgument     ErrorKind = "invalid_argument"     // refused before any call was made
	KindCatalogUnavailable  ErrorKind = "catalog_unavailable"  // the instruments master is not there
	KindCatalogChanged      ErrorKind = "catalog_changed"      // the pinned revision is gone
	KindTimeout             ErrorKind = "timeout"              // our deadline passed or the caller left
	KindInternal            ErrorKind = "internal"             // a bug or a broken setting
)

// kindError is a sentinel: a value type, so that nobody can change it.
type kindError ErrorKind

// Error names the class.
func (k kindError) Error() string { return string(k) }

// Sentinels for errors.Is, one for each ErrorKind.
var (
	ErrNotAuthenticated    error = kindError(KindNotAuthenticated)
	ErrSessionExpired      error = kindError(KindSessionExpired)
	ErrPermissionDenied    error = kindError(KindPermissionDenied)
	ErrRateLimited         error = kindError(KindRateLimited)
	ErrRejected            error = kindError(KindRejected)
	ErrUpstreamUnavailable error = kindError(KindUpstreamUnavailable)
	ErrOutcomeUnknown      error = kindError(KindOutcomeUnknown)
	ErrNotFound            error = kindError(KindNotFound)
	ErrInvalidArgument     error = kindError(KindInvalidArgument)
	ErrCatalogUnavailable  error = kindError(KindCatalogUnavailable)
	ErrCatalogChanged      error = kindError(KindCatalogChanged)
	ErrTimeout             error = kindError(KindTimeout)
	ErrInternal            error = kindError(KindInternal)
)

// Error is what every failed call returns, possibly wrapped. Message is safe to show: it holds Kite's own sentence
// where there is one, without secrets, URLs or control characters.
type Error struct {
	Kind       ErrorKind
	Message    string        // what happened
	KiteType   string        // Kite's error_type, e.g. "InputException"; empty when the failure is ours
	Status     int           // HTTP status; 0 when no answer arrived
	Retryable  bool          // whether the same read may succeed if repeated
	Hint       string        // what to do next
	RetryAfter time.Duration // how long to wait before repeating; 0 when unknown
	Err        error         // the cause, for errors.Is; never shown
}

// Error returns Message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the sentinel of this kind.
func (e *Error) Is(target error) bool {
	k, ok := target.(kindError)
	return ok && ErrorKind(k) == e.Kind
}

// KindOf returns the class of err: empty for nil, internal for an error this package did not make.
func KindOf(err error) ErrorKind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// tokenException is how Kite says that an access token, a request token or a checksum is no good.
const tokenException = "TokenException"

// hintFor says what to do next. How to log in differs from program to program: see Options.LoginHint.
func hintFor(k ErrorKind) string {
	switch k {
	case KindPermissionDenied:
		return "the Kite app does not have this permission; logging in again does not change that"
	case KindRateLimited:
		return "wait 1 second, then repeat the call"
	case KindUpstreamUnavailable, KindTimeout:
		return "try again in a moment"
	case KindCatalogUnavailable:
		return "try again in a moment; the instruments master is still missing"
	default:
		return ""
	}
}

func retryable(k ErrorKind) bool {
	switch k {
	case KindRateLimited, KindUpstreamUnavailable, KindTimeout, KindCatalogUnavailable, KindCatalogChanged:
		return true
	default:
		return false
	}
}

func newError(k ErrorKind, message string) *Error {
	return &Error{Kind: k, Message: message, Hint: hintFor(k), Retryable: retryable(k)}
}

func invalidArgument(message string) *Error { return newError(KindInvalidArgument, message) }

// kindOfAnswer classifies a refusal by Kite's error_type first and by the HTTP status second: a 403 is an ended
// session only when Kite says so, and "PermissionError" is how the library spells what the wire calls an exception.
func kindOfAnswer(kiteType string, status int, message string) ErrorKind {
	switch kiteType {
	case tokenException:
		return KindSessionExpired
	case "PermissionException", "PermissionError":
		return KindPermissionDenied
	case "InputException", "OrderException", "MarginException", "HoldingException", "UserException", "TwoFAException":
		return KindRejected
	case "NetworkException", "DataException":
		if status == http.StatusTooManyRequests || strings.Contains(strings.ToLower(message), "too many requests") {
			return KindRateLimited
		}
		return KindUpstreamUnavailable
	}
	switch {
	case status == http.StatusUnauthorized:
		return KindSessionExpired
	case status == http.StatusForbidden:
		return KindPermissionDenied
	case status == http.StatusNotFound, status == http.StatusGone:
		return KindNotFound
	case status == http.StatusTooManyRequests:
		return KindRateLimited
	case status == http.StatusMethodNotAllowed:
		return KindInternal
	case status >= 400 && status < 500:
		return KindRejected
	default:
		return KindUpstreamUnavailable
	}
}

// orNotFound tells a refused look-up by id from other refusals: the id is all that such a call says, so Kite can find
// fault with nothing else.
func orNotFound(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != KindRejected || (e.Status != http.StatusBadRequest && e.Status != http.StatusNotFound) {
		return err
	}
	switch e.KiteType {
	case "OrderException", "InputException", "GeneralException":
		missing := *e
		missing.Kind, missing.Err = KindNotFound, err
		return &missing
	default:
		return err
	}
}

// transportFailure classifies a call that got no complete answer. The text of err is dropped, since it holds the URL.
func transportFailure(ctx context.Context, err error) *Error {
	var e *Error
	cause := ctx.Err()
	switch {
	case errors.Is(cause, context.Canceled):
		e = newError(KindTimeout, "the call was cancelled before Kite answered")
	case errors.Is(cause, context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		cause = context.DeadlineExceeded
		e = newError(KindTimeout, "Kite did not answer in time")
	default:
		cause = err
		e = newError(KindUpstreamUnavailable, "the connection to Kite failed")
	}
	e.Err = cause
	return e
}

const maxMessage = 600

// cleanMessage makes a sentence of Kite's safe to show: credentials and URLs out, control and direction-changing
// characters out, length bounded.
func (c *Client) cleanMessage(s string) string {
	for _, secret := range []string{c.accessToken, c.apiKey} {
		if len(secret) >= shortestSecret {
			s = strings.ReplaceAll(s, secret, removed)
		}
	}
	if strings.Contains(s, "://") {
		s = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://\S*`).ReplaceAllString(s, "[link removed]")
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		default:
			return r
		}
	}, s)
	s = strings.TrimSpace(s)
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "..."
	}
	return s
}

// publicCause is what may be shown of the cause of another failure: our own sentences, never a transport's.
func publicCause(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return err.Error()
}
