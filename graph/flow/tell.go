package flow

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// makeEvent begins an event of a place in the turn.
func (r *run[S, P]) makeEvent(m Mode, at Place) Event {
	e := Event{Mode: m, Place: at, Step: r.step.Load()}
	if r.turn != nil {
		e.Attempt = r.turn.Attempt()
	}
	return e
}

// tellBegin tells of the state and the step that an attempt begins with.
func (r *run[S, P]) tellBegin() {
	if r.listener == nil {
		return
	}
	r.listener.begin(r.place.Thread.ID)
	if r.turn != nil && r.turn.Last().Seq > 0 {
		r.tellCheckpoint(r.graph.shape.listDue(r.path))
	}
	if r.listener.wants(Values) {
		e := r.makeEvent(Values, r.place)
		e.State = r.state
		r.listener.put(e)
	}
}

// tellTask tells that a visit or item begins or ends.
func (st *step[S, P]) tellTask(ends bool, err error) {
	if r := st.run; r.listener.wants(Tasks) {
		e := r.makeEvent(Tasks, st.where.Place)
		e.Try, e.Ends, e.Err = st.try, ends, err
		r.listener.put(e)
	}
}

// tellChange tells what a visit or item has changed. The caller holds the lock.
func (r *run[S, P]) tellChange(v visit, patch S) {
	if r.listener.wants(Updates) || r.listener.wants(Values) {
		r.tellPatch(v, patch)
	}
}

func (r *run[S, P]) tellPatch(v visit, patch S) {
	at := r.place
	at.Node, at.Visit, at.Item = v.node, v.n, v.item
	e := r.makeEvent(Updates, at)
	for _, f := range P(&patch).Fields() {
		if f.Field.Changed() {
			e.Fields = append(e.Fields, f.Name)
		}
	}
	if e.State = patch; r.listener.wants(Updates) {
		r.listener.put(e)
	}
	if r.listener.wants(Values) && len(e.Fields) > 0 {
		e.Mode, e.State, e.Fields = Values, r.state, nil
		r.listener.put(e)
	}
}

// listNext returns what is to run when these parts are durable. The caller holds the lock.
func (r *run[S, P]) listNext(c checkpoint.Commit) []string {
	if !r.listener.wants(Checkpoints) || c.Done {
		return nil
	}
	passed := slices.Clone(r.passed)
	counted := map[string]int{}
	for _, e := range passed {
		counted[e.node]++
	}
	for _, p := range c.Parts {
		if p.EndsVisit() && p.Visit > counted[p.Node] {
			passed = append(passed, ended{p.Node, p.Next})
		}
	}
	return r.graph.shape.listDue(passed)
}

// tellCheckpoint tells of the step committed last.
func (r *run[S, P]) tellCheckpoint(next []string) {
	if r.listener == nil {
		return
	}
	last := r.turn.Last()
	r.step.Store(last.Seq)
	if r.listener.wants(Checkpoints) {
		e := r.makeEvent(Checkpoints, r.place)
		e.Checkpoint = &Checkpoint{last, next}
		r.listener.put(e)
	}
}

// listen lets what the node emits, and what the models say that it calls, be events of the stream. What is emitted is heard by who
// listens besides.
func (st *step[S, P]) listen(ctx context.Context) (context.Context, *ear) {
	r := st.run
	if !r.listener.wants(Messages) && !r.listener.wants(Custom) {
		return ctx, nil
	}
	var e *ear
	if r.listener.wants(Messages) {
		e = &ear{tell: st.tellPiece}
		ctx = context.WithValue(ctx, earKey{}, e)
	}
	return state.ContextWithEvents(ctx, func(said state.Event) {
		m := Custom
		if said.Name == state.TokenEvent && (e == nil || !e.emits(said.Text)) {
			m = Messages
		}
		if r.listener.wants(m) {
			ev := r.makeEvent(m, st.where.Place)
			ev.Try, ev.Said = st.try, said
			r.listener.put(ev)
		}
		st.tellAlive()
		r.listener.host(said)
	}), e
}

// tellPiece tells what a model says.
func (st *step[S, P]) tellPiece(p Piece) {
	e := st.run.makeEvent(Messages, st.where.Place)
	e.Try, e.Piece, e.Said = st.try, &p, state.Event{Name: state.TokenEvent, Text: p.Message.Content}
	st.run.listener.put(e)
}
