package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

// History returns the checkpoints of a session's turns, newest first, each with what was still to do.
func (g *Graph) History(ctx context.Context, scope state.Scope, w checkpoint.Which) ([]flow.Checkpoint, error) {
	return onThread(g, scope, func(thread state.Thread) ([]flow.Checkpoint, error) { return g.flow.History(ctx, thread, w) })
}

// State returns the turn of a session as it was after step number at of its log, 0 = the last.
func (g *Graph) State(ctx context.Context, scope state.Scope, at int64) (flow.Snapshot[state.Turn], error) {
	return onThread(g, scope, func(thread state.Thread) (flow.Snapshot[state.Turn], error) { return g.flow.State(ctx, thread, at) })
}

// Diff tells which fields of the turn's state changed between two steps of a session's log.
func (g *Graph) Diff(ctx context.Context, scope state.Scope, a, b int64) ([]flow.Change, error) {
	return onThread(g, scope, func(thread state.Thread) ([]flow.Change, error) { return g.flow.Diff(ctx, thread, a, b) })
}

// Prune deletes from a session's log the turns that keep does not name. The messages and what was learnt stay.
func (g *Graph) Prune(ctx context.Context, scope state.Scope, keep flow.Keep) (int, error) {
	return onThread(g, scope, func(thread state.Thread) (int, error) { return g.flow.Prune(ctx, thread, keep) })
}

// DeleteTurns deletes finished turns from a session's log, by their ids. The messages and what was learnt stay.
func (g *Graph) DeleteTurns(ctx context.Context, scope state.Scope, turns ...string) (int, error) {
	return onThread(g, scope, func(thread state.Thread) (int, error) { return g.flow.DeleteTurns(ctx, thread, turns...) })
}

// DeleteThread deletes a session's log whole. The messages and what was learnt stay. An unfinished turn is
// checkpoint.ErrUnfinished: Resume or Answer finishes it, Cancel ends it.
func (g *Graph) DeleteThread(ctx context.Context, scope state.Scope) error {
	thread, done, err := g.openThread(scope)
	if err != nil {
		return err
	}
	defer done()
	key := thread.Key()
	if _, err := g.lines.enter(ctx, key, "", state.RejectTexting); err != nil {
		return err
	}
	defer g.lines.leave(key)
	return g.log.Delete(ctx, thread)
}

// Fork makes a new session of the same user that stands where this one stood after a turn ("" = after the last finished
// one): with its log up to there and its messages, and with no affair active. It may be a turn that the session has from one that it was forked from
// itself. The old session stays as it is. A session
// to that exists is state.ErrConflict, a turn that is not finished or not there state.ErrNotFound.
func (g *Graph) Fork(ctx context.Context, scope state.Scope, turn, to string) error {
	_, done, err := g.openThread(scope)
	if err != nil {
		return err
	}
	defer done()
	scope = scope.Default()
	fork := scope
	fork.Session = to
	if err := fork.Validate(); err != nil {
		return err
	}

	// The messages up to it, and the step to fork after.
	messages, err := g.memory.Messages(ctx, scope)
	if err != nil {
		return err
	}
	had := turn != "" && slices.ContainsFunc(messages, func(msg state.Message) bool { return msg.Turn == turn })
	end, in, err := g.endOf(ctx, scope, turn, had)
	if err != nil {
		return err
	}
	upTo := int64(0)
	for _, msg := range messages {
		if msg.Turn == end.Turn {
			upTo = msg.Seq
		}
	}

	// Log and messages.
	if err := g.flow.Fork(ctx, in.Thread(), end.Seq, fork.Thread()); err != nil {
		return err
	}
	return g.memory.Sessions().Fork(ctx, scope, upTo, to)
}

// endOf returns the last step of a session's finished turn ("" = of the last one), and the session whose log has it: one that the session was forked from, for
// a turn that it has from there.
func (g *Graph) endOf(ctx context.Context, scope state.Scope, turn string, had bool) (end flow.Checkpoint, in state.Scope, err error) {
	in = scope
	for range mostForks {
		ends, err := g.flow.History(ctx, in.Thread(), checkpoint.Which{Turn: turn, Done: true, Limit: 1})
		if err != nil {
			return end, in, err
		}
		if len(ends) > 0 {
			return ends[0], in, nil
		}
		from, err := g.forkedFrom(ctx, in)
		if err != nil {
			return end, in, err
		}
		if !had || from.Session == "" {
			break
		}
		in = from
	}
	if had {
		return end, in, state.Errorf(state.NotFound, "turn "+turn, "of session %s is not finished, or its part of the log was pruned; fork after another one, which the session's history lists", in.Session)
	}
	return end, in, state.Errorf(state.NotFound, "session "+scope.Session, "has no finished turn %s to fork after", turn)
}

// Swept says what a Sweep found and did.
type Swept struct {
	Finished []checkpoint.Open `json:"finished,omitempty"` // turns that were unfinished and are finished now
	Waits    []checkpoint.Open `json:"waits,omitempty"`    // turns that wait for a person
	Runs     []checkpoint.Open `json:"runs,omitempty"`     // turns that run, or that finish did not ask for
	Others   []checkpoint.Open `json:"others,omitempty"`   // unfinished turns of other graphs in the store
}

