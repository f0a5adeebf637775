package flow

import (
	"context"
	"errors"
	"slices"
	"sync"

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
	runnable compose.Runnable[any, any]
	kept     results[S]
}

// Fingerprint tells graphs of different nodes, edges and fields apart.
func (g *Graph[S, P]) Fingerprint() string { return g.shape.print }

// Invoke runs a turn: the changed fields of input are merged into the state the thread left (or into what
// Config.Fresh makes of it) and the graph runs to its end. It returns the state at the end. It does not
// return while a node is at work, even if another has failed.
//
// A node's error comes back as it is and leaves the turn unfinished: Resume goes on with it, and until
// then Invoke of another turn on the thread is checkpoint.ErrUnfinished. If nothing had been committed by then, there is
// no turn: Invoke again. A turn that runs on the thread is checkpoint.ErrBusy; state.RetryAfter says for how long.
//
// The turn's id (see state.ValidateID) counts once, so a message may be delivered more than once under one id: a turn that
// is finished, or was given up, returns the state that it ended with, and nothing runs or is written; with the thread's
// unfinished turn Invoke goes on as Resume does, with the volatile fields of input. When the state was pruned, the error
// is checkpoint.ErrDone. ContextWithFreshTurn saves the look-up for ids that were never used.
//
// Callback handlers in the context (callbacks.InitCallbacks) hear the graph and each node under its name.
func (g *Graph[S, P]) Invoke(ctx context.Context, thread state.Thread, turn string, input S) (S, error) {
	r, err := g.newRun(ctx)
	if err != nil {
		return input, err
	}
	if g.config.Log != nil {
		t, done, err := g.openTurn(ctx, thread, turn)
		if errors.Is(err, checkpoint.ErrUnfinished) {
			return g.resumeSame(ctx, thread, turn, input, err)
		}
		if err != nil {
			return input, err
		}
		if done > 0 {
			return g.loadEnd(ctx, thread, turn, done)
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

type freshKey struct{}

// ContextWithFreshTurn says that the id of the turn which Invoke is given was never used before: it is not looked for, and not
// kept for being looked for later.
func ContextWithFreshTurn(ctx context.Context) context.Context {
	return context.WithValue(ctx, freshKey{}, true)
}

type leaveKey struct{}

// ContextToLeave says whether the caller will ask for the turn again when the end of its context has ended the attempt. Then the log says so
// by a last step of checkpoint.SourceLeft, which tells the unfinished turn from that of a process that died.
func ContextToLeave(ctx context.Context, again bool) context.Context {
	return context.WithValue(ctx, leaveKey{}, again)
}

// openTurn begins a turn, or tells which step ended it.
func (g *Graph[S, P]) openTurn(ctx context.Context, thread state.Thread, turn string) (t *checkpoint.Turn, done int64, err error) {
	if ctx.Value(freshKey{}) != nil {
		t, err = g.config.Log.Begin(ctx, thread, turn)
		return t, 0, err
	}
	return g.config.Log.BeginOnce(ctx, thread, turn)
}

// loadEnd returns the state that a turn of the thread ended with, at a step.
func (g *Graph[S, P]) loadEnd(ctx context.Context, thread state.Thread, turn string, step int64) (S, error) {
	s, err := g.State(ctx, thread, step)
	if state.CodeOf(err) == state.NotFound {
		err = state.Errorf(state.Conflict, "turn "+turn, "%w", checkpoint.ErrDone)
	}
	return s.State, err
}

// resumeSame goes on with the thread's unfinished turn if it is this one, else the error stays.
func (g *Graph[S, P]) resumeSame(ctx context.Context, thread state.Thread, turn string, input S, unfinished error) (S, error) {
	head, err := g.config.Log.Head(ctx, thread)
	switch {
	case err != nil:
		return input, err
	case ctx.Value(freshKey{}) != nil, head.Turn != turn, head.Done:
		return input, unfinished
	}
	given := input
	for i, f := range P(&given).Fields() { // the log has these, so they count as unchanged
		if stored, err := f.Field.Delta(); err == nil && stored.Type != 0 {
			if err := f.Field.Merge(P(&input).Fields()[i].Field); err != nil {
				return input, err
			}
		}
	}
	end, err := g.Resume(ctx, thread, func(S) S { return given })
	if state.CodeOf(err) == state.NotFound {
		if open, e := g.Unfinished(ctx, thread); e == nil && !open { // another process has finished it by now
			return g.Invoke(ctx, thread, turn, input)
		}
	}
	return end, err
}

// newRun makes an empty run.
func (g *Graph[S, P]) newRun(ctx context.Context) (*run[S, P], error) {
	r := &run[S, P]{graph: g, mode: g.config.Durability, visits: map[string]int{}, choices: map[string][]string{}, asking: map[string]bool{}}
	if d, ok := ctx.Value(durabilityKey{}).(Durability); ok && d != "" {
		r.mode = d
	}
	r.alive, _ = ctx.Value(aliveKey{}).(func())
	r.listener, _ = ctx.Value(listenerKey{}).(*listener)
	return r, r.mode.check()
}

// Resume goes on with the thread's unfinished turn: finished nodes are not run again. No such turn is
// state.ErrNotFound, one that is running is state.ErrConflict, one that waits for an answer is *WaitingError, with the state as it is. Fill,
// when not nil, sets what the log does not hold (volatile fields); other fields that it changes are committed
// like an input.
func (g *Graph[S, P]) Resume(ctx context.Context, thread state.Thread, fill func(S) S) (S, error) {
	q, err := g.inquire(ctx, thread)
	if err != nil {
		var none S
		return none, err
	}
	if q.stands() {
		return g.waits(ctx, thread, q)
	}
	return g.resume(ctx, thread, fill, q.answersBelow())
}

// Force is Resume also for a turn that waits for an answer: the nodes that ask are entered again, and may decide to do
// without.
func (g *Graph[S, P]) Force(ctx context.Context, thread state.Thread) (S, error) {
	return g.resume(ctx, thread, nil, nil)
}

func (g *Graph[S, P]) resume(ctx context.Context, thread state.Thread, fill func(S) S, answers []checkpoint.Answer) (S, error) {
	var none S
	r, err := g.newRun(ctx)
	if err == nil && g.config.Log == nil {
		err = g.noLogError()
	}
	if err != nil {
		return none, err
	}

	// The turn as it was left.
	t, past, err := g.config.Log.Take(ctx, thread)
	if err != nil {
		return none, err
	}
	defer t.Release()
	r.turn = t
	if err := r.replay(past); err != nil {
		return none, err
	}
	if err := r.checkKnown(); err != nil {
		return none, err
	}

	// Answers it does not have yet are a step.
	for _, a := range answers {
		if before, ok := r.answers[a.ID]; ok && !sameAnswer(before, a.Answer) {
			return none, answeredError(a.ID, before, a.Answer)
		}
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

	// What the log does not hold.
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

func (g *Graph[S, P]) noLogError() error {
	return state.Errorf(state.NotFound, "graph "+g.name, "keeps no log; compile it with one")
}

// play runs the eino graph over a prepared run, which ends the turn behind its last node. eino returns at the first
// error, so the nodes that are still at work are waited for: what they were paid for is committed.
func (g *Graph[S, P]) play(ctx context.Context, r *run[S, P], thread state.Thread, turn string) (S, error) {
	r.place = Place{Thread: thread, Turn: turn}
	if g.shape.cyclic {
		r.rounds = newRounds(&g.shape)
	}
	r.tellBegin()
	at := &where{Place: r.place}
	inner, stop := g.guard(context.WithValue(ctx, whereKey{}, at), r)
	defer stop()
	var opts []compose.Option
	if r.listener.wants(Messages) && ctx.Value(earKey{}) == nil { // else the graph that calls this one has the handler
		opts = append(opts, compose.WithCallbacks(newHearer()))
	}
	_, err := g.runnable.Invoke(context.WithValue(inner, runKey{}, r), g.showState(at, r.state), opts...)
	if !r.over {
		if ctx.Err() != nil && r.isComplete() {
			err = nil // given up when nothing but the end was left
		}
		r.result = r.end(ctx, g.giveCode(err))
	}
	return r.state, r.result
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

// giveCode gives eino's own errors a code. What nodes returned is in the run.
func (g *Graph[S, P]) giveCode(err error) error {
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
