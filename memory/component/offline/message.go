package offline

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// Answer makes the message a model answers with: text, calls or both, with an estimated usage. Calls without
// an ID are numbered on from the calls that the prompt holds ("call-1", "call-2", ...), so that an id is unique
// in its prompt and equal in every run. The scripted models answer with it too.
func Answer(prompt []*schema.Message, text string, calls []state.ToolCall) *schema.Message {
	out := schema.AssistantMessage(text, nil)
	reason, before := "stop", callsIn(prompt)
	for i, c := range calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call-%d", before+i+1)
		}
		out.ToolCalls = append(out.ToolCalls, schema.ToolCall{
			ID: c.ID, Type: "function", Function: schema.FunctionCall{Name: c.Name, Arguments: c.Arguments},
		})
		reason = "tool_calls"
	}
	out.ResponseMeta = &schema.ResponseMeta{FinishReason: reason, Usage: usage(prompt, out)}
	return out
}

// Chunks streams an answer word by word: the text first, then calls, finish reason and usage in the last
// chunk. schema.ConcatMessages of the chunks is the message again.
func Chunks(m *schema.Message) *schema.StreamReader[*schema.Message] {
	var out []*schema.Message
	for word := range strings.SplitAfterSeq(m.Content, " ") {
		if word != "" {
			out = append(out, schema.AssistantMessage(word, nil))
		}
	}
	if len(out) == 0 || len(m.ToolCalls) > 0 {
		out = append(out, schema.AssistantMessage("", m.ToolCalls))
	}
	out[len(out)-1].ResponseMeta = m.ResponseMeta
	return schema.StreamReaderFromArray(out)
}

// callsIn counts the tool calls a prompt holds.
func callsIn(prompt []*schema.Message) int {
	n := 0
	for _, m := range prompt {
		if m != nil {
			n += len(m.ToolCalls)
		}
	}
	return n
}

// usage estimates tokens as a quarter of the characters.
func usage(prompt []*schema.Message, out *schema.Message) *schema.TokenUsage {
	u := schema.TokenUsage{CompletionTokens: tokens(out)}
	for _, m := range prompt {
		u.PromptTokens += tokens(m)
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return &u
}

func tokens(m *schema.Message) int {
	if m == nil {
		return 0
	}
	n := utf8.RuneCountInString(m.Content)
	for _, c := range m.ToolCalls {
		n += utf8.RuneCountInString(c.Function.Name) + utf8.RuneCountInString(c.Function.Arguments)
	}
	return (n + 3) / 4
}
