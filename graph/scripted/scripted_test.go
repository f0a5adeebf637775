package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

func ask(text string) []*schema.Message { return []*schema.Message{schema.UserMessage(text)} }

// shown is an answer in one line: its text, then its calls.
func shown(m *schema.Message, err error) string {
	if err != nil {
		return "error " + string(state.CodeOf(err))
	}
	out := m.Content
	for _, c := range m.ToolCalls {
		out += fmt.Sprintf("[%s %s(%s)]", c.ID, c.Function.Name, c.Function.Arguments)
	}
	return out
}

func TestStepsInOrder(t *testing.T) {
	t.Parallel()
	rest := scripted.New([]scripted.Step{scripted.Say("from the fallback")}, nil)
	m := scripted.New([]scripted.Step{
		scripted.Call("memory_recall", `{"query":"díl"}`),
		scripted.Calls(state.ToolCall{Name: "a", Arguments: "{}"}, state.ToolCall{ID: "own", Name: "b", Arguments: "not JSON"}),
		scripted.Fail(state.Errorf(state.Unavailable, "model", "down")),
		scripted.Say("Dorazí 20. 2."),
	}, rest)
	want := []string{
		`[call-1 memory_recall({"query":"díl"})]`, `[call-1 a({})][own b(not JSON)]`, "error unavailable",
		"Dorazí 20. 2.", "from the fallback", "error not_found",
	}
	var got []string
	for range want {
		got = append(got, shown(m.Generate(t.Context(), ask("kdy?"))))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if n := len(m.Prompts()); n != len(want) || m.Left() != 0 {
		t.Errorf("got %d prompts and %d steps left, want %d and none", n, m.Left(), len(want))
	}
}

func TestCallIDsGoOnFromThePrompt(t *testing.T) {
	t.Parallel()
	m := scripted.New([]scripted.Step{scripted.Call("a", "{}"), scripted.Calls(state.ToolCall{Name: "b"}, state.ToolCall{Name: "c"})}, nil)
	prompt := ask("?")
	for _, want := range []string{"[call-1 a({})]", "[call-2 b()][call-3 c()]"} {
		out, err := m.Generate(t.Context(), prompt)
		if got := shown(out, err); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		prompt = append(prompt, out, schema.ToolMessage("ok", out.ToolCalls[0].ID))
	}
}

// A turn that is resumed in a new process gets the same list again.
func TestResumedTurn(t *testing.T) {
	t.Parallel()
	steps := []scripted.Step{scripted.Call("a", "{}"), scripted.Call("b", "{}"), scripted.Say("done")}
	before := scripted.New(steps, nil)
	prompt := []*schema.Message{schema.UserMessage("old"), schema.AssistantMessage("old answer", nil), schema.UserMessage("?")}
	first, err := before.Generate(t.Context(), prompt)
	must(t, err)
	prompt = append(prompt, first, schema.ToolMessage("ok", "call-1"))
	after := scripted.New(steps, nil)
	if got, want := shown(after.Generate(t.Context(), prompt)), "[call-2 b({})]"; got != want {
		t.Errorf("got %s, want %s: the answered step is not repeated", got, want)
	}
	if got := shown(after.Generate(t.Context(), prompt)); got != "done" {
		t.Errorf("got %s, want the next step: only the first prompt is looked at", got)
	}
}

func TestStreamEqualsGenerate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		step := scripted.Say(rapid.String().Draw(t, "text"))
		if rapid.Bool().Draw(t, "calls") {
			step = scripted.Call(rapid.String().Draw(t, "name"), rapid.String().Draw(t, "args"))
		}
		in := ask("?")
		whole, err := scripted.New([]scripted.Step{step}, nil).Generate(context.Background(), in)
		must(t, err)
		r, err := scripted.New([]scripted.Step{step}, nil).Stream(context.Background(), in)
		must(t, err)
		joined, err := schema.ConcatMessageStream(r)
		must(t, err)
		if diff := cmp.Diff(whole, joined); diff != "" {
			t.Errorf("stream (-whole +joined):\n%s", diff)
		}
	})
}

func TestStreamPassesErrorsAndFallback(t *testing.T) {
	t.Parallel()
	boom := state.Errorf(state.Unavailable, "model", "down")
	m := scripted.New([]scripted.Step{scripted.Fail(boom)}, scripted.New([]scripted.Step{scripted.Say("x")}, nil))
	if _, err := m.Stream(t.Context(), ask("?")); !errors.Is(err, boom) {
		t.Errorf("got %v, want the scripted error", err)
	}
	r, err := m.Stream(t.Context(), ask("?"))
	must(t, err)
	if out, err := schema.ConcatMessageStream(r); shown(out, err) != "x" {
		t.Errorf("got %s, want the fallback's answer", shown(out, err))
	}
}

