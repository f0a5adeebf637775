package offline_test

import (
	"testing"

	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	before := []*schema.Message{
		schema.UserMessage("12345678"), nil,
		schema.AssistantMessage("", []schema.ToolCall{{ID: "call-1"}, {ID: "call-2"}}),
	}
	tests := []struct {
		name   string
		prompt []*schema.Message
		text   string
		calls  []state.ToolCall
		ids    []string
		reason string
		usage  schema.TokenUsage
	}{
		{"words", before[:1], "1234", nil, nil, "stop", schema.TokenUsage{PromptTokens: 2, CompletionTokens: 1, TotalTokens: 3}},
		{"first call", nil, "", []state.ToolCall{{Name: "ab", Arguments: "{}"}}, []string{"call-1"}, "tool_calls", schema.TokenUsage{CompletionTokens: 1, TotalTokens: 1}},
		{"numbered on", before, "", []state.ToolCall{{Name: "a"}, {ID: "own", Name: "b"}, {Name: "c"}}, []string{"call-3", "own", "call-5"}, "tool_calls", schema.TokenUsage{PromptTokens: 2, CompletionTokens: 1, TotalTokens: 3}},
		{"nothing", nil, "", nil, nil, "stop", schema.TokenUsage{}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := offline.Answer(tc.prompt, tc.text, tc.calls)
			var ids []string
			for _, c := range got.ToolCalls {
				ids = append(ids, c.ID)
			}
			same(t, "ids", tc.ids, ids)
			same(t, "usage", &tc.usage, got.ResponseMeta.Usage)
			if got.Content != tc.text || got.Role != schema.Assistant || got.ResponseMeta.FinishReason != tc.reason {
				t.Errorf("got %+v, want %q finished by %q", got, tc.text, tc.reason)
			}
			joined, err := schema.ConcatMessageStream(offline.Chunks(got))
			must(t, err)
			if diff := cmp.Diff(got, joined); diff != "" {
				t.Errorf("chunks (-whole +joined):\n%s", diff)
			}
		})
	}
}
