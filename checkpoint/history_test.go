package checkpoint_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
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
