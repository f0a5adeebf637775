package nodes

import (
	"context"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// ContextDetect decides what the message does to the conversation and carries it out: affairs are parked, taken
// up and opened. The decision rides in respond's first commit, unless a model was paid for it. One that an earlier
// attempt at the turn committed stands.
func ContextDetect(m *memory.Memory, commit CommitFunc) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		if t.Decision.IsSet() {
			return t, nil
		}
		view, decision, paid, err := m.Decide(ctx, t.View.Get(), t.Input.Get().AskSmall)
		if err != nil {
			return t, err
		}
		t.View.Set(view)
		t.Decision.Set(decision)
		state.Emit(ctx, state.Event{Name: state.ContextDecision, Decision: &decision})
		if paid {
			return commit(ctx, t)
		}
		return t, nil
	}
}
