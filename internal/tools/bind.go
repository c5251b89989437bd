package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errorMeta is the member of a result's _meta that holds the Failure.
const errorMeta = "trade.kite/error"

// Connection is what a server knows about the request behind a call.
type Connection struct {
	Profile  func(mcp.Request) Profile               // of the caller
	Approver func(req *mcp.CallToolRequest) Approver // asks the person behind this request
	Enter    func(ctx context.Context) (leave func(), err error)
}

// Bind registers every tool of the registry on an MCP server. Names a caller
// cannot see are refused inside the handler: the SDK loses resultType when
// middleware answers a call.
func Bind(srv *mcp.Server, reg *Registry, env *Env, conn Connection) error {
	for _, t := range reg.Tools() {
		described, err := describe(t)
		if err != nil {
			return err
		}
		srv.AddTool(described, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if !t.ClosedWorld { // what never leaves the process need not wait for what does
				leave, err := conn.Enter(ctx)
				if err != nil {
					return nil, err
				}
				defer leave()
			}
			own := *env
			own.Approver, own.Client = conn.Approver(req), clientName(req.ClientInfo())
			result, err := reg.Call(ctx, &own, conn.Profile(req), t.Name, req.Params.Arguments)
			if err != nil {
				return failed(ctx, env, req, err)
			}
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: result.Text}},
				StructuredContent: result.Structured,
			}, nil
		})
	}
	return nil
}

// clientName is what a client calls itself, fit for a log: printable ASCII of a bounded length. Anybody can take any name.
func clientName(info *mcp.Implementation) string {
	if info == nil {
		return ""
	}
	const most = 60
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, info.Name)
	return name[:min(len(name), most)]
}

// failed makes the answer to a failed call: a question to the person, a protocol
// error for what is wrong with the request itself, else a tool error that the
// model can read.
func failed(ctx context.Context, env *Env, req *mcp.CallToolRequest, err error) (*mcp.CallToolResult, error) {
	if q, ok := errors.AsType[*Question](err); ok {
		return ask(q), nil
	}
	if errors.Is(err, ErrUnknownTool) || errors.Is(err, ErrNotObject) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	f := Explain(err)
	switch {
	case f.Code == CodeInternal:
		env.Log.ErrorContext(ctx, "tool failed", "tool", req.Params.Name, "error", err)
	case f.Code == CodeApprovalInvalid:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: f.Error(), Data: json.RawMessage(`{"code":"approval_invalid"}`)}
	case f.Code == CodeApprovalUnavailable && req.ProtocolVersion() >= modernVersion:
		// Written by hand: the SDK's type for it adds a capability nobody asked for.
		return nil, &jsonrpc.Error{Code: codeMissingCapability, Message: f.Error(), Data: json.RawMessage(`{"requiredCapabilities":{"elicitation":{"form":{}}},"code":"approval_unavailable"}`)}
	}
	return &mcp.CallToolResult{
		Meta:    mcp.Meta{errorMeta: f},
		Content: []mcp.Content{&mcp.TextContent{Text: f.Error()}},
		IsError: true,
	}, nil
}

const (
	modernVersion         = "2026-07-28"
	codeMissingCapability = -32021
)

// Answer is the name of the form in a question, under which the response comes
// back; Confirm is the name of its one field.
const (
	Answer  = "approve"
	Confirm = "confirm"
)

// ask makes the form of a question: one box, not ticked.
func ask(q *Question) *mcp.CallToolResult {
	no := false
	return &mcp.CallToolResult{
		RequestState: q.State,
		InputRequests: mcp.InputRequestMap{Answer: &mcp.ElicitParams{
			Mode: "form", Message: q.Message,
			RequestedSchema: map[string]any{
				"type":       "object",
				"properties": map[string]any{Confirm: map[string]any{"type": "boolean", "title": q.Title, "default": no}},
				"required":   []string{Confirm},
			},
		}},
	}
}

// describe makes the tools/list entry of a tool. The schemas are marshalled
// here, once: encoding them for every list costs three times as much.
func describe(t *Tool) (*mcp.Tool, error) {
	input, err := marshal(t.Schema())
	if err != nil {
		return nil, err
	}
	effect := t.Effect()
	destroys, open := effect == Destroy, !t.ClosedWorld
	described := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: input,
		Annotations: &mcp.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: effect == ReadOnly, DestructiveHint: &destroys,
			IdempotentHint: effect <= Access, OpenWorldHint: &open,
		},
	}
	if t.Output != nil {
		output, err := marshal(t.Output)
		if err != nil {
			return nil, err
		}
		described.OutputSchema = output
	}
	return described, nil
}

// ListFor returns a copy of a tools/list result with the tools a caller sees.
// The tools themselves are shared by all callers and never changed.
func ListFor(s Surface, all *mcp.ListToolsResult) *mcp.ListToolsResult {
	out := *all
	out.Tools = make([]*mcp.Tool, 0, len(all.Tools))
	for _, t := range all.Tools {
		if s.Has(t.Name) {
			out.Tools = append(out.Tools, t)
		}
	}
	return &out
}
