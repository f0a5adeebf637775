package nodes

import (
	"context"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Answer returns the respond of a host that answers itself: what say returns is kept as the assistant's message of the turn, so that memory_flush
// learns of it and the next turn sees it. Of the RespondConfig only Memory and Now count. When say fails the turn still ends in order, with
// Failure set, as it does when a model fails.
func Answer(c RespondConfig, say func(ctx context.Context, t state.Turn) (string, error)) Func {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		err := c.Memory.Turn().Together(ctx, func(ctx context.Context) error {
			text, err := say(ctx, t)
			if err != nil {
				t.Failure.Set(state.Failure{Code: state.CodeOf(err), Text: err.Error()})
				return ctx.Err()
			}
			r := &responder{RespondConfig: c}
			r.say(ctx, &t, state.Message{Role: state.RoleAssistant, Text: text})
			return nil
		})
		return t, err
	}
}
