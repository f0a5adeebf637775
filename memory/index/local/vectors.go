package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// vectors is one space of a shelf.
type vectors struct {
	shelf *Shelf
	space index.Space
	key   string
	batch int // entries per store write

	gate    sync.RWMutex // held by every call to read, by drop to write
	dropped bool
}

var _ index.Vectors = (*vectors)(nil)

// Batches of a megabyte or 512 entries: large enough that syncs do not count, small enough that readers, who wait while a
// batch is entered in the block, do not notice.
const (
	batchBytes   = 1 << 20
	batchEntries = 512
	tries        = 8 // of a batch that other processes get ahead of
)

func newVectors(s *Shelf, space index.Space) *vectors {
	return &vectors{shelf: s, space: space, key: keyOf(space), batch: min(max(batchBytes/(4*space.Dim), 8), batchEntries)}
}

// drop waits for the calls that run and refuses those that come.
func (v *vectors) drop() {
	v.gate.Lock()
	v.dropped = true
	v.gate.Unlock()
	v.shelf.blocks.removeSpace(v.key)
}

// within runs a call on an owner's block, unless the space was dropped.
func (v *vectors) within(o index.Owner, call func(b *block) error) error {
	v.gate.RLock()
	defer v.gate.RUnlock()
	if v.dropped {
		return state.Errorf(state.NotFound, "vectors of "+v.space.String(), "the space was dropped; open it again to fill it anew")
	}
	b := v.shelf.blocks.take(place{o, v.key}, v.space.Dim)
	defer v.shelf.blocks.give(b)
	return call(b)
}

// change is an entry to be put, or to be deleted.
type change struct {
	index.Entry
	gone bool
}

// Put adds or replaces entries; they are durable and found when it returns.
func (v *vectors) Put(ctx context.Context, o index.Owner, entries ...index.Entry) error {
	if err := admit(ctx, v.space.Check(o, entries...)); err != nil {
		return err
	}
	last := make(map[string]int, len(entries))
	for i, e := range entries {
		last[e.ID] = i
	}
	changes := make([]change, 0, len(last))
	for i, e := range entries {
		if last[e.ID] == i {
			e.Vector = index.Unit(e.Vector)
			changes = append(changes, change{Entry: e})
		}
	}
	if err := v.write(ctx, o, changes); err != nil {
		return fmt.Errorf("put %d vectors of %s/%s: %w", len(entries), o.Client, o.User, err)
	}
	return nil
}

// Delete takes entries out; ids that are not there are passed over.
func (v *vectors) Delete(ctx context.Context, o index.Owner, ids ...string) error {
	err := o.Validate()
	if err == nil && len(ids) == 0 {
		err = state.Errorf(state.Invalid, "delete vectors", "names no ids")
	}
	if err := admit(ctx, err); err != nil {
		return err
	}
	changes := make([]change, 0, len(ids))
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		changes = append(changes, change{index.Entry{ID: id}, true})
	}
	if err := v.write(ctx, o, changes); err != nil {
		return fmt.Errorf("delete %d vectors of %s/%s: %w", len(ids), o.Client, o.User, err)
	}
	return nil
}

// write makes the changes in batches, in the store first, then in the block.
func (v *vectors) write(ctx context.Context, o index.Owner, changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	return v.within(o, func(b *block) error {
		if err := lock(ctx, b.turn); err != nil {
			return err
		}
		defer unlock(b.turn)
		if err := b.useInTurn(ctx, v.shelf); err != nil {
			return err
		}
		wrote := false
		for batch := range slices.Chunk(changes, v.batch) {
			some, err := v.writeBatch(ctx, b, batch)
			if err != nil {
				return err
			}
			wrote = wrote || some
		}
		if !wrote {
			return nil
		}
		return b.countMark(ctx, v.shelf)
	})
}

// writeBatch makes one write of the store, again from what the store holds if another process was first. It says whether there
// was anything to write.
func (v *vectors) writeBatch(ctx context.Context, b *block, batch []change) (bool, error) {
	for range tries {
		docs, entries, gone, err := b.prepare(batch)
		if err != nil || len(docs) == 0 {
			return false, err
		}
		err = v.shelf.store.Write(ctx, docs...)
		switch {
		case err == nil:
			b.publish(v.shelf, entries, gone)
			return true, nil
		case errors.Is(err, state.ErrInvalid):
			return false, err
		}
		b.forget()
		if !errors.Is(err, state.ErrConflict) {
			return false, err
		}
		if err := b.useInTurn(ctx, v.shelf); err != nil {
			return false, err
		}
	}
	return false, state.Errorf(state.Unavailable, "write vectors", "another process wrote the same ones %d times meanwhile; try again", tries)
}

// prepare makes the documents of a batch, at the revisions they replace. The caller has the turn.
func (b *block) prepare(batch []change) (docs []store.Doc, entries []index.Entry, gone []string, err error) {
	for _, c := range batch {
		rev := b.revision(c.ID)
		switch {
		case c.gone && rev == 0:
		case c.gone:
			docs = append(docs, store.Doc{Collection: state.Vectors, ID: b.place.prefix() + c.ID, Rev: rev})
			gone = append(gone, c.ID)
		default:
			d, err := encode(b.place, c.Entry, rev)
			if err != nil {
				return nil, nil, nil, err
			}
			docs, entries = append(docs, d), append(entries, c.Entry)
		}
	}
	return docs, entries, gone, nil
}

// Search returns the nearest entries. Every answer is fresh, whatever the query says.
func (v *vectors) Search(ctx context.Context, o index.Owner, q index.Query) (hits []index.Hit, err error) {
	if err := admit(ctx, q.Validate(v.space, o)); err != nil {
		return nil, err
	}
	err = v.within(o, func(b *block) error {
		for {
			if err := b.use(ctx, v.shelf); err != nil {
				return err
			}
			if p, ok := b.ask(q); ok {
				hits, err = p.search(ctx, v.shelf)
				return err
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("search vectors of %s/%s: %w", o.Client, o.User, err)
	}
	return hits, nil
}

// List returns the entries by id, without their vectors.
func (v *vectors) List(ctx context.Context, o index.Owner) (entries []index.Entry, err error) {
	if err := admit(ctx, o.Validate()); err != nil {
		return nil, err
	}

	// The view is taken once it is there; another call may have dropped it in between.
	err = v.within(o, func(b *block) error {
		view := (*rows)(nil)
		for view == nil {
			if err := b.use(ctx, v.shelf); err != nil {
				return err
			}
			b.mu.RLock()
			view = b.view
			b.mu.RUnlock()
		}

		// A view does not change, so it is read without the lock.
		entries = make([]index.Entry, 0, view.living)
		for i := range view.n {
			if !view.isDead(i) {
				entries = append(entries, view.entry(i))
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list vectors of %s/%s: %w", o.Client, o.User, err)
	}
	slices.SortFunc(entries, func(x, y index.Entry) int { return cmp.Compare(x.ID, y.ID) })
	return entries, nil
}
