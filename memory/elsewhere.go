package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect/reason"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// putPath is the way by which turns are put elsewhere: see state.By.
const putPath = "put_turn"

// PutTurn puts a turn of the scope's session under another affair than it was filed under, and makes that one the session's: its messages and records go
// with it, and each affair knows what is said in it, no more. turn "" is the last one. name is an affair's id or title; one that there is not yet
// is begun, with a title out of the message where name is "". The affair it leaves is parked; it is
// gone when nothing else was ever said in it or learnt of it. Without such a turn it is state.ErrNotFound, at autonomy 0 state.ErrDenied,
// and state.ErrConflict where the turn is there already. All of it is one commit, which History takes back as one.
//
// Under the context of a tool it is the turn that runs (turn ""): nothing was learnt of it yet, the pipeline goes on with the other affair, and a new
// one has a title of the model's.
func (f Affairs) PutTurn(ctx context.Context, scope state.Scope, turn, name string) (state.Affair, error) {
	scope = scope.Default()
	ctx = f.m.desk.Under(ctx, scope)
	if err := f.m.writable(ctx, scope); err != nil {
		return state.Affair{}, err
	}
	ctx = desk.Approve(ctx) // a person orders it himself, and is not asked whether he wants it

	// The turn, and where it is filed.
	session, err := f.m.Sessions().Get(ctx, scope)
	if err != nil {
		return state.Affair{}, err
	}
	by, before := state.By{Who: state.ByUser, Path: putPath}, session.Messages+1
	origin := desk.CallFrom(ctx)
	runs := origin.Tool != "" && origin.Turn != "" && turn == ""
	if runs {
		turn, by.Who, before = origin.Turn, state.ByAgent, origin.Seq+desk.LookBack
	}
	said, err := f.m.turnOf(ctx, scope, before, turn)
	if err != nil {
		return state.Affair{}, err
	}
	user := said[0]
	from, err := f.m.affairOf(ctx, scope, user)
	if err != nil {
		return state.Affair{}, err
	}
	by.Turn, by.Message, by.Why = user.Turn, user.ID, user.Affair
	e := &edits{f.m, &desk.Edits{Scope: scope, By: by}}
	if e.View.Affairs, err = f.List(ctx, scope, true); err != nil {
		return state.Affair{}, err
	}
	e.View.Session = parts.Open(session, scope, f.m.c.Now())
	to, err := e.put(ctx, said, from, name, runs)
	if err != nil {
		return to, err
	}
	return to, f.m.desk.Decide(ctx, e.Effects...)
}

// put decides what PutTurn does with a turn that is filed under from, nil = under none, and is over or runs.
func (e *edits) put(ctx context.Context, said []state.Message, from *state.Affair, name string, runs bool) (state.Affair, error) {
	user, before := said[0], max(e.View.Session.Messages, said[len(said)-1].Seq)+1
	lang := cmp.Or(e.View.Session.Language, text.Language(user.Text, "en"))
	id, err := e.affairFor(ctx, user, name, lang)
	if err != nil {
		return state.Affair{}, err
	}
	to, _ := e.View.Affair(id)
	if from != nil && from.ID == to.ID && (!runs || to.Status == state.Active) {
		return to, state.Errorf(state.Conflict, "put turn "+user.Turn, "it is in %q already; name another affair", to.Title)
	}
	if _, err := affair.Move(to, state.Active, e.Scope.Session, e.m.c.Now()); err != nil {
		return to, err
	}
	for _, msg := range said {
		if runs && msg.Seq == user.Seq {
			d := state.Decision{Kind: state.Switch, AffairID: id, Title: to.Title}
			if to.Messages == 0 {
				d.Kind = state.NewAffair
			}
			msg.Why = reason.Of(e.View, user.Text, d, lang, e.m.c.Now())
		}
		e.Add(state.Effect{File: &state.MessageEdit{Seq: msg.Seq, Affair: to.ID, Why: msg.Why}})
	}
	if err := e.refile(ctx, said, from, to); err != nil {
		return to, err
	}
	if !runs {
		if err := e.relearn(ctx, before, said, from, to, lang); err != nil {
			return to, err
		}
	}

	// What was active is set aside, with what is filed there still; where that is nothing, it goes.
	sink := &state.Effects{}
	sink.Add(e.Effects...)
	ctx = state.ContextWithEffects(ctx, sink)
	if e.View.Session.Active != id {
		if err := e.move(ctx, to, state.Active, ""); err != nil {
			return to, err
		}
	}
	if from != nil && from.ID != id {
		left, err := e.m.filed(ctx, e.Scope, before, from.ID)
		if err != nil {
			return to, err
		}
		if len(affair.FromUser(left)) == 0 {
			counted := len(spokenIn(said))
			if runs { // it is counted when it ends
				counted = 0
			}
			if err := e.leave(ctx, user.Turn, counted, *from); err != nil {
				return to, err
			}
		}
	}
	to, _ = e.View.Affair(id)
	return to, nil
}

