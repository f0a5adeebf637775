package flow

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// run is one attempt at a turn: the state, and what of it is in the log. Nodes of one run may work at the
// same time; the lock makes them merge and commit one after the other.
type run[S any, P State[S]] struct {
	graph *Graph[S, P]
	turn  *checkpoint.Turn // nil = nothing is kept
	mode  Durability
	busy  sync.WaitGroup // nodes at work

	mu      sync.Mutex
	state   S
	first   checkpoint.Commit // what the first commit holds besides
	ended   bool              // no node may start any more
	visits  map[string]int
	logged  map[visit][]string      // finished visits found in the log, with the decisions of their branches
	order   []ended                 // the same, in their order
	open    bool                    // the turn of the step noted last is not finished
	print   string                  // the graph that wrote the step noted last
	answers map[string]state.Answer // by question
	before  []checkpoint.Ask        // questions of attempts before this one
	asked   []checkpoint.Ask        // questions of this attempt without an answer
	choices map[string][]string     // last decisions of each node's branches
	pending []checkpoint.Part       // results that ride with the next commit
	effects []state.Effect          // edits that ride with the next commit
	held    bool                    // among the pending are results that wait for the turn's end or failure
	saving  chan struct{}           // closed when the commits so far are durable; nil = they are
	unsaved error                   // why a commit in the background was not; read after saving is closed
	failed  []error                 // what nodes returned
}

// visit names one visit of a node in a turn, counted from 1.
type visit struct {
	node string
	n    int
}

// start loads the state the thread's last turn left.
func (r *run[S, P]) start(ctx context.Context) error {
	c := r.graph.config
	r.first.Graph = r.graph.shape.print
	prev := r.turn.Prev()
	r.first.Whole = c.Forgets
	if prev.Seq == 0 || c.Forgets {
		return nil
	}
	past, err := r.turn.Past(ctx)
	if err != nil {
		return err
	}
	if err := r.replay(past); err != nil {
		return err
	}
	r.logged, r.order, r.answers, r.before = nil, nil, nil, nil
	switch {
	case c.Fresh != nil:
		r.first.Whole = true
		kept := c.Fresh(r.state)
		var empty S
		r.state = empty
		return r.input(kept)
	case len(past.Steps) >= c.SnapshotEvery:
		return r.snapshot(past)
	}
	return nil
}

// snapshot lets the first commit hold the state, but for the items of growing fields: those of the past go into a
// chunk of their own and are never written again.
func (r *run[S, P]) snapshot(past checkpoint.Past) error {
	fields := P(&r.state).Fields()
	part := checkpoint.Part{}
	if err := part.All(fields, func(f field.Field) bool { _, grows := f.(field.Growing); return grows }); err != nil {
		return err
	}
	chunk, err := past.Grown(fields)
	if err != nil {
		return err
	}
	r.first.Whole, r.first.Chunk = true, chunk
	r.pending = append(r.pending, part)
	return nil
}

// replay rebuilds the state from the past and remembers what its last turn has finished, asked and been answered.
func (r *run[S, P]) replay(past checkpoint.Past) error {
	var q inquiry
	q.hear(past.Steps)
	r.before, r.answers = q.asked, q.answers
	fields := P(&r.state).Fields()
	if err := past.Play(fields); err != nil {
		return err
	}
	for i := range past.Steps {
		s := &past.Steps[i] // in place, for whoever collects what its fields have grown by
		if err := r.migrate(s); err != nil {
			return err
		}
		r.note(*s)
		for _, part := range s.Parts {
			if err := part.Apply(fields); err != nil {
				return err
			}
		}
	}
	return nil
}

// migrate lets the graph change a step that another graph has written.
func (r *run[S, P]) migrate(s *checkpoint.Step) error {
	if s.Graph != "" {
		r.print = s.Graph
	}
	if migrate := r.graph.config.Migrate; migrate != nil && r.print != r.graph.shape.print {
		return migrate(r.print, s)
	}
	return nil
}

