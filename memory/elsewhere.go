package memory

import (
	"cmp"
	"context"
	"errors"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// PutTurn puts a turn of the scope's session under another affair than it was filed under, and makes that one the session's: its messages and records go
// with it, and each affair knows what is said in it, no more. turn "" is the last one. name is an affair's id or title; one that there is not yet
// is begun, with a title out of the message where name is "". The affair it leaves is parked, or archived when nothing else was said in it. Without such a turn it
// is state.ErrNotFound, at autonomy 0 state.ErrDenied, and state.ErrConflict where the turn is there already. Each change is in the log and can be taken back
// there; they are several commits, so that a crash between them leaves the turn filed anew and the session where it was.
func (m *Memory) PutTurn(ctx context.Context, scope state.Scope, turn, name string) (state.Affair, error) {
	scope = scope.Default()
	ctx = m.under(ctx, scope)
	if err := m.writable(ctx, scope); err != nil {
		return state.Affair{}, err
	}
	ctx = context.WithValue(ctx, approvedKey{}, true) // a person orders it himself, and is not asked whether he wants it

	// The turn, and where it is filed.
	session, err := m.Session(ctx, scope)
	if err != nil {
		return state.Affair{}, err
	}
	said, err := m.turnOf(ctx, scope, session.Messages+1, turn)
	if err != nil {
		return state.Affair{}, err
	}
	user := said[0]
	from, err := m.affairOf(ctx, scope, user)
	if err != nil {
		return state.Affair{}, err
	}

	// Where it goes.
	lang := cmp.Or(session.Language, text.Language(user.Text, "en"))
	to, err := m.affairFor(ctx, scope, user, name, lang)
	if err != nil {
		return to, err
	}
	if from != nil && from.ID == to.ID {
		return to, state.Errorf(state.Conflict, "put turn "+user.Turn, "it is in %q already; name another affair", to.Title)
	}

	effects, err := m.refiled(ctx, scope, session.Messages+1, said, from, to, lang)
	if err != nil {
		return to, err
	}
	if err := m.decide(ctx, effects...); err != nil {
		return to, err
	}
	if to, err = m.MoveAffair(ctx, scope, to.ID, state.Active, ""); err != nil || from == nil {
		return to, err
	}
	left, err := m.filed(ctx, scope, session.Messages+1, from.ID)
	if err == nil && len(users(left)) == 0 {
		_, err = m.MoveAffair(ctx, scope, from.ID, state.Archived, "")
	}
	return to, err
}

// turnOf are the messages of a turn before a number, the user's first; of the last turn where it is "".
func (m *Memory) turnOf(ctx context.Context, scope state.Scope, before int64, turn string) ([]state.Message, error) {
	said, err := m.lastMessages(ctx, scope, before, lookBack, func(msg state.Message) bool {
		if turn == "" {
			turn = msg.Turn
		}
		return msg.Turn == turn
	})
	if err != nil {
		return nil, err
	}
	if len(said) == 0 || said[0].Role != state.RoleUser {
		return nil, state.Errorf(state.NotFound, "turn "+turn, "is not in session %s", scope.Session)
	}
	return said, nil
}

// affairFor is the affair of a name, or a new one of that name, or of a title out of the message where there is no name.
func (m *Memory) affairFor(ctx context.Context, scope state.Scope, user state.Message, name, lang string) (state.Affair, error) {
	if name == "" {
		name = facts.Title(said(user), lang)
	}
	a, err := m.Affair(ctx, scope, name)
	if errors.Is(err, state.ErrNotFound) {
		return m.CreateAffair(ctx, scope, name, AffairChange{})
	}
	return a, err
}

// refiled are the effects of filing a turn, of a session with messages before a number, under another affair.
func (m *Memory) refiled(
	ctx context.Context, scope state.Scope, before int64, said []state.Message, from *state.Affair, to state.Affair, lang string,
) ([]state.Effect, error) {
	user := said[0]
	var out []state.Effect
	for _, msg := range said {
		out = append(out, state.Effect{Scope: scope, File: &state.MessageEdit{Seq: msg.Seq, Affair: to.ID, Why: msg.Why}})
	}

	// The affair it leaves loses what only this turn says.
	if from != nil {
		learnt := affair.Learn(state.Affair{}, user, lang).KeyFacts
		drops, err := m.dropFacts(ctx, scope, learnt, user.At, from.ID)
		if err != nil {
			return nil, err
		}
		anew, err := m.unlearn(ctx, scope, user, before)
		if err != nil {
			return nil, err
		}
		out = append(append(out, drops...), anew...)
		out = append(out, state.Effect{Scope: scope, Affair: &state.AffairEdit{ID: from.ID, At: m.c.Now(), Messages: -len(spokenIn(said))}})
	}

	// The other one learns it, and gets the records that were made of it.
	has := affair.Learn(to, user, lang)
	out = append(out, state.Effect{Scope: scope, Affair: &state.AffairEdit{
		ID: to.ID, At: m.c.Now(), Facts: has.KeyFacts.ChangesFrom(to.KeyFacts), Topics: has.Topics, Pending: has.PendingActions, SetPending: true, Messages: len(spokenIn(said)),
	}})
	valid, err := m.validRecords(ctx, scope)
	if err != nil {
		return nil, err
	}
	for _, r := range valid {
		if from != nil && r.Affair == from.ID && r.Session == scope.Session && r.Source.Turn == user.Turn {
			r.Affair = to.ID
			out = append(out, state.Effect{Scope: scope, Record: &r})
		}
	}
	return out, nil
}
