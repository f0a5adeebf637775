package bolt

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Store keeps documents in a folder. Safe for concurrent use; made by Open, and Close gives the folder
// free again.
type Store struct {
	cfg   Config
	base  *base
	log   *logFile
	view  atomic.Pointer[view]
	queue queue

	closed  atomic.Bool
	writes  atomic.Int64
	commits atomic.Int64
	flushes atomic.Int64

	writing sync.Mutex // held while anything below, base or log is written
	header  header     // as it stands in store.db
	last    uint64     // number of the last commit
	flushAt int64      // size of the log from which it is written into store.db
	held    int        // backups under way: the log waits for them
}

var _ store.Store = (*Store)(nil)

func newStore(cfg Config, b *base, h header) *Store {
	s := &Store{cfg: cfg, base: b, header: h, last: h.applied}
	s.queue.commit, s.queue.after = s.commit, s.tidy
	return s
}

// Path returns the folder of the store, as Config named it.
func (s *Store) Path() string { return s.cfg.Dir }

// Features are those of a folder: a Write is one transaction, and nobody else writes.
func (s *Store) Features() store.Features { return store.Features{Atomic: true} }

// Get returns one document.
func (s *Store) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	if err := s.admit(ctx, store.ValidateKey(c, id)); err != nil {
		return store.Doc{}, err
	}
	d := store.Doc{Collection: c, ID: id}
	if e, ok := s.view.Load().changes.Get(place(c, id)); ok {
		d.Rev, d.Body = e.rev, append(d.Body, e.body...)
	} else if err := s.read("get "+string(c)+" "+id, func(tx *bbolt.Tx) error {
		v, err := get(tx, c, id)
		if err != nil || v.rev == 0 {
			return err
		}
		d.Rev = v.rev
		d.Body, err = s.base.body(tx, v)
		return err
	}); err != nil {
		return store.Doc{}, err
	}
	if d.Rev == 0 {
		return store.Doc{}, store.NotFound(c, id)
	}
	return d, nil
}

// Scan returns what the query selects, as it stood at one moment.
func (s *Store) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if err := s.admit(ctx, q.Validate()); err != nil {
		return nil, err
	}
	docs := []store.Doc{}
	v := s.view.Load()
	err := s.read("scan "+string(q.Collection)+" "+q.Prefix, func(tx *bbolt.Tx) error {
		changes := v.changes
		if tx.ID() != v.base {
			changes = nil // they were written into store.db meanwhile, all of them
		}
		return merged(changes, tx.Bucket([]byte(q.Collection)), q, func(id string, e *entry, kept []byte) (bool, error) {
			d, err := s.doc(tx, q.Collection, id, e, kept)
			docs = append(docs, d)
			if err == nil && ctx.Err() != nil {
				err = store.Cancelled(ctx)
			}
			return q.Limit == 0 || len(docs) < q.Limit, err
		})
	})
	if err != nil {
		return nil, err
	}
	return docs, nil
}

// doc makes what merged met a document, in memory of its own.
func (s *Store) doc(tx *bbolt.Tx, c state.Collection, id string, e *entry, kept []byte) (store.Doc, error) {
	d := store.Doc{Collection: c, ID: id}
	if e != nil {
		d.Rev, d.Body = e.rev, append(d.Body, e.body...)
		return d, nil
	}
	v, err := decode(string(c), id, kept)
	if err != nil {
		return d, err
	}
	d.Rev = v.rev
	d.Body, err = s.base.body(tx, v)
	return d, err
}

// Write makes all changes or none and returns when they are on disk. Writes that wait at the same time
// share one sync.
func (s *Store) Write(ctx context.Context, docs ...store.Doc) error {
	if err := s.admit(ctx, store.ValidateWrite(docs)); err != nil || len(docs) == 0 {
		return err
	}
	for _, d := range docs {
		if len(d.Body) > s.cfg.MaxDocBytes {
			return state.Errorf(state.Invalid, "write "+string(d.Collection)+" "+d.ID,
				"its body has %d bytes, at most %d are allowed; split it, or raise MaxDocBytes", len(d.Body), s.cfg.MaxDocBytes)
		}
	}
	s.writes.Add(1)
	return s.queue.do(ctx, func(g *stage) error { return g.write(docs) })
}