// note takes down the visits that a step has finished; those of a turn before do not count.
func (r *run[S, P]) note(s checkpoint.Step) {
	if !r.open || s.Source == checkpoint.SourceFork {
		r.logged, r.order = map[visit][]string{}, nil
	}
	r.open = !s.Done
	for _, part := range s.Parts {
		if !part.Partial && part.Node != "" {
			r.logged[visit{part.Node, part.Visit}] = part.Next
			r.order = append(r.order, ended{part.Node, part.Next})
		}
	}
}

// known refuses to go on with a turn in which a node has run that the graph does not have.
func (r *run[S, P]) known() error {
	for v := range r.logged {
		if !slices.Contains(r.graph.shape.nodes, v.node) {
			return state.Errorf(state.Conflict, "node "+v.node, "ran before the turn was cut short and is not in the graph any more: "+
				"finish the turn with the old graph, or say in Config.Migrate what became of the node")
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
	return r.commit(ctx, n.Durability, false)
}

// partial merges and commits a part of a node's work and returns the state to go on with.
func (r *run[S, P]) partial(ctx context.Context, v visit, durability Durability, patch S, effects []state.Effect) (S, error) {
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
	if err := r.commit(ctx, durability, false); err != nil {
		return patch, err
	}
	return r.state, nil
}

// commit writes everything pending. The caller holds the lock: one committer numbers a thread's steps.
func (r *run[S, P]) commit(ctx context.Context, mode Durability, done bool) error {
	last := done || len(r.asked) > 0
	if mode == "" {
		mode = r.mode
	}
	if mode == Exit && !last && len(r.effects) == 0 {
		r.held = true
		return nil
	}
	r.held = false
	c := r.first
	c.Parts, c.Effects, c.Asked, c.Done = r.pending, r.effects, r.asked, done
	r.first, r.pending, r.effects = checkpoint.Commit{}, nil, nil
	if r.turn == nil {
		return nil
	}
	if mode == Async && !last {
		return r.save(ctx, c)
	}
	if err := r.saved(); err != nil {
		return err
	}
	return r.turn.Commit(ctx, c)
}

// save commits in the background, behind the commits before it. What went wrong with those is told at once.
func (r *run[S, P]) save(ctx context.Context, c checkpoint.Commit) error {
	before, after := r.saving, make(chan struct{})
	if before != nil {
		select {
		case <-before:
			if r.unsaved != nil {
				return r.unsaved
			}
			before = nil
		default:
		}
	}
	r.saving = after
	go func() {
		defer close(after)
		if before != nil {
			<-before
		}
		if r.unsaved == nil {
			r.unsaved = r.turn.Commit(ctx, c)
		}
	}()
	return nil
}

// saved waits until the commits so far are durable. The caller holds the lock.
func (r *run[S, P]) saved() error {
	if r.saving == nil {
		return nil
	}
	<-r.saving
	return r.unsaved
}

// settle is saved for a node at work.
func (r *run[S, P]) settle() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saved()
}

// end waits for the nodes at work, closes the turn if all went well, and returns the state. The error of a
// node is preferred to eino's wrapping of it, whose text tells of paths inside the graph that say nothing
// to a caller; several are joined. A turn that asks is not over, and neither is one that failed.
func (r *run[S, P]) end(ctx context.Context, err error) (S, error) {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.busy.Wait()

	r.mu.Lock()
	defer r.mu.Unlock()
	saved := r.saved()
	switch {
	case len(r.failed) > 0:
		err = errors.Join(r.failed...)
		if len(r.failed) == 1 {
			err = r.failed[0]
		}
	case len(r.asked) > 0:
		err = nil // eino's, about one of them
	case err == nil:
		return r.state, r.commit(ctx, Sync, true)
	}
	var stored error
	if len(r.asked) > 0 || r.held {
		stored = r.commit(ctx, Sync, false)
	}
	for _, e := range []error{saved, stored} {
		if e != nil && !errors.Is(err, e) {
			err = errors.Join(err, e)
		}
	}
	if len(r.asked) > 0 && saved == nil && stored == nil {
		if err == nil {
			return r.state, &WaitingError{Asked: r.asked}
		}
		err = errors.Join(err, &WaitingError{Asked: r.asked})
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
