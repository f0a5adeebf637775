package sqlite

import (
	"context"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// do runs a request in a transaction, alone or with others that wait at the same time, and returns its outcome.
func (s *Store) do(ctx context.Context, op string, run func(*sqlite.Conn) error) error {
	r := &request{run: run, turn: make(chan bool, 1)}
	if s.queue.enter(r) || s.queue.await(ctx, r) {
		s.lead(ctx, r)
	}
	return explain(op, s.path, r.err)
}

// lead commits what waits, the leader's request included, once the database is this process's to write.
func (s *Store) lead(ctx context.Context, r *request) {
	defer s.queue.pass(r)
	s.writing.Lock()
	defer s.writing.Unlock()
	if r.err = s.begin(ctx); r.err != nil {
		return
	}
	group := s.queue.take()
	s.commit(group)
	for _, other := range group {
		if other != r {
			other.turn <- false
		}
	}
}

// How long to wait before asking again whether another process has ended its transaction, which takes it less
// than a millisecond as a rule.
const (
	firstWait = 200 * time.Microsecond
	lastWait  = 5 * time.Millisecond
)

// begin begins a transaction that writes. Another process may have one: then it waits until ctx ends.
func (s *Store) begin(ctx context.Context) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	return retry(ctx, func() error { return run(s.writer, "BEGIN IMMEDIATE") })
}

// retry runs f again and again while another process is in its way, until ctx ends.
func retry(ctx context.Context, f func() error) error {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		err := f()
		if sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return store.Cancelled(ctx)
		}
	}
}

// commit ends the transaction: every request that can be done is done, and each has its outcome. If the disk takes
// no more or a page is damaged, nothing of the group is kept.
func (s *Store) commit(group []*request) {
	number, err := s.run(group)
	if err == nil {
		if markErr := s.marks.set(number); markErr != nil {
			s.cfg.Log.Warn("last commit not noted", "path", s.marks.file.Name(), "err", markErr)
		}
		s.commits.Add(1)
		return
	}
	if !s.writer.AutocommitEnabled() { // SQLite may have rolled back itself
		err = errors.Join(err, run(s.writer, "ROLLBACK"))
	}
	for _, r := range group {
		if r.err == nil && !errors.Is(err, errNothing) {
			r.err = err
		}
	}
}

// errNothing means that no request of the group had something to commit.
var errNothing = errors.New("nothing to commit")

// run makes the changes of the group and commits them under the next number. A request that meets a conflict is
// undone alone.
func (s *Store) run(group []*request) (uint64, error) {
	done := 0
	for _, r := range group {
		r.err = s.runOne(r, len(group) > 1)
		switch {
		case r.err == nil:
			done++
		case !errors.Is(r.err, state.ErrConflict):
			return 0, r.err
		}
	}
	if done == 0 {
		return 0, errNothing
	}
	if err := run(s.writer, "UPDATE commits SET number = number + 1"); err != nil {
		return 0, err
	}
	n, err := number(s.writer, "SELECT number FROM commits")
	if err != nil {
		return 0, err
	}
	return uint64(n), run(s.writer, "COMMIT")
}

// runOne runs a request; among others it is undone to a savepoint if it meets a conflict.
func (s *Store) runOne(r *request, others bool) error {
	if !others {
		return r.run(s.writer)
	}
	if err := run(s.writer, "SAVEPOINT one"); err != nil {
		return err
	}
	err := r.run(s.writer)
	if errors.Is(err, state.ErrConflict) {
		if undoErr := run(s.writer, "ROLLBACK TO one"); undoErr != nil {
			return undoErr
		}
	} else if err != nil {
		return err
	}
	return errors.Join(run(s.writer, "RELEASE one"), err)
}

// change is a document of a Write, packed.
type change struct {
	store.Doc
	value []byte
}

// apply makes one change, or returns a *store.ConflictError when the document is not at its revision.
func (ch change) apply(c *sqlite.Conn) error {
	table := quoted(ch.Collection)
	var err error
	switch {
	case ch.Rev == 0:
		err = query(c, "INSERT INTO "+table+" VALUES (?, 1, ?) ON CONFLICT DO NOTHING", func(q *sqlite.Stmt) {
			q.BindText(1, ch.ID)
			q.BindBytes(2, ch.value)
		}, nil)
	case ch.Body != nil:
		err = query(c, "UPDATE "+table+" SET rev = rev + 1, body = ? WHERE id = ? AND rev = ?", func(q *sqlite.Stmt) {
			q.BindBytes(1, ch.value)
			q.BindText(2, ch.ID)
			q.BindInt64(3, ch.Rev)
		}, nil)
	default:
		err = query(c, "DELETE FROM "+table+" WHERE id = ? AND rev = ?", func(q *sqlite.Stmt) {
			q.BindText(1, ch.ID)
			q.BindInt64(2, ch.Rev)
		}, nil)
	}
	if err == nil && c.Changes() == 0 {
		return &store.ConflictError{Collection: ch.Collection, ID: ch.ID}
	}
	return err
}

// quoted is the name of a collection's table.
func quoted(c state.Collection) string { return `"` + string(c) + `"` }

// run runs a statement without results.
func run(c *sqlite.Conn, text string) error { return query(c, text, nil, nil) }

// errEnough ends a query before its last row.
var errEnough = errors.New("no more rows are needed")

// query runs a statement, prepared when it is first run: bind gives it its values, each gets its rows.
func query(c *sqlite.Conn, text string, bind func(*sqlite.Stmt), each func(*sqlite.Stmt) error) (err error) {
	q, err := c.Prepare(text)
	if err != nil {
		return err
	}
	if bind != nil {
		bind(q)
	}
	defer func() { err = errors.Join(err, q.Reset()) }()
	for {
		row, err := q.Step()
		if err != nil || !row {
			return err
		}
		if each == nil {
			continue
		}
		if err := each(q); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
