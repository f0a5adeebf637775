package memory_test

import (
	"context"
	"sync"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// steps is a log as it is kept where the store is not Atomic: it holds what each step decided, and the edits are
// carried out later. It outlives the memories, as a store outlives processes.
type steps struct {
	mu      sync.Mutex
	threads map[string]*thread
}

// thread is the line of steps of one session, or of what a user's memory was told outside turns.
type thread struct {
	steps   [][]state.Effect
	carried int // so many steps are known to be carried out
}

func (s *steps) thread(key string) *thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.threads[key] == nil {
		s.threads[key] = &thread{}
	}
	return s.threads[key]
}

// insert is the commit of a step: it is durable.
func (w *world) insert(key string, effects []state.Effect) string {
	t := w.log.thread(key)
	w.log.mu.Lock()
	t.steps = append(t.steps, effects)
	w.log.mu.Unlock()
	return key
}

// from says which step effects come from.
func from(key string, seq int, again bool, effects []state.Effect) []state.Effect {
	out := append([]state.Effect(nil), effects...)
	for i := range out {
		out[i].From = state.Mark{Thread: key, Seq: int64(seq), Again: again}
	}
	return out
}

// open are the effects of a thread that nobody is known to have carried out.
func (w *world) open(key string, again bool) (effects []state.Effect, last int) {
	t := w.log.thread(key)
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	for i := t.carried; i < len(t.steps); i++ {
		effects = append(effects, from(key, i+1, again, t.steps[i])...)
	}
	return effects, len(t.steps)
}

// carryOut makes the documents of a thread's open steps.
func (w *world) carryOut(ctx context.Context, m *memory.Memory, key string, again bool) error {
	effects, last := w.open(key, again)
	if len(effects) == 0 {
		return nil
	}
	if err := merged(ctx, m, w.store.Write, effects...); err != nil {
		return err
	}
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	w.log.threads[key].carried = last
	return nil
}

// merged has memory merge effects, and put write what comes of them.
func merged(ctx context.Context, m *memory.Memory, put func(ctx context.Context, docs ...store.Doc) error, effects ...state.Effect) error {
	batch, err := m.Turn().Commits().Merge(ctx, effects)
	if err != nil {
		return err
	}
	return checkpointtest.Write(ctx, batch, put)
}
