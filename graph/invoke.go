package graph

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// Invoke runs a turn. An unfinished turn that a crash left in the session is finished first, in at most half of the time
// that the caller has. When the model fails the error is state.ErrUnavailable, and the user's message and everything
// learnt so far stay; a session that is busy is state.ErrConflict unless double_texting says otherwise, a wrong request
// state.ErrInvalid: nothing was written then. A turn that has to ask a person comes back without text, but with
// Reply.Waits; Answer goes on with it.
//
// When the context ends, the Reply has what was said so far, with Cut set, and the error wraps the context's. A turn with a MessageID stays
// unfinished: the same message again goes on with it, and another one closes it as cut, without asking a model. One without is closed in
// order. With on_cancel: resume both stay unfinished, and the next message finishes them.
func (g *Graph) Invoke(ctx context.Context, req Request) (Reply, error) {
	c := &call{scope: req.scope(), req: req, policy: req.DoubleTexting, turn: req.MessageID}
	return g.serve(ctx, c, func(ctx context.Context, c *call) (Reply, error) { return g.whenFree(ctx, c, g.runTurn) })
}

// Resume goes on with the session's unfinished turn after its last finished step: no answered model call and no
// finished tool call runs again. No such turn is state.ErrNotFound. One that waits for a person comes back with its
// questions. When the context ends, a turn with a MessageID stays unfinished, as with Invoke.
func (g *Graph) Resume(ctx context.Context, scope state.Scope) (Reply, error) {
	c := &call{scope: scope.Default(), policy: state.RejectTexting}
	if head, err := g.log.Head(ctx, c.scope.Thread()); err == nil {
		c.leaves = head.Named
	}
	return g.goOn(ctx, c, func(ctx context.Context) (state.Turn, error) { return g.flow.Resume(ctx, c.scope.Thread(), nil) })
}

// Answer answers questions of the session's turn, by their ids, and goes on with it, in any process. An answer may be given again until
// its reply has come: it goes on with a turn that was cut short behind it, waits for one that runs, here or in another process, and returns
// the reply of one that has ended. Another answer to the same question is state.ErrConflict. So is a session that is busy with another turn,
// unless double_texting lets it wait; no policy lets an answer end a turn. An id that was not asked is state.ErrNotFound, an answer that
// its question does not allow state.ErrInvalid. When the context ends, the turn stays unfinished.
func (g *Graph) Answer(ctx context.Context, scope state.Scope, answers map[string]state.Answer) (Reply, error) {
	return g.AnswerWith(ctx, Request{Scope: scope}, answers)
}

// AnswerWith is Answer for a turn that has something of its own: the request brings its scope, and again its model, model options and tools.
// The request's message counts nothing.
func (g *Graph) AnswerWith(ctx context.Context, own Request, answers map[string]state.Answer) (Reply, error) {
	own = Request{Scope: own.scope(), Model: own.Model, SmallModel: own.SmallModel, ModelOptions: own.ModelOptions, Tools: own.Tools}
	c := &call{scope: own.Scope, req: own, waits: true}
	for id := range answers {
		c.turn = Question{ID: id}.Turn()
	}
	answers = g.dateAnswers(answers)
	return g.goOn(ctx, c, func(ctx context.Context) (state.Turn, error) { return g.flow.Answer(ctx, c.scope.Thread(), answers) })
}

// dateAnswers notes in answers when they are given.
func (g *Graph) dateAnswers(answers map[string]state.Answer) map[string]state.Answer {
	dated := maps.Clone(answers)
	for id, a := range dated {
		a.At = g.c.Now()
		dated[id] = a
	}
	return dated
}

// goOn goes on with the session's unfinished turn.
func (g *Graph) goOn(ctx context.Context, c *call, do func(context.Context) (state.Turn, error)) (Reply, error) {
	attempt := func(ctx context.Context, c *call) (Reply, error) {
		if err := g.checkOwn(ctx, c.scope, c.req); err != nil {
			return Reply{}, err
		}
		inner, t := g.prepareTurn(ctx, c)
		end, err := do(inner)
		if err == nil && len(t.trace.Nodes()) == 0 { // it had ended before
			t.ended = c.turn != ""
			end, err = g.loadSaid(inner, c.scope, end)
		}
		return t.makeReply(end, err)
	}
	return g.serve(ctx, c, func(ctx context.Context, c *call) (Reply, error) { return g.whenFree(ctx, c, attempt) })
}

// call is one call that works on a session's turn.
type call struct {
	scope  state.Scope
	req    Request
	turn   string              // that it is for, where the caller knows it: a message's id, or that of the questions it answers
	policy state.DoubleTexting // "" = the setting
	waits  bool                // it ends no other turn, whatever the policy says
	set    *settings.Set       // what was known when the call began
	leaves bool                // the turn is left unfinished when the caller gives up, whatever on_cancel says

	looking []func() // wait until the settings of its turns are there

	deadline time.Time // the caller's; zero = none
	run      *running
}

