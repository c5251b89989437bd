package lint

import (
	"fmt"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

var linkAbsolute = Rule{
	ID: "KL303", Slug: "link-absolute", Severity: grades("EEE"),
	Doc: "Links between pages are relative. A path from the root, a drive letter or a file: address means another place, or none, on the reader's machine.",
	link: func(c *linkCase) *verdict {
		if !c.faulty(catalog.LinkAbsolute) {
			return nil
		}
		v := &verdict{message: fmt.Sprintf("link %s is absolute", c.dest), help: "write it relative to this file"}
		p, fragment, _ := strings.Cut(strings.Trim(c.dest, "/"), "#")
		// The path may have been meant as a file or as a help key.
		for _, target := range []string{p, p + ".md", p + "/" + catalog.SkillFile} {
			if _, ok := c.index.files[target]; ok {
				v.help = use(relative(c.file, target))
				if fragment != "" {
					v.help += "#" + fragment
				}
				break
			}
		}
		return v
	},
}
