package sessions

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// Fork makes a new session that stands where another stood after message number upTo: with its messages, language and
// summary, and with no affair active. Affairs and records are the user's and belong to both. A session that exists is
// state.ErrConflict.
func (x *Room) Fork(ctx context.Context, scope state.Scope, upTo int64, to string) error {
	scope = scope.Default()
	fork := scope
	fork.Session = to
	old, err := x.Get(ctx, scope)
	if err != nil {
		return err
	}
	there, last, err := x.desk.SessionEnd(ctx, fork)
	if err != nil {
		return err
	}
	if last > 0 || there.Part > 0 {
		return state.Errorf(state.Conflict, "session "+to, "is there already; name another")
	}
	messages, err := desk.MessagesAfter(ctx, x.desk.Base, scope, 0)
	if err != nil {
		return err
	}
	elsewhere := old.PartFrom > upTo // of the part before this one nobody knows where it began
	effects, err := x.forkSummary(ctx, &old, upTo, to)
	if err != nil {
		return err
	}
	old.ID, old.Active, old.Messages = to, "", 0
	for _, msg := range messages {
		if msg.Seq <= upTo {
			effects = append(effects, state.Effect{Message: &msg})
			old.Messages, old.LastAt = msg.Seq, msg.At
		}
	}
	for i := range effects {
		effects[i].Scope = fork
	}
	if elsewhere {
		messages = nil
	}
	old.Preferences = parts.Preferred(slices.DeleteFunc(messages, func(msg state.Message) bool { return msg.Seq > upTo }), old.PartFrom)
	effects = append(effects, state.Effect{Scope: fork, Session: &old})
	err = x.desk.Decide(ctx, effects...)
	return err
}

// forkSummary gives a session that is forked behind message number upTo the summary with it, if that covers no message behind it. Else
// the fork's turns make one.
func (x *Room) forkSummary(ctx context.Context, s *state.Session, upTo int64, to string) ([]state.Effect, error) {
	s.Ending = nil
	r, err := x.desk.ShownSummary(ctx, *s)
	switch {
	case err != nil:
		return nil, err
	case s.Summarised > upTo || s.PartFrom > upTo:
		s.Summary, s.SummaryID, s.Summarised = "", "", s.WindowFrom
		s.Part, s.PartFrom, s.PartAt, s.Touched, s.TouchedLast = 1, s.WindowFrom+1, s.StartedAt, nil, nil
	case r.ID != "":
		r.ID, r.Session = mind.SummaryID(to, r.Span.First), to
		s.SummaryID = r.ID
		return []state.Effect{{Record: &r}}, nil
	}
	return nil, nil
}
