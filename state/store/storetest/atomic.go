package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func atomicCases() []check {
	return []check{
		{"a conflict in the middle leaves nothing", conflictInMiddle},
		{"a conflict at the end leaves nothing", conflictAtEnd},
		{"a conflict in another collection leaves nothing", conflictElsewhere},
		{"insert, replace and delete are one write", oneTurn},
		{"readers see all of a write or nothing", allOrNothing},
		{"a scan sees all of a write or nothing", scanAllOrNothing},
	}
}

func conflictInMiddle(t *testing.T, s store.Store) {
	fill(t, s, "b", "d")
	err := s.Write(t.Context(), doc("a", 0, 9), doc("b", 7, 9), doc("c", 0, 9), gone("d", 1))
	wantConflict(t, err, "b")
	wantIDs(t, s, store.Query{}, "b", "d")
	want(t, s, doc("b", 1, 0))
}

func conflictAtEnd(t *testing.T, s store.Store) {
	fill(t, s, "b", "d")
	err := s.Write(t.Context(), doc("b", 1, 9), gone("d", 1), doc("c", 0, 9), doc("e", 4, 9))
	wantConflict(t, err, "e")
	wantIDs(t, s, store.Query{}, "b", "d")
	want(t, s, doc("b", 1, 0))
}

func conflictElsewhere(t *testing.T, s store.Store) {
	fill(t, s, "a")
	step := store.Doc{Collection: state.Steps, ID: "s", Body: doc("", 0, 1).Body}
	wantConflict(t, s.Write(t.Context(), step, doc("a", 0, 2)), "a")
	wantIDs(t, s, store.Query{Collection: state.Steps})
}

func oneTurn(t *testing.T, s store.Store) {
	open := store.Doc{Collection: state.Open, ID: "t", Body: doc("", 0, 1).Body}
	write(t, s, open, doc("a", 0, 1))
	open.Rev, open.Body = 1, nil
	step := store.Doc{Collection: state.Steps, ID: "t/1", Body: doc("", 0, 2).Body}
	write(t, s, step, doc("a", 1, 2), open)
	want(t, s, doc("a", 2, 2))
	wantIDs(t, s, store.Query{Collection: state.Open})
	wantIDs(t, s, store.Query{Collection: state.Steps}, "t/1")
}

// allOrNothing replaces two documents together and watches from other goroutines that the one read
// later is never the older.
func allOrNothing(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 0), doc("b", 0, 0))
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !stop.Load() {
				a, errA := s.Get(t.Context(), state.Affairs, "a")
				b, errB := s.Get(t.Context(), state.Affairs, "b")
				if errA != nil || errB != nil || b.Rev < a.Rev {
					t.Errorf("read a at %d (%v), then b at %d (%v); they were written together", a.Rev, errA, b.Rev, errB)
					return
				}
			}
		})
	}

	for i := range 100 {
		write(t, s, doc("a", int64(i+1), i), doc("b", int64(i+1), i))
	}
	stop.Store(true)
	wg.Wait()
}

// scanAllOrNothing replaces, deletes and inserts four documents together and watches that every scan
// finds them at one revision.
func scanAllOrNothing(t *testing.T, s store.Store) {
	// Four documents are one group.
	group := func(rev int64, n int) (docs []store.Doc) {
		for i := range 4 {
			docs = append(docs, doc(fmt.Sprintf("g/%d", i), rev, n))
		}
		return docs
	}

	// Readers look all the time, without knowing how far the writer is.
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !stop.Load() {
				docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs, Prefix: "g/"})
				if err != nil || len(docs) != 0 && (len(docs) != 4 || docs[0].Rev != docs[3].Rev || docs[0].Rev != docs[2].Rev) {
					t.Errorf("a scan met %d of 4 documents written together (%v): %v", len(docs), err, revs(docs))
					return
				}
			}
		})
	}

	// The writer takes the group through all it can meet.
	for range 20 {
		write(t, s, group(0, 1)...)
		write(t, s, group(1, 2)...)
		if n, err := s.Delete(t.Context(), state.Affairs, "g/"); n != 4 || err != nil {
			t.Errorf("Delete = %d, %v, want 4", n, err)
		}
	}
	stop.Store(true)
	wg.Wait()
}

func revs(docs []store.Doc) (out []int64) {
	for _, d := range docs {
		out = append(out, d.Rev)
	}
	return out
}

// looseCases returns those of a driver without transactions.
func looseCases() []check {
	return []check{{"a write with a conflict names it and touches no other's document", conflictTouchesNoOther}}
}

func conflictTouchesNoOther(t *testing.T, s store.Store) {
	fill(t, s, "b")
	wantConflict(t, s.Write(t.Context(), doc("a", 0, 9), doc("b", 0, 9)), "b")
	want(t, s, doc("b", 1, 0))
	write(t, s, doc("b", 1, 7), doc("c", 0, 7))
	want(t, s, doc("b", 2, 7))
	want(t, s, doc("c", 1, 7))
}
