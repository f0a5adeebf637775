package graph

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/memory/token"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what a Graph works with. Store and Model are required; the zero value of the rest is the default.
type Config struct {
	Store store.Store                // required; whoever opened it closes it
	Model model.ToolCallingChatModel // required: answers

	SmallModel model.BaseChatModel // judges, titles and sums up; default none: rules do it
	Embedder   *embed.Embedder     // lets recall find by meaning; default none: by words

	// Shelf opens where vectors are kept, when they are first needed; Close closes it. Default: in the Store, and in RAM.
	Shelf func(ctx context.Context) (index.Shelf, error)

	Settings state.Settings       // default state.DefaultSettings()
	Tools    []tool.InvokableTool // besides the memory tools
	Identity string               // system prompt; default a short one of ours
	Tokens   *token.Counter       // default a counter of its own (o200k)
	Logger   *slog.Logger         // default silent
	Approve  []string             // tools whose calls a person has to approve, by name
	Now      func() time.Time     // default time.Now in UTC
	NewID    func() string        // default random UUIDs

	After func(time.Duration) <-chan time.Time // how leases and queues wait; default time.After
	Keep  time.Duration                        // how long the log of a session is kept after its last turn; 0 = for ever

	Lease time.Duration // how long a turn is safe from being taken over by another process; it is renewed. Default state.LeaseTTL

	Unfolded bool // leave the log of finished turns as it was written, a document a step, for people to read
}

// Graph is the pipeline over one store. It is safe for concurrent use: turns of different sessions run at the same
// time, those of one session one after the other (a second one is refused with state.ErrConflict).
type Graph struct {
	c      Config
	memory *memory.Memory
	log    *checkpoint.Log
	flow   *flow.Graph[state.Turn, *state.Turn]
	lines  lines
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
	if c.After == nil {
		c.After = time.After
	}
	if c.Shelf == nil {
		c.Shelf = func(context.Context) (index.Shelf, error) {
			return local.New(local.Config{Store: c.Store, Bytes: int64(c.Settings.ColdBudgetMB) << 20})
		}
	}
	var log *checkpoint.Log
	m, err := memory.New(memory.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Settings: c.Settings, Small: c.SmallModel, Embedder: c.Embedder, Shelf: c.Shelf, Tokens: c.Tokens, Logger: c.Logger,
		Journal: func(ctx context.Context, scope state.Scope, effects []state.Effect) error {
			return log.Append(ctx, scope.WritesThread(), effects)
		},
	})
	if err != nil {
		return nil, err
	}
	log = checkpoint.New(checkpoint.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Apply: m.Apply, Exclusive: m.Exclusive, Applied: m.Applied, Decided: m.Decided, Dropped: m.Dropped, Strange: m.Strange,
		After: c.After, Keep: c.Keep, Lease: c.Lease, Unfolded: c.Unfolded,
	})
	pipeline, err := wire(ctx, c, m, log)
	if err != nil {
		return nil, err
	}
	return &Graph{c: c, memory: m, log: log, flow: pipeline}, nil
}

// Memory is the graph's memory: affairs, records, recall.
func (g *Graph) Memory() *memory.Memory { return g.memory }

// Invoke runs a turn. An unfinished turn that a crash left in the session is finished first. When the model fails the
// error is state.ErrUnavailable, and the user's message and everything learnt so far stay; a session that is busy is
// state.ErrConflict unless double_texting says otherwise, a wrong request state.ErrInvalid: nothing was written then.
// A turn that has to ask a person comes back without text, but with Reply.Waits; Answer goes on with it.
func (g *Graph) Invoke(ctx context.Context, req Request) (Reply, error) {
	scope := req.Scope.Default()
	if err := scope.Validate(); err != nil {
		return Reply{}, err
	}
	policy := cmp.Or(req.DoubleTexting, state.DoubleTexting(g.c.Settings.DoubleTexting))
	run, err := g.lines.enter(ctx, scope.SessionKey(), policy)
	if err != nil {
		return Reply{}, err
	}
	defer g.lines.leave(scope.SessionKey())
	for wait := busyPause; ; wait = min(2*wait, 20*busyPause) {
		reply, err := g.invoke(ctx, req, scope, run, policy)
		elsewhere := errors.Is(err, checkpoint.ErrBusy) || errors.Is(err, checkpoint.ErrUnfinished)
		if !elsewhere || policy == state.RejectTexting {
			return reply, err
		}
		select { // another process has the session
		case <-g.c.After(wait):
		case <-ctx.Done():
			return reply, err
		}
	}
}

// busyPause is how long a message waits before it looks again whether another process has done with its session.
const busyPause = 50 * time.Millisecond

