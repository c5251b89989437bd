package lint

import (
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

var linkEscapes = Rule{
	ID: "KL302", Slug: "link-escapes", Severity: grades("EEE"),
	Doc: "A link stays in the tree that is served. In a folder of skills it also stays in its skill, since a skill may be installed alone; leaving that is a warning.",
	link: func(c *linkCase) *verdict {
		if c.faulty(catalog.LinkEscapes) {
			return &verdict{message: "link leads out of the tree", help: "give the address of the page on the web, or move the page here"}
		}
		if c.fault != nil || c.index.profile == Catalog {
			return nil
		}
		dir := c.index.skillDir(c.file)
		if dir == "" || dir == "." || c.target.Path == dir || strings.HasPrefix(c.target.Path, dir+"/") {
			return nil
		}
		return &verdict{message: "link leads out of the skill " + dir, help: "copy the page into the skill", milder: Warning}
	},
}
