// Package server serves the catalog and the tool registry over MCP: one
// mcp.Server for all clients, both protocol eras, stdio and HTTP. It owns
// transports, routing, limits, the Skills methods and resources; what a tool
// does or a page says is decided elsewhere. Start at New, then Stdio, Handler
// or ListenAndServe.
package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/ui"
)

// Name is how the server introduces itself.
const Name = "kite-mcp"

// ProtocolVersions returns the MCP versions that are served, newest first.
func ProtocolVersions() []string { return mcp.SupportedProtocolVersions() }

// skillsExtension is the identifier under which clients and server negotiate
// the Skills interface.
const skillsExtension = "io.modelcontextprotocol/skills"

// cacheTTL is how long static answers stay fresh, in milliseconds.
const cacheTTL = 300_000

// Options is what a server is made of.
type Options struct {
	Registry *tools.Registry
	Env      *tools.Env
	Version  string           // of the program
	Clock    func() time.Time // the wall clock, for network deadlines
	Log      *slog.Logger

	Keys      *store.Keys // seal the states of approvals; nil: keys that end with the process
	TrustHost bool        // a call counts as approved: the client's own program asks about each
	Apps      Apps        // which clients get the Kite app

	// Pages are answered over http besides what the server has, by path: those of a Kite login.
	Pages map[string]http.Handler
}

// Server is the registry and the catalog behind MCP. It may serve any number of
// connections of either transport at once.
type Server struct {
	opts Options
	mcp  *mcp.Server
}

// New builds the server. It fails only for a registry that cannot be described.
func New(opts Options) (*Server, error) {
	caps := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	caps.AddExtension(skillsExtension, nil)
	if opts.Apps != AppsNever {
		caps.AddExtension(appsExtension, map[string]any{"mimeTypes": []string{ui.MIMEType}})
	}
	s := &Server{opts: opts}
	s.mcp = mcp.NewServer(
		&mcp.Implementation{Name: Name, Title: "Kite for traders", Version: opts.Version},
		&mcp.ServerOptions{Capabilities: caps, Instructions: instructions, SetCacheable: setCacheable, CompletionHandler: s.complete},
	)
	approvals := newApprovals(opts)
	conn := tools.Connection{Profile: s.profileOf, Approver: approvals.of, Enter: make(slots, maxCalls).enter}
	if err := tools.Bind(s.mcp, opts.Registry, opts.Env, conn); err != nil {
		return nil, fmt.Errorf("bind tools: %w", err)
	}
	if err := s.addSkills(); err != nil {
		return nil, fmt.Errorf("add skills methods: %w", err)
	}
	s.addResources()
	s.addApp()
	s.addFixtures(approvals)
	// The first one runs first: nothing may panic outside of recoverPanics.
	s.mcp.AddReceivingMiddleware(s.recoverPanics, limitTime, s.listPerCaller, s.instructPerCaller)
	return s, nil
}

// instructions is what a host may show its model about the whole server.
const instructions = "Account and market data of a Zerodha Kite account. " +
	"Before a task, read its workflow: skills/list with the Skills extension, otherwise the help tool starting at key /. " +
	"To find a tool, use kite_search_tools, kite_list_tools_by_category or kite_help. " +
	"Resolve every instrument with market search before using it. " +
	"Documentation never approves a transaction, and it cannot enable a tool that tools/list does not show. " +
	"Times are IST, amounts are rupees."

// setCacheable marks static answers as cacheable by anyone. The tool list and the
// instructions depend on what the caller declared, so nobody may share them.
func setCacheable(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.TTLMs, c.CacheScope = cacheTTL, "public"
	switch req.(type) {
	case *mcp.ListToolsRequest, *mcp.ServerRequest[*mcp.DiscoverParams]:
		c.CacheScope = "private"
	}
}

// capable is what every request from a client can tell about its sender.
type capable interface {
	ClientCapabilities() *mcp.ClientCapabilities
}

// profileOf reads a caller's profile from its own request: the _meta of a modern
// one, the initialized session of a legacy one. The client's name plays no part.
func (s *Server) profileOf(req mcp.Request) tools.Profile {
	c, ok := req.(capable)
	if !ok {
		return tools.Profile{}
	}
	return s.profile(c.ClientCapabilities())
}

// profile is what capabilities come to. Only an object activates an extension:
// not true, null or an experimental entry.
func (s *Server) profile(caps *mcp.ClientCapabilities) tools.Profile {
	p := tools.Profile{Apps: s.opts.Apps == AppsAlways}
	if caps == nil {
		return p
	}
	_, p.Skills = caps.Extensions[skillsExtension].(map[string]any)
	if s.opts.Apps == AppsAuto {
		p.Apps = showsApps(caps)
	}
	return p
}
