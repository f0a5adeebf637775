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
	errClosing   = state.Errorf(state.Unavailable, "", "was cut when its process closed the graph")
	errOther     = state.Errorf(state.Unavailable, "", "was cut, and another message came before it was sent again")
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
	if errors.Is(err, errCancelled) || errors.Is(err, errNewer) { // a message that came behind may have ended it first
		err = nil
	}
	return reply, err
}

// leave reports whether the end of its caller's context, or of the graph, leaves the turn unfinished: where the caller can send the same
// again, and where on_cancel says that the next message finishes it. Else it is closed in order.
func (c *call) leave(error) bool { return c.sentAgain() || c.leaves || !c.closesOnCancel() }

// sentAgain reports whether the caller can send the same again, and nothing else is to go on with the turn before.
func (c *call) sentAgain() bool { return c.turn != "" && !c.leaves && c.closesOnCancel() }

func (c *call) closesOnCancel() bool {
	return state.OnCancel(c.set.OnCancel) == state.CloseOnCancel
}

// leaveAtClose is leave of a turn that is finished for the message behind it, and of which its own caller knows nothing.
func leaveAtClose(why error) bool { return errors.Is(why, errClosing) }

// detach returns the context that a turn runs under. The end of its caller and of the graph either end that context, if leave says so, or
// only use the stop, and the turn is given some time to be closed. limit is the longest that the turn may take, 0 = any time. The
// caller of detach calls done when the turn is over.
func (g *Graph) detach(ctx context.Context, stop *state.Stop, leave func(why error) bool, limit time.Duration) (inner context.Context, done func()) {
	inner = ctx
	if !leave(context.Canceled) {
		inner = context.WithoutCancel(ctx)
	}
	inner, cancel := context.WithCancelCause(state.ContextWithStop(inner, stop))
	end := func(why error) {
		if leave(why) {
			cancel(why)
		} else {
			stop.Now(why)
		}
	}
	var long <-chan time.Time
	if limit > 0 {
		long = g.c.After(limit)
	}

	// The watch lives as long as the turn. The first reason stops it in order, and after a grace its context ends.
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-ctx.Done():
			end(givenUpError(ctx))
		case <-g.lines.over:
			end(errClosing)
		case <-long:
			stop.Now(state.Errorf(state.Unavailable, "", "was ended after %s; see the setting turn_timeout", limit))
		case <-stop.Done():
		case <-over:
			return
		}
		select {
		case <-g.c.After(grace):
			cancel(nil)
		case <-over:
		}
	})
	return inner, func() { close(over); watch.Wait(); cancel(nil) }
}

// ErrLeft is in the error of a turn that is left unfinished: what its reply has is no answer yet.
var ErrLeft = errors.New("it is not finished")

// sayLeft returns the error of a call that has left its turn unfinished.
func (c *call) sayLeft(ctx context.Context, turn string, err error) error {
	if code := state.CodeOf(err); code != state.Unavailable && code != state.Internal {
		return err
	}
	why, how := error(errClosing), "the session's next message finishes it"
	if stopped := c.run.stop.Err(); stopped != nil {
		why = stopped
	} else if ctx.Err() != nil {
		why = givenUpError(ctx)
	}
	if c.sentAgain() {
		how = "send the same again to go on with it"
	}
	return state.Errorf(state.Unavailable, "turn "+turn, "%w; %w, %s", why, ErrLeft, how)
}

// givenUpError returns the reason of a turn whose caller has gone.
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