// serve gives a call the session for itself: it waits for it as the policy says, has the turn closed when the caller gives
// up, and logs how it ended. A caller that has given up before finds nothing written.
func (g *Graph) serve(ctx context.Context, c *call, do func(context.Context, *call) (Reply, error)) (reply Reply, err error) {
	// A graph that is being closed takes no calls; how each one ended is logged.
	done, err := g.lines.begin()
	if err != nil {
		return Reply{}, err
	}
	defer done()
	began := g.c.Now()
	defer func() { g.logEnd(ctx, c.scope, reply, err, g.c.Now().Sub(began)) }()

	// What is wrong with the call is refused before it waits in line.
	if err := g.checkCall(ctx, c); err != nil {
		return Reply{}, err
	}
	c.set = g.memory.Settings().Known(c.scope)
	if c.policy = cmp.Or(c.policy, state.DoubleTexting(c.set.DoubleTexting)); c.waits && c.policy != state.RejectTexting {
		c.policy = state.EnqueueTexting
	}
	defer c.waitSettings()

	// The call waits in line for the session. Its reply is there before the next one in line goes on.
	key := c.scope.SessionKey()
	if c.run, err = g.lines.enter(ctx, key, c.turn, c.policy); err != nil {
		return Reply{}, err
	}
	defer func() {
		c.run.reply, c.run.err = reply, err
		g.lines.leave(key)
	}()
	if g.lines.isClosed() {
		return Reply{}, errClosed
	}

	// The turn runs under a context of its own, so that it can still be closed when the caller has given up.
	c.deadline, _ = ctx.Deadline()
	inner, release := g.detach(c.run.told.overhear(flow.ContextToLeave(ctx, c.sentAgain())), c.run.stop, c.leave, c.set.TurnTimeout)
	defer release()
	if reply, err = do(inner, c); err != nil && inner.Err() != nil && c.leave(err) {
		err = c.sayLeft(ctx, cmp.Or(reply.Turn, c.turn), err)
	}
	return reply, err
}

// waitSettings waits until nothing of the call looks for settings any more.
func (c *call) waitSettings() {
	for _, wait := range c.looking {
		wait()
	}
}

// checkCall refuses a call before anything is written or another turn is told to end.
func (g *Graph) checkCall(ctx context.Context, c *call) error {
	if ctx.Err() != nil {
		return givenUpError(ctx)
	}

	if err := g.checkScope(c.scope); err != nil {
		return err
	}
	if named := c.req.Scope.Agent; c.req.Agent != "" && named != "" && named != c.req.Agent {
		return state.Errorf(state.Invalid, "agent "+c.req.Agent, "is not %s, the agent of the request's scope; leave one of them out", named)
	}
	if allowed := g.c.Settings; c.policy != "" {
		if err := allowed.Set("double_texting", string(c.policy)); err != nil {
			return err
		}
	}

	if o := model.GetCommonOptions(nil, c.req.ModelOptions...); o.Tools != nil || o.DeferredTools != nil || o.ToolSearchTool != nil {
		return state.Errorf(state.Invalid, "model options", "have tools, which a turn could not run; give them as Tools")
	}
	if err := checkMessageID(c.req.MessageID); err != nil || len(c.req.Tools) == 0 {
		return err
	}
	return nodes.CheckTools(ctx, nil, tools.New(g.memory), g.c.Tools, c.req.Tools)
}

// busyPause is how long a message waits before it looks again whether another process has done with its session.
const busyPause = 50 * time.Millisecond

// whenFree makes an attempt for a call. While another process has the session it tries again and again, if the policy is
// not to be refused, or if it is this call's turn that the other one is at work on.
func (g *Graph) whenFree(ctx context.Context, c *call, attempt func(context.Context, *call) (Reply, error)) (Reply, error) {
	for wait := busyPause; ; wait = min(2*wait, 20*busyPause) {
		reply, err := attempt(ctx, c)
		elsewhere := errors.Is(err, checkpoint.ErrBusy) || errors.Is(err, checkpoint.ErrUnfinished)
		if !elsewhere || c.policy == state.RejectTexting && !g.runsElsewhere(ctx, c) {
			return reply, err
		}

		select {
		case <-g.c.After(wait):
			continue
		case <-c.run.stop.Done():
			err = c.run.stop.Err()
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		return reply, state.Errorf(state.Unavailable, "session "+c.scope.SessionKey(), "given up waiting for a turn in another process: %w", err)
	}
}

// runTurn runs the turn of a message in a session that is this call's, behind the turn that may be unfinished there.
func (g *Graph) runTurn(ctx context.Context, c *call) (Reply, error) {
	// What the turn begins with.
	inner, t := g.prepareTurn(ctx, c)
	thread, id := c.scope.Thread(), c.req.MessageID
	if id == "" {
		id, inner = g.c.NewID(), flow.ContextWithFreshTurn(inner)
	}
	var s state.Turn
	s.Input.Set(g.beginWith(ctx, state.Input{Scope: c.scope, Turn: id, AskSmall: c.req.AskSmall}, c.req))
	s.View.Set(state.View{Turn: []state.Message{c.req.makeMessage()}})

	// The turn, or the one before it and then the turn.
	end, err := g.flow.Invoke(inner, thread, id, s)
	if errors.Is(err, checkpoint.ErrUnfinished) {
		if err := g.finish(ctx, c, t); err != nil {
			return Reply{}, err
		}
		end, err = g.flow.Invoke(inner, thread, id, s)
	}
	ran := t.trace.Nodes()
	if (err == nil || errors.Is(err, state.ErrWaits)) && (len(ran) == 0 || ran[0].Again) { // it began with an earlier delivery
		var failed error
		if end, failed = g.loadEarlier(inner, c, end); failed != nil {
			return Reply{}, failed
		}
		t.ended = err == nil && len(ran) == 0
	}

	// A newer message may want it undone. Only a closed turn can be.
	if err == nil && len(ran) > 0 && g.lines.askedPolicy(c.run) == state.RollbackTexting {
		if err = g.memory.History().UndoTurn(context.WithoutCancel(ctx), c.scope, id); err == nil && !end.Failure.IsSet() {
			err = errUndone
		}
	}
	return t.makeReply(end, err)
}
