package memory

import (
	"context"

	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// Ingest takes in messages of a session that were said elsewhere, in order, behind those that are there: an import, a
// conversation of two people, data to be measured on. They pass through the same checks and masks as a message of
// a turn and are kept as such, but nothing is decided and nobody answers. A message without a time gets the one of now,
// one without an id its number; Role may be empty where people talk, Speaker says who. All of a call are durable
// together, before it returns. Ids that are there already are not looked for. Inside a turn it is refused, and a
// session with an unfinished turn, whose next numbers are that turn's, is state.ErrConflict.
func (t Turn) Ingest(ctx context.Context, scope state.Scope, msgs ...state.Message) error {
	scope = scope.Default()
	ctx = t.m.desk.Under(ctx, scope)
	if state.EffectsFrom(ctx) != nil {
		return state.Errorf(state.Invalid, "ingest", "is not for the inside of a turn")
	}
	if len(msgs) == 0 {
		return nil
	}
	s, last, err := t.m.desk.SessionEnd(ctx, scope)
	switch {
	case err != nil:
		return err
	case last > s.Messages:
		return state.Errorf(state.Conflict, "session "+scope.Session, "has a turn that is not finished; finish it, then ingest")
	}
	s = parts.Open(s, scope, t.m.c.Now())
	effects := make([]state.Effect, 0, len(msgs)+1)
	for _, msg := range msgs {
		if err := t.m.admissible(ctx, msg); err != nil {
			return err
		}
		if msg, err = t.m.bring(ctx, scope, msg); err != nil {
			return err
		}
		if !msg.StoresExtra() {
			msg.Extra = nil // there is no turn to see it
		}
		t.m.hide(ctx, &msg)
		s.Messages++
		msg.Seq, msg.Project = s.Messages, scope.Project
		if msg.ID == "" {
			msg.ID = "m" + itoa(msg.Seq)
		}
		if msg.At.IsZero() {
			msg.At = t.m.c.Now()
		}
		s.LastAt = msg.At
		effects = append(effects, state.Effect{Scope: scope, Message: &msg})
	}
	err = t.m.desk.Decide(ctx, append(effects, state.Effect{Scope: scope, Session: &s})...)
	return err
}
