package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// act runs calls of one answer, one after the other, and makes their results messages of the turn. What goes
// wrong with a call is a short text for the model; the turn goes on. One about which a person has to be asked first ends
// it with state.ErrWaits; the results before it are kept.
func (r *responder) act(ctx context.Context, t *state.Turn, asked state.Message, calls []state.ToolCall) error {
	var results []state.Message
	var ended error
	for _, call := range calls {
		state.Emit(ctx, state.Event{Name: state.ToolStart, Node: RespondName, Tool: call.Name, Call: call.ID, Text: call.Arguments})
		result, err := r.call(r.origin(ctx, t, asked, call), asked, call)
		if ctx.Err() != nil {
			return state.Errorf(state.Unavailable, "tool "+call.Name, "given up: %w", ctx.Err())
		}
		if errors.Is(err, state.ErrWaits) {
			ended = err
			break
		}
		if err != nil {
			result = "error: " + err.Error()
		}
		state.Emit(ctx, state.Event{Name: state.ToolEnd, Node: RespondName, Tool: call.Name, Call: call.ID, Text: result})
		results = append(results, state.Message{Role: state.RoleTool, Text: result, ToolCallID: call.ID, ToolName: call.Name})
	}
	if len(results) > 0 {
		t.Receipts.Add(r.Memory.Written(ctx, t.Input.Get().Scope)...)
		t.Journal.Add(state.Entry{Kind: "tools", Seq: t.View.Get().Turn[len(t.View.Get().Turn)-1].Seq + 1, Hash: hash(compose.Message{ToolCalls: calls})})
		r.append(ctx, t, results...)
	}
	return ended
}

// origin is the context of one call.
func (r *responder) origin(ctx context.Context, t *state.Turn, asked state.Message, call state.ToolCall) context.Context {
	in, view := t.Input.Get(), t.View.Get()
	ctx = memory.ContextWithOrigin(state.ContextWithScope(ctx, in.Scope), memory.Origin{
		Scope: in.Scope, Affair: view.Target, Turn: in.Turn, Message: view.Turn[0].ID, Seq: in.Seq, Tool: call.Name, Call: place(asked, call),
	})
	return state.ContextWithIdempotencyKey(ctx, in.Scope.Thread().Key()+"/"+in.Turn+"/"+place(asked, call))
}

// place names a call in its turn.
func place(asked state.Message, call state.ToolCall) string {
	return strconv.FormatInt(asked.Seq, 10) + "/" + call.ID
}

// call runs one call, after a person has approved of it where that is asked for.
func (r *responder) call(ctx context.Context, asked state.Message, call state.ToolCall) (string, error) {
	answer, err := state.AskPerson(ctx, state.Question{
		Text: "Run " + call.Name + "?", Tool: call.Name, Call: place(asked, call), Arguments: call.Arguments, Schema: r.tools.schema(call.Name),
		IfAsked: r.Approve == nil || !r.Approve(tools.Canonical(call.Name)),
	})
	switch {
	case err != nil:
		return "", err
	case answer.Choice == state.Reject:
		return "", state.Errorf(state.Denied, "tool "+call.Name, "the user refused it. %s", answer.Reason)
	case answer.Choice == state.Edit:
		call.Arguments = answer.Value
	}
	return r.tools.run(ctx, call)
}

// toolbox is what the model may call in a turn.
type toolbox struct {
	infos  []*schema.ToolInfo
	byName map[string]tool.InvokableTool
}

// newToolbox collects tools; of two with one name the later wins.
func newToolbox(ctx context.Context, sets ...[]tool.InvokableTool) (toolbox, error) {
	b := toolbox{byName: map[string]tool.InvokableTool{}}
	for _, t := range slices.Concat(sets...) {
		info, err := t.Info(ctx)
		if err != nil {
			return b, state.Errorf(state.Invalid, "tool", "does not describe itself: %w", err)
		}
		if _, ok := b.byName[info.Name]; ok {
			b.infos = slices.DeleteFunc(b.infos, func(i *schema.ToolInfo) bool { return i.Name == info.Name })
		}
		b.byName[info.Name] = t
		b.infos = append(b.infos, info)
	}
	return b, nil
}

// run runs one call, by its name or an alias of it. eino callbacks are raised for tools that do not raise their own;
// a tool that panics is an error.
func (b toolbox) run(ctx context.Context, call state.ToolCall) (result string, err error) {
	t, ok := b.byName[call.Name]
	if !ok {
		t, ok = b.byName[tools.Canonical(call.Name)]
	}
	if !ok {
		return "", state.Errorf(state.NotFound, "tool "+call.Name, "is unknown; there are: %s", strings.Join(b.names(), ", "))
	}
	defer func() {
		if p := recover(); p != nil {
			result, err = "", state.Errorf(state.Internal, "tool "+call.Name, "panicked: %v", p)
		}
	}()
	kind, _ := components.GetType(t)
	ctx = callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{Name: call.Name, Type: kind, Component: components.ComponentOfTool})
	if components.IsCallbacksEnabled(t) {
		return t.InvokableRun(ctx, call.Arguments)
	}
	ctx = callbacks.OnStart(ctx, &tool.CallbackInput{ArgumentsInJSON: call.Arguments})
	if result, err = t.InvokableRun(ctx, call.Arguments); err != nil {
		callbacks.OnError(ctx, err)
		return "", err
	}
	callbacks.OnEnd(ctx, &tool.CallbackOutput{Response: result})
	return result, nil
}

// schema is the JSON schema of a tool's arguments, "" when it has none that can be told.
func (b toolbox) schema(name string) string {
	i := slices.IndexFunc(b.infos, func(i *schema.ToolInfo) bool { return i.Name == name || i.Name == tools.Canonical(name) })
	if i < 0 || b.infos[i].ParamsOneOf == nil {
		return ""
	}
	s, err := b.infos[i].ParamsOneOf.ToJSONSchema()
	if err != nil {
		return ""
	}
	text, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	return string(text)
}

func (b toolbox) names() []string {
	names := make([]string, 0, len(b.infos))
	for _, i := range b.infos {
		names = append(names, i.Name)
	}
	return names
}
