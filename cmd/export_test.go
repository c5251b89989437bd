package cmd

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/tui"
)

// NewRoot builds the command tree for tests that read it.
func NewRoot(p *Process) *cobra.Command {
	root := newRoot(newApp(p))
	root.InitDefaultHelpCmd()
	return root
}

// Exit returns the code and status that an error ends with.
func Exit(ctx context.Context, err error) (code string, status int) {
	p := newApp(&Process{}).explain(ctx, err)
	if p.status != 0 {
		return p.Code, p.status
	}
	return p.Code, statusOf(p.Code)
}

// Explained returns what a person is told of an error.
func Explained(ctx context.Context, err error) (message, hint string) {
	p := newApp(&Process{}).explain(ctx, err)
	return p.Message, p.Hint
}

// CompletionScript generates a script with descriptions.
func CompletionScript(root *cobra.Command, shell string) (string, error) {
	return completionScript(root, shell, true)
}

// Colors reports what --color and the environment lead to.
func Colors(p *Process, flag string) bool {
	a := newApp(p)
	a.flags.color = flag
	return a.color()
}

// ExitStatuses lists the statuses that help exit-codes explains.
func ExitStatuses() []int {
	var out []int
	for _, s := range exitStatuses() {
		out = append(out, s.status)
	}
	return out
}

// ParseSums reads a sha256sum list.
func ParseSums(list []byte) (map[string]string, error) { return parseSums("list", list) }

// ParsePairs reads NAME=VALUE words.
func ParsePairs(tool *tools.Tool, pairs []string) (json.RawMessage, error) {
	return parsePairs(tool.Name, tool.Schema(), pairs)
}

// EscapeJSON makes JSON safe to show on a terminal.
func EscapeJSON(s string) string { return escapeJSON(s) }

// Verify compares the files of a tree with the manifests of a catalog and returns
// what differs, by URI; "" stands for a file that does not.
func Verify(files fs.FS, pages *catalog.Catalog) map[string]string {
	tree, _ := catalog.Scan(files)
	found := map[string]string{}
	for _, v := range verify(tree, pages.Skills()) {
		found[v.URI] = v.Problem
		if v.OK != (v.Problem == "") {
			found[v.URI] = "contradicts itself"
		}
	}
	return found
}

// Table lays out rows as on a terminal of the given width, in a pipe and as
// Markdown.
func Table(width int, titles []string, rows [][]string) (aligned, tabbed, markdown string) {
	t := &table{rows: rows}
	for _, title := range titles {
		t.columns = append(t.columns, column{title: title})
	}
	return t.aligned(width, func(s string) string { return s }), t.tabbed(), t.markdown()
}

// SplitCommand splits the value of --stdio.
func SplitCommand(line string) ([]string, error) { return splitCommand(line) }

// ViewKey returns the keys that the browser gives to two pages of another server
// that have the same key there.
func ViewKey(word string) [2]catalog.Key {
	v := &serverView{byKey: map[catalog.Key]*viewPage{{}: {folder: true}}, used: map[string]int{}}
	v.add(treeKey{Key: word})
	v.add(treeKey{Key: word})
	var keys [2]catalog.Key
	for k, p := range v.byKey {
		switch {
		case p.folder:
		case keys[0].IsRoot():
			keys[0] = k
		default:
			keys[1] = k
		}
	}
	return keys
}

// Crashed reports a crash of the browser as tui does.
func Crashed(p *Process, crash *tui.CrashError) error { return newApp(p).crashed(crash) }

// PreviewPage serves the host page of app preview before an MCP server, and
// returns the token of its address.
func PreviewPage(mcp http.Handler) (page http.Handler, token string) {
	p := newPreviewPage(mcp)
	return p, p.token
}
