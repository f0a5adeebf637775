package memory

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// Undo takes back what a finished turn wrote: its messages are shown to nobody any more, and the records and affairs that it changed, or
// that were learnt from its words since, are as they were. What was changed again by later turns is state.ErrConflict, which names the changes;
// then nothing is undone. It is one commit of its own; what happened stays in the log and the feed. A turn that wrote nothing is no
// error, and neither is one that was taken back. One that is not finished, whose messages the session does not count yet, is
// state.ErrConflict: it would have nothing left to go on with.
func (m *Memory) Undo(ctx context.Context, scope state.Scope, turn string) error {
	scope = scope.Default()
	ctx = m.desk.Under(ctx, scope)

	// The turn's messages: they are there, but shown to nobody.
	session, err := m.Session(ctx, scope)
	if err != nil {
		return err
	}
	messages, err := m.Messages(ctx, scope)
	if err != nil {
		return err
	}
	var effects []state.Effect
	add := func(e state.Effect) {
		e.Scope = scope
		effects = append(effects, e)
	}
	preferred, began := false, time.Time{}
	for _, msg := range messages {
		if msg.Turn != turn {
			continue
		}
		if msg.Seq > session.Messages {
			return state.Errorf(state.Conflict, "undo turn "+turn, "it is not finished; end it first, then take it back")
		}
		if began.IsZero() {
			began = msg.At.Add(-undoSkew)
		}
		preferred = preferred || msg.Preferences != nil
		add(state.Effect{File: &state.MessageEdit{Seq: msg.Seq, Undone: true}})
	}

	// The records and affairs that it changed, as they were before.
	of := func(v version) (its, enough bool) { return v.By.Turn == turn && v.Sess == scope.Session, false }
	back, err := m.revert(ctx, scope, "undo turn "+turn, began, of)
	if err != nil {
		return err
	}
	if hasRecords(back) {
		if err := m.gate(ctx, scope, undoWish{Turn: turn}.wish()); err != nil {
			return err
		}
	}
	effects = append(effects, back...)

	// The session: preferences without the turn's, and the affair that is active again.
	if preferred {
		others := slices.DeleteFunc(slices.Clone(messages), func(msg state.Message) bool { return msg.Turn == turn })
		session.Preferences = parts.Preferred(others, session.PartFrom)
	}
	moved, err := m.sessionsAfter(ctx, scope, "undo turn "+turn, back)
	if err != nil {
		return err
	}
	for _, e := range moved {
		if e.Session.ID == session.ID {
			session.Active, session.LastAt, preferred = e.Session.Active, e.Session.LastAt, true
		} else {
			effects = append(effects, e)
		}
	}
	if preferred {
		add(state.Effect{Session: &session})
	}

	// Its summary is made anew if it covers the turn.
	if err := m.sumUpWithout(ctx, session, messages, turn, add); err != nil {
		return err
	}
	if len(effects) == 0 {
		return nil
	}
	return m.desk.Decide(ctx, effects...)
}

// sessionsAfter are the edits of sessions in which another affair is active once affairs are restored. Where one would be active again and an affair
// that was not restored is, it is state.ErrConflict.
func (m *Memory) sessionsAfter(ctx context.Context, scope state.Scope, op string, back []state.Effect) (out []state.Effect, err error) {
	// By session: which affair is active then, "" for none.
	active, restored := map[string]string{}, map[string]bool{}
	for _, e := range back {
		if e.Restore.Collection != state.Affairs {
			continue
		}
		restored[e.Restore.ID] = true
		was, is := state.Affair{}, state.Affair{}
		if err := errors.Join(readAffair(e.Restore.Was, &was), readAffair(e.Restore.Body, &is)); err != nil {
			return nil, state.Errorf(state.Internal, "affair "+e.Restore.ID, "is damaged: %w", err)
		}
		if _, known := active[was.Session]; was.Status == state.Active && !known {
			active[was.Session] = ""
		}
		if is.Status == state.Active {
			active[is.Session] = is.ID
		}
	}

	// What the sessions say now: an affair that was not restored stays the active one.
	for _, id := range slices.Sorted(maps.Keys(active)) {
		in := scope
		in.Session = id
		s, err := m.Session(ctx, in)
		if err != nil {
			return nil, err
		}
		switch now := s.Active; {
		case s.ID == "", now == active[id], now != "" && !restored[now] && active[id] == "":
		case now != "" && !restored[now]:
			return nil, state.Errorf(state.Conflict, op, "affair %s is active in session %s now; park it first", now, id)
		default:
			if s.Active = active[id]; s.Active != "" {
				takeUp(&s, s.Active, m.c.Now())
			}
			out = append(out, state.Effect{Scope: in, Session: &s})
		}
	}
	return out, nil
}

// readAffair reads a body; none is the zero affair.
func readAffair(body bson.Raw, a *state.Affair) error {
	if body == nil {
		return nil
	}
	return bson.Unmarshal(body, a)
}

// undoSkew is how far the clocks of two processes may differ.
const undoSkew = 10 * time.Minute

// sumUpWithout makes the summary of the session's part anew, by rule, when it covers messages of the undone turn.
func (m *Memory) sumUpWithout(ctx context.Context, s state.Session, messages []state.Message, turn string, add func(state.Effect)) error {
	r, err := m.shownSummary(ctx, s)
	if err != nil || r.ID == "" {
		return err
	}

	span := *r.Span
	said := parts.Unfiled(messages, span.First-1, span.Covered)
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
	there, last, err := m.desk.SessionEnd(ctx, fork)
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
	old.Preferences = parts.Preferred(slices.DeleteFunc(messages, func(msg state.Message) bool { return msg.Seq > upTo }), old.PartFrom)
	effects = append(effects, state.Effect{Scope: fork, Session: &old})
	err = m.desk.Decide(ctx, effects...)
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
