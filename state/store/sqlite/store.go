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
	cfg      Config
	path     string // of store.db
	readOnly bool   // the disk cannot be written: Write and Delete are refused
	pack     *packer
	file     os.FileInfo // of store.db when it was opened
	readers  readers
	uri      string // what connections are opened with
	queue    queue

	closed  atomic.Bool
	writes  atomic.Int64
	commits atomic.Int64

	writing sync.Mutex // held while writer is used
	writer  *sqlite.Conn
	marks   *marks // nil when readOnly
}

var _ store.Store = (*Store)(nil)

// Path returns the folder of the store, as Config named it.
func (s *Store) Path() string { return s.cfg.Dir }

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
		return query(conn, "SELECT rev, body FROM "+quoted(c)+" WHERE id = ?", func(q *sqlite.Stmt) { q.BindText(1, id) },
			func(row *sqlite.Stmt) (err error) {
				d.Rev = row.ColumnInt64(0)
				d.Body, err = s.pack.unpack(d, columnBytes(row, 1))
				return err
			})
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
	err := s.read(ctx, "scan "+string(q.Collection)+" "+q.Prefix, func(conn *sqlite.Conn) error {
		text, bind := selection(q)
		return query(conn, text, bind, func(row *sqlite.Stmt) (err error) {
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
		})
	})
	if err != nil {
		return nil, err
	}
	return docs, nil
}

// selection is the statement for a query, and what it needs bound.
func selection(q store.Query) (text string, bind func(*sqlite.Stmt)) {
	low, high := q.Range()
	text = "SELECT id, rev, body FROM " + quoted(q.Collection) + " WHERE id >= ?1"
	if high != "" {
		text += " AND id < ?2"
	}
	text += " ORDER BY id"
	if q.Reverse {
		text += " DESC"
	}
	return text, func(stmt *sqlite.Stmt) {
		stmt.BindText(1, low)
		if high != "" {
			stmt.BindText(2, high)
		}
	}
}

// Write makes all changes or none and returns when they are on disk. Writes that wait at the same time
// share one sync.
func (s *Store) Write(ctx context.Context, docs ...store.Doc) error {
	if err := s.admit(ctx, store.ValidateWrite(docs)); err != nil || len(docs) == 0 {
		return err
	}
	changes := make([]change, len(docs))
	for i, d := range docs {
		if len(d.Body) > s.cfg.MaxDocBytes {
			return state.Errorf(state.Invalid, "write "+string(d.Collection)+" "+d.ID,
				"its body has %d bytes, at most %d are allowed; split it, or raise MaxDocBytes", len(d.Body), s.cfg.MaxDocBytes)
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
		low, high := store.Query{Prefix: prefix}.Range()
		text := "DELETE FROM " + quoted(c) + " WHERE id >= ?"
		if high != "" {
			text += " AND id < ?"
		}
		err := query(conn, text, func(q *sqlite.Stmt) {
			q.BindText(1, low)
			if high != "" {
				q.BindText(2, high)
			}
		}, nil)
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
	s.writing.Lock()
	defer s.writing.Unlock()
	return explain("close store", s.path, s.release(append(s.readers.takeAll(), s.writer)))
}

// release closes connections and all that belongs to them. Those of a file that bears its name no more stay open
// until the process ends: closing them would remove the log of whatever stands there now.
func (s *Store) release(open []*sqlite.Conn) error {
	s.pack.close()
	errs := []error{s.marks.close()}
	if err := s.standing(); s.file != nil && err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, conn := range open {
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// read runs f on a connection that reads, and gives its error a code.
func (s *Store) read(ctx context.Context, op string, f func(*sqlite.Conn) error) error {
	conn, err := s.readers.take(ctx)
	if err != nil {
		return err
	}
	defer func() { s.readers.put(conn) }()
	if s.closed.Load() {
		return s.errClosed()
	}
	if conn == nil {
		if conn, err = s.connect(ctx); err != nil {
			return explain(op, s.path, err)
		}
	}
	return explain(op, s.path, retry(ctx, func() error { return f(conn) })) // busy is an answer at the beginning only
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
	switch {
	case s.closed.Load():
		return s.errClosed()
	case s.readOnly:
		return state.Errorf(state.Denied, "store "+s.cfg.Dir, "is on a disk that cannot be written; copy the folder to another")
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
	return state.Errorf(state.Unavailable, "store "+s.cfg.Dir,
		"was deleted, moved or replaced while it was open: nothing more is kept in it; put it back, or close it and open another")
}

func (s *Store) errClosed() error {
	return state.Errorf(state.Unavailable, "store "+s.cfg.Dir, "is closed; open it again")
}

// columnBytes is a column's value, in memory of its own.
func columnBytes(row *sqlite.Stmt, column int) []byte {
	b := make([]byte, row.ColumnLen(column))
	row.ColumnBytes(column, b)
	return b
}
