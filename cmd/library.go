package cmd

import (
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// library is where help pages come from: this program's catalog, or another
// server.
type library interface {
	// page returns one page by the word that a person typed.
	page(ctx context.Context, word string) (*document, error)
	// tree returns a page and what lies below it, down to depth levels, 0 for all.
	tree(ctx context.Context, word string, depth int) ([]treeKey, error)
	io.Closer
}

// document is one help page.
type document struct {
	key      string
	markdown string                             // as the MCP help tool shows it
	body     string                             // the same without its place in the tree
	raw      []byte                             // its file, nil when it has none
	object   func(context.Context) (any, error) // as the MCP help tool structures it
}

// library returns the pages that the command line asks for. The caller closes it.
func (a *App) library(ctx context.Context) (library, error) {
	if !a.remote() {
		return catalogPages{a}, nil
	}
	return a.openLibrary(ctx, host.Options{})
}

// serverPages are the pages of another server.
type serverPages interface {
	library
	Server() host.Server
}

func (a *App) openLibrary(ctx context.Context, opts host.Options) (serverPages, error) {
	h, err := a.connect(ctx, opts)
	if err != nil {
		return nil, err
	}
	lib, err := a.serverLibrary(ctx, h)
	if err != nil {
		closing(h)
		return nil, err
	}
	return lib, nil
}

// serverLibrary takes the best that a server has: Skills, else a help tool, else
// its resources.
func (a *App) serverLibrary(ctx context.Context, h *host.Host) (serverPages, error) {
	if h.Server().Skills {
		l, err := a.listing(ctx, h)
		if err != nil {
			return nil, err
		}
		return newSkillPages(h, l)
	}
	list, err := h.Tools(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(list, func(t host.Tool) bool { return t.Name == helpTool }) {
		a.note("note: the server has no Skills; its help tool answers")
		return helpPages{h}, nil
	}
	a.note("note: the server has neither Skills nor a help tool; these are its resources, and nothing verifies them")
	return resourcePages{h}, nil
}

// catalogPages are the pages of this program.
type catalogPages struct{ app *App }

func (catalogPages) Close() error { return nil }

func (c catalogPages) page(_ context.Context, word string) (*document, error) {
	key, err := c.app.resolveKey(word)
	if err != nil {
		return nil, err
	}
	pages, err := c.app.catalog()
	if err != nil {
		return nil, err
	}
	page, err := pages.Page(key)
	if err != nil {
		return nil, err
	}
	markdown, err := pages.Text(key)
	if err != nil {
		return nil, err
	}
	return &document{key: key.String(), markdown: markdown, raw: page.Raw, object: func(ctx context.Context) (any, error) {
		return c.app.helpObject(ctx, key)
	}}, nil
}

// helpObject is the structured result of the MCP help tool, which is one registry
// call away whatever the operator excluded.
func (a *App) helpObject(ctx context.Context, key catalog.Key) (any, error) {
	reg, err := a.allTools()
	if err != nil {
		return nil, err
	}
	pages, err := a.catalog()
	if err != nil {
		return nil, err
	}
	args, err := json.Marshal(map[string]string{"key": key.String()})
	if err != nil {
		return nil, err
	}
	result, err := reg.Call(ctx, &tools.Env{Catalog: pages, Now: a.proc.Now}, tools.Profile{}, helpTool, args)
	if err != nil {
		return nil, err
	}
	return result.Structured, nil
}

func (c catalogPages) tree(_ context.Context, word string, depth int) ([]treeKey, error) {
	pages, err := c.app.catalog()
	if err != nil {
		return nil, err
	}
	key, err := c.app.resolveKey(word)
	if err != nil {
		return nil, err
	}
	top, err := pages.Page(key)
	if err != nil {
		return nil, err
	}
	var list []treeKey
	var walk func(p *catalog.Page, level int)
	walk = func(p *catalog.Page, level int) {
		list = append(list, treeKey{Key: p.Key.String(), Kind: p.Kind.String(), Title: p.Title, Description: p.Description, level: level})
		if depth > 0 && level == depth {
			return
		}
		for _, child := range pages.Children(p.Key) {
			walk(child, level+1)
		}
	}
	walk(top, 0)
	return list, nil
}
