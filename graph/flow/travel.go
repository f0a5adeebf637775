package flow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Checkpoint is one step of a thread and what was still to do after it.
type Checkpoint struct {
	checkpoint.Step
	// Next are the nodes that had not finished and were to run next, those at work included; in the middle of a
	// turn too; flow.End where nothing but the end of the turn is missing. Empty = the turn is finished.
	Next []string
}

// Snapshot is a thread as it was after one step. Step 0 is a thread that is new.
type Snapshot[S any] struct {
	Checkpoint
	State S
	Waits []checkpoint.Ask // questions without an answer
}

// State returns the thread as it was after step number at; 0 = as it is now. No such step is state.ErrNotFound.
func (g *Graph[S, P]) State(ctx context.Context, thread state.Thread, at int64) (s Snapshot[S], err error) {
	r, past, err := g.rebuildAt(ctx, thread, at)
	if err != nil || len(past.Steps) == 0 {
		return s, err
	}
	s.State, s.Step = r.state, past.Steps[len(past.Steps)-1]
	if !s.Done {
		q := inquiry{asked: r.before, answers: r.answers}
		if err := g.hearBelow(ctx, thread.Client, &q); err != nil {
			return s, err
		}
		s.Next, s.Waits = g.shape.listDue(r.path), q.listOpen()
	}
	return s, nil
}

// rebuildAt returns a run as the thread had it after step number at, 0 = the last; a new thread has no past.
func (g *Graph[S, P]) rebuildAt(ctx context.Context, thread state.Thread, at int64) (*run[S, P], checkpoint.Past, error) {
	r := &run[S, P]{graph: g}
	if g.config.Log == nil {
		return r, checkpoint.Past{}, g.noLogError()
	}
	past, err := g.config.Log.Past(ctx, thread, at)
	if at == 0 && state.CodeOf(err) == state.NotFound {
		return r, past, nil
	}
	if err == nil && at != 0 && past.Steps[len(past.Steps)-1].Source == checkpoint.SourceDeleted {
		err = state.Errorf(state.NotFound, "step "+thread.StepKey(at), "was deleted with its turn")
	}
	if err == nil {
		err = r.replay(past)
	}
	return r, past, err
}

// rebuildFields gives the log the fields of a state.
func (g *Graph[S, P]) rebuildFields(past checkpoint.Past) ([]field.Named, error) {
	r := &run[S, P]{graph: g}
	err := r.replay(past)
	return P(&r.state).Fields(), err
}

// History returns the thread's checkpoints, newest first.
func (g *Graph[S, P]) History(ctx context.Context, thread state.Thread, w checkpoint.Which) ([]Checkpoint, error) {
	if g.config.Log == nil {
		return nil, g.noLogError()
	}
	steps, err := g.config.Log.History(ctx, thread, w)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		return nil, nil
	}
	lines, err := g.config.Log.Steps(ctx, thread, steps[len(steps)-1].Base)
	if err != nil {
		return nil, err
	}
	next, err := g.nextBySteps(lines)
	if err != nil {
		return nil, err
	}
	out := make([]Checkpoint, 0, len(steps))
	for _, s := range steps {
		out = append(out, Checkpoint{s, next[s.Seq]})
	}
	return out, nil
}

// nextBySteps returns what was to run after each of these steps, which begin with a whole one.
func (g *Graph[S, P]) nextBySteps(steps []checkpoint.Step) (map[int64][]string, error) {
	r := &run[S, P]{graph: g}
	next := map[int64][]string{}
	for _, s := range steps {
		if err := r.migrate(&s); err != nil {
			return nil, err
		}
		if r.noteVisits(s); !s.Done {
			next[s.Seq] = g.shape.listDue(r.path)
		}
	}
	return next, nil
}

// Change is a field in which two states differ, as it is stored; nil = it was empty.
type Change struct {
	Field         string
	Before, After bson.RawValue
}

// Diff tells what changed from step a to step b, field by field. 0 = the last step.
func (g *Graph[S, P]) Diff(ctx context.Context, thread state.Thread, a, b int64) ([]Change, error) {
	before, _, err := g.rebuildAt(ctx, thread, a)
	if err != nil {
		return nil, err
	}
	after, _, err := g.rebuildAt(ctx, thread, b)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for i, f := range P(&before.state).Fields() {
		x, errX := f.Field.Whole()
		y, errY := P(&after.state).Fields()[i].Field.Whole()
		if err := errors.Join(errX, errY); err != nil {
			return nil, err
		}
		if x.Type != y.Type || !bytes.Equal(x.Value, y.Value) {
			changes = append(changes, Change{f.Name, x, y})
		}
	}
	return changes, nil
}

