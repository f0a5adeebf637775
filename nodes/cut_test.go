package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
)

// piped is a stream that says some chunks and then nothing more; said runs when they have been taken.
func piped(said func(), chunks ...*schema.Message) stream {
	r, w := schema.Pipe[*schema.Message](0)
	go func() {
		for _, c := range append(chunks, &schema.Message{Role: schema.Assistant}) { // who asks for the last one has taken the others
			w.Send(c, nil)
		}
		said()
	}()
	return r
}

// A turn that is stopped while the model answers keeps what had come, whether or not the model heeds its context.
func TestStopWhileTheModelAnswers(t *testing.T) {
	t.Parallel()
	newer := state.Errorf(state.Conflict, "turn", "ended without an answer: a newer message came")
	for _, c := range []struct {
		name   string
		reason error
		chunks []*schema.Message
		heeds  bool
		want   []string
		code   state.Code
	}{
		{"text had come", newer, []*schema.Message{schema.AssistantMessage("It will ", nil), schema.AssistantMessage("take", nil)}, false,
			[]string{"2 assistant It will take"}, state.Conflict},
		{"text and a call had come", context.DeadlineExceeded, []*schema.Message{
			schema.AssistantMessage("Wait.", []schema.ToolCall{{ID: "a", Function: schema.FunctionCall{Name: "list_affairs"}}}),
		}, false, []string{"2 assistant Wait."}, state.Unavailable},
		{"nothing had come", newer, nil, true, nil, state.Conflict},
		{"a call had come", newer, []*schema.Message{
			schema.AssistantMessage("", []schema.ToolCall{{ID: "a", Function: schema.FunctionCall{Name: "list_affairs"}}}),
		}, false, nil, state.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, stop := setup(t, nil), state.NewStop()
			m := newChat(func(ctx context.Context, _ int) (stream, error) {
				if c.heeds {
					stop.Now(c.reason)
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return piped(func() { stop.Now(c.reason) }, c.chunks...), nil
			})
			turn, err := b.respond(state.ContextWithStop(t.Context(), stop), t, m)
			must(t, err)
			same(t, "messages", c.want, lines(turn))
			if f := turn.Failure.Get(); f.Code != c.code || !strings.Contains(f.Text, c.reason.Error()) {
				t.Errorf("failure %+v, want %s with %q", f, c.code, c.reason)
			}
			for _, msg := range turn.View.Get().Turn[1:] {
				if !msg.Cut {
					t.Errorf("message %d is not marked as cut", msg.Seq)
				}
			}
			if calls := turn.Usage.Get().ModelCalls; calls != len(c.want) {
				t.Errorf("%d calls are charged for %d answers", calls, len(c.want))
			}
		})
	}
}

// A turn that was stopped before it came here asks nobody and runs nothing.
func TestStoppedBeforeRespond(t *testing.T) {
	t.Parallel()
	b, stop := setup(t, nil), state.NewStop()
	m := script(scripted.Calls(state.ToolCall{ID: "a", Name: "run"}, state.ToolCall{ID: "b", Name: "run"}))
	ran := 0
	run := handmade{"run", func(context.Context, string) (string, error) { ran++; return "", nil }}
	config := b.config(m, run)
	turn := b.arrive(t.Context(), t, "Hello!")
	config.Commit = func(ctx context.Context, t state.Turn) (state.Turn, error) { // between the answer and its calls
		stop.Now(errors.New("enough"))
		return b.commit(ctx, t)
	}
	turn, err := b.run(state.ContextWithStop(t.Context(), stop), turn, nodes.Respond(config))
	must(t, err)
	cut := "error: the turn was cut short before this call was over"
	want := []string{"2 assistant run[a]run[b]", "3 tool " + cut + " <a", "4 tool " + cut + " <b"}
	if diff := cmp.Diff(want, lines(turn)); diff != "" || ran > 0 || turn.Failure.Get().Code != state.Unavailable {
		t.Errorf("%d ran, failure %+v, messages (-want +got):\n%s", ran, turn.Failure.Get(), diff)
	}
}