func TestToolsGoToTheFallback(t *testing.T) {
	t.Parallel()
	offering := &asked{}
	m := scripted.New([]scripted.Step{scripted.Say("a"), scripted.Say("b")}, offering)
	bound, err := m.WithTools([]*schema.ToolInfo{{Name: "memory_store"}})
	must(t, err)
	for _, c := range []struct {
		m    model.BaseChatModel
		want string
	}{{m, "a"}, {bound, "b"}, {bound, "tools: 1"}, {m, "tools: 0"}} {
		if got := shown(c.m.Generate(t.Context(), ask("?"))); got != c.want {
			t.Errorf("got %q, want %q: both take from one list", got, c.want)
		}
	}
	if _, err := scripted.New(nil, nil).WithTools(nil); err != nil {
		t.Errorf("without a fallback: %v", err)
	}
	offering.err = state.ErrInvalid
	if _, err := m.WithTools(nil); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("got %v, want the fallback's error", err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	const n = 50
	var steps []scripted.Step
	for i := range n {
		steps = append(steps, scripted.Say(fmt.Sprint(i)))
	}
	m := scripted.New(steps, nil)
	got := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { got[i] = shown(m.Generate(context.Background(), ask("?"))) })
	}
	wg.Wait()
	slices.Sort(got)
	if len(slices.Compact(got)) != n || len(m.Prompts()) != n {
		t.Errorf("got %d different answers and %d prompts, want %d", len(slices.Compact(got)), len(m.Prompts()), n)
	}
}

func TestPromptsAreCopies(t *testing.T) {
	t.Parallel()
	m := scripted.New([]scripted.Step{scripted.Say("a")}, nil)
	in := append(ask("before"), nil)
	if _, err := m.Generate(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	in[0].Content = "after"
	if got := m.Prompts()[0][0].Content; got != "before" {
		t.Errorf("got %q, want the prompt as it was", got)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := scripted.New([]scripted.Step{scripted.Say("a")}, nil)
	small := scripted.Background(map[string]any{"detect": "x"}, nil)
	_, chatErr := m.Generate(ctx, ask("?"))
	_, smallErr := small.Generate(ctx, ask("Task: detect"))
	for _, err := range []error{chatErr, smallErr} {
		if !errors.Is(err, context.Canceled) || !errors.Is(err, state.ErrUnavailable) {
			t.Errorf("got %v, want Unavailable and Canceled", err)
		}
	}
	if m.Left() != 1 {
		t.Error("a cancelled call took a step")
	}
}

func TestBackground(t *testing.T) {
	t.Parallel()
	type detected struct {
		Type   string  `json:"type"`
		Target *string `json:"target_affair"`
	}
	small := scripted.Background(map[string]any{
		"detect":  detected{Type: "AD_HOC"},
		"park":    map[string]any{"summary": "s", "pending_actions": []any{"sledovat doručení"}},
		"summary": "```json\n{broken",
		"title":   "",
		"judge":   func() {},
	}, []string{"extract", "park"})
	tests := []struct{ prompt, want string }{
		{"Task: detect\n\nmore", `{"type":"AD_HOC","target_affair":null}`},
		{"Task:  summary \r\n", "```json\n{broken"},
		{"Task: title", ""},
		{"Task: park", "error unavailable"},
		{"Task: extract", "error unavailable"},
		{"Task: duplicate", "error not_found"},
		{"Task: judge", "error invalid"},
		{"no task", "error not_found"},
	}
	var tasks []string
	for _, tc := range tests {
		if got := shown(small.Generate(t.Context(), ask(tc.prompt))); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.prompt, got, tc.want)
		}
		tasks = append(tasks, scripted.TaskOf(ask(tc.prompt)))
	}
	if got := small.Asked(); !slices.Equal(got, tasks) {
		t.Errorf("asked %q, want %q", got, tasks)
	}
	for task, want := range map[string]bool{"detect": true, "extract": true, "duplicate": false, "": false} {
		if got := small.Has(task); got != want {
			t.Errorf("Has(%q) = %v, want %v", task, got, want)
		}
	}
	r, err := small.Stream(t.Context(), ask("Task: detect"))
	must(t, err)
	if out, err := schema.ConcatMessageStream(r); shown(out, err) != tests[0].want {
		t.Errorf("stream: got %q", shown(out, err))
	}
	if _, err := small.Stream(t.Context(), nil); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("no message: got %v, want NotFound", err)
	}
}

// The graph raises callbacks for models that do not.
func TestCallbacksAreTheCallers(t *testing.T) {
	t.Parallel()
	if components.IsCallbacksEnabled(scripted.New(nil, nil)) || components.IsCallbacksEnabled(scripted.Background(nil, nil)) {
		t.Error("scripted models raise no callbacks")
	}
}

// asked is a model that says how many tools it was offered.
type asked struct {
	tools int
	err   error
}

func (a *asked) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	return schema.AssistantMessage(fmt.Sprintf("tools: %d", a.tools), nil), nil
}

func (a *asked) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m, err := a.Generate(ctx, in, opts...)
	return schema.StreamReaderFromArray([]*schema.Message{m}), err
}

func (a *asked) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	return &asked{tools: len(tools)}, a.err
}

func TestSilenceEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := scripted.Background(map[string]any{"park": "Parked."}, nil).Silence("extract")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		got := shown(m.Generate(ctx, ask("Task: extract\nsay")))
		if took := time.Since(began); got != "error unavailable" || took != time.Minute || !m.Has("extract") {
			t.Errorf("got %q after %s, want an unavailable after a minute", got, took)
		}
		if got := shown(m.Generate(t.Context(), ask("Task: park\nsay"))); got != "Parked." {
			t.Errorf("another task: got %q, want its answer", got)
		}
	})
}

var must = statetest.Must
