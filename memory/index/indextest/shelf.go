package indextest

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// shelfCheck is a case that needs a shelf of its own.
type shelfCheck struct {
	name string
	run  func(t *testing.T, shelf index.Shelf)
}

func shelfCases() []shelfCheck {
	return []shelfCheck{
		{"spaces do not meet", spacesApart},
		{"a space opened again holds what was put", openAgain},
		{"promote, promote another, drop the first", promoteAndDrop},
		{"a dropped space begins anew", dropped},
		{"what earlier moves left is dropped, but the kept", dropsAllButTheKept},
		{"promoting while others read", promoteWhileReading},
	}
}

func spaces() (small, other, newer, large index.Space) {
	return index.Space{Model: "test:a", Dim: dim, Version: 1}, index.Space{Model: "test:b", Dim: dim, Version: 1},
		index.Space{Model: "test:a", Dim: dim, Version: 2}, index.Space{Model: "test:a", Dim: 2 * dim, Version: 1}
}

func in(t *testing.T, shelf index.Shelf, s index.Space) owner {
	t.Helper()
	return (&desk{shelf, s, mustOpen(t, shelf, s)}).owner("u")
}

// spacesApart puts the same ids of the same owner in four spaces that differ in one thing each.
func spacesApart(t *testing.T, shelf index.Shelf) {
	small, other, newer, large := spaces()
	all := []owner{in(t, shelf, small), in(t, shelf, other), in(t, shelf, newer), in(t, shelf, large)}
	mine := func(o owner, id string) index.Entry {
		e := entry(id, make([]float32, o.space.Dim))
		e.Vector[0], e.Hash = 1, o.space.String()
		return e
	}
	for i, o := range all {
		o.put(t, mine(o, "same"), mine(o, string(rune('a'+i))))
	}
	for i, o := range all {
		own := string(rune('a' + i))
		o.holds(t, mine(o, "same"), mine(o, own))
		o.want(t, index.Query{Vector: mine(o, "").Vector, Limit: 9}, own, "same")
	}
	all[0].delete(t, "same", "a", "b", "c", "d")
	for i, o := range all[1:] {
		o.holds(t, mine(o, "same"), mine(o, string(rune('b'+i))))
	}
	invalid(t, "Put into a space of another dimension", all[3].vectors.Put(t.Context(), all[3].name, entry("x", axis(0))))
}

func openAgain(t *testing.T, shelf index.Shelf) {
	small, _, _, _ := spaces()
	first := in(t, shelf, small)
	first.put(t, entry("a", axis(0)), entry("b", axis(1)))
	second := in(t, shelf, small)
	second.holds(t, entry("a", nil), entry("b", nil))
	second.put(t, entry("c", axis(0)))
	second.delete(t, "b")
	for _, o := range []owner{first, second, in(t, shelf, small)} {
		o.want(t, index.Query{Vector: axis(0), Limit: 9}, "a", "c")
	}
}

func wantLive(t *testing.T, shelf index.Shelf, want index.Space, wantOK bool) {
	t.Helper()
	if s, ok, err := shelf.Live(t.Context()); err != nil || ok != wantOK || s != want {
		t.Errorf("Live = %v, %t, %v; want %v, %t", s, ok, err, want, wantOK)
	}
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func promoteAndDrop(t *testing.T, shelf index.Shelf) {
	ctx := t.Context()

	// No space is live until one is promoted, also when it has entries.
	small, other, _, _ := spaces()
	wantLive(t, shelf, index.Space{}, false)
	if err := shelf.Promote(ctx, small); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Promote of a space nobody opened = %v, want state.ErrNotFound", err)
	}
	a := in(t, shelf, small)
	a.put(t, entry("a", axis(0)))
	wantLive(t, shelf, index.Space{}, false)
	must(t, "Promote", shelf.Promote(ctx, small))
	wantLive(t, shelf, small, true)
	must(t, "Promote again", shelf.Promote(ctx, small))
	wantDropped(t, shelf, nil)
	a.holds(t, entry("a", nil))

	// Another one takes its place; the first stays readable until it is dropped.
	b := in(t, shelf, other)
	b.put(t, entry("b", axis(0)))
	wantLive(t, shelf, small, true)
	must(t, "Promote of another", shelf.Promote(ctx, other))
	wantLive(t, shelf, other, true)
	a.want(t, index.Query{Vector: axis(0), Limit: 9}, "a")
	wantDropped(t, shelf, nil, small)
	wantDropped(t, shelf, nil)
	wantLive(t, shelf, other, true)
	b.holds(t, entry("b", nil))
	if err := shelf.Promote(ctx, small); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Promote of a dropped space = %v, want state.ErrNotFound", err)
	}
}

