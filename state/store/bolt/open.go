package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says where a store is. Dir is required.
type Config struct {
	// Dir is the folder of the store; it is made, with what is above it, if it does not exist.
	Dir string
	// MaxDocBytes bounds the body of a document; 0 = 64 MB. A larger one is state.ErrInvalid.
	MaxDocBytes int
	// LogBytes is the size from which the log is written into store.db; 0 = 4 MB. Larger means rarer, and
	// more memory and a longer Open after a crash.
	LogBytes int
	// Log is told what goes wrong without anybody's call failing; nil is silent.
	Log *slog.Logger
}

const (
	defaultMaxDoc   = 64 << 20
	defaultLogBytes = 4 << 20
	maxLimit        = 1 << 30 // of MaxDocBytes and LogBytes
)

func (c Config) resolve() (Config, error) {
	if c.Dir == "" {
		return c, state.Errorf(state.Invalid, "open store", "names no folder")
	}
	for _, limit := range []struct {
		name  string
		value *int
		zero  int
	}{{"MaxDocBytes", &c.MaxDocBytes, defaultMaxDoc}, {"LogBytes", &c.LogBytes, defaultLogBytes}} {
		if *limit.value == 0 {
			*limit.value = limit.zero
		}
		if *limit.value < 0 || *limit.value > maxLimit {
			return c, state.Errorf(state.Invalid, "open store", "%s is %d; give 1 to %d, or 0 for %d", limit.name, *limit.value, maxLimit, limit.zero)
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// Open opens the store in a folder, for this process alone, and makes it if there is none. It reads all of
// store.db once to be sure of it. Errors: state.ErrConflict if the store is open already (naming the
// process), ErrDenied if the folder cannot be written, ErrInvalid for a bad Config, a Dir that is a file, files that are
// links or a store of a newer version, ErrInternal for a damaged store, ErrUnavailable for a disk that does not
// answer. After an error nothing is left open.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if ctx.Err() != nil {
		return nil, store.Cancelled(ctx)
	}
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	if err := makeDir("open store", cfg.Dir); err != nil {
		return nil, err
	}
	if err := refuseLinks(cfg.Dir); err != nil {
		return nil, err
	}
	path := filepath.Join(cfg.Dir, "store.db")
	b, h, err := openBase(path)
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, inUse(cfg.Dir)
	}
	if err != nil {
		return nil, explain("open store", path, err)
	}
	s := newStore(cfg, b, h)
	if err := s.recover(filepath.Join(cfg.Dir, "store.log")); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return s, nil
}

// recover reads what the log holds, and notes in the lock file who has the store.
func (s *Store) recover(logPath string) error {
	l, commits, err := openLog(logPath, s.header)
	if err != nil {
		return explain("open store", logPath, err)
	}
	s.log = l
	changes := new(overlay)
	for _, c := range commits {
		for _, ch := range c.changes {
			changes.Set(place(ch.collection, ch.id), ch.entry)
		}
		s.last = c.number
	}
	s.flushAt = int64(s.cfg.LogBytes)
	err = s.base.view(func(tx *bbolt.Tx) error {
		s.view.Store(&view{tx.ID(), changes})
		return nil
	})
	if err != nil {
		return explain("open store", s.base.path, err)
	}
	if err := s.sweep(); err != nil {
		return explain("open store", s.cfg.Dir, err)
	}
	return explain("open store", s.lockPath(), s.noteLock())
}

// noteLock notes who has the store.
func (s *Store) noteLock() error {
	f, err := createFile(s.lockPath())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d %s\n", os.Getpid(), filepath.Base(os.Args[0]))
	return errors.Join(err, f.Close())
}

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

// inUse is the error for a folder whose store somebody has open. The lock is that of the system on
// store.db, which ends with the process; the lock file only helps to say who it is.
func inUse(dir string) error {
	const out = "; end that process, or choose another folder"
	b, err := os.ReadFile(filepath.Join(dir, lockName))
	pid, name, ok := parseLock(string(b))
	switch {
	case err != nil || !ok:
		return state.Errorf(state.Conflict, "open store", "%s is in use by another process%s", dir, out)
	case pid == os.Getpid():
		return state.Errorf(state.Conflict, "open store", "%s is in use by pid %d (%s), which is this process; close the store first", dir, pid, name)
	}
	return state.Errorf(state.Conflict, "open store", "%s is in use by pid %d (%s)%s", dir, pid, name, out)
}

const lockName = "lock"

func (s *Store) lockPath() string { return filepath.Join(s.cfg.Dir, lockName) }

// parseLock reads what the lock file says: "PID NAME".
func parseLock(line string) (pid int, name string, ok bool) {
	number, name, _ := strings.Cut(strings.TrimSpace(line), " ")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 || name == "" || len(name) > 255 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return 0, "", false
	}
	return pid, name, true
}

// removeLock removes the lock file; that it is gone already is nothing.
func (s *Store) removeLock() error {
	if err := os.Remove(s.lockPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
