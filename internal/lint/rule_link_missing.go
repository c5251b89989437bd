package lint

import (
	"fmt"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

var linkMissing = Rule{
	ID: "KL300", Slug: "link-missing", Severity: grades("EEE"),
	Doc: "The target of a relative link exists. A destination whose percent escapes cannot be decoded, or hide a path character, leads nowhere.",
	link: func(c *linkCase) *verdict {
		if c.faulty(catalog.LinkEncoding) {
			return &verdict{message: c.fault.Error(), help: "write the path without escapes"}
		}
		if c.fault != nil || c.index.names[c.target.Path] || c.index.folded[strings.ToLower(c.target.Path)] != "" {
			return nil
		}
		v := &verdict{message: fmt.Sprintf("link target %s does not exist", c.target.Path)}
		if near := c.index.nearest(c.target.Path); near != "" {
			v.help = "did you mean " + relative(c.file, near) + "?"
		}
		return v
	},
}