// Sweep works off what processes that died have left, of a client or, with "", of all: it carries out decided edits of
// memory, deletes logs whose time is over, goes on with what was to be forgotten, tells Config.Scheduled of every task that is not done and, with finish, goes on with
// unfinished turns, which may ask models. It is for the start of a process and from time to time. When its context ends, the turn
// that it works on stays unfinished. The error joins those of single sessions; the others are swept.
func (g *Graph) Sweep(ctx context.Context, client string, finish bool) (Swept, error) {
	done, err := g.lines.begin()
	if err != nil {
		return Swept{}, err
	}
	defer done()

	// What the log has to make up.
	open, err := g.log.Sweep(ctx, client)
	errs := []error{err, g.memory.Forget().Finish(ctx, client), g.memory.Tasks().Tell(ctx, client)}
	var s Swept

	// Turns that are left.
	for _, o := range open {
		switch {
		case o.Graph != g.flow.Fingerprint(): // a host's graph in the same store, or an older form of this one
			s.Others = append(s.Others, o)
		case o.Waits:
			s.Waits = append(s.Waits, o)
		case o.Runs || !finish:
			s.Runs = append(s.Runs, o)
		default:
			user, session, _ := strings.Cut(o.Thread.ID, "/")
			scope := state.Scope{Client: o.Thread.Client, User: user, Session: session}.Default()
			if g.differsFrom(ctx, scope, Request{}) != "" {
				s.Others = append(s.Others, o)
				continue
			}
			err := g.finishSwept(ctx, scope)
			switch {
			case err == nil:
				s.Finished = append(s.Finished, o)
			case errors.Is(err, state.ErrWaits):
				s.Waits = append(s.Waits, o)
			case !errors.Is(err, state.ErrConflict):
				errs = append(errs, err)
			}
		}
	}
	return s, errors.Join(errs...)
}

// finishSwept goes on with an unfinished turn. One that ends without an answer is finished.
func (g *Graph) finishSwept(ctx context.Context, scope state.Scope) error {
	failed := false
	_, err := g.serve(ctx, &call{scope: scope, policy: state.RejectTexting, leaves: true}, func(ctx context.Context, c *call) (Reply, error) {
		inner, t := g.prepareTurn(ctx, c)
		end, err := g.flow.Resume(inner, scope.Thread(), nil)
		failed = err == nil && end.Failure.IsSet()
		if errors.Is(err, state.ErrWaits) {
			return Reply{}, err
		}
		return t.makeReply(end, err)
	})

	if failed {
		return nil
	}
	return err
}

// Waits returns the questions that the session's turn waits for.
func (g *Graph) Waits(ctx context.Context, scope state.Scope) ([]checkpoint.Ask, error) {
	return onThread(g, scope, func(thread state.Thread) ([]checkpoint.Ask, error) {
		asked, err := g.flow.Waits(ctx, thread)
		return append([]checkpoint.Ask{}, asked...), err
	})
}

// EachAsked visits the sessions of a user whose turn waits for a person, with its questions; a scope without a client is all users of all clients. Those of other graphs
// in the store are left out. A session that cannot be read is passed over: the error joins those of single sessions, and the others are visited.
func (g *Graph) EachAsked(ctx context.Context, of state.Scope, visit func(scope state.Scope, asked []checkpoint.Ask) error) error {
	done, err := g.lines.begin()
	if err != nil {
		return err
	}
	defer done()
	within := state.Thread{}
	if of.Client != "" {
		within = state.Thread{Client: of.Client, ID: of.Default().User + "/"}
	}
	open, err := g.log.Unfinished(ctx, within)
	errs := []error{err}
	for _, o := range open {
		user, session, _ := strings.Cut(o.Thread.ID, "/")
		scope := state.Scope{Client: o.Thread.Client, User: user, Session: session}
		if !o.Waits || o.Graph != g.flow.Fingerprint() || scope.Validate() != nil {
			continue
		}
		asked, err := g.flow.Waits(ctx, o.Thread)
		switch {
		case ctx.Err() != nil || errors.Is(err, state.ErrUnavailable): // so are the others
			return errors.Join(append(errs, err, ctx.Err())...)
		case err != nil:
			errs = append(errs, fmt.Errorf("session %s of user %s of client %s: %w", session, user, scope.Client, err))
			continue
		}
		if err := visit(scope, asked); err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
	return errors.Join(errs...)
}

// onThread does something with the log of a session.
func onThread[T any](g *Graph, scope state.Scope, do func(thread state.Thread) (T, error)) (found T, err error) {
	thread, done, err := g.openThread(scope)
	if err != nil {
		return found, err
	}
	defer done()
	return do(thread)
}

// openThread returns the thread of a session for a call that only looks at its log or tidies it up; the call calls done at its end.
func (g *Graph) openThread(scope state.Scope) (thread state.Thread, done func(), err error) {
	scope = scope.Default()
	if err := g.checkScope(scope); err != nil {
		return state.Thread{}, nil, err
	}
	done, err = g.lines.begin()
	return scope.Thread(), done, err
}
