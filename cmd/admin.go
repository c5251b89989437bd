package cmd

import "github.com/spf13/cobra"

func newAdmin(app *App) *cobra.Command {
	c := parent(&cobra.Command{
		Use: "admin", Short: "Look after a server", GroupID: groupServe,
		Long: "Commands for whoever runs a server, on its own machine. None of them asks Kite for\n" +
			"anything.",
		Example: examples("kite-mcp admin audit verify audit.jsonl", "kite-mcp admin audit verify audit.jsonl -o json"),
	})
	c.AddCommand(newAdminAudit(app))
	return c
}

func newAdminAudit(app *App) *cobra.Command {
	c := parent(&cobra.Command{
		Use: "audit", Short: "Check an audit log",
		Long: "An audit log is what AUDIT_LOG names: one line of JSON for every login, approval and\n" +
			"change, each with the hash of the one before.",
		Example: examples("kite-mcp admin audit verify audit.jsonl", "kite-mcp admin audit verify audit.jsonl -o json"),
	})
	c.AddCommand(newAdminAuditVerify(app))
	return c
}
