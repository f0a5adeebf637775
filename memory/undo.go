package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/memory/mind"
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
		sign(&e, state.By{Who: state.ByUser, Path: undoPath, Why: "takes back turn " + turn})
		effects = append(effects, e)
	}
	said, preferred := map[string]int{}, false
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
		preferred = preferred || msg.Preferences != nil
		add(state.Effect{File: &state.MessageEdit{Seq: msg.Seq, Undone: true}})
	}
	if preferred {
		others := slices.DeleteFunc(slices.Clone(messages), func(msg state.Message) bool { return msg.Turn == turn })
		session.Preferences = preferredIn(others, session.PartFrom)
		add(state.Effect{Session: &session})
	}
	if err := m.endRecords(ctx, scope, turn, add); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(said)) {
		if id != "" {
			add(state.Effect{Affair: &state.AffairEdit{ID: id, Messages: said[id], At: now}})
		}
	}
	if err := m.sumUpWithout(ctx, session, messages, turn, add); err != nil {
		return err
	}
	m.turnBack(session, d, add)
	if len(effects) == 0 {
		return nil
	}
	return m.decide(ctx, effects...)
}

// endRecords ends the records that a turn made, and makes those valid again that they had ended.
func (m *Memory) endRecords(ctx context.Context, scope state.Scope, turn string, add func(state.Effect)) error {
	now := m.c.Now()
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
	return nil
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

// sumUpWithout makes the summary of the session's part anew, by rule, when it covers messages of the undone turn.
func (m *Memory) sumUpWithout(ctx context.Context, s state.Session, messages []state.Message, turn string, add func(state.Effect)) error {
	r, err := m.shownSummary(ctx, s)
	if err != nil || r.ID == "" {
		return err
	}
	span := *r.Span
	said := unfiled(messages, span.First-1, span.Covered)
	left := slices.DeleteFunc(slices.Clone(said), func(msg state.Message) bool { return msg.Turn == turn })
	if len(left) == len(said) {
		return nil
	}
	span.Messages, span.KeyFacts, span.Topics = 0, nil, nil
	r.Span, r.Content = &span, ""
	m.foldIn(ctx, &r, left, s.Language, m.extractSummary)
	add(state.Effect{Record: &r})
	return nil
}

// turnBack undoes a decision that changed the active affair.
func (m *Memory) turnBack(session state.Session, d state.Decision, add func(state.Effect)) {
	if d.Kind != state.Switch && d.Kind != state.NewAffair || d.AffairID == "" {
		return
	}
	now := m.c.Now()
	move := func(id string, to state.Status) {
		add(state.Effect{Affair: &state.AffairEdit{ID: id, Status: to, Session: session.ID, At: now}})
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
}

// preferredIn are the preferences of a session that its messages from a number on have set.
func preferredIn(messages []state.Message, from int64) (out map[string]string) {
	for _, msg := range messages {
		if msg.Seq >= from && msg.Preferences != nil {
			out = msg.Preferences.Over(out)
		}
	}
	return out
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
	elsewhere := old.PartFrom > upTo // of the part before this one nobody knows where it began
	effects, err := m.forkSummary(ctx, &old, upTo, to)
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
	old.Preferences = preferredIn(slices.DeleteFunc(messages, func(msg state.Message) bool { return msg.Seq > upTo }), old.PartFrom)
	effects = append(effects, state.Effect{Scope: fork, Session: &old})
	err = m.decide(ctx, effects...)
	return err
}

// forkSummary gives a session that is forked behind message number upTo the summary with it, if that covers no message behind it. Else
// the fork's turns make one.
func (m *Memory) forkSummary(ctx context.Context, s *state.Session, upTo int64, to string) ([]state.Effect, error) {
	s.Ending = nil
	r, err := m.shownSummary(ctx, *s)
	switch {
	case err != nil:
		return nil, err
	case s.Summarised > upTo || s.PartFrom > upTo:
		s.Summary, s.SummaryID, s.Summarised = "", "", s.WindowFrom
		s.Part, s.PartFrom, s.PartAt, s.Touched = 1, s.WindowFrom+1, s.StartedAt, nil
	case r.ID != "":
		r.ID, r.Session = mind.SummaryID(to, r.Span.First), to
		s.SummaryID = r.ID
		return []state.Effect{{Record: &r}}, nil
	}
	return nil, nil
}
