package vectors_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// An embedder is changed while eight readers ask: no error, no recall without its record, none by words alone.
func TestEmbedderChangedUnderReaders(t *testing.T) {
	t.Parallel()
	const records, readers = 300, 8
	m := begin(t, ram.New(), "m", nil)
	var changes []memory.Change
	for n := range records {
		changes = append(changes, memory.Change{Subject: fmt.Sprintf("locker %d", n), Content: text(n)})
	}
	ids := map[int]string{}
	for some := range slices.Chunk(changes, 10) {
		receipts, err := m.Write(t.Context(), scope(), some...)
		must(t, err)
		for _, r := range receipts {
			ids[len(ids)] = r.ID
		}
	}
	must(t, m.Indexed(t.Context(), scope()))
	next, err := newMoody(2 * dim)
	must(t, err)
	begun := make(chan struct{}, records)
	next.be(func(context.Context) error { // the change takes as long as some recalls
		for range 20 {
			select {
			case <-begun:
			case <-t.Context().Done():
			}
		}
		return nil
	})
	to, err := embedderOf(next)
	must(t, err)
	done := make(chan struct{})
	asked := make(chan int, readers)
	for reader := range readers {
		go func() { asked <- m.reads(t, reader, ids, begun, done) }()
	}
	moved, err := m.MoveTo(t.Context(), to, nil)
	next.be(nil)
	close(done)
	total := 0
	for range readers {
		total += <-asked
	}
	if err != nil || moved != records {
		t.Errorf("moved %d, %v, want %d", moved, err, records)
	}
	if s, _ := m.VectorStatus(); s.Space.Model != next.Name() {
		t.Errorf("afterwards the space is %v", s.Space)
	}
	t.Logf("%d recalls by %d readers meanwhile", total, readers)
	if total < 20 {
		t.Errorf("only %d recalls while the embedder was changed", total)
	}
	m.reads(t, 0, ids, begun, done) // and once in the new space
	list, err := live(t.Context(), m.shelf)
	must(t, err)
	entries, err := list.List(t.Context(), index.Of(scope()))
	if err != nil || len(entries) != records {
		t.Errorf("the live space has %d entries, %v", len(entries), err)
	}
}

// reads recalls records one after the other until done is closed, once at least, and tells begun of each.
func (o *opened) reads(t *testing.T, reader int, ids map[int]string, begun chan<- struct{}, done <-chan struct{}) int {
	for n := 0; ; n++ {
		which := (reader*37 + n) % len(ids)
		trace := &state.Trace{}
		hits, err := o.Recall(state.ContextWithTrace(t.Context(), trace), memory.Query{Scope: scope(), Text: fmt.Sprintf("code of locker %d", which)})
		switch {
		case err != nil:
			t.Errorf("reader %d: %v", reader, err)
		case len(hits) == 0 || hits[0].ID != ids[which] || hits[0].Why.Fields.Near == 0:
			t.Errorf("reader %d does not find record %d first among %d hits", reader, which, len(hits))
		case len(trace.Notes()) > 0:
			t.Errorf("reader %d: %q", reader, trace.Notes())
		}
		select {
		case begun <- struct{}{}:
		default:
		}
		select {
		case <-done:
			return n + 1
		default:
		}
	}
}
