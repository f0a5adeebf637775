package local

import (
	"context"
	"errors"
	"sync"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// block is what memory holds of one place. Whoever has the turn may read the store into it or write; readers
// take only mu, which nobody holds while he waits for the store.
type block struct {
	place place
	dim   int

	refs int   // calls that use it; guarded by the table
	size int64 // as counted; guarded by the table
	rows int   // living ones, as counted; guarded by the table

	turn chan struct{}
	mu   sync.RWMutex
	view *rows // nil = not read, or no longer to be trusted
	mark int64 // the owner's mark when it was read; of a shared store only
	byID map[string]int32
	// names are the numbers of kinds and sessions. The view has them the other way round.
	names map[string]uint32
}

// loadBy is how many documents are read at a time.
const loadBy = 1000

func newBlock(p place, dim int) *block {
	return &block{place: p, dim: dim, turn: make(chan struct{}, 1)}
}

// at returns the view if it is there and was read at this mark.
func (b *block) at(mark int64) *rows {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.mark != mark {
		return nil
	}
	return b.view
}

// forget makes the next call read the store again.
func (b *block) forget() {
	b.mu.Lock()
	b.view, b.byID, b.names = nil, nil, nil
	b.mu.Unlock()
}

// load reads the block from the store. The caller has the turn.
func (b *block) load(ctx context.Context, s *Shelf, mark int64) error {
	fresh := newBlock(b.place, b.dim)
	fresh.byID, fresh.names = map[string]int32{}, map[string]uint32{}
	view := newRows(b.dim)
	vector := make([]float32, b.dim)
	q := store.Query{Collection: state.Vectors, Prefix: b.place.prefix(), Limit: loadBy}
	for {
		docs, err := s.store.Scan(ctx, q)
		if err != nil {
			return err
		}
		for _, d := range docs {
			e, err := decode(b.place, d, vector)
			if err != nil {
				return err
			}
			fresh.byID[e.ID] = int32(view.n)
			view.add(e, fresh.number(view, e.Kind), fresh.number(view, e.Session), d.Rev)
		}
		if len(docs) < loadBy {
			break
		}
		q.After = docs[len(docs)-1].ID
	}
	view.outline(s.sketchFrom)
	b.mu.Lock()
	b.view, b.byID, b.names, b.mark = view, fresh.byID, fresh.names, mark
	b.mu.Unlock()
	return nil
}

// number is that of a kind or session, a new one if need be. The caller has the turn, and mu unless b is his alone.
func (b *block) number(view *rows, name string) uint32 {
	n, ok := b.names[name]
	if !ok {
		n = uint32(len(view.names))
		view.names, b.names[name] = append(view.names, name), n
	}
	return n
}

// revision is that of an entry's document, 0 if there is none. The caller has the turn and a loaded block.
func (b *block) revision(id string) int64 {
	if i, ok := b.byID[id]; ok {
		return b.view.revs[i]
	}
	return 0
}

// publish shows readers what was written: these entries, with the revision after their last one, and without these ids. The
// caller has the turn. Entries' vectors are copied.
func (b *block) publish(s *Shelf, entries []index.Entry, gone []string) {
	next := b.view.next()
	b.mu.Lock()
	for _, id := range gone {
		next.bury(int(b.byID[id]))
		delete(b.byID, id)
	}
	for _, e := range entries {
		rev := b.revision(e.ID) + 1
		if i, ok := b.byID[e.ID]; ok {
			next.bury(int(i))
		}
		b.byID[e.ID] = int32(next.n)
		next.add(e, b.number(next, e.Kind), b.number(next, e.Session), rev)
	}
	b.view = next
	b.mu.Unlock()
	if next.n-next.living > next.n/4 && next.n > 64 {
		b.compact(s)
		return
	}
	if next.sketchDue(s.sketchFrom) {
		drawn := next.next()
		drawn.outline(s.sketchFrom)
		b.mu.Lock()
		b.view = drawn
		b.mu.Unlock()
	}
}

// compact writes the living rows anew. The caller has the turn.
func (b *block) compact(s *Shelf) {
	old, next := b.view, newRows(b.dim)
	fresh := newBlock(b.place, b.dim)
	fresh.byID, fresh.names = make(map[string]int32, old.living), map[string]uint32{}
	for i := range old.n {
		if old.isDead(i) {
			continue
		}
		e := old.entry(i)
		e.Vector = old.vectors.row(i)
		fresh.byID[e.ID] = int32(next.n)
		next.add(e, fresh.number(next, e.Kind), fresh.number(next, e.Session), old.revs[i])
	}
	next.outline(s.sketchFrom)
	b.mu.Lock()
	b.view, b.byID, b.names = next, fresh.byID, fresh.names
	b.mu.Unlock()
}

// bytes is about what the block takes: its view, and the map of its ids at 1.5 slots an entry.
func (b *block) bytes() (total int64, living int) {
	const alone, slot = 512, 44
	b.mu.RLock()
	view, ids := b.view, len(b.byID)
	b.mu.RUnlock()
	if view == nil {
		return alone, 0
	}
	return alone + view.bytes() + slot*int64(ids), view.living
}

// readMark returns the owner's mark, 0 in a store that nobody else writes to.
func (s *Shelf) readMark(ctx context.Context, p place) (int64, error) {
	if !s.shared {
		return 0, nil
	}
	d, err := s.store.Get(ctx, state.Vectors, p.String())
	if errors.Is(err, state.ErrNotFound) {
		return 0, nil
	}
	return d.Rev, err
}
