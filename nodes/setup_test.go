package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/tools"
)

// bench runs nodes without a graph: each run gets effects of its own, which ride until the next commit.
type bench struct {
	store  *ram.Store
	memory *memory.Memory
	now    func() time.Time
	trace  *state.Trace

	mu      sync.Mutex
	events  []state.Event
	riding  []state.Effect
	commits int
	durable state.Turn // as the last commit left it: what a resumed turn starts from
}

func setup(t *testing.T, change func(*state.Settings)) *bench {
	t.Helper()
	at := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	b := &bench{store: ram.New(), trace: &state.Trace{}, now: func() time.Time { return at }}
	settings := state.DefaultSettings()
	if change != nil {
		change(&settings)
	}
	var ids atomic.Int64
	var err error
	b.memory, err = memory.New(memory.Config{
		Store: b.store, Settings: settings, Now: b.now, NewID: func() string { return fmt.Sprintf("id%d", ids.Add(1)) },
	})
	must(t, err)
	return b
}

func scope() state.Scope { return state.Scope{Client: "c1", User: "u1", Session: "s1", Agent: "main"} }

// begin is a turn as the graph starts it.
func begin(msg state.Message) state.Turn {
	var turn state.Turn
	turn.Input.Set(state.Input{Scope: scope(), Turn: "t1"})
	turn.View.Set(state.View{Turn: []state.Message{msg}})
	return turn
}

// commit is the CommitFunc: what was decided so far becomes durable.
func (b *bench) commit(ctx context.Context, t state.Turn) (state.Turn, error) {
	effects := slices.Concat(b.riding, state.EffectsFrom(ctx).Take())
	b.riding = nil
	if err := checkpointtest.Append(ctx, b.store, b.memory.Turn().Commits(), effects...); err != nil {
		return t, err
	}
	b.commits++
	b.durable = t
	return t, nil
}

// run runs nodes one after the other; the effects of each ride.
func (b *bench) run(ctx context.Context, turn state.Turn, list ...nodes.Func) (state.Turn, error) {
	for _, node := range list {
		effects := &state.Effects{}
		ctx := state.ContextWithTrace(state.ContextWithEffects(ctx, effects), b.trace)
		ctx = state.ContextWithEvents(ctx, func(e state.Event) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.events = append(b.events, e)
		})
		var err error
		if turn, err = node(ctx, turn); err != nil {
			return turn, err
		}
		b.riding = append(b.riding, effects.Take()...)
	}
	return turn, nil
}

// arrive runs a turn up to respond: the message is kept, the view loaded, the decision taken.
func (b *bench) arrive(ctx context.Context, t *testing.T, text string) state.Turn {
	t.Helper()
	keep := func(ctx context.Context, turn state.Turn) (state.Turn, error) { return b.commit(ctx, turn) }
	turn, err := b.run(ctx, begin(state.Message{Text: text}),
		nodes.Intake(b.memory), keep, nodes.MemoryLoad(b.memory), nodes.ContextDetect(b.memory, b.commit))
	must(t, err)
	return turn
}

// respond answers a message with the memory tools and those given.
func (b *bench) respond(ctx context.Context, t *testing.T, chat model.ToolCallingChatModel, more ...tool.InvokableTool) (state.Turn, error) {
	t.Helper()
	turn := b.arrive(ctx, t, "I ordered brake pads for the Jeep, order number 07-14244-53150.")
	return b.run(ctx, turn, nodes.Respond(b.config(chat, more...)))
}

func (b *bench) config(chat model.ToolCallingChatModel, more ...tool.InvokableTool) nodes.RespondConfig {
	return nodes.RespondConfig{
		Memory: b.memory, Model: chat, Tools: append(tools.New(b.memory), more...), System: "Be brief.", Now: b.now, Commit: b.commit,
	}
}

// names are the events so far, without those whose name is in without.
func (b *bench) names(without ...state.EventName) []string {
	var out []string
	for _, e := range b.events {
		if !slices.Contains(without, e.Name) {
			out = append(out, string(e.Name))
		}
	}
	return out
}

