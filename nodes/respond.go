package nodes

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// RespondConfig says what respond works with.
type RespondConfig struct {
	Memory *memory.Memory             // required
	Model  model.ToolCallingChatModel // required
	Tools  []tool.InvokableTool       // the memory tools and the host's
	System string                     // system prompt; "" = compose's default
	Agents []state.Agent              // definitions: turns of these agents have their core for System

	// ModelOf is the model that an agent answers with; nil, also as an answer = Model.
	ModelOf func(agent string) model.ToolCallingChatModel

	Now    func() time.Time // default time.Now in UTC
	Commit CommitFunc       // required
	// Approve says which calls of an agent a person has to approve, by the tool's name and the arguments; nil = none.
	Approve func(ctx context.Context, agent, tool, arguments string) bool
	Logger  *slog.Logger // default silent
	Calls   *Calls       // runs the model and the tools; whoever made it closes it. Default one that nobody closes
}

// Respond answers: it thinks (composes the context, asks the model) and acts (runs the tools the model called, side by
// side) in turns, until the model answers without a call. Each answer and each tool result is committed when it is there,
// so that a resumed turn goes on where the last one stopped: the turn's messages say where that is.
// When a person has to be asked about calls, the results of the others are committed too.
// After max_tool_rounds the model is asked once more, without tools. A model that fails sets Failure; the turn
// then still ends in order. So does a turn that is stopped (state.Stop): the model and the tools are given up, the text
// that had come is kept as an answer that was cut, and calls without a result get one that says so. In a graph that keeps no steps
// what it writes is durable when it ends.
func Respond(c RespondConfig) Func {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.Calls == nil {
		c.Calls = &Calls{}
	}

	always := countOnce(c.Memory)
	return func(ctx context.Context, t state.Turn) (out state.Turn, err error) {
		err = c.Memory.Turn().Together(ctx, func(ctx context.Context) error {
			out, err = c.respond(ctx, t, always)
			return err
		})
		return out, err
	}
}

// respond returns one run of the node.
func (c RespondConfig) respond(ctx context.Context, t state.Turn, always func([]*schema.ToolInfo) int) (state.Turn, error) {
	// What the turn works with.
	set, err := c.Memory.Settings().In(ctx, t.Input.Get().Scope)
	if err != nil {
		return t, err
	}
	ctx = settings.ContextWith(ctx, set)
	r := &responder{RespondConfig: c, options: optionsFrom(ctx), set: set, resumed: true, always: always}
	if err := r.prepare(ctx, t); err != nil {
		return t, err
	}

	// Step by step, each of them committed.
	for {
		done, err := r.doNext(ctx, &t)
		var failed *modelError
		switch {
		case errors.As(err, &failed) && ctx.Err() == nil:
			t.Failure.Set(state.Failure{Code: state.CodeOf(failed.err), Text: failed.err.Error(), Cut: isStopped(ctx)})
			state.Emit(ctx, state.Event{Name: state.ErrorEvent, Node: RespondName, Text: failed.err.Error()})
			return t, nil
		case errors.Is(err, state.ErrWaits):
			_, failed := r.commitPaid(ctx, t)
			return t, errors.Join(failed, err)
		case err != nil || done:
			return t, err
		}
		if t, err = r.commitPaid(ctx, t); err != nil {
			return t, err
		}
		r.resumed = false
	}
}

// responder is one run of respond.
type responder struct {
	RespondConfig
	agent   string // whose turn it is
	options Options
	set     *settings.Set // what holds for the turn
	tools   toolbox
	input   compose.Input
	resumed bool              // calls without a result are those of an earlier attempt
	stale   bool              // a call has changed what is remembered since input was gathered
	said    string            // the user's message, as it is kept
	written map[string]string // arguments that hold a secret, by the call's id
	reply   string            // that the calls of the last answer bring along, "" = none
	always  func([]*schema.ToolInfo) int
}

// countOnce counts what the tools of every turn cost in a request, the first time it is asked.
func countOnce(m *memory.Memory) func([]*schema.ToolInfo) int {
	var once sync.Once
	var tokens int
	return func(infos []*schema.ToolInfo) int {
		once.Do(func() { tokens = toolbox{infos: infos}.tokens(0, m.Tokens) })
		return tokens
	}
}

// commitPaid commits what was paid for, also when nobody waits for the turn any more.
func (r *responder) commitPaid(ctx context.Context, t state.Turn) (state.Turn, error) {
	return r.Commit(context.WithoutCancel(ctx), t)
}

// The kinds of journal entries.
const (
	entryModel  = "model"
	entrySpoken = "spoken"
	entryTools  = "tools"
	entryAgain  = "again"
	entryWaits  = "waits"
)

// modelError marks an error that ends the turn without an answer: the chat model's (or of asking it), not the runtime's.
type modelError struct{ err error }

// Error returns the model's.
func (e *modelError) Error() string { return e.err.Error() }

// Unwrap returns the model's error.
func (e *modelError) Unwrap() error { return e.err }

