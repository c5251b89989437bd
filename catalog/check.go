package catalog

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// checkYAML parses a file's frontmatter and reports what keeps it from being read.
func checkYAML(f *File) (*yaml.Node, []Problem) {
	node, err := parseFrontmatter(f.Front.Block)
	if err != nil {
		return nil, []Problem{{Rule: "KL103", Severity: Error, Path: f.Path, Line: 2, Column: 1, Message: fmt.Sprint(err)}}
	}
	return node, nil
}

// checkTree runs the rules that need more than one file.
func checkTree(t *Tree) []Problem {
	var out []Problem
	if t.File(rootFile) == nil {
		out = append(out, Problem{Rule: "KL200", Severity: Error, Path: rootFile, Line: 1, Column: 1, Message: "no index.md at the root of the catalog"})
	}
	return out
}
