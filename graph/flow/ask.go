package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// WaitingError is the error of a turn that cannot go on before somebody has answered: nothing failed. What was done is
// durable; Answer goes on, in any process, days later.
type WaitingError struct {
	Asked []checkpoint.Ask
}

// Error names the questions.
func (w *WaitingError) Error() string {
	var ids []string
	for _, a := range w.Asked {
		ids = append(ids, a.ID)
	}
	return "the turn waits for an answer to " + strings.Join(ids, ", ")
}

// Is makes WaitingError state.ErrWaits, and a state.ErrConflict to who asks for codes only: the thread takes no other turn
// meanwhile.
func (w *WaitingError) Is(target error) bool {
	return target == error(state.ErrWaits) || target == error(state.ErrConflict)
}

// ask answers a question from the log, or ends the attempt with it.
func (st *step[S, P]) ask(ctx context.Context, q state.Question) (state.Answer, error) {
	r := st.run
	if r.turn == nil && q.IfAsked {
		return state.Answer{}, nil
	}
	if r.turn == nil {
		return state.Answer{}, state.Errorf(state.Unavailable, "question of "+st.visit.node, "cannot be asked: the graph keeps no log to wait in")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if key := state.IdempotencyKey(ctx); q.Call == "" && key != "" { // a tool asks: its calls may run side by side
		_, q.Call, _ = strings.Cut(key, "/"+r.turn.ID()+"/")
	}
	ask := checkpoint.Ask{ID: st.name(q), Node: st.visit.node, Visit: st.visit.n, Question: q}
	if q.IfAsked && !slices.ContainsFunc(r.before, func(a checkpoint.Ask) bool { return a.ID == ask.ID }) {
		return state.Answer{}, nil
	}
	st.questions = append(st.questions, ask.ID)
	if a, ok := r.answers[ask.ID]; ok {
		return a, nil
	}
	return state.Answer{}, &WaitingError{Asked: []checkpoint.Ask{ask}}
}

// name finds the id of a question: that under which the turn has put it before, if this attempt has not met it yet, or
// a new one. So an answer never goes to another question than it was given to, even where a node that is entered
// again behind a Commit leaves some out.
func (st *step[S, P]) name(q state.Question) string {
	base := fmt.Sprintf("%s/%s#%d/", st.run.turn.ID(), st.visit.node, st.visit.n)
	for n := 1; ; n++ {
		id := base + fmt.Sprint(n)
		switch {
		case q.Call != "" && n == 1:
			id = base + q.Call
		case q.Call != "":
			id = fmt.Sprintf("%s%s.%d", base, q.Call, n)
		}
		i := slices.IndexFunc(st.run.before, func(a checkpoint.Ask) bool { return a.ID == id })
		if !slices.Contains(st.questions, id) && (i < 0 || same(st.run.before[i].Question, q)) {
			return id
		}
	}
}

// same reports whether two questions ask for one thing.
func same(a, b state.Question) bool {
	return a.Text == b.Text && a.Tool == b.Tool && a.Call == b.Call && a.Arguments == b.Arguments && a.Schema == b.Schema && slices.Equal(a.Choices, b.Choices)
}

// waits takes note of a node that ended with questions.
func (r *run[S, P]) waits(err error) bool {
	var w *WaitingError
	if !errors.As(err, &w) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, w.Asked...)
	return true
}

// Waits returns the questions that the thread's unfinished turn waits for; none = it waits for nothing.
func (g *Graph[S, P]) Waits(ctx context.Context, thread state.Thread) ([]checkpoint.Ask, error) {
	if g.config.Log == nil {
		return nil, g.noLog()
	}
	head, err := g.config.Log.Head(ctx, thread)
	if err != nil || head.Seq == 0 || head.Done {
		return nil, err
	}
	q, err := g.questions(ctx, thread, head)
	return q.open(), err
}

// inquiry is what a turn has asked and been answered, since it was last gone back to.
type inquiry struct {
	asked   []checkpoint.Ask
	answers map[string]state.Answer
}

