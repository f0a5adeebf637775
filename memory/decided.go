package memory

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Decided takes effects into view that a step has decided and that Apply is asked for later, as it is done where
// the store is not Atomic: every reader of this process sees them when it returns. Each has the step it comes from. It
// reads nothing. What is decided stays in view until Applied or the user's feed tells that it is carried out, or
// until Dropped.
func (m *Memory) Decided(_ context.Context, effects []state.Effect) {
	if !m.loose {
		return
	}
	for _, own := range byUser(effects) {
		d := m.lock(own[0].Scope)
		for len(own) > 0 {
			n := 1
			for n < len(own) && own[n].From == own[0].From {
				n++
			}
			if own[0].From.Thread != "" {
				changed := d.replica.decide(outstanding{own[0].From, own[:n]}, m.c.Now())
				d.show(changed)
			}
			own = own[n:]
		}
		d.mu.Unlock()
	}
}

// Dropped forgets what a thread had decided and nobody has carried out: its turn was rolled back, or another process
// goes on with it. The thread is named as in state.Mark. The users' next use reads their memory anew.
func (m *Memory) Dropped(thread string) {
	if !m.loose {
		return
	}
	m.mu.Lock()
	minds := slices.Collect(maps.Values(m.minds))
	m.mu.Unlock()
	for _, d := range minds {
		d.mu.Lock()
		if d.replica.drop(thread) {
			d.loaded = false
		}
		d.mu.Unlock()
	}
}

// rooted lets edits of an affair that is in view but not in the store yet bring along what it is: whoever carries them
// out may come before the one who opened it, and then writes it as parked, since no session points at it yet.
func (m *Memory) rooted(effects []state.Effect) []state.Effect {
	out := slices.Clone(effects)
	for i, e := range out {
		if e.Affair == nil || e.Affair.Create != nil {
			continue
		}
		d := m.lock(e.Scope)
		if opened := d.replica.origin(feedRef{state.Affairs, e.Scope.Key(e.Affair.ID)}); opened != nil {
			edit, parked := *e.Affair, *opened
			parked.Status, parked.Session = state.Parked, ""
			edit.Create = &parked
			out[i].Affair = &edit
		}
		d.mu.Unlock()
	}
	return out
}

// show brings what a mind derives from documents up to those that look different now.
func (d *mind) show(changed map[feedRef]bool) {
	if !d.loaded {
		return
	}
	for _, ref := range slices.SortedFunc(maps.Keys(changed), byKey) {
		if doc, ok := d.replica.seen.doc(ref); ok {
			d.loaded = d.loaded && d.learn(doc) == nil
		} else {
			d.forget(ref)
		}
	}
}

func byKey(a, b feedRef) int {
	if a.Collection != b.Collection {
		return slices.Index(kept(), a.Collection) - slices.Index(kept(), b.Collection)
	}
	return strings.Compare(a.ID, b.ID)
}

// carried learns that documents of Apply were written, which the entry of the feed lists. What is not among them an
// earlier attempt wrote: then the next use reads it, as it does when other entries were missed.
func (m *Memory) carried(d *mind, entry feedEntry, docs []store.Doc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.loaded && d.seq >= entry.Seq {
		return // read from the store meanwhile
	}
	own := map[feedRef]bool{}
	for _, doc := range docs {
		if doc.Collection != state.Feed && strings.HasPrefix(doc.ID, d.scope.UserPrefix()) {
			own[feedRef{doc.Collection, doc.ID}] = true
		}
	}
	known := d.seq == entry.Seq-1 && !slices.ContainsFunc(entry.Changed, func(ref feedRef) bool { return !own[ref.in(d.scope)] })
	if d.loaded && !known {
		d.behind = true
		return
	}
	for _, k := range entry.Applied {
		d.replica.done(k)
	}
	if !d.loaded {
		return
	}
	d.seq = entry.Seq
	for _, doc := range docs {
		if own[feedRef{doc.Collection, doc.ID}] {
			doc.Rev++
			d.replica.stored.put(doc)
		}
	}
	d.show(d.replica.rebuild(own, m.c.Now()))
}

// catchUp reads what the feed has behind the mind's number: one reading, and when there is something another one of
// all documents at a time.
func (m *Memory) catchUp(ctx context.Context, d *mind) error {
	entries, err := m.feedAfter(ctx, d.scope, d.seq)
	if err != nil || len(entries) == 0 {
		return err
	}
	changed := map[feedRef]bool{}
	for _, e := range entries {
		for _, ref := range e.Changed {
			changed[ref.in(d.scope)] = true
		}
	}
	refs := slices.SortedFunc(maps.Keys(changed), byKey)
	docs, err := m.fetch(ctx, refs)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		if doc.Body == nil {
			d.replica.stored.drop(refs[i])
		} else {
			d.replica.stored.put(doc)
		}
	}
	for _, e := range entries {
		for _, k := range e.Applied {
			d.replica.done(k)
		}
	}
	d.seq = entries[len(entries)-1].Seq
	d.show(d.replica.rebuild(changed, m.c.Now()))
	if !d.loaded {
		return m.loadMind(ctx, d) // says which document is damaged
	}
	return nil
}

// loadReplica reads everything of a user at a time and merges what is pending in.
func (m *Memory) loadReplica(ctx context.Context, d *mind) error {
	r, lists := d.replica, make([][]store.Doc, len(kept()))
	err := atOnce(len(lists), func(i int) (err error) {
		lists[i], err = m.base.Scan(ctx, store.Query{Collection: kept()[i], Prefix: d.scope.UserPrefix()})
		return err
	})
	if err != nil {
		return err
	}
	r.stored, r.tried = newTables(), map[string]int64{}
	for _, list := range lists {
		for _, doc := range list {
			r.stored.put(doc)
		}
	}
	r.rebuild(map[feedRef]bool{}, m.c.Now())
	for _, c := range kept() {
		var err error
		r.seen.of[c].Scan(func(_ string, doc store.Doc) bool {
			err = d.learn(doc)
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch reads documents from the store at a time, in the order of refs; one that is absent has no Body.
func (m *Memory) fetch(ctx context.Context, refs []feedRef) ([]store.Doc, error) {
	docs := make([]store.Doc, len(refs))
	err := atOnce(len(refs), func(i int) (err error) {
		docs[i], err = m.base.Get(ctx, refs[i].Collection, refs[i].ID)
		if state.CodeOf(err) == state.NotFound {
			return nil
		}
		return err
	})
	return docs, err
}

// readersAtOnce bounds how many documents are asked for at a time.
const readersAtOnce = 16

// atOnce does n things at a time and returns the first error in their order.
func atOnce(n int, do func(i int) error) error {
	errs := make([]error, n)
	seats := make(chan struct{}, readersAtOnce)
	var wg sync.WaitGroup
	for i := range n {
		seats <- struct{}{}
		wg.Go(func() {
			errs[i] = do(i)
			<-seats
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
