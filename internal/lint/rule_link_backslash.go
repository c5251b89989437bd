package lint

import (
	"fmt"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

var linkBackslash = Rule{
	ID: "KL304", Slug: "link-backslash", Severity: grades("EEE"), Fixable: true,
	Doc: "Paths in links are written with slashes. A backslash separates names on one system only.",
	link: func(c *linkCase) *verdict {
		if !c.faulty(catalog.LinkBackslash) {
			return nil
		}
		return &verdict{message: fmt.Sprintf("link %s has a backslash", c.dest), help: use(strings.ReplaceAll(c.dest, `\`, "/"))}
	},
}
