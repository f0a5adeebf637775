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
		var carriedOut []state.Decision
		if t.Decision.IsSet() {
			carriedOut = append(carriedOut, t.Decision.Get())
		}
		view, err := m.Turn().Load(ctx, t.Input.Get(), carriedOut...)
		if err != nil {
			return t, err
		}
		t.View.Set(view)
		return t, nil
	}
}
