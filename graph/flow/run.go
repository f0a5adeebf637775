package flow

import (
	"context"
	"errors"
	"sync"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// run is one attempt at a turn: the state, and what of it is in the log. Nodes of one run may work at the
// same time; the lock makes them merge and commit one after the other.
type run[S any, P State[S]] struct {
	graph *Graph[S, P]
	turn  *checkpoint.Turn // nil = nothing is kept
	busy  sync.WaitGroup   // nodes at work

	mu      sync.Mutex
	state   S
	fresh   bool // the first commit holds the whole state
	ended   bool // no node may start any more
	visits  map[string]int
	logged  map[visit][]string  // finished visits found in the log, with the decisions of their branches
	choices map[string][]string // last decisions of each node's branches
	pending []checkpoint.Part   // results that ride with the next commit
	effects []state.Effect      // edits that ride with the next commit
	failed  []error             // what nodes returned
}

// visit names one visit of a node in a turn, counted from 1.
type visit struct {
	node string
	n    int
}

// start loads the state the thread's last turn left.
func (r *run[S, P]) start(ctx context.Context, thread state.Thread) error {
	prev := r.turn.Prev()
	if prev.Seq == 0 {
		return nil
	}
	steps, err := r.graph.config.Log.Steps(ctx, thread, prev.Base)
	if err != nil {
		return err
	}
	if err := r.replay(steps); err != nil {
		return err
	}
	r.logged = nil
	if r.graph.config.Fresh == nil {
		return nil
	}
	r.fresh = true
	kept := r.graph.config.Fresh(r.state)
	var empty S
	r.state = empty
	return r.input(kept)
}

// replay rebuilds the state from steps and remembers what the last of their turns has finished.
func (r *run[S, P]) replay(steps []checkpoint.Step) error {
	r.logged = map[visit][]string{}
	fields := P(&r.state).Fields()
	for _, s := range steps {
		if s.Source == checkpoint.SourceInput {
			clear(r.logged)
		}
		for _, part := range s.Parts {
			if err := part.Apply(fields); err != nil {
				return err
			}
			if !part.Partial && part.Node != "" {
				r.logged[visit{part.Node, part.Visit}] = part.Next
			}
		}
	}
	return nil
}

// input merges the changed fields of what the turn was given; they ride with the first commit.
func (r *run[S, P]) input(patch S) error {
	part := checkpoint.Part{}
	if err := r.merge(&part, patch); err != nil {
		return err
	}
	if part.Fields != nil {
		r.pending = append(r.pending, part)
	}
	return nil
}

// merge takes a patch into the state and, when a log is kept, its deltas into the part.
func (r *run[S, P]) merge(part *checkpoint.Part, patch S) error {
	from, into := P(&patch).Fields(), P(&r.state).Fields()
	if r.turn != nil {
		if err := part.Deltas(from); err != nil {
			return err
		}
	}
	for i := range from {
		if !from[i].Field.Changed() {
			continue
		}
		if err := into[i].Field.Merge(from[i].Field); err != nil {
			return state.Errorf(state.Internal, "field "+from[i].Name, "%w", err)
		}
	}
	return nil
}

// enter counts the visit and hands out the state; again means that the log has its result. The caller
// ends every visit that was entered without an error with busy.Done.
func (r *run[S, P]) enter(n *node[S, P]) (s S, v visit, again bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return s, v, false, state.Errorf(state.Conflict, "node "+n.Name, "comes too late: its turn has ended")
	}
	if r.visits == nil {
		r.visits = map[string]int{}
	}
	r.visits[n.Name]++
	v = visit{n.Name, r.visits[n.Name]}
	next, again := r.logged[v]
	if again {
		if err := n.accepts(next); err != nil {
			return s, v, true, err
		}
		r.choose(n.Name, next)
	}
	r.busy.Add(1)
	return r.state, v, again, nil
}

// leave merges a node's result, takes the decisions of its branches and commits, or lets the result ride.
func (r *run[S, P]) leave(ctx context.Context, n *node[S, P], v visit, patch S, effects []state.Effect) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	part := checkpoint.Part{Node: v.node, Visit: v.n}
	if err := r.merge(&part, patch); err != nil {
		return err
	}
	var err error
	if part.Next, err = n.decide(ctx, r.state); err != nil {
		return err
	}
	r.choose(n.Name, part.Next)
	r.effects = append(r.effects, effects...)
	if n.Volatile {
		return nil
	}
	r.pending = append(r.pending, part)
	if n.Rides || n.last(part.Next) {
		return nil
	}
	return r.commit(ctx, false)
}

// partial merges and commits a part of a node's work and returns the state to go on with.
func (r *run[S, P]) partial(ctx context.Context, v visit, patch S, effects []state.Effect) (S, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return patch, state.Errorf(state.Conflict, "node "+v.node, "commits too late: its turn has ended")
	}
	part := checkpoint.Part{Node: v.node, Visit: v.n, Partial: true}
	if err := r.merge(&part, patch); err != nil {
		return patch, err
	}
	r.effects = append(r.effects, effects...)
	r.pending = append(r.pending, part)
	if err := r.commit(ctx, false); err != nil {
		return patch, err
	}
	return r.state, nil
}

// commit writes everything pending. The caller holds the lock: one committer numbers a thread's steps.
func (r *run[S, P]) commit(ctx context.Context, done bool) error {
	c := checkpoint.Commit{Parts: r.pending, Effects: r.effects, Fresh: r.fresh, Done: done}
	r.pending, r.effects = nil, nil
	if r.turn == nil {
		return nil
	}
	return r.turn.Commit(ctx, c)
}

// end waits for the nodes at work, closes the turn if all went well, and returns the state. The error of a
// node is preferred to eino's wrapping of it, whose text tells of paths inside the graph that say nothing
// to a caller; several are joined.
func (r *run[S, P]) end(ctx context.Context, err error) (S, error) {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.busy.Wait()

	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(r.failed) == 1:
		err = r.failed[0]
	case len(r.failed) > 1:
		err = errors.Join(r.failed...)
	case err == nil:
		err = r.commit(ctx, true)
	}
	return r.state, err
}

func (r *run[S, P]) choose(node string, next []string) {
	if len(next) == 0 {
		return
	}
	if r.choices == nil {
		r.choices = map[string][]string{}
	}
	r.choices[node] = next
}

func (r *run[S, P]) choice(node string, i int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.choices[node][i]
}

func (r *run[S, P]) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, err)
}
