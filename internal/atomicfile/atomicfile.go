// Package atomicfile writes files that are never seen half written: a new file is complete and on the disk before it
// gets its name. It owns temporary names, syncing and renaming; what stands in a file is its caller's business. Start at
// Write for what is at hand, at Create for what is still being made.
package atomicfile

import (
	"os"
	"path/filepath"
)

// File is a file that has no name yet. It ends with Commit, CommitNew or Discard.
type File struct{ temp *os.File }

// Create begins a file in a folder that exists, readable by its owner only. Until it has its name it is called like
// pattern, as os.CreateTemp does, which is also what a process that is killed leaves behind.
func Create(dir, pattern string) (*File, error) {
	temp, err := os.CreateTemp(dir, pattern) // with mode 0600
	if err != nil {
		return nil, err
	}
	return &File{temp}, nil
}

// Write adds to the file.
func (f *File) Write(p []byte) (int, error) { return f.temp.Write(p) }

// Commit gives the file its name, in place of a file that has it. Whoever reads that name, now or after a power cut,
// finds the old file or the new one, whole.
func (f *File) Commit(path string) error { return f.finish(path, replace) }

// CommitNew is Commit for a name that must be free; fs.ErrExist when it is not.
func (f *File) CommitNew(path string) error { return f.finish(path, os.Link) } // a link never replaces

func (f *File) finish(path string, name func(from, to string) error) error {
	err := f.temp.Sync()
	if e := f.temp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = name(f.temp.Name(), path)
	}
	_ = os.Remove(f.temp.Name()) // after a rename it is not there
	if err != nil {
		return err
	}
	SyncFolder(filepath.Dir(path))
	return nil
}

// Discard removes the file.
func (f *File) Discard() {
	_ = f.temp.Close()           // nobody wants what is in it
	_ = os.Remove(f.temp.Name()) // nor can more be done about it
}

// Write replaces the file at path by one with these bytes, readable by its owner only. The folder must exist.
func Write(path, pattern string, data []byte) error {
	f, err := Create(filepath.Dir(path), pattern)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Discard()
		return err
	}
	return f.Commit(path)
}

// SyncFolder makes the names in a folder last through a power cut. Where folders cannot be synced, the system does that
// by itself.
func SyncFolder(dir string) {
	if d, err := os.Open(dir); err == nil { //nolint:gosec // the folder of a file that was just written
		_ = d.Sync()
		_ = d.Close()
	}
}
