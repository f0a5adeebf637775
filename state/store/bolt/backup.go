package bolt

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/mneme-graph/mneme/state"
)

// Backup writes the store as it stands at one moment into a new folder, from which Open opens it: every
// Write acknowledged before the call is in it, of those under way each is in it whole or not at all, and of
// what one caller wrote in order it holds a beginning without a gap. Reads and writes go on meanwhile; the
// log only grows until the copy is made, and Close waits for it.
//
// Dir must not exist or be an empty folder, else the error is state.ErrConflict. The copy is made beside it
// as DIR.partial-*, synced, read back and checked, and then renamed: a folder of that name is always whole.
// After an error nothing of it is left; a process that is killed may leave the partial folder, which can be
// deleted. Other errors: state.ErrInvalid for a bad dir, ErrDenied and ErrUnavailable as of Open, and
// ErrInternal if the store is damaged.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.admit(ctx, vacant(dir)); err != nil {
		return err
	}
	if err := makeDir(backupOp, filepath.Dir(filepath.Clean(dir))); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), filepath.Base(dir)+".partial-*")
	if err != nil {
		return explain(backupOp, dir, err)
	}
	err = s.backupInto(ctx, partial)
	if err == nil {
		err = explain(backupOp, dir, settle(partial, dir))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return nil
}

const backupOp = "back up store"

// vacant refuses a folder that a backup may not become.
func vacant(dir string) error {
	if dir == "" {
		return state.Errorf(state.Invalid, backupOp, "names no folder")
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(entries) == 0:
		return nil
	case err == nil:
		return state.Errorf(state.Conflict, backupOp, "%s holds %s; name a new or an empty folder", dir, entries[0].Name())
	}
	if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
		return state.Errorf(state.Conflict, backupOp, "%s is a file; name a new or an empty folder", dir)
	}
	return explain(backupOp, dir, err)
}

// backupInto writes the store's present moment into an empty folder, durably.
func (s *Store) backupInto(ctx context.Context, dir string) error {
	tx, changes, last, err := s.hold()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "store.db")
	err = s.base.during(tx, func(tx *bbolt.Tx) error { return rewrite(ctx, tx, changes, last, path) })
	s.release()
	if err == nil {
		err = syncDir(dir)
	}
	return explain(backupOp, path, err)
}

// hold takes the store's present moment: a transaction of store.db, the changes on top of it and the number
// of the last commit. Until release the log is not written into store.db: that may have to map the file
// anew, which waits for the transaction's end, and every reader and writer would wait with it.
func (s *Store) hold() (*bbolt.Tx, *overlay, uint64, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed.Load() {
		return nil, nil, 0, s.errClosed()
	}
	if !s.header.logged { // so that the first Write during the backup need not
		if err := s.beginLog(); err != nil {
			return nil, nil, 0, explain(backupOp, s.log.path, err)
		}
	}
	tx, err := s.base.begin()
	if err != nil {
		return nil, nil, 0, explain(backupOp, s.base.path, err)
	}
	s.held++
	return tx, s.view.Load().changes, s.last, nil
}

func (s *Store) release() {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.held--
}

// settle gives the finished folder its name, durably. An empty folder of that name gives way; one that is
// not empty any more does not: then the rename fails.
func settle(partial, dir string) error {
	dir = filepath.Clean(dir)
	if err := vacant(dir); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(partial, dir); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}
