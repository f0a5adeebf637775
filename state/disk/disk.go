package disk

import (
	"errors"
	"io/fs"
	"os"

	"github.com/mneme-graph/mneme/state"
)

// Open opens a file to be read. Links are followed. What is no regular file is state.ErrInvalid, what is not there state.ErrNotFound, and what cannot
// be opened state.ErrUnavailable; the error begins with the path. The caller closes it.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, state.Errorf(state.Invalid, path, "is no file; name one")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	return f, failOpen(path, err)
}

// OpenFolder opens a folder, with errors as those of Open.
func OpenFolder(path string) (*os.Root, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return nil, state.Errorf(state.Invalid, path, "is no folder; name one")
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(path)
	}
	return root, failOpen(path, err)
}

// failOpen says why something cannot be opened, if so.
func failOpen(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return state.Errorf(state.NotFound, path, "is not there; name another")
	}
	return state.Errorf(state.Unavailable, path, "cannot be opened: %w", err)
}
