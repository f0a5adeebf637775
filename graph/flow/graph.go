package flow

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// Graph is a compiled graph. It is safe for concurrent use; one thread runs one turn at a time.
type Graph[S any, P State[S]] struct {
	name     string
	config   Config[S]
	shape    shape
	nodes    map[string]*node[S, P]
	runnable compose.Runnable[Token, Token]
	runs     sync.Map // attempt -> *run[S, P]
	serial   atomic.Int64
}

// Fingerprint tells graphs of different nodes, edges and fields apart.
func (g *Graph[S, P]) Fingerprint() string { return g.shape.print }

// Token is all that travels along eino's edges: which turn of which thread, and which attempt at it. The
// state itself is in the run, and after a crash in the log.
type Token struct {
	Client  string
	Thread  string
	Turn    string
	Attempt string // unique
}

// Invoke runs a turn: the changed fields of input are merged into the state the thread left (or into what
// Config.Fresh makes of it) and the graph runs to its end. It returns the state at the end. It does not
// return while a node is at work, even if another has failed.
//
// A node's error comes back as it is and leaves the turn unfinished: Resume goes on with it, and until
// then Invoke on the thread is checkpoint.ErrUnfinished. If nothing had been committed by then, there is
// no turn: Invoke again. A turn that runs on the thread is state.ErrConflict.
//
// Callback handlers in the context (callbacks.InitCallbacks) hear the graph and each node under its name.
func (g *Graph[S, P]) Invoke(ctx context.Context, thread state.Thread, turn string, input S) (S, error) {
	r, err := g.begin(ctx)
	if err != nil {
		return input, err
	}
	if g.config.Log != nil {
		t, err := g.config.Log.Begin(ctx, thread, turn)
		if err != nil {
			return input, err
		}
		defer t.Release()
		r.turn = t
		if err := r.start(ctx); err != nil {
			return input, err
		}
	}
	if err := r.input(input); err != nil {
		return input, err
	}
	return g.play(ctx, r, thread, turn)
}

// begin makes an empty run.
func (g *Graph[S, P]) begin(ctx context.Context) (*run[S, P], error) {
	r := &run[S, P]{graph: g, mode: g.config.Durability}
	if d, ok := ctx.Value(durabilityKey{}).(Durability); ok && d != "" {
		r.mode = d
	}
	return r, r.mode.check()
}

// Resume goes on with the thread's unfinished turn: finished nodes are not run again. No such turn is
// state.ErrNotFound, one that is running is state.ErrConflict, one that waits for an answer is *WaitingError. Fill,
// when not nil, sets what the log does not hold (volatile fields); other fields that it changes are committed
// like an input.
func (g *Graph[S, P]) Resume(ctx context.Context, thread state.Thread, fill func(S) S) (S, error) {
	open, err := g.Waits(ctx, thread)
	if err == nil && len(open) > 0 {
		err = &WaitingError{Asked: open}
	}
	if err != nil {
		var none S
		return none, err
	}
	return g.resume(ctx, thread, fill, nil)
}

// Force is Resume also for a turn that waits for an answer: the nodes that ask are entered again, and may decide to do
// without.
func (g *Graph[S, P]) Force(ctx context.Context, thread state.Thread) (S, error) {
	if g.config.Log == nil {
		var none S
		return none, g.noLog()
	}
	return g.resume(ctx, thread, nil, nil)
}

func (g *Graph[S, P]) resume(ctx context.Context, thread state.Thread, fill func(S) S, answers []checkpoint.Answer) (S, error) {
	var none S
	r, err := g.begin(ctx)
	if err != nil {
		return none, err
	}
	t, past, err := g.config.Log.Take(ctx, thread)
	if err != nil {
		return none, err
	}
	defer t.Release()
	r.turn = t
	if err := r.replay(past); err != nil {
		return none, err
	}
	if err := r.known(); err != nil {
		return none, err
	}
	answers = slices.DeleteFunc(answers, func(a checkpoint.Answer) bool { _, ok := r.answers[a.ID]; return ok })
	if len(answers) > 0 {
		if err := t.Commit(ctx, checkpoint.Commit{Source: checkpoint.SourceResume, Answers: answers}); err != nil {
			return none, err
		}
		for _, a := range answers {
			r.answers[a.ID] = a.Answer
		}
	}
	if fill != nil {
		if err := r.input(fill(r.state)); err != nil {
			return none, err
		}
	}
	return g.play(ctx, r, thread, t.ID())
}

// Unfinished reports whether the thread has a turn that Resume or Answer could go on with.
func (g *Graph[S, P]) Unfinished(ctx context.Context, thread state.Thread) (bool, error) {
	if g.config.Log == nil {
		return false, nil
	}
	head, err := g.config.Log.Head(ctx, thread)
	return err == nil && head.Seq > 0 && !head.Done, err
}

func (g *Graph[S, P]) noLog() error {
	return state.Errorf(state.NotFound, "graph "+g.name, "keeps no log; compile it with one")
}

// play runs the eino graph over a prepared run and closes the turn. eino returns at the first error, so
// the nodes that are still at work are waited for: what they were paid for is committed.
func (g *Graph[S, P]) play(ctx context.Context, r *run[S, P], thread state.Thread, turn string) (S, error) {
	token := Token{Client: thread.Client, Thread: thread.ID, Turn: turn, Attempt: g.attempt(r)}
	g.runs.Store(token.Attempt, r)
	defer g.runs.Delete(token.Attempt)
	inner, stop := g.guard(ctx, r)
	_, err := g.runnable.Invoke(inner, token)
	defer stop()
	return r.end(ctx, g.reason(err))
}

// guard ends the run's context when another attempt has taken the turn over: its work would be thrown away.
func (g *Graph[S, P]) guard(ctx context.Context, r *run[S, P]) (context.Context, func()) {
	if r.turn == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-r.turn.Lost():
			cancel(state.ErrFenced)
		case <-done:
		}
	})
	return ctx, func() { close(done); watch.Wait(); cancel(nil) }
}

// reason gives eino's own errors a code. What nodes returned is in the run.
func (g *Graph[S, P]) reason(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, compose.ErrExceedMaxSteps):
		return state.Errorf(state.Internal, "graph "+g.name,
			"came to no end in %d rounds; look at the branch that should leave the cycle: %w", g.config.MaxSteps, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return state.Errorf(state.Unavailable, "graph "+g.name, "was given up: %w", err)
	}
	return err
}

// attempt is the log's name of this attempt, or a number where nothing is kept.
func (g *Graph[S, P]) attempt(r *run[S, P]) string {
	if r.turn != nil {
		return r.turn.Attempt()
	}
	return strconv.FormatInt(g.serial.Add(1), 36)
}

func (g *Graph[S, P]) run(t Token) (*run[S, P], error) {
	r, ok := g.runs.Load(t.Attempt)
	if !ok {
		return nil, state.Errorf(state.Conflict, "turn "+t.Turn, "is not running here; resume it")
	}
	return r.(*run[S, P]), nil
}

// chosen gives eino the decision that the node's wrapper has already taken and logged.
func (g *Graph[S, P]) chosen(node string, i int) compose.GraphBranchCondition[Token] {
	return func(_ context.Context, t Token) (string, error) {
		r, err := g.run(t)
		if err != nil {
			return "", err
		}
		return r.choice(node, i), nil
	}
}
