package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// replica is what a mind keeps of a store that is not Atomic: the user's documents, and what was decided and has not
// reached the store yet. There a turn carries its edits out once, at its end, and until then they are seen from here.
//
//	stored ──copy──► seen ◄──merge── pending      the same merging as in Apply, so both come to the same
//
// A document that carries the mark of a pending step has its edits already; merging skips them. Guarded by mind.mu.
type replica struct {
	stored  *tables          // as they stand in the store, up to the mind's number of the feed
	seen    *tables          // with everything pending merged in
	touched map[feedRef]bool // where the two differ
	pending []outstanding    // in the order decided
	tried   map[string]int64 // up to which step of a thread Apply was asked for documents that are not Applied yet
}

// outstanding is what one step decided and nobody is known to have carried out.
type outstanding struct {
	from    state.Mark
	effects []state.Effect
}

func newReplica() *replica {
	return &replica{stored: newTables(), seen: newTables(), touched: map[feedRef]bool{}, tried: map[string]int64{}}
}

// decide takes what a step decided into view. A step that is pending already is not taken twice.
func (r *replica) decide(p outstanding, at time.Time) (changed map[feedRef]bool) {
	if slices.ContainsFunc(r.pending, func(old outstanding) bool { return old.from.Thread == p.from.Thread && old.from.Seq == p.from.Seq }) {
		return nil
	}
	r.pending = append(r.pending, p)
	return r.merge(p, at)
}

// done forgets what a thread had decided up to a step, because it is carried out. Rebuild must follow.
func (r *replica) done(k mark) {
	r.pending = slices.DeleteFunc(r.pending, func(p outstanding) bool { return p.from.Thread == k.Thread && p.from.Seq <= k.Seq })
	if r.tried[k.Thread] <= k.Seq {
		delete(r.tried, k.Thread)
	}
}

// drop forgets what a thread had decided, and reports whether there was anything.
func (r *replica) drop(thread string) bool {
	before := len(r.pending)
	r.pending = slices.DeleteFunc(r.pending, func(p outstanding) bool { return p.from.Thread == thread })
	_, tried := r.tried[thread]
	delete(r.tried, thread)
	return tried || len(r.pending) < before
}

// rebuild makes seen anew from stored, where the given documents were changed, and pending. It returns which
// documents look different now.
func (r *replica) rebuild(suspects map[feedRef]bool, at time.Time) (changed map[feedRef]bool) {
	before := r.seen
	maps.Copy(suspects, r.touched)
	r.seen, r.touched = r.stored.copy(), map[feedRef]bool{}
	for _, p := range r.pending {
		r.merge(p, at)
	}
	maps.Copy(suspects, r.touched)
	changed = map[feedRef]bool{}
	for ref := range suspects {
		old, was := before.doc(ref)
		now, is := r.seen.doc(ref)
		if was != is || !bytes.Equal(old.Body, now.Body) {
			changed[ref] = true
		}
	}
	return changed
}

// merge puts one step's edits on top of what is seen. What cannot be merged is left out: Apply says why.
func (r *replica) merge(p outstanding, at time.Time) (changed map[feedRef]bool) {
	b := newBatch(r.seen)
	b.loose, b.lenient = true, true
	if err := b.run(context.Background(), p.effects, at); err != nil { // nothing waits: it is all in RAM
		return nil
	}
	docs, err := b.docs()
	if err != nil {
		return nil
	}
	changed = map[feedRef]bool{}
	for _, doc := range docs {
		ref := feedRef{doc.Collection, doc.ID}
		r.seen.put(doc)
		r.touched[ref], changed[ref] = true, true
	}
	return changed
}

// origin is how an affair was opened that is pending and does not stand in the store, nil for any other.
func (r *replica) origin(ref feedRef) *state.Affair {
	if _, ok := r.stored.doc(ref); ok {
		return nil
	}
	for _, p := range r.pending {
		for _, e := range p.effects {
			if e.Affair != nil && e.Affair.Create != nil && e.Scope.Key(e.Affair.ID) == ref.ID {
				return e.Affair.Create
			}
		}
	}
	return nil
}
