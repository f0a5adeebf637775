package cassette

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// Config says what is recorded or played.
type Config struct {
	File   string                     // required
	Model  model.ToolCallingChatModel // is asked, and what it answers goes to the end of File; nil = File answers
	Redact func(text string) string   // of every text of a call, behind the redaction of keys; nil = nothing more
}

// Model is a recorded model, or its recording. It is safe for concurrent use if the model recorded is.
type Model struct {
	tape  *tape
	inner model.ToolCallingChatModel // nil = plays
	bound model.BaseChatModel        // inner with the tools of WithTools
	tools []*schema.ToolInfo
}

var _ model.ToolCallingChatModel = (*Model)(nil)

// Open opens a tape. To record needs no file: the first call makes it. To play one that is not there is NotFound. A file that is no tape,
// or one of another version, is Invalid.
func Open(c Config) (*Model, error) {
	if c.File == "" {
		return nil, state.Errorf(state.Invalid, "cassette", "names no file; give Config.File")
	}
	t, err := openTape(c)
	if err != nil {
		return nil, err
	}
	if c.Model == nil {
		return &Model{tape: t}, nil
	}
	return &Model{tape: t, inner: c.Model, bound: c.Model}, nil
}

// Generate asks the model, or answers as it did.
func (m *Model) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	asked, err := m.request(in, opts)
	if err != nil {
		return nil, err
	}
	if m.inner == nil {
		c, err := m.tape.find(ctx, asked)
		if err != nil {
			return nil, err
		}
		if c.Error != nil {
			return nil, c.Error.typed()
		}
		answer, err := c.answer(asked)
		if err != nil {
			return nil, state.Errorf(state.Invalid, "cassette "+m.tape.file, "an answer cannot be put together: %w", err)
		}
		return schema.ConcatMessages(answer)
	}
	out, err := m.bound.Generate(ctx, in, opts...)
	if err != nil {
		return nil, m.failed(ctx, asked, nil, err)
	}
	return out, m.record(ctx, asked, []*schema.Message{out}, nil)
}

// Stream asks the model, or answers as it did.
func (m *Model) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	asked, err := m.request(in, opts)
	if err != nil {
		return nil, err
	}
	if m.inner == nil {
		return m.play(ctx, asked)
	}
	from, err := m.bound.Stream(ctx, in, opts...)
	if err != nil {
		return nil, m.failed(ctx, asked, nil, err)
	}
	heard := &heard{}
	keep := func(chunk *schema.Message) (*schema.Message, error) { heard.add(chunk); return chunk, nil }
	broke := schema.WithErrWrapper(func(err error) error { return m.failed(ctx, asked, heard.chunks, err) })
	ended := schema.WithOnEOF(func() (any, error) {
		if err := m.record(ctx, asked, heard.chunks, nil); err != nil {
			return nil, err
		}
		return nil, io.EOF
	})
	return schema.StreamReaderWithConvert(from, keep, broke, ended), nil
}

// heard is what a stream has said.
type heard struct {
	mu     sync.Mutex
	chunks []*schema.Message
}

func (h *heard) add(chunk *schema.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.chunks = append(h.chunks, chunk)
}

// play streams a recorded call.
func (m *Model) play(ctx context.Context, asked request) (*schema.StreamReader[*schema.Message], error) {
	c, err := m.tape.find(ctx, asked)
	if err != nil {
		return nil, err
	}
	if c.Error != nil && len(c.Answer) == 0 {
		return nil, c.Error.typed()
	}
	chunks, err := c.answer(asked)
	if err != nil {
		return nil, state.Errorf(state.Invalid, "cassette "+m.tape.file, "an answer cannot be put together: %w", err)
	}
	out, to := schema.Pipe[*schema.Message](len(chunks) + 1) // holds all of it, so that nothing waits for the reader
	for _, chunk := range chunks {
		to.Send(chunk, nil)
	}
	if c.Error != nil {
		to.Send(nil, c.Error.typed())
	}
	to.Close()
	return out, nil
}

// record writes a call, unless its caller has given up.
func (m *Model) record(ctx context.Context, asked request, answer []*schema.Message, failed error) error {
	if ctx.Err() == nil {
		return m.tape.write(asked, answer, failed)
	}
	return nil
}

// failed records a call that failed and returns its error, with that of the recording if there is one.
func (m *Model) failed(ctx context.Context, asked request, answer []*schema.Message, err error) error {
	if lost := m.record(ctx, asked, answer, err); lost != nil {
		return errors.Join(err, lost)
	}
	return err
}

// WithTools returns a model that offers tools, on the same tape.
func (m *Model) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	out := &Model{tape: m.tape, inner: m.inner, tools: slices.Clone(tools)}
	if m.inner == nil {
		return out, nil
	}
	bound, err := m.inner.WithTools(tools)
	if err != nil {
		return nil, err
	}
	out.bound = bound
	return out, nil
}

// String returns the name of the model that is recorded, "cassette" where one is played.
func (m *Model) String() string {
	if named, ok := m.inner.(fmt.Stringer); ok {
		return named.String()
	}
	return "cassette"
}

// GetType names the component for eino's traces.
func (m *Model) GetType() string { return "Cassette" }

// IsCallbacksEnabled is that of the model which is recorded.
func (m *Model) IsCallbacksEnabled() bool {
	return m.inner != nil && components.IsCallbacksEnabled(m.inner)
}
