package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"

	"github.com/mneme-graph/mneme/state"
)

// Compaction is what Compact made of a store.
type Compaction struct {
	Before int64 `json:"before"` // bytes of store.db and store.log
	After  int64 `json:"after"`  // bytes of store.db; there is no log then
}

// Compact rewrites the file of a store nobody has open, so that it has no free pages: bbolt keeps those of
// deleted documents for later ones and never gives them back to the disk. The new file is made beside the
// old one, which needs as much room again, synced, read back and checked, and then takes its name; so at
// every instant, and after a crash at any, the folder opens with all its documents. Errors: those of Open,
// a store that is open being state.ErrConflict, and state.ErrNotFound for a folder without a store.
func Compact(ctx context.Context, cfg Config) (Compaction, error) {
	if cfg.Dir != "" {
		if _, err := os.Stat(filepath.Join(cfg.Dir, "store.db")); errors.Is(err, os.ErrNotExist) {
			return Compaction{}, state.Errorf(state.NotFound, compactOp, "%s holds none; name the folder of one", cfg.Dir)
		}
	}
	s, err := Open(ctx, cfg)
	if err != nil {
		return Compaction{}, err
	}
	var c Compaction
	err = s.compact(ctx, &c)
	return c, errors.Join(explain(compactOp, s.base.path, err), s.Close())
}

const compactOp = "compact store"

// compactName is the new file while it is made. One that is found belongs to a process that was killed.
const compactName = "store.db.compact"

// compact puts a new store.db in place of the old one. If that succeeds, the store is closed.
func (s *Store) compact(ctx context.Context, c *Compaction) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	c.Before = sizeOfFile(s.base.path) + sizeOfFile(s.log.path)
	if err := s.seal(); err != nil {
		return err
	}
	path := filepath.Join(s.cfg.Dir, compactName)
	err = s.base.view(func(tx *bbolt.Tx) error { return rewrite(ctx, tx, new(overlay), s.last, path) })
	if err != nil {
		return err
	}
	c.After = sizeOfFile(path)
	if err := s.replace(path); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return syncDir(s.cfg.Dir)
}

// replace renames path to store.db and closes the store. The lock on the old file is held until the new one
// stands in its place, and openSame keeps out who waited for it. Windows renames to no file that is open;
// there a process that takes the old file in between makes the rename fail.
func (s *Store) replace(path string) error {
	err := s.removeLock() // the note of whoever comes next must stay
	if err == nil && runtime.GOOS != "windows" {
		err = os.Rename(path, s.base.path)
	}
	if err != nil {
		return err
	}
	s.closed.Store(true)
	err = s.base.close()
	if err == nil && runtime.GOOS == "windows" {
		err = os.Rename(path, s.base.path)
	}
	return err
}

// sizeOfFile is 0 for a file that is not there.
func sizeOfFile(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// sweep removes what a killed Compact left behind. The store is open here, so that none is at work now.
func (s *Store) sweep() error {
	err := os.Remove(filepath.Join(s.cfg.Dir, compactName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
