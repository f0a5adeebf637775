package flow

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// run is one attempt at a turn: the state, and what of it is in the log. Nodes of one run may work at the
// same time; the lock makes them merge and commit one after the other.
type run[S any, P State[S]] struct {
	graph *Graph[S, P]
	turn  *checkpoint.Turn // nil = nothing is kept
	place Place            // of the turn
	mode  Durability
	busy  sync.WaitGroup // nodes at work

	mu       sync.Mutex
	state    S
	first    checkpoint.Commit // what the first commit holds besides
	ended    bool              // no node may start any more
	visits   map[string]int
	logged   map[visit][]string      // finished visits found in the log, with the decisions of their branches
	path     []ended                 // the same, in their order
	items    map[visit]*items        // of visits that are not finished, what is of their lists
	open     bool                    // the turn of the step noted last is not finished
	print    string                  // the graph that wrote the step noted last
	answers  map[string]state.Answer // by question
	before   []checkpoint.Ask        // questions of attempts before this one
	asked    []checkpoint.Ask        // questions of this attempt without an answer
	asking   map[string]bool         // the nodes that asked them
	choices  map[string][]string     // last decisions of each node's branches
	passed   []ended                 // visits that this attempt has run or found in the log
	pending  []checkpoint.Part       // results that ride with the next commit
	effects  []state.Effect          // edits that ride with the next commit
	held     bool                    // among the pending are results that wait for the turn's end or failure
	saving   chan struct{}           // closed when the commits so far are durable; nil = they are
	unsaved  error                   // why a commit in the background was not; read after saving is closed
	failed   []error                 // what nodes returned
	order    order                   // of what nodes side by side have added
	writers  map[string][]visit      // of fields that hold one value: the visits of this turn that have set them
	broken   bool                    // a commit has failed: nothing can be kept any more
	listener *listener               // hears what happens; nil = nobody does
	step     atomic.Int64            // last durable one, while somebody listens
	alive    func()                  // tells the node that has called this graph of a sign of life; nil = nobody asks
	rounds   *rounds                 // of a graph with cycles; nil in one without
	over     bool                    // the attempt is over: result is its error
	result   error
}

// visit names one visit of a node in a turn, or an item of its list; both are counted from 1.
type visit struct {
	node string
	n    int
	item int // 0 = the visit as a whole
}

// whole returns the visit that an item belongs to.
func (v visit) whole() visit { return visit{node: v.node, n: v.n} }

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

// merge takes a patch into the state and, when a log is kept, its deltas into the part. Some fields of it may not count.
func (r *run[S, P]) merge(part *checkpoint.Part, patch S, void ...string) error {
	from, into := P(&patch).Fields(), P(&r.state).Fields()
	if len(void) > 0 {
		isVoid := func(f field.Named) bool { return slices.Contains(void, f.Name) }
		from, into = slices.DeleteFunc(from, isVoid), slices.DeleteFunc(into, isVoid)
	}
	if r.graph.shape.beside {
		r.arrange(visit{part.Node, part.Visit, part.Item}, from)
		defer r.noteGrowth(part, countItems(into), into)
	}
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

// entry is how a visit begins.
type entry string

const (
	fresh   entry = ""        // it is to run
	again   entry = "again"   // the log has its result
	blocked entry = "blocked" // it waits for the answer to a question
)

// enter counts the visit and hands out the state. The caller ends every visit that was entered without an error with
// busy.Done.
func (r *run[S, P]) enter(n *node[S, P]) (s S, v visit, how entry, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return s, v, how, state.Errorf(state.Conflict, "node "+n.Name, "comes too late: its turn has ended")
	}
	if r.rounds == nil && r.graph.shape.isHeld(n.Name, r.asking) {
		how = blocked
	} else {
		r.visits[n.Name]++
		v = visit{node: n.Name, n: r.visits[n.Name]}
	}
	if next, logged := r.logged[v]; logged {
		if err := n.accepts(next); err != nil {
			return s, v, again, err
		}
		how = again
		r.noteLeft(n, next)
	}
	r.busy.Add(1)
	return r.state, v, how, nil
}

