package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// TestTimeOfWritesInAStepIsLinear writes many records, one by one, within a step that is not committed, and recalls now and then.
func TestTimeOfWritesInAStepIsLinear(t *testing.T) {
	const (
		writes = 800
		ratio  = 12 // for four times the writes, on a machine with much else to do; were it quadratic, it would be 16
		tries  = 5
	)
	small, large := time.Hour, time.Hour
	for range tries { // the shortest of some: the machine may be busy
		if small, large = min(small, writing(t, writes/4)), min(large, writing(t, writes)); large <= ratio*small {
			return
		}
	}
	t.Errorf("%d writes took %v, a quarter of them %v", writes, large, small)
}

// writing is the time of so many writes.
func writing(t *testing.T, writes int) time.Duration {
	t.Helper()
	w, m := setup(t)
	s := w.begin(t.Context(), m, nil)
	start := time.Now()
	for i := range writes {
		c := memory.Change{Subject: fmt.Sprintf("item %d", i), Content: sentence(i)}
		if _, err := m.Write(s.ctx, in("s1"), c); err != nil {
			t.Fatal(err)
		}
		if i%10 > 0 {
			continue
		}
		hits, err := m.Recall(s.ctx, memory.Query{Scope: in("s1"), Text: c.Subject, Limit: 1})
		if err != nil || len(hits) != 1 || hits[0].Record.Subject != c.Subject {
			t.Fatalf("write %d is not found: %+v, %v", i, hits, err)
		}
	}
	return time.Since(start)
}

// A later version of what the step has decided takes the place of the earlier one, also for a child of the step.
func TestAStepKnowsTheLastVersion(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	s := w.begin(t.Context(), m, nil)
	first := memory.Change{Subject: "door code", Content: "The door code is 4711."}
	if _, err := m.Write(s.ctx, in("s1"), first); err != nil {
		t.Fatal(err)
	}
	child := state.ContextWithEffects(s.ctx, s.effects.Child())
	receipts, err := m.Write(child, in("s1"), memory.Change{Subject: "door code", Content: "The door code is 8150."})
	if err != nil || receipts[0].Outcome != state.Replaced {
		t.Fatalf("%+v, %v", receipts, err)
	}
	hits, err := m.Recall(child, memory.Query{Scope: in("s1"), Text: "door code"})
	if err != nil || len(hits) != 1 || hits[0].Record.Content != "The door code is 8150." {
		t.Errorf("the child finds %+v, %v", hits, err)
	}
	if hits, err = m.Recall(s.ctx, memory.Query{Scope: in("s1"), Text: "door code"}); err != nil || len(hits) != 1 || hits[0].Record.Content != first.Content {
		t.Errorf("the step finds %+v, %v", hits, err)
	}
}
