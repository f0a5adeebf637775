package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const (
	schema = 1 // of what this version writes; older ones are read, newer ones refused

	headerBucket = "_store"  // sorts before all others, so that the schema is known before they are judged
	chunksBucket = "_chunks" // pieces of bodies over chunkBytes

	lockTimeout = 400 * time.Millisecond // how long Open waits for a process that is about to end
	fill        = 0.95                   // of a page when it is split: ids mostly arrive in ascending order
)

// base is store.db. Reading is safe for concurrent use; the one who leads the queue writes.
type base struct {
	path   string
	db     *bbolt.DB
	file   *os.File // of db, to give up the lock even if db cannot be closed
	pack   packer
	failed error // set by a panic in a write: what bbolt holds in memory can no longer be trusted

	// beginning guards the begin of reading transactions, where bbolt holds locks of its own: a panic there
	// leaves them locked, and dead keeps everybody else out of that trap.
	beginning sync.Mutex
	dead      atomic.Pointer[panicError]
}

// openBase creates store.db if there is none, checks it, and opens it for this process alone.
func openBase(path string) (*base, header, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = createBase(path)
	case err == nil && info.Size() == 0:
		err = damaged("it is empty")
	}
	if err != nil {
		return nil, header{}, err
	}
	if err := checkBase(path); err != nil {
		return nil, header{}, err
	}
	b := &base{path: path}
	if err := b.openSame(); err != nil {
		return nil, header{}, err
	}
	var h header
	lacks := false // what a later version has added
	err = b.view(func(tx *bbolt.Tx) (err error) {
		for _, c := range store.Collections() {
			lacks = lacks || tx.Bucket([]byte(c)) == nil
		}
		h, err = readHeader(tx)
		return err
	})
	if err == nil && lacks {
		_, err = b.update(func(*bbolt.Tx, *header) error { return nil })
	}
	if err != nil {
		return nil, header{}, errors.Join(err, b.close())
	}
	return b, h, nil
}

// createBase makes a complete store.db under another name first: so an empty or half-made file under its
// own name is always damage, never a store just being made. Of two processes the first wins.
func createBase(path string) error {
	b := &base{path: fmt.Sprintf("%s.new-%d", path, os.Getpid())}
	if err := b.open(false); err != nil {
		return err
	}
	_, err := b.update(func(tx *bbolt.Tx, h *header) error {
		h.schema = schema
		return nil
	})
	if err = errors.Join(err, b.close()); err != nil {
		return errors.Join(err, os.Remove(b.path))
	}
	err = os.Link(b.path, path) // does not replace, unlike Rename
	if _, there := os.Stat(path); err != nil && there != nil {
		err = os.Rename(b.path, path) // a file system without links
	} else if err = os.Remove(b.path); errors.Is(err, os.ErrNotExist) {
		err = nil // another Open of this process was as far at the same time
	}
	return errors.Join(err, syncDir(filepath.Dir(path)))
}

// checkBase checks store.db under a shared lock, which a process that has the store open refuses.
func checkBase(path string) error {
	b := &base{path: path}
	if err := b.open(true); err != nil {
		if errors.Is(err, bbolterrors.ErrTimeout) || isPathError(err) {
			return err
		}
		return errors.Join(checkFile(path, func(string, []byte, []byte) error { return nil }), err)
	}
	var found header
	buckets := map[string]bool{}
	err := checkFile(path, func(bucket string, key, value []byte) error {
		kept, err := unseal(bucket, string(key), value)
		if err == nil && bucket == headerBucket {
			found, err = parseHeader(kept)
		}
		buckets[bucket] = true
		return err
	})
	if found.schema > schema {
		err = state.Errorf(state.Invalid, "open store",
			"%s was written by a newer version: its schema is %d, this program reads up to %d; update the program", path, found.schema, schema)
	} else if err == nil && found.schema == 0 {
		err = damaged("it has no header")
	}
	return errors.Join(err, b.close())
}

