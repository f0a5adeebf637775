package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// park sets aside what is active in a session that ends.
func (m *Memory) park(ctx context.Context, e *desk.Edits) error {
	return (&edits{m, e}).park(ctx, e.View.Session.Messages+1)
}

// park sets the active affair aside.
func (e *edits) park(ctx context.Context, seq int64) error {
	if active := e.View.Active(); active != nil {
		return e.setAside(ctx, *active, state.Parked, seq)
	}
	return nil
}

// setAside parks or resolves an affair, with a summary of what was said of it before message number seq and of what is said now. Its facts and
// pending actions are those that its messages gave it, each in its turn, until a model writes the whole list. Within a turn the small model is
// not asked before the reply, and the affair notes that it is due.
func (e *edits) setAside(ctx context.Context, a state.Affair, to state.Status, seq int64, now ...state.Message) error {
	said, err := e.m.filed(ctx, e.Scope, seq, a.ID)
	if err != nil {
		return err
	}
	said = append(said, now...)

	// What a model has summed up the rules add nothing to; what is settled waits for nothing.
	edit := state.AffairEdit{ID: a.ID, Status: to, SetSumUp: true, SetPending: to == state.Resolved}
	sums := e.m.desk.Sums(ctx, e.View.Agent)
	if !sums || a.Summary == "" {
		edit.Summary = parts.ByRule(e.m.c.Tokens.Count)(a.Summary, said, e.m.desk.Set(ctx).SummaryMaxTokens)
	}
	switch {
	case !sums:
	case e.Behind || state.EffectsFrom(ctx) == nil:
		e.improve(ctx, a, said, "", &edit)
	default:
		edit.SumUp = e.Scope.Session
	}
	e.edit(edit)
	if to != state.Resolved {
		return nil
	}

	// What was due for just that is done.
	about := a.Title
	for _, msg := range now {
		if msg.Role == state.RoleUser {
			about += "\n" + msg.Text
		}
	}
	words := text.Terms(about)
	over, err := e.m.endDue(ctx, e.Scope, a.ID, func(r state.Record) bool {
		subject := text.Terms(r.Subject)
		return len(subject) > 0 && sharedTerms(subject, words) == len(subject)
	})
	for _, effect := range over {
		e.Add(effect)
	}
	return err
}

// takeUp makes an affair the active one. Where it is active in another session still, and so was never summed up, the rules sum up what was said there, which this
// session does not show; behind the reply a model does, with what is said here.
func (e *edits) takeUp(ctx context.Context, id string) error {
	defer e.activate(id)
	a, ok := e.View.Affair(id)
	if !ok || a.Summary != "" || a.Session == "" || a.Session == e.Scope.Session {
		return nil
	}
	there := e.Scope
	there.Session = a.Session
	_, last, err := e.m.desk.SessionEnd(ctx, there)
	if err != nil {
		return err
	}
	said, err := e.m.filed(ctx, there, last+1, id)
	if err != nil {
		return err
	}
	summary := parts.ByRule(e.m.c.Tokens.Count)("", said, e.m.desk.Set(ctx).SummaryMaxTokens)
	if summary == "" {
		return nil
	}
	edit := state.AffairEdit{ID: id, Summary: summary}
	if state.EffectsFrom(ctx) != nil && e.m.desk.Sums(ctx, e.View.Agent) {
		edit.SumUp, edit.SetSumUp = e.Scope.Session, true
	}
	e.edit(edit)
	return nil
}

// sweptAtOnce bounds how many affairs a turn archives.
const sweptAtOnce = 16

