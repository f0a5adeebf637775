package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/disk"
)

// folder is the vault on disk. Nothing outside it is reached, whatever a name or a link says.
type folder struct {
	root *os.Root
	dir  string
}

// mostBytes bounds a file that is read.
const mostBytes = 64 << 20

// leftover ends the name of a file that is being written.
const leftover = ".mneme-tmp"

// openFolder opens a folder, and makes it when makes says so.
func openFolder(dir string, makes bool) (folder, error) {
	if dir == "" {
		return folder{}, state.Errorf(state.Invalid, "vault", "no folder is named; give one")
	}
	root, err := disk.OpenFolder(dir)
	if makes && errors.Is(err, state.ErrNotFound) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return folder{}, state.Errorf(state.Unavailable, "vault "+dir, "cannot be made: %w", err)
		}
		root, err = disk.OpenFolder(dir)
	}
	switch {
	case errors.Is(err, state.ErrNotFound):
		return folder{}, state.Errorf(state.NotFound, "vault "+dir, "is not there; mneme vault export %s writes it", dir)
	case err != nil:
		return folder{}, fmt.Errorf("vault %w", err)
	}
	return folder{root, dir}, nil
}

// agents returns the names of the agents' folders.
func (d folder) agents() ([]string, error) {
	entries, err := d.list("agents")
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// views returns the paths of an agent's files that are not read back, and leftovers of an export that was cut.
func (d folder) views(agent string) (out, torn []string, err error) {
	base := path.Join("agents", agent, "memory")
	for _, below := range []string{"", "sessions", "summaries/L1", "summaries/L2"} {
		entries, err := d.list(path.Join(base, below))
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			switch name := path.Join(base, below, e.Name()); {
			case strings.Contains(e.Name(), leftover):
				torn = append(torn, name)
			case below != "" && strings.HasSuffix(e.Name(), ".md"):
				out = append(out, name)
			}
		}
	}
	return out, torn, nil
}

// list returns the entries of a folder, sorted; one that is not there has none.
func (d folder) list(name string) ([]fs.DirEntry, error) {
	if err := d.straight(name); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(d.root.FS(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, state.Errorf(state.Unavailable, "vault "+path.Join(d.dir, name), "cannot be read: %w", err)
	}
	return entries, nil
}

// straight refuses a path that goes over a link, or anything that is neither a folder nor a file.
func (d folder) straight(name string) error {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := d.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return state.Errorf(state.Invalid, "vault "+path.Join(d.dir, at), "cannot be read: %w", err)
		case info.Mode()&fs.ModeSymlink != 0:
			return state.Errorf(state.Invalid, "vault "+path.Join(d.dir, at), "is a link; put the file itself there")
		case !info.IsDir() && !info.Mode().IsRegular():
			return state.Errorf(state.Invalid, "vault "+path.Join(d.dir, at), "is no file; put one there, or take it away")
		}
	}
	return nil
}

// read returns a file's text. One that is not there is fs.ErrNotExist; a link, or one that is too long, state.ErrInvalid.
func (d folder) read(name string) (string, error) {
	if err := d.straight(name); err != nil {
		return "", err
	}
	f, err := d.root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	switch {
	case err != nil:
		return "", state.Errorf(state.Unavailable, "vault "+path.Join(d.dir, name), "cannot be read: %w", err)
	case len(text) > mostBytes:
		return "", state.Errorf(state.Invalid, "vault "+path.Join(d.dir, name), "has more than %d bytes; take out what is not Mneme's", mostBytes)
	}
	return string(text), nil
}

// write puts a text in the place of a file, at once or not at all, and reports whether it was another.
func (d folder) write(name, text string) (bool, error) {
	if before, err := d.read(name); err == nil && before == text {
		return false, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	fail := func(err error) (bool, error) {
		return false, state.Errorf(state.Unavailable, "vault "+path.Join(d.dir, name), "cannot be written: %w", err)
	}
	if err := d.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return fail(err)
	}
	made := path.Join(path.Dir(name), "."+path.Base(name)+leftover+strconv.Itoa(os.Getpid()))
	f, err := d.root.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fail(err)
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.root.Rename(made, name)
	}
	if err != nil {
		_ = d.root.Remove(made) // what failed is said
		return fail(err)
	}
	return true, nil
}

// remove takes a file away.
func (d folder) remove(name string) error {
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return state.Errorf(state.Unavailable, "vault "+path.Join(d.dir, name), "cannot be deleted: %w", err)
	}
	return nil
}
