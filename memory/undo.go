package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/state"
)

// Undo takes back what a finished turn wrote: its messages are shown to nobody any more, its records end to be valid now,
// an affair that it opened is archived, and the affair that it turned away from is active again. Key facts that it added
// to affairs that were there before stay. It is one commit of its own; what happened stays in the log and the feed.
// A turn that wrote nothing is no error. One that is not finished, whose messages the session does not count yet, is
// state.ErrConflict: it would have nothing left to go on with.
func (m *Memory) Undo(ctx context.Context, scope state.Scope, turn string, d state.Decision) error {
	scope = scope.Default()
	session, err := m.Session(ctx, scope)
	if err != nil {
		return err
	}
	messages, err := m.Messages(ctx, scope)
	if err != nil {
		return err
	}
	now := m.c.Now()
	var effects []state.Effect
	add := func(e state.Effect) {
		e.Scope = scope
		effects = append(effects, e)
	}
	said := map[string]int{}
	for _, msg := range messages {
		if msg.Turn != turn {
			continue
		}
		if msg.Seq > session.Messages {
			return state.Errorf(state.Conflict, "undo turn "+turn, "it is not finished; end it first, then take it back")
		}
		if msg.Role != state.RoleTool && msg.Text != "" {
			said[msg.Affair]--
		}
		add(state.Effect{File: &state.MessageEdit{Seq: msg.Seq, Undone: true}})
	}
	records, err := m.Records(ctx, scope)
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.Source.Turn == turn && r.Session == scope.Session && r.ValidTo == nil {
			r.ValidTo = &now
			add(state.Effect{Record: &r})
			if err := m.reopen(ctx, scope, r, add); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(said)) {
		if id != "" {
			add(state.Effect{Affair: &state.AffairEdit{ID: id, Messages: said[id], At: now}})
		}
	}
	if err := m.turnBack(ctx, scope, d, add); err != nil || len(effects) == 0 {
		return err
	}
	err = m.decide(ctx, effects...)
	return err
}

// reopen makes the record valid again that the undone turn's had taken the place of.
func (m *Memory) reopen(ctx context.Context, scope state.Scope, undone state.Record, add func(state.Effect)) error {
	from, err := m.reads(ctx, scope)
	if err != nil {
		return err
	}
	for last := undone; last.Replaces != ""; {
		before, err := ledger.Get[state.Record](ctx, from, state.Records, scope.Key(last.Replaces))
		if err != nil || before.ReplacedBy != last.ID {
			return err
		}
		if before.Source.Turn != undone.Source.Turn {
			before.ValidTo, before.ReplacedBy = nil, ""
			add(state.Effect{Record: &before})
			return nil
		}
		last = before // the turn's own, replaced within it
	}
	return nil
}

// turnBack undoes a decision that changed the active affair.
func (m *Memory) turnBack(ctx context.Context, scope state.Scope, d state.Decision, add func(state.Effect)) error {
	if d.Kind != state.Switch && d.Kind != state.NewAffair || d.AffairID == "" {
		return nil
	}
	session, err := m.Session(ctx, scope)
	if err != nil {
		return err
	}
	now := m.c.Now()
	move := func(id string, to state.Status) {
		add(state.Effect{Affair: &state.AffairEdit{ID: id, Status: to, Session: scope.Session, At: now}})
	}
	move(d.AffairID, state.Parked)
	switch {
	case d.Kind == state.NewAffair:
		move(d.AffairID, state.Archived)
	case d.Was == state.Resolved || d.Was == state.Archived:
		move(d.AffairID, d.Was)
	}
	if d.Before != "" {
		move(d.Before, state.Active)
	}
	session.Active = d.Before
	add(state.Effect{Session: &session})
	return nil
}

// Fork makes a new session that stands where another stood after message number upTo: with its messages, language and
// summary, and with no affair active. Affairs and records are the user's and belong to both. A session that exists is
// state.ErrConflict.
func (m *Memory) Fork(ctx context.Context, scope state.Scope, upTo int64, to string) error {
	scope = scope.Default()
	fork := scope
	fork.Session = to
	old, err := m.Session(ctx, scope)
	if err != nil {
		return err
	}
	there, last, err := m.sessionEnd(ctx, fork)
	if err != nil {
		return err
	}
	if last > 0 || there.Part > 0 {
		return state.Errorf(state.Conflict, "session "+to, "is there already; name another")
	}
	messages, err := m.Messages(ctx, scope)
	if err != nil {
		return err
	}
	var effects []state.Effect
	old.ID, old.Active, old.Messages = to, "", 0
	for _, msg := range messages {
		if msg.Seq <= upTo {
			effects = append(effects, state.Effect{Scope: fork, Message: &msg})
			old.Messages, old.LastAt = msg.Seq, msg.At
		}
	}
	if old.Summarised > upTo {
		old.Summary, old.Summarised = "", 0
	}
	effects = append(effects, state.Effect{Scope: fork, Session: &old})
	err = m.decide(ctx, effects...)
	return err
}
