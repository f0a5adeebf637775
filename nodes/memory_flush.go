package nodes

import (
	"context"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// MemoryFlush brings memory forward by the turn: key facts and message counts of the affair, closing words, summaries
// that are due, what a small model says of the records that were stored, the session. It runs after the reply and also when there is none.
func MemoryFlush(m *memory.Memory) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		ctx = state.ContextWithScope(ctx, t.Input.Get().Scope) // its agent may write less than others
		view, err := m.Turn().Flush(ctx, t.View.Get(), t.Decision.Get(), t.Receipts.Items()...)
		if err != nil {
			return t, err
		}
		t.View.Set(view)
		return t, nil
	}
}
