package server

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/completions"
)

const (
	pathTemplate   = catalog.Scheme + "{+path}" // what clients complete: skill://orders/prepare.md
	maxCompletions = 100                        // values of one answer, set by the protocol
)

// complete answers completion/complete for the paths of skill files. It offers
// values only: there is no resource template to read through.
func (s *Server) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, argument := req.Params.Ref, req.Params.Argument
	if ref.Type != "ref/resource" || ref.URI != pathTemplate || argument.Name != "path" {
		return nil, invalidParams("only the argument path of ref/resource " + pathTemplate + " can be completed")
	}
	values := []string{}
	found := completions.Resources(s.opts.Env.Catalog, catalog.Scheme+argument.Value)
	for _, v := range found[:min(len(found), maxCompletions)] {
		values = append(values, strings.TrimPrefix(v.Text, catalog.Scheme))
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(found), HasMore: len(found) > len(values)}}, nil
}