// A model that does not heed its context does not hold the turn; Close waits for it, within bounds.
func TestAModelThatIsLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, stop, leave := setup(t, nil), state.NewStop(), make(chan struct{})
		m := newChat(func(context.Context, int) (stream, error) {
			stop.Now(errors.New("the caller went away"))
			<-leave
			return says(schema.AssistantMessage("Too late.", nil))(t.Context(), 1)
		})
		config := b.config(m)
		config.Calls = &nodes.Calls{}
		turn := b.arrive(t.Context(), t, "Hello!")
		turn, err := b.run(state.ContextWithStop(t.Context(), stop), turn, nodes.Respond(config))
		if err != nil || len(lines(turn)) > 0 || !turn.Failure.IsSet() || config.Calls.Open() != 1 {
			t.Errorf("%v, %v, failure %+v, %d at work", lines(turn), err, turn.Failure.Get(), config.Calls.Open())
		}
		began := time.Now()
		if err := config.Calls.Close(); state.CodeOf(err) != state.Unavailable || time.Since(began) != 5*time.Second {
			t.Errorf("Close after %s: %v", time.Since(began), err)
		}
		close(leave)
		if err := config.Calls.Close(); err != nil {
			t.Errorf("Close of what has ended: %v", err)
		}
	})
}

// What a model streams is bounded, and what says nothing is not kept.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 1<<20)
	call := func(n int, args string) *schema.Message {
		m := schema.AssistantMessage("", nil)
		for i := range n {
			m.ToolCalls = append(m.ToolCalls, schema.ToolCall{ID: fmt.Sprint(i), Function: schema.FunctionCall{Name: "list_affairs", Arguments: args}})
		}
		return m
	}
	image := &schema.Message{Role: schema.Assistant, AssistantGenMultiContent: []schema.MessageOutputPart{
		{Type: schema.ChatMessagePartTypeImageURL, Image: &schema.MessageOutputImage{MessagePartCommon: schema.MessagePartCommon{Base64Data: &big}}},
	}}
	for _, c := range []struct {
		name  string
		chunk *schema.Message
		times int
		says  string // "" = it is an answer
	}{
		{"text", schema.AssistantMessage(big, nil), 5, "answered more than 4194304 bytes of text"},
		{"reasoning", &schema.Message{Role: schema.Assistant, ReasoningContent: big}, 5, "answered more than"},
		{"arguments", call(1, big), 5, "answered more than"},
		{"images", image, 33, "33554432 of media"},
		{"calls", call(129, ""), 1, "called 129 tools in one answer, at most 128 are run"},
		{"calls one by one", call(1, ""), 5000, "at most 128 are run"},
		{"nothing, often", &schema.Message{Role: schema.Assistant}, 100_000, ""},
		{"a letter, often", schema.AssistantMessage("x", nil), 20_000, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			m := newChat(func(context.Context, int) (stream, error) {
				r, w := schema.Pipe[*schema.Message](8)
				go func() {
					defer w.Close()
					for range c.times {
						if w.Send(c.chunk, nil) {
							return
						}
					}
				}()
				return r, nil
			})
			turn, err := b.respond(t.Context(), t, m)
			must(t, err)
			f := turn.Failure.Get()
			if c.says == "" && (f.Text != "" || len(lines(turn)) != 1 || len(turn.View.Get().Turn[1].Text) != len(c.chunk.Content)*c.times) {
				t.Errorf("want one answer, got %d messages and the failure %q", len(lines(turn)), f.Text)
			}
			if c.says != "" && (f.Code != state.Unavailable || !strings.Contains(f.Text, c.says) || len(lines(turn)) > 0) {
				t.Errorf("want %q, got %+v and %d messages", c.says, f, len(lines(turn)))
			}
		})
	}
}

// Callbacks of the model tell what was charged.
func TestCallbacksTellTheUsage(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []*model.TokenUsage
	handler := callbacks.NewHandlerBuilder().OnEndFn(func(ctx context.Context, _ *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
		if m := model.ConvCallbackOutput(out); m != nil { // nothing else that is heard is a model's
			mu.Lock()
			defer mu.Unlock()
			got = append(got, m.TokenUsage)
		}
		return ctx
	}).Build()
	b := setup(t, nil)
	turn, err := b.respond(callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "test"}, handler), t, script(scripted.Say("Hello there.")))
	u := turn.Usage.Get()
	if err != nil || len(got) != 1 || got[0] == nil || got[0].PromptTokens != u.PromptTokens || got[0].TotalTokens != u.PromptTokens+u.CompletionTokens {
		t.Errorf("heard %+v, charged %+v, %v", got, u, err)
	}
}
