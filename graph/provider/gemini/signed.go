package gemini

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// signatureKey is where eino-ext keeps the signature of a call, and unsigned what Google documents for calls that no model of its own
// has made: those of another model in a chain, and those that were made for the model. Without it Gemini 3 refuses the request.
const (
	signatureKey = "gemini_thought_signature"
	unsigned     = "skip_thought_signature_validator"
)

// signs reports whether a model wants calls to be signed: all but those before Gemini 3.
func signs(name string) bool {
	return !strings.HasPrefix(name, "gemini-1") && !strings.HasPrefix(name, "gemini-2")
}

// signed is a model that wants calls to be signed.
type signed struct{ model.ToolCallingChatModel }

// Generate asks for one whole answer.
func (s *signed) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	return s.ToolCallingChatModel.Generate(ctx, sign(in), opts...)
}

// Stream asks for an answer in chunks.
func (s *signed) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return s.ToolCallingChatModel.Stream(ctx, sign(in), opts...)
}

// WithTools returns a model that offers tools.
func (s *signed) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	bound, err := s.ToolCallingChatModel.WithTools(tools)
	if err != nil {
		return nil, err
	}
	return &signed{bound}, nil
}

// GetType names the component for eino's traces.
func (s *signed) GetType() string { return "Gemini" }

// IsCallbacksEnabled is true: eino-ext raises the callbacks.
func (s *signed) IsCallbacksEnabled() bool { return true }

// sign marks the first call of each answer that has none signed. The messages are not changed.
func sign(in []*schema.Message) []*schema.Message {
	out := in
	for i, m := range in {
		if m == nil || len(m.ToolCalls) == 0 || m.ToolCalls[0].Extra[signatureKey] != nil {
			continue
		}
		if &out[0] == &in[0] {
			out = slices.Clone(in)
		}
		copied := *m
		copied.ToolCalls = slices.Clone(m.ToolCalls)
		extra := maps.Clone(copied.ToolCalls[0].Extra)
		if extra == nil {
			extra = map[string]any{}
		}
		extra[signatureKey] = []byte(unsigned)
		copied.ToolCalls[0].Extra = extra
		out[i] = &copied
	}
	return out
}
