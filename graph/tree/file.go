package tree

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/disk"
)

// ReadIn reads a file that lies in a folder, for Parse. A link is followed within the folder, since Kubernetes mounts files by such; one that leads
// out of it, and what is no file, are state.ErrInvalid, and nothing of them is read. A file that is not there is state.ErrNotFound.
func ReadIn(folder, name string) (text []byte, err error) {
	path := filepath.Join(folder, name)
	root, err := disk.OpenFolder(folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()

	// To open a pipe would wait for ever.
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failRead(path, err)
	case err != nil:
		return nil, state.Errorf(state.Invalid, path, "is a link that leads out of its folder, or cannot be read (%w); put the file itself there", err)
	case !info.Mode().IsRegular():
		return nil, state.Errorf(state.Invalid, path, "is no file; put one there, or take it away")
	}

	// What is behind the size that is parsed is left to the parser's error.
	f, err := root.Open(name)
	if err != nil {
		return nil, failRead(path, err)
	}
	text, err = io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, failRead(path, err)
	}
	return text, nil
}

// failRead says why a file cannot be read.
func failRead(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return state.Errorf(state.NotFound, path, "is not there; name another file")
	}
	return state.Errorf(state.Unavailable, path, "cannot be read: %w", err)
}
