// Kite-mcp serves Kite account tools, help and Skills over MCP, on the command
// line and in a terminal browser.
package main

import (
	"os"
	"time"
	_ "time/tzdata" // a container has no zone files

	"github.com/kite-mcp/kite-mcp/cmd"
)

// version is stamped by the release build (-ldflags -X); without it the version
// comes from the build information.
var version string

func main() {
	os.Exit(cmd.Main(&cmd.Process{ //nolint:forbidigo // the one place where process state enters
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Now: time.Now, Version: version,
	}))
}
