package flow

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/cloudwego/eino/callbacks"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// node is a Node as eino runs it: wrapped, so that a visit the log has is skipped and any other is
// committed.
type node[S any, P State[S]] struct {
	Node[S]
	graph    *Graph[S, P]
	edges    []string
	branches []branch[S]
	alone    bool // nothing else is running or to come when it goes to the end
}

// step is the visit of a node that a context belongs to.
type step[S any, P State[S]] struct {
	run       *run[S, P]
	node      *node[S, P]
	visit     visit
	where     where
	effects   state.Effects
	questions []string      // ids of those put so far
	try       int           // of the node in this attempt at the turn
	partial   bool          // it has committed from inside
	alive     chan struct{} // gets a sign of life; nil = nobody waits for one
}

type stepKey struct{}

// Commit makes a part of a node's work durable before the node ends: what has been paid for (a model's
// answer, tool results) is then never done again. It takes the changed fields of patch and the effects
// decided so far, and returns the state to go on with: the node must change and return that one, or its
// patch would be merged twice. A resumed turn enters the node again with that state. Outside a graph of S,
// and in one that keeps no log, nothing is made durable. After an error the node must return it.
func Commit[S any, P State[S]](ctx context.Context, patch S) (S, error) {
	st, ok := ctx.Value(stepKey{}).(*step[S, P])
	if !ok {
		return patch, nil
	}
	st.partial = true
	defer st.tellAlive()
	return st.run.commitPartial(ctx, st.visit, st.node.Durability, patch, st.effects.Take())
}

// run returns the function eino calls.
func (n *node[S, P]) run(ctx context.Context, _ any) (out signal, err error) {
	r, err := runFrom[S, P](ctx)
	if err != nil {
		return out, err
	}

	// Its turn to run, unless it waits for an answer or the log has it.
	began := n.graph.config.Now()
	s, v, how, err := r.enter(n)
	if err != nil {
		r.fail(err)
		return out, err
	}
	defer r.busy.Done()
	if how == blocked {
		return out, nil
	}

	// The visit, and what it failed with or asks.
	err = n.visit(ctx, r, s, v, how)
	state.TraceFrom(ctx).Node(account.NodeTime{Node: n.Name, Took: n.graph.config.Now().Sub(began), Again: how == again})
	asked, fails := splitQuestions(err)
	if fails {
		r.fail(err)
	}
	if len(asked) > 0 {
		r.park(n.Name, asked)
	}
	if fails {
		return out, err
	}
	return out, nil
}

// visit runs the node, unless the log has its result, and tells handlers of it.
func (n *node[S, P]) visit(ctx context.Context, r *run[S, P], s S, v visit, how entry) (err error) {
	st := n.makeStep(r, v)
	ctx = insideVisit(ctx, &st.where)
	ctx = callbacks.OnStart(ctx, n.graph.showState(&st.where, s))
	switch {
	case how == fresh && n.Items != nil:
		s, err = n.workItems(ctx, st, s)
	case how == fresh:
		s, err = n.work(ctx, st, s)
	}
	if err != nil {
		callbacks.OnError(ctx, err)
		return err
	}
	callbacks.OnEnd(ctx, n.graph.showState(&st.where, s))
	return nil
}

func (n *node[S, P]) makeStep(r *run[S, P], v visit) *step[S, P] {
	st := &step[S, P]{run: r, node: n, visit: v, try: 1, where: where{Place: r.place, answer: r.findAnswer, mayGo: n.Goto}}
	st.where.Node, st.where.Visit, st.where.Item = v.node, v.n, v.item
	st.effects.Settle = r.settle
	return st
}

// work does the node's work and takes it into the turn. A panic is an error of one line; its stack is logged.
func (n *node[S, P]) work(ctx context.Context, st *step[S, P], s S) (out S, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = n.tellPanic(ctx, st, p)
		}
	}()
	if n.Key != nil {
		return n.workKept(ctx, st, s)
	}
	if st, s, err = n.runTries(ctx, st, s); err != nil {
		return s, err
	}
	return s, st.leave(ctx, s, st.effects.Take())
}

// runOnce returns one try of the node's function, in the context of its visit.
func (n *node[S, P]) runOnce(ctx context.Context, st *step[S, P], s S) (S, error) {
	inside := state.ContextWithEffects(context.WithValue(ctx, stepKey{}, st), &st.effects)
	inside = state.ContextWithIdempotencyKey(state.ContextWithAsker(inside, st.ask), st.where.visitKey())
	inside, ear := st.listen(inside)
	defer ear.close(n.graph.config.After)
	if n.Timeout > 0 || n.Idle > 0 {
		return n.runWatched(inside, st, s)
	}
	return n.Run(inside, s)
}

// leave takes the result of a visit, or of an item, into the turn.
func (st *step[S, P]) leave(ctx context.Context, patch S, effects []state.Effect) (err error) {
	defer func() { st.tellTask(true, err) }()
	if st.visit.item > 0 {
		return st.run.leaveItem(ctx, st, patch, effects)
	}
	return st.run.leave(ctx, st.node, st.visit, patch, st.where.goTo, effects)
}

// tellPanic makes an error of a panic.
func (n *node[S, P]) tellPanic(ctx context.Context, st *step[S, P], p any) error {
	n.graph.config.Logger.ErrorContext(ctx, "a node panicked", "thread", st.where.Thread.Key(), "turn", st.where.Turn,
		"node", n.Name, "panic", p, "stack", string(debug.Stack()))
	line, _, _ := strings.Cut(fmt.Sprint(p), "\n")
	return state.Errorf(state.Internal, "node "+n.Name, "panicked: %s", line)
}

// decide asks the branches, and adds where the node has sent the turn.
func (n *node[S, P]) decide(ctx context.Context, s S, goTo []string) (next []string, err error) {
	for _, b := range n.branches {
		to, err := b.choose(ctx, s)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(b.targets, to) {
			return nil, state.Errorf(state.Internal, "branch from "+n.Name, "chose %q, which is not among its targets %v", to, b.targets)
		}
		next = append(next, to)
	}
	if len(n.edges)+len(n.branches)+len(goTo) == 0 {
		return nil, state.Errorf(state.Invalid, "node "+n.Name, "names no node to go to; it may go to %v: return flow.Goto with one of them, or name it behind the node in Update", n.Goto)
	}
	return append(next, goTo...), nil
}

// endsTurn reports whether the turn ends with a visit that chose next.
func (n *node[S, P]) endsTurn(next []string) bool {
	elsewhere := func(to string) bool { return to != End }
	return n.alone && !slices.ContainsFunc(n.edges, elsewhere) && !slices.ContainsFunc(next, elsewhere)
}

// accepts refuses decisions from the log that the graph's branches could not have taken.
func (n *node[S, P]) accepts(next []string) error {
	ok := len(next) == len(n.branches) || len(next) > len(n.branches) && len(n.Goto) > 0
	for i := 0; ok && i < len(next); i++ {
		targets := n.Goto
		if i < len(n.branches) {
			targets = n.branches[i].targets
		}
		ok = slices.Contains(targets, next[i])
	}
	if !ok {
		return state.Errorf(state.Conflict, "branch from "+n.Name, "went to %v before the crash, which the graph does not know any more: "+
			"the graph was changed while a turn was unfinished; finish it with the old one", next)
	}
	return nil
}