// Update sets fields of the thread's state from outside: the changed fields of values are merged as a node's would
// be. With as = "" they are a turn of their own on a finished thread. With the name of a node they stand for a visit of
// it: on an unfinished turn the node counts as finished by them, on a finished thread everything up to the node does;
// Resume goes on behind it. Where the node goes by flow.Goto, to names what it would. A turn that runs is state.ErrConflict.
func (g *Graph[S, P]) Update(ctx context.Context, thread state.Thread, turn string, values S, as string, to ...string) error {
	if g.config.Log == nil {
		return g.noLogError()
	}
	if as != "" && !slices.Contains(g.shape.nodes, as) {
		return state.Errorf(state.NotFound, "node "+as, "is not in the graph; it has %v", g.shape.nodes)
	}
	if n := g.nodes[as]; as == "" && len(to) > 0 || as != "" && slices.ContainsFunc(to, func(t string) bool { return !slices.Contains(n.Goto, t) }) {
		return state.Errorf(state.Invalid, "update as "+cmp.Or(as, "nobody"), "goes to %v; name a node whose Goto declares these", to)
	}

	// An unfinished turn goes on with it.
	unfinished, err := g.Unfinished(ctx, thread)
	if err != nil {
		return err
	}
	r := &run[S, P]{graph: g}
	switch {
	case unfinished && as == "":
		return state.Errorf(state.Conflict, "thread "+thread.Key(), "has an unfinished turn: name the node that the values stand for, or finish it")
	case unfinished:
		var past checkpoint.Past
		if r.turn, past, err = g.config.Log.Take(ctx, thread); err != nil {
			return err
		}
		defer r.turn.Release()
		if err = r.replay(past); err == nil {
			err = r.update(ctx, values, as, to, nil)
		}
		return err
	}

	// On a finished thread a turn begins.
	if r.turn, err = g.config.Log.Begin(ctx, thread, turn); err != nil {
		return err
	}
	defer r.turn.Release()
	if err = r.start(ctx); err == nil {
		err = r.update(ctx, values, as, to, g.shape.findPath(as))
	}
	return err
}

// update commits values as a visit of a node, behind the visits that lead to it.
func (r *run[S, P]) update(ctx context.Context, values S, as string, to []string, path []ended) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range path {
		r.pending = append(r.pending, checkpoint.Part{Node: e.node, Visit: 1, Next: e.next})
	}

	// The visit, counted behind those of its node.
	part := checkpoint.Part{Node: as}
	if as != "" {
		part.Visit = 1
		for v := range r.logged {
			if v.node == as {
				part.Visit = max(part.Visit, v.n+1)
			}
		}
	}
	if err := r.merge(&part, values); err != nil {
		return err
	}
	if as != "" {
		var err error
		if part.Next, err = r.graph.nodes[as].decide(ctx, r.state, slices.Compact(slices.Sorted(slices.Values(to)))); err != nil {
			return err
		}
	}

	// One step of all.
	r.pending = append(r.pending, part)
	c := r.first
	c.Source, c.Parts, c.Done = checkpoint.SourceUpdate, r.pending, as == ""
	return r.turn.Commit(ctx, c)
}

// Fork makes a new thread that stands where this one stood after step number at (0 = now): Resume goes on with its
// turn if that was not finished then, Invoke starts the next one. The new thread must not exist. The old one stays.
func (g *Graph[S, P]) Fork(ctx context.Context, thread state.Thread, at int64, to state.Thread) error {
	r, last, err := g.findStep(ctx, thread, at)
	if err != nil {
		return err
	}
	t, err := g.config.Log.Begin(ctx, to, last.Turn)
	if err != nil {
		return err
	}
	defer t.Release()
	if t.Prev().Seq > 0 {
		return state.Errorf(state.Conflict, "thread "+to.Key(), "is there already; delete it or name another")
	}
	return r.fork(ctx, t, last, thread.Key())
}

