package nodes

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// call is one call of the model.
type call struct {
	state.ToolCall
	seq     int64          // of its result
	memory  bool           // it is for one of our own tools
	effects *state.Effects // what it has decided
	edited  bool           // a person wrote its arguments
	agreed  bool           // a person has approved of it
	later   bool           // a person was asked and has put it off
	answer  *state.Answered
	result  string
	err     error
}

// originContext returns the context of one call.
func (r *responder) originContext(ctx context.Context, t *state.Turn, asked state.Message, c *call) context.Context {
	in, view := t.Input.Get(), t.View.Get()
	ctx = memory.ContextWithOrigin(state.ContextWithScope(ctx, in.Scope), memory.Origin{
		Scope: in.Scope, Affair: view.Target, Turn: in.Turn, Message: view.Turn[0].ID, Seq: in.Seq, Tool: c.Name, Call: callKey(asked, c),
		Unstored: view.Turn[0].Unstored(), Ground: r.groundOf(view, asked, c), Ordered: memory.IsSpoken(c.ID), Approved: c.agreed, Suggests: c.later,
	})
	return state.ContextWithIdempotencyKey(ctx, in.Scope.Thread().Key()+"/"+in.Turn+"/"+callKey(asked, c))
}

// groundOf returns what the model had before it when it made a call: no result of another call of the same answer. A call that a person has
// written or approved of has none.
func (r *responder) groundOf(view state.View, asked state.Message, c *call) *memory.Ground {
	if !c.memory || c.edited || c.agreed {
		return nil
	}
	seen := slices.IndexFunc(view.Turn, func(m state.Message) bool { return m.Seq > asked.Seq })
	if seen >= 0 {
		view.Turn = view.Turn[:seen]
	}
	shown := r.input
	return &memory.Ground{View: view, Shown: &shown, BuiltIn: tools.BuiltIn}
}

// callKey names a call in its turn.
func callKey(asked state.Message, c *call) string {
	return strconv.FormatInt(asked.Seq, 10) + "/" + c.ID
}

// approve asks a person about a call where that is asked for; the answer may change its arguments. A call to memory about which nobody can be
// asked, or about which nobody wants to be asked now, is made all the same: what it would change waits as a suggestion.
func (r *responder) approve(ctx context.Context, asked state.Message, c *call) error {
	answer, err := state.AskPerson(ctx, state.Question{
		Text: "Run " + c.Name + "?", Tool: c.Name, Call: callKey(asked, c), Arguments: c.Arguments, Schema: r.tools.schema(c.Name),
		IfAsked: !r.asksPerson(ctx, tools.Canonical(c.Name), c.Arguments),
	})
	c.agreed, c.later = answer.Choice == state.Approve || answer.Choice == state.Edit, answer.Choice == state.Suggest
	if err == nil && answer.Choice != "" {
		c.answer = &state.Answered{Choice: answer.Choice, By: answer.By, At: answer.At, Reason: answer.Reason}
	}

	writes := c.memory && tools.Writes(tools.Canonical(c.Name), c.Arguments)
	switch {
	case writes && errors.Is(err, state.ErrUnavailable):
		c.later = true
	case err != nil:
		return err
	case answer.Choice == state.Suggest && !writes:
		return state.Errorf(state.Denied, "tool "+c.Name, "the user has not answered whether it may run. %s", answer.Reason)
	case answer.Choice == state.Reject:
		return state.Errorf(state.Denied, "tool "+c.Name, "the user refused it. %s", answer.Reason)
	case answer.Choice == state.Edit:
		c.Arguments, c.edited, c.answer.Ran = answer.Value, true, answer.Value
	}
	return nil
}

// asksPerson reports whether a person has to approve a call of the turn's agent.
func (r *responder) asksPerson(ctx context.Context, tool, arguments string) bool {
	return r.Approve != nil && r.Approve(ctx, r.agent, tool, arguments)
}

// errLate ends the context of a call whose time is over.
var errLate = errors.New("its time is over")

