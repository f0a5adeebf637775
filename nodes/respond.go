package nodes

import (
	"context"
	"errors"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// RespondConfig says what respond works with.
type RespondConfig struct {
	Memory *memory.Memory             // required
	Model  model.ToolCallingChatModel // required
	Tools  []tool.InvokableTool       // the memory tools and the host's
	System string                     // system prompt; "" = compose's default
	Now    func() time.Time           // required
	Commit CommitFunc                 // required
}

// Respond answers: it thinks (composes the context, asks the model) and acts (runs the tools the model called) in
// turns, until the model answers without a call. Each answer and each group of tool results is committed before
// the next step, so that a resumed turn goes on where the last one stopped: the turn's messages say where that is.
// After max_tool_rounds the model is asked once more, without tools. A model that fails sets Failure; the turn
// then still ends in order.
func Respond(c RespondConfig) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		r := &responder{RespondConfig: c, options: optionsFrom(ctx)}
		if err := r.prepare(ctx, t); err != nil {
			return t, err
		}
		for {
			done, err := r.next(ctx, &t)
			var failed *modelError
			switch {
			case errors.As(err, &failed) && ctx.Err() == nil:
				t.Failure.Set(state.Failure{Code: state.CodeOf(failed.err), Text: failed.err.Error()})
				state.Emit(ctx, state.Event{Name: state.ErrorEvent, Node: RespondName, Text: failed.err.Error()})
				return t, nil
			case err != nil || done:
				return t, err
			}
			if t, err = c.Commit(ctx, t); err != nil {
				return t, err
			}
		}
	}
}

// responder is one run of respond.
type responder struct {
	RespondConfig
	options Options
	tools   toolbox
	input   compose.Input
}

// modelError marks an error that is the chat model's (or of asking it), not the runtime's.
type modelError struct{ err error }

// Error is the model's.
func (e *modelError) Error() string { return e.err.Error() }

// Unwrap returns the model's error.
func (e *modelError) Unwrap() error { return e.err }

func (r *responder) prepare(ctx context.Context, t state.Turn) (err error) {
	if r.options.Model != nil {
		r.Model = r.options.Model
	}
	if own := t.View.Get().Turn[0].System; own != "" { // kept with the message, for an attempt in another process too
		r.System = own
	}
	if r.tools, err = newToolbox(ctx, r.RespondConfig.Tools, r.options.Tools); err != nil {
		return err
	}
	r.input, err = r.Memory.Gather(ctx, t.View.Get(), t.Decision.Get(), r.System)
	return err
}

// next does one step, told by the turn's last message: the user's or a tool's is answered, an assistant's calls
// are run. Done = the assistant has answered.
func (r *responder) next(ctx context.Context, t *state.Turn) (done bool, err error) {
	messages := t.View.Get().Turn
	last := messages[len(messages)-1]
	switch {
	case last.Role != state.RoleAssistant:
		return false, r.think(ctx, t)
	case len(last.ToolCalls) > 0:
		return false, r.act(ctx, t, last)
	}
	return true, nil
}

// rounds counts the answers with tool calls so far.
func rounds(messages []state.Message) (n int) {
	for _, m := range messages {
		if len(m.ToolCalls) > 0 {
			n++
		}
	}
	return n
}

// append files messages of the turn and shows them in the view.
func (r *responder) append(ctx context.Context, t *state.Turn, messages ...state.Message) {
	view, in := t.View.Get(), t.Input.Get()
	turn := append([]state.Message(nil), view.Turn...)
	for _, msg := range messages {
		msg.Seq = turn[len(turn)-1].Seq + 1
		msg.ID = messageID(msg.Seq)
		msg.Turn, msg.Affair, msg.At = in.Turn, view.Target, r.Now()
		turn = append(turn, msg)
		r.Memory.Say(ctx, in.Scope, msg)
	}
	view.Turn = turn
	t.View.Set(view)
}
