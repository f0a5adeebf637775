package scripted

import (
	"context"
	"slices"
	"sync"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// Step is one answer of the scripted model; make it with Say, Call, Calls or Fail.
type Step struct {
	text  string
	calls []state.ToolCall
	err   error
}

// Say answers with text.
func Say(text string) Step { return Step{text: text} }

// Call asks for one tool; args is the JSON of its arguments and handed over as it is, right or wrong.
func Call(name, args string) Step { return Calls(state.ToolCall{Name: name, Arguments: args}) }

// Calls asks for several tools in one message. Those without an ID are numbered on from the calls that the
// prompt holds: "call-1", "call-2", ...
func Calls(calls ...state.ToolCall) Step { return Step{calls: slices.Clone(calls)} }

// Fail makes the call return err.
func Fail(err error) Step { return Step{err: err} }

// Model answers from a list, then from its fallback. Safe for concurrent use: each call takes one step.
type Model struct {
	script   *script
	fallback model.ToolCallingChatModel // nil = an error when the list has run out
}

// script is what a model and its copies made by WithTools share.
type script struct {
	mu      sync.Mutex
	steps   []Step
	prompts [][]*schema.Message
}

var _ model.ToolCallingChatModel = (*Model)(nil)

// New returns a model that answers with steps in order and then from fallback. Without a fallback (nil) it
// then returns a NotFound.
func New(steps []Step, fallback model.ToolCallingChatModel) *Model {
	return &Model{script: &script{steps: slices.Clone(steps)}, fallback: fallback}
}

// Generate takes the next step.
func (m *Model) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	out, err := m.next(ctx, in)
	if out != nil || err != nil {
		return out, err
	}
	return m.fallback.Generate(ctx, in, opts...)
}

// Stream takes the next step; text comes word by word, tool calls in the first chunk.
func (m *Model) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := m.next(ctx, in)
	switch {
	case err != nil:
		return nil, err
	case out != nil:
		return offline.Chunks(out), nil
	}
	return m.fallback.Stream(ctx, in, opts...)
}

// WithTools returns a model that goes on with the same list; the tools are for the fallback.
func (m *Model) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	if m.fallback == nil {
		return m, nil
	}
	fallback, err := m.fallback.WithTools(tools)
	if err != nil {
		return nil, err
	}
	return &Model{script: m.script, fallback: fallback}, nil
}

// GetType names the component for eino's traces.
func (m *Model) GetType() string { return "Scripted" }

// Prompts returns the messages of every call so far, in order, those answered by the fallback included.
func (m *Model) Prompts() [][]*schema.Message {
	m.script.mu.Lock()
	defer m.script.mu.Unlock()
	return slices.Clone(m.script.prompts)
}

// Left returns how many steps were not asked for yet.
func (m *Model) Left() int {
	m.script.mu.Lock()
	defer m.script.mu.Unlock()
	return len(m.script.steps)
}

// next records the prompt and takes the next step: a message, an error, or neither when the fallback is to answer.
func (m *Model) next(ctx context.Context, in []*schema.Message) (*schema.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, state.Errorf(state.Unavailable, "scripted model", "%w", err)
	}

	s := m.script
	s.mu.Lock()
	defer s.mu.Unlock()

	// A turn that is gone on with has had some of the answers already: its first prompt shows how many.
	if len(s.prompts) == 0 {
		s.steps = s.steps[min(answered(in), len(s.steps)):]
	}
	s.prompts = append(s.prompts, copied(in))

	if len(s.steps) == 0 {
		if m.fallback == nil {
			return nil, state.Errorf(state.NotFound, "scripted model", "has no answer left after %d; add a step or a fallback", len(s.prompts)-1)
		}
		return nil, nil
	}

	step := s.steps[0]
	s.steps = s.steps[1:]
	if step.err != nil {
		return nil, step.err
	}
	return offline.Answer(in, step.text, step.calls), nil
}

// answered counts the answers of this turn that a prompt already holds: assistant messages after the last
// user message. A command that was carried out before the model was asked is none.
func answered(in []*schema.Message) int {
	n := 0
	for _, m := range in {
		switch {
		case m == nil:
		case m.Role == schema.User:
			n = 0
		case m.Role == schema.Assistant && !(len(m.ToolCalls) > 0 && memory.IsSpoken(m.ToolCalls[0].ID)):
			n++
		}
	}
	return n
}

// copied returns a prompt that later changes of the caller's messages do not reach.
func copied(in []*schema.Message) []*schema.Message {
	out := make([]*schema.Message, 0, len(in))
	for _, m := range in {
		if m == nil {
			continue
		}
		c := *m
		c.ToolCalls = slices.Clone(m.ToolCalls)
		out = append(out, &c)
	}
	return out
}
