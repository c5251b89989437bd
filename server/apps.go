package server

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/ui"
)

// appsExtension is the identifier under which clients and server negotiate MCP
// Apps.
const appsExtension = "io.modelcontextprotocol/ui"

// Apps says which clients get the Kite app.
type Apps int

// The choices.
const (
	AppsAuto   Apps = iota // those that declare MCP Apps
	AppsAlways             // all: some hosts show apps and do not declare it
	AppsNever              // none
)

// showsApps reports whether a client declares that it shows MCP Apps.
func showsApps(caps *mcp.ClientCapabilities) bool {
	settings, _ := caps.Extensions[appsExtension].(map[string]any)
	types, _ := settings["mimeTypes"].([]any)
	for _, t := range types {
		if t == ui.MIMEType {
			return true
		}
	}
	return false
}

// addApp publishes the Kite app. It holds no account data, so anybody may read
// it; only clients that show apps are pointed to it.
func (s *Server) addApp() {
	if s.opts.Apps == AppsNever {
		return
	}
	text := ui.HTML()
	// Nothing may be fetched. Hosts look here, in the list and in what is read.
	meta := mcp.Meta{
		"ui": map[string]any{
			"csp":           map[string]any{"connectDomains": []string{}, "resourceDomains": []string{}, "frameDomains": []string{}, "baseUriDomains": []string{}},
			"prefersBorder": true,
		},
		"openai/ui": map[string]any{"availableDisplayModes": []string{"inline", "fullscreen"}, "preferredDisplayMode": "inline"},
	}
	s.mcp.AddResource(
		&mcp.Resource{
			URI: ui.URI, Name: "kite_explorer", Title: "Kite explorer", MIMEType: ui.MIMEType, Meta: meta,
			Description: "The Kite app: screens for holdings, positions, funds, orders, triggers, option chains, quotes, charts and finding instruments. It holds no account data.",
		},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: ui.URI, MIMEType: ui.MIMEType, Text: text, Meta: meta}}}, nil
		},
	)
}

// appInstructions is for clients that show the Kite app.
const appInstructions = " To let the person see and browse holdings, positions, funds, orders, triggers, option chains, quotes or charts, or to find instruments, call open_kite_view."

// opens reports whether a caller can open the app: no view may be left.
func (s *Server) opens(p tools.Profile) bool {
	return s.opts.Registry.For(p).Has("open_kite_view")
}

// instructPerCaller tells clients that show the Kite app how to open it.
func (s *Server) instructPerCaller(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if err != nil {
			return result, err
		}
		switch r := result.(type) {
		case *mcp.InitializeResult:
			first, ok := req.(*mcp.ServerRequest[*mcp.InitializeParams])
			if !ok || !s.opens(s.profile(first.Params.Capabilities)) {
				return result, nil
			}
			own := *r
			own.Instructions += appInstructions
			return &own, nil
		case *mcp.DiscoverResult:
			if !s.opens(s.profileOf(req)) {
				return result, nil
			}
			own := *r
			own.Instructions += appInstructions
			return &own, nil
		}
		return result, nil
	}
}
