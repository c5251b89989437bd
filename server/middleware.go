package server

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// maxCalls is how many tool calls run at once; more wait for their turn. With
// one account behind the server this is also the limit per user.
const maxCalls = 8

// recoverPanics turns a panic into an internal error of that one call. The SDK
// lets it end the process.
func (s *Server) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			cause := "panic"
			if re, ok := v.(runtime.Error); ok { // other values may hold account data
				cause = re.Error()
			}
			s.opts.Log.ErrorContext(ctx, "request handler panicked", "method", method, "cause", cause, "stack", string(debug.Stack()))
			result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
		}()
		return next(ctx, method, req)
	}
}

// slots bounds the tool calls that run at once. A call that waits for a person's
// answer holds none.
type slots chan struct{}

// enter takes a slot, or ends with the call's context.
func (s slots) enter(ctx context.Context) (leave func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// limitTime ends a call that waits too long for a person. The SDK would wait for
// ever.
func limitTime(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "tools/call" {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, approvalTime)
			defer cancel()
		}
		return next(ctx, method, req)
	}
}

// listPerCaller shows each client its own tools.
func (s *Server) listPerCaller(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if all, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			return tools.ListFor(s.opts.Registry.For(s.profileOf(req)), all), nil
		}
		return result, err
	}
}
