package tools

import (
	"errors"
	"fmt"
	"slices"
)

// Profile is what decides what one caller sees. It comes from the caller's own
// request, never from its name and never from earlier traffic.
type Profile struct {
	Skills bool // negotiated io.modelcontextprotocol/skills
	Apps   bool // shows MCP Apps
}

// ErrUnknownTool is returned for a name the caller cannot see.
var ErrUnknownTool = errors.New("unknown tool")

// Surface is the tools one caller sees. For is the only filter in the program;
// lists, calls, help and completions all go through it.
type Surface struct {
	registry *Registry
	profile  Profile
}

// For returns the surface of a profile.
func (r *Registry) For(p Profile) Surface { return Surface{registry: r, profile: p} }

// Tools returns the visible tools in registry order.
func (s Surface) Tools() []*Tool {
	return slices.DeleteFunc(s.registry.Tools(), func(t *Tool) bool { return !s.sees(t) })
}

// Has reports whether the caller sees a tool of that name.
func (s Surface) Has(name string) bool {
	t := s.registry.Tool(name)
	return t != nil && s.sees(t)
}

func (s Surface) sees(t *Tool) bool {
	switch t.Audience {
	case WithoutSkills:
		return !s.profile.Skills
	case WithApps:
		return s.profile.Apps
	default:
		return true
	}
}

// find returns a visible tool. A tool that the caller's own extension hides is
// refused with directions; any other hidden name is simply unknown.
func (s Surface) find(name string) (*Tool, error) {
	t := s.registry.Tool(name)
	switch {
	case t == nil || !s.sees(t) && t.Audience == WithApps:
		return nil, fmt.Errorf("%w %s", ErrUnknownTool, quoted(name))
	case !s.sees(t):
		return nil, &Failure{
			Code: CodeInvalidArgument, Message: t.Name + " is not used with the Skills extension",
			Hint: "Call skills/list and read skill:// resources",
		}
	}
	return t, nil
}
