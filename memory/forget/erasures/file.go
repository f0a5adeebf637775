package erasures

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// File is a ledger in a file of JSON lines. Several processes may use it. It keeps nothing open.
type File struct{ path string }

var _ forget.Ledger = (*File)(nil)

// Open returns the ledger in a file. It is made when the first line is written; its folder has to be there. What cannot be read is
// state.ErrUnavailable, what is no file state.ErrInvalid.
func Open(path string) (*File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, state.Errorf(state.Invalid, "erasure ledger "+path, "is no path: %w", err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err = os.Stat(filepath.Dir(path)); err != nil {
			return nil, state.Errorf(state.Unavailable, "erasure ledger "+path, "its folder is not there; make it, or name another file")
		}
	case err != nil:
		return nil, state.Errorf(state.Unavailable, "erasure ledger "+path, "cannot be read: %w", err)
	case !info.Mode().IsRegular():
		return nil, state.Errorf(state.Invalid, "erasure ledger "+path, "is no file; name one")
	}
	return &File{path}, nil
}

// Where returns the path.
func (f *File) Where() string { return f.path }

// Lines reads all lines. A last one that was written in part is left out.
func (f *File) Lines(context.Context) (lines []forget.Line, err error) {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, f.fails("cannot be read", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return f.read(file)
}

// read reads lines up to the end of the last whole one.
func (f *File) read(file io.Reader) (lines []forget.Line, err error) {
	in := bufio.NewReader(file)
	for {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, f.fails("cannot be read", err)
		}
		l, err := parse(text)
		if err != nil {
			return nil, damaged(f.path, fmt.Sprint("line ", len(lines)+1), err)
		}
		lines = append(lines, l)
	}
}

// last reads the last whole line, and where it ends, going back from the end of the file: there may be many before it.
func (f *File) last(file *os.File) (l forget.Line, end int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return l, 0, f.fails("cannot be read", err)
	}
	for size := int64(64 << 10); ; size *= 2 {
		from := max(0, info.Size()-size)
		text := make([]byte, info.Size()-from)
		if _, err := file.ReadAt(text, from); err != nil {
			return l, 0, f.fails("cannot be read", err)
		}
		text = text[:bytes.LastIndexByte(text, '\n')+1] // what stands behind it was never acknowledged
		begins := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
		switch {
		case begins == 0 && from > 0: // it is longer
		case len(text) == 0:
			return l, 0, nil
		default:
			if l, err = parse(text[begins:]); err != nil {
				err = damaged(f.path, "the last line", err)
			}
			return l, from + int64(len(text)), err
		}
	}
}

// parse reads a line as it was written: nothing besides may stand in it.
func parse(text []byte) (l forget.Line, err error) {
	if err := json.Unmarshal(text, &l); err != nil {
		return l, err
	}
	again, err := json.Marshal(l)
	if err == nil && !bytes.Equal(append(again, '\n'), text) {
		err = errors.New("it was edited")
	}
	return l, err
}

// Append adds a line under the lock of the file, and has it on the disk before it returns.
func (f *File) Append(_ context.Context, l forget.Line) (_ forget.Line, err error) {
	_, before := os.Stat(f.path)
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return l, f.fails("cannot be written", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }() // with it the lock ends
	if err := lock(file); err != nil {
		return l, f.fails("cannot be locked", err)
	}

	last, end, err := f.last(file)
	if err != nil {
		return l, err
	}
	if l, err = l.Behind(last); err != nil {
		return l, err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return l, state.Errorf(state.Internal, "erasure ledger "+f.path, "a line cannot be written: %w", err)
	}
	if err := write(file, end, append(text, '\n')); err != nil {
		return l, f.fails("cannot be written", err)
	}
	if errors.Is(before, fs.ErrNotExist) {
		return l, f.keepName()
	}
	return l, nil
}

// write cuts the file off at its end, writes behind it and waits for the disk.
func write(file *os.File, end int64, text []byte) error {
	if err := file.Truncate(end); err != nil {
		return err
	}
	if _, err := file.WriteAt(text, end); err != nil {
		return errors.Join(err, file.Truncate(end))
	}
	return file.Sync()
}

// keepName has the name of a new file on the disk too. Not every system can.
func (f *File) keepName() error {
	dir, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return f.fails("its folder cannot be read", err)
	}
	_ = dir.Sync() // Windows has no such call for folders
	return dir.Close()
}

func damaged(where, which string, err error) error {
	return state.Errorf(state.Conflict, "erasure ledger "+where, "%s is damaged: %w; put the ledger back from a copy, or name the right one (erasure_ledger)", which, err)
}

func (f *File) fails(what string, err error) error {
	return state.Errorf(state.Unavailable, "erasure ledger "+f.path, "%s: %w", what, err)
}
