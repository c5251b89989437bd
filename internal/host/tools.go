package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxListed bounds the tools and resources that are listed.
const maxListed = 4096

// Tool is a tool as its server describes it.
type Tool struct {
	Name        string
	Title       string
	Description string
	ReadOnly    bool // the server says that it changes nothing
	Destructive bool // the server does not deny that it may destroy
	Schema      json.RawMessage
	Raw         json.RawMessage // the whole description
}

// Tools lists the tools that the server shows this client.
func (h *Host) Tools(ctx context.Context) ([]Tool, error) {
	ctx, done := h.bound(ctx)
	defer done()
	if !h.server.Tools {
		return nil, nil
	}
	var list []Tool
	for t, err := range h.session.Tools(ctx, nil) {
		if err != nil {
			return nil, h.explain(ctx, "list the tools", err)
		}
		if len(list) == maxListed {
			return nil, &LimitError{What: "tools", Most: maxListed}
		}
		tool, err := newTool(t)
		if err != nil {
			return nil, h.explain(ctx, "list the tools", err)
		}
		list = append(list, tool)
	}
	return list, nil
}

func newTool(t *mcp.Tool) (Tool, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return Tool{}, fmt.Errorf("describe tool %q: %w", clip(t.Name), err)
	}
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return Tool{}, fmt.Errorf("describe the arguments of tool %q: %w", clip(t.Name), err)
	}
	tool := Tool{Name: t.Name, Title: t.Title, Description: t.Description, Destructive: true, Schema: schema, Raw: raw}
	if a := t.Annotations; a != nil {
		tool.ReadOnly = a.ReadOnlyHint
		tool.Destructive = a.DestructiveHint == nil || *a.DestructiveHint
		if tool.Title == "" {
			tool.Title = a.Title
		}
	}
	return tool, nil
}

// ToolResult is the answer of a tool.
type ToolResult struct {
	Text       string          // all text; other content is named, not shown
	Structured json.RawMessage // nil when there is none
	Failed     bool            // the tool says that it failed
	Raw        json.RawMessage // the whole answer
}

// CallTool calls a tool with a JSON object of arguments; nil is none. That the
// tool failed is in the result.
func (h *Host) CallTool(ctx context.Context, name string, args json.RawMessage) (*ToolResult, error) {
	ctx, done := h.bound(ctx)
	defer done()
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	doing := "call " + clip(name)
	r, err := h.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, h.explain(ctx, doing, err)
	}
	if r.NeedsInput() {
		return nil, h.explain(ctx, doing, errors.New("the tool asks a person something, which this client cannot pass on"))
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, h.explain(ctx, doing, err)
	}
	out := &ToolResult{Failed: r.IsError, Raw: raw, Text: contentText(r.Content)}
	if r.StructuredContent != nil {
		if out.Structured, err = json.Marshal(r.StructuredContent); err != nil {
			return nil, h.explain(ctx, doing, err)
		}
		// The text is the same object by convention, with its members still in the
		// order that the tool gave them.
		if same := json.RawMessage(out.Text); equalJSON(same, out.Structured) {
			out.Structured = same
		}
	}
	return out, nil
}

func contentText(list []mcp.Content) string {
	parts := make([]string, len(list))
	for i, c := range list {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts[i] = c.Text
		case *mcp.ImageContent:
			parts[i] = fmt.Sprintf("[image, %s, %d bytes]", c.MIMEType, len(c.Data))
		case *mcp.AudioContent:
			parts[i] = fmt.Sprintf("[sound, %s, %d bytes]", c.MIMEType, len(c.Data))
		case *mcp.ResourceLink:
			parts[i] = "[resource " + c.URI + "]"
		case *mcp.EmbeddedResource:
			parts[i] = "[embedded resource]"
			if c.Resource != nil && c.Resource.Text != "" {
				parts[i] = c.Resource.Text
			}
		}
	}
	return strings.Join(parts, "\n")
}

// Resource is a resource as its server lists it.
type Resource struct {
	URI         string
	Name        string
	Description string
	MIMEType    string
	Size        int64
}

// Resources lists the resources of the server; one without that capability has
// none.
func (h *Host) Resources(ctx context.Context) ([]Resource, error) {
	ctx, done := h.bound(ctx)
	defer done()
	if !h.server.resources {
		return nil, nil
	}
	var list []Resource
	for r, err := range h.session.Resources(ctx, nil) {
		if err != nil {
			return nil, h.explain(ctx, "list the resources", err)
		}
		if len(list) == maxListed {
			return nil, &LimitError{What: "resources", Most: maxListed}
		}
		list = append(list, Resource{URI: r.URI, Name: r.Name, Description: r.Description, MIMEType: r.MIMEType, Size: r.Size})
	}
	return list, nil
}

// readPlain reads a resource of a server that has no manifests.
func (h *Host) readPlain(ctx context.Context, uri string) (*File, error) {
	list, err := h.Resources(ctx)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, r := range list {
		if r.URI == uri {
			return h.fetch(ctx, uri)
		}
		known = append(known, r.URI)
	}
	return nil, &UnlistedError{URI: uri, Known: known, Plain: true}
}
