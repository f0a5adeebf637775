package flow

import (
	"context"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// RecordAnswers writes answers to questions of the thread's last turn down, by their ids, and does not go on with it: Resume does, in
// a process that has the turn's models and tools. It returns the questions that are left. It refuses what Answer refuses.
func (g *Graph[S, P]) RecordAnswers(ctx context.Context, thread state.Thread, answers map[string]state.Answer) ([]checkpoint.Ask, error) {
	q, err := g.inquire(ctx, thread)
	if err != nil {
		return nil, err
	}
	fresh, err := q.match(answers)
	if err != nil || len(fresh) == 0 {
		return q.listOpen(), err
	}
	t, _, err := g.config.Log.Take(ctx, thread)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	if err := t.Commit(ctx, checkpoint.Commit{Source: checkpoint.SourceResume, Answers: fresh}); err != nil {
		return nil, err
	}
	return g.Waits(ctx, thread)
}
