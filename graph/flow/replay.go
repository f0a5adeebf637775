package flow

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// start loads the state the thread's last turn left.
func (r *run[S, P]) start(ctx context.Context) error {
	c := r.graph.config
	r.first.Graph = r.graph.shape.print
	prev := r.turn.Prev()
	r.first.Whole = c.Forgets
	if prev.Seq == 0 || c.Forgets {
		return nil
	}

	// The state that the last turn left, without what was that turn's.
	past, err := r.turn.Past(ctx)
	if err != nil {
		return err
	}
	if err := r.replay(past); err != nil {
		return err
	}
	r.logged, r.path, r.items, r.order, r.writers, r.answers, r.before = nil, nil, nil, nil, nil, nil, nil

	// All of it, or what Fresh keeps; from time to time as a snapshot.
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
		r.noteVisits(*s)
		for j := range s.Parts {
			before := countItems(fields)
			if err := s.Parts[j].Apply(fields); err != nil {
				return err
			}
			r.noteGrowth(&s.Parts[j], before, fields)
			r.noteWriter(&s.Parts[j], fields)
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

// noteVisits takes down the visits that a step has finished; those of a turn before do not count.
func (r *run[S, P]) noteVisits(s checkpoint.Step) {
	if !r.open || s.Source == checkpoint.SourceFork {
		r.logged, r.path, r.items, r.order, r.writers = map[visit][]string{}, nil, nil, nil, nil
	}
	r.open = !s.Done
	for _, part := range s.Parts {
		v := visit{node: part.Node, n: part.Visit}
		switch {
		case part.EndsVisit():
			r.logged[v] = part.Next
			r.path = append(r.path, ended{part.Node, part.Next})
			delete(r.items, v)
		case part.Item > 0 && !part.Partial:
			r.noteItem(v, part)
		}
	}
}

// checkKnown refuses to go on with a turn in which a node has run that the graph does not have.
func (r *run[S, P]) checkKnown() error {
	for v := range r.logged {
		if !slices.Contains(r.graph.shape.nodes, v.node) {
			return state.Errorf(state.Conflict, "node "+v.node, "ran before the turn was cut short and is not in the graph any more: "+
				"finish the turn with the old graph, or say in Config.Migrate what became of the node")
		}
	}
	return nil
}
