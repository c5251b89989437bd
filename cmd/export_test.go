package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

// NewRoot builds the command tree for tests that read it.
func NewRoot(p *Process) *cobra.Command {
	root := newRoot(newApp(p))
	root.InitDefaultHelpCmd()
	return root
}

// Exit returns the code and status that an error ends with.
func Exit(ctx context.Context, err error) (code string, status int) {
	p := explain(ctx, err)
	if p.status != 0 {
		return p.Code, p.status
	}
	return p.Code, statusOf(p.Code)
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
