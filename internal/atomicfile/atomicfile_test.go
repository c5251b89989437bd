package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/atomicfile"
)

const pattern = ".temp-*"

// folder lists a folder with what is in its files.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name())) //nolint:gosec // the test's own folder
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

func TestWriteReplaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	place := filepath.Join(dir, "a")
	for _, text := range []string{"old", "new"} {
		if err := atomicfile.Write(place, pattern, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"a": text}, folder(t, dir)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
	if info, err := os.Stat(place); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestNothingIsLeftBehind: however a file ends, the folder has the old one or the new one and nothing else.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		end  func(f *atomicfile.File, dir string) error
		err  error
		want map[string]string
	}{
		"discarded":    {func(f *atomicfile.File, _ string) error { f.Discard(); return nil }, nil, map[string]string{"a": "old"}},
		"named":        {func(f *atomicfile.File, dir string) error { return f.Commit(filepath.Join(dir, "a")) }, nil, map[string]string{"a": "new"}},
		"name is free": {func(f *atomicfile.File, dir string) error { return f.CommitNew(filepath.Join(dir, "b")) }, nil, map[string]string{"a": "old", "b": "new"}},
		"name is taken": {
			func(f *atomicfile.File, dir string) error { return f.CommitNew(filepath.Join(dir, "a")) }, fs.ErrExist,
			map[string]string{"a": "old"},
		},
		"no such folder": {func(f *atomicfile.File, dir string) error { return f.Commit(filepath.Join(dir, "no", "a")) }, fs.ErrNotExist, map[string]string{"a": "old"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := atomicfile.Write(filepath.Join(dir, "a"), pattern, []byte("old")); err != nil {
				t.Fatal(err)
			}
			f, err := atomicfile.Create(dir, pattern)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte("new")); err != nil {
				t.Fatal(err)
			}
			if err := tc.end(f, dir); !errors.Is(err, tc.err) {
				t.Errorf("error %v, want %v", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, folder(t, dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	if err := atomicfile.Write(filepath.Join(t.TempDir(), "no", "a"), pattern, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
