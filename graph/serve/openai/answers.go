package openai

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// checkResults refuses results that would be lost: of a call that the turn they are for has not made, or that has come to something else.
func (f *Face) checkResults(ctx context.Context, p *place, scope state.Scope) error {
	e, k, n := p.talk.last(), p.was, len(p.talk.exchanges)
	if k == nil && n > 1 && p.at > 0 && (p.talk.exchanges[n-2].bare() || p.n == n-1 && !p.have[p.at-1].over) {
		e, k = &p.talk.exchanges[n-2], &p.have[p.at-1] // the message behind them is new
	}
	if k == nil || len(e.results) == 0 {
		return nil
	}
	var waits []graph.Question
	if !k.over {
		scope.Session = p.session
		var err error
		if waits, err = f.c.Graph.Waits(ctx, scope); err != nil {
			return err
		}
	}
	return k.check(e.results, waits, f.mask)
}

// check refuses results that the turn, which waits for these, would not take. One that it has, or goes on with just now, may come again.
func (k kept) check(results []result, waits []graph.Question, mask func(string) string) error {
	came := maps.Clone(k.results)
	for _, r := range results {
		had, known := came[r.call]
		waited := slices.ContainsFunc(waits, func(a graph.Question) bool { return AsksClient(a) && callID(a) == r.call })
		switch {
		case known && !same(r.text, had, mask):
			return refuse("tool_call_id", "%.80q has had another result, and the turn has gone on with that; say what is new in a message", r.call)
		case !known && !waited && (k.over || !slices.Contains(k.calls, r.call)):
			return refuse("tool_call_id", "%.80q is no call that this turn waits for; send the results of those that it made, with their ids", r.call)
		}
		came[r.call] = r.text
	}
	return nil
}

// approvals are the questions that a person answers, and no tool of the client's.
func approvals(waits []graph.Question) []graph.Question {
	return slices.DeleteFunc(slices.Clone(waits), AsksClient)
}

// answersOf are the answers to what a turn waits for: the results of the client's calls, and what its user decided about the others.
func answersOf(waits []graph.Question, results []result, choice state.Choice, by string) map[string]state.Answer {
	out := map[string]state.Answer{}
	for _, a := range waits {
		if !AsksClient(a) {
			if choice != "" {
				out[a.ID] = state.Answer{Choice: choice, By: by}
			}
			continue
		}
		for _, r := range results {
			if r.call == callID(a) {
				value, _ := json.Marshal(r.text) // a text always can be
				out[a.ID] = state.Answer{Choice: state.Edit, Value: string(value), By: by}
			}
		}
	}
	return out
}

func answerID(answers map[string]state.Answer) string {
	var all []string
	for id, a := range answers {
		all = append(all, id+"\x00"+a.Value+string(a.Choice))
	}
	slices.Sort(all)
	return "$answer-" + sum(all...)
}
