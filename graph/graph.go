package graph

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/token"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what a Graph works with. Store and Model are required; the zero value of the rest is the default.
type Config struct {
	Store store.Store                // required; whoever opened it closes it
	Model model.ToolCallingChatModel // required: answers

	SmallModel model.BaseChatModel  // judges, titles and sums up; default none: rules do it
	Settings   state.Settings       // default state.DefaultSettings()
	Tools      []tool.InvokableTool // besides the memory tools
	Identity   string               // system prompt; default a short one of ours
	Tokens     *token.Counter       // default a counter of its own (o200k)
	Logger     *slog.Logger         // default silent
	Now        func() time.Time     // default time.Now in UTC
	NewID      func() string        // default random UUIDs
}

// Graph is the pipeline over one store. It is safe for concurrent use: turns of different sessions run at the same
// time, those of one session one after the other (a second one is refused with state.ErrConflict).
type Graph struct {
	c      Config
	memory *memory.Memory
	flow   *flow.Graph[state.Turn, *state.Turn]
}

// New builds a Graph. It does no I/O; a mistake in the Config is state.ErrInvalid.
func New(ctx context.Context, c Config) (*Graph, error) {
	if c.Store == nil || c.Model == nil {
		return nil, state.Errorf(state.Invalid, "graph", "Config needs a Store and a Model; graph/embedded has both")
	}
	if c.Settings == (state.Settings{}) {
		c.Settings = state.DefaultSettings()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	m, err := memory.New(memory.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Settings: c.Settings, Small: c.SmallModel, Tokens: c.Tokens, Logger: c.Logger,
	})
	if err != nil {
		return nil, err
	}
	log := checkpoint.New(checkpoint.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Apply: m.Apply, Exclusive: m.Exclusive, Applied: m.Applied,
	})
	pipeline, err := wire(ctx, c, m, log)
	if err != nil {
		return nil, err
	}
	return &Graph{c: c, memory: m, flow: pipeline}, nil
}

// Memory is the graph's memory: affairs, records, recall.
func (g *Graph) Memory() *memory.Memory { return g.memory }

// Invoke runs a turn. An unfinished turn that a crash left in the session is finished first. When the model fails the
// error is state.ErrUnavailable, and the user's message and everything learnt so far stay; a session that is busy is
// state.ErrConflict, a wrong request state.ErrInvalid: nothing was written then.
func (g *Graph) Invoke(ctx context.Context, req Request) (Reply, error) {
	scope := req.Scope.Default()
	if err := scope.Validate(); err != nil {
		return Reply{}, err
	}
	outer := ctx
	ctx, t := g.turn(ctx, req)
	var s state.Turn
	s.Input.Set(state.Input{Scope: scope, Turn: g.c.NewID(), AskSmall: req.AskSmall})
	s.View.Set(state.View{Turn: []state.Message{{
		ID: req.MessageID, Role: state.RoleUser, Text: req.Text, Parts: req.Parts, Attachments: req.Attachments,
		Metadata: req.Metadata, Speaker: req.Speaker, System: req.System,
	}}})
	end, err := g.flow.Invoke(ctx, scope.Thread(), s.Input.Get().Turn, s)
	if errors.Is(err, checkpoint.ErrUnfinished) {
		t.trace.Note("an earlier turn of the session was unfinished and was finished first")
		if err := g.finish(outer, scope); err != nil {
			return Reply{}, err
		}
		end, err = g.flow.Invoke(ctx, scope.Thread(), s.Input.Get().Turn, s)
	}
	return t.reply(end, err)
}

// Resume goes on with the session's unfinished turn after its last finished step: no answered model call and no
// finished tool call runs again. No such turn is state.ErrNotFound.
func (g *Graph) Resume(ctx context.Context, scope state.Scope) (Reply, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return Reply{}, err
	}
	ctx, t := g.turn(ctx, Request{Scope: scope})
	end, err := g.flow.Resume(ctx, scope.Thread(), nil)
	return t.reply(end, err)
}

// finish ends the session's unfinished turn. One that ends without an answer, because the model fails again, is finished
// all the same. Nobody hears its events: they are not those of the turn that waits.
func (g *Graph) finish(ctx context.Context, scope state.Scope) error {
	ctx, _ = g.turn(state.ContextWithEvents(ctx, nil), Request{Scope: scope})
	_, err := g.flow.Resume(ctx, scope.Thread(), nil)
	if errors.Is(err, state.ErrNotFound) {
		return nil
	}
	return err
}

// Close releases what the graph holds. The store and the models are their owner's.
func (g *Graph) Close() error { return nil }

// turn is what belongs to one call of Invoke or Resume.
type turn struct {
	began  time.Time
	trace  *state.Trace
	record *nodes.Record
	now    func() time.Time
}
