package catalog

import (
	"embed"
	"io/fs"
)

// files holds the published pages. embed has no "**" and rejects a pattern that
// matches nothing, so the first page at a new depth adds one pattern here;
// TestEmbedMatchesDisk prints which.
//
//go:embed *.md */*.md
var files embed.FS

// Embedded returns the pages that ship inside the binary.
func Embedded() fs.FS { return files }
