package provider_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// configAt is a model at a stub, asked once and without a pause.
func configAt(s *stub, name string) provider.Config {
	return provider.Config{Model: name, APIKey: testKey, BaseURL: s.URL + "/v1", HTTPClient: s.Client(), Retries: -1}
}

// Each next model is asked when the one before it failed and nothing of its answer was handed on.
func TestChain(t *testing.T) {
	t.Parallel()
	said := func(text string) []string { return []string{chunk(text), stop("stop"), "data: [DONE]"} }
	role := `data: {"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`
	for _, tc := range []struct {
		name       string
		stream     bool
		first      handler
		second     handler
		code       state.Code // "" = answered
		text       string
		asked      []int // how often each
		noted      string
		retryAfter time.Duration
	}{
		{name: "the first answers", first: plain("a"), second: plain("b"), text: "a", asked: []int{1, 0}},
		{name: "it is down", first: body(503, "{}"), second: plain("b"), text: "b", asked: []int{1, 1}, noted: "model openai:one did not answer, ollama:two is asked"},
		{name: "its key is wrong", first: body(401, "{}"), second: plain("b"), text: "b", asked: []int{1, 1}, noted: "refused the key"},
		{name: "it refuses the request", first: body(400, "{}"), second: plain("b"), text: "b", asked: []int{1, 1}, noted: "400"},
		{name: "its answer is no answer", first: body(200, "{]"), second: plain("b"), text: "b", asked: []int{1, 1}, noted: "not a chat completion"},
		{name: "it is busy for long", first: body(429, "{}", "Retry-After", "20"), second: plain("b"), text: "b", asked: []int{1, 1}, noted: "429"},
		{name: "both are down", first: body(429, "{}", "Retry-After", "20"), second: body(401, "{}"), code: state.Unavailable, asked: []int{1, 1}, retryAfter: 20 * time.Second},
		{name: "both keys are wrong", first: body(401, "{}"), second: body(401, "{}"), code: state.Denied, asked: []int{1, 1}},
		{name: "stream of the first", stream: true, first: events(said("a")...), second: events(said("b")...), text: "a", asked: []int{1, 0}},
		{name: "cut before a word", stream: true, first: cutAfter(role), second: events(said("b")...), text: "b", asked: []int{1, 1}, noted: "was cut"},
		{name: "cut after a word", stream: true, first: cutAfter(chunk("Do")), second: events(said("b")...), code: state.Unavailable, text: "Do", asked: []int{1, 0}},
		{name: "no stream", stream: true, first: body(500, "{}"), second: events(said("b")...), text: "b", asked: []int{1, 1}, noted: "500"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			one, two := serve(t, tc.first), serve(t, tc.second)
			m, err := provider.OpenChain(t.Context(), configAt(one, "openai:one"), configAt(two, "ollama:two"))
			must(t, err)
			trace := &state.Trace{}
			got, err := put(state.ContextWithTrace(t.Context(), trace), m, tc.stream, ask("?"))
			if state.CodeOf(err) != tc.code || state.RetryAfter(err) != tc.retryAfter {
				t.Errorf("got %v with RetryAfter %v, want code %q, %v", err, state.RetryAfter(err), tc.code, tc.retryAfter)
			}
			if tc.text != "" && (got == nil || got.Content != tc.text) {
				t.Errorf("got %+v, want %q", got, tc.text)
			}
			first, _ := one.seen()
			second, _ := two.seen()
			if n := []int{len(first), len(second)}; !slices.Equal(n, tc.asked) {
				t.Errorf("asked %v times, want %v", n, tc.asked)
			}
			if notes := strings.Join(trace.Notes(), "\n"); !strings.Contains(notes, tc.noted) || tc.noted == "" && tc.code == "" && notes != "" {
				t.Errorf("noted %q, want %q", notes, tc.noted)
			}
		})
	}
}

// Whoever gives up is not answered by the next model.
func TestChainOfACallerWhoHasGone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	one, two := serve(t, func(w http.ResponseWriter, r *http.Request) { cancel(); silent(w, r) }), serve(t, plain("b"))
	m, err := provider.OpenChain(t.Context(), configAt(one, "openai:one"), configAt(two, "ollama:two"))
	must(t, err)
	if _, err := m.Generate(ctx, ask("?")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
	if asked, _ := two.seen(); len(asked) != 0 {
		t.Error("the second model was asked")
	}
}

// The offline model as the last resort: tools reach it, and callbacks are raised for it, as for the others.
func TestChainEndsOffline(t *testing.T) {
	t.Parallel()
	s := serve(t, body(503, "{}"))
	bare, err := provider.OpenChain(t.Context(), configAt(s, "openai:one"), provider.Config{Model: "offline"})
	must(t, err)
	m, err := bare.WithTools([]*schema.ToolInfo{{Name: "memory_recall"}})
	must(t, err)
	var heard []string
	h := callbacks.NewHandlerBuilder().
		OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
			heard = append(heard, "end "+info.Type)
			return ctx
		}).
		OnErrorFn(func(ctx context.Context, info *callbacks.RunInfo, _ error) context.Context {
			heard = append(heard, "error "+info.Type)
			return ctx
		}).Build()
	ctx := callbacks.InitCallbacks(t.Context(), nil, h)
	if _, err := m.Generate(ctx, ask("Good morning!")); err != nil {
		t.Fatal(err)
	}
	if want := []string{"error OpenAI", "end Offline"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	if seen, _ := s.seen(); len(seen[0].Tools) != 1 {
		t.Errorf("offered %v, want the tool", seen[0].Tools)
	}
	if got, _, err := stream(ctx, m, ask("Good morning!")); err != nil || got.Content == "" {
		t.Errorf("streamed %v, %v", got, err)
	}
}

// A chain of one is the model; one that cannot be opened is named.
func TestOpenChain(t *testing.T) {
	t.Parallel()
	if _, err := provider.OpenChain(t.Context()); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("none: got %v, want an Invalid", err)
	}
	_, err := provider.OpenChain(t.Context(), provider.Config{Model: "offline"}, provider.Config{Model: "openai:x"})
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("no key: got %v, want an Invalid that names the variable", err)
	}
}
