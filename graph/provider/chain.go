package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// nextWait is the longest pause before a repeat when there is another model to ask.
const nextWait = 2 * time.Second

// OpenChain opens models of which each is asked when the one before it failed with a typed error and nothing of its answer
// was handed on; the turn's trace says so. With one Config it is Open. A model that another follows does not wait long:
// its MaxWait is 2 seconds if it has none. The error of a chain of which none answers is Unavailable if any of theirs is.
func OpenChain(ctx context.Context, configs ...Config) (model.ToolCallingChatModel, error) {
	c := &chain{}
	for i, config := range configs {
		if config.MaxWait == 0 && i < len(configs)-1 {
			config.MaxWait = nextWait
		}
		m, err := Open(ctx, config)
		if err != nil || len(configs) == 1 {
			return m, err
		}
		c.links = append(c.links, link{config.Model, m})
	}
	if len(c.links) == 0 {
		return Open(ctx, Config{})
	}
	return c, nil
}

// chain is models to be asked one after the other. It is never changed after it was made.
type chain struct{ links []link }

type link struct {
	name  string
	model model.ToolCallingChatModel
}

var _ model.ToolCallingChatModel = (*chain)(nil)

// Generate asks for one whole answer.
func (c *chain) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	return ask(ctx, c, func(l link) (*schema.Message, error) { return l.generate(ctx, in, opts) })
}

// Stream asks for an answer in chunks. It returns once a model has begun to say something.
func (c *chain) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return ask(ctx, c, func(l link) (*schema.StreamReader[*schema.Message], error) {
		ctx, cancel := context.WithCancel(ctx)
		from, err := l.stream(ctx, in, opts)
		if err != nil {
			cancel()
			return nil, err
		}
		return begun(from, says, cancel)
	})
}

// ask asks one model after the other.
func ask[T any](ctx context.Context, c *chain, put func(link) (T, error)) (T, error) {
	var failed []error
	for i, l := range c.links {
		out, err := put(l)
		if err == nil {
			return out, nil
		}
		failed = append(failed, err)
		if ctx.Err() != nil || i == len(c.links)-1 {
			break
		}
		state.TraceFrom(ctx).Note("model %s did not answer, %s is asked: %v", l.name, c.links[i+1].name, err)
	}
	var none T
	return none, c.all(failed)
}

// all returns the error of models that all failed.
func (c *chain) all(failed []error) error {
	out := &state.Error{Code: state.CodeOf(failed[len(failed)-1]), Op: "models " + c.names()}
	var causes []any
	for _, err := range failed {
		if errors.Is(err, state.ErrUnavailable) {
			out.Code = state.Unavailable
		}
		if after := state.RetryAfter(err); after > 0 && (out.RetryAfter == 0 || after < out.RetryAfter) {
			out.RetryAfter = after
		}
		causes = append(causes, err)
	}
	out.Err = fmt.Errorf("none answered: "+strings.TrimSuffix(strings.Repeat("%w; ", len(causes)), "; "), causes...)
	return out
}

func (c *chain) names() string {
	var names []string
	for _, l := range c.links {
		names = append(names, l.name)
	}
	return strings.Join(names, ", ")
}

// WithTools returns a chain that offers tools.
func (c *chain) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	out := &chain{}
	for _, l := range c.links {
		bound, err := l.model.WithTools(tools)
		if err != nil {
			return nil, err
		}
		out.links = append(out.links, link{l.name, bound})
	}
	return out, nil
}

// String returns the names of the models.
func (c *chain) String() string {
	var names []string
	for _, l := range c.links {
		names = append(names, l.name)
	}
	return strings.Join(names, ",")
}

// GetType names the component for eino's traces.
func (c *chain) GetType() string { return "Chain" }

// IsCallbacksEnabled is true: every model of the chain has callbacks of its own.
func (c *chain) IsCallbacksEnabled() bool { return true }

// generate asks a model, with callbacks.
func (l link) generate(ctx context.Context, in []*schema.Message, opts []model.Option) (*schema.Message, error) {
	if components.IsCallbacksEnabled(l.model) {
		return l.model.Generate(ctx, in, opts...)
	}
	ctx = l.start(ctx, in)
	out, err := l.model.Generate(ctx, in, opts...)
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	callbacks.OnEnd(ctx, &model.CallbackOutput{Message: out})
	return out, nil
}

// stream asks a model, with callbacks.
func (l link) stream(ctx context.Context, in []*schema.Message, opts []model.Option) (*schema.StreamReader[*schema.Message], error) {
	if components.IsCallbacksEnabled(l.model) {
		return l.model.Stream(ctx, in, opts...)
	}
	ctx = l.start(ctx, in)
	out, err := l.model.Stream(ctx, in, opts...)
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	_, out = callbacks.OnEndWithStreamOutput(ctx, out)
	return out, nil
}

func (l link) start(ctx context.Context, in []*schema.Message) context.Context {
	kind, _ := components.GetType(l.model)
	return callbacks.OnStart(callbacks.EnsureRunInfo(ctx, kind, components.ComponentOfChatModel), &model.CallbackInput{Messages: in})
}

// says reports whether a chunk holds something that a reader would show or do.
func says(m *schema.Message) bool {
	return m != nil && (m.Content != "" || m.ReasoningContent != "" || len(m.ToolCalls) > 0 || len(m.AssistantGenMultiContent) > 0)
}

// begun reads a stream until enough has come and returns a reader of all of it. The error is that of a stream which fails
// before, or has no chunk at all. Closing the reader ends the call by cancel.
func begun(from *schema.StreamReader[*schema.Message], enough func(*schema.Message) bool, cancel func()) (*schema.StreamReader[*schema.Message], error) {
	var head []*schema.Message
	for {
		chunk, err := from.Recv()
		if errors.Is(err, io.EOF) && len(head) > 0 {
			break
		}
		if err != nil {
			cancel()
			from.Close()
			return nil, nothing(err)
		}
		head = append(head, chunk)
		if enough(chunk) {
			break
		}
	}
	out, to := schema.Pipe[*schema.Message](1)
	go func() {
		defer cancel()
		defer from.Close()
		defer to.Close()
		closed := false
		for _, chunk := range head {
			closed = closed || to.Send(chunk, nil)
		}
		for {
			if closed { // what is left is read: some modules leave a goroutine behind that waits for its reader
				cancel()
			}
			chunk, err := from.Recv()
			if errors.Is(err, io.EOF) {
				return
			}
			if closed = to.Send(chunk, err); err != nil {
				return
			}
		}
	}()
	return out, nil
}

// nothing returns the error of a stream without a chunk, where that is no more than its end.
func nothing(err error) error {
	if errors.Is(err, io.EOF) {
		return state.Errorf(state.Unavailable, "model", "answered nothing")
	}
	return err
}
