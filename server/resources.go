package server

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const markdown = "text/markdown"

// addResources publishes every file of every skill under its exact URI. There
// are no templates: one would swallow unknown skill:// URIs.
func (s *Server) addResources() {
	for _, r := range s.opts.Env.Catalog.Resources() {
		text := string(r.Raw)
		s.mcp.AddResource(
			&mcp.Resource{URI: r.URI, Name: r.Name, Description: r.Description, MIMEType: markdown, Size: r.Size},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.URI, MIMEType: markdown, Text: text}}}, nil
			},
		)
	}
}
