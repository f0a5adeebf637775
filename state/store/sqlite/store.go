package sqlite

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Store keeps documents in a folder. Safe for concurrent use; made by Open. Other processes may have the same
// folder open.
type Store struct {
	dir      string
	path     string // of store.db
	uri      string // what connections are opened with
	readOnly bool   // the disk cannot be written: Write and Delete are refused
	pack     *packer
	file     os.FileInfo // of store.db when it was opened
	marks    *os.File    // store.mark; nil when readOnly

	closed  atomic.Bool
	writes  atomic.Int64
	commits atomic.Int64

	writer chan *sqlite.Conn // has the connection that writes while nobody uses it; closed by Close
	slots  chan struct{}     // one for each reader that may be used besides; closed by Close

	mu      sync.Mutex     // guards what follows
	waiting []*request     // for the writer
	idle    []*sqlite.Conn // readers that nobody uses, the one used last at the end
	conns   []*sqlite.Conn // all that are open
}

var _ store.Store = (*Store)(nil)

// Path returns the folder of the store, absolute.
func (s *Store) Path() string { return s.dir }

// ReadOnly reports whether the folder can be read only: Write, Delete and Compact are state.ErrDenied then.
func (s *Store) ReadOnly() bool { return s.readOnly }

// Features are those of a database in a folder: a Write is one transaction, and other processes may write too.
func (s *Store) Features() store.Features { return store.Features{Atomic: true, Shared: true} }