// leave takes away an affair that a turn is put away from, if it holds nothing but the messages of it that it has counted.
func (e *edits) leave(ctx context.Context, turn string, counted int, from state.Affair) error {
	valid, err := e.m.validRecords(ctx, e.Scope)
	if err != nil {
		return err
	}
	others := slices.ContainsFunc(valid, func(r state.Record) bool { return r.Affair == from.ID && r.Source.Turn != turn })
	if others || from.Messages > counted || len(from.Absorbed) > 0 || from.TitleBy == state.AuthorUser {
		return nil
	}
	doc, err := e.m.desk.Base.Get(ctx, state.Affairs, e.Scope.Key(from.ID))
	if err != nil {
		return err
	}
	e.Add(state.Effect{Restore: &state.Restore{Collection: state.Affairs, ID: from.ID, Rev: doc.Rev, Was: doc.Body}})
	return nil
}

// filedBack files the messages of a turn where they were before PutTurn, by its signature; a turn that it did not put anywhere has no effects.
func (m *Memory) filedBack(ctx context.Context, scope state.Scope, by state.By) ([]state.Effect, error) {
	if by.Path != putPath {
		return nil, nil
	}
	session, err := m.Sessions().Get(ctx, scope)
	if err != nil {
		return nil, err
	}
	said, err := m.turnOf(ctx, scope, session.Messages+1, by.Turn)
	var out []state.Effect
	for _, msg := range said {
		out = append(out, state.Effect{Scope: scope, File: &state.MessageEdit{Seq: msg.Seq, Affair: by.Why, Why: msg.Why}})
	}
	return out, err
}

// turnOf returns the messages of a turn before a number, the user's first; of the last turn where it is "".
func (m *Memory) turnOf(ctx context.Context, scope state.Scope, before int64, turn string) ([]state.Message, error) {
	said, err := m.desk.LastMessages(ctx, scope, before, desk.LookBack, func(msg state.Message) bool {
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

// affairFor returns the id of the affair of a name, or of a new one of that name, or of a title out of the message where there is no name.
func (e *edits) affairFor(ctx context.Context, user state.Message, name, lang string) (string, error) {
	if name == "" {
		name = facts.Title(desk.Said(user), lang)
	}
	a, err := e.m.Affairs().Get(ctx, e.Scope, name)
	if !errors.Is(err, state.ErrNotFound) {
		return a.ID, err
	}
	c, err := e.m.checked(ctx, AffairChange{Title: name})
	if err != nil {
		return "", err
	}
	d := state.Decision{AffairID: e.m.c.NewID(), Title: c.Title, TitleBy: state.AuthorUser}
	if e.By.Who != state.ByUser {
		d.TitleBy = state.AuthorModel
	}
	e.create(d, user)
	return d.AffairID, nil
}

// refile gives another affair the records that were made of a turn.
func (e *edits) refile(ctx context.Context, said []state.Message, from *state.Affair, to state.Affair) error {
	valid, err := e.m.validRecords(ctx, e.Scope)
	if err != nil {
		return err
	}
	for _, r := range valid {
		if from != nil && r.Affair == from.ID && r.Session == e.Scope.Session && r.Source.Turn == said[0].Turn {
			r.Affair = to.ID
			e.Add(state.Effect{Record: &r})
		}
	}
	return nil
}

// relearn has an affair forget what only a turn says, of a session with messages before a number, and another one learn it.
func (e *edits) relearn(ctx context.Context, before int64, said []state.Message, from *state.Affair, to state.Affair, lang string) error {
	user := said[0]
	if from != nil {
		drops, err := e.m.dropFacts(ctx, e.Scope, affair.Learn(state.Affair{}, user, lang).KeyFacts, user.At, mind.Gone{}, nil, from.ID)
		if err != nil {
			return err
		}
		anew, err := e.m.unlearn(ctx, e.Scope, user, before)
		if err != nil {
			return err
		}
		for _, effect := range slices.Concat(drops, anew) {
			if effect.Affair == nil {
				e.Add(effect)
				continue
			}
			e.edit(*effect.Affair)
		}
		e.edit(state.AffairEdit{ID: from.ID, Messages: -len(spokenIn(said))})
	}
	has := affair.Learn(to, user, lang)
	e.edit(state.AffairEdit{
		ID: to.ID, Facts: has.KeyFacts.ChangesFrom(to.KeyFacts), Topics: has.Topics, Pending: has.PendingActions, SetPending: true, Messages: len(spokenIn(said)),
	})
	return nil
}
