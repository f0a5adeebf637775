package checkpoint_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// A turn is folded just after a page has found its first step: the page has it all the same.
func TestPageWhileATurnIsFolded(t *testing.T) {
	t.Parallel()
	s, w := ram.New(), newWatch()
	writer := process("p", s, w, false)
	for _, turn := range []string{"t1", "t2"} {
		tn := begin(t, writer, "x", turn)
		commit(t, tn, checkpoint.Commit{Parts: []checkpoint.Part{said("a", "1")}})
		commit(t, tn, checkpoint.Commit{Parts: []checkpoint.Part{said("b", "2")}})
		commit(t, tn, checkpoint.Commit{Done: true})
		tn.Release()
	}
	if err := writer.Close(); err != nil { // it waits until the turn is folded; the next turn's first step writes that
		t.Fatal(err)
	}
	var once sync.Once
	over := storetest.Wrap(s, func(ctx context.Context, c *storetest.Call, do func(context.Context) error) error {
		err := do(ctx)
		if c.Verb == "scan" && c.Collection == state.Steps {
			once.Do(func() {
				tn := begin(t, writer, "x", "t3")
				commit(t, tn, checkpoint.Commit{Whole: true, Done: true})
				tn.Release()
			})
		}
		return err
	})
	steps, err := process("q", over, w, false).History(t.Context(), thread("x"), checkpoint.Which{Before: 6})
	must(t, err)
	var got []int64
	for _, step := range steps {
		got = append(got, step.Seq)
	}
	if want := []int64{5, 4, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
}

// A turn was folded, and what marks its steps as folded was cut short anywhere: each page from each step on has them all.
func TestPageOfATurnThatIsFoldedInPart(t *testing.T) {
	t.Parallel()
	s, w := ram.New(), newWatch()
	stand := foldedInPart(t, s, w)
	for of := range 8 {
		stand(of)
		reader := process("q", as{s, store.Features{Shared: true}}, w, true)
		for before := int64(2); before <= 5; before++ {
			steps, err := reader.History(t.Context(), thread("x"), checkpoint.Which{Before: before})
			if err != nil || len(steps) != int(before)-1 {
				t.Errorf("apart %03b, before %d: %d steps, %v", of, before, len(steps), err)
			}
		}
		must(t, reader.Close())
	}
}

// foldedInPart is a turn of four steps in a store without transactions. Its first three stand as they were before it was folded where the bits of a number say so.
func foldedInPart(t *testing.T, s store.Store, w *statetest.Clock) (stand func(apart int)) {
	t.Helper()
	writer := process("p", as{s, store.Features{Shared: true}}, w, true)
	tn := begin(t, writer, "x", "t1")
	for _, says := range []string{"1", "2", "3"} {
		commit(t, tn, checkpoint.Commit{Parts: []checkpoint.Part{said("a", says)}})
	}
	commit(t, tn, checkpoint.Commit{Done: true})
	q := store.Query{Collection: state.Steps}
	apart, err := s.Scan(t.Context(), q)
	must(t, err)
	tn.Release()
	must(t, writer.Close()) // it waits until the turn is folded
	folded, err := s.Scan(t.Context(), q)
	if err != nil || len(apart) != 4 || len(folded) != 4 || folded[0].Rev != 2 {
		t.Fatalf("%d and %d documents, %v; want four, folded", len(apart), len(folded), err)
	}
	return func(of int) {
		for i, doc := range folded[:3] {
			if of&(1<<i) != 0 {
				doc.Body = apart[i].Body
			}
			now, err := s.Get(t.Context(), doc.Collection, doc.ID)
			must(t, err)
			doc.Rev = now.Rev
			must(t, s.Write(t.Context(), doc))
		}
	}
}

// A turn that was folded in part is pruned while a page of it is read: what is there then is read, and nothing is said to be missing.
func TestPageOfATurnThatIsPrunedMeanwhile(t *testing.T) {
	t.Parallel()
	s, w := ram.New(), newWatch()
	foldedInPart(t, s, w)(0b100)
	reader := process("q", pruned{as{s, store.Features{Shared: true}}}, w, true)
	defer func() { must(t, reader.Close()) }()
	if steps, err := reader.History(t.Context(), thread("x"), checkpoint.Which{Before: 4}); err != nil || len(steps) != 0 {
		t.Errorf("%d steps, %v", len(steps), err)
	}
}

// pruned is a store whose first turn goes when what it was folded into is asked for.
type pruned struct{ store.Store }

func (p pruned) Get(ctx context.Context, in state.Collection, id string) (store.Doc, error) {
	if x := thread("x"); in == state.Steps && id == x.StepKey(4) {
		if _, err := p.Delete(ctx, in, x.StepPrefix()); err != nil {
			return store.Doc{}, err
		}
	}
	return p.Store.Get(ctx, in, id)
}
