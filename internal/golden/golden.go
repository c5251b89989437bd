// Package golden compares test output with committed files. It owns the -update
// flag, which rewrites those files instead; it does not decide where they lie or
// what they hold. The entry point is Equal.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files with what the tests got")

// Updating reports whether the test run rewrites golden files. Tests that keep
// expectations elsewhere, such as in a section of an archive, ask it.
func Updating() bool { return *update }

// Equal fails the test unless got equals the file at path, relative to the
// package directory. Under -update it writes the file, with its directories.
func Equal(tb testing.TB, path string, got []byte) {
	tb.Helper()
	if *update {
		if err := Write(path, got); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := fs.ReadFile(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) {
		tb.Fatalf("%s does not exist; go test -update writes it", path)
	}
	if err != nil {
		tb.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		tb.Errorf("%s differs (-want +got); go test -update accepts it:\n%s", path, cmp.Diff(string(want), string(got)))
	}
}

// Write stores a golden file, with its directories.
func Write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
