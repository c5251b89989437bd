package tools

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/ui"
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
				answer, err := failed(ctx, env, req, err)
				return t.forApp(answer, result.Source), err
			}
			answer := &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: result.Text}},
				StructuredContent: result.Structured,
			}
			return t.forApp(answer, result.Source), nil
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

// ListFor returns a copy of a tools/list result with the tools a caller sees, and
// with what they are to the Kite app for clients that show it. The tools
// themselves are shared by all callers and never changed.
func ListFor(s Surface, all *mcp.ListToolsResult) *mcp.ListToolsResult {
	out := *all
	out.Tools = make([]*mcp.Tool, 0, len(all.Tools))
	for _, described := range all.Tools {
		t := s.registry.Tool(described.Name)
		if t == nil || !s.sees(t) {
			continue
		}
		if s.profile.Apps && t.App != (App{}) {
			own := *described
			own.Meta = t.App.meta()
			own.Icons = t.App.icons()
			described = &own
		}
		out.Tools = append(out.Tools, described)
	}
	return &out
}

// sourceMeta is the member of a result's _meta that holds the Source.
const sourceMeta = "trade.kite/app"

// resourceAlias is where hosts looked for the resource before it had a place of
// its own; some still do.
const resourceAlias = "ui/resourceUri"

// meta is what a tool is to the Kite app, in its tools/list entry.
func (a App) meta() mcp.Meta {
	visible := []string{"model", "app"}
	if a.Internal {
		visible = []string{"app"}
	}
	about := map[string]any{"visibility": visible}
	meta := mcp.Meta{"ui": about}
	if a.Opens {
		about["resourceUri"], meta[resourceAlias] = ui.URI, ui.URI
	}
	if a.Entrypoints {
		meta["openai/ui"] = map[string]any{"entrypoints": []map[string]string{{"type": "global"}, {"type": "thread"}}}
	}
	return meta
}

// appIcon is a kite with its line, in the colour of the text around it.
const appIcon = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.33" stroke-linejoin="round" stroke-linecap="round"><path d="M10 2l5 6-5 6-5-6z"/><path d="M10 2v12M5 8h10M10 14c0 2 2 2 2 4"/></svg>`

// icons are those of the button that a host may show.
func (a App) icons() []mcp.Icon {
	if !a.Entrypoints {
		return nil
	}
	return []mcp.Icon{{Source: "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(appIcon)), MIMEType: "image/svg+xml", Sizes: []string{"any"}}}
}

// forApp adds to a result what the Kite app needs to repeat it, and for a tool
// that exists to open a screen the screen itself.
func (t *Tool) forApp(result *mcp.CallToolResult, from *Source) *mcp.CallToolResult {
	if result == nil || from == nil {
		return result
	}
	if result.Meta == nil {
		result.Meta = mcp.Meta{}
	}
	result.Meta[sourceMeta] = from
	if t.App.Linked {
		result.Meta["ui"] = map[string]any{"resourceUri": ui.URI}
		result.Meta[resourceAlias] = ui.URI
	}
	return result
}
