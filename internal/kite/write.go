package kite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// writeTimeout is how long an answer to a change is waited for.
const writeTimeout = 15 * time.Second

// send changes something at Kite with at most one request. It is never repeated: every failure that is not Kite's own
// refusal, or a connection that was never made, is ErrOutcomeUnknown. From the moment of sending the caller's context
// no longer matters, since an answer that nobody waits for would be lost.
func (c *Client) send(ctx context.Context, what, method, path string, query, form url.Values) (json.RawMessage, error) {
	if err := c.sessionOver(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if err := c.admit(ctx, paceOrder); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w", what, transportFailure(ctx, ctx.Err()))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	req, err := c.newRequest(ctx, path, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, newError(KindInternal, "the request to Kite could not be built"))
	}
	req.Method = method
	if form != nil {
		body := form.Encode()
		req.Body, req.ContentLength = readCloser{strings.NewReader(body)}, int64(len(body))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	a := c.attempt(ctx, what, func(ctx context.Context) answer {
		resp, a := c.exchange(ctx, req)
		_ = resp.Body.Close()
		return a
	})
	if a.failure != nil {
		return nil, fmt.Errorf("%s: %w", what, outcomeOf(a.failure))
	}
	return c.redact(a.data), nil
}

// readCloser hides the reader's type from net/http, which would know how to send it again.
type readCloser struct{ *strings.Reader }

// Close does nothing.
func (readCloser) Close() error { return nil }

// outcomeOf says what a failed change came to: a refusal by Kite stays what it is, a connection that was never made
// sent nothing, and everything else is not known.
func outcomeOf(e *Error) *Error {
	switch {
	case refusedByKite(e):
		return e
	case neverSent(e.Err):
		sent := newError(KindUpstreamUnavailable, "the connection to Kite could not be made; nothing was sent")
		sent.Err = e.Err
		return sent
	}
	unknown := newError(KindOutcomeUnknown, "Kite got the request, but what became of it is not known: "+e.Message)
	unknown.KiteType, unknown.Status, unknown.Err = e.KiteType, e.Status, e
	unknown.Hint = "do not repeat it; read the order book first"
	return unknown
}

// refusedByKite reports whether Kite itself said no. A status alone does not prove it, for proxies have them too, and
// what Kite says about its own order system being out of reach proves nothing about the order.
func refusedByKite(e *Error) bool {
	if e.Status < 400 || e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout {
		return false
	}
	return e.KiteType != "" && e.KiteType != "NetworkException" && e.KiteType != "DataException"
}

// neverSent reports whether a failure came before there was a connection.
func neverSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
