package flow

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/state"
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
	effects   state.Effects
	questions []string // ids of those put so far
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
	return st.run.partial(ctx, st.visit, st.node.Durability, patch, st.effects.Take())
}

// run is the function eino calls.
func (n *node[S, P]) run(ctx context.Context, t Token) (Token, error) {
	r, err := n.graph.run(t)
	if err != nil {
		return t, err
	}
	began := n.graph.config.Now()
	s, v, again, err := r.enter(n)
	if err != nil {
		r.fail(err)
		return t, err
	}
	defer r.busy.Done()
	if !again {
		err = n.visit(ctx, r, s, v)
	}
	state.TraceFrom(ctx).Node(state.NodeTime{Node: n.Name, Took: n.graph.config.Now().Sub(began), Again: again})
	if err != nil && !r.waits(err) {
		r.fail(err)
	}
	return t, err
}

func (n *node[S, P]) visit(ctx context.Context, r *run[S, P], s S, v visit) error {
	st := &step[S, P]{run: r, node: n, visit: v}
	st.effects.Settle = r.settle
	inside := state.ContextWithEffects(context.WithValue(ctx, stepKey{}, st), &st.effects)
	inside = state.ContextWithAsker(inside, st.ask)
	s, err := n.Run(inside, s)
	if err != nil {
		return err
	}
	return r.leave(ctx, n, v, s, st.effects.Take())
}

// decide asks the branches.
func (n *node[S, P]) decide(ctx context.Context, s S) (next []string, err error) {
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
	return next, nil
}

// last reports whether the turn ends with a visit that chose next.
func (n *node[S, P]) last(next []string) bool {
	elsewhere := func(to string) bool { return to != End }
	return n.alone && !slices.ContainsFunc(n.edges, elsewhere) && !slices.ContainsFunc(next, elsewhere)
}

// accepts refuses decisions from the log that the graph's branches could not have taken.
func (n *node[S, P]) accepts(next []string) error {
	ok := len(next) == len(n.branches)
	for i := 0; ok && i < len(next); i++ {
		ok = slices.Contains(n.branches[i].targets, next[i])
	}
	if !ok {
		return state.Errorf(state.Conflict, "branch from "+n.Name, "went to %v before the crash, which the graph does not know any more: "+
			"the graph was changed while a turn was unfinished; finish it with the old one", next)
	}
	return nil
}