// questions are those of the turn that a step belongs to.
func (g *Graph[S, P]) questions(ctx context.Context, thread state.Thread, head checkpoint.Step) (q inquiry, err error) {
	steps, err := g.config.Log.Steps(ctx, thread, head.Base)
	if err != nil {
		return q, err
	}
	q.hear(steps)
	return q, nil
}

// hear takes in the questions and answers of steps, of which the last turn's count.
func (q *inquiry) hear(steps []checkpoint.Step) {
	over := true
	for _, s := range steps {
		if over || s.Source == checkpoint.SourceFork {
			q.asked, q.answers = nil, map[string]state.Answer{}
		}
		over = s.Done
		for _, a := range s.Asked {
			if !slices.ContainsFunc(q.asked, func(o checkpoint.Ask) bool { return o.ID == a.ID }) {
				q.asked = append(q.asked, a)
			}
		}
		for _, a := range s.Answers {
			if _, ok := q.answers[a.ID]; !ok {
				q.answers[a.ID] = a.Answer
			}
		}
	}
}

// open are the questions without an answer.
func (q *inquiry) open() (open []checkpoint.Ask) {
	for _, a := range q.asked {
		if _, ok := q.answers[a.ID]; !ok {
			open = append(open, a)
		}
	}
	return open
}

// Answer answers questions of the thread's last turn, by their ids, and goes on with it. Answers that were given
// before change nothing: when there is no other, the state comes back as it is. An id that was never asked is
// state.ErrNotFound, an answer that the question does not allow state.ErrInvalid, and a further question *WaitingError.
func (g *Graph[S, P]) Answer(ctx context.Context, thread state.Thread, answers map[string]state.Answer) (S, error) {
	var none S
	if g.config.Log == nil {
		return none, g.noLog()
	}
	head, err := g.config.Log.Head(ctx, thread)
	if err != nil {
		return none, err
	}
	q, err := g.questions(ctx, thread, head)
	if err != nil {
		return none, err
	}
	open := q.open()
	fresh, err := match(open, q.answers, answers)
	if err != nil {
		return none, err
	}
	if len(fresh) == 0 {
		s, err := g.State(ctx, thread, 0)
		if err == nil && len(open) > 0 {
			err = &WaitingError{Asked: open}
		}
		return s.State, err
	}
	return g.resume(ctx, thread, nil, fresh)
}

// match checks answers against the questions and leaves out those that were given before.
func match(open []checkpoint.Ask, answered, answers map[string]state.Answer) (fresh []checkpoint.Answer, err error) {
	for id, a := range answers {
		i := slices.IndexFunc(open, func(o checkpoint.Ask) bool { return o.ID == id })
		if _, before := answered[id]; before && i < 0 {
			continue
		}
		if i < 0 {
			return nil, state.Errorf(state.NotFound, "question "+id, "was not asked by the thread's last turn")
		}
		if err := check(open[i].Question, a); err != nil {
			return nil, err
		}
		fresh = append(fresh, checkpoint.Answer{ID: id, Answer: a})
	}
	slices.SortFunc(fresh, func(a, b checkpoint.Answer) int { return strings.Compare(a.ID, b.ID) })
	return fresh, nil
}

// check refuses an answer that the question does not allow.
func check(q state.Question, a state.Answer) error {
	choices := q.Choices
	if len(choices) == 0 {
		choices = []state.Choice{state.Approve, state.Edit, state.Reject}
	}
	if !slices.Contains(choices, a.Choice) {
		return state.Errorf(state.Invalid, fmt.Sprintf("answer %q", a.Choice), "is none of %v", choices)
	}
	if a.Choice != state.Edit {
		return nil
	}
	var value any
	if err := json.Unmarshal([]byte(a.Value), &value); err != nil {
		return state.Errorf(state.Invalid, "answer", "its value is no JSON: %w", err)
	}
	if q.Schema == "" {
		return nil
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(q.Schema), &schema); err != nil {
		return state.Errorf(state.Internal, "question", "its schema cannot be read: %w", err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return state.Errorf(state.Internal, "question", "its schema cannot be used: %w", err)
	}
	if err := resolved.Validate(value); err != nil {
		return state.Errorf(state.Invalid, "answer", "its value does not fit the question: %w", err)
	}
	return nil
}
