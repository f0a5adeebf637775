package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func modelCases() []check {
	return []check{{"a random walk agrees with a map", randomWalk}}
}

// walk is one random walk: the store under test and what it should hold. All ids begin with root, so
// that many walks share one store.
type walk struct {
	root  string
	store store.Store
	docs  map[state.Collection]map[string]store.Doc
}

func randomWalk(t *testing.T, s store.Store) {
	walks := 0
	rapid.Check(t, func(rt *rapid.T) {
		walks++
		w := &walk{
			root: fmt.Sprintf("w%d/", walks), store: s,
			docs: map[state.Collection]map[string]store.Doc{state.Affairs: {}, state.Records: {}},
		}

		steps := rapid.IntRange(1, 25).Draw(rt, "steps")
		for range steps {
			switch rapid.IntRange(0, 9).Draw(rt, "verb") {
			case 0:
				w.remove(rt)
			case 1, 2:
				w.get(rt)
			case 3, 4, 5:
				w.scan(rt)
			default:
				w.write(rt)
			}
		}
	})
}

func collections() *rapid.Generator[state.Collection] {
	return rapid.SampledFrom([]state.Collection{state.Affairs, state.Records})
}

// ids are few, so that walks meet them again, and nested, so that prefixes overlap.
func ids() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"a", "a/", "a/1", "a/2", "ab", "b", "b/č", "b/č/1", "c\U0010FFFF", "ž"})
}

func (w *walk) write(rt *rapid.T) {
	// A few documents at revisions that are right, mostly; some deletions among them.
	var docs []store.Doc
	chosen := rapid.SliceOfNDistinct(ids(), 1, 4, rapid.ID[string]).Draw(rt, "ids")
	for _, id := range chosen {
		d := doc(w.root+id, 0, rapid.IntRange(0, 1000).Draw(rt, "n"))
		d.Collection = collections().Draw(rt, "collection")
		d.Rev = max(0, w.docs[d.Collection][d.ID].Rev+rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 0, 0, 1, -1}).Draw(rt, "off"))
		if d.Rev > 0 && rapid.IntRange(0, 3).Draw(rt, "delete") == 0 {
			d.Body = nil
		}
		docs = append(docs, d)
	}

	// What the model says of it is what the store must have done.
	err := w.store.Write(rt.Context(), docs...)
	made := slices.IndexFunc(docs, func(d store.Doc) bool { return w.docs[d.Collection][d.ID].Rev != d.Rev })
	switch {
	case made < 0 && err != nil:
		rt.Fatalf("Write %v: %v", describe(docs), err)
	case made < 0:
		w.apply(docs)
	default:
		var c *store.ConflictError
		if !errors.As(err, &c) || w.docs[c.Collection][c.ID].Rev == revIn(docs, c) {
			rt.Fatalf("Write %v = %v, want a conflict, the first over %s", describe(docs), err, docs[made].ID)
		}
		if !w.store.Features().Atomic {
			w.apply(w.made(rt, docs))
		}
	}
}

func (w *walk) apply(docs []store.Doc) {
	for _, d := range docs {
		if d.Body == nil {
			delete(w.docs[d.Collection], d.ID)
			continue
		}
		d.Rev++
		w.docs[d.Collection][d.ID] = d
	}
}

// made returns those of the documents that a write with a conflict wrote all the same.
func (w *walk) made(rt *rapid.T, docs []store.Doc) (made []store.Doc) {
	for _, d := range docs {
		got, err := w.store.Get(rt.Context(), d.Collection, d.ID)
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			rt.Fatalf("Get %s: %v", d.ID, err)
		}
		if w.docs[d.Collection][d.ID].Rev == d.Rev && got.Rev != d.Rev {
			made = append(made, d)
		}
	}
	return made
}

func revIn(docs []store.Doc, c *store.ConflictError) int64 {
	i := slices.IndexFunc(docs, func(d store.Doc) bool { return d.Collection == c.Collection && d.ID == c.ID })
	if i < 0 {
		return 0
	}
	return docs[i].Rev
}

func describe(docs []store.Doc) (out []string) {
	for _, d := range docs {
		out = append(out, fmt.Sprintf("%s %s at %d, delete %t", d.Collection, d.ID, d.Rev, d.Body == nil))
	}
	return out
}

func (w *walk) get(rt *rapid.T) {
	c, id := collections().Draw(rt, "collection"), w.root+ids().Draw(rt, "id")
	got, err := w.store.Get(rt.Context(), c, id)
	wanted, ok := w.docs[c][id]
	if ok != (err == nil) || !ok && !errors.Is(err, state.ErrNotFound) {
		rt.Fatalf("Get %s %s: %v, want it to exist: %t", c, id, err, ok)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		rt.Fatalf("Get %s %s (-want +got):\n%s", c, id, diff)
	}
}

func (w *walk) scan(rt *rapid.T) {
	q := store.Query{
		Collection: collections().Draw(rt, "collection"),
		Prefix:     w.root + rapid.OneOf(rapid.Just(""), ids()).Draw(rt, "prefix"),
		Limit:      rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(rt, "limit"),
		Reverse:    rapid.Bool().Draw(rt, "reverse"),
	}

	if rapid.Bool().Draw(rt, "has after") {
		q.After = w.root + ids().Draw(rt, "after")
	}

	got, err := w.store.Scan(rt.Context(), q)
	if err != nil {
		rt.Fatalf("Scan %+v: %v", q, err)
	}
	if diff := cmp.Diff(w.selected(q), got); diff != "" {
		rt.Fatalf("Scan %+v (-want +got):\n%s", q, diff)
	}
}

// selected returns what the query means, said in the slowest and plainest way.
func (w *walk) selected(q store.Query) []store.Doc {
	all := slices.Sorted(maps.Keys(w.docs[q.Collection]))
	if q.Reverse {
		slices.Reverse(all)
	}
	out := []store.Doc{}
	for _, id := range all {
		behind := q.After == "" || !q.Reverse && id > q.After || q.Reverse && id < q.After
		if strings.HasPrefix(id, q.Prefix) && behind && (q.Limit == 0 || len(out) < q.Limit) {
			out = append(out, w.docs[q.Collection][id])
		}
	}
	return out
}

func (w *walk) remove(rt *rapid.T) {
	c, prefix := collections().Draw(rt, "collection"), w.root+ids().Draw(rt, "prefix")
	removed := len(w.selected(store.Query{Collection: c, Prefix: prefix}))
	maps.DeleteFunc(w.docs[c], func(id string, _ store.Doc) bool { return strings.HasPrefix(id, prefix) })
	if n, err := w.store.Delete(rt.Context(), c, prefix); err != nil || n != removed {
		rt.Fatalf("Delete %s %s = %d, %v, want %d", c, prefix, n, err, removed)
	}
}
