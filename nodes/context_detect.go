package nodes

import (
	"context"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// ContextDetect decides what the message does to the conversation and carries it out: affairs are parked, taken
// up and opened. That rides in respond's first commit, unless a model was paid for the decision: then it is committed
// here. A decision that an earlier attempt at the turn committed stands.
func ContextDetect(m *memory.Memory, commit CommitFunc) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		if t.Decision.IsSet() {
			return t, nil
		}
		d, paid, err := m.Turn().Judge(ctx, t.View.Get(), t.Input.Get().AskSmall)
		if err != nil {
			return t, err
		}

		view, d, err := m.Turn().CarryOut(ctx, t.View.Get(), d)
		if err != nil {
			return t, err
		}

		t.View.Set(view)
		t.Decision.Set(d)
		state.Emit(ctx, state.Event{Name: state.ContextDecision, Decision: &d})
		if paid {
			return commit(ctx, t)
		}
		return t, nil
	}
}
