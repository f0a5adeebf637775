package memory

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Apply merges effects into their documents, each loaded once with all edits in order, and has write write them, with one
// entry a user for the feed. When write meets another writer's document, which it says with a *store.ConflictError, all is merged
// again. Effects that say which step they come from belong to one that stands in the log already, where that is not one transaction:
// then an edit whose document carries the step's mark is left out, and so is a document when no edit is left, and the
// feed is written behind the documents. What was written every reader of this process sees when Apply returns. Other commits of this
// process to the same users' memory wait meanwhile.
func (m *Memory) Apply(ctx context.Context, effects []state.Effect, write func(ctx context.Context, docs ...store.Doc) error) error {
	users := make([]string, 0, len(effects))
	for _, e := range effects {
		users = append(users, e.Scope.UserPrefix())
	}
	leave, err := m.exclusive(ctx, users...)
	if err != nil {
		return err
	}
	defer leave()
	var met collision
	var last error
	silent := 0 // how often the store did not answer: each may have taken its whole deadline
	for range applyTries {
		docs, feed, err := m.merge(ctx, effects)
		switch {
		case err != nil:
			return err
		case len(feed) == 0: // it was all done before
			return nil
		case effects[0].From.Thread == "":
			err = write(ctx, slices.Concat(docs, feed)...)
		default:
			if err = write(ctx, docs...); err == nil {
				err = write(ctx, feed...)
			}
		}
		if err == nil {
			m.applied(slices.Concat(docs, feed))
			return nil
		}
		if last = err; effects[0].From.Thread != "" && state.CodeOf(err) == state.Unavailable {
			silent++
		} else if err = met.judge(ctx, m.base, slices.Concat(docs, feed), err); err != nil {
			return err
		}
		if ctx.Err() != nil || silent > 1 {
			return last
		}
		m.doubt(effects, last)
		effects = again(effects)
	}
	return state.Errorf(state.Conflict, "edit of memory", "each of %d tries met another writer of the same memory: %w; "+
		"go on with the turn, or send its message again, when they are done", applyTries, last)
}

// applyTries bounds how often effects are merged again because another writer touched the same documents.
const applyTries = 64

// again are effects that may have been carried out in part.
func again(effects []state.Effect) []state.Effect {
	effects = slices.Clone(effects)
	for i := range effects {
		effects[i].From.Again = true
	}
	return effects
}

// merge makes the documents of effects, and the entries of the feed; no entry when all is done already.
func (m *Memory) merge(ctx context.Context, effects []state.Effect) (docs, feed []store.Doc, err error) {
	for _, own := range byUser(effects) {
		b, seq, err := m.batch(ctx, own)
		if err != nil {
			return nil, nil, err
		}
		if b == nil {
			continue // it was all done before
		}
		mine, err := b.docs()
		if err != nil {
			return nil, nil, err
		}
		scope := own[0].Scope
		body, err := bson.Marshal(feedEntry{
			Seq: seq + 1, At: bson.NewDateTimeFromTime(m.c.Now()), Changed: b.refs(scope), Applied: lastSteps(own), Edits: editsOf(own),
		})
		if err != nil {
			return nil, nil, state.Errorf(state.Internal, "feed of "+scope.UserPrefix(), "cannot be stored: %w", err)
		}
		docs = append(docs, mine...)
		feed = append(feed, store.Doc{Collection: state.Feed, ID: scope.FeedKey(seq + 1), Body: body})
	}
	return docs, feed, nil
}

// batch merges a user's effects into his documents, and tells the number of the feed that they are of. They are those that the
// mind holds. If these are out of date the store says so at the Write. Where the feed says that all was done before there is none.
func (m *Memory) batch(ctx context.Context, own []state.Effect) (*batch, int64, error) {
	docs, seq, err := m.atHand(ctx, own)
	if err != nil {
		return nil, 0, err
	}
	if docs != nil {
		b := newBatch(docs)
		if err := b.run(ctx, own, m.c.Now()); err == nil && b.changes() {
			return b, seq, nil
		}
	}
	return m.look(ctx, own) // the mind holds nothing, or not enough
}

// doubt notes that the users' minds are out of date, and that a document is which a Write has met in another state.
func (m *Memory) doubt(effects []state.Effect, met error) {
	var at *store.ConflictError
	errors.As(met, &at)
	for _, own := range byUser(effects) {
		d := m.lock(own[0].Scope)
		d.behind = true
		if at != nil && slices.Contains(kept(), at.Collection) && strings.HasPrefix(at.ID, d.scope.UserPrefix()) {
			if d.doubted == nil {
				d.doubted = map[feedRef]bool{}
			}
			d.doubted[feedRef{at.Collection, at.ID}] = true
		}
		d.mu.Unlock()
	}
}

// collision is a document that was to be inserted and is there already.
type collision struct{ at store.ConflictError }

// judge returns the error of a Write if it would come again: no conflict about one of the documents, or one about a
// document that was there before they were merged, and that merging inserts all the same.
func (c *collision) judge(ctx context.Context, from reader, docs []store.Doc, err error) error {
	var at *store.ConflictError
	if !errors.As(err, &at) {
		return err
	}
	i := slices.IndexFunc(docs, func(d store.Doc) bool { return d.Collection == at.Collection && d.ID == at.ID })
	switch {
	case i < 0:
		return err
	case docs[i].Rev > 0:
		return nil
	case c.at == *at:
		return state.Errorf(state.Conflict, "edit of memory", "%w: the document is there and is not this turn's, "+
			"so trying again does not help; cancel the turn if it has begun, and send its message again", err)
	}
	if _, e := from.Get(ctx, at.Collection, at.ID); e == nil {
		c.at = *at
	}
	return nil
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

// commit makes effects durable outside a turn. Where the store has no transactions that is a step of the user's own thread.
func (m *Memory) commit(ctx context.Context, effects []state.Effect) error {
	if m.journal == nil {
		return m.Apply(ctx, effects, m.c.Store.Write)
	}
	for range applyTries {
		if err := m.journal.Append(ctx, effects[0].Scope.WritesThread(), effects); state.CodeOf(err) != state.Conflict {
			return err
		}
	}
	return m.journal.Append(ctx, effects[0].Scope.WritesThread(), effects)
}

// decide hands effects to the turn's step, or commits them at once outside a turn.
func (m *Memory) decide(ctx context.Context, effects ...state.Effect) error {
	if sink := state.EffectsFrom(ctx); sink != nil {
		sink.Add(effects...)
		return nil
	}
	return m.commit(ctx, effects)
}

// editAffair applies an edit. A move that is no longer legal, because another session was first, is left
// out; everything else still holds.
func editAffair(a *state.Affair, e state.AffairEdit, scope state.Scope) {
	if e.Create != nil && a.ID == "" {
		*a = *e.Create
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