// wantDropped has all spaces dropped but the live one and those to be kept, and fails the test unless they are these, in order.
func wantDropped(t *testing.T, shelf index.Shelf, keep []index.Space, want ...index.Space) {
	t.Helper()
	got, err := shelf.Drop(t.Context(), keep...)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Drop of all but the live one and %v = %v, %v; want %v", keep, got, err, want)
	}
}

func dropped(t *testing.T, shelf index.Shelf) {
	small, other, _, _ := spaces()
	for _, s := range []index.Space{small, other} {
		o := in(t, shelf, s)
		o.put(t, entry("a", axis(0)), entry("b", axis(1)))
		o.as("client 2", "u").put(t, entry("c", axis(0)))
	}
	must(t, "Promote", shelf.Promote(t.Context(), other))
	wantDropped(t, shelf, nil, small)
	again := in(t, shelf, small)
	again.holds(t)
	again.as("client 2", "u").want(t, index.Query{Vector: axis(0), Limit: 9})
	again.put(t, entry("new", axis(0)))
	again.holds(t, entry("new", nil))
	in(t, shelf, other).holds(t, entry("a", nil), entry("b", nil))
}

// dropsAllButTheKept leaves three spaces of earlier moves behind the live one; nobody has told the shelf which came when.
func dropsAllButTheKept(t *testing.T, shelf index.Shelf) {
	small, other, newer, large := spaces()
	for _, s := range []index.Space{small, other, newer} {
		in(t, shelf, s).put(t, entry("a", axis(0)))
	}
	in(t, shelf, large)
	if got, err := shelf.Drop(t.Context()); !errors.Is(err, state.ErrConflict) || len(got) > 0 {
		t.Errorf("Drop while none is live = %v, %v; want state.ErrConflict", got, err)
	}
	for _, s := range []index.Space{other, newer} {
		in(t, shelf, s).holds(t, entry("a", nil))
		must(t, "Promote", shelf.Promote(t.Context(), s))
	}
	never := index.Space{Model: "test:never", Dim: dim}
	wantDropped(t, shelf, []index.Space{other, newer, never}, small, large)
	in(t, shelf, other).holds(t, entry("a", nil))
	in(t, shelf, newer).holds(t, entry("a", nil))
	wantDropped(t, shelf, nil, other)
	in(t, shelf, newer).holds(t, entry("a", nil))
	for _, s := range []index.Space{small, other, large, never} {
		if err := shelf.Promote(t.Context(), s); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("Promote of %s = %v, want it gone", s, err)
		}
	}
	in(t, shelf, other).holds(t)
}

// promoteWhileReading lets four readers follow the live space while two take turns; each is whole at every moment.
func promoteWhileReading(t *testing.T, shelf index.Shelf) {
	// Two spaces with the same entries, one of them live.
	small, other, _, _ := spaces()
	for _, s := range []index.Space{small, other} {
		in(t, shelf, s).put(t, entry("a", axis(0)), entry("b", axis(1)))
	}
	must(t, "Promote", shelf.Promote(t.Context(), small))

	// The readers go on until the last change of places.
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !stop.Load() {
				s, ok, err := shelf.Live(t.Context())
				if err != nil || !ok || s != small && s != other {
					t.Errorf("Live = %v, %t, %v", s, ok, err)
					return
				}
				v, err := shelf.Open(t.Context(), s)
				if err != nil {
					t.Errorf("Open: %v", err)
					return
				}
				hits, err := v.Search(t.Context(), index.Owner{Client: "client", User: "u"}, index.Query{Vector: axis(0), Limit: 9, Fresh: true})
				if err != nil || len(hits) != 2 || hits[0].ID != "a" {
					t.Errorf("Search = %v, %v, want a and b", hits, err)
					return
				}
			}
		})
	}
	for i := range 10 {
		if err := shelf.Promote(t.Context(), []index.Space{other, small}[i%2]); err != nil {
			t.Errorf("Promote: %v", err)
		}
	}
	stop.Store(true)
	wg.Wait()
}
