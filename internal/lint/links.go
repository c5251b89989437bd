package lint

import (
	"errors"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// linkCase is one link with all that its rules need.
type linkCase struct {
	index  *index
	file   string // that holds the link
	dest   string // as the page means it, escapes of Markdown resolved
	target catalog.Target
	fault  *catalog.LinkError // set when there is no target
}

// verdict is what a rule has to say about a link.
type verdict struct {
	message string
	help    string
	milder  Severity // instead of the rule's severity; 0 = the rule's
}

// checkLinks runs the link rules over the index. Links to other schemes are not
// followed: a check must not need a network.
func (r *run) checkLinks() []Finding {
	var found []Finding
	for _, file := range r.index.order {
		for _, l := range r.index.files[file].links {
			c := &linkCase{index: r.index, file: file, dest: l.dest}
			var err error
			c.target, err = catalog.ResolveLink(file, l.dest)
			c.fault, _ = errors.AsType[*catalog.LinkError](err)
			if c.target.External {
				continue
			}
			for _, rule := range r.links {
				v := rule.link(c)
				if v == nil {
					continue
				}
				severity := r.grades[rule.ID]
				if v.milder != Off && !r.chosen[rule.ID] {
					severity = v.milder
				}
				if f, ok := r.finding(rule.ID, file, severity, l.at, v.message, v.help); ok {
					found = append(found, f)
				}
			}
		}
	}
	return found
}

// faulty reports whether the destination was refused for this reason.
func (c *linkCase) faulty(f catalog.LinkFault) bool { return c.fault != nil && c.fault.Fault == f }

// use is the help that offers a destination.
func use(dest string) string { return "use " + dest }