// lines are a turn's messages after the user's, short.
func lines(turn state.Turn) []string {
	var out []string
	for _, m := range turn.View.Get().Turn[1:] {
		line := fmt.Sprintf("%d %s %s", m.Seq, m.Role, m.Text)
		for _, c := range m.ToolCalls {
			line += fmt.Sprintf("%s[%s]%s", c.Name, c.ID, c.Arguments)
		}
		if m.ToolCallID != "" {
			line += " <" + m.ToolCallID
		}
		out = append(out, line)
	}
	return out
}

// handmade is a tool made of a function.
type handmade struct {
	name string
	run  func(ctx context.Context, args string) (string, error)
}

func (h handmade) Info(context.Context) (*schema.ToolInfo, error) {
	if h.name == "" {
		return nil, errors.New("no name")
	}
	return &schema.ToolInfo{Name: h.name, Desc: "A tool of a test."}, nil
}

func (h handmade) InvokableRun(ctx context.Context, args string, _ ...tool.Option) (string, error) {
	return h.run(ctx, args)
}

// streaming is a tool made of a function that streams.
type streaming struct {
	name string
	run  func(ctx context.Context, w *schema.StreamWriter[string])
}

func (s streaming) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: s.name}, nil
}

func (s streaming) StreamableRun(ctx context.Context, _ string, _ ...tool.Option) (*schema.StreamReader[string], error) {
	r, w := schema.Pipe[string](1)
	go func() {
		defer w.Close()
		s.run(ctx, w)
	}()
	return r, nil
}

// chat is a chat model made of a function; it notes which tools it was given with each call.
type chat struct {
	answer func(ctx context.Context, nth int) (*schema.StreamReader[*schema.Message], error)
	calls  *[][]string
	tools  []string
}

func newChat(answer func(ctx context.Context, nth int) (*schema.StreamReader[*schema.Message], error)) *chat {
	return &chat{answer: answer, calls: &[][]string{}}
}

// following is a chat that answers as the scripted model does.
func following(m *scripted.Model) *chat {
	return newChat(func(ctx context.Context, _ int) (*schema.StreamReader[*schema.Message], error) {
		return m.Stream(ctx, []*schema.Message{schema.UserMessage("x")})
	})
}

func (c *chat) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	return nil, errors.New("respond streams")
}

func (c *chat) Stream(ctx context.Context, _ []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	*c.calls = append(*c.calls, c.tools)
	return c.answer(ctx, len(*c.calls))
}

func (c *chat) WithTools(infos []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	bound := *c
	bound.tools = nil
	for _, i := range infos {
		bound.tools = append(bound.tools, i.Name)
	}
	return &bound, nil
}

// says is a stream of chunks.
func says(chunks ...*schema.Message) func(context.Context, int) (*schema.StreamReader[*schema.Message], error) {
	return func(context.Context, int) (*schema.StreamReader[*schema.Message], error) {
		return schema.StreamReaderFromArray(chunks), nil
	}
}

// calling is an answer that calls tools, which are named by their calls' ids up to a dot: "pay.2" calls pay.
func calling(ids ...string) scripted.Step {
	var calls []state.ToolCall
	for _, id := range ids {
		name, _, _ := strings.Cut(id, ".")
		calls = append(calls, state.ToolCall{ID: id, Name: name, Arguments: "{}"})
	}
	return scripted.Calls(calls...)
}

// kept are the messages that are durable, as "number role text".
func (b *bench) kept(t *testing.T) (out []string) {
	t.Helper()
	messages, err := b.memory.Messages(t.Context(), scope())
	must(t, err)
	for _, m := range messages[1:] {
		out = append(out, fmt.Sprintf("%d %s %s", m.Seq, m.Role, m.Text))
	}
	return out
}

// script is a scripted model without a fallback.
func script(steps ...scripted.Step) *scripted.Model { return scripted.New(steps, nil) }

var must, same = statetest.Must, statetest.Same
