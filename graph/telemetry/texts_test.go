package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/embedding"
	"github.com/cloudwego/eino/components/indexer"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/telemetry"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// recorder is a handler that writes down all it is told, as JSON.
type recorder struct {
	mu    sync.Mutex
	told  strings.Builder
	reads sync.WaitGroup
}

func (r *recorder) write(what ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range what {
		body, err := json.Marshal(v)
		if err != nil {
			body = []byte(err.Error())
		}
		r.told.Write(append(body, '\n'))
	}
}

// text is what was told, once all streams are read.
func (r *recorder) text() string {
	r.reads.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told.String()
}

func (r *recorder) OnStart(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
	r.write(info, in)
	return ctx
}

func (r *recorder) OnEnd(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
	r.write(info, out)
	return ctx
}

func (r *recorder) OnError(ctx context.Context, info *callbacks.RunInfo, err error) context.Context {
	r.write(info, err.Error())
	return ctx
}

func (r *recorder) OnStartWithStreamInput(ctx context.Context, info *callbacks.RunInfo, in *schema.StreamReader[callbacks.CallbackInput]) context.Context {
	r.write(info)
	r.reads.Go(func() { read(r, in) })
	return ctx
}

func (r *recorder) OnEndWithStreamOutput(ctx context.Context, info *callbacks.RunInfo, out *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
	r.write(info)
	r.reads.Go(func() { read(r, out) })
	return ctx
}

func read[T any](r *recorder, s *schema.StreamReader[T]) {
	defer s.Close()
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			r.write(err.Error())
			return
		}
		r.write(chunk)
	}
}

// canary is in every text of these tests.
const canary = "Zebedee"

// heard runs something under two handlers, and returns what the one that is told all and the one without texts have been told.
func heard(t *testing.T, run func(ctx context.Context)) (all, without string) {
	t.Helper()
	plain, safe := &recorder{}, &recorder{}
	run(callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "host"}, plain, telemetry.OmitTexts(safe)))
	all, without = plain.text(), safe.text()
	if !strings.Contains(all, canary) || strings.Contains(without, canary) {
		t.Errorf("the handler itself is told:\n%s\nwithout texts it is told:\n%s", all, without)
	}
	return all, without
}

func keeps(t *testing.T, told string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(told, w) {
			t.Errorf("%s is not told:\n%s", w, told)
		}
	}
}

func TestTurnIsToldOmitTexts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		steps []scripted.Step
		texts int // how often the word is told by the handler itself, at least
		kept  []string
	}{
		"a tool that stores": {noted(), 8, []string{`"turn":"q1"`, `"Name":"memory_store"`, `"role":"user"`, `"PromptTokens":`, `bytes]`, `"call-1"`, `"Name":"recall"`}},
		"a tool that finds":  {[]scripted.Step{scripted.Call("memory_recall", `{"query":"Zebedee"}`), scripted.Say("It is Zebedee.")}, 8, []string{`"Name":"memory_recall"`}},
		"a model that fails": {[]scripted.Step{scripted.Fail(errors.New("no answer about Zebedee"))}, 4, []string{`"internal"`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, without := heard(t, func(ctx context.Context) {
				g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: scripted.New(tt.steps, nil)})
				must(t, err)
				_, err = g.Invoke(ctx, graph.Request{Text: "My canary is Zebedee.", MessageID: "q1"})
				if failed := g.Close(); failed != nil || (err != nil) != (len(tt.steps) == 1) {
					t.Fatal(err, failed)
				}
			})
			keeps(t, without, tt.kept...)
			if n := strings.Count(all, canary); n < tt.texts {
				t.Errorf("the handler itself is told the word %d times", n)
			}
		})
	}
}

// speaker streams an answer and a call in pieces, and may fail behind them.
type speaker struct {
	model.ToolCallingChatModel
	fails error
}

func (s speaker) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	reader, writer := schema.Pipe[*schema.Message](4)
	call := schema.ToolCall{ID: "c1", Function: schema.FunctionCall{Name: "look", Arguments: `{"for":"Zebedee"}`}}
	writer.Send(schema.AssistantMessage("It is Zebedee. ", nil), nil)
	writer.Send(&schema.Message{Role: schema.Assistant, ReasoningContent: "Zebedee?", ToolCalls: []schema.ToolCall{call}}, nil)
	writer.Send(&schema.Message{Role: schema.Assistant, ResponseMeta: &schema.ResponseMeta{FinishReason: "stop", Usage: &schema.TokenUsage{PromptTokens: 17}}}, s.fails)
	writer.Close()
	return reader, nil
}

