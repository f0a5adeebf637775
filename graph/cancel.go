package graph

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Why a turn is ended before its answer is there. A caller that gives up adds a reason of its own (givenUp).
var (
	errNewer     = state.Errorf(state.Conflict, "", "ended without an answer: a newer message came")
	errCancelled = state.Errorf(state.Unavailable, "", "was cancelled: %w", context.Canceled)
	errClosed    = state.Errorf(state.Unavailable, "graph", "is closed; open another")
)

// grace is how long a turn that is to end may take to be closed in order, the model and the tools given up already.
const grace = 10 * time.Second

// Cancel ends the session's turn: the model and the tools are given up, and the turn is closed in order. It ends a turn
// that runs here, and waits for it; one that a process left which died; and one that waits for a person. The Reply is that
// of the turn, with what was said so far (Cut). No such turn is state.ErrNotFound, one that runs in another process is
// state.ErrConflict and says when to try again.
func (g *Graph) Cancel(ctx context.Context, scope state.Scope) (Reply, error) {
	scope = scope.Default()

	// A turn of this process is told to stop, and waited for. One that ended without an answer is looked for in the log.
	for {
		run := g.lines.stopRunning(scope.SessionKey(), errCancelled)
		if run == nil {
			break
		}
		select {
		case <-run.done:
			if run.reply.Turn != "" {
				return run.reply, nil
			}
		case <-ctx.Done():
			return Reply{}, state.Errorf(state.Unavailable, "session "+scope.SessionKey(), "given up waiting for its turn to end: %w", ctx.Err())
		}
	}

	// A turn that only the log knows is gone on with, stopped already, so that it closes.
	reply, err := g.serve(ctx, &call{scope: scope, policy: state.EnqueueTexting}, func(ctx context.Context, c *call) (Reply, error) {
		c.run.stop.Now(errCancelled)
		inner, t := g.prepareTurn(ctx, c)
		return t.makeReply(g.flow.Force(inner, scope.Thread()))
	})
	if errors.Is(err, errCancelled) {
		err = nil
	}
	return reply, err
}

// closesOnCancel reports whether a turn is closed in order when its caller gives up.
func (c *call) closesOnCancel() bool {
	return state.OnCancel(c.set.OnCancel) == state.CloseOnCancel
}

// detach returns the context that a turn runs under. When it closes the turn, the caller's end is not the turn's: it only
// uses the stop, and the turn is given some time to be closed. limit is the longest that the turn may take, 0 = any time. The
// caller of detach calls done when the turn is over.
func (g *Graph) detach(ctx context.Context, stop *state.Stop, closes bool, limit time.Duration) (inner context.Context, done func()) {
	// What may end the turn early: its own limit, and the caller if the turn is to be closed then.
	inner = ctx
	var quit <-chan struct{}
	var long <-chan time.Time
	if limit > 0 {
		long = g.c.After(limit)
	}
	if closes {
		inner, quit = context.WithoutCancel(ctx), ctx.Done()
	}
	inner, cancel := context.WithCancel(state.ContextWithStop(inner, stop))

	// The watch lives as long as the turn. The first reason stops it in order, and after a grace its context ends.
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-quit:
			stop.Now(givenUpError(ctx))
		case <-long:
			stop.Now(state.Errorf(state.Unavailable, "", "was ended after %s; see the setting turn_timeout", limit))
		case <-stop.Done():
		case <-over:
			return
		}
		select {
		case <-g.c.After(grace):
			cancel()
		case <-over:
		}
	})
	return inner, func() { close(over); watch.Wait(); cancel() }
}

// givenUpError is the reason of a turn whose caller has gone.
func givenUpError(ctx context.Context) error {
	const text = "was given up before its answer was complete"
	err, cause := ctx.Err(), context.Cause(ctx)
	var why *state.Error
	switch {
	case errors.As(cause, &why): // of the stop of another call
		return cause
	case errors.Is(cause, err):
		return state.Errorf(state.Unavailable, "", text+": %w", cause)
	}
	return state.Errorf(state.Unavailable, "", text+": %w: %w", err, cause)
}
