package flow

import (
	"context"
	"slices"

	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/state"
)

// signal is all that travels along eino's edges. It is a map since eino joins these by itself.
type signal map[string]struct{}

// The nodes of eino's graph that are none of ours. Behind the last the turn ends: what comes out is what handlers see of the
// graph as a whole. What goes in is the same, which eino could not join with a signal: where it would, a node stands between.
const (
	enterName = "(start)"
	leaveName = "(end)"
)

type runKey struct{}

// runFrom returns the run that a context of eino's belongs to.
func runFrom[S any, P State[S]](ctx context.Context) (*run[S, P], error) {
	if r, ok := ctx.Value(runKey{}).(*run[S, P]); ok {
		return r, nil
	}
	return nil, state.Errorf(state.Internal, "graph", "runs outside Invoke")
}

// build makes eino's graph. The wrappers raise the callbacks of their nodes.
func (b *Builder[S, P]) build(ctx context.Context, g *Graph[S, P]) (err error) {
	eg, own := compose.NewGraph[any, any](), compose.WithLambdaCallbackEnable(true)
	try := func(e error) {
		if err == nil {
			err = e
		}
	}
	// nodes
	leave := func(ctx context.Context, _ any) (any, error) { return g.endTurn(ctx) }
	try(eg.AddLambdaNode(leaveName, compose.InvokableLambda(leave, own)))
	try(eg.AddEdge(leaveName, compose.END))
	if slices.ContainsFunc(b.edges[Start], func(to string) bool { return g.shape.joins[to] && !g.shape.cyclic }) {
		enter := func(context.Context, any) (signal, error) { return nil, nil }
		try(eg.AddLambdaNode(enterName, compose.InvokableLambda(enter, own)))
		try(eg.AddEdge(compose.START, enterName))
	}
	for _, n := range b.nodes {
		g.nodes[n.Name] = &node[S, P]{Node: n, graph: g, edges: b.edges[n.Name], branches: b.branches[n.Name], alone: b.endsAlone(n.Name)}
		try(eg.AddLambdaNode(n.Name, compose.InvokableLambda(g.nodes[n.Name].run, own), compose.WithNodeName(n.Name)))
	}
	// what leads where
	connect, opts := b.connect, []compose.GraphCompileOption{compose.WithGraphName(b.name)}
	if g.shape.cyclic {
		connect, opts = b.connectRounds, append(opts, compose.WithMaxRunSteps(g.config.MaxSteps+2)) // rounds are counted by ourselves
	} else {
		opts = append(opts, compose.WithNodeTriggerMode(compose.AllPredecessor))
	}
	for _, from := range b.nodeNames() {
		try(connect(eg, g, from))
	}
	if err == nil {
		g.runnable, err = eg.Compile(ctx, opts...)
	}
	return err
}

// innerName returns the name of a node in eino's graph.
func innerName(name string) string {
	if name == End {
		return leaveName
	}
	return name
}

// connect lets eino say what runs next, in a graph without cycles: each node as soon as those before it are done.
func (b *Builder[S, P]) connect(eg *compose.Graph[any, any], g *Graph[S, P], from string) error {
	for _, to := range b.edges[from] {
		at := from
		if from == Start && g.shape.joins[to] {
			at = enterName
		}
		if err := eg.AddEdge(at, innerName(to)); err != nil {
			return err
		}
	}
	for i, br := range b.branches[from] {
		ends := map[string]bool{}
		for _, t := range br.targets {
			ends[innerName(t)] = true
		}
		if err := eg.AddBranch(from, compose.NewGraphBranch(g.tellChoice(from, i), ends)); err != nil {
			return err
		}
	}
	if len(b.gotos[from]) == 0 {
		return nil
	}
	ends := map[string]bool{}
	for _, t := range b.gotos[from] {
		ends[innerName(t)] = true
	}
	return eg.AddBranch(from, compose.NewGraphMultiBranch(g.tellGoto(from), ends))
}

// tellGoto gives eino the nodes that a node has named with Goto, as tellChoice does with a branch's decision.
func (g *Graph[S, P]) tellGoto(node string) compose.GraphMultiBranchCondition[any] {
	return func(ctx context.Context, _ any) (map[string]bool, error) {
		r, err := runFrom[S, P](ctx)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		n, ends := g.nodes[node], map[string]bool{}
		next, ended := r.choices[node]
		if !ended {
			return map[string]bool{innerName(n.Goto[0]): true}, nil
		}
		for _, to := range next[len(n.branches):] {
			ends[innerName(to)] = true
		}
		return ends, nil
	}
}

// tellChoice gives eino the decision that the node's wrapper has already taken and logged. Behind a node that waits nothing
// runs, so that any will do.
func (g *Graph[S, P]) tellChoice(node string, i int) compose.GraphBranchCondition[any] {
	return func(ctx context.Context, _ any) (string, error) {
		r, err := runFrom[S, P](ctx)
		if err != nil {
			return "", err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if next, ok := r.choices[node]; ok {
			return innerName(next[i]), nil
		}
		return innerName(g.shape.forks[node][i][0]), nil
	}
}

// connectRounds lets the run's rounds say what runs next. A node that was held may be let go by any other.
func (b *Builder[S, P]) connectRounds(eg *compose.Graph[any, any], g *Graph[S, P], from string) error {
	// Where a way may lead.
	ends := map[string]bool{leaveName: true}
	for _, n := range g.shape.nodes {
		if g.shape.joins[n] || slices.Contains(b.listNext(from), n) {
			ends[n] = true
		}
	}

	// Where it leads in this round.
	return eg.AddBranch(from, compose.NewGraphMultiBranch(func(ctx context.Context, _ any) (map[string]bool, error) {
		r, err := runFrom[S, P](ctx)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		next := map[string]bool{}
		for _, n := range r.rounds.now {
			if ends[n] {
				next[n] = true
			}
		}
		switch {
		case len(r.rounds.now) == 0:
			next[leaveName] = true
		case r.rounds.n > g.config.MaxSteps:
			return nil, compose.ErrExceedMaxSteps
		}
		return next, nil
	}, ends))
}

// endTurn ends the turn. An error of its end, or a question, is the graph's.
func (g *Graph[S, P]) endTurn(ctx context.Context) (any, error) {
	r, err := runFrom[S, P](ctx)
	if err != nil {
		return nil, err
	}
	if err := r.end(ctx, nil); err != nil {
		return nil, err
	}
	return g.showState(&where{Place: r.place}, r.state), nil
}

// showState returns what handlers get to see.
func (g *Graph[S, P]) showState(at *where, s S) any {
	if g.config.Show != nil {
		if seen := g.config.Show(s); seen != nil {
			return seen
		}
	}
	return at.Place
}
