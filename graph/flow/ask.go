package flow

import (
	"context"
	"encoding/json"
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
	if key := state.IdempotencyKey(ctx); q.Call == "" && key != st.where.visitKey() { // a tool asks: its calls may run side by side
		_, q.Call, _ = strings.Cut(key, "/"+r.turn.ID()+"/")
	}
	ask := checkpoint.Ask{ID: st.nameQuestion(q), Node: st.visit.node, Visit: st.visit.n, Item: st.visit.item, Question: q}
	if q.IfAsked && !slices.ContainsFunc(r.before, func(a checkpoint.Ask) bool { return a.ID == ask.ID }) {
		return state.Answer{}, nil
	}
	st.questions = append(st.questions, ask.ID)
	if a, ok := r.answers[ask.ID]; ok {
		return a, nil
	}
	return state.Answer{}, &WaitingError{Asked: []checkpoint.Ask{ask}}
}

// nameQuestion finds the id of a question: that under which the turn has put it before, if this attempt has not met it yet, or
// a new one. So an answer never goes to another question than it was given to, even where a node that is entered
// again behind a Commit leaves some out.
func (st *step[S, P]) nameQuestion(q state.Question) string {
	base := fmt.Sprintf("%s/%s#%s/", st.run.turn.ID(), st.visit.node, st.where.number())
	for n := 1; ; n++ {
		id := base + fmt.Sprint(n)
		switch {
		case q.Call != "" && n == 1:
			id = base + q.Call
		case q.Call != "":
			id = fmt.Sprintf("%s%s.%d", base, q.Call, n)
		}
		i := slices.IndexFunc(st.run.before, func(a checkpoint.Ask) bool { return a.ID == id })
		if !slices.Contains(st.questions, id) && (i < 0 || sameQuestion(st.run.before[i].Question, q)) {
			return id
		}
	}
}

// sameQuestion reports whether two questions ask for one thing. About a tool's call, with its arguments, it is the call: in what words the
// tool is described, and in which order, may be another in the process that answers. Any other question is its text.
func sameQuestion(a, b state.Question) bool {
	same := a.Tool == b.Tool && a.Call == b.Call && a.Arguments == b.Arguments && slices.Equal(a.Choices, b.Choices)
	return same && (a.Text == b.Text || a.Tool != "" && a.Call != "" && a.Arguments != "")
}

// splitQuestions finds what an error asks, and whether it tells of anything else: a node that asks for several things at once
// joins their errors.
func splitQuestions(err error) (asked []checkpoint.Ask, fails bool) {
	var inner []error
	switch e := err.(type) { //nolint:errorlint // each level of the tree is looked at
	case nil:
		return nil, false
	case *WaitingError:
		return e.Asked, false
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	}
	fails = len(inner) == 0 || inner[0] == nil
	for _, e := range inner {
		more, other := splitQuestions(e)
		asked, fails = append(asked, more...), fails || other
	}
	return asked, fails
}

// findAnswer returns what a question of the turn was answered.
func (r *run[S, P]) findAnswer(id string) (state.Answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.answers[id]
	return a, ok
}

// park takes note of a node that ended with questions. Others go on; what it leads to waits.
func (r *run[S, P]) park(node string, asked []checkpoint.Ask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range asked {
		if !slices.ContainsFunc(r.asked, func(o checkpoint.Ask) bool { return o.ID == a.ID }) {
			r.asked = append(r.asked, a)
		}
	}
	r.asking[node] = true
	if r.rounds != nil {
		r.rounds.end(ended{node: node}, true)
	}
}

// Waits returns the questions that the thread's unfinished turn waits for; none = it waits for nothing.
func (g *Graph[S, P]) Waits(ctx context.Context, thread state.Thread) ([]checkpoint.Ask, error) {
	q, err := g.inquire(ctx, thread)
	return q.listOpen(), err
}

// Answer answers questions of the thread's last turn, by their ids, and goes on with it. An answer that was given before counts once:
// with it Answer goes on with a turn that a crash cut short behind it, and returns the end of one that is finished. Another answer to a
// question that has one is state.ErrConflict, an id that was never asked state.ErrNotFound, an answer that the question does not allow
// state.ErrInvalid, and a further question *WaitingError.
func (g *Graph[S, P]) Answer(ctx context.Context, thread state.Thread, answers map[string]state.Answer) (S, error) {
	var none S
	q, err := g.inquire(ctx, thread)
	if err != nil {
		return none, err
	}
	fresh, err := q.match(answers)
	if err != nil {
		return none, err
	}
	if len(fresh) == 0 && (q.over || q.stands()) {
		return g.waits(ctx, thread, q)
	}
	end, err := g.resume(ctx, thread, nil, fresh)
	if state.CodeOf(err) == state.NotFound {
		if open, e := g.Unfinished(ctx, thread); e == nil && !open { // another process has finished it by now
			return g.Answer(ctx, thread, answers)
		}
	}
	return end, err
}

// waits returns the state of a turn as it is, with what it waits for as the error, if there is anything.
func (g *Graph[S, P]) waits(ctx context.Context, thread state.Thread, q inquiry) (S, error) {
	s, err := g.State(ctx, thread, 0)
	if open := q.listOpen(); err == nil && len(open) > 0 {
		err = &WaitingError{Asked: open}
	}
	return s.State, err
}

// spellAnswer returns an edit with its value as JSON: a plain text becomes a JSON string, where the question takes one. What looks like JSON that is
// broken off stays as it is, and so does what is meant for the arguments of a call.
func spellAnswer(q state.Question, a state.Answer) state.Answer {
	value := strings.TrimSpace(a.Value)
	switch isJSON := json.Valid([]byte(value)); {
	case a.Choice != state.Edit || value == "" || q.Schema == "" && (isJSON || q.Tool+q.Call != ""):
		return a
	case isJSON && checkAnswer(q, a) == nil, !isJSON && strings.ContainsAny(value[:1], `{["`):
		return a
	}
	var text strings.Builder
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	if err := to.Encode(a.Value); err != nil {
		return a
	}
	spelled := a
	if spelled.Value = strings.TrimSuffix(text.String(), "\n"); checkAnswer(q, spelled) != nil {
		return a
	}
	return spelled
}

// checkAnswer refuses an answer that the question does not allow.
func checkAnswer(q state.Question, a state.Answer) error {
	// The choice.
	choices := q.Choices
	if len(choices) == 0 {
		choices = []state.Choice{state.Approve, state.Edit, state.Reject, state.Suggest}
	}
	if !slices.Contains(choices, a.Choice) {
		list := strings.ReplaceAll(strings.Trim(fmt.Sprint(choices), "[]"), " ", ", ")
		return state.Errorf(state.Invalid, fmt.Sprintf("answer %q", a.Choice), "does not go with the question; choose one of %s", list)
	}
	if a.Choice != state.Edit {
		return nil
	}

	// The edited value.
	var value any
	if err := json.Unmarshal([]byte(a.Value), &value); err != nil {
		return state.Errorf(state.Invalid, "answer", "its value is not JSON: %w", err)
	}
	if q.Schema == "" {
		return nil
	}

	// It must fit the question.
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
