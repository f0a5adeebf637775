package nodes

import (
	"context"
	"errors"
	"slices"
	"sync"
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
	// Approve says which tools a person has to approve before each call, by name; nil = none.
	Approve func(tool string) bool
}

// Respond answers: it thinks (composes the context, asks the model) and acts (runs the tools the model called) in
// turns, until the model answers without a call. Each answer and each group of tool results is committed before
// the next step, so that a resumed turn goes on where the last one stopped: the turn's messages say where that is.
// When a person has to be asked about a call, the results before it are committed too.
// After max_tool_rounds the model is asked once more, without tools. A model that fails sets Failure; the turn
// then still ends in order.
func Respond(c RespondConfig) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		r := &responder{RespondConfig: c, options: optionsFrom(ctx)}
		if err := r.prepare(ctx, t); err != nil {
			return t, err
		}
		inner, stop := r.until(ctx)
		defer stop()
		for {
			done, err := r.next(inner, &t)
			if err != nil && inner.Err() != nil && ctx.Err() == nil { // an answer that came first is kept
				err = &modelError{errStopped}
			}
			var failed *modelError
			switch {
			case errors.As(err, &failed) && ctx.Err() == nil:
				t.Failure.Set(state.Failure{Code: state.CodeOf(failed.err), Text: failed.err.Error()})
				state.Emit(ctx, state.Event{Name: state.ErrorEvent, Node: RespondName, Text: failed.err.Error()})
				return t, nil
			case errors.Is(err, state.ErrWaits):
				_, failed := c.Commit(ctx, t)
				return t, errors.Join(failed, err)
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

// errStopped ends a turn that a newer message took the place of.
var errStopped = state.Errorf(state.Conflict, "turn", "ended without an answer: a newer message came")

// until is the context of what may be stopped.
func (r *responder) until(ctx context.Context) (context.Context, func()) {
	if r.options.Stop == nil {
		return ctx, func() {}
	}
	inner, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-r.options.Stop:
			cancel()
		case <-inner.Done():
		}
	})
	return inner, func() { cancel(); watch.Wait() }
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

// next does one step, told by the turn's messages: calls without a result are run, the user's message or the last
// result is answered. Done = the assistant has answered.
func (r *responder) next(ctx context.Context, t *state.Turn) (done bool, err error) {
	messages := t.View.Get().Turn
	if asked, calls := open(messages); len(calls) > 0 {
		return false, r.act(ctx, t, asked, calls)
	}
	if messages[len(messages)-1].Role != state.RoleAssistant {
		return false, r.think(ctx, t)
	}
	return true, nil
}

// open are the calls of the last answer that have no result yet.
func open(messages []state.Message) (asked state.Message, calls []state.ToolCall) {
	results := map[string]bool{}
	i := len(messages) - 1
	for ; i >= 0 && messages[i].Role == state.RoleTool; i-- {
		results[messages[i].ToolCallID] = true
	}
	if i >= 0 && messages[i].Role == state.RoleAssistant {
		asked = messages[i]
	}
	calls = slices.DeleteFunc(slices.Clone(asked.ToolCalls), func(c state.ToolCall) bool { return results[c.ID] })
	return asked, calls
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
