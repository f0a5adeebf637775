package nodes

import (
	"context"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// The names of the nodes, as traces, tracing handlers and scenario files know them.
const (
	IntakeName        = "intake"
	MemoryLoadName    = "memory_load"
	ContextDetectName = "context_detect"
	RespondName       = "respond"
	MemoryFlushName   = "memory_flush"
	FinalizeName      = "finalize"
)

// Intake takes the user's message in: it is checked and given its place in the session. Its commit keeps the
// message whatever happens afterwards. It reads the message from the view and sets Input.
func Intake(m *memory.Memory) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		in, view := t.Input.Get(), t.View.Get()
		if len(view.Turn) == 0 {
			return t, state.Errorf(state.Invalid, "intake", "has no message; put the user's into the view")
		}

		msg := view.Turn[0]
		msg.Turn = in.Turn
		msg, err := m.Turn().Admit(ctx, in.Scope, msg)
		if err != nil {
			return t, err
		}

		in.Seq = msg.Seq
		t.Input.Set(in)
		return t, nil
	}
}
