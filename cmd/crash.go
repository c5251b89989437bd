package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kite-mcp/kite-mcp/tui"
)

// codeCrashed is a fault of this program.
const codeCrashed = "crashed"

// crashed puts the details of a crash into a file of the state folder, since a
// terminal is no place for them, and says where they are. Other errors pass.
func (a *App) crashed(err error) error {
	crash, ok := errors.AsType[*tui.CrashError](err)
	if !ok {
		return err
	}
	p := &problem{Code: codeCrashed, Message: crash.Error(), Hint: "this is a fault of kite-mcp, please report it"}
	file, saveErr := a.saveCrash(crash)
	switch {
	case saveErr != nil:
		p.Hint += "; the details could not be kept: " + saveErr.Error()
	case file != "":
		p.Hint += " with " + file
	}
	return p
}

// saveCrash returns the file, or "" when there is no state folder.
func (a *App) saveCrash(crash *tui.CrashError) (file string, err error) {
	dir := a.stateDir()
	if dir == "" {
		return "", nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	now, built := a.proc.Now(), a.build()
	file = filepath.Join(dir, "crash-"+now.UTC().Format("20060102-150405")+".txt")
	text := fmt.Sprintf("kite-mcp %s %s, %s, %s\n%s\n\n%s", built.Version, built.Commit, built.Platform, now, crash.Error(), crash.Stack)
	return file, os.WriteFile(file, []byte(text), 0o600)
}
