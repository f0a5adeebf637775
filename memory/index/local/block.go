package local

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// block is what memory holds of one place. Whoever has the turn may read the store into it or write; readers
// take only mu, which nobody holds while he waits for the store.
type block struct {
	place place
	dim   int

	// Guarded by the table: how many calls use it, and its bytes and entries when the last of them ended.
	refs    int
	size    int64
	entries int

	turn chan struct{}
	mu   sync.RWMutex
	view *rows // nil = not read, or no longer to be trusted
	mark int64 // the owner's mark when it was read; of a shared store only
	byID map[string]int32
	// names are the numbers of kinds and sessions; the view has them the other way round. The map is replaced, never changed.
	names map[string]uint32
}

// loadBy is how many documents are read at a time.
const loadBy = 1000

func newBlock(p place, dim int) *block {
	return &block{place: p, dim: dim, turn: make(chan struct{}, 1)}
}

// at says whether the view is there and was read at this mark.
func (b *block) at(mark int64) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.view != nil && b.mark == mark
}

// forget makes the next call read the store again.
func (b *block) forget() {
	b.mu.Lock()
	b.view, b.byID, b.names = nil, nil, nil
	b.mu.Unlock()
}

// load reads the block from the store. The caller has the turn.
func (b *block) load(ctx context.Context, s *Shelf, mark int64) error {
	// The block is read apart, page by page; readers keep the old one meanwhile.
	fresh := newBlock(b.place, b.dim)
	fresh.byID, fresh.names = map[string]int32{}, map[string]uint32{}
	view := newRows(b.dim)
	vector := make([]float32, b.dim)
	q := store.Query{Collection: state.Vectors, Prefix: b.place.prefix(), Limit: loadBy}
	for docs, err := range store.Pages(ctx, s.store.Scan, q) {
		if err != nil {
			return err
		}
		for _, d := range docs {
			e, err := decode(b.place, d, vector)
			if err != nil {
				return err
			}
			fresh.byID[e.ID] = int32(view.n)
			view.add(e, view.number(fresh.names, e.Kind), view.number(fresh.names, e.Session), d.Rev)
		}
	}

	// It is shown at once, with the mark that was read before it: nothing of it is older.
	view.outline(s.sketchAt(b.dim))
	b.mu.Lock()
	b.view, b.byID, b.names, b.mark = view, fresh.byID, fresh.names, mark
	b.mu.Unlock()
	return nil
}

// revision returns that of an entry's document, 0 if there is none. The caller has the turn and a loaded block.
func (b *block) revision(id string) int64 {
	if i, ok := b.byID[id]; ok {
		return b.view.revs[i]
	}
	return 0
}

// publish shows readers what was written: these entries, one revision further, and without these ids. The caller has the
// turn, and the block has the ids that are gone. Readers wait only while the map is brought up to date.
func (b *block) publish(s *Shelf, entries []index.Entry, gone []string) {
	// The next view is made apart. A new name needs a map of its own, since readers use the old one.
	next, names := b.view.next(), b.names
	if slices.ContainsFunc(entries, b.hasNewName) {
		names = maps.Clone(names)
	}
	for _, id := range gone {
		next.bury(int(b.byID[id]))
	}
	first := next.n
	for _, e := range entries {
		if i, ok := b.byID[e.ID]; ok {
			next.bury(int(i))
		}
		next.add(e, next.number(names, e.Kind), next.number(names, e.Session), b.revision(e.ID)+1)
	}

	// Readers see it all at once.
	b.mu.Lock()
	for _, id := range gone {
		delete(b.byID, id)
	}
	for i := first; i < next.n; i++ {
		b.byID[next.ids[i]] = int32(i)
	}
	b.view, b.names = next, names
	b.mu.Unlock()

	// A view with many dead rows, or a sketch that lags behind, is made anew.
	switch {
	case next.n-next.living > next.n/4 && next.n > 64:
		b.compact(s)
	case next.sketchDue(s.sketchAt(b.dim)):
		drawn := *next
		drawn.outline(s.sketchAt(b.dim))
		b.mu.Lock()
		b.view = &drawn
		b.mu.Unlock()
	}
}

func (b *block) hasNewName(e index.Entry) bool {
	_, kind := b.names[e.Kind]
	_, session := b.names[e.Session]
	return !kind || !session
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
		next.add(e, next.number(fresh.names, e.Kind), next.number(fresh.names, e.Session), old.revs[i])
	}
	next.outline(s.sketchAt(b.dim))
	b.mu.Lock()
	b.view, b.byID, b.names = next, fresh.byID, fresh.names
	b.mu.Unlock()
}

// bytes is about what the block takes, and how many entries it has.
func (b *block) bytes() (total int64, living int) {
	const alone = 512
	b.mu.RLock()
	view := b.view
	b.mu.RUnlock()
	if view == nil {
		return alone, 0
	}
	return alone + view.bytes(), view.living
}

// use makes sure that the block was read, and nobody else wrote since.
func (b *block) use(ctx context.Context, s *Shelf) error {
	mark, err := s.readMark(ctx, b.place)
	if err != nil || b.at(mark) {
		return err
	}
	if err := lock(ctx, b.turn); err != nil {
		return err
	}
	defer unlock(b.turn)
	return b.useInTurn(ctx, s)
}

// useInTurn is use for who has the turn.
func (b *block) useInTurn(ctx context.Context, s *Shelf) error {
	mark, err := s.readMark(ctx, b.place)
	if err != nil || b.at(mark) {
		return err
	}
	s.blocks.loads.Add(1)
	return b.load(ctx, s, mark)
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

// countMark tells other processes that the owner's entries changed. The caller has the turn. If another process was first,
// the block is no longer current, and stays at its old mark.
func (b *block) countMark(ctx context.Context, s *Shelf) error {
	if !s.shared {
		return nil
	}
	body, err := bson.Marshal(bson.D{})
	if err != nil {
		return state.Errorf(state.Internal, "mark "+b.place.String(), "%w", err)
	}
	mark := b.mark
	for range attempts {
		err = s.store.Write(ctx, store.Doc{Collection: state.Vectors, ID: b.place.String(), Rev: mark, Body: body})
		if err == nil && mark == b.mark {
			b.mu.Lock()
			b.mark++
			b.mu.Unlock()
		}
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
		if mark, err = s.readMark(ctx, b.place); err != nil {
			return err
		}
		if mark == b.mark {
			b.forget() // the mark was deleted and counted up again: no telling what is behind it
		}
	}
	return state.Errorf(state.Unavailable, "mark "+b.place.String(), "others wrote %d times meanwhile; try again", attempts)
}
