package nodes

import (
	"context"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// MemoryLoad fills the view: session, affairs, window and the turn's messages so far. It runs in every attempt at
// the turn; when an earlier one had already carried a decision out, the view shows that.
func MemoryLoad(m *memory.Memory) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		in := t.Input.Get()
		view, err := m.Load(ctx, in)
		if err != nil {
			return t, err
		}
		if t.Decision.IsSet() {
			if view, err = m.Again(ctx, view, t.Decision.Get()); err != nil {
				return t, err
			}
		}
		t.View.Set(view)
		return t, nil
	}
}
