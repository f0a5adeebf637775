package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says where a store is. Dir is required.
type Config struct {
	// Dir is the folder of the store; it is made, with what is above it, if it does not exist.
	Dir string
}

// maxDocBytes bounds the body of a document; SQLite takes a value of a gigabyte.
const maxDocBytes = 64 << 20

// readers is how many connections read at a time.
const readers = 8

const openOp = "open store"

// Open opens the store in a folder, and makes it if there is none. A folder that cannot be written is opened for
// reading if it holds a store. Errors: state.ErrDenied if the folder cannot be written or read, ErrInvalid for a bad
// Config, a Dir that is a file, files that are links, a file of another program, a store of the former embedded
// driver or of a newer version, ErrInternal for a damaged store or one that lost its newest commits,
// ErrUnavailable for a disk that does not answer. After an error nothing is left open.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	// The folder is made, and looked at before any file is opened.
	if ctx.Err() != nil {
		return nil, store.Cancelled(ctx)
	}
	if cfg.Dir == "" {
		return nil, state.Errorf(state.Invalid, openOp, "names no folder")
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, explain(openOp, cfg.Dir, err)
	}
	if err := makeDir(openOp, dir); err != nil {
		return nil, err
	}

	// After an error all that was opened is closed again.
	s := &Store{dir: dir, path: filepath.Join(dir, "store.db")}
	if err := refuseLinks(s.path); err != nil {
		return nil, err
	}
	if s.pack, err = newPacker(); err != nil {
		return nil, explain(openOp, s.path, err)
	}
	if err := s.open(ctx); err != nil {
		s.file = nil // its connections are closed whatever stands there
		return nil, explain(openOp, s.path, errors.Join(err, s.release()))
	}
	return s, nil
}

// open opens the files and looks whether they are a store, and a whole one.
func (s *Store) open(ctx context.Context) error {
	// What was acknowledged last stands beside the store, in a file of its own.
	last, err := readMark(markPath(s.path))
	if err != nil {
		return err
	}
	if s.marks, err = openMarks(markPath(s.path)); isRefused(err) && sizeOfFile(s.path) > 0 {
		s.readOnly = true
	} else if err != nil {
		return err
	}

	// The URI says by which functions SQLite reads the pages, and whether it may write.
	s.uri = (&url.URL{Scheme: "file", Path: slashed(s.path), OmitHost: true, RawQuery: "made=1&vfs=" + pages()}).String()
	if s.readOnly {
		s.uri += "&mode=ro"
		if sizeOfFile(s.path+"-wal") == 0 { // no log, and no room for the index of one: SQLite is told that nobody changes the file
			s.uri += "&immutable=1"
		}
	}

	// The writer makes the tables of a new store, and finds out whether an old one is ours.
	writer, err := s.connect(ctx)
	if err == nil {
		err = s.prepare(ctx, writer)
	}
	if err != nil {
		return s.foreign(err)
	}
	if s.file, err = os.Lstat(s.path); err != nil {
		return err
	}

	// A store that has fewer commits than were acknowledged has lost some.
	there, err := number(writer, "SELECT number FROM commits")
	if err == nil && uint64(there) < last {
		err = damaged(openOp, s.path, fmt.Errorf("it ends with commit %d, and %d were acknowledged: store.db-wal was cut off or is missing, or store.db is older "+
			"than it should be (to go on with what is there, delete store.mark)", there, last))
	}

	s.writer, s.slots = make(chan *sqlite.Conn, 1), make(chan struct{}, readers)
	s.writer <- writer
	for range readers {
		s.slots <- struct{}{}
	}
	return err
}

// slashed returns a path as the part of an address.
func slashed(path string) string {
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") { // C:/...
		path = "/" + path
	}
	return path
}

// connect opens a connection. A file that is made here is readable for its owner only.
func (s *Store) connect(ctx context.Context) (*sqlite.Conn, error) {
	// A store in a folder that cannot be written is opened for reading.
	flags := sqlite.OpenReadWrite | sqlite.OpenCreate | sqlite.OpenURI
	if s.readOnly {
		flags = sqlite.OpenReadOnly | sqlite.OpenURI
	}
	if s.file != nil { // a later connection must not see another file
		if err := s.standing(); err != nil {
			return nil, err
		}
	}

	// Only who has made the file sets its mode.
	_, missing := os.Lstat(s.path)
	conn, err := sqlite.OpenConn(s.uri, flags)
	if err != nil {
		return nil, err
	}

	conn.SetBusyTimeout(0) // retry waits, as it knows the context
	if errors.Is(missing, fs.ErrNotExist) {
		err = os.Chmod(s.path, 0o600)
	}
	for _, pragma := range []string{"synchronous = FULL", "temp_store = MEMORY", "journal_size_limit = 16777216"} {
		if err == nil {
			err = retry(ctx, func() error { return query(conn, "PRAGMA "+pragma, nil) })
		}
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, conn)
	return conn, nil
}

// refuseLinks refuses files that are reached through links: who handed the folder over would have this process
// write into a file elsewhere.
func refuseLinks(path string) error {
	for _, p := range []string{path, path + "-wal", path + "-shm", markPath(path)} {
		if info, err := os.Lstat(p); err == nil && !info.Mode().IsRegular() {
			return state.Errorf(state.Invalid, openOp, "%s is a link or no file at all; remove it, or choose another folder", p)
		}
	}
	return nil
}

func markPath(path string) string { return strings.TrimSuffix(path, ".db") + ".mark" }

// makeDir makes a folder, with what is above it, if it does not exist.
func makeDir(op, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return state.Errorf(state.Invalid, op, "%s is a file; name a folder", dir)
	case err == nil:
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return state.Errorf(state.Denied, op, "%s cannot be made: %w; choose another folder", dir, err)
	}
	return explain(op, dir, syncDir(filepath.Dir(dir)))
}

// syncDir makes the names in a folder durable, where the system can.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
