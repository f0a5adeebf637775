package telemetry

import (
	"context"
	"errors"
	"fmt"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/embedding"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// OmitTexts returns a handler that tells h all that it hears but texts: what users, models and tools say, what is searched for and found.
// A text is its size, "[42 bytes]", and empty in the pieces of a stream; an error is its code (state.CodeOf). Roles, names of tools, ids, scores,
// finish reasons and usage stay. A value of a type that eino's components do not have is the name of its type, or what its method
// OmitTexts() any returns. Give h itself to eino for a trace with what was said.
func OmitTexts(h callbacks.Handler) callbacks.Handler { return textless{h} }

// textless is a handler that is told no texts.
type textless struct{ to callbacks.Handler }

var _ callbacks.TimingChecker = textless{}

// Needed asks the handler behind it.
func (t textless) Needed(ctx context.Context, info *callbacks.RunInfo, timing callbacks.CallbackTiming) bool {
	c, ok := t.to.(callbacks.TimingChecker)
	return !ok || c.Needed(ctx, info, timing)
}

// OnStart tells the input but its texts.
func (t textless) OnStart(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
	return t.to.OnStart(ctx, info, cut(size).value(in))
}

// OnEnd tells the output but its texts.
func (t textless) OnEnd(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
	return t.to.OnEnd(ctx, info, cut(size).value(out))
}

// OnError tells the code of the error.
func (t textless) OnError(ctx context.Context, info *callbacks.RunInfo, err error) context.Context {
	return t.to.OnError(ctx, info, codeOf(err))
}

// OnStartWithStreamInput tells the input piece by piece, without texts.
func (t textless) OnStartWithStreamInput(ctx context.Context, info *callbacks.RunInfo, in *schema.StreamReader[callbacks.CallbackInput]) context.Context {
	return t.to.OnStartWithStreamInput(ctx, info, schema.StreamReaderWithConvert(in, piece, schema.WithErrWrapper(codeOf)))
}

// OnEndWithStreamOutput tells the output piece by piece, without texts.
func (t textless) OnEndWithStreamOutput(ctx context.Context, info *callbacks.RunInfo, out *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
	return t.to.OnEndWithStreamOutput(ctx, info, schema.StreamReaderWithConvert(out, piece, schema.WithErrWrapper(codeOf)))
}

func piece[T any](v T) (told T, _ error) { //nolint:unparam // it is what StreamReaderWithConvert calls
	told, _ = cut(func(string) string { return "" }).value(v).(T)
	return told, nil
}

func codeOf(err error) error { return errors.New(string(state.CodeOf(err))) }

func size(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("[%d bytes]", len(text))
}

// cut makes of a text what is told of it.
type cut func(text string) string

// value returns what is told of an input or an output.
func (c cut) value(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return c(v)
	case *schema.Message:
		return c.message(v)
	case []*schema.Message:
		return each(v, c.message)
	case []*schema.Document:
		return each(v, c.document)
	case *model.CallbackInput:
		return &model.CallbackInput{Messages: each(v.Messages, c.message), Tools: v.Tools, ToolChoice: v.ToolChoice, Config: v.Config}
	case *model.CallbackOutput:
		return &model.CallbackOutput{Message: c.message(v.Message), Config: v.Config, TokenUsage: v.TokenUsage}
	case *tool.CallbackInput:
		return &tool.CallbackInput{ArgumentsInJSON: c(v.ArgumentsInJSON)}
	case *tool.CallbackOutput:
		return &tool.CallbackOutput{Response: c(v.Response)}
	case *retriever.CallbackInput:
		return &retriever.CallbackInput{Query: c(v.Query), TopK: v.TopK, ScoreThreshold: v.ScoreThreshold}
	case *retriever.CallbackOutput:
		return &retriever.CallbackOutput{Docs: each(v.Docs, c.document)}
	case *embedding.CallbackOutput: // texts can be guessed from vectors
		return &embedding.CallbackOutput{Config: v.Config, TokenUsage: v.TokenUsage}
	case interface{ OmitTexts() any }:
		return v.OmitTexts()
	}
	return fmt.Sprintf("[%T]", v)
}

// each returns what is told of the things of a list, nil for those that are nil.
func each[T any](list []*T, told func(*T) *T) []*T {
	out := make([]*T, len(list))
	for i, v := range list {
		out[i] = told(v)
	}
	return out
}

func (c cut) message(m *schema.Message) *schema.Message {
	if m == nil {
		return nil
	}
	out := &schema.Message{Role: m.Role, Content: c(m.Content), ReasoningContent: c(m.ReasoningContent), ToolCallID: m.ToolCallID, ToolName: m.ToolName}
	if parts := len(m.UserInputMultiContent) + len(m.AssistantGenMultiContent) + len(m.MultiContent); parts > 0 {
		out.Content += fmt.Sprintf("[%d parts]", parts)
	}
	for _, call := range m.ToolCalls {
		call.Extra, call.Function.Arguments = nil, c(call.Function.Arguments)
		out.ToolCalls = append(out.ToolCalls, call)
	}
	if meta := m.ResponseMeta; meta != nil {
		out.ResponseMeta = &schema.ResponseMeta{FinishReason: meta.FinishReason, Usage: meta.Usage}
	}
	return out
}

func (c cut) document(d *schema.Document) *schema.Document {
	if d == nil {
		return nil
	}
	return (&schema.Document{ID: d.ID, Content: c(d.Content)}).WithScore(d.Score())
}
