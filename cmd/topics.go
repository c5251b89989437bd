package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/config"
)

// newExitCodes is a help topic, not a command: kite-mcp help exit-codes.
func newExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("What the exit status of a command means:\n\n")
	for _, s := range exitStatuses() {
		fmt.Fprintf(&b, "  %3d  %s\n", s.status, s.meaning)
	}
	b.WriteString("\nThe reason is on stderr, with -o json as one line\n" +
		`{"error":{"code":"...","message":"...","hint":"...","did_you_mean":[]}}.`)
	return &cobra.Command{Use: "exit-codes", Short: "What exit statuses mean", Long: b.String()}
}

// exitStatus is one row of the table of exit statuses.
type exitStatus struct {
	status  int
	meaning string
}

func exitStatuses() []exitStatus {
	return []exitStatus{
		{exitOK, "done; serve was stopped by a signal"},
		{exitNo, "ran, and the answer is no: findings, a different digest, an unknown key, a failed tool"},
		{exitUsage, "wrong usage, input that cannot be read, no terminal where one is needed"},
		{exitLintBroken, "lint only: it could not finish"},
		{exitLogin, "the Kite login is missing or has expired, or another server wants one"},
		{exitInterrupted, "interrupted"},
	}
}

// newEnvironment is a help topic, not a command: kite-mcp help environment.
func newEnvironment() *cobra.Command {
	var b strings.Builder
	b.WriteString("Variables that kite-mcp reads. Flags win over them, blank values count as not set:\n\n")
	for _, v := range config.Variables() {
		doc := v.Doc
		if v.Default != "" {
			doc += " (" + v.Default + ")"
		}
		fmt.Fprintf(&b, "  %-28s %s\n", v.Name, doc)
	}
	b.WriteString("\nOutput also follows NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM, COLORFGBG,\n" +
		"KITE_MCP_PAGER, PAGER and LESS; tui also KITE_MCP_SCREEN_READER.")
	return &cobra.Command{Use: "environment", Short: "Environment variables", Long: b.String()}
}