// perform runs one call within its limits. eino callbacks are raised for tools that do not raise their own; a panic in one is
// an error of the call.
func (r *responder) perform(ctx context.Context, c *call) (result string, err error) {
	// Callbacks are the host's code: a panic in one must not end the turn.
	defer func() {
		if p := recover(); p != nil {
			result, err = "", state.Errorf(state.Internal, "tool "+c.Name, "a callback %w", &panicError{value: p, stack: debug.Stack()})
			r.warn(ctx, c, err)
		}
	}()

	// A tool that is not known has no type, but its callbacks are raised as for any other.
	t, ok := r.tools.find(c.Name)
	kind := ""
	if ok {
		kind, _ = components.GetType(t)
	}
	ctx = callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{Name: c.Name, Type: kind, Component: components.ComponentOfTool})
	if ok && components.IsCallbacksEnabled(t) {
		return r.limit(ctx, t, c)
	}

	// Around one that raises none, they are raised here.
	ctx = callbacks.OnStart(ctx, &tool.CallbackInput{ArgumentsInJSON: c.Arguments})
	if ok {
		result, err = r.limit(ctx, t, c)
	} else {
		err = state.Errorf(state.NotFound, "tool "+c.Name, "is unknown; there are: %s", strings.Join(r.tools.names(), ", "))
	}
	if err != nil {
		callbacks.OnError(ctx, err)
		return "", err
	}
	callbacks.OnEnd(ctx, &tool.CallbackOutput{Response: result})
	return result, nil
}

// limit runs a tool until it ends, its time is over or the turn is stopped, whichever comes first; one that goes on all
// the same is left behind. A panic and a result that is too long are errors. What limits did is noted and logged.
func (r *responder) limit(ctx context.Context, t tool.InvokableTool, c *call) (string, error) {
	limit := r.set.ToolTimeout
	if own, ok := t.(interface{ Timeout() time.Duration }); ok && own.Timeout() > 0 {
		limit = own.Timeout()
	}
	work, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	heard := &listener{emit: func(e state.Event) { state.Emit(ctx, e) }}
	defer heard.leave()

	// The result, if there is one when the wait is over.
	arguments, err := r.writtenArguments(c)
	if err != nil {
		return "", err
	}
	var result string
	over := r.Calls.try(func() (err error) {
		result, err = t.InvokableRun(state.ContextWithEvents(work, heard.hear), cmp.Or(arguments, "{}")) // some models leave them out
		return err
	})
	err = r.Calls.await(work, over)

	// What it comes to.
	var p *panicError
	switch most := r.set.ToolResultBytes; {
	case err == nil && len(result) <= most:
		return result, nil
	case err == nil:
		err = state.Errorf(state.Invalid, "tool "+c.Name, "answered %d bytes, at most %d are taken; ask it for less", len(result), most)
	case errors.As(err, &p):
		err = state.Errorf(state.Internal, "tool "+c.Name, "%w", p)
	case errors.Is(context.Cause(work), errLate):
		err = state.Errorf(state.Unavailable, "tool "+c.Name, "gave no result within %s and was given up", limit)
	case work.Err() != nil:
		return "", errCut
	default:
		return "", err
	}
	r.warn(ctx, c, err)
	return "", err
}

// warn notes and logs what went wrong with a call beyond an error of its own. The stack of a panic is for the log only.
func (r *responder) warn(ctx context.Context, c *call, err error) {
	state.TraceFrom(ctx).Note("respond: %v", err)
	scope, _ := state.ScopeFrom(ctx)
	attrs := []slog.Attr{
		slog.String("client", scope.Client), slog.String("user", scope.User), slog.String("session", scope.Session),
		slog.String("key", state.IdempotencyKey(ctx)), slog.String("tool", c.Name), slog.Int("open", r.Calls.Open()),
		slog.String("code", string(state.CodeOf(err))), slog.String("error", err.Error()),
	}
	var p *panicError
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	r.Logger.LogAttrs(ctx, slog.LevelWarn, "tool call", attrs...)
}

// listener hands on the events of a call until the call is over: nobody hears one that was left behind.
type listener struct {
	emit func(state.Event)
	mu   sync.Mutex
	left bool
}

func (l *listener) hear(e state.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.left {
		l.emit(e)
	}
}

func (l *listener) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = true
}
