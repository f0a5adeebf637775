package desk

import (
	"context"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// Drafts are records of one user that are decided and not committed, the last version of each. Those of a part of a step
// stand on those of the step. A nil *Drafts has none. It is safe for concurrent use.
type Drafts struct {
	under *Drafts // what the step has besides
	mu    sync.Mutex
	list  []state.Record // in the order decided; zero where a later version stands further on
	at    map[string]int // id -> place in list
	index *words.Index   // of those that are valid
}

// NewDrafts returns none.
func NewDrafts() *Drafts { return &Drafts{at: map[string]int{}, index: words.New()} }

// DraftsOf are the user's drafts of the running step, nil outside one. A step may write to several users' memories; none
// sees another's.
func DraftsOf(ctx context.Context, user state.Scope) *Drafts {
	return draftsIn(state.EffectsFrom(ctx), user.UserPrefix())
}

// draftsIn returns the drafts of the user whose keys begin with user.
func draftsIn(sink *state.Effects, user string) *Drafts {
	if sink == nil {
		return nil
	}

	// Every edit is folded in once; the drafts of all users are kept with the sink.
	users := sink.Fold(func(kept any, edits []state.Effect) any {
		users, ok := kept.(*sync.Map)
		if !ok {
			users = new(sync.Map)
		}
		for _, e := range edits {
			if e.Record == nil && e.Repeat == nil {
				continue
			}

			// The first draft of a user stands on those of the sink above.
			own, is := users.Load(e.Scope.UserPrefix())
			if !is {
				made := NewDrafts()
				made.under = draftsIn(sink.Parent(), e.Scope.UserPrefix())
				own, _ = users.LoadOrStore(e.Scope.UserPrefix(), made)
			}
			if e.Record != nil {
				own.(*Drafts).Put(*e.Record)
			} else {
				own.(*Drafts).again(*e.Repeat)
			}
		}
		return users
	})

	// A user without drafts here has those of the sink above, if any.
	if own, ok := users.(*sync.Map).Load(user); ok {
		return own.(*Drafts)
	}
	return draftsIn(sink.Parent(), user)
}

// Put takes in a record, in place of what it was before.
func (x *Drafts) Put(r state.Record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if at, ok := x.at[r.ID]; ok {
		x.list[at] = state.Record{}
	}
	x.at[r.ID] = len(x.list)
	x.list = append(x.list, r)
	if r.ValidTo != nil {
		x.index.Delete(mind.DocID(state.Records, r.ID))
		return
	}
	x.index.Put(mind.RecordDoc(r.ID, r))
}

// again takes in that a record was said again; one that is no draft is the store's.
func (x *Drafts) again(repeat state.Repeat) {
	if r, ok := x.Get(repeat.ID); ok {
		x.Put(r.Again(repeat))
	}
}

// own finds a record of this part of the step by its id.
func (x *Drafts) own(id string) (state.Record, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.at[id]
	if !ok {
		return state.Record{}, false
	}
	return x.list[at], true
}

// Get finds a record by its id.
func (x *Drafts) Get(id string) (state.Record, bool) {
	if x == nil {
		return state.Record{}, false
	}
	if r, ok := x.own(id); ok {
		return r, true
	}
	return x.under.Get(id)
}

// FindDrafts searches the valid drafts with one of an index's searches; id is the document of a hit.
func FindDrafts[H any](x *Drafts, id func(H) string, search func(*words.Index) []H) []H {
	if x == nil {
		return nil
	}
	hits := search(x.index)
	for _, h := range FindDrafts(x.under, id, search) {
		if _, newer := x.own(mind.RecordID(id(h))); !newer {
			hits = append(hits, h)
		}
	}
	return hits
}

// Ended returns the ids of the records that the step has ended.
func (x *Drafts) Ended() (ids []string) {
	for _, r := range x.All() {
		if r.ValidTo != nil {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// All lists the records in the order decided.
func (x *Drafts) All() []state.Record {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()

	var out []state.Record
	for _, r := range x.under.All() {
		if _, newer := x.at[r.ID]; !newer {
			out = append(out, r)
		}
	}
	for _, r := range x.list {
		if r.ID != "" {
			out = append(out, r)
		}
	}
	return out
}

// Closes reports whether the record is decided to be no longer valid.
func (x *Drafts) Closes(id string) bool {
	r, ok := x.Get(id)
	return ok && r.ValidTo != nil
}

// Like returns the valid records that share most words with a text, most of them at most in each part of the step.
func (x *Drafts) Like(s string, most int) []state.Record {
	var out []state.Record
	like := func(i *words.Index) []words.Likeness { return i.Like(s, 0, most, nil) }
	for _, h := range FindDrafts(x, func(h words.Likeness) string { return h.ID }, like) {
		if r, ok := x.Get(mind.RecordID(h.ID)); ok {
			out = append(out, r)
		}
	}
	return out
}
