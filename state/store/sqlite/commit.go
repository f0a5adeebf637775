package sqlite

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// request is a Write or Delete that waits for the writer.
type request struct {
	run  func(*sqlite.Conn) error // makes the changes; a conflict undoes them
	err  error                    // the outcome, once done is closed
	done chan struct{}
}

// do runs a request in a transaction, alone or with others that wait at the same time, and returns its outcome: who
// gets the writer commits for all that wait. A request whose context ends before is taken back.
func (s *Store) do(ctx context.Context, op string, run func(*sqlite.Conn) error) error {
	r := &request{run: run, done: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, r)
	s.mu.Unlock()

	select {
	case writer, ok := <-s.writer:
		if !ok {
			return s.errClosed()
		}
		s.lead(ctx, writer, r)
		s.writer <- writer
	case <-r.done:
	case <-ctx.Done():
		if s.withdraw(r) {
			return store.Cancelled(ctx)
		}
		<-r.done
	}
	return explain(op, s.path, r.err)
}

// lead commits what waits, r included unless somebody else has, once the database is this process's to write.
func (s *Store) lead(ctx context.Context, writer *sqlite.Conn, r *request) {
	if err := s.begin(ctx, writer); err != nil {
		if s.withdraw(r) {
			r.err = err
		}
		return
	}
	s.mu.Lock()
	group := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	s.commit(writer, group)
	for _, r := range group {
		close(r.done)
	}
}

// withdraw takes back a request that nobody commits yet.
func (s *Store) withdraw(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, r)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

// begin begins a transaction that writes. Another process may have one: then it waits until ctx ends.
func (s *Store) begin(ctx context.Context, writer *sqlite.Conn) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	return retry(ctx, func() error { return cmp.Or(rollback(writer), query(writer, "BEGIN IMMEDIATE", nil)) })
}

// How long to wait before asking again whether another process has ended its transaction, which takes it less
// than a millisecond as a rule.
const (
	firstWait = 200 * time.Microsecond
	lastWait  = 5 * time.Millisecond
)

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
func (s *Store) commit(writer *sqlite.Conn, group []*request) {
	number, err := run(writer, group)
	if err == nil && number > 0 {
		s.commits.Add(1)
		setMark(s.marks, number)
		return
	}
	err = errors.Join(err, rollback(writer))
	for _, r := range group {
		r.err = cmp.Or(err, r.err)
	}
}

// run makes the changes of the group and commits them under the next number; 0 stands for a group that changes nothing.
// A request that meets a conflict is undone alone.
func run(writer *sqlite.Conn, group []*request) (uint64, error) {
	done := false
	for _, r := range group {
		if r.err = runOne(writer, r, len(group) > 1); r.err != nil && !errors.Is(r.err, state.ErrConflict) {
			return 0, r.err
		}
		done = done || r.err == nil
	}
	if !done {
		return 0, nil
	}

	if err := query(writer, "UPDATE commits SET number = number + 1", nil); err != nil {
		return 0, err
	}
	n, err := number(writer, "SELECT number FROM commits")
	if err == nil {
		err = query(writer, "COMMIT", nil)
	}
	return uint64(n), err
}

// runOne runs a request; among others it is undone to a savepoint if it meets a conflict.
func runOne(writer *sqlite.Conn, r *request, others bool) error {
	if !others {
		return r.run(writer)
	}
	if err := query(writer, "SAVEPOINT one", nil); err != nil {
		return err
	}

	err := r.run(writer)
	if errors.Is(err, state.ErrConflict) {
		if undoErr := query(writer, "ROLLBACK TO one", nil); undoErr != nil {
			return undoErr
		}
	} else if err != nil {
		return err
	}

	if releaseErr := query(writer, "RELEASE one", nil); releaseErr != nil {
		return releaseErr
	}
	return err
}

// rollback ends a transaction, unless SQLite has already.
func rollback(c *sqlite.Conn) error {
	if c.AutocommitEnabled() {
		return nil
	}
	return query(c, "ROLLBACK", nil)
}

// change is a document of a Write, packed.
type change struct {
	store.Doc
	value []byte
}

// apply makes one change, or returns a *store.ConflictError when the document is not at its revision.
func (ch change) apply(c *sqlite.Conn) (err error) {
	table := quoted(ch.Collection)
	switch {
	case ch.Rev == 0:
		err = query(c, "INSERT INTO "+table+" VALUES (?, 1, ?) ON CONFLICT DO NOTHING", nil, ch.ID, ch.value)
	case ch.Body != nil:
		err = query(c, "UPDATE "+table+" SET rev = rev + 1, body = ? WHERE id = ? AND rev = ?", nil, ch.value, ch.ID, ch.Rev)
	default:
		err = query(c, "DELETE FROM "+table+" WHERE id = ? AND rev = ?", nil, ch.ID, ch.Rev)
	}
	if err == nil && c.Changes() == 0 {
		return &store.ConflictError{Collection: ch.Collection, ID: ch.ID}
	}
	return err
}

// quoted returns the name of a collection's table.
func quoted(c state.Collection) string { return `"` + string(c) + `"` }

// query runs a statement, prepared when it is first run. each gets its rows, until it returns an error.
func query(c *sqlite.Conn, text string, each func(*sqlite.Stmt) error, args ...any) error {
	return sqlitex.Execute(c, text, &sqlitex.ExecOptions{Args: args, ResultFunc: each})
}

// number returns the result of a statement that has one.
func number(c *sqlite.Conn, text string) (n int64, err error) {
	err = query(c, text, func(row *sqlite.Stmt) error {
		n = row.ColumnInt64(0)
		return nil
	})
	return n, err
}
