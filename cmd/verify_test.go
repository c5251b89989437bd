package cmd_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/cmd"
)

// TestVerify changes files behind the back of a loaded catalog.
func TestVerify(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	loaded := fstest.MapFS{
		"index.md":          file("`/orders`\n"),
		"orders/SKILL.md":   file("---\nname: orders\ndescription: Orders.\n---\n# Orders\n"),
		"orders/prepare.md": file("---\ndescription: Prepare.\n---\n# Prepare\n"),
		"orders/settle.md":  file("---\ndescription: Settle.\n---\n# Settle\n"),
	}
	pages, err := catalog.Load(loaded)
	if err != nil {
		t.Fatal(err)
	}
	const skill, prepare, settle = "skill://orders/SKILL.md", "skill://orders/prepare.md", "skill://orders/settle.md"
	if diff := cmp.Diff(map[string]string{skill: "", prepare: "", settle: ""}, cmd.Verify(loaded, pages)); diff != "" {
		t.Errorf("nothing changed (-want +got):\n%s", diff)
	}
	changed := maps.Clone(loaded)
	changed["orders/SKILL.md"] = file("---\nname: orders\ndescription: orders.\n---\n# Orders\n") // as long as before
	changed["orders/prepare.md"] = file("---\ndescription: Prepare.\n---\n# Prepare it\n")
	changed["orders/new.md"] = file("# New\n")
	delete(changed, "orders/settle.md")
	got := cmd.Verify(changed, pages)
	for uri, want := range map[string]string{skill: "digest is sha256:", prepare: "size is ", settle: "missing", "skill://orders/new.md": "not in the manifest"} {
		if !strings.HasPrefix(got[uri], want) {
			t.Errorf("%s: %q, want %q", uri, got[uri], want)
		}
	}
}