// sweep archives resolved affairs: those untouched for archive_after_days, and while more affairs are in sight than may be hot,
// those untouched for longest. The one that the turn is about stays.
func (e *edits) sweep(ctx context.Context) {
	days, over, swept := e.m.desk.Set(ctx).ArchiveAfterDays, len(e.View.Affairs)-e.m.desk.Set(ctx).HotAffairsMax, 0
	if days == 0 {
		return
	}

	now := e.m.c.Now()
	for _, a := range slices.Backward(e.View.Affairs) {
		old := now.Sub(a.UpdatedAt) > time.Duration(days)*24*time.Hour
		if a.Status != state.Resolved || a.ID == e.View.Target || !old && over <= 0 {
			continue
		}
		state.TraceFrom(ctx).Note("archived: %q, resolved, last touched %s", a.Title, a.UpdatedAt.Format(time.DateOnly))
		e.edit(state.AffairEdit{ID: a.ID, Status: state.Archived})
		over--
		if swept++; swept == sweptAtOnce {
			return
		}
	}
}

// improve puts the small model's summary, facts and pending actions in the place of those of the edit. Left is the message with which the user
// turned to another affair, "" for none. When it has none the
// edit stays; when it was given up because the turn is to end, the affair notes that it is due, for the next turn.
func (e *edits) improve(ctx context.Context, a state.Affair, said []state.Message, left string, edit *state.AffairEdit) {
	m := e.m
	a.Status = cmp.Or(edit.Status, a.Status)
	in := background.ParkInput{Affair: a, Messages: said, Left: left, Now: m.c.Now().In(m.desk.Set(ctx).Location())}
	in.Records = m.lastOf(ctx, e.Scope, a.ID)
	answer, err := m.desk.Small(ctx, e.View.Agent).Park(ctx, in)
	if err != nil {
		if !errors.Is(err, state.ErrNotFound) {
			state.TraceFrom(ctx).Note("park %q: summary extracted, the small model did not give one: %v", a.Title, err)
		}
		if e.Behind && cmp.Or(ctx.Err(), state.StopFrom(ctx).Err()) != nil {
			edit.SumUp = e.Scope.Session
		}
		return
	}

	if answer.Summary != "" {
		edit.Summary = affair.Shorten(answer.Summary, m.desk.Set(ctx).SummaryMaxTokens, m.c.Tokens.Count)
	}
	for _, f := range slices.Concat(answer.KeyFacts, answer.Ended) {
		had := slices.IndexFunc(a.KeyFacts, func(k state.Fact) bool { return k.Label == f.Label })
		switch {
		case had >= 0 && a.KeyFacts[had].By == state.AuthorUser:
		case f.Value == "" && had >= 0 && stands(a.KeyFacts[had].Value, answer.KeyFacts): // it has a better label now, and is not over
			edit.Drop = append(edit.Drop, f.Label)
		default:
			f.By = state.AuthorModel
			edit.Facts = append(edit.Facts, f)
		}
	}
	if a.Status != state.Resolved {
		edit.Pending, edit.SetPending = answer.PendingActions, true
	}
	for _, i := range answer.Over {
		if r := in.Records[i]; a.Status == state.Resolved && !r.Pinned && m.desk.Allows(ctx, e.Scope) {
			now := m.c.Now() // it is history, and not forgotten
			r.ValidTo = &now
			e.Add(state.Effect{Record: &r})
		}
	}
}

// mostShown is how many records of an affair a model is shown that sums it up.
const mostShown = 12

// lastOf returns the last records of an affair that hold. What cannot be read is none.
func (m *Memory) lastOf(ctx context.Context, scope state.Scope, affair string) []state.Record {
	all, err := m.recordsOf(ctx, scope, affair)
	if err != nil {
		state.TraceFrom(ctx).Note("park: what is remembered of %s was not looked at: %v", affair, err)
		return nil
	}
	all = slices.DeleteFunc(all, func(r state.Record) bool {
		return !r.Valid(m.c.Now()) || r.Span != nil
	})
	return all[max(0, len(all)-mostShown):]
}

// stands reports whether some fact has a value, or says it with more words beside it.
func stands(value string, facts state.Facts) bool {
	words := func(s string) string { return " " + strings.Join(text.Words(s), " ") + " " }
	return slices.ContainsFunc(facts, func(f state.Fact) bool { return strings.Contains(words(f.Value), words(value)) })
}
