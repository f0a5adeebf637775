package poison_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// lines reads a file of lines with so many fields each.
func lines(t *testing.T, name string, fields int) (out [][]string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	must(t, err)
	for n, line := range strings.Split(string(raw), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "|")
		for i := 0; i+1 < len(f); i++ { // two bars side by side are part of a field
			if f[i+1] == "" && i+2 < len(f) {
				f[i] += "||" + f[i+2]
				f = append(f[:i+1], f[i+3:]...)
			}
		}
		if len(f) != fields {
			t.Fatalf("%s:%d: %d fields, not %d: %q", name, n+1, len(f), fields, f)
		}
		for i := range f {
			f[i] = strings.ReplaceAll(strings.TrimSpace(f[i]), `\n`, "\n")
		}
		out = append(out, f)
	}
	return out
}

// letters are those of a text alone, in lower case, as two texts are compared whatever layout and hidden signs are between.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// otherAgent is an agent besides the one that is attacked.
const otherAgent = "dexter"

// gullible is a small model that answers as it is told to once it is shown a mark, and nothing else before.
type gullible struct {
	mark string
	says model.BaseChatModel
}

// Generate answers.
func (g *gullible) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	for _, msg := range in {
		if strings.Contains(letters(msg.Content), letters(g.mark)) {
			return g.says.Generate(ctx, in, opts...)
		}
	}
	return schema.AssistantMessage("I cannot tell.", nil), nil
}

// Stream answers.
func (g *gullible) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := g.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	return offline.Chunks(out), nil
}

// world is one user with a memory, a tool that reads pages, and a model.
type world struct {
	g     *graph.Graph
	actor *actor

	mu    sync.Mutex
	now   time.Time
	ids   int
	pages []string // what the tool reads next
}

func open(t *testing.T, small model.BaseChatModel) *world {
	t.Helper()
	w := &world{now: time.Date(2026, 2, 15, 9, 0, 0, 0, time.UTC)}
	w.actor = &actor{}
	var err error
	w.g, err = graph.New(t.Context(), graph.Config{
		Store: ram.New(), Model: w.actor, SmallModel: small, Tools: []tool.InvokableTool{page{w}},
		Agents: []state.Agent{{Name: otherAgent, Role: "keeps the books"}}, Now: w.clock, NewID: func() string {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.ids++
			return fmt.Sprintf("id%04d", w.ids)
		},
	})
	must(t, err)
	t.Cleanup(func() { must(t, w.g.Close()) })
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(time.Second)
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// turn plays one; act tells what the model calls when it is asked for the first time, the second time and so on.
func (w *world) turn(t *testing.T, session, text string, change func(*graph.Request), act ...func(prompt []*schema.Message) []schema.ToolCall) graph.Reply {
	t.Helper()
	w.actor.begin(act)
	req := graph.Request{Scope: state.Scope{Session: session}, Text: text}
	if change != nil {
		change(&req)
	}
	r, err := w.g.Invoke(t.Context(), req)
	if err != nil {
		t.Fatalf("turn %q: %v", text, err)
	}
	return r
}

// page is a tool of the host that reads a page.
type page struct{ w *world }

func (p page) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: "read_page", Desc: "Read a page", ParamsOneOf: schema.NewParamsOneOfByParams(map[string]*schema.ParameterInfo{})}, nil
}

func (p page) InvokableRun(context.Context, string, ...tool.Option) (string, error) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if len(p.w.pages) == 0 {
		return "nothing there", nil
	}
	next := p.w.pages[0]
	p.w.pages = p.w.pages[1:]
	return next, nil
}

// reads makes the model read so many pages.
func (w *world) reads(pages ...string) func([]*schema.Message) []schema.ToolCall {
	return func([]*schema.Message) []schema.ToolCall {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.pages = pages
		var out []schema.ToolCall
		for range pages {
			out = append(out, call("read_page", "{}"))
		}
		return out
	}
}

func call(name, args string) schema.ToolCall {
	return schema.ToolCall{Function: schema.FunctionCall{Name: name, Arguments: args}}
}

// actor is a chat model that does as it is told, and keeps what it was shown.
type actor struct {
	mu     sync.Mutex
	acts   []func([]*schema.Message) []schema.ToolCall
	says   string
	ids    int
	prompt []*schema.Message
}

var _ model.ToolCallingChatModel = (*actor)(nil)

func (a *actor) begin(acts []func([]*schema.Message) []schema.ToolCall) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.acts = acts
}

func (a *actor) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return a, nil }

func (a *actor) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prompt = in
	for len(a.acts) > 0 {
		act := a.acts[0]
		a.acts = a.acts[1:]
		if calls := act(in); len(calls) > 0 {
			for i := range calls {
				a.ids++
				calls[i].ID = fmt.Sprintf("c%d", a.ids)
			}
			return schema.AssistantMessage("", calls), nil
		}
	}
	says := a.says
	if says == "" {
		says = "Done."
	}
	return schema.AssistantMessage(says, nil), nil
}

func (a *actor) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := a.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	return offline.Chunks(out), nil
}

var must = statetest.Must
