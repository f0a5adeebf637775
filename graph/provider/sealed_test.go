package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// thoughtful is an answer with a call that a provider has thought about, streamed and whole, and what the next request has to hold of the thought.
type thoughtful struct {
	dialect
	model  string
	events []string
	whole  string
	want   []string // of the answer's message in the next request, in this order
}

func thoughtfuls() map[string]thoughtful {
	claude, openAI, gemini := anthropic(), openai(), google()
	event := func(kind, rest string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}", kind, kind, rest)
	}
	detail := func(d string) string {
		return `data: {"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_details":[` + d + `]},"finish_reason":null}]}`
	}
	part := func(p, rest string) string {
		return `data: {"candidates":[{"content":{"role":"model","parts":[` + p + `]},"index":0` + rest + `}]}`
	}
	return map[string]thoughtful{
		"claude": {
			dialect: claude, model: "claude:m",
			events: []string{
				claude.events[0],
				event("content_block_start", `"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`),
				event("content_block_delta", `"index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}`),
				event("content_block_delta", `"index":0,"delta":{"type":"thinking_delta","thinking":"look."}`),
				event("content_block_delta", `"index":0,"delta":{"type":"signature_delta","signature":"c2lnMQ=="}`),
				event("content_block_stop", `"index":0`),
				event("content_block_start", `"index":1,"content_block":{"type":"redacted_thinking","data":"ZW5j"}`),
				event("content_block_stop", `"index":1`),
				event("content_block_start", `"index":2,"content_block":{"type":"thinking","thinking":"","signature":""}`),
				event("content_block_delta", `"index":2,"delta":{"type":"signature_delta","signature":"c2lnMg=="}`),
				event("content_block_stop", `"index":2`),
				event("content_block_start", `"index":3,"content_block":{"type":"tool_use","id":"a","name":"list_affairs","input":{}}`),
				event("content_block_stop", `"index":3`),
				event("message_delta", `"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}`), event("message_stop", `"x":0`),
			},
			whole: `{"id":"m1","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1},"content":[
				{"type":"thinking","thinking":"Let me look.","signature":"c2lnMQ=="},{"type":"redacted_thinking","data":"ZW5j"},
				{"type":"thinking","thinking":"","signature":"c2lnMg=="},{"type":"tool_use","id":"a","name":"list_affairs","input":{}}]}`,
			want: []string{
				`{"type":"thinking","thinking":"Let me look.","signature":"c2lnMQ=="}`, `{"type":"redacted_thinking","data":"ZW5j"}`,
				`{"type":"thinking","thinking":"","signature":"c2lnMg=="}`, `"type":"tool_use"`,
			},
		},
		"openrouter": {
			dialect: openAI, model: "openrouter:m",
			events: []string{
				detail(`{"type":"reasoning.text","text":"Let me ","index":0,"format":"anthropic-claude-v1"}`), detail(`{"type":"reasoning.text","text":"look.","index":0}`),
				detail(`{"type":"reasoning.text","signature":"c2lnMQ==","index":0}`), detail(`{"type":"reasoning.encrypted","data":"ZW5j","index":1,"id":"rs_1"}`),
				`data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"list_affairs","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
				"data: [DONE]",
			},
			whole: `{"id":"c1","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"",
				"reasoning_details":[{"format":"anthropic-claude-v1","index":0,"signature":"c2lnMQ==","text":"Let me look.","type":"reasoning.text"},
					{"data":"ZW5j","id":"rs_1","index":1,"type":"reasoning.encrypted"}],
				"tool_calls":[{"id":"a","type":"function","function":{"name":"list_affairs","arguments":"{}"}}]}}]}`,
			want: []string{
				`{"format":"anthropic-claude-v1","index":0,"signature":"c2lnMQ==","text":"Let me look.","type":"reasoning.text"}`,
				`{"data":"ZW5j","id":"rs_1","index":1,"type":"reasoning.encrypted"}`,
			},
		},
		"gemini": { // two signed thoughts, which eino cannot join, and a signed call
			dialect: gemini, model: "gemini:gemini-3-pro",
			events: []string{
				part(`{"text":"Let me ","thought":true,"thoughtSignature":"c2lnMA=="}`, ""), part(`{"text":"look.","thought":true,"thoughtSignature":"c2lnMDA="}`, ""),
				part(`{"functionCall":{"name":"list_affairs","args":{}},"thoughtSignature":"c2lnMQ=="}`, `,"finishReason":"STOP"`),
			},
			whole: `{"candidates":[{"content":{"role":"model","parts":[{"text":"Let me look.","thought":true},
				{"functionCall":{"name":"list_affairs","args":{}},"thoughtSignature":"c2lnMQ=="}]},"finishReason":"STOP","index":0}]}`,
			want: []string{`"functionCall":{"name":"list_affairs"`, `"thoughtSignature":"c2lnMQ=="`},
		},
	}
}

func (d thoughtful) config(s *stub) func(*provider.Config) {
	return func(c *provider.Config) {
		name, _, _ := strings.Cut(d.model, ":")
		d.dialect.config(s, name)(c)
		c.Model = d.model
	}
}

// plainAnswer answers "Hello", streamed or whole.
func (d thoughtful) plainAnswer(w http.ResponseWriter, r *http.Request) {
	events(d.dialect.events...)(w, r)
}

// checkReturned wants what a provider wants back in the request, in order and each once.
func (d thoughtful) checkReturned(t *testing.T, request string) {
	t.Helper()
	rest := request
	for _, want := range d.want {
		before, after, found := strings.Cut(rest, want)
		if !found || strings.Count(request, want) != 1 {
			t.Errorf("asked %s, want %s once, behind what comes before it", request, want)
		}
		_, rest = before, after
	}
}

// What a provider wants back with a call comes back, within a turn, and after the process has ended between call and answer: from the log.
func TestThoughtsComeBack(t *testing.T) {
	t.Parallel()
	for name, d := range thoughtfuls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, die := context.WithCancel(t.Context())
			s := serve(t, events(d.events...), func(w http.ResponseWriter, r *http.Request) { die(); silent(w, r) }, d.plainAnswer, d.plainAnswer)
			folder, scope := t.TempDir(), state.Scope{Session: "s1"}
			open := func() *embedded.Graph {
				set := state.DefaultSettings()
				set.OnCancel = state.ResumeOnCancel
				g, err := embedded.OpenConfig(t.Context(), folder, graph.Config{Model: s.open(t, d.config(s)), Settings: set})
				must(t, err)
				return g
			}
			g := open()
			if _, err := g.Invoke(ctx, graph.Request{Text: "What is open?", Scope: scope}); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want what a caller is told that has gone", err)
			}
			must(t, g.Close())
			g = open()
			defer g.Close()
			reply, err := g.Resume(t.Context(), scope)
			if err != nil || reply.Text != "Hello" {
				t.Fatalf("got %q, %v", reply.Text, err)
			}
			if _, err := g.Invoke(t.Context(), graph.Request{Text: "Thanks.", Scope: scope}); err != nil {
				t.Fatal(err)
			}
			requests, _ := s.seen()
			if len(requests) != 4 {
				t.Fatalf("asked %d times, want 4", len(requests))
			}
			for _, r := range requests[1:3] {
				d.checkReturned(t, r.Body)
			}
			for _, secret := range []string{"c2lnMQ==", "ZW5j", "Let me look."} {
				if strings.Contains(requests[3].Body, secret) && name != "gemini" {
					t.Errorf("the next turn sends %s once more: %s", secret, requests[3].Body)
				}
			}
		})
	}
}

// The same of whole answers, and of an agent that keeps its own messages.
func TestThoughtsOfWholeAnswers(t *testing.T) {
	t.Parallel()
	for name, d := range thoughtfuls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, body(200, d.whole), body(200, d.answer))
			m := s.open(t, d.config(s))
			got, err := m.Generate(t.Context(), ask("?"))
			must(t, err)
			in := append(ask("?"), got, schema.ToolMessage("none", got.ToolCalls[0].ID, schema.WithToolName("list_affairs")))
			before, _ := json.Marshal(in)
			if _, err := m.Generate(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			requests, _ := s.seen()
			d.checkReturned(t, requests[1].Body)
			if after, _ := json.Marshal(in); string(after) != string(before) {
				t.Errorf("the caller's messages were changed: %s", cmp.Diff(string(before), string(after)))
			}
		})
	}
}

// What one model wants back is not sent to another: of a chain whose first model fails after its call.
func TestThoughtsStayWithTheirModel(t *testing.T) {
	t.Parallel()
	all := thoughtfuls()
	for first, a := range all {
		for second, b := range all {
			if first == second {
				continue
			}
			t.Run(first+" to "+second, func(t *testing.T) {
				t.Parallel()
				sa, sb := serve(t, events(a.events...), a.refusal(500)), serve(t, b.plainAnswer)
				var configs []provider.Config
				for _, c := range []struct {
					s *stub
					d thoughtful
				}{{sa, a}, {sb, b}} {
					config := provider.Config{APIKey: testKey, HTTPClient: c.s.Client(), Retries: -1}
					c.d.config(c.s)(&config)
					configs = append(configs, config)
				}
				m, err := provider.OpenChain(t.Context(), configs...)
				must(t, err)
				askOnce := func(m model.BaseChatModel, in []*schema.Message) *schema.Message {
					got, _, err := stream(t.Context(), m, in)
					must(t, err)
					return got
				}
				got := askOnce(m, ask("?"))
				askOnce(m, append(ask("?"), got, schema.ToolMessage("none", got.ToolCalls[0].ID, schema.WithToolName("list_affairs"))))
				requests, _ := sb.seen()
				for _, secret := range []string{"c2lnM", "ZW5j", "Let me", "reasoning"} {
					if strings.Contains(requests[0].Body, secret) {
						t.Errorf("%s was sent %s: %s", second, secret, requests[0].Body)
					}
				}
				if second == "gemini" && !strings.Contains(requests[0].Body, "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=") {
					t.Errorf("asked %s, want the call to be marked as one that no Gemini has signed", requests[0].Body)
				}
			})
		}
	}
}

// Calls without arguments, and with such as are no object, can be sent to every provider.
func TestArgumentsThatAreNoObject(t *testing.T) {
	t.Parallel()
	for name, d := range dialects() {
		for _, arguments := range []string{"", "null", `{"query":`, `["a"]`, `"a"`, "7"} {
			t.Run(name+" "+arguments, func(t *testing.T) {
				t.Parallel()
				s := serve(t, body(200, d.answer))
				call := schema.ToolCall{ID: "a", Type: "function", Function: schema.FunctionCall{Name: "list_affairs", Arguments: arguments}}
				in := append(ask("?"), schema.AssistantMessage("", []schema.ToolCall{call}), schema.ToolMessage("none", "a", schema.WithToolName("list_affairs")))
				if _, err := s.open(t, d.config(s, name)).Generate(t.Context(), in); err != nil {
					t.Fatal(err)
				}
				requests, _ := s.seen()
				if !json.Valid([]byte(requests[0].Body)) || arguments == "" && !strings.Contains(requests[0].Body, "{}") {
					t.Errorf("asked %s", requests[0].Body)
				}
				if in[1].ToolCalls[0].Function.Arguments != arguments {
					t.Error("the caller's message was changed")
				}
			})
		}
	}
}
