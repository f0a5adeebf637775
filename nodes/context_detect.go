package nodes

import (
	"context"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// ContextDetect decides what the message does to the conversation and carries it out: affairs are parked, taken
// up and opened. The decision rides in respond's first commit, unless a model was paid for it: then it is committed
// before it is carried out, which may ask a model again. One that an earlier attempt at the turn committed stands.
func ContextDetect(m *memory.Memory, commit CommitFunc) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		d := t.Decision.Get()
		if t.Decision.IsSet() && d.Due == nil {
			return t, nil
		}
		if d.Due != nil {
			d.Title, d.Reasoning, d.Due = d.Due.Title, d.Due.Reasoning, nil
		} else {
			view, judged, paid, err := m.Judge(ctx, t.View.Get(), t.Input.Get().AskSmall)
			if err != nil {
				return t, err
			}
			t.View.Set(view)
			if d = judged; paid {
				due := d
				due.Due = &state.Due{Title: d.Title, Reasoning: d.Reasoning}
				t.Decision.Set(due)
				if t, err = commit(ctx, t); err != nil {
					return t, err
				}
			}
		}
		view, d, paid, err := m.CarryOut(ctx, t.View.Get(), d)
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
