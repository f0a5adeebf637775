package graph

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// Middleware gives the memory to an agent that the host keeps: an adk.ChatModelAgent, and those that are built on it. Before the
// model is asked, what memory has for the user's last message stands before it; the memory tools are among the agent's; and when the agent has
// answered, the exchange goes through a turn of the Graph, in which no model is asked for an answer: the turn decides, keeps and learns
// as any other does. Whose memory it is say the session values, as with Agent. The Graph's own model is not used. A run whose model or tool
// fails, or that hands over to another agent, is not taken in. Agents that hand one message to and fro need its id (MessageValue), by which it counts once.
//
// What the agent's model stores is weighed against what it had before it, as in a turn: words that only a tool's result says do not become the
// user's. The turn fails the run only where the Graph was closed or its store does not answer; the answer has been told by then.
func (g *Graph) Middleware(c AgentConfig) adk.ChatModelAgentMiddleware {
	inTurns := func(t tool.InvokableTool) bool { // the turn comes when the agent has answered: none runs that could be put elsewhere
		info, err := t.Info(context.Background())
		return err == nil && info.Name == tools.SwitchAffair
	}
	return &middleware{agent: agent{g, c}, tools: slices.DeleteFunc(tools.New(g.memory), inTurns)}
}

type middleware struct {
	adk.BaseChatModelAgentMiddleware
	agent agent
	tools []tool.InvokableTool
}

// The keys in Message.Extra of what the middleware has put in, and of the user's message that it has done so for.
const (
	shownKey = "mneme_context"
	askedKey = "mneme_asked"
)

// exchange is what a run of the agent has before it. Its turn's id is known before the turn runs, so that what tools write names it.
type exchange struct {
	scope state.Scope
	turn  string

	mu   sync.Mutex
	view state.View
	in   compose.Input
}

type exchangeKey struct{}

func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// BeforeAgent gives the agent the memory tools, and these the scope that they work in.
func (w *middleware) BeforeAgent(ctx context.Context, run *adk.ChatModelAgentContext) (context.Context, *adk.ChatModelAgentContext, error) {
	req, err := w.agent.change(ctx, whose(ctx))
	if err != nil {
		return ctx, run, err
	}
	for _, t := range w.tools {
		run.Tools = append(run.Tools, t)
	}
	x := &exchange{scope: req.scope(), turn: cmp.Or(req.MessageID, w.agent.c.NewID())}
	return context.WithValue(state.ContextWithScope(ctx, x.scope), exchangeKey{}, x), run, nil
}

// BeforeModelRewriteState puts what memory has before the user's last message, once, and the rules for it behind the host's instruction.
func (w *middleware) BeforeModelRewriteState(ctx context.Context, s *adk.ChatModelAgentState, _ *adk.ModelContext) (context.Context, *adk.ChatModelAgentState, error) {
	last, x := lastOfUser(s.Messages), exchangeFrom(ctx)
	if last < 0 || x == nil {
		return ctx, s, nil
	}
	said := slices.DeleteFunc(slices.Clone(s.Messages), isShown)
	if s.Messages[last].Extra[askedKey] == true {
		x.hear(said[lastOfUser(said)+1:])
		return ctx, s, nil
	}
	req, err := w.agent.request(ctx, said)
	if err != nil {
		return ctx, s, err
	}
	last = lastOfUser(said)
	first := slices.IndexFunc(said, func(msg adk.Message) bool { return msg.Role != schema.System })
	shown, err := w.agent.show(ctx, req, x, last > first)
	if err != nil {
		return ctx, s, err
	}
	for i := range shown {
		shown[i] = marked(shown[i], shownKey)
	}
	said[last] = marked(said[last], askedKey)
	rules := slices.IndexFunc(shown, func(msg adk.Message) bool { return msg.Role != schema.System })
	if rules < 0 {
		rules = len(shown)
	}
	out := *s
	out.Messages = slices.Concat(said[:first], shown[:rules], said[first:last], shown[rules:], said[last:])
	return ctx, &out, nil
}

// hear takes in what was said since the user's message.
func (x *exchange) hear(since []adk.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	turn := slices.Clip(x.view.Turn[:1])
	for _, msg := range since {
		turn = append(turn, state.Message{Role: state.Role(msg.Role), Text: msg.Content, ToolName: msg.ToolName, Turn: x.turn})
	}
	x.view.Turn = turn
}

