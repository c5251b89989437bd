package cmd

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// serverTools are the tools of another server. What it says about them is a
// claim.
type serverTools struct {
	app  *App
	host *host.Host
}

func (s serverTools) Close() error { return s.host.Close() }

func (s serverTools) list(ctx context.Context, _ string) (toolList, error) {
	list, err := s.host.Tools(ctx)
	if err != nil {
		return toolList{}, err
	}
	out := toolList{}
	objects := make([]json.RawMessage, len(list))
	for i, t := range list {
		title := t.Title
		if title == "" {
			title, _, _ = strings.Cut(t.Description, "\n")
		}
		out.rows = append(out.rows, toolRow{name: t.Name, category: "-", effect: claim(t), modes: "-", title: title})
		objects[i] = t.Raw
	}
	out.object = map[string][]json.RawMessage{"tools": objects}
	return out, nil
}

// claim is what a server says that its tool does.
func claim(t host.Tool) string {
	switch {
	case t.ReadOnly:
		return effectWord(tools.ReadOnly)
	case t.Destructive:
		return effectWord(tools.Destroy)
	default:
		return effectWord(tools.Write)
	}
}

func (s serverTools) tool(ctx context.Context, name string) (host.Tool, error) {
	list, err := s.host.Tools(ctx)
	if err != nil {
		return host.Tool{}, err
	}
	var names []string
	for _, t := range list {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return host.Tool{}, noTool(name, names)
}

func (s serverTools) show(ctx context.Context, name string) (toolPage, error) {
	t, err := s.tool(ctx, name)
	if err != nil {
		return toolPage{}, err
	}
	var b strings.Builder
	b.WriteString("# " + t.Name)
	if t.Title != "" {
		b.WriteString(": " + t.Title)
	}
	b.WriteString("\n\n" + t.Description + "\n\nThe server says that it " + claim(t) + ".\n")
	writeArguments(&b, schemaOf(t))
	return toolPage{markdown: render.Clean(b.String()), object: t.Raw}, nil
}

// schemaOf reads a schema as far as it can be read; one that cannot has no
// properties, and the server checks the arguments anyway.
func schemaOf(t host.Tool) *jsonschema.Schema {
	schema := &jsonschema.Schema{}
	if err := json.Unmarshal(t.Schema, schema); err != nil {
		return &jsonschema.Schema{}
	}
	return schema
}

func (s serverTools) find(ctx context.Context, name string) (callable, error) {
	t, err := s.tool(ctx, name)
	if err != nil {
		return callable{}, err
	}
	return callable{name: t.Name, schema: schemaOf(t), call: func(ctx context.Context, args json.RawMessage) (tools.Result, error) {
		if !t.ReadOnly {
			if err := s.app.confirm(ctx, quoted(t.Name)+" of another server may change something. Call it?"); err != nil {
				return tools.Result{}, err
			}
		}
		r, err := s.host.CallTool(ctx, t.Name, args)
		switch {
		case err != nil:
			return tools.Result{}, err
		case r.Failed:
			return tools.Result{}, &problem{Code: codeToolFailed, Message: "the tool failed: " + r.Text}
		case r.Structured == nil:
			return tools.Result{Structured: r.Raw, Text: r.Text}, nil
		}
		return tools.Result{Structured: r.Structured, Text: r.Text}, nil
	}}, nil
}

// confirm asks a question on the terminal; anything but yes is an error.
func (a *App) confirm(ctx context.Context, question string) error {
	yes, err := a.ask(ctx, question)
	if err == nil && !yes {
		err = &problem{Code: string(tools.CodeApprovalDeclined), Message: "not called"}
	}
	return err
}

// canAsk reports whether there is a person at a terminal.
func (a *App) canAsk() bool { return a.terminal().in && a.terminal().err }

// ask puts a question on the terminal; anything but yes is a no.
func (a *App) ask(ctx context.Context, question string) (yes bool, err error) {
	if !a.canAsk() {
		return false, &problem{Code: codeNoTerminal, Message: question + " That needs a yes on a terminal"}
	}
	if _, err := io.WriteString(a.proc.Err, render.Clean(question)+" [y/N] "); err != nil {
		return false, err
	}
	line, err := readLine(ctx, a.proc.In)
	if err != nil && ctx.Err() != nil {
		return false, ctx.Err()
	}
	word := strings.ToLower(strings.TrimSpace(line)) // what cannot be read is no yes
	return word == "y" || word == "yes", nil
}
