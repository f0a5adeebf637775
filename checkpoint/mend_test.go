package checkpoint_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// TestMend takes a step out of a thread's log: the thread goes on, from its state where that does not need the step, else from an empty one.
func TestMend(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		whole  int // the turn whose first step is whole
		open   bool
		lost   int64
		mended []checkpoint.Mended
		steps  int // that the state of the head is rebuilt from
	}{
		{name: "nothing", whole: 3, lost: 0, mended: nil, steps: 2},
		{name: "a step before a whole one", whole: 3, lost: 2, mended: []checkpoint.Mended{{Thread: thread("a"), From: 5}}, steps: 2},
		{name: "a step that the state needs", whole: 1, lost: 4, mended: []checkpoint.Mended{{Thread: thread("a"), From: 7, Empty: true}}, steps: 1},
		{name: "a step of a turn that is not finished", whole: 1, open: true, lost: 4, mended: []checkpoint.Mended{{Thread: thread("a"), From: 6, Empty: true}}, steps: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, w := ram.New(), newWatch()
			l := process("p", s, w, false)
			defer l.Close()
			for n := 1; n <= 3; n++ {
				turn := begin(t, l, "a", fmt.Sprint("t", n))
				commit(t, turn, checkpoint.Commit{Parts: []checkpoint.Part{said("n", "x")}, Whole: n == tt.whole})
				if n < 3 || !tt.open {
					commit(t, turn, checkpoint.Commit{Done: true})
				}
				turn.Release()
			}
			other := begin(t, l, "b", "t")
			commit(t, other, checkpoint.Commit{Parts: []checkpoint.Part{said("n", "y")}, Done: true})
			other.Release()
			if tt.lost > 0 {
				lose(t, s, state.Steps, thread("a").StepKey(tt.lost))
			}

			mended, err := l.Mend(t.Context())
			if d := cmp.Diff(tt.mended, mended); err != nil || d != "" {
				t.Fatalf("Mend: %v (-want +got):\n%s", err, d)
			}
			past, err := l.Past(t.Context(), thread("a"), 0)
			if err != nil || len(past.Steps) != tt.steps {
				t.Errorf("the state of %d steps, %v; want %d", len(past.Steps), err, tt.steps)
			}
			if _, err := l.Steps(t.Context(), thread("a"), 1); err != nil {
				t.Errorf("its steps: %v", err)
			}
			if again, err := l.Mend(t.Context()); err != nil || again != nil {
				t.Errorf("a second Mend = %v, %v", again, err)
			}
			next := begin(t, l, "a", "next")
			commit(t, next, checkpoint.Commit{Parts: []checkpoint.Part{said("n", "z")}, Done: true})
			next.Release()
		})
	}
}

// lose takes a document out of a store, as damage does.
func lose(t *testing.T, s store.Store, c state.Collection, id string) {
	t.Helper()
	doc, err := s.Get(t.Context(), c, id)
	doc.Body = nil
	if err = errors.Join(err, s.Write(t.Context(), doc)); err != nil {
		t.Fatal(err)
	}
}
