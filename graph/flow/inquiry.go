package flow

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// inquiry is what a turn has asked and been answered, since it was last gone back to.
type inquiry struct {
	asked   []checkpoint.Ask
	answers map[string]state.Answer
	below   map[string]state.Answer // answers to its questions that were given at the threads of graphs it has called
	over    bool                    // the turn is finished: it waits for nothing
	parked  bool                    // the last attempt has ended with questions, and no answer has come since
}

// inquire finds the questions of the thread's last turn.
func (g *Graph[S, P]) inquire(ctx context.Context, thread state.Thread) (q inquiry, err error) {
	if g.config.Log == nil {
		return q, g.noLogError()
	}
	if err := g.hearThread(ctx, thread, &q); err != nil {
		return q, err
	}
	return q, g.hearBelow(ctx, thread.Client, &q)
}

// hearThread takes in what a thread's last turn has asked and been answered.
func (g *Graph[S, P]) hearThread(ctx context.Context, thread state.Thread, q *inquiry) error {
	head, err := g.config.Log.Head(ctx, thread)
	if err != nil {
		return err
	}
	steps, err := g.config.Log.Steps(ctx, thread, head.Base)
	if err != nil {
		return err
	}
	q.hear(steps)
	return nil
}

// hearBelow finds what open questions of called graphs were answered at their own threads.
func (g *Graph[S, P]) hearBelow(ctx context.Context, client string, q *inquiry) error {
	heard := map[string]bool{}
	for _, a := range q.listOpen() {
		if a.Thread == "" || heard[a.Thread] {
			continue
		}
		heard[a.Thread] = true
		var there inquiry
		if err := g.hearThread(ctx, state.Thread{Client: client, ID: a.Thread}, &there); err != nil {
			return err
		}
		if q.below == nil {
			q.below = map[string]state.Answer{}
		}
		maps.Copy(q.below, there.answers)
	}
	return nil
}

// hear takes in the questions and answers of steps, of which the last turn's count.
func (q *inquiry) hear(steps []checkpoint.Step) {
	q.over = true
	for _, s := range steps {
		if q.over || s.Source == checkpoint.SourceFork {
			q.asked, q.answers, q.parked = nil, map[string]state.Answer{}, false
		}
		q.over = s.Done
		q.parked = len(s.Asked) > 0 || q.parked && len(s.Answers) == 0
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
		q.drop(s)
	}
}

// drop forgets questions without an answer whose visits have ended all the same: by Force, or since Update stood for them. Those of
// a graph that the visit has called go with it.
func (q *inquiry) drop(s checkpoint.Step) {
	for _, p := range s.Parts {
		if p.Partial || len(q.asked) == 0 {
			continue
		}
		below := Place{Turn: s.Turn, Node: p.Node, Visit: p.Visit, Item: p.Item}.innerTurnID()
		q.asked = slices.DeleteFunc(q.asked, func(a checkpoint.Ask) bool {
			_, answered := q.answers[a.ID]
			behind, called := strings.CutPrefix(a.ID, below)
			switch {
			case answered:
				return false
			case a.Thread != "":
				return called && strings.IndexAny(behind, "/:.") == 0
			}
			return a.Node == p.Node && a.Visit == p.Visit && (p.Item == 0 || a.Item == p.Item)
		})
	}
}

// listOpen returns the questions without an answer.
func (q *inquiry) listOpen() (open []checkpoint.Ask) {
	for _, a := range q.asked {
		_, here := q.answers[a.ID]
		_, below := q.below[a.ID]
		if !here && !below && !q.over {
			open = append(open, a)
		}
	}
	return open
}

// stands reports whether the turn can do nothing before a further answer. One that was answered in part, and cut short then, can.
func (q *inquiry) stands() bool { return q.parked && len(q.listOpen()) > 0 }

// answersBelow are the answers from below that this thread has not noted yet.
func (q *inquiry) answersBelow() (heard []checkpoint.Answer) {
	for _, a := range q.asked {
		_, here := q.answers[a.ID]
		if below, ok := q.below[a.ID]; ok && !here {
			heard = append(heard, checkpoint.Answer{ID: a.ID, Answer: below})
		}
	}
	return heard
}

// match checks answers against the questions and leaves out those that were given before. What was answered below counts
// as it was answered there. Who answers otherwise than somebody before him is told: what was done is not what he wants.
func (q *inquiry) match(answers map[string]state.Answer) (fresh []checkpoint.Answer, err error) {
	open := q.listOpen()
	for id, a := range answers {
		if i := slices.IndexFunc(q.asked, func(o checkpoint.Ask) bool { return o.ID == id }); i >= 0 {
			a = spellAnswer(q.asked[i].Question, a)
		}
		before, known := q.answers[id]
		below, there := q.below[id]
		switch {
		case known && !sameAnswer(before, a):
			return nil, answeredError(id, before, a)
		case known:
			continue
		case there && !sameAnswer(below, a):
			return nil, answeredError(id, below, a)
		case there:
			fresh = append(fresh, checkpoint.Answer{ID: id, Answer: below})
			continue
		}
		i := slices.IndexFunc(open, func(o checkpoint.Ask) bool { return o.ID == id })
		if i < 0 {
			return nil, state.Errorf(state.NotFound, "question "+id, "was not asked by the thread's last turn")
		}
		if err := checkAnswer(open[i].Question, a); err != nil {
			return nil, err
		}
		fresh = append(fresh, checkpoint.Answer{ID: id, Answer: a})
	}
	slices.SortFunc(fresh, func(a, b checkpoint.Answer) int { return strings.Compare(a.ID, b.ID) })
	return fresh, nil
}

// answeredError returns the error of who answers otherwise than somebody before.
func answeredError(id string, before, now state.Answer) error {
	return state.Errorf(state.Conflict, "question "+id, "was answered %q before, and is answered %q now; what was answered first counts", before.Choice, now.Choice)
}

// sameAnswer reports whether two answers decide the same; the reasons may differ.
func sameAnswer(a, b state.Answer) bool { return a.Choice == b.Choice && a.Value == b.Value }