// stopReason is why the turn is to end, nil while it is not; a reason without a code is unavailable.
func stopReason(ctx context.Context) error {
	err := state.StopFrom(ctx).Err()
	if err != nil && state.CodeOf(err) == state.Internal {
		err = state.Errorf(state.Unavailable, "turn", "was cut short: %w", err)
	}
	return err
}

func isStopped(ctx context.Context) bool { return stopReason(ctx) != nil }

func (r *responder) prepare(ctx context.Context, t state.Turn) (err error) {
	r.said = t.View.Get().Turn[0].Text
	switch {
	case r.options.Model != nil:
		r.Model = r.options.Model
	case r.ModelOf != nil:
		if own := r.ModelOf(t.Input.Get().Scope.Agent); own != nil {
			r.Model = own
		}
	}

	if own := t.View.Get().Turn[0].System; own != "" { // kept with the message, for an attempt in another process too
		r.System = own
	}
	if r.tools, err = newToolbox(ctx, r.RespondConfig.Tools, r.options.Tools); err != nil {
		return err
	}
	return r.gather(ctx, t)
}

// gather collects what the model is to see of memory.
func (r *responder) gather(ctx context.Context, t state.Turn) (err error) {
	if r.input, err = r.Memory.Turn().Gather(ctx, t.View.Get(), t.Decision.Get(), r.System); err != nil {
		return err
	}
	if r.System != "" {
		r.input.Standing = compose.Standing(r.input.Language, r.input.Now)
	}
	r.beAgent(t)
	own := len(r.RespondConfig.Tools)
	r.input.Foreign = func(tool string) bool { return !tools.BuiltIn(tool) }
	r.input.ToolTokens = r.always(r.tools.infos[:own]) + r.tools.tokens(own, r.Memory.Tokens)
	r.stale = false
	return nil
}

// gatherAgain does so when calls of the turn have changed what is remembered: nothing that they had forgotten is shown any more.
func (r *responder) gatherAgain(ctx context.Context, t *state.Turn) error {
	view, err := r.Memory.Turn().Load(ctx, t.Input.Get(), t.Decision.Get())
	if err != nil {
		return err
	}
	t.View.Set(view)
	return r.gather(ctx, *t)
}

// doNext does one step, told by the turn's messages: a command to the memory is carried out, calls without a result are run, the user's
// message or the last result is answered. Done = the assistant has answered.
func (r *responder) doNext(ctx context.Context, t *state.Turn) (done bool, err error) {
	messages := t.View.Get().Turn
	asked, calls := listOpenCalls(messages)
	switch {
	case len(calls) > 0:
		r.stale = r.stale || slices.ContainsFunc(calls, (*call).updates)
		return false, r.act(ctx, t, asked, calls)
	case messages[len(messages)-1].Role == state.RoleAssistant:
		return true, nil
	}

	if obeyed, err := r.obey(ctx, t); obeyed || err != nil {
		return false, err
	}
	if r.stale {
		if err := r.gatherAgain(ctx, t); err != nil {
			return false, err
		}
	}
	return false, r.think(ctx, t)
}

// listOpenCalls returns the calls of the last answer that have no result yet. A result has the number that its call's place gives it.
func listOpenCalls(messages []state.Message) (asked state.Message, calls []*call) {
	results := map[string]bool{}
	i := len(messages) - 1
	for ; i >= 0 && messages[i].Role == state.RoleTool; i-- {
		results[messages[i].ToolCallID] = true
	}
	if i >= 0 && messages[i].Role == state.RoleAssistant {
		asked = messages[i]
	}
	for i, c := range asked.ToolCalls {
		if !results[c.ID] {
			calls = append(calls, &call{ToolCall: c, seq: asked.Seq + 1 + int64(i), memory: tools.BuiltIn(c.Name)})
		}
	}
	return asked, calls
}

// countRounds counts the model's answers with tool calls so far.
func countRounds(messages []state.Message) (n int) {
	for _, m := range messages {
		if len(m.ToolCalls) > 0 && !memory.IsSpoken(m.ToolCalls[0].ID) {
			n++
		}
	}
	return n
}

// say files a message of the turn, without its secrets, and shows it in the view, at the place of its number; without one it comes
// last. It returns the message as it is filed.
func (r *responder) say(ctx context.Context, t *state.Turn, msg state.Message) state.Message {
	msg = r.hideSecrets(msg)
	view, in := t.View.Get(), t.Input.Get()
	if msg.Seq == 0 {
		msg.Seq = view.Turn[len(view.Turn)-1].Seq + 1
	}

	msg.ID = messageID(msg.Seq)
	msg.Turn, msg.Affair, msg.Project, msg.At = in.Turn, view.Target, in.Scope.Project, r.Now()
	if view.Turn[0].Unstored() {
		msg.StoreKnowledge = view.Turn[0].StoreKnowledge
	}
	if err := memory.Say(ctx, in.Scope, msg); err != nil { // not in the step of a graph, nor Together
		panic(err)
	}

	after := slices.IndexFunc(view.Turn, func(m state.Message) bool { return m.Seq > msg.Seq })
	if after < 0 {
		after = len(view.Turn)
	}
	view.Turn = slices.Insert(slices.Clone(view.Turn), after, msg)
	t.View.Set(view)
	return msg
}
