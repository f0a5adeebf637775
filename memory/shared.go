package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
	"github.com/mneme-graph/mneme/state/store"
)

// What all users of a client know is kept as a user's is, under state.ClientUser: documents, feed, mind, vectors. Recall and Gather
// join it to the user's own. Only Share and Amend of what is shared get there: no scope of a caller passes Validate with that user.

// Share writes what all users of the scope's client are to know, of the scope's project if it has one. Every user's prompts and recalls
// have it, none can change it. Whoever may is said by Config.MayShare, which is asked about the scope; anybody else is state.ErrDenied,
// and so is every call inside a turn: no model and no tool shares. The author is the scope's user unless a change names one.
func (m *Memory) Share(ctx context.Context, scope state.Scope, changes ...Change) ([]state.Receipt, error) {
	// Who may share at all is settled before anything is read.
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := m.mayShare(ctx, scope); err != nil {
		return nil, err
	}
	if err := state.CheckCount("share: changes", len(changes), limit.Changes, "write them in several calls"); err != nil {
		return nil, err
	}

	// What is shared has an author, and belongs to no affair.
	changes = slices.Clone(changes)
	for i, c := range changes {
		if c.Affair != "" || c.About != "" && c.About != state.AboutProject {
			return nil, state.Errorf(state.Invalid, "share with client "+scope.Client, "what is a user's or an affair's stays there; leave out affair and about")
		}
		changes[i].Author, changes[i].Trust = cmp.Or(c.Author, scope.User), cmp.Or(c.Trust, state.TrustUser)
	}

	// Each change is checked as a write of its own, and may have to be approved of.
	asked := make([]desk.Wish, len(changes))
	for i, c := range changes {
		c, err := c.complete(desk.Call{Shared: true})
		if err != nil {
			return nil, err
		}
		asked[i] = m.wishOf(c, true)
	}
	if err := m.suggestions.Gate(ctx, scope, asked...); err != nil {
		return nil, err
	}

	// It is written as the client's own; this process knows at once that there is something shared.
	receipts, err := m.write(desk.WithinShared(ctx), desk.OfClient(scope), sharedBy(scope), changes)
	if err == nil {
		m.desk.NoteShared(scope.Client)
	}
	return receipts, err
}

// mayShare refuses whoever may not change what all users of the client know.
func (m *Memory) mayShare(ctx context.Context, scope state.Scope) error {
	switch {
	case desk.CallFrom(ctx).Inside || state.EffectsFrom(ctx) != nil:
		return state.Errorf(state.Denied, "share with client "+scope.Client, "a turn shares nothing; call it outside one")
	case m.c.MayShare == nil || !m.c.MayShare(scope):
		return state.Errorf(state.Denied, "share with client "+scope.Client, "user %s may not; the host says who may (Config.MayShare)", scope.User)
	}
	return nil
}

// sharedBy says that a user changes what all users of his client know.
func sharedBy(scope state.Scope) desk.Call {
	return desk.Call{Shared: true, By: &state.By{Who: state.ByUser, Path: desk.APIPath, User: scope.User}}
}

// amendShared is Amend of what all users of the client know: it is withdrawn, corrected or pinned.
func (m *Memory) amendShared(ctx context.Context, scope state.Scope, a Amendment) ([]Amended, error) {
	if err := m.mayShare(ctx, scope); err != nil {
		return nil, err
	}

	// A shared record is named by its id: no search leads to it.
	if a.ID == "" {
		return nil, state.Errorf(state.Invalid, "amend what is shared with client "+scope.Client, "name a record by its id; mneme share --list shows them")
	}
	inner := sharedBy(scope).In(desk.WithinShared(ctx))
	old, err := m.validRecord(inner, desk.OfClient(scope), a.ID)
	if err != nil {
		return nil, err
	}

	// What is to be approved of: a correction is a write, anything else an amendment.
	found := []state.Record{old}
	asked := wishToAmend(a, found, true)
	if a.Action == CorrectRecord {
		asked = m.wishOf(correction(old, a), true)
	}
	if err := m.suggestions.Gate(ctx, scope, asked); err != nil {
		return nil, err
	}

	// It is carried out as the client's own.
	if a.Action == CorrectRecord {
		return m.correct(inner, desk.OfClient(scope), old, a)
	}
	out, effects, err := m.amended(inner, desk.OfClient(scope), a, found)
	if err != nil {
		return nil, err
	}
	return out, m.desk.Decide(inner, effects...)
}

// Shared lists what all users of the scope's client know, replaced records too, in the order of their ids.
func (m *Memory) Shared(ctx context.Context, scope state.Scope) ([]state.Record, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	return ledger.Scan[state.Record](ctx, m.desk.Base, store.Query{Collection: state.Records, Prefix: desk.OfClient(scope).UserPrefix()})
}

// withShared adds to the hits of a recall what the client's users share, where the query asks for more than one affair. Found is what the hits
// are made of: scores compare within one index only, so those of the other are brought to its measure by how much of the query each
// index's best has.
func (m *Memory) withShared(ctx context.Context, q Query, hits []Hit, found []words.Hit) ([]Hit, error) {
	if q.In == InCurrent || q.In == InSession || q.Session != "" {
		return hits, nil
	}
	d, err := m.desk.SharedMind(ctx, q.Scope)
	if d == nil || err != nil {
		return hits, err
	}
	q.Scope, q.MinSeq = desk.OfClient(q.Scope), 0
	v := m.lookInto(d, q)
	d.Unlock()
	shared := v.linked(v.search(ctx))
	more, err := v.hits(ctx, nil, shared)
	if err != nil || len(more) == 0 {
		return hits, err
	}

	// One list of both.
	measure := 1.0
	if len(found) > 0 && found[0].Coverage > 0 && shared[0].Score > 0 {
		measure = found[0].Score / shared[0].Score * shared[0].Coverage / found[0].Coverage
	}
	for _, h := range more {
		h.Score *= measure
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		switch { // what the step has just decided stays first
		case a.Why.Decided == b.Why.Decided:
			return cmp.Compare(b.Score, a.Score)
		case a.Why.Decided:
			return -1
		}
		return 1
	})
	return withinTokens(hits, q.Tokens, m.Tokens), nil
}

// withinTokens passes over what has more tokens than are left; 0 = all of it fits.
func withinTokens(hits []Hit, left int, count func(string) int) []Hit {
	if left <= 0 {
		return hits
	}
	return slices.DeleteFunc(hits, func(h Hit) bool {
		n := count(h.Text)
		if n > left {
			return true
		}
		left -= n
		return false
	})
}
