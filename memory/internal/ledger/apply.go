package ledger

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Merge merges effects into their documents, each loaded once with all edits in order, with one entry a user for the feed. Effects that say which
// step they come from belong to one that stands in the log already, where that is not one transaction: then an edit whose document carries the
// step's mark is left out, and so is a document when no edit is left, and the feed comes behind the documents. Other commits of this process to
// the same users' memory wait until the Batch is released.
func (l *Ledger) Merge(ctx context.Context, effects []state.Effect) (*Batch, error) {
	users := make([]string, 0, len(effects))
	for _, e := range effects {
		users = append(users, e.Scope.UserPrefix())
	}
	leave, err := l.Alone(ctx, users...)
	if err != nil {
		return nil, err
	}
	b := &Batch{l: l, effects: effects, inLog: len(effects) > 0 && effects[0].From.Thread != "", leave: leave}
	b.late = b.inLog && effects[0].From.Again
	if err := b.merge(ctx); err != nil {
		leave()
		return nil, err
	}
	return b, nil
}

// Batch is what effects make of their documents, to be written: see checkpoint.Batch. It belongs to one goroutine.
type Batch struct {
	l       *Ledger
	effects []state.Effect
	inLog   bool // they are of a step that stands in the log
	late    bool // and may have been carried out in part by whoever decided them
	leave   func()

	docs    [][]store.Doc
	dropped bool
	met     collision
	silent  int // how often the store did not answer: each may have taken its whole deadline
}

func (b *Batch) merge(ctx context.Context) error {
	stages, dropped, err := b.l.mergeEffects(ctx, b.effects)
	if err != nil {
		return err
	}
	b.dropped = dropped
	if !b.inLog {
		stages = [3][]store.Doc{slices.Concat(stages[:]...)}
	}
	b.docs = slices.DeleteFunc(stages[:], func(docs []store.Doc) bool { return len(docs) == 0 })
	return nil
}

// Docs returns the documents in lists, each to be durable before the next is written.
func (b *Batch) Docs() [][]store.Doc { return slices.Clip(b.docs) }

// Again merges again after a Write that met another writer's document, which it says with a *store.ConflictError, or, for a step in the log, that
// was not answered.
func (b *Batch) Again(ctx context.Context, failed error) error {
	if b.inLog && state.CodeOf(failed) == state.Unavailable {
		b.silent++
	} else if err := b.met.judgeConflict(ctx, b.l.store, slices.Concat(b.docs...), failed); err != nil {
		return err
	}
	if ctx.Err() != nil || b.silent > 1 {
		return failed
	}
	b.l.noteStale(b.effects, failed)
	b.effects = markAgain(b.effects)
	return b.merge(ctx)
}

// Wrote tells what was written: every reader of this process sees it when Wrote returns.
func (b *Batch) Wrote(ctx context.Context) error {
	docs := slices.Concat(b.docs...)
	if len(docs) > 0 {
		b.l.c.Minds.Wrote(docs...)
	}
	for _, tell := range b.l.c.Wrote {
		tell(ctx, b.effects, docs)
	}
	if b.dropped && !b.late { // whoever decided it has to know
		return errErased(b.effects[0].Scope)
	}
	return nil
}

// Release lets other commits go on.
func (b *Batch) Release() { b.leave() }

// markAgain returns effects that say they may have been carried out in part.
func markAgain(effects []state.Effect) []state.Effect {
	effects = slices.Clone(effects)
	for i := range effects {
		effects[i].From.Again = true
	}
	return effects
}

// mergeEffects makes the documents of effects: those that say whose edits are made, the others, the entries of the feed. There is none
// when all is done already.
func (l *Ledger) mergeEffects(ctx context.Context, effects []state.Effect) (stages [3][]store.Doc, dropped bool, err error) {
	for _, own := range splitByUser(effects) {
		b, err := l.mergeUser(ctx, own)
		if err != nil {
			return stages, false, err
		}
		if b == nil {
			continue // it was all done before
		}
		gates, docs, err := b.encodeDocs()
		if err != nil {
			return stages, false, err
		}
		scope := own[0].Scope
		changes, err := b.changesOf(scope, slices.Concat(gates, docs))
		if err != nil {
			return stages, false, err
		}
		next := b.next()
		body, err := bson.Marshal(Entry{
			Seq: next.Seq, At: bson.NewDateTimeFromTime(l.c.Now()), Changed: b.listRefs(scope), Applied: lastSteps(own), Changes: changes,
			Gen: next.Gen, Owes: next.Owes,
		})
		if err != nil {
			return stages, false, state.Errorf(state.Internal, "feed of "+scope.UserPrefix(), "cannot be stored: %w", err)
		}
		stages[0], stages[1] = append(stages[0], gates...), append(stages[1], docs...)
		stages[2] = append(stages[2], store.Doc{Collection: state.Feed, ID: scope.FeedKey(next.Seq), Body: body})
		dropped = dropped || b.drops
	}
	return stages, dropped, nil
}

// mergeUser merges a user's effects into his documents. They are those that the mind holds. If these are out of date the store says so at the Write. Where the feed says that all was done before there is none.
func (l *Ledger) mergeUser(ctx context.Context, own []state.Effect) (*batch, error) {
	if slices.ContainsFunc(own, func(e state.Effect) bool { return e.From.Again && e.From.Thread != "" }) {
		return l.lookUp(ctx, own)
	}
	docs, stand, err := l.c.Minds.Held(ctx, own[0].Scope)
	if err != nil {
		return nil, err
	}
	if docs != nil && admits(own, stand) == nil {
		b := newBatch(docs, stand)
		if err := b.mergeSteps(ctx, own, l.c.Now()); err == nil && b.hasChanges() {
			return b, nil
		}
	}
	return l.lookUp(ctx, own) // the mind holds nothing, or not enough
}

// noteStale tells the users' minds that they are out of date, and which document a Write has met in another state.
func (l *Ledger) noteStale(effects []state.Effect, met error) {
	var at *store.ConflictError
	errors.As(met, &at)
	for _, own := range splitByUser(effects) {
		l.c.Minds.Stale(own[0].Scope, at)
	}
}

// collision is a document that was to be inserted and is there already.
type collision struct{ at store.ConflictError }

// judgeConflict returns the error of a Write if it would come again: no conflict about one of the documents, or one about a
// document that was there before they were merged, and that merging inserts all the same.
func (c *collision) judgeConflict(ctx context.Context, from Reader, docs []store.Doc, err error) error {
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

// splitByUser splits effects by the user whose memory they edit; users come in the order of their first effect.
func splitByUser(effects []state.Effect) [][]state.Effect {
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
