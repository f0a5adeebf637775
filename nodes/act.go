package nodes

import (
	"context"
	"fmt"
	"slices"
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

// act runs the calls of one answer, one after the other, and makes their results messages of the turn. What goes
// wrong with a call is a short text for the model; the turn goes on.
func (r *responder) act(ctx context.Context, t *state.Turn, asked state.Message) error {
	in, view := t.Input.Get(), t.View.Get()
	ctx = state.ContextWithScope(ctx, in.Scope)
	results := make([]state.Message, 0, len(asked.ToolCalls))
	for _, call := range asked.ToolCalls {
		state.Emit(ctx, state.Event{Name: state.ToolStart, Node: RespondName, Tool: call.Name, Call: call.ID, Text: call.Arguments})
		ctx := memory.ContextWithOrigin(ctx, memory.Origin{
			Scope: in.Scope, Affair: view.Target, Turn: in.Turn, Message: view.Turn[0].ID, Seq: in.Seq, Tool: call.Name,
			Call: fmt.Sprintf("%d/%s", asked.Seq, call.ID),
		})
		ctx = state.ContextWithIdempotencyKey(ctx, fmt.Sprintf("%s/%s/%d/%s", in.Scope.Thread().Key(), in.Turn, asked.Seq, call.ID))
		result, err := r.tools.run(ctx, call)
		if ctx.Err() != nil {
			return state.Errorf(state.Unavailable, "tool "+call.Name, "given up: %w", ctx.Err())
		}
		if err != nil {
			result = "error: " + err.Error()
		}
		state.Emit(ctx, state.Event{Name: state.ToolEnd, Node: RespondName, Tool: call.Name, Call: call.ID, Text: result})
		results = append(results, state.Message{Role: state.RoleTool, Text: result, ToolCallID: call.ID, ToolName: call.Name})
	}
	t.Receipts.Add(receipts(ctx)...)
	t.Journal.Add(state.Entry{Kind: "tools", Seq: asked.Seq + 1, Hash: hash(compose.Message{ToolCalls: asked.ToolCalls})})
	r.append(ctx, t, results...)
	return nil
}

// receipts are those of the records that the calls wrote; the commit that follows makes them durable.
func receipts(ctx context.Context) []state.Receipt {
	var out []state.Receipt
	if sink := state.EffectsFrom(ctx); sink != nil {
		for _, e := range sink.List() {
			if e.Record != nil {
				out = append(out, state.Receipt{ID: e.Record.ID, Kind: string(e.Record.Kind), Durable: true, Visible: true, Indexed: true})
			}
		}
	}
	return out
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

func (b toolbox) names() []string {
	names := make([]string, 0, len(b.infos))
	for _, i := range b.infos {
		names = append(names, i.Name)
	}
	return names
}