// Delete removes what begins with prefix and returns how many documents that were.
func (s *Store) Delete(ctx context.Context, c state.Collection, prefix string) (int, error) {
	if err := s.admit(ctx, store.ValidatePrefix(c, prefix)); err != nil {
		return 0, err
	}
	n := 0
	err := s.queue.do(ctx, func(g *stage) (err error) {
		n, err = g.delete(c, prefix)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Flush writes what the log holds into store.db, which then is complete in itself. Nobody needs to call
// it; Stats and copies of the file are exact after it.
func (s *Store) Flush(ctx context.Context) error {
	if err := s.admit(ctx, nil); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed.Load() {
		return s.errClosed()
	}
	if err := s.standing(); err != nil {
		return err
	}
	return explain("flush store", s.base.path, s.flush())
}

// Close writes what the log holds into store.db, removes the log and gives the folder free. It waits for
// calls that are under way; later ones fail. If the disk takes no more, Close says so and the log stays,
// so that nothing is lost; a folder that was deleted or moved is not touched. A second Close does nothing.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed.Swap(true) {
		return nil
	}
	err := s.standing()
	if err == nil {
		err = errors.Join(s.seal(), s.removeLock())
	}
	return explain("close store", s.base.path, errors.Join(err, s.log.close(), s.base.close()))
}

// Stats is what the store cost since Open, and what it takes on disk now.
type Stats struct {
	Writes    int64 `json:"writes"`     // calls of Write that had something to write
	Commits   int64 `json:"commits"`    // groups of them made durable
	Syncs     int64 `json:"syncs"`      // waits for the disk: one a commit, and a few for each flush
	Flushes   int64 `json:"flushes"`    // times the log was written into store.db
	PageBytes int64 `json:"page_bytes"` // of store.db's pages that hold documents (leaves and branches)
	FileBytes int64 `json:"file_bytes"` // of store.db, free pages included
	LogBytes  int64 `json:"log_bytes"`  // of store.log: what PageBytes does not know yet
}

// Stats counts; it visits every page of store.db.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	if err := s.admit(ctx, nil); err != nil {
		return Stats{}, err
	}
	const syncsOfFlush = 2 // bbolt: pages, then the meta page
	out := Stats{
		Writes: s.writes.Load(), Commits: s.commits.Load(), Flushes: s.flushes.Load(),
		Syncs: s.log.syncs.Load() + syncsOfFlush*s.flushes.Load(), LogBytes: s.log.size.Load(),
	}
	err := s.read("count store", func(tx *bbolt.Tx) error {
		out.FileBytes = tx.Size()
		root := tx.Cursor().Bucket().Stats() // counts the buckets in it too
		out.PageBytes = int64(root.LeafAlloc + root.BranchAlloc)
		return nil
	})
	return out, err
}

// read runs f in a transaction that reads, and gives its error a code.
func (s *Store) read(op string, f func(*bbolt.Tx) error) error {
	err := s.base.view(f)
	if errors.Is(err, bbolterrors.ErrDatabaseNotOpen) {
		return s.errClosed()
	}
	return explain(op, s.base.path, err)
}

// admit lets a call in whose context stands, whose arguments are valid and whose store is open.
func (s *Store) admit(ctx context.Context, invalid error) error {
	switch {
	case ctx.Err() != nil:
		return store.Cancelled(ctx)
	case invalid != nil:
		return invalid
	case s.closed.Load():
		return s.errClosed()
	}
	return nil
}

func (s *Store) errClosed() error {
	return state.Errorf(state.Unavailable, "store "+s.cfg.Dir, "is closed; open it again")
}
