package indextest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

func contextCases() []check {
	return []check{{"a cancelled call is an error", cancelled}}
}

func cancelled(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	ctx := gone(t)
	other := index.Space{Model: "test:never", Dim: dim}
	for name, call := range map[string]func() error{
		"Put":    func() error { return o.vectors.Put(ctx, o.name, entry("b", axis(0))) },
		"Delete": func() error { return o.vectors.Delete(ctx, o.name, "a") },
		"Search": func() error {
			_, err := o.vectors.Search(ctx, o.name, index.Query{Vector: axis(0), Limit: 5})
			return err
		},
		"List":    func() error { _, err := o.vectors.List(ctx, o.name); return err },
		"Open":    func() error { _, err := o.shelf.Open(ctx, other); return err },
		"Promote": func() error { return o.shelf.Promote(ctx, o.space) },
		"Drop":    func() error { _, err := o.shelf.Drop(ctx, other); return err },
		"Live":    func() error { _, _, err := o.shelf.Live(ctx); return err },
	} {
		t.Run(name, func(t *testing.T) {
			if err := call(); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("%s = %v, want state.ErrUnavailable", name, err)
			}
		})
	}
	o.holds(t, entry("a", nil))
}

func manyCases() []check {
	return []check{
		{"writers of one owner", writersOfOne},
		{"writers of the same entries", writersOfSame},
		{"readers while others write", readersAndWriters},
		{"owners side by side", ownersAtOnce},
	}
}

// atOnce runs n functions at the same time and waits for all.
func atOnce(n int, run func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { run(i) })
	}
	wg.Wait()
}

func writersOfOne(t *testing.T, o owner) {
	ids := func(w int) (keep, drop string) { return fmt.Sprint("keep", w), fmt.Sprint("drop", w) }
	atOnce(8, func(w int) {
		keep, drop := ids(w)
		for i := range 4 {
			if err := o.vectors.Put(t.Context(), o.name, entry(keep, axis(i)), entry(drop, axis(0))); err != nil {
				t.Errorf("Put: %v", err)
			}
			if err := o.vectors.Delete(t.Context(), o.name, drop); err != nil {
				t.Errorf("Delete: %v", err)
			}
		}
	})
	var want []index.Entry
	var found []string
	for w := range 8 {
		keep, _ := ids(w)
		want, found = append(want, entry(keep, nil)), append(found, keep)
	}
	o.holds(t, want...)
	o.want(t, index.Query{Vector: axis(3), Limit: 99}, found...)
}

// writersOfSame lets several write the same ids, each other vectors; whoever is last, an entry is one writer's as a whole.
func writersOfSame(t *testing.T, o owner) {
	// Each writer has vectors, hashes and kinds of its own.
	atOnce(6, func(w int) {
		var entries []index.Entry
		for i := range 5 {
			e := entry(fmt.Sprint(i), axis(w))
			e.Hash, e.Kind = fmt.Sprint("of ", w), fmt.Sprint("kind ", w)
			entries = append(entries, e)
		}
		for range 3 {
			if err := o.vectors.Put(t.Context(), o.name, entries...); err != nil {
				t.Errorf("Put: %v", err)
			}
		}
	})

	// Whoever was last: no entry is half of one writer and half of another.
	got := o.list(t)
	if len(got) != 5 {
		t.Fatalf("List has %d entries, want 5", len(got))
	}
	for _, e := range got {
		var w int
		if _, err := fmt.Sscanf(e.Hash, "of %d", &w); err != nil || e.Kind != fmt.Sprint("kind ", w) {
			t.Errorf("entry %s has hash %q and kind %q of two writers", e.ID, e.Hash, e.Kind)
		}
		hits := o.search(t, index.Query{Vector: axis(w), Limit: 1, IDs: []string{e.ID}, Kinds: []string{e.Kind}})
		if len(hits) != 1 || !near(hits[0].Cosine, 1) {
			t.Errorf("Search of entry %s of writer %d = %v, want it with cosine 1", e.ID, w, hits)
		}
	}
}

// readersAndWriters lets readers look while one entry moves to and fro: they see it at one of the two places, and what
// does not move always.
func readersAndWriters(t *testing.T, o owner) {
	o.put(t, entry("moves", axis(1)), entry("stays", axis(0)))

	// One writer moves the entry and adds others; the readers look all the while.
	atOnce(5, func(w int) {
		for i := range 12 {
			if w == 0 {
				if err := o.vectors.Put(t.Context(), o.name, entry("moves", axis(1+i%2)), entry(fmt.Sprint("more", i), axis(5))); err != nil {
					t.Errorf("Put: %v", err)
				}
				continue
			}
			hits, err := o.vectors.Search(t.Context(), o.name, index.Query{Vector: axis(0), Limit: 99, Fresh: true})
			if err != nil || len(hits) == 0 || hits[0].ID != "stays" || !near(hits[0].Cosine, 1) {
				t.Errorf("Search = %v, %v, want stays with cosine 1 at the head", hits, err)
			}
			seen := map[string]int{}
			for _, h := range hits {
				seen[h.ID]++
			}
			if seen["moves"] > 1 {
				t.Errorf("an entry is found %d times", seen["moves"])
			}
		}
	})

	// In the end everything is there, and the entry where it was put last.
	if got := o.ids(t, index.Query{Vector: axis(2), Limit: 99}); len(got) != 14 || got[0] != "moves" {
		t.Errorf("Search = %q, want 14, the first of them the one that moved", got)
	}
}

func ownersAtOnce(t *testing.T, o owner) {
	atOnce(8, func(w int) {
		who := o.as(fmt.Sprint("client", w%3), fmt.Sprint("at once", w))
		for i := range 4 {
			e := entry("same", axis(w))
			e.Hash = fmt.Sprint(w, i)
			if err := who.vectors.Put(t.Context(), who.name, e, entry(fmt.Sprint("own", w), axis(i))); err != nil {
				t.Errorf("Put: %v", err)
			}
			hits, err := who.vectors.Search(t.Context(), who.name, index.Query{Vector: axis(w), Limit: 9, Fresh: true})
			if err != nil || len(hits) != 2 || !slices.ContainsFunc(hits, func(h index.Hit) bool { return h.ID == "same" && near(h.Cosine, 1) }) {
				t.Errorf("owner %d finds %v, %v; want its two entries", w, hits, err)
			}
			entries, err := who.vectors.List(t.Context(), who.name)
			if err != nil || len(entries) != 2 || entries[1].Hash != e.Hash {
				t.Errorf("owner %d lists %v, %v; want its two entries", w, entries, err)
			}
		}
	})
}
