// Kite-mcp serves a Kite account over MCP, on the command line and in a browser for the terminal.
package main

import (
	"os"
	"time"
	_ "time/tzdata" // a container has no zone files

	"github.com/kite-mcp/kite-mcp/cmd"
)

// version is stamped by release builds, see the Makefile.
var version string

func main() {
	os.Exit(cmd.Main(&cmd.Process{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Now: time.Now, Version: version})) //nolint:forbidigo // process state enters and ends here only
}
