package local_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func fill(t *testing.T, v index.Vectors, owners, each int) {
	t.Helper()
	for u := range owners {
		var entries []index.Entry
		for i := range each {
			entries = append(entries, entry(fmt.Sprint("e", i), 1))
		}
		must(t, v.Put(t.Context(), index.Owner{Client: fmt.Sprint("c", u%3), User: fmt.Sprint("u", u)}, entries...))
	}
}

func left(t *testing.T, s store.Store) int {
	t.Helper()
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Vectors})
	must(t, err)
	return len(docs)
}

// leave makes a space live that holds nothing, so that the others may go.
func leave(t *testing.T, shelf index.Shelf) {
	t.Helper()
	empty := index.Space{Model: "test:empty", Dim: 8}
	openSpace(t, shelf, empty)
	must(t, shelf.Promote(t.Context(), empty))
}

func drop(t *testing.T, shelf index.Shelf) error {
	t.Helper()
	_, err := shelf.Drop(t.Context())
	return err
}

// TestDropLeavesNothing drops one of two spaces in small writes, on stores with and without marks.
func TestDropLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]store.Store{"alone": ram.New(), "shared": ram.NewLoose()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counting := &store.Counting{Store: s}
			shelf := openOn(t, counting)
			other := eight()
			other.Version = 2
			fill(t, openSpace(t, shelf, other), 4, 10)
			must(t, shelf.Promote(t.Context(), other))
			kept := left(t, s)
			fill(t, openSpace(t, shelf, eight()), 7, 700)
			before := counting.Counts()
			if dropped, err := shelf.Drop(t.Context()); err != nil || !slices.Equal(dropped, []index.Space{eight()}) {
				t.Fatalf("Drop = %v, %v", dropped, err)
			}
			if got := left(t, s); got != kept {
				t.Errorf("%d documents are left, want %d of the other space", got, kept)
			}
			if c := counting.Counts().Minus(before); c.Writes < 14 || c.Deletes > 0 {
				t.Errorf("Drop made %d writes and %d deletions, want at least two writes an owner", c.Writes, c.Deletes)
			}
			if u := shelf.Usage(); u.Blocks != 4 {
				t.Errorf("%d blocks are left in memory, want 4", u.Blocks)
			}
		})
	}
}

func TestDroppedVectorsAreRefused(t *testing.T) {
	t.Parallel()
	shelf := openOn(t, ram.New())
	v := openSpace(t, shelf, eight())
	must(t, v.Put(t.Context(), me(), entry("a", 1)))
	leave(t, shelf)
	must(t, drop(t, shelf))
	if err := v.Put(t.Context(), me(), entry("b", 1)); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Put = %v, want state.ErrNotFound", err)
	}
	if _, err := v.Search(t.Context(), me(), index.Query{Vector: entry("", 1).Vector, Limit: 1}); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Search = %v, want state.ErrNotFound", err)
	}
	again := openSpace(t, shelf, eight())
	wantFound(t, again)
	must(t, again.Put(t.Context(), me(), entry("c", 1)))
	wantFound(t, again, "c")
}

// TestDropHalfWay lets a drop fail in the middle. The space cannot be promoted then, and Drop or Open, of a new process too, finish
// what was begun.
func TestDropHalfWay(t *testing.T) {
	t.Parallel()
	for name, finish := range map[string]func(t *testing.T, shelf index.Shelf){
		"dropped again": func(t *testing.T, shelf index.Shelf) { must(t, drop(t, shelf)) },
		"opened again":  func(t *testing.T, shelf index.Shelf) { openSpace(t, shelf, eight()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := storetest.Wrap(ram.New(), nil)
			shelf := openOn(t, f)
			leave(t, shelf)
			fill(t, openSpace(t, shelf, eight()), 5, 20)
			sweeps := 0
			f.Set(storetest.On("write", func(c *storetest.Call) error {
				if c.Collection == state.Vectors {
					sweeps++
				}
				if sweeps == 3 {
					return state.ErrUnavailable
				}
				return nil
			}))
			if err := drop(t, shelf); !errors.Is(err, state.ErrUnavailable) {
				t.Fatalf("Drop = %v, want state.ErrUnavailable", err)
			}
			f.Set(nil)
			if got := left(t, f); got != 60 {
				t.Fatalf("%d documents are left after half a drop, want 60", got)
			}
			shelf = openOn(t, f)
			if err := shelf.Promote(t.Context(), eight()); !errors.Is(err, state.ErrNotFound) {
				t.Errorf("Promote = %v, want state.ErrNotFound", err)
			}
			finish(t, shelf)
			if got := left(t, f); got != 0 {
				t.Errorf("%d documents are left, want none", got)
			}
		})
	}
}

// TestDroppedWhileAnotherFills has one process drop what another is filling: the other is told when it promotes, and begins anew.
func TestDroppedWhileAnotherFills(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	filling, tidy := openOn(t, s), openOn(t, s)
	leave(t, tidy)
	v := openSpace(t, filling, eight())
	must(t, v.Put(t.Context(), me(), entry("a", 1)))
	must(t, drop(t, tidy))
	must(t, v.Put(t.Context(), me(), entry("b", 1))) // it cannot know yet
	if err := filling.Promote(t.Context(), eight()); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Promote = %v, want state.ErrNotFound", err)
	}
	if err := v.Put(t.Context(), me(), entry("c", 1)); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Put = %v, want state.ErrNotFound", err)
	}
	again := openSpace(t, filling, eight())
	must(t, again.Put(t.Context(), me(), entry("a", 1)))
	must(t, filling.Promote(t.Context(), eight()))
	if _, err := again.List(t.Context(), me()); err != nil {
		t.Error(err)
	}
}

func TestDamagedList(t *testing.T) {
	t.Parallel()
	s := ram.New()
	shelf := openOn(t, s)
	openSpace(t, shelf, eight())
	d, err := s.Get(t.Context(), state.Meta, "vectors")
	must(t, err)
	d.Body, err = bson.Marshal(bson.D{{Key: "live", Value: int32(7)}})
	must(t, err)
	must(t, s.Write(t.Context(), d))
	if _, _, err := shelf.Live(t.Context()); !errors.Is(err, state.ErrInternal) {
		t.Errorf("Live = %v, want state.ErrInternal", err)
	}
}
