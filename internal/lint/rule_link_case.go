package lint

import (
	"fmt"
	"strings"
)

var linkCaseRule = Rule{
	ID: "KL301", Slug: "link-case", Severity: grades("EEE"), Fixable: true,
	Doc: "A link spells its target in the letter case of the file. Another case works on file systems that ignore it and fails when the page is served.",
	link: func(c *linkCase) *verdict {
		if c.fault != nil || c.index.names[c.target.Path] {
			return nil
		}
		actual := c.index.folded[strings.ToLower(c.target.Path)]
		if actual == "" {
			return nil
		}
		return &verdict{
			message: fmt.Sprintf("link target %s is spelled %s", c.target.Path, actual),
			help:    use(relative(c.file, actual)),
		}
	},
}
