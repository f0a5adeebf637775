package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const backupOp = "back up store"

// Backup writes the store as it stands at one moment into a new folder, from which Open opens it: every Write
// acknowledged before the call is in it, of those under way each is in it whole or not at all. Reads and writes, of
// other processes too, go on meanwhile; Close waits for it.
//
// Dir must not exist or be an empty folder, else the error is state.ErrConflict. The copy is made beside it as
// DIR.partial-*, synced, opened and checked, and then renamed: a folder of that name is always whole. After an error
// nothing of it is left; a process that is killed may leave the partial folder, which can be deleted. Other errors:
// state.ErrInvalid for a bad dir, ErrDenied and ErrUnavailable as of Open, and ErrInternal if the store is damaged.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.admit(ctx, vacant(dir)); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return explain(backupOp, dir, err)
	}
	if err := makeDir(backupOp, filepath.Dir(dir)); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".partial-*")
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

// backupInto writes the store's present moment into an empty folder, durably, and looks whether it can be read.
func (s *Store) backupInto(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "store.db")
	err := s.read(ctx, backupOp, func(conn *sqlite.Conn) error {
		return interruptible(ctx, conn, func() error { return query(conn, "VACUUM INTO ?", nil, path) })
	})
	if err == nil {
		err = explain(backupOp, dir, os.Chmod(path, 0o600))
	}
	if err != nil {
		return err
	}

	made, err := Open(ctx, Config{Dir: dir})
	if err != nil {
		return err
	}
	if err = errors.Join(made.Check(ctx), made.Close()); err != nil {
		return err
	}
	return explain(backupOp, dir, errors.Join(syncFile(path), syncDir(dir)))
}

// settle gives the finished folder its name, durably. An empty folder of that name gives way; one that is not empty
// any more does not: then the rename fails.
func settle(partial, dir string) error {
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

// Compaction is what Compact made of a store.
type Compaction struct {
	Before int64 `json:"before"` // bytes of store.db and store.db-wal
	After  int64 `json:"after"`  // the same afterwards
}

// Compact rewrites store.db so that it has no free pages: SQLite keeps those of deleted documents for later ones and
// does not give them back to the disk. It is a transaction, so that the store is whole at every instant; it needs as
// much room again meanwhile, and writers wait. The log gives its room back when nobody reads.
func (s *Store) Compact(ctx context.Context) (Compaction, error) {
	const op = "compact store"

	// The one writer is taken, as by a Write.
	if err := s.admit(ctx, nil); err != nil {
		return Compaction{}, err
	}
	var writer *sqlite.Conn
	select {
	case conn, ok := <-s.writer:
		if !ok {
			return Compaction{}, s.errClosed()
		}
		writer = conn
		defer func() { s.writer <- writer }()
	case <-ctx.Done():
		return Compaction{}, store.Cancelled(ctx)
	}
	if err := s.mayWrite(); err != nil {
		return Compaction{}, err
	}

	// A reader in the way is waited for; then the log is emptied, as far as readers let it be.
	c := Compaction{Before: s.size()}
	err := retry(ctx, func() error {
		return interruptible(ctx, writer, func() error { return query(writer, "VACUUM", nil) })
	})
	if err == nil {
		err = query(writer, "PRAGMA wal_checkpoint(TRUNCATE)", nil)
	}
	c.After = s.size()
	return c, explain(op, s.path, err)
}

var _ store.Purger = (*Store)(nil)

// Purge rewrites store.db without free pages and empties the log, so that no byte of a deleted document is left. It takes the time of a Compact. A
// reader of another process that does not end within some seconds keeps the log: then it is state.ErrUnavailable, and may be tried again.
func (s *Store) Purge(ctx context.Context) (bool, error) {
	if _, err := s.Compact(ctx); err != nil {
		return false, err
	}

	within, cancel := context.WithTimeout(ctx, purgeTime)
	defer cancel()
	for wait := firstWait; ; wait = min(2*wait, purgeWait) {
		busy, err := s.emptyLog(within)
		if err != nil || !busy {
			return err == nil, err
		}
		select {
		case <-time.After(wait):
		case <-within.Done():
			return false, state.Errorf(state.Unavailable, "store "+s.dir, "another process reads all the time, so that the log of it cannot be emptied; try again")
		}
	}
}

// How long Purge waits for readers, and between two looks.
const (
	purgeTime = 10 * time.Second
	purgeWait = 50 * time.Millisecond
)

// emptyLog moves the log into store.db and cuts it off; busy says that somebody reads in it.
func (s *Store) emptyLog(ctx context.Context) (busy bool, err error) {
	select {
	case writer, ok := <-s.writer:
		if !ok {
			return false, s.errClosed()
		}
		defer func() { s.writer <- writer }()
		n, err := number(writer, "PRAGMA wal_checkpoint(TRUNCATE)")
		if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
			return true, nil
		}
		return n != 0, explain("empty the log of the store", s.path, err)
	case <-ctx.Done():
		return false, store.Cancelled(ctx)
	}
}

// size returns what the store takes on disk.
func (s *Store) size() int64 { return sizeOfFile(s.path) + sizeOfFile(s.path+"-wal") }

// sizeOfFile is 0 for a file that is not there.
func sizeOfFile(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// interruptible runs f on a connection and has SQLite stop when ctx ends.
func interruptible(ctx context.Context, conn *sqlite.Conn, f func() error) error {
	conn.SetInterrupt(ctx.Done())
	defer conn.SetInterrupt(nil)
	err := f()
	if err != nil && ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// syncFile makes a file durable that no connection has open: closing it here would take that one's locks.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
