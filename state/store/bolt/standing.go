package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mneme-graph/mneme/state"
)

// refuseLinks refuses a folder whose files are reached through links: who handed it over would have this process write into
// a file elsewhere.
func refuseLinks(dir string) error {
	for _, name := range []string{"store.db", "store.log", lockName} {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return state.Errorf(state.Invalid, "open store", "%s is a link or no file at all; remove it, or choose another folder", path)
		}
	}
	return nil
}

// createFile makes a file that is not there, in place of one that is.
func createFile(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
}

// standing refuses to write when the open files are no longer those of the folder: it was deleted, moved or replaced
// meanwhile, and what is written into them nobody would find.
func (s *Store) standing() error {
	if hasName(s.base.file, s.base.path) && (s.log.file == nil || hasName(s.log.file, s.log.path)) {
		return nil
	}
	return state.Errorf(state.Unavailable, "store "+s.cfg.Dir,
		"was deleted, moved or replaced while it was open: nothing more is kept in it; put it back, or close it and open another")
}

// hasName reports whether path is the name of an open file.
func hasName(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return true // writing will say what is wrong with it
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(open, there)
}
