package provider

import (
	"context"
	"errors"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// chatModel is an eino-ext model whose errors are all state.Error. It is never changed after it was made.
type chatModel struct {
	op    string                     // "model openai:gpt-4o-mini"
	bare  model.ToolCallingChatModel // without tools
	bound model.BaseChatModel        // with those of WithTools
}

var _ model.ToolCallingChatModel = (*chatModel)(nil)

// Generate asks for one whole answer.
func (m *chatModel) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	out, err := m.bound.Generate(ctx, in, opts...)
	if err != nil {
		return nil, m.typed(ctx, err)
	}
	return out, nil
}

// Stream asks for an answer in chunks. It returns once the first has arrived; an error after that comes
// from Recv, and the chunks before it are not repeated. The caller closes the reader, and cancels ctx to be rid of a
// silent server before Timeout.
func (m *chatModel) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := m.bound.Stream(ctx, in, opts...)
	if err != nil {
		return nil, m.typed(ctx, err)
	}
	same := func(chunk *schema.Message) (*schema.Message, error) { return chunk, nil }
	wrap := schema.WithErrWrapper(func(err error) error { return m.typed(ctx, err) })
	return schema.StreamReaderWithConvert(out, same, wrap), nil
}

// WithTools returns a model that offers tools; none gives one that offers none.
func (m *chatModel) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	if len(tools) == 0 {
		return &chatModel{op: m.op, bare: m.bare, bound: m.bare}, nil
	}
	bound, err := m.bare.WithTools(tools)
	if err != nil {
		return nil, state.Errorf(state.Invalid, m.op, "offer tools: %w", err)
	}
	return &chatModel{op: m.op, bare: m.bare, bound: bound}, nil
}

// GetType names the component for eino's traces.
func (m *chatModel) GetType() string { return "OpenAI" }

// IsCallbacksEnabled is true: eino-ext raises the callbacks, so the caller must not.
func (m *chatModel) IsCallbacksEnabled() bool { return true }

// typed returns the transport's error from within what net/http and eino-ext wrapped around it. What has
// none never reached the transport (a message or tool that cannot be sent) and is the caller's.
func (m *chatModel) typed(ctx context.Context, err error) error {
	var typed *state.Error
	switch {
	case errors.As(err, &typed):
		return typed
	case ctx.Err() != nil:
		return state.Errorf(state.Unavailable, m.op, "given up by the caller: %w", ctx.Err())
	}
	return state.Errorf(state.Invalid, m.op, "cannot be asked this: %w", err)
}