func TestStreamIsToldOmitTexts(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]error{"to its end": nil, "that breaks off": errors.New("lost the line to Zebedee")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, without := heard(t, func(ctx context.Context) {
				chain, err := compose.NewChain[[]*schema.Message, *schema.Message]().AppendChatModel(speaker{fails: fails}).Compile(ctx)
				must(t, err)
				said, err := chain.Stream(ctx, []*schema.Message{schema.UserMessage("Who is Zebedee?")})
				must(t, err)
				defer said.Close()
				for err == nil {
					_, err = said.Recv()
				}
			})
			if keeps(t, without, `"look"`, `"c1"`, `"assistant"`, `[15 bytes]`); fails == nil {
				keeps(t, without, `"prompt_tokens":17`, `"stop"`)
			} else {
				keeps(t, without, `"internal"`)
			}
		})
	}
}

func TestValuesAreToldOmitTexts(t *testing.T) {
	t.Parallel()
	part := schema.MessageInputPart{Type: schema.ChatMessagePartTypeText, Text: canary}
	said := &schema.Message{Role: schema.User, Name: canary, UserInputMultiContent: []schema.MessageInputPart{part}, Extra: map[string]any{"x": canary}}
	doc := (&schema.Document{ID: "d1", Content: canary, MetaData: map[string]any{"x": canary}}).WithScore(0.5)
	extra, half := map[string]any{"x": canary}, 0.5
	tests := map[string]struct {
		value any
		kept  []string
	}{
		"text":               {canary, []string{"[7 bytes]"}},
		"message":            {said, []string{"[1 parts]"}},
		"messages":           {[]*schema.Message{said, nil}, []string{`"user"`, "null"}},
		"documents":          {[]*schema.Document{doc, nil}, []string{`"d1"`, "0.5"}},
		"a model's input":    {&model.CallbackInput{Messages: []*schema.Message{said}, Config: &model.Config{Model: "m1"}, Extra: extra}, []string{"m1"}},
		"a model's output":   {&model.CallbackOutput{Message: said, TokenUsage: &model.TokenUsage{TotalTokens: 17}, Extra: extra}, []string{"17"}},
		"a tool's input":     {&tool.CallbackInput{ArgumentsInJSON: canary, Extra: extra}, []string{"[7 bytes]"}},
		"a tool's output":    {&tool.CallbackOutput{Response: canary, ToolOutput: &schema.ToolResult{Parts: []schema.ToolOutputPart{{Text: canary}}}}, []string{"[7 bytes]"}},
		"a question":         {&retriever.CallbackInput{Query: canary, Filter: canary, TopK: 17, ScoreThreshold: &half}, []string{"17", "0.5"}},
		"what was found":     {&retriever.CallbackOutput{Docs: []*schema.Document{doc}, Extra: extra}, []string{`"d1"`}},
		"an embedder's":      {&embedding.CallbackOutput{TokenUsage: &embedding.TokenUsage{TotalTokens: 17}, Extra: extra}, []string{"17"}},
		"an indexer's":       {&indexer.CallbackInput{Docs: []*schema.Document{doc}}, []string{"[*indexer.CallbackInput]"}},
		"a type of a host's": {map[string]any{canary: canary}, []string{"[map[string]interface {}]"}},
		"nothing":            {nil, []string{"null"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{}
			telemetry.OmitTexts(r).OnEnd(t.Context(), &callbacks.RunInfo{Component: components.ComponentOfChatModel}, tt.value)
			if keeps(t, r.text(), tt.kept...); strings.Contains(r.text(), canary) {
				t.Errorf("told %s", r.text())
			}
		})
	}
}

// A handler that needs nothing of streams has none copied for it.
func TestWhatAHandlerNeedsIsAsked(t *testing.T) {
	t.Parallel()
	builder := callbacks.NewHandlerBuilder().OnEndFn(func(ctx context.Context, _ *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
		return ctx
	})
	checker, ok := telemetry.OmitTexts(builder.Build()).(callbacks.TimingChecker)
	if !ok || checker.Needed(t.Context(), nil, callbacks.TimingOnEndWithStreamOutput) || !checker.Needed(t.Context(), nil, callbacks.TimingOnEnd) {
		t.Errorf("needed: %t", ok)
	}
	if all := telemetry.OmitTexts(&recorder{}).(callbacks.TimingChecker); !all.Needed(t.Context(), nil, callbacks.TimingOnStart) {
		t.Error("a handler that does not say is not told")
	}
}
