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
// merged in order, one feed entry a user added. Writing them fails with a conflict when a target changed
// meanwhile; then Apply is called again.
func (m *Memory) Apply(ctx context.Context, effects []state.Effect) ([]store.Doc, error) {
	b := &batch{store: m.c.Store, slots: map[feedRef]*slot{}}
	var users []state.Scope
	for _, e := range effects {
		if err := b.edit(ctx, e); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(users, func(u state.Scope) bool { return u.UserPrefix() == e.Scope.UserPrefix() }) {
			users = append(users, e.Scope)
		}
	}
	for _, p := range b.pointers {
		if err := b.settle(ctx, p, m.c.Now()); err != nil {
			return nil, err
		}
	}
	for _, u := range users {
		head, err := m.feedHead(ctx, u)
		if err != nil {
			return nil, err
		}
		entry := &feedEntry{Seq: head + 1, At: bson.NewDateTimeFromTime(m.c.Now()), Changed: b.changed(u)}
		b.put(feedRef{state.Feed, u.FeedKey(head + 1)}, &slot{value: entry})
	}
	return b.docs()
}

// commit makes effects durable outside a turn.
func (m *Memory) commit(ctx context.Context, effects []state.Effect) error {
	leave, err := m.Exclusive(ctx, effects)
	if err != nil {
		return err
	}
	defer leave()
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

// decide hands effects to the turn's step, or commits them at once outside a turn. Durable tells which.
func (m *Memory) decide(ctx context.Context, effects ...state.Effect) (durable bool, err error) {
	if sink := state.EffectsFrom(ctx); sink != nil {
		sink.Add(effects...)
		return false, nil
	}
	return true, m.commit(ctx, effects)
}

// batch is a set of documents being edited.
type batch struct {
	store    store.Store
	slots    map[feedRef]*slot
	order    []feedRef
	pointers []pointer
}

// pointer is a session that is being edited, and the affair it pointed at before.
type pointer struct {
	scope   state.Scope
	session *state.Session
	had     string
}

// slot is one document: its value (a pointer) and the revision it was read at, 0 = new.
type slot struct {
	value any
	rev   int64
}

func (b *batch) put(ref feedRef, s *slot) {
	if _, ok := b.slots[ref]; !ok {
		b.order = append(b.order, ref)
	}
	b.slots[ref] = s
}

// edit merges one effect.
func (b *batch) edit(ctx context.Context, e state.Effect) error {
	switch {
	case e.Message != nil:
		msg := *e.Message
		b.put(feedRef{state.Messages, e.Scope.MessageKey(msg.Seq)}, &slot{value: &msg})
		return nil
	case e.File != nil:
		msg, err := open[state.Message](ctx, b, feedRef{state.Messages, e.Scope.MessageKey(e.File.Seq)})
		if err != nil {
			return err
		}
		if msg.Seq == 0 {
			return state.Errorf(state.NotFound, "message "+e.Scope.MessageKey(e.File.Seq), "is gone")
		}
		msg.Affair, msg.Why = e.File.Affair, e.File.Why
		return nil
	case e.Record != nil:
		r, err := open[state.Record](ctx, b, feedRef{state.Records, e.Scope.Key(e.Record.ID)})
		if err == nil {
			*r = *e.Record
		}
		return err
	case e.Session != nil:
		ref := feedRef{state.Sessions, e.Scope.SessionKey()}
		_, again := b.slots[ref]
		s, err := open[state.Session](ctx, b, ref)
		if err != nil {
			return err
		}
		if !again {
			b.pointers = append(b.pointers, pointer{e.Scope, s, s.Active})
		}
		mergeSession(s, *e.Session)
		return nil
	case e.Affair != nil:
		a, err := open[state.Affair](ctx, b, feedRef{state.Affairs, e.Scope.Key(e.Affair.ID)})
		if err != nil {
			return err
		}
		if a.ID == "" && e.Affair.Create == nil {
			return state.Errorf(state.NotFound, "affair "+e.Affair.ID, "is gone")
		}
		editAffair(a, *e.Affair, e.Scope)
		return nil
	}
	return state.Errorf(state.Internal, "effect", "edits nothing")
}

// open returns the document as the batch has it so far, loading it at first use; absent is a zero T.
func open[T any](ctx context.Context, b *batch, ref feedRef) (*T, error) {
	if s, ok := b.slots[ref]; ok {
		return s.value.(*T), nil
	}
	v, rev, err := getOr[T](ctx, b.store, ref.Collection, ref.ID)
	if err != nil {
		return nil, err
	}
	b.put(ref, &slot{&v, rev})
	return &v, nil
}

// editAffair applies an edit. A move that is no longer legal, because another session was first, is left
// out; everything else still holds.
func editAffair(a *state.Affair, e state.AffairEdit, scope state.Scope) {
	if e.Create != nil && a.ID == "" {
		*a = *e.Create
	}
	if e.Status != "" && e.Status != a.Status || e.Status == state.Active && a.Session != e.Session {
		elsewhere := a.Status == state.Active && a.Session != scope.Session
		if moved, err := affair.Move(*a, e.Status, e.Session, e.At); err == nil && !(e.Status == state.Parked && elsewhere) {
			*a = moved
		}
	}
	if e.Summary != "" {
		a.Summary = e.Summary
	}
	for _, f := range e.Facts {
		a.KeyFacts = a.KeyFacts.With(f.Label, f.Value)
	}
	if e.SetPending {
		a.PendingActions = e.Pending
	}
	if len(e.Topics) > 0 {
		a.Topics = e.Topics
	}
	a.Messages += e.Messages
	if e.At.After(a.UpdatedAt) {
		a.UpdatedAt = e.At
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

// settle keeps a session and the affairs in it of one mind, however writers crossed: at most one affair is active
// in it, and the session points at that one. The affair decided on wins if it is active there, and the one
// that another writer made active meanwhile is parked; else that one stays.
func (b *batch) settle(ctx context.Context, p pointer, at time.Time) error {
	if p.session.Active == p.had {
		return nil
	}
	here := func(id string) (*state.Affair, error) {
		ref := feedRef{state.Affairs, p.scope.Key(id)}
		if _, ok := b.slots[ref]; !ok && id != "" {
			a, rev, err := getOr[state.Affair](ctx, b.store, ref.Collection, ref.ID)
			if err != nil || rev == 0 {
				return nil, err
			}
			b.put(ref, &slot{&a, rev})
		}
		if s, ok := b.slots[ref]; ok && s.value.(*state.Affair).Status == state.Active && s.value.(*state.Affair).Session == p.scope.Session {
			return s.value.(*state.Affair), nil
		}
		return nil, nil
	}
	want, err := here(p.session.Active)
	if err != nil {
		return err
	}
	had, err := here(p.had)
	switch {
	case err != nil:
		return err
	case want != nil && had != nil:
		editAffair(had, state.AffairEdit{Status: state.Parked, At: at}, p.scope)
	case had != nil:
		p.session.Active = p.had
	case want == nil:
		p.session.Active = ""
	}
	return nil
}

// changed lists the user's documents in the batch for its feed.
func (b *batch) changed(u state.Scope) []feedRef {
	var refs []feedRef
	for _, ref := range b.order {
		if len(ref.ID) > len(u.UserPrefix()) && ref.ID[:len(u.UserPrefix())] == u.UserPrefix() {
			refs = append(refs, ref)
		}
	}
	return refs
}

func (b *batch) docs() ([]store.Doc, error) {
	docs := make([]store.Doc, 0, len(b.order))
	for _, ref := range b.order {
		s := b.slots[ref]
		body, err := bson.Marshal(s.value)
		if err != nil {
			return nil, state.Errorf(state.Internal, string(ref.Collection)+" "+ref.ID, "cannot be stored: %w", err)
		}
		docs = append(docs, store.Doc{Collection: ref.Collection, ID: ref.ID, Rev: s.rev, Body: body})
	}
	return docs, nil
}
