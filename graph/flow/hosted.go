package flow

import (
	"context"

	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

var _ compose.CheckPointStore = (*checkpoint.Host)(nil)

// RunHosted runs a turn of a graph that a host has built with eino and compiled with h as its compose.CheckPointStore. An
// interrupt comes back as eino's error and is kept under thread and turn; the next RunHosted of the same turn resumes
// it, also after an error. When the turn has ended well its checkpoint is deleted, so that no later run can find an
// answer that is not its own.
func RunHosted[I, O any](
	ctx context.Context, h *checkpoint.Host, g compose.Runnable[I, O], thread state.Thread, turn string, input I, opts ...compose.Option,
) (O, error) {
	var none O
	if err := thread.Validate(); err != nil {
		return none, err
	}
	if turn == "" {
		return none, state.Errorf(state.Invalid, "turn on thread "+thread.Key(), "has no id; give it one that is unique in the thread")
	}
	id := thread.Key() + "/$" + turn
	out, err := g.Invoke(ctx, input, append(opts, compose.WithCheckPointID(id))...)
	if err != nil {
		return out, err
	}
	return out, h.Delete(context.WithoutCancel(ctx), id)
}
