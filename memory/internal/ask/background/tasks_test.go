package background

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

// calls puts every question of the package.
func calls(t *Tasks) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"detect":  func(ctx context.Context) error { _, err := t.Detect(ctx, detectInput()); return err },
		"park":    func(ctx context.Context) error { _, err := t.Park(ctx, ParkInput{Affair: *affairs()[1]}); return err },
		"summary": func(ctx context.Context) error { _, err := t.Summary(ctx, "", "", nil); return err },
		"extract": func(ctx context.Context) error { _, err := t.Extract(ctx, ExtractInput{}); return err },
		"digest":  func(ctx context.Context) error { _, err := t.Digest(ctx, 1, []string{"a"}, ""); return err },
		"same":    func(ctx context.Context) error { _, err := t.Same(ctx, record("a"), record("b")); return err },
	}
}

func TestWithoutModel(t *testing.T) {
	t.Parallel()
	if New(Config{}) != nil {
		t.Fatal("New without a model is not nil")
	}
	for name, call := range calls(nil) {
		if err := call(context.Background()); !errors.Is(err, state.ErrNotFound) || !mention(err, "use the rules") {
			t.Errorf("%s: error = %v, want not found", name, err)
		}
	}
}

// A turn that is to end waits for no question that was put, and puts none.
func TestATurnThatIsToEndDoesNotWait(t *testing.T) {
	t.Parallel()
	asked := &asked{began: make(chan struct{}, 1)}
	for name, call := range calls(New(Config{Model: asked})) {
		stop := state.NewStop()
		ctx := state.ContextWithTrace(state.ContextWithStop(context.Background(), stop), &state.Trace{})
		go func() {
			<-asked.began
			stop.Now(errors.New("the user pressed stop"))
		}()
		for range 2 {
			if err := call(ctx); !errors.Is(err, state.ErrUnavailable) || !mention(err, "given up", "the user pressed stop") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := state.TraceFrom(ctx).Bill().Usage.SmallModelCalls; n != 1 || ctx.Err() != nil {
			t.Errorf("%s: %d calls, the turn's own context: %v", name, n, ctx.Err())
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	busy := errors.New("connection refused")
	for _, c := range []struct {
		name  string
		model model.BaseChatModel
		want  *state.Error
		says  string
		calls int
	}{
		{"the server is down", &fake{err: busy}, state.ErrUnavailable, "connection refused", 1},
		{"rate limited", &fake{err: &state.Error{Code: state.Unavailable, Op: "429", RetryAfter: time.Minute}}, state.ErrUnavailable, "429", 1},
		{"denied by the provider", &fake{err: state.Errorf(state.Denied, "key", "is wrong")}, state.ErrUnavailable, "key", 1},
		{"a script without an answer", &fake{err: fmt.Errorf("script: %w", state.ErrNotFound)}, state.ErrNotFound, "script", 0},
		{"too slow", &slow{}, state.ErrUnavailable, "deadline", 1},
		{"no message", &fake{}, state.ErrUnavailable, "returned nothing", 1},
		{"no text", says(""), state.ErrInvalid, "the answer is empty", 1},
		{"thoughts only", says("<think>well"), state.ErrInvalid, "", 1},
		{"a refusal as JSON", says(`{"error":"I cannot"}`), state.ErrInvalid, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tasks := New(Config{Model: c.model, Timeout: time.Millisecond})
			for name, call := range calls(tasks) {
				if c.name == "a refusal as JSON" && (name == "summary" || name == "digest") {
					continue // any text is a summary
				}
				trace := &state.Trace{}
				err := call(state.ContextWithTrace(context.Background(), trace))
				if !errors.Is(err, c.want) || !mention(err, "task "+name, c.says) {
					t.Errorf("%s: error = %v, want %v saying %q", name, err, c.want.Code, c.says)
				}
				if got := trace.Bill().Usage.SmallModelCalls; got != c.calls {
					t.Errorf("%s: %d calls charged, want %d", name, got, c.calls)
				}
			}
		})
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	t.Parallel()
	limited := &fake{err: fmt.Errorf("provider: %w", &state.Error{Code: state.Unavailable, RetryAfter: time.Minute})}
	_, err := New(Config{Model: limited}).Summary(context.Background(), "", "", nil)
	var e *state.Error
	if !errors.As(err, &e) || e.RetryAfter != time.Minute {
		t.Errorf("error = %#v, want the hint to retry after a minute", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(Config{Model: &slow{}}).Summary(ctx, "", "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled in it", err)
	}
	stopped := &fake{answer: &schema.Message{ResponseMeta: &schema.ResponseMeta{FinishReason: "length"}}}
	if _, err := New(Config{Model: stopped}).Summary(context.Background(), "", "", nil); !mention(err, `"length"`) {
		t.Errorf("error = %v, want the finish reason in it", err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	f := says("A summary")
	if _, err := New(Config{Model: f, MaxTokens: 99, Options: []model.Option{model.WithTemperature(0.5)}}).Summary(context.Background(), "", "", nil); err != nil {
		t.Fatal(err)
	}
	if f.options.MaxTokens == nil || *f.options.MaxTokens != 99 || f.options.Temperature == nil || *f.options.Temperature != 0.5 {
		t.Errorf("options = %+v, want 99 tokens at temperature 0.5", f.options)
	}
	if _, err := New(Config{Model: f}).Summary(context.Background(), "", "", nil); err != nil || f.options.MaxTokens != nil {
		t.Errorf("options = %+v, %v; want none", f.options, err)
	}
}

func TestBill(t *testing.T) {
	t.Parallel()
	reports := says("A summary")
	reports.answer.ResponseMeta = &schema.ResponseMeta{Usage: &schema.TokenUsage{
		PromptTokens: 100, CompletionTokens: 5, PromptTokenDetails: schema.PromptTokenDetails{CachedTokens: 60},
	}}
	words := func(s string) int { return len(strings.Fields(s)) }
	for _, c := range []struct {
		name string
		cfg  Config
		want state.Usage
	}{
		{"reported", Config{Model: reports, Count: words}, state.Usage{SmallModelCalls: 1, PromptTokens: 100, CompletionTokens: 5, CachedTokens: 60}},
		{"counted", Config{Model: says("A summary"), Count: func(s string) int { return min(words(s), 7) }}, state.Usage{SmallModelCalls: 1, PromptTokens: 7, CompletionTokens: 2}},
		{"neither", Config{Model: says("A summary")}, state.Usage{SmallModelCalls: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			trace := &state.Trace{}
			if _, err := New(c.cfg).Summary(state.ContextWithTrace(context.Background(), trace), "", "", nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, trace.Bill().Usage); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCallbacks checks that a handler sees each call once, under its name, whoever raises it.
func TestCallbacks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		model model.BaseChatModel
		want  []string
	}{
		{"raised here", says("A summary"), []string{"start small/summary ChatModel Task: summary", "end small/summary A summary"}},
		{"raised by the model", &selfmade{*says("A summary")}, []string{"start small/summary ChatModel Task: summary", "end small/summary A summary"}},
		{"an error", &fake{err: errors.New("down")}, []string{"start small/summary ChatModel Task: summary", "error small/summary down"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var seen []string
			h := callbacks.NewHandlerBuilder().
				OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
					first, _, _ := strings.Cut(model.ConvCallbackInput(in).Messages[0].Content, "\n")
					seen = append(seen, fmt.Sprintf("start %s %s %s", info.Name, info.Component, first))
					return ctx
				}).
				OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
					seen = append(seen, fmt.Sprintf("end %s %s", info.Name, model.ConvCallbackOutput(out).Message.Content))
					return ctx
				}).
				OnErrorFn(func(ctx context.Context, info *callbacks.RunInfo, err error) context.Context {
					seen = append(seen, fmt.Sprintf("error %s %v", info.Name, err))
					return ctx
				}).Build()
			ctx := callbacks.InitCallbacks(context.Background(), &callbacks.RunInfo{Name: "context_detect"}, h)
			_, _ = New(Config{Model: c.model}).Summary(ctx, "", "", nil)
			if !slices.Equal(seen, c.want) {
				t.Errorf("callbacks %q, want %q", seen, c.want)
			}
		})
	}
}
