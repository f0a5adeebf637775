package bolt

import (
	"errors"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// stage is where one commit is put together: each request of a group sees the changes of those before it.
type stage struct {
	tx      *bbolt.Tx
	next    *overlay // the changes that are not in store.db, those of this commit included
	changes []change // those of this commit, in order
}

// write checks that every document stands where its change demands; then it makes all changes.
func (g *stage) write(docs []store.Doc) error {
	for _, d := range docs {
		rev, err := g.rev(d.Collection, d.ID)
		if err != nil {
			return err
		}
		if rev != d.Rev {
			return &store.ConflictError{Collection: d.Collection, ID: d.ID}
		}
	}
	for _, d := range docs {
		if d.Body == nil {
			g.set(d.Collection, d.ID, entry{})
			continue
		}
		g.set(d.Collection, d.ID, entry{d.Rev + 1, slices.Clone(d.Body)})
	}
	return nil
}

// delete makes every document that begins with prefix absent, and returns how many there were.
func (g *stage) delete(c state.Collection, prefix string) (int, error) {
	var ids []string
	q := store.Query{Collection: c, Prefix: prefix}
	err := merged(g.next, g.tx.Bucket([]byte(c)), q, func(id string, _ *entry, _ []byte) (bool, error) {
		ids = append(ids, id)
		return true, nil
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		g.set(c, id, entry{})
	}
	return len(ids), nil
}

// rev is the revision of a document, 0 if there is none.
func (g *stage) rev(c state.Collection, id string) (int64, error) {
	if e, ok := g.next.Get(place(c, id)); ok {
		return e.rev, nil
	}
	v, err := get(g.tx, c, id)
	return v.rev, err
}

func (g *stage) set(c state.Collection, id string, e entry) {
	g.next.Set(place(c, id), e)
	g.changes = append(g.changes, change{c, id, e})
}

// commit checks a group of requests one after the other and makes the changes of those that can be done
// durable together. It sets the outcome of each.
func (s *Store) commit(group []*request) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.commitGroup(group); err != nil {
		for _, r := range group { // also of those that lost against one that is not committed now
			r.err = err
		}
	}
}

func (s *Store) commitGroup(group []*request) error {
	if s.closed.Load() {
		return s.errClosed()
	}
	if err := s.standing(); err != nil {
		return err
	}
	g := &stage{next: s.view.Load().changes.Copy()}
	err := s.base.view(func(tx *bbolt.Tx) error {
		g.tx = tx
		for _, r := range group {
			r.err = s.explainPlan(r.plan(g))
		}
		return nil
	})
	if err != nil || len(g.changes) == 0 {
		return explain("write", s.base.path, err)
	}
	if s.base.failed != nil {
		return explain("write", s.base.path, s.base.failed)
	}
	return s.persist(g)
}

// explainPlan gives the error of a plan a code; a conflict is one.
func (s *Store) explainPlan(err error) error {
	if errors.Is(err, state.ErrConflict) {
		return err
	}
	return explain("write", s.base.path, err)
}

// persist makes what is on the stage durable, then visible: with one entry in the log, or, if that would
// be a large one, in store.db at once.
func (s *Store) persist(g *stage) error {
	size := sizeOf(g.changes)
	if size > s.cfg.LogBytes && (s.held == 0 || size > maxLimit) {
		if err := s.fold(g.next, s.last+1, s.header.logged); err != nil {
			return explain("write", s.base.path, err)
		}
		s.commits.Add(1)
		return nil
	}
	if !s.header.logged {
		if err := s.beginLog(); err != nil {
			return explain("write", s.log.path, err)
		}
	}
	if err := s.log.append(encodeCommit(commit{s.last + 1, g.changes})); err != nil {
		return explain("write", s.log.path, err)
	}
	s.last++
	s.view.Store(&view{s.view.Load().base, g.next})
	s.commits.Add(1)
	return nil
}

// beginLog makes the log, once after each Open that found none, and lets store.db know.
func (s *Store) beginLog() error {
	if !s.log.exists {
		if err := s.log.create(s.last + 1); err != nil {
			return err
		}
	}
	return s.fold(s.view.Load().changes, s.last, true)
}

// tidy writes the log into store.db when it has grown. Nobody waits for that but who led the queue; if
// it fails, nothing is lost, the log only goes on growing.
func (s *Store) tidy() {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed.Load() || s.held > 0 || s.log.size.Load() < s.flushAt {
		return
	}
	if err := s.flush(); err != nil {
		s.flushAt = s.log.size.Load() + int64(s.cfg.LogBytes)
		s.cfg.Log.Warn("the log cannot be written into the store yet", "dir", s.cfg.Dir, "log_bytes", s.log.size.Load(), "error", err)
	}
}

// flush writes what the log holds into store.db.
func (s *Store) flush() error {
	if s.view.Load().changes.Len() == 0 {
		return nil
	}
	return s.fold(s.view.Load().changes, s.last, s.header.logged)
}

// seal makes store.db complete in itself and removes the log.
func (s *Store) seal() error {
	if s.header.logged || s.view.Load().changes.Len() > 0 {
		if err := s.fold(s.view.Load().changes, s.last, false); err != nil {
			return err
		}
	}
	return s.log.remove()
}

// fold writes changes, those of all commits up to number last, into store.db in one transaction, and
// empties the log. Readers go from the old view to the new one without seeing a mixture: who finds a
// newer transaction than his view names knows that it contains the view's changes.
func (s *Store) fold(changes *overlay, last uint64, logged bool) error {
	var h header
	id, err := s.base.update(func(tx *bbolt.Tx, stored *header) error {
		stored.schema, stored.applied, stored.logged = schema, last, logged
		err := s.base.putAll(tx, stored, changes)
		h = *stored
		return err
	})
	if err != nil && !s.visible(id) {
		return err
	}
	s.flushes.Add(1)
	s.header, s.last = h, last
	s.view.Store(&view{id, new(overlay)})
	if err != nil {
		return err // readers see the changes already, but the disk did not confirm them: the log keeps them
	}
	s.flushAt = int64(s.cfg.LogBytes)
	if s.log.exists {
		s.log.restart(last + 1)
	}
	return nil
}

// visible reports whether readers meet transaction id, although its commit ended with an error.
func (s *Store) visible(id int) bool {
	seen := false
	err := s.base.view(func(tx *bbolt.Tx) error {
		seen = tx.ID() >= id
		return nil
	})
	return err == nil && seen && id > 0
}