// Rewind takes the thread back to where it stood after step number at: what came later stays in the history and counts
// no more. An unfinished turn is given up. It has the state, not what turns wrote to memory. The turn that at belongs
// to is unfinished again if it was then, and Resume goes on with it.
func (g *Graph[S, P]) Rewind(ctx context.Context, thread state.Thread, at int64) error {
	r, last, err := g.findStep(ctx, thread, at)
	if err != nil {
		return err
	}
	t, err := g.config.Log.Begin(ctx, thread, last.Turn)
	if errors.Is(err, checkpoint.ErrUnfinished) {
		t, _, err = g.config.Log.Take(ctx, thread)
	}
	if err != nil {
		return err
	}
	defer t.Release()
	return r.fork(ctx, t, last, "")
}

// findStep returns a run as the thread had it after step number at, 0 = the last, and that step.
func (g *Graph[S, P]) findStep(ctx context.Context, thread state.Thread, at int64) (*run[S, P], checkpoint.Step, error) {
	r, past, err := g.rebuildAt(ctx, thread, at)
	if err == nil && len(past.Steps) == 0 {
		err = state.Errorf(state.NotFound, "thread "+thread.Key(), "does not exist")
	}
	if err != nil {
		return nil, checkpoint.Step{}, err
	}
	return r, past.Steps[len(past.Steps)-1], nil
}

// fork commits the run's state and journal, as they were after a step, as one whole step.
func (r *run[S, P]) fork(ctx context.Context, t *checkpoint.Turn, last checkpoint.Step, from string) error {
	part := checkpoint.Part{}
	if err := part.All(P(&r.state).Fields(), nil); err != nil {
		return err
	}
	c := checkpoint.Commit{
		Source: checkpoint.SourceFork, Graph: r.graph.shape.print, Whole: true, Parent: last.Seq, From: from, Turn: last.Turn, Named: last.Named && !last.Done, Done: last.Done,
		Parts: []checkpoint.Part{part},
	}
	if !last.Done {
		visits := map[string]int{}
		for _, e := range r.path {
			visits[e.node]++
			c.Parts = append(c.Parts, checkpoint.Part{Node: e.node, Visit: visits[e.node], Next: e.next})
		}
		c.Parts = append(c.Parts, r.listItems()...)
	}
	return t.Commit(ctx, c)
}

// Cancel gives the thread's unfinished turn up: what it has done so far stays, and the next turn starts behind it.
// No such turn is state.ErrNotFound, one that runs is state.ErrConflict.
func (g *Graph[S, P]) Cancel(ctx context.Context, thread state.Thread) error {
	if g.config.Log == nil {
		return g.noLogError()
	}
	t, _, err := g.config.Log.Take(ctx, thread)
	if err != nil {
		return err
	}
	defer t.Release()
	return t.Commit(ctx, checkpoint.Commit{Source: checkpoint.SourceCancel, Done: true})
}

// Keep says what a Prune leaves. At least the last turn and an unfinished one always stay.
type Keep struct {
	Turns  int       // so many of the last turns; 0 = no bound
	Before time.Time // nothing that ended before; zero = no bound
}

// Prune deletes a thread's turns but for what keep says, and returns how many documents that were. What is left can
// be rebuilt as before.
func (g *Graph[S, P]) Prune(ctx context.Context, thread state.Thread, keep Keep) (int, error) {
	if g.config.Log == nil {
		return 0, g.noLogError()
	}
	if keep.Turns < 0 || keep == (Keep{}) {
		return 0, state.Errorf(state.Invalid, "prune", "say how many turns are kept, or before what time they go")
	}
	ends, err := g.config.Log.History(ctx, thread, checkpoint.Which{})
	if err != nil || len(ends) == 0 {
		return 0, err
	}
	first := ends[len(ends)-1].Seq
	ends = slices.DeleteFunc(ends, func(s checkpoint.Step) bool { return !s.Done })
	kept := 1
	for kept < len(ends) && (keep.Turns == 0 || kept < keep.Turns) && !ends[kept].At.Before(keep.Before) {
		kept++
	}
	if kept >= len(ends) { // nothing but what a prune that was cut short has left
		return g.config.Log.Prune(ctx, thread, first, g.rebuildFields)
	}
	return g.config.Log.Prune(ctx, thread, ends[kept].Seq+1, g.rebuildFields)
}

// DeleteTurns removes finished turns from a thread's history, by their ids; what later turns hold stays.
func (g *Graph[S, P]) DeleteTurns(ctx context.Context, thread state.Thread, turns ...string) (int, error) {
	if g.config.Log == nil {
		return 0, g.noLogError()
	}
	return g.config.Log.DeleteTurns(ctx, thread, g.rebuildFields, turns...)
}