// WrapInvokableToolCall says where a write of a memory tool comes from, and what the model had before it. A run that goes on in another process
// has nothing before it until the model is asked again.
func (w *middleware) WrapInvokableToolCall(_ context.Context, run adk.InvokableToolCallEndpoint, call *adk.ToolContext) (adk.InvokableToolCallEndpoint, error) {
	if !tools.BuiltIn(call.Name) {
		return run, nil
	}
	return func(ctx context.Context, arguments string, opts ...tool.Option) (string, error) {
		if x := exchangeFrom(ctx); x != nil {
			ctx = memory.ContextWithOrigin(ctx, x.origin(call))
		}
		result, err := run(ctx, arguments, opts...)
		if code := state.CodeOf(err); err != nil && code != state.Internal && code != state.Unavailable {
			return "error: " + err.Error(), nil // for the model, which may do better
		}
		return result, err
	}, nil
}

func (x *exchange) origin(call *adk.ToolContext) memory.Origin {
	x.mu.Lock()
	defer x.mu.Unlock()
	o := memory.Origin{Scope: x.scope, Turn: x.turn, Tool: call.Name, Call: x.turn + "/" + call.CallID, Affair: x.view.Target}
	view, in := x.view, x.in
	if len(view.Turn) == 0 {
		view.Turn = []state.Message{{Role: state.RoleUser, Turn: x.turn}}
	}
	o.Message, o.Seq = view.Turn[0].ID, view.Turn[0].Seq
	o.Ground = &memory.Ground{View: view, Shown: &in, BuiltIn: tools.BuiltIn}
	return o
}

// marked returns a message with a mark.
func marked(msg adk.Message, key string) adk.Message {
	out := *msg
	out.Extra = maps.Clone(out.Extra)
	if out.Extra == nil {
		out.Extra = map[string]any{}
	}
	out.Extra[key] = true
	return &out
}

// AfterAgent takes the exchange in.
func (w *middleware) AfterAgent(ctx context.Context, s *adk.ChatModelAgentState) (context.Context, error) {
	said := slices.DeleteFunc(slices.Clone(s.Messages), isShown)
	req, err := w.agent.request(ctx, said)
	if err != nil {
		return ctx, err
	}
	last := said[len(said)-1]
	if last.ToolName == adk.TransferToAgentToolName { // another agent answers
		return ctx, nil
	}
	req.Model = scripted.New([]scripted.Step{scripted.Say(last.Content)}, nil)
	req.DoubleTexting = state.EnqueueTexting // it has been said, whatever else the session does
	if x := exchangeFrom(ctx); x != nil {
		req.MessageID = x.turn
	}
	_, err = w.agent.Invoke(ctx, req)
	return ctx, err
}

func isShown(msg adk.Message) bool { return msg.Extra[shownKey] == true }

// rewritten is how ADK begins what another agent has said when it gives it to an agent as a message of the user's.
const rewritten = "For context: ["

// lastOfUser returns where the user's last message stands, -1 = nowhere. What only looks like another agent's counts where there is no other.
func lastOfUser(said []adk.Message) int {
	found := -1
	for i, msg := range slices.Backward(said) {
		switch {
		case msg.Role != schema.User || isShown(msg):
		case !strings.HasPrefix(msg.Content, rewritten):
			return i
		default:
			found = max(found, i)
		}
	}
	return found
}

// show returns what memory has for a request: the beginning of a turn, of which nothing is kept. With heard, the host has the conversation so far.
func (g *Graph) show(ctx context.Context, req Request, x *exchange, heard bool) ([]adk.Message, error) {
	ctx = state.ContextWithEffects(state.ContextWithTrace(ctx, nil), &state.Effects{})
	m := g.memory
	msg, err := m.Turn().Admit(ctx, x.scope, req.makeMessage())
	if err != nil {
		return nil, err
	}
	view, err := m.Turn().Load(ctx, state.Input{Scope: x.scope, Seq: msg.Seq})
	if err != nil {
		return nil, err
	}
	msg.Turn = x.turn
	view.Turn = []state.Message{msg}
	d, _, err := m.Turn().Judge(ctx, view, req.AskSmall)
	if err == nil {
		view, d, err = m.Turn().CarryOut(ctx, view, d)
	}
	if err != nil {
		return nil, err
	}
	in, err := m.Turn().Gather(ctx, view, d, g.c.Identity)
	if err != nil {
		return nil, err
	}
	if heard {
		in.History = nil
	}
	x.mu.Lock()
	x.view, x.in = view, in
	x.mu.Unlock()
	out, err := m.Turn().Compose(ctx, in)
	if err != nil {
		return nil, err
	}
	return nodes.Messages(out.Prompt[:len(out.Prompt)-1]), nil
}
