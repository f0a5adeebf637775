package scripted

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// taskPrefix opens the first line of the first message of every prompt for the small model.
const taskPrefix = "Task: "

// Small is the scripted small model: it answers by task, as often as it is asked. Safe for concurrent use.
type Small struct {
	answers map[string]any
	fail    []string
	silent  []string

	mu    sync.Mutex
	asked []string
}

var _ model.BaseChatModel = (*Small)(nil)

// Background returns a small model with answers by task: a string is handed over as raw model text,
// anything else as its JSON. Tasks in fail return an Unavailable. A task with neither returns an error that
// matches state.ErrNotFound.
func Background(answers map[string]any, fail []string) *Small {
	return &Small{answers: maps.Clone(answers), fail: slices.Clone(fail)}
}

// Silence makes the model say nothing to tasks: such a call ends with its context. It returns the model; call it before any other use.
func (b *Small) Silence(tasks ...string) *Small {
	b.silent = slices.Clone(tasks)
	return b
}

// Has reports whether the task has an answer, a failure included.
func (b *Small) Has(task string) bool {
	_, ok := b.answers[task]
	return ok || slices.Contains(b.fail, task) || slices.Contains(b.silent, task)
}

// Asked returns the tasks asked for so far, in order; "" is a prompt that names none.
func (b *Small) Asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.asked)
}

// Generate answers the task that the first message names.
func (b *Small) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	// Every task that was asked for is noted, also one that gets no answer.
	task := TaskOf(in)
	op := "small model, task " + task
	b.mu.Lock()
	b.asked = append(b.asked, task)
	b.mu.Unlock()

	// A silent task waits for its end; a failing one fails.
	if slices.Contains(b.silent, task) {
		<-ctx.Done()
	}
	if err := ctx.Err(); err != nil {
		return nil, state.Errorf(state.Unavailable, op, "%w", err)
	}
	if slices.Contains(b.fail, task) {
		return nil, state.Errorf(state.Unavailable, op, "fails by script")
	}

	// The answer is text as it is, or a value that becomes JSON.
	answer, ok := b.answers[task]
	if !ok {
		return nil, state.Errorf(state.NotFound, op, "no scripted answer")
	}
	text, ok := answer.(string)
	if !ok {
		data, err := json.Marshal(answer)
		if err != nil {
			return nil, state.Errorf(state.Invalid, op, "scripted answer is no JSON: %w", err)
		}
		text = string(data)
	}
	return offline.Answer(in, text, nil), nil
}

// Stream answers as Generate does, word by word.
func (b *Small) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := b.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	return offline.Chunks(out), nil
}

// GetType names the component for eino's traces.
func (b *Small) GetType() string { return "ScriptedSmall" }

// TaskOf returns the task that a prompt for the small model names in its first line ("Task: detect"), "" if none.
func TaskOf(in []*schema.Message) string {
	if len(in) == 0 || in[0] == nil {
		return ""
	}
	line, _, _ := strings.Cut(in[0].Content, "\n")
	task, ok := strings.CutPrefix(strings.TrimSpace(line), taskPrefix)
	if !ok {
		return ""
	}
	return strings.TrimSpace(task)
}
