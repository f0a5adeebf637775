package nodes

import (
	"context"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// obey makes what the user's message asks of the memory the first calls of the turn, as if the model had made them, and reports whether it
// asks anything. The model then thinks with the results. Without the tool nothing is done, nor in a turn that is stopped.
func (r *responder) obey(ctx context.Context, t *state.Turn) (bool, error) {
	turn := t.View.Get().Turn
	if _, offered := r.tools.find(tools.MemoryUpdate); len(turn) > 1 || !offered || isStopped(ctx) {
		return false, nil
	}

	asked, err := r.Memory.Turn().Asks(ctx, t.Input.Get().Scope, turn[0], !r.isOffline())
	if err != nil {
		return false, err
	}
	var calls []state.ToolCall
	ordered := memory.ContextWithOrigin(ctx, memory.Origin{Ordered: true})
	for _, a := range asked {
		c := state.ToolCall{ID: memory.SpokenID(len(calls)), Name: tools.MemoryUpdate, Arguments: tools.UpdateArguments(a)}
		if a.Action == memory.Remember && (r.asksPerson(ordered, tools.MemoryStore, "") || r.asksPerson(ordered, c.Name, c.Arguments)) {
			continue // the model remembers by itself when it is told to: its call asks, once
		}
		state.TraceFrom(ctx).Note("respond: the message asks the memory to %s", a.Action)
		calls = append(calls, c)
	}
	if len(calls) == 0 {
		return false, nil
	}
	t.Journal.Add(state.Entry{Kind: entrySpoken, Seq: turn[0].Seq + 1, Hash: hash(compose.Message{ToolCalls: calls})})
	r.say(ctx, t, state.Message{Role: state.RoleAssistant, ToolCalls: calls})
	return true, nil
}

// updates reports whether a call may change what the model was shown of memory.
func (c *call) updates() bool {
	return tools.Canonical(c.Name) == tools.MemoryUpdate && tools.Edits(c.Arguments)
}