// invoke runs a turn of a session that is this one's.
func (g *Graph) invoke(ctx context.Context, req Request, scope state.Scope, run *running, policy state.DoubleTexting) (Reply, error) {
	outer := ctx
	ctx, t := g.turn(ctx, req, run.stop)
	var s state.Turn
	s.Input.Set(state.Input{Scope: scope, Turn: g.c.NewID(), AskSmall: req.AskSmall})
	s.View.Set(state.View{Turn: []state.Message{{
		ID: req.MessageID, Role: state.RoleUser, Text: req.Text, Parts: req.Parts, Attachments: req.Attachments,
		Metadata: req.Metadata, Speaker: req.Speaker, System: req.System,
	}}})
	var look sync.WaitGroup
	defer look.Wait()
	if g.c.Store.Features().Shared { // what other processes wrote is looked for while the log is opened; if that fails, intake looks and tells
		look.Go(func() { _, _ = g.memory.Session(ctx, scope) })
	}
	end, err := g.flow.Invoke(ctx, scope.Thread(), s.Input.Get().Turn, s)
	if errors.Is(err, checkpoint.ErrUnfinished) {
		t.trace.Note("an earlier turn of the session was unfinished and was finished first")
		if err := g.finish(outer, scope, policy); err != nil {
			return Reply{}, err
		}
		end, err = g.flow.Invoke(ctx, scope.Thread(), s.Input.Get().Turn, s)
	}
	if run.stopped() == state.RollbackTexting {
		if err := g.memory.Undo(context.WithoutCancel(outer), scope, s.Input.Get().Turn, end.Decision.Get()); err != nil {
			return t.reply(end, err)
		}
	}
	return t.reply(end, err)
}

// Resume goes on with the session's unfinished turn after its last finished step: no answered model call and no
// finished tool call runs again. No such turn is state.ErrNotFound. One that waits for a person comes back with its
// questions.
func (g *Graph) Resume(ctx context.Context, scope state.Scope) (Reply, error) {
	return g.goOn(ctx, scope, func(ctx context.Context, thread state.Thread) (state.Turn, error) {
		return g.flow.Resume(ctx, thread, nil)
	})
}

// Answer answers questions of the session's turn, by their ids, and goes on with it, in any process. Answers that were
// given before change nothing. An id that was not asked is state.ErrNotFound, an answer that its question does not
// allow state.ErrInvalid.
func (g *Graph) Answer(ctx context.Context, scope state.Scope, answers map[string]state.Answer) (Reply, error) {
	return g.goOn(ctx, scope, func(ctx context.Context, thread state.Thread) (state.Turn, error) {
		return g.flow.Answer(ctx, thread, answers)
	})
}

// Waits returns the questions that the session's turn waits for.
func (g *Graph) Waits(ctx context.Context, scope state.Scope) ([]checkpoint.Ask, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	return g.flow.Waits(ctx, scope.Thread())
}

func (g *Graph) goOn(ctx context.Context, scope state.Scope, do func(context.Context, state.Thread) (state.Turn, error)) (Reply, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return Reply{}, err
	}
	run, err := g.lines.enter(ctx, scope.SessionKey(), state.RejectTexting)
	if err != nil {
		return Reply{}, err
	}
	defer g.lines.leave(scope.SessionKey())
	ctx, t := g.turn(ctx, Request{Scope: scope}, run.stop)
	return t.reply(do(ctx, scope.Thread()))
}

// finish ends the session's unfinished turn. One that ends without an answer, because the model fails again, is finished
// all the same; one that waits for a person is left to wait, unless the policy gives it up. Nobody hears its events:
// they are not those of the turn that waits.
func (g *Graph) finish(ctx context.Context, scope state.Scope, policy state.DoubleTexting) error {
	ctx = state.ContextWithEvents(ctx, nil)
	inner, _ := g.turn(ctx, Request{Scope: scope}, nil)
	end, err := g.flow.Resume(inner, scope.Thread(), nil)
	if errors.Is(err, state.ErrWaits) && (policy == state.InterruptTexting || policy == state.RollbackTexting) {
		stop := make(chan struct{})
		close(stop)
		inner, _ = g.turn(ctx, Request{Scope: scope}, stop)
		end, err = g.flow.Force(inner, scope.Thread())
		if err == nil && policy == state.RollbackTexting {
			err = g.memory.Undo(ctx, scope, end.Input.Get().Turn, end.Decision.Get())
		}
	}
	if errors.Is(err, state.ErrNotFound) {
		return nil
	}
	return err
}

// Close waits until finished turns are tidied up. The store and the models are their owner's.
func (g *Graph) Close() error { return errors.Join(g.log.Close(), g.memory.Close()) }

// turn is what belongs to one call of Invoke or Resume.
type turn struct {
	began  time.Time
	trace  *state.Trace
	record *nodes.Record
	now    func() time.Time
}