// openSame opens store.db for writing. Who waits for the lock may get that of a file which meanwhile gave
// way to another (Compact): what he wrote there would be lost, so he tries again. The one who has the lock of
// the file that bears the name is safe, for without it no other takes its place.
func (b *base) openSame() error {
	for range 10 {
		if err := b.open(false); err != nil {
			return err
		}
		named, err := os.Stat(b.path)
		var locked os.FileInfo
		if err == nil {
			locked, err = b.file.Stat()
		}
		if err == nil && os.SameFile(named, locked) {
			return nil
		}
		if err = errors.Join(err, b.close()); err != nil {
			return err
		}
	}
	return bbolterrors.ErrTimeout
}

func (b *base) open(readOnly bool) error {
	err := guard(func() (err error) {
		b.db, err = bbolt.Open(b.path, 0o600, &bbolt.Options{
			Timeout: lockTimeout, ReadOnly: readOnly, FreelistType: bbolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
				f, err = os.OpenFile(name, flag|noFollow, mode)
				b.file = f
				return f, err
			},
		})
		return err
	})
	if isPanic(err) && b.file != nil {
		return errors.Join(err, b.abandon())
	}
	return err
}

func isPathError(err error) bool {
	var p *os.PathError
	return errors.As(err, &p)
}

// close closes store.db and gives up its lock, in whatever state bbolt is.
func (b *base) close() error {
	b.pack.close()
	if b.failed == nil && b.dead.Load() == nil {
		return guard(b.db.Close)
	}
	return b.abandon() // bbolt may hold its own locks for ever
}

// abandon gives up the lock on store.db without bbolt. Its memory map stays until the process ends.
func (b *base) abandon() error {
	return errors.Join(unlock(b.file), b.file.Close())
}

// view runs f in a transaction that reads.
func (b *base) view(f func(*bbolt.Tx) error) error {
	tx, err := b.begin()
	if err != nil {
		return err
	}
	return b.during(tx, f)
}

// during runs f in a transaction that reads, and ends it.
func (b *base) during(tx *bbolt.Tx, f func(*bbolt.Tx) error) error {
	err := guard(func() error { return f(tx) })
	if dead := b.dead.Load(); dead != nil {
		return errors.Join(err, dead)
	}
	return errors.Join(err, guard(tx.Rollback))
}

func (b *base) begin() (tx *bbolt.Tx, err error) {
	b.beginning.Lock()
	defer b.beginning.Unlock()
	if dead := b.dead.Load(); dead != nil {
		return nil, dead
	}
	err = guard(func() error {
		tx, err = b.db.Begin(false)
		return err
	})
	var p *panicError
	if errors.As(err, &p) {
		b.dead.Store(p)
	}
	return tx, err
}

// update runs f in a transaction, creates what buckets are missing, and commits it with the header f
// leaves. It returns the number of the transaction.
func (b *base) update(f func(*bbolt.Tx, *header) error) (int, error) {
	if dead := b.dead.Load(); dead != nil {
		return 0, dead
	}
	if b.failed != nil {
		return 0, b.failed
	}
	var id int
	err := guard(func() error {
		return b.db.Update(func(tx *bbolt.Tx) error {
			id = tx.ID()
			if err := createBuckets(tx); err != nil {
				return err
			}
			h, err := readHeader(tx)
			if err != nil {
				return err
			}
			if err := f(tx, &h); err != nil {
				return err
			}
			return tx.Bucket([]byte(headerBucket)).Put([]byte("header"), seal(headerBucket, "header", h.encode()))
		})
	})
	if isPanic(err) {
		b.failed = err
	}
	return id, err
}

func createBuckets(tx *bbolt.Tx) error {
	names := []string{headerBucket, chunksBucket}
	for _, c := range store.Collections() {
		names = append(names, string(c))
	}
	for _, name := range names {
		if tx.Bucket([]byte(name)) != nil {
			continue
		}
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}
