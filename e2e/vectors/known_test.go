package vectors_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A process that has not compared a user's documents with the index yet does not know which vectors are missing, and must not
// say that they are there.
func TestReceiptsAfterARestart(t *testing.T) {
	t.Parallel()
	s := ram.New()
	shelf, err := local.New(local.Config{Store: s})
	must(t, err)
	before, err := open(s, "b", shelf)
	must(t, err)
	before.model.be(away)
	change := memory.Change{Content: "The gate code is 4471.", Priority: state.Critical}
	receipts, err := before.Write(t.Context(), scope(), change)
	must(t, err)
	if receipts[0].Indexed {
		t.Fatal("the vector was made")
	}
	must(t, before.Close())
	m := begin(t, s, "a", shelf)
	m.model.be(away)
	for _, name := range []string{"first", "second"} {
		again, err := m.Write(t.Context(), scope(), change)
		if err != nil || again[0].Indexed {
			t.Errorf("the %s repeat after the restart: %+v, %v; there is no vector", name, again, err)
		}
	}
}

// A call of the embedder that never comes back is given up, and its texts are embedded by another.
func TestACallThatNeverReturns(t *testing.T) {
	t.Parallel()
	m := begin(t, ram.New(), "h", nil)
	var hung atomic.Bool
	m.model.be(func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); !bounded && hung.CompareAndSwap(false, true) {
			<-ctx.Done()
		}
		return ctx.Err()
	})
	_, err := m.Write(t.Context(), scope(), memory.Change{Content: text(1)})
	must(t, err)
	if err := settled(t.Context(), m.Memory, time.Minute); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}

// What the embedder refuses of one client, for good, is that client's trouble: the others' vectors are made and used.
func TestOneRefusedTextIsNotEverybodysTrouble(t *testing.T) {
	t.Parallel()
	m := begin(t, ram.New(), "p", nil)
	m.model.refuses = "poison"
	other := state.Scope{Client: "other"}.Default()
	_, err := m.Write(t.Context(), other, memory.Change{Content: "A text with poison in it."})
	must(t, err)
	degraded := 0
	for n := range 40 {
		r, err := m.Write(t.Context(), scope(), memory.Change{Content: text(n), Priority: state.Critical})
		must(t, err)
		trace := &state.Trace{}
		_, err = m.Recall(state.ContextWithTrace(t.Context(), trace), memory.Query{Scope: scope(), Text: fmt.Sprintf("code of locker %d", n)})
		must(t, err)
		if !r[0].Indexed || len(trace.Notes()) > 0 {
			degraded++
		}
	}
	if degraded > 0 {
		t.Errorf("%d of 40 writes and recalls of another client went without vectors", degraded)
	}
}
