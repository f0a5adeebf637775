package memory

import (
	"context"

	"github.com/tidwall/btree"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// tables are documents in RAM, ordered by id. A copy costs nothing; nobody changes the bodies.
type tables struct {
	of    map[state.Collection]*btree.Map[string, store.Doc]
	bytes int64 // of the documents, about
}

// docBytes is what a document takes besides its id and body.
const docBytes = 150

// kept are the collections a mind knows, in the order it learns them.
func kept() []state.Collection {
	return []state.Collection{state.Sessions, state.Affairs, state.Records, state.Messages}
}

func newTables() *tables {
	t := &tables{of: map[state.Collection]*btree.Map[string, store.Doc]{}}
	for _, c := range kept() {
		t.of[c] = new(btree.Map[string, store.Doc])
	}
	return t
}

func (t *tables) copy() *tables {
	out := &tables{make(map[state.Collection]*btree.Map[string, store.Doc], len(t.of)), t.bytes}
	for c, docs := range t.of {
		out.of[c] = docs.Copy()
	}
	return out
}

func (t *tables) put(doc store.Doc) {
	if docs, ok := t.of[doc.Collection]; ok {
		t.bytes += docSize(doc)
		if old, was := docs.Set(doc.ID, doc); was {
			t.bytes -= docSize(old)
		}
	}
}

func (t *tables) drop(ref feedRef) {
	if docs, ok := t.of[ref.Collection]; ok {
		if old, was := docs.Delete(ref.ID); was {
			t.bytes -= docSize(old)
		}
	}
}

func docSize(doc store.Doc) int64 { return docBytes + int64(len(doc.ID)+len(doc.Body)) }

func (t *tables) doc(ref feedRef) (store.Doc, bool) {
	if docs, ok := t.of[ref.Collection]; ok {
		return docs.Get(ref.ID)
	}
	return store.Doc{}, false
}

var _ reader = (*tables)(nil)

// Get returns one document.
func (t *tables) Get(_ context.Context, c state.Collection, id string) (store.Doc, error) {
	if doc, ok := t.doc(feedRef{c, id}); ok {
		return doc, nil
	}
	return store.Doc{}, store.NotFound(c, id)
}

// Scan returns the documents a query selects, in its order.
func (t *tables) Scan(_ context.Context, q store.Query) ([]store.Doc, error) {
	found := []store.Doc{}
	docs, low, high := t.of[q.Collection], "", ""
	if docs == nil {
		return found, nil
	}
	low, high = q.Range()
	take := func(id string, doc store.Doc) bool {
		if q.Reverse && id == high {
			return true // the range ends before it
		}
		if q.Reverse && id < low || !q.Reverse && high != "" && id >= high {
			return false
		}
		found = append(found, doc)
		return q.Limit == 0 || len(found) < q.Limit
	}
	switch {
	case !q.Reverse:
		docs.Ascend(low, take)
	case high == "":
		docs.Reverse(take)
	default:
		docs.Descend(high, take)
	}
	return found, nil
}
