package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kite-mcp/kite-mcp/catalog"
)

var anchorMissing = Rule{
	ID: "KL305", Slug: "anchor-missing", Severity: grades("WWW"),
	Doc: "The fragment of a link names a heading of its target, in the form GitHub gives it, or an id or name attribute there.",
	link: func(c *linkCase) *verdict {
		fragment := c.target.Fragment
		target, ok := c.index.files[c.target.Path]
		if c.fault != nil || fragment == "" || fragment == "top" || !ok || !target.parsed {
			return nil
		}
		if _, ok := target.anchors[fragment]; ok {
			return nil
		}
		v := &verdict{message: fmt.Sprintf("no heading or anchor #%s in %s", fragment, c.target.Path)}
		if near := catalog.Closest(fragment, slices.Sorted(maps.Keys(target.anchors))); near != "" {
			v.help = "did you mean #" + near + "?"
		}
		return v
	},
}
