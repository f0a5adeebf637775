package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a store with a clock and ids of its own; graphs over one world are the lives of one process.
type world struct {
	store store.Store

	clock func() time.Time
	pass  func(time.Duration)
	newID func() string
}

func newWorld() *world {
	c := &statetest.Clock{At: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)}
	return &world{store: ram.New(), clock: c.Now, pass: c.Pass, newID: c.NewID}
}

// open builds a graph over the world's store, with the offline model unless change gives another.
func (w *world) open(t *testing.T, change func(*graph.Config)) *graph.Graph {
	t.Helper()
	c := graph.Config{Store: w.store, Now: w.clock, NewID: w.newID}
	if change != nil {
		change(&c)
	}
	if c.Model == nil {
		c.Model = offline.New()
	}
	g, err := graph.New(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return g
}

// says opens a graph whose chat model follows a script, then fails.
func (w *world) says(t *testing.T, steps ...scripted.Step) (*graph.Graph, *scripted.Model) {
	t.Helper()
	m := scripted.New(steps, nil)
	return w.open(t, func(c *graph.Config) { c.Model = m }), m
}

// leaves are settings with which a turn stays unfinished when its caller gives up, as one does whose process dies.
func leaves() state.Settings {
	s := state.DefaultSettings()
	s.OnCancel = state.ResumeOnCancel
	return s
}

// invoke runs a turn that must succeed.
func invoke(t *testing.T, g *graph.Graph, req graph.Request) graph.Reply {
	t.Helper()
	r, err := g.Invoke(t.Context(), req)
	if err != nil {
		t.Fatalf("turn %q: %v", req.Text, err)
	}
	return r
}

// scope is the default scope.
func scope() state.Scope { return state.Scope{}.Default() }

// judges is a small model that gives one answer to detect.
func judges(kind state.Kind, target, title string) *scripted.Small {
	return scripted.Background(map[string]any{"detect": map[string]any{
		"type": kind, "target_affair": target, "new_affair_title": title, "confidence": 0.95, "reasoning": "scripted",
	}}, nil)
}

// ask is a request judged by a small model.
func ask(text string, kind state.Kind, target, title string) graph.Request {
	return graph.Request{Text: text, SmallModel: judges(kind, target, title), AskSmall: true}
}

// code fails the test when err has another code; it returns the error's text.
func code(t *testing.T, err error, want state.Code) string {
	t.Helper()
	if got := state.CodeOf(err); got != want {
		t.Fatalf("error code: want %q, got %q (%v)", want, got, err)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// titles are the titles of affairs.
func titles(affairs []*state.Affair) []string {
	out := []string{}
	for _, a := range affairs {
		out = append(out, a.Title)
	}
	return out
}

// title is the title of an affair, "" for none.
func title(a *state.Affair) string {
	if a == nil {
		return ""
	}
	return a.Title
}

// kept are the session's messages as the store has them, short.
func kept(t *testing.T, g *graph.Graph, s state.Scope) []string {
	t.Helper()
	list, err := g.Memory().Messages(t.Context(), s)
	must(t, err)
	out := []string{}
	for _, m := range list {
		line := fmt.Sprintf("%d %s %s", m.Seq, m.Role, m.Text)
		for _, c := range m.ToolCalls {
			line += "->" + c.Name
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
	return &schema.ToolInfo{Name: h.name, Desc: "A tool of a test."}, nil
}

func (h handmade) InvokableRun(ctx context.Context, args string, _ ...tool.Option) (string, error) {
	return h.run(ctx, args)
}

// actor is a chat model without a memory of its own: what it says depends on the prompt alone, so that it can be
// asked again after a crash. By part of the question, it has the answers of the turn in order.
type actor struct {
	lines map[string][]*schema.Message

	mu    sync.Mutex
	asked map[string]int // "question/answer number" -> how often
}

func (a *actor) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return a, nil }

func (a *actor) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	return nil, errors.New("respond streams")
}

func (a *actor) Stream(_ context.Context, prompt []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	question, n := "", 0
	for _, m := range prompt {
		switch m.Role {
		case schema.User:
			question, n = m.Content, 0
		case schema.Assistant:
			n++
		}
	}
	key, at := "", -1
	for part := range a.lines {
		if i := strings.LastIndex(question, part); i > at {
			key, at = part, i
		}
	}
	if key == "" || n >= len(a.lines[key]) {
		return nil, fmt.Errorf("there is no answer %d to %q", n+1, question)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked[fmt.Sprintf("%s/%d", key, n+1)]++
	return schema.StreamReaderFromArray([]*schema.Message{a.lines[key][n]}), nil
}

// calls is an answer that asks for tools, given as name and arguments in turn.
func calls(pairs ...string) *schema.Message {
	m := schema.AssistantMessage("", nil)
	for i := 0; i < len(pairs); i += 2 {
		m.ToolCalls = append(m.ToolCalls, schema.ToolCall{ID: fmt.Sprintf("c%d", i/2+1), Function: schema.FunctionCall{Name: pairs[i], Arguments: pairs[i+1]}})
	}
	return m
}

// values are facts without the time of which they are.
func values(facts state.Facts) []string {
	var out []string
	for _, f := range facts {
		out = append(out, "{"+f.Label+" "+f.Value+"}")
	}
	return out
}

var must, same = statetest.Must, statetest.Same
