package offline

import (
	"context"
	"slices"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// Model is the offline chat model. It holds no state: the same prompt and tools give the same answer, in
// every process. Safe for concurrent use.
type Model struct {
	library library
	tools   []*schema.ToolInfo
}

var _ model.ToolCallingChatModel = (*Model)(nil)

// New returns a model that calls no tools; WithTools returns one that may.
func New() *Model { return &Model{library: read(phraseFiles)} }

// Generate answers the prompt. It fails only when ctx has ended, as Unavailable.
func (m *Model) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, state.Errorf(state.Unavailable, "offline model", "%w", err)
	}
	text, calls := newTurn(m.library, take(in), m.offered(opts)).respond()
	return Answer(in, text, calls), nil
}

// Stream answers as Generate does, word by word.
func (m *Model) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := m.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	return Chunks(out), nil
}

// WithTools returns a model that may call tools; m itself is not changed.
func (m *Model) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	return &Model{library: m.library, tools: slices.Clone(tools)}, nil
}

// GetType names the component for eino's traces.
func (m *Model) GetType() string { return "Offline" }

// offered are the names of the tools that this call may use.
func (m *Model) offered(opts []model.Option) []string {
	o := model.GetCommonOptions(&model.Options{Tools: m.tools}, opts...)
	if o.ToolChoice != nil && *o.ToolChoice == schema.ToolChoiceForbidden {
		return nil
	}
	var names []string
	for _, t := range o.Tools {
		if t != nil && (len(o.AllowedToolNames) == 0 || slices.Contains(o.AllowedToolNames, t.Name)) {
			names = append(names, t.Name)
		}
	}
	return names
}
