package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give provider.Config
		want string // part of the message
	}{
		{"no model", provider.Config{}, "PROVIDER:MODEL"},
		{"unknown provider", provider.Config{Model: "acme:x", APIKey: testKey}, "openai, claude, gemini, deepseek, qwen, ark, openrouter, ollama, cassette, offline"},
		{"no provider", provider.Config{Model: "gpt-4o-mini"}, "unknown provider"},
		{"no model after the colon", provider.Config{Model: "openai:", APIKey: testKey}, "give openai:MODEL"},
		{"no colon", provider.Config{Model: "openai", APIKey: testKey}, "give openai:MODEL"},
		{"space", provider.Config{Model: "openai: gpt", APIKey: testKey}, "give openai:MODEL"},
		{"missing key", provider.Config{Model: "openai:gpt-4o-mini"}, "set MNEME_OPENAI_API_KEY or OPENAI_API_KEY"},
		{"missing key, remote base", provider.Config{Model: "openai:m", BaseURL: "https://llm.example.com/v1"}, "set MNEME_OPENAI_API_KEY"},
		{"no leaf", provider.Config{Model: "claude:claude-sonnet-4-5", APIKey: testKey}, "import graph/provider/claude"},
		{"base without scheme", provider.Config{Model: "openai:m", BaseURL: "localhost:8080"}, "http(s)://"},
		{"base with a password", provider.Config{Model: "openai:m", BaseURL: "http://u:" + testKey + "@h/v1"}, "must hold no user"},
		{"base with a query", provider.Config{Model: "openai:m", BaseURL: "http://h/v1?key=" + testKey}, "must hold no user"},
		{"base with a control character", provider.Config{Model: "openai:m", BaseURL: "http://h/\x7f" + testKey}, "http(s)://"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := provider.Open(t.Context(), tc.give)
			if !errors.Is(err, state.ErrInvalid) {
				t.Fatalf("got %v, want an Invalid", err)
			}
			if !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), testKey) {
				t.Errorf("got %q, want it to hold %q and no key", err, tc.want)
			}
		})
	}
}

func TestOpenWithoutKey(t *testing.T) {
	t.Parallel()
	for _, c := range []provider.Config{
		{Model: "offline"},
		{Model: "ollama:qwen2.5:7b"},
		{Model: "openai:m", BaseURL: "http://localhost:8080/v1/"},
		{Model: "openai:m", BaseURL: "http://[::1]:8080/v1"},
		{Model: "openai:m", BaseURL: "http://10.1.2.3/v1"},
		{Model: "openai:m", BaseURL: "http://vllm:8000/v1"},
		{Model: "openai:m", BaseURL: "https://gpu.office.local/v1"},
	} {
		if _, err := provider.Open(t.Context(), c); err != nil {
			t.Errorf("open %+v: %v", c, err)
		}
	}
}

