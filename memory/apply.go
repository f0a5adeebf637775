package memory

import (
	"context"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/affair"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// commitTries bounds how often a write outside a turn is merged again after a conflict.
const commitTries = 16

// Apply turns decided effects into documents as they are to be written: each target loaded once, all edits
// merged in order, one feed entry a user added, behind everything else. Writing them fails with a conflict when a
// target changed meanwhile; then Apply is called again. In a store that is not Atomic an edit whose document
// carries the mark of its step is left out, and so is the document when no edit is left.
func (m *Memory) Apply(ctx context.Context, effects []state.Effect) ([]store.Doc, error) {
	if m.loose {
		return m.carry(ctx, effects)
	}
	b := newBatch(m.base)
	if err := b.run(ctx, effects, m.c.Now()); err != nil {
		return nil, err
	}
	for _, own := range byUser(effects) {
		u := own[0].Scope
		head, err := m.feedHead(ctx, u)
		if err != nil {
			return nil, err
		}
		entry := &feedEntry{Seq: head + 1, At: bson.NewDateTimeFromTime(m.c.Now()), Changed: b.refs(u), Edits: editsOf(own)}
		b.put(feedRef{state.Feed, u.FeedKey(head + 1)}, &slot{value: entry})
	}
	return b.docs()
}

// byUser splits effects by the user whose memory they edit; users come in the order of their first effect.
func byUser(effects []state.Effect) [][]state.Effect {
	var users [][]state.Effect
	for _, e := range effects {
		at := slices.IndexFunc(users, func(own []state.Effect) bool { return own[0].Scope.UserPrefix() == e.Scope.UserPrefix() })
		if at < 0 {
			users, at = append(users, nil), len(users)
		}
		users[at] = append(users[at], e)
	}
	return users
}

// commit makes effects durable outside a turn.
func (m *Memory) commit(ctx context.Context, effects []state.Effect) error {
	if m.loose {
		return m.appendWrites(ctx, effects)
	}
	leave, err := m.Exclusive(ctx, effects)
	if err != nil {
		return err
	}
	defer leave()
	return m.commitAlone(ctx, effects)
}

// commitAlone is commit for a caller of Exclusive.
func (m *Memory) commitAlone(ctx context.Context, effects []state.Effect) (err error) {
	for range commitTries {
		var docs []store.Doc
		if docs, err = m.Apply(ctx, effects); err != nil {
			return err
		}
		if err = m.c.Store.Write(ctx, docs...); err == nil {
			m.Applied(docs)
			state.TraceFrom(ctx).Charge(state.Bill{Commits: 1})
			return nil
		}
		if state.CodeOf(err) != state.Conflict {
			return err
		}
	}
	return err
}

// appendWrites makes effects durable where the store has no transactions: as a step of the user's own thread.
func (m *Memory) appendWrites(ctx context.Context, effects []state.Effect) (err error) {
	for range commitTries {
		if err = m.journal.Append(ctx, effects[0].Scope.WritesThread(), effects); state.CodeOf(err) != state.Conflict {
			return err
		}
	}
	return err
}

// decide hands effects to the turn's step, or commits them at once outside a turn.
func (m *Memory) decide(ctx context.Context, effects ...state.Effect) error {
	if m.loose {
		effects = m.rooted(effects)
	}
	if sink := state.EffectsFrom(ctx); sink != nil {
		sink.Add(effects...)
		return nil
	}
	return m.commit(ctx, effects)
}

// editAffair applies an edit. A move that is no longer legal, because another session was first, is left
// out; everything else still holds.
func editAffair(a *state.Affair, e state.AffairEdit, scope state.Scope) {
	if e.Create != nil {
		create(a, *e.Create, e.At)
	}
	if a.MergedInto != "" {
		return // what is merged stays as it was
	}
	if e.Status != "" && e.Status != a.Status || e.Status == state.Active && a.Session != e.Session {
		elsewhere := a.Status == state.Active && a.Session != scope.Session
		if moved, err := affair.Move(*a, e.Status, e.Session, e.At); err == nil && !(e.Status == state.Parked && elsewhere) {
			*a = moved
		}
	}
	if e.Title != "" && mayTitle(e.TitleBy, a.TitleBy) {
		a.Title, a.TitleBy = e.Title, e.TitleBy
	}
	if e.Summary != "" {
		a.Summary = e.Summary
	}
	a.KeyFacts = slices.DeleteFunc(slices.Clone(a.KeyFacts), func(f state.Fact) bool { return slices.Contains(e.Drop, f.Label) })
	for _, f := range e.Facts {
		a.Keep(f.Label, f.Value, e.At)
	}
	if e.SetPending {
		a.PendingActions = e.Pending
	}
	if e.SetSumUp {
		a.SumUp = e.SumUp
	}
	if len(e.Topics) > 0 {
		a.Topics = e.Topics
	}
	a.Messages += e.Messages
	if e.Absorb != nil {
		absorb(a, *e.Absorb)
	}
	if e.Into != "" {
		a.Status, a.Session, a.MergedInto = state.Archived, "", e.Into
	}
	if e.At.After(a.UpdatedAt) {
		a.UpdatedAt = e.At
	}
}

// mayTitle reports whether a title takes the place of the one there was: one made by rule gives way to any, every other, and
// one that nobody knows of who gave it, only to a person's.
func mayTitle(by, had state.TitleBy) bool {
	return by == state.TitleByUser || had == state.TitleByRules
}

// create opens an affair. Where one is there already, somebody who only knew of it wrote it first, as parked.
func create(a *state.Affair, c state.Affair, at time.Time) {
	switch {
	case a.ID == "":
		*a = c
	case a.Status == state.Parked && c.Status == state.Active:
		if moved, err := affair.Move(*a, c.Status, c.Session, at); err == nil {
			*a = moved
		}
	}
}

// mergeSession takes a session as decided into the session as it stands. Another writer may have been there since
// it was decided, so what counts only grows, and a summary gives way to one that covers more.
func mergeSession(stands *state.Session, decided state.Session) {
	was := *stands
	*stands = decided
	stands.Messages, stands.Part = max(was.Messages, decided.Messages), max(was.Part, decided.Part)
	stands.WindowFrom = max(was.WindowFrom, decided.WindowFrom)
	if was.Summarised > decided.Summarised {
		stands.Summary, stands.Summarised = was.Summary, was.Summarised
	}
	if was.LastAt.After(decided.LastAt) {
		stands.LastAt = was.LastAt
	}
	if was.LastSwitchAt.After(decided.LastSwitchAt) {
		stands.LastSwitchAt = was.LastSwitchAt
	}
}
