package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// Gate lets so many turns work side by side as the machine can carry. A turn that waits for a model is not at work: its place is another's meanwhile, and
// it takes one again behind the answer, before any turn that is new. So a thousand turns may wait for models, and a flood of new ones is refused before
// those at work get slow.
type Gate struct{ places chan struct{} }

// NewGate makes a Gate; places 0 = one for each processor.
func NewGate(places int) *Gate {
	if places <= 0 {
		places = runtime.GOMAXPROCS(0)
	}
	return &Gate{make(chan struct{}, places)}
}

// pass is a turn's place.
type pass struct {
	gate *Gate
	mu   sync.Mutex
	held bool
}

type passKey struct{}

// enter takes a place; false where there is none. What leaves gives it back, if it is held. Without a gate there are places for all.
func (g *Gate) enter(ctx context.Context) (context.Context, func(), bool) {
	if g == nil {
		return ctx, func() {}, true
	}
	select {
	case g.places <- struct{}{}:
	default:
		return ctx, nil, false
	}
	p := &pass{gate: g, held: true}
	return context.WithValue(ctx, passKey{}, p), p.leave, true
}

func passFrom(ctx context.Context) *pass {
	p, _ := ctx.Value(passKey{}).(*pass)
	return p
}

func (p *pass) leave() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		p.held = false
		<-p.gate.places
	}
}

// back takes a place again. A turn whose context ends goes on without one: it has only to be closed.
func (p *pass) back(ctx context.Context) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		return
	}
	select {
	case p.gate.places <- struct{}{}:
		p.held = true
	case <-ctx.Done():
	}
}

// Model returns a model that gives the turn's place away while it is asked.
func (g *Gate) Model(m model.ToolCallingChatModel) model.ToolCallingChatModel {
	return toolWaiting{waiting{m}, m}
}

// Small does the same for a model that calls no tools; nil stays nil.
func (g *Gate) Small(m model.BaseChatModel) model.BaseChatModel {
	switch m := m.(type) {
	case nil:
		return nil
	case model.ToolCallingChatModel:
		return g.Model(m)
	default:
		return waiting{m}
	}
}

// waiting is a model with a gate before it.
type waiting struct{ inner model.BaseChatModel }

// Generate asks the model.
func (w waiting) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	p := passFrom(ctx)
	p.leave()
	defer p.back(ctx)
	return w.inner.Generate(ctx, in, opts...)
}

// Stream asks the model; the place is taken again when the stream is at its end.
func (w waiting) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	p := passFrom(ctx)
	p.leave()
	out, err := w.inner.Stream(ctx, in, opts...)
	if err != nil {
		p.back(ctx)
		return nil, err
	}
	same := func(m *schema.Message) (*schema.Message, error) { return m, nil }
	return schema.StreamReaderWithConvert(out, same, schema.WithOnEOF(func() (any, error) { p.back(ctx); return nil, io.EOF })), nil
}

// GetType returns the model's.
func (w waiting) GetType() string { kind, _ := components.GetType(w.inner); return kind }

// IsCallbacksEnabled is as the model has it.
func (w waiting) IsCallbacksEnabled() bool { return components.IsCallbacksEnabled(w.inner) }

// String names the model as the graph would without the gate: turns are gone on with by who has the same model.
func (w waiting) String() string {
	if named, ok := w.inner.(fmt.Stringer); ok {
		return named.String()
	}
	return cmp.Or(w.GetType(), fmt.Sprintf("%T", w.inner))
}

// toolWaiting is one that calls tools.
type toolWaiting struct {
	waiting
	tools model.ToolCallingChatModel
}

// WithTools returns the model with tools.
func (w toolWaiting) WithTools(infos []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	m, err := w.tools.WithTools(infos)
	if err != nil {
		return nil, err
	}
	return toolWaiting{waiting{m}, m}, nil
}