func TestKeyVariables(t *testing.T) {
	t.Parallel()
	if got := provider.KeyVariables("openai:gpt-4o-mini"); !slices.Equal(got, []string{"MNEME_OPENAI_API_KEY", "OPENAI_API_KEY"}) {
		t.Errorf("openai: got %v", got)
	}
	for _, m := range []string{"offline", "ollama:x", "acme:x", ""} {
		if got := provider.KeyVariables(m); got != nil {
			t.Errorf("%q: got %v, want none", m, got)
		}
	}
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	s := serve(t, plain("Dobrý den"))
	got, err := s.open(t, nil).Generate(t.Context(), ask("Ahoj"))
	must(t, err)
	want := &schema.TokenUsage{PromptTokens: 11, CompletionTokens: 3, TotalTokens: 14, PromptTokenDetails: schema.PromptTokenDetails{CachedTokens: 8}}
	if got.Content != "Dobrý den" || !cmp.Equal(got.ResponseMeta.Usage, want) {
		t.Errorf("got %q with usage %+v, want %+v", got.Content, got.ResponseMeta.Usage, want)
	}
	requests, pauses := s.seen()
	if len(requests) != 1 || len(pauses) != 0 {
		t.Fatalf("got %d requests and pauses %v, want one and none", len(requests), pauses)
	}
	r := requests[0]
	if r.Path != "/v1/chat/completions" || r.Auth != "Bearer "+testKey || r.Model != "gpt-test" || r.Messages[0].Content != "Ahoj" {
		t.Errorf("endpoint was sent %+v", r)
	}
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	s := serve(t, body(200, `{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[
		{"id":"a","type":"function","function":{"name":"memory_recall","arguments":"{\"query\":\"díl\"}"}},
		{"id":"b","type":"function","function":{"name":"list_affairs","arguments":"{}"}}]}}]}`))
	bare := s.open(t, nil)
	offering, err := bare.WithTools([]*schema.ToolInfo{{Name: "memory_recall"}, {Name: "list_affairs"}})
	must(t, err)
	got, err := offering.Generate(t.Context(), ask("?"))
	must(t, err)
	if len(got.ToolCalls) != 2 || got.ToolCalls[0].Function.Arguments != `{"query":"díl"}` || got.ToolCalls[1].ID != "b" {
		t.Errorf("got calls %+v", got.ToolCalls)
	}
	without, err := offering.WithTools(nil)
	must(t, err)
	for _, m := range []model.BaseChatModel{bare, without} {
		if _, err := m.Generate(t.Context(), ask("?")); err != nil {
			t.Fatal(err)
		}
	}
	requests, _ := s.seen()
	if n := []int{len(requests[0].Tools), len(requests[1].Tools), len(requests[2].Tools)}; !slices.Equal(n, []int{2, 0, 0}) {
		t.Errorf("tools offered: got %v, want 2 0 0", n)
	}
	if _, err := bare.WithTools([]*schema.ToolInfo{nil}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("a nil tool: got %v, want an Invalid", err)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	usage := `data: {"id":"c1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`
	call := func(delta string) string {
		return `data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[` + delta + `]},"finish_reason":null}]}`
	}
	tests := []struct {
		name  string
		lines []string
		text  string
		args  []string
		total int
	}{
		{"text and usage", []string{": warming up", chunk("Do"), "event: x", chunk("brý den"), stop("stop"), usage, "data: [DONE]"}, "Dobrý den", nil, 7},
		{"no space after the colon", []string{`data:{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, "data:[DONE]"}, "a", nil, 0},
		{"finish reason and no [DONE]", []string{chunk("a"), stop("length")}, "a", nil, 0},
		{"[DONE] and no finish reason", []string{chunk("a"), "data: [DONE]"}, "a", nil, 0},
		{"tool call deltas", []string{
			call(`{"index":0,"id":"a","type":"function","function":{"name":"memory_store","arguments":""}}`),
			call(`{"index":0,"function":{"arguments":"{\"subject\":"}}`),
			call(`{"index":1,"id":"b","type":"function","function":{"name":"list_affairs","arguments":"{}"}}`),
			call(`{"index":0,"function":{"arguments":"\"díl\"}"}}`),
			stop("tool_calls"), usage, "data: [DONE]",
		}, "", []string{`{"subject":"díl"}`, "{}"}, 7},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, _, err := stream(t.Context(), serve(t, events(tc.lines...)).open(t, nil), ask("?"))
			must(t, err)
			var args []string
			for _, c := range got.ToolCalls {
				args = append(args, c.Function.Arguments)
			}
			if got.Content != tc.text || !slices.Equal(args, tc.args) {
				t.Errorf("got %q with calls %q, want %q with %q", got.Content, args, tc.text, tc.args)
			}
			if u := got.ResponseMeta.Usage; tc.total != 0 && (u == nil || u.TotalTokens != tc.total) {
				t.Errorf("got usage %+v, want %d in total", u, tc.total)
			}
		})
	}
}

// A host that starts callbacks itself would count every call twice, so each model says who does.
func TestCallbacks(t *testing.T) {
	t.Parallel()
	var started, ended, failed int
	h := callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, _ *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
			started++
			return ctx
		}).
		OnEndFn(func(ctx context.Context, _ *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
			ended++
			return ctx
		}).
		OnErrorFn(func(ctx context.Context, _ *callbacks.RunInfo, err error) context.Context {
			failed++
			if strings.Contains(err.Error(), testKey) {
				t.Errorf("callback saw the key: %v", err)
			}
			return ctx
		}).Build()
	ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Component: components.ComponentOfChatModel}, h)
	m := serve(t, body(503, ""), plain("a"), body(401, `{"error":{"message":"bad key `+testKey+`"}}`)).open(t, nil)
	if !components.IsCallbacksEnabled(m) {
		t.Fatal("the model must say that it raises callbacks")
	}
	if _, err := m.Generate(ctx, ask("?")); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(ctx, ask("?")); !errors.Is(err, state.ErrDenied) {
		t.Fatalf("got %v, want Denied", err)
	}
	if got := [3]int{started, ended, failed}; got != [3]int{2, 1, 1} {
		t.Errorf("got %v starts, ends, errors, want 2 1 1: a repeat is not a call of its own", got)
	}
}

// Each provider is asked at its own address, with a key only where it takes one.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give provider.Config
		url  string
		auth string
		name string
	}{
		{provider.Config{Model: "openai:gpt-4o-mini", APIKey: "k"}, "https://api.openai.com/v1/chat/completions", "Bearer k", "gpt-4o-mini"},
		{provider.Config{Model: "deepseek:deepseek-chat", APIKey: "k"}, "https://api.deepseek.com/v1/chat/completions", "Bearer k", "deepseek-chat"},
		{provider.Config{Model: "qwen:qwen-plus", APIKey: "k"}, "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions", "Bearer k", "qwen-plus"},
		{provider.Config{Model: "ark:doubao-pro", APIKey: "k"}, "https://ark.cn-beijing.volces.com/api/v3/chat/completions", "Bearer k", "doubao-pro"},
		{provider.Config{Model: "openrouter:meta/llama:free", APIKey: "k"}, "https://openrouter.ai/api/v1/chat/completions", "Bearer k", "meta/llama:free"},
		{provider.Config{Model: "ollama:qwen2.5:7b"}, "http://127.0.0.1:11434/v1/chat/completions", "", "qwen2.5:7b"},
		{provider.Config{Model: "openai:m", BaseURL: "http://vllm:8000/v1/"}, "http://vllm:8000/v1/chat/completions", "", "m"},
	}
	for _, tc := range tests {
		t.Run(tc.give.Model, func(t *testing.T) {
			t.Parallel()
			var sent request
			tc.give.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				sent.Path, sent.Auth = r.URL.String(), r.Header.Get("Authorization")
				if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
					return nil, err
				}
				w := httptest.NewRecorder()
				plain("a")(w, r)
				return w.Result(), nil
			})}
			m, err := provider.Open(t.Context(), tc.give)
			must(t, err)
			if _, err := m.Generate(t.Context(), ask("?")); err != nil {
				t.Fatal(err)
			}
			if sent.Path != tc.url || sent.Auth != tc.auth || sent.Model != tc.name {
				t.Errorf("asked %s for %q with %q, want %s, %q, %q", sent.Path, sent.Model, sent.Auth, tc.url, tc.name, tc.auth)
			}
		})
	}
}

func TestOwnClientIsKept(t *testing.T) {
	t.Parallel()
	s := serve(t, plain("a"))
	own := &http.Client{Timeout: time.Minute}
	m := s.open(t, func(c *provider.Config) { c.HTTPClient = own })
	if _, err := m.Generate(t.Context(), ask("?")); err != nil {
		t.Fatal(err)
	}
	if own.Transport != nil {
		t.Error("the caller's client was changed")
	}
}