// noteLeft takes note of where a node that has ended goes on to.
func (r *run[S, P]) noteLeft(n *node[S, P], next []string) {
	r.choices[n.Name] = next
	r.passed = append(r.passed, ended{n.Name, next})
	if r.rounds != nil {
		r.rounds.end(ended{n.Name, next}, false)
	}
}

// leave merges a node's result, takes the decisions of its branches and commits, or lets the result ride.
func (r *run[S, P]) leave(ctx context.Context, n *node[S, P], v visit, patch S, goTo []string, effects []state.Effect) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	part := checkpoint.Part{Node: v.node, Visit: v.n}
	if err := r.mergeVisit(n, &part, patch); err != nil {
		return err
	}
	var err error
	if part.Next, err = n.decide(ctx, r.state, goTo); err != nil {
		return err
	}
	r.effects = append(r.effects, effects...)
	if !n.Volatile {
		r.pending = append(r.pending, part)
		if !n.Rides && !n.endsTurn(part.Next) {
			err = r.commit(ctx, n.Durability, ending{})
		}
	}
	if err == nil {
		r.noteLeft(n, part.Next)
		r.tellAlive()
		if n.Items == nil { // else its items have told
			r.tellChange(v, patch)
		}
	}
	return err
}

// commitPartial merges and commits a part of a node's work and returns the state to go on with.
func (r *run[S, P]) commitPartial(ctx context.Context, v visit, durability Durability, patch S, effects []state.Effect) (S, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return patch, state.Errorf(state.Conflict, "node "+v.node, "commits too late: its turn has ended")
	}
	part := checkpoint.Part{Node: v.node, Visit: v.n, Item: v.item, Partial: true}
	if err := r.mergeVisit(r.graph.nodes[v.node], &part, patch); err != nil {
		return patch, err
	}
	r.effects = append(r.effects, effects...)
	r.pending = append(r.pending, part)
	if err := r.commit(ctx, durability, ending{}); err != nil {
		return patch, err
	}
	r.tellChange(v, patch)
	return r.state, nil
}

// isComplete reports whether every node of the turn has ended.
func (r *run[S, P]) isComplete() bool {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failed) == 0 && slices.Equal(r.graph.shape.listDue(r.passed), []string{End})
}

// stop lets no node begin any more and waits for those at work.
func (r *run[S, P]) stop() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.busy.Wait()
}

// end waits for the nodes at work and closes the turn if all went well.
func (r *run[S, P]) end(ctx context.Context, err error) error {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over, r.result = true, r.close(ctx, err)
	return r.result
}

// close commits the turn's end, or what it asks. The error of a node is preferred to eino's wrapping of it, whose text
// tells of paths inside the graph that say nothing to a caller; several are joined. A turn that asks is not over, and
// neither is one that failed.
func (r *run[S, P]) close(ctx context.Context, err error) error {
	saved := r.waitSaved()

	// What went wrong, if anything; else the turn ends.
	switch {
	case len(r.failed) > 0:
		err = errors.Join(r.failed...)
		if len(r.failed) == 1 {
			err = r.failed[0]
		}
	case len(r.asked) > 0:
		err = nil
	case err == nil:
		return r.commit(ctx, Sync, ending{done: true})
	}

	// The questions, and results that wait for an end, are committed, and that the turn is left; of one that has not begun nothing is.
	var stored error
	left := ctx.Err() != nil && ctx.Value(leaveKey{}) == true && r.turn != nil && r.turn.Last().Seq > 0 && !r.broken
	if len(r.asked) > 0 || r.held || left {
		stored = r.commit(ctx, Sync, ending{asked: r.asked, left: left})
	}
	for _, e := range []error{saved, stored} {
		if e != nil && !errors.Is(err, e) {
			err = errors.Join(err, e)
		}
	}

	// A question is told last: it is no failure.
	if len(r.asked) == 0 || saved != nil || stored != nil {
		return err
	}
	if err == nil {
		return &WaitingError{Asked: r.asked}
	}
	return errors.Join(err, &WaitingError{Asked: r.asked})
}

func (r *run[S, P]) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, err)
}
