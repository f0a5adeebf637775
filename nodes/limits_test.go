package nodes_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// An answer that comes steadily and never ends is given up after answer_timeout.
func TestAnEndlessAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, func(s *state.Settings) { s.AnswerTimeout = 5 * time.Second })
		m := newChat(func(ctx context.Context, _ int) (stream, error) {
			r, w := schema.Pipe[*schema.Message](1)
			go func() {
				defer w.Close()
				for ctx.Err() == nil {
					select {
					case <-time.After(time.Second):
						w.Send(schema.AssistantMessage("word ", nil), nil)
					case <-ctx.Done():
					}
				}
			}()
			return r, nil
		})
		turn, err := b.respond(t.Context(), t, m)
		must(t, err)
		if f := turn.Failure.Get(); f.Code != state.Unavailable || !strings.Contains(f.Text, "answer_timeout") {
			t.Errorf("failure %+v, want an unavailable that names answer_timeout", f)
		}
		synctest.Wait()
	})
}

// Without a setting too: keep-alives, which wind up the watch over silence, do not make an answer longer than its time.
func TestAnAnswerHasAnEndByDefault(t *testing.T) {
	t.Parallel()
	for name, alive := range map[string]*schema.Message{
		"empty chunks": schema.AssistantMessage("", nil), "words": schema.AssistantMessage("word ", nil), "thoughts": {Role: schema.Assistant, ReasoningContent: "hm "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, begun := setup(t, nil), time.Now()
				m := newChat(func(ctx context.Context, _ int) (stream, error) {
					r, w := schema.Pipe[*schema.Message](1)
					go func() {
						defer w.Close()
						for ctx.Err() == nil {
							select {
							case <-time.After(time.Minute):
								w.Send(alive, nil)
							case <-ctx.Done():
							}
						}
					}()
					return r, nil
				})
				turn, err := b.respond(t.Context(), t, m)
				must(t, err)
				if f, took := turn.Failure.Get(), time.Since(begun); f.Code != state.Unavailable || !strings.Contains(f.Text, "answer_timeout") || took != 10*time.Minute {
					t.Errorf("failure %+v after %s, want an unavailable that names answer_timeout after ten minutes", f, took)
				}
				synctest.Wait()
			})
		})
	}
}

// A model that calls tools without end is asked no more when the turn has used its tokens. What it said stays.
func TestTokensOfATurn(t *testing.T) {
	t.Parallel()
	b, asked := setup(t, func(s *state.Settings) { s.TurnTokens = 1000 }), 0
	m := newChat(func(ctx context.Context, nth int) (stream, error) {
		asked++
		return says(&schema.Message{
			Role: schema.Assistant, ToolCalls: []schema.ToolCall{{ID: "c", Function: schema.FunctionCall{Name: "list_affairs", Arguments: "{}"}}},
			ResponseMeta: &schema.ResponseMeta{Usage: &schema.TokenUsage{PromptTokens: 400, CompletionTokens: 200}},
		})(ctx, nth)
	})
	turn, err := b.respond(t.Context(), t, m)
	must(t, err)
	if f := turn.Failure.Get(); f.Code != state.Denied || !strings.Contains(f.Text, "1200 tokens, at most 1000") || asked != 2 {
		t.Errorf("failure %+v after %d answers, want a denied after two", f, asked)
	}
}

// An answer that ends at the provider's limit is said to.
func TestAFullAnswerIsNoted(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"length", "max_tokens", "MAX_TOKENS", "stop"} {
		b := setup(t, nil)
		m := newChat(says(&schema.Message{Role: schema.Assistant, Content: "And so", ResponseMeta: &schema.ResponseMeta{FinishReason: reason}}))
		if _, err := b.respond(t.Context(), t, m); err != nil {
			t.Fatal(err)
		}
		if noted := strings.Contains(strings.Join(b.trace.Notes(), "\n"), "the longest that the model may give"); noted != (reason != "stop") {
			t.Errorf("%s: noted %v", reason, b.trace.Notes())
		}
	}
}