// Get returns one document.
func (s *Store) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	if err := s.admit(ctx, store.ValidateKey(c, id)); err != nil {
		return store.Doc{}, err
	}

	d := store.Doc{Collection: c, ID: id}
	err := s.read(ctx, "get "+string(c)+" "+id, func(conn *sqlite.Conn) error {
		return query(conn, "SELECT rev, body FROM "+quoted(c)+" WHERE id = ?", func(row *sqlite.Stmt) (err error) {
			d.Rev = row.ColumnInt64(0)
			d.Body, err = s.pack.unpack(d, columnBytes(row, 1))
			return err
		}, id)
	})

	switch {
	case err != nil:
		return store.Doc{}, err
	case d.Rev == 0:
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

	// Ids are compared as bytes, so that the order is that of every driver.
	err := s.read(ctx, "scan "+string(q.Collection)+" "+q.Prefix, func(conn *sqlite.Conn) error {
		where, args := within(q)
		text := "SELECT id, rev, body FROM " + quoted(q.Collection) + where + " ORDER BY id"
		if q.Reverse {
			text += " DESC"
		}

		// The rows come one by one: a call that is given up ends between two of them.
		return query(conn, text, func(row *sqlite.Stmt) (err error) {
			if ctx.Err() != nil {
				return store.Cancelled(ctx)
			}
			d := store.Doc{Collection: q.Collection, ID: row.ColumnText(0), Rev: row.ColumnInt64(1)}
			d.Body, err = s.pack.unpack(d, columnBytes(row, 2))
			docs = append(docs, d)
			if err == nil && len(docs) == q.Limit {
				return errEnough
			}
			return err
		}, args...)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return docs, nil
}

// errEnough ends a Scan before its last row.
var errEnough = errors.New("no more rows are needed")

// within returns the condition for ids a query may select, and its arguments.
func within(q store.Query) (string, []any) {
	low, high := q.Range()
	if high == "" {
		return " WHERE id >= ?", []any{low}
	}
	return " WHERE id >= ? AND id < ?", []any{low, high}
}

// Write makes all changes or none and returns when they are on disk. Writes that wait at the same time
// share one sync.
func (s *Store) Write(ctx context.Context, docs ...store.Doc) error {
	if err := s.admit(ctx, store.ValidateWrite(docs)); err != nil || len(docs) == 0 {
		return err
	}

	// Bodies are packed before the writer is taken: others need not wait for that.
	changes := make([]change, len(docs))
	for i, d := range docs {
		if len(d.Body) > maxDocBytes {
			return state.Errorf(state.Invalid, "write "+string(d.Collection)+" "+d.ID,
				"its body has %d bytes, at most %d are allowed; split it", len(d.Body), maxDocBytes)
		}
		changes[i].Doc = d
		if d.Body != nil {
			d.Rev++
			changes[i].value = s.pack.pack(d)
		}
	}

	s.writes.Add(1)
	return s.do(ctx, "write store", func(conn *sqlite.Conn) error {
		for _, ch := range changes {
			if err := ch.apply(conn); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete removes what begins with prefix and returns how many documents that were.
func (s *Store) Delete(ctx context.Context, c state.Collection, prefix string) (int, error) {
	if err := s.admit(ctx, store.ValidatePrefix(c, prefix)); err != nil {
		return 0, err
	}
	n := 0
	err := s.do(ctx, "delete "+string(c)+" "+prefix, func(conn *sqlite.Conn) error {
		where, args := within(store.Query{Prefix: prefix})
		err := query(conn, "DELETE FROM "+quoted(c)+where, nil, args...)
		n = conn.Changes()
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Close waits for calls that are under way and closes the store; later calls fail. The last process to close it
// moves the log into store.db. A folder that was deleted, moved or replaced is not touched. A second Close does nothing.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	for range cap(s.slots) {
		<-s.slots
	}
	<-s.writer
	close(s.slots)
	close(s.writer)
	return explain("close store", s.path, s.release())
}

// release closes connections and all that belongs to them. Those of a file that bears its name no more stay open
// until the process ends: closing them would remove the log of whatever stands there now.
func (s *Store) release() error {
	s.pack.close()
	var errs []error
	if s.marks != nil {
		errs = append(errs, s.marks.Close())
	}
	if err := s.standing(); s.file != nil && err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, conn := range s.conns {
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// read runs f on a connection that reads, and gives its error a code.
func (s *Store) read(ctx context.Context, op string, f func(*sqlite.Conn) error) error {
	select {
	case _, ok := <-s.slots:
		if !ok {
			return s.errClosed()
		}
		defer func() { s.slots <- struct{}{} }()
	case <-ctx.Done():
		return store.Cancelled(ctx)
	}

	conn, err := s.reader(ctx)
	if err != nil {
		return explain(op, s.path, err)
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle = append(s.idle, conn)
	}()
	return explain(op, s.path, retry(ctx, func() error { return f(conn) })) // busy is an answer at the beginning only
}

// reader returns the idle connection that was used last, or a new one. A commit voids the pages all have cached, so that the
// one used last has the most.
func (s *Store) reader(ctx context.Context) (conn *sqlite.Conn, err error) {
	s.mu.Lock()
	if last := len(s.idle) - 1; last >= 0 {
		conn, s.idle = s.idle[last], s.idle[:last]
	}
	s.mu.Unlock()
	if conn == nil {
		conn, err = s.connect(ctx)
	}
	return conn, err
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

// mayWrite refuses a transaction that could not be kept.
func (s *Store) mayWrite() error {
	if s.readOnly {
		return state.Errorf(state.Denied, "store "+s.dir, "is on a disk that cannot be written; copy the folder to another")
	}
	return s.standing()
}

// standing refuses to write when the open file is no longer the folder's: it was deleted, moved or replaced
// meanwhile, and what is written into it nobody would find.
func (s *Store) standing() error {
	there, err := os.Lstat(s.path)
	if err == nil && os.SameFile(s.file, there) {
		return nil
	}
	return state.Errorf(state.Unavailable, "store "+s.dir,
		"was deleted, moved or replaced while it was open: nothing more is kept in it; put it back, or close it and open another")
}

func (s *Store) errClosed() error {
	return state.Errorf(state.Unavailable, "store "+s.dir, "is closed; open it again")
}

// columnBytes returns a column's value, in memory of its own.
func columnBytes(row *sqlite.Stmt, column int) []byte {
	b := make([]byte, row.ColumnLen(column))
	row.ColumnBytes(column, b)
	return b
}
