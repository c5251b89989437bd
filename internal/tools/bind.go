package tools

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errorMeta is the member of a result's _meta that holds the Failure.
const errorMeta = "trade.kite/error"

// Bind registers every tool of the registry on an MCP server. profileOf reads a
// caller's profile from its request. Names a caller cannot see are refused
// inside the handler: the SDK loses resultType when middleware answers a call.
func Bind(srv *mcp.Server, reg *Registry, env *Env, profileOf func(mcp.Request) Profile) error {
	for _, t := range reg.Tools() {
		described, err := describe(t)
		if err != nil {
			return err
		}
		srv.AddTool(described, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result, err := reg.Call(ctx, env, profileOf(req), t.Name, req.Params.Arguments)
			if err != nil {
				return failed(ctx, env, t.Name, err)
			}
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: result.Text}},
				StructuredContent: result.Structured,
			}, nil
		})
	}
	return nil
}

// failed makes the answer to a failed call: a protocol error for what is wrong
// with the request itself, else a tool error that the model can read.
func failed(ctx context.Context, env *Env, tool string, err error) (*mcp.CallToolResult, error) {
	if errors.Is(err, ErrUnknownTool) || errors.Is(err, ErrNotObject) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	f := Explain(err)
	if f.Code == CodeInternal {
		env.Log.ErrorContext(ctx, "tool failed", "tool", tool, "error", err)
	}
	return &mcp.CallToolResult{
		Meta:    mcp.Meta{errorMeta: f},
		Content: []mcp.Content{&mcp.TextContent{Text: f.Error()}},
		IsError: true,
	}, nil
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
			IdempotentHint: effect == ReadOnly, OpenWorldHint: &open,
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
