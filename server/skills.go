package server

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// The params keep their members raw, so that a wrong type is refused in our
// words instead of an echo of the caller's bytes and our type names.
type skillsListParams struct {
	mcp.ParamsBase
	Cursor json.RawMessage `json:"cursor,omitempty"`
}

type skillsGetParams struct {
	mcp.ParamsBase
	URI json.RawMessage `json:"uri,omitempty"`
}

// cacheable is the part of both results that the SDK adds only to its own types.
type cacheable struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
	TTLMs      int    `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

// complete is made anew for every answer: the SDK writes into its _meta.
func complete() cacheable {
	return cacheable{ResultType: "complete", TTLMs: cacheTTL, CacheScope: "public"}
}

type skillsListResult struct {
	cacheable
	Skills []*catalog.Skill `json:"skills"`
}

type skillsGetResult struct {
	cacheable
	Skill *catalog.Skill `json:"skill"`
}

// addSkills registers skills/list and skills/get. They also answer clients that
// never declared the extension: the content is static and public.
func (s *Server) addSkills() error {
	err := mcp.AddReceivingCustomMethod(s.mcp, "skills/list",
		func(_ context.Context, _ *mcp.ServerSession, p *skillsListParams) (*skillsListResult, error) {
			if p != nil { // params may be absent
				if cursor, ok := optionalText(p.Cursor); !ok || cursor != "" {
					return nil, invalidParams("unknown cursor: the list is one page, call it without a cursor")
				}
			}
			return &skillsListResult{cacheable: complete(), Skills: s.opts.Env.Catalog.Skills()}, nil
		})
	if err != nil {
		return err
	}
	return mcp.AddReceivingCustomMethod(s.mcp, "skills/get",
		func(_ context.Context, _ *mcp.ServerSession, p *skillsGetParams) (*skillsGetResult, error) {
			if p == nil {
				return nil, invalidParams("uri is required, such as skill://orders/SKILL.md")
			}
			uri, ok := optionalText(p.URI)
			if !ok || uri == "" {
				return nil, invalidParams("uri is required, such as skill://orders/SKILL.md")
			}
			skill := s.opts.Env.Catalog.Skill(uri)
			if skill == nil {
				return nil, invalidParams("unknown skill: uri must be one that skills/list gives, ending in /SKILL.md")
			}
			return &skillsGetResult{cacheable: complete(), Skill: skill}, nil
		})
}

// optionalText reads a string member; absent and null count as empty.
func optionalText(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", true
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", false
	}
	return text, true
}

func invalidParams(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}
