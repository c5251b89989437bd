package tools

import "github.com/kite-mcp/kite-mcp/catalog"

// Guide answers questions about the tools that one caller sees. The three help
// tools and the tools command are its front ends.
type Guide struct {
	Surface
	pages  *catalog.Catalog
	server Identity
	demo   bool
}

// Guide returns the guide to a caller's tools.
func (r *Registry) Guide(env *Env, p Profile) Guide {
	return Guide{Surface: r.For(p), pages: env.Catalog, server: env.Server, demo: env.Demo}
}

// Identity is the program's name and version.
type Identity struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}
