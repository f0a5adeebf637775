package ram

import (
	"context"
	"slices"
	"sync"

	"github.com/tidwall/btree"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Store keeps documents in memory. Safe for concurrent use; made by New.
type Store struct {
	mu     sync.RWMutex
	tables map[state.Collection]*table
	loose  bool
}

// table holds the documents of one collection by id.
type table = btree.Map[string, entry]

// entry is a stored document; body is never changed after it was stored.
type entry struct {
	rev  int64
	body bson.Raw
}

var _ store.Store = (*Store)(nil)

// New returns an empty store. It needs no Close.
func New() *Store {
	s := &Store{tables: map[state.Collection]*table{}}
	for _, c := range store.Collections() {
		s.tables[c] = new(table)
	}
	return s
}

// NewLoose returns an empty store that promises as little as a server without transactions: what must hold
// there can be tried out on it.
func NewLoose() *Store {
	s := New()
	s.loose = true
	return s
}

// Features returns those of a folder of one's own, or of a server for a store made by NewLoose.
func (s *Store) Features() store.Features { return store.Features{Atomic: !s.loose, Shared: s.loose} }

// Get returns a copy of one document.
func (s *Store) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	if err := admit(ctx, store.ValidateKey(c, id)); err != nil {
		return store.Doc{}, err
	}
	s.mu.RLock()
	e, ok := s.tables[c].Get(id)
	s.mu.RUnlock()
	if !ok {
		return store.Doc{}, store.NotFound(c, id)
	}
	return e.doc(c, id), nil
}

// Scan returns copies of what the query selects, as it stood at one moment.
func (s *Store) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if err := admit(ctx, q.Validate()); err != nil {
		return nil, err
	}
	docs := []store.Doc{}
	s.mu.RLock()
	defer s.mu.RUnlock()
	each(s.tables[q.Collection], q, func(id string, e entry) bool {
		docs = append(docs, e.doc(q.Collection, id))
		return (q.Limit == 0 || len(docs) < q.Limit) && ctx.Err() == nil
	})
	if err := admit(ctx, nil); err != nil {
		return nil, err
	}
	return docs, nil
}

// Write makes all changes or none; in a loose store each document is a write of its own.
func (s *Store) Write(ctx context.Context, docs ...store.Doc) error {
	if err := admit(ctx, store.ValidateWrite(docs)); err != nil {
		return err
	}
	if !s.loose {
		return s.write(docs)
	}
	var first error
	for i := range docs {
		if err := s.write(docs[i : i+1]); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (s *Store) write(docs []store.Doc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range docs {
		if e, _ := s.tables[d.Collection].Get(d.ID); e.rev != d.Rev {
			return &store.ConflictError{Collection: d.Collection, ID: d.ID}
		}
	}

	for _, d := range docs {
		if d.Body == nil {
			s.tables[d.Collection].Delete(d.ID)
			continue
		}
		s.tables[d.Collection].Set(d.ID, entry{d.Rev + 1, slices.Clone(d.Body)})
	}
	return nil
}

// Delete removes what begins with prefix and returns how many documents that were.
func (s *Store) Delete(ctx context.Context, c state.Collection, prefix string) (int, error) {
	if err := admit(ctx, store.ValidatePrefix(c, prefix)); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	each(s.tables[c], store.Query{Prefix: prefix}, func(id string, _ entry) bool {
		ids = append(ids, id)
		return true
	})
	for _, id := range ids {
		s.tables[c].Delete(id)
	}
	return len(ids), nil
}

// each visits the entries of the query's range in its order until visit returns false.
func each(t *table, q store.Query, visit func(string, entry) bool) {
	low, high := q.Range()
	switch {
	case !q.Reverse:
		t.Ascend(low, func(id string, e entry) bool { return (high == "" || id < high) && visit(id, e) })
	case high == "":
		t.Reverse(func(id string, e entry) bool { return id >= low && visit(id, e) })
	default:
		t.Descend(high, func(id string, e entry) bool { return id == high || id >= low && visit(id, e) })
	}
}

// doc returns the entry as callers get it, in memory of its own.
func (e entry) doc(c state.Collection, id string) store.Doc {
	return store.Doc{Collection: c, ID: id, Rev: e.rev, Body: slices.Clone(e.body)}
}

// admit lets a call in whose context still stands and whose arguments are valid.
func admit(ctx context.Context, invalid error) error {
	if ctx.Err() != nil {
		return store.Cancelled(ctx)
	}
	return invalid
}
