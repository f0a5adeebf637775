package graph

import (
	"context"
	"errors"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// finish ends the session's unfinished turn so that a message can be answered. It is given up where there is a reason to. Else it
// is gone on with, for half of the time that the message has: then it is closed in order, as when its caller had gone. One
// that ends without an answer is finished all the same; one that waits for a person to approve a change of memory leaves a suggestion and ends,
// one that waits for anything else is left to wait. Nobody hears its
// events: they are not those of the turn that waits, in whose trace is said what was done.
func (g *Graph) finish(ctx context.Context, c *call, waits *turn) error {
	// Whether it is gone on with.
	head, err := g.log.Head(ctx, c.scope.Thread())
	if err != nil {
		return err
	}
	why := c.whyToGiveUp(head)
	if !errors.Is(why, errNewer) {
		if err := g.checkOwn(ctx, c.scope, c.req); err != nil {
			return err
		}
	}
	old := &call{scope: c.scope, set: c.set, run: &running{stop: state.NewStop()}}
	defer old.waitSettings()
	if why != nil {
		old.run.stop.Now(why)
	}

	// How long it may take.
	leave := c.leave
	if c.closesOnCancel() {
		half, release := halfTime(ctx, c.deadline)
		defer release()
		ctx, leave = half, leaveAtClose
	}
	ctx, release := g.detach(flow.ContextToLeave(state.ContextWithEvents(ctx, nil), false), old.run.stop, leave, 0)
	defer release()

	// Its end.
	inner, t := g.prepareTurn(ctx, old)
	var end state.Turn
	if why != nil {
		end, err = g.flow.Force(inner, c.scope.Thread())
	} else {
		end, err = g.goOnUnasked(inner, c.scope.Thread())
	}
	if errors.Is(err, state.ErrNotFound) { // another process has finished it, unless it is open still: then what failed was something else
		if now, e := g.log.Head(ctx, c.scope.Thread()); e == nil && (now.Done || now.Turn != head.Turn) {
			return nil
		}
	}
	if err == nil && c.policy == state.RollbackTexting {
		err = g.memory.History().UndoTurn(ctx, c.scope, end.Input.Get().Turn)
	}
	reply, failed := t.makeReply(end, err)
	g.logEnd(ctx, c.scope, reply, failed, reply.Trace.Took)
	waits.trace.Note("an earlier turn of the session was unfinished and was finished first")
	if failed != nil {
		waits.trace.Note("it ended without an answer: %v", failed)
	}
	return err
}

// whyToGiveUp returns why a message gives the turn before it up, whose last step is head; nil = it is finished first. Interrupt and rollback do, and
// whoever has not sent again what he could has sent something else.
func (c *call) whyToGiveUp(head checkpoint.Step) error {
	switch {
	case c.policy == state.InterruptTexting || c.policy == state.RollbackTexting:
		return errNewer
	case head.Source == checkpoint.SourceLeft && len(head.Asked) == 0:
		return errOther
	}
	return nil
}

// goOnUnasked goes on with a session's unfinished turn. If all that it waits for are changes of memory, these become suggestions; a call of
// the host's own goes on waiting.
func (g *Graph) goOnUnasked(ctx context.Context, thread state.Thread) (state.Turn, error) {
	asked, err := g.flow.Waits(ctx, thread)
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		return state.Turn{}, err
	}
	later := map[string]state.Answer{}
	for _, q := range asked {
		if tools.BuiltIn(q.Question.Tool) {
			later[q.ID] = state.Answer{Choice: state.Suggest}
		}
	}
	if len(later) == 0 || len(later) < len(asked) {
		return g.flow.Resume(ctx, thread, nil)
	}
	return g.flow.Answer(ctx, thread, later)
}

// halfTime returns a context that ends when the call is told to end, and when half of the time until its deadline is over.
func halfTime(ctx context.Context, deadline time.Time) (half context.Context, done func()) {
	half, release := state.Stoppable(ctx)
	if deadline.IsZero() {
		return half, release
	}
	half, cancel := context.WithTimeoutCause(half, time.Until(deadline)/2, errHalf) // of the system's clock, as deadlines are
	return half, func() { cancel(); release() }
}

// errHalf is why a turn that a process left unfinished is given up for the message behind it.
var errHalf = errors.New("half of the time of the message behind it was over")
