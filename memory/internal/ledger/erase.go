package ledger

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is how an order to erase is kept. Its first commit takes a number of the user's feed and says so in the entry (Entry.Gen), and every
// entry after it says it too. So whoever commits learns of it: by the entries he reads when a turn begins, or by the conflict at the feed's
// next number. What was decided before it is refused, and while it is carried out so is everything else. An ordinary commit reads nothing for that.

// errStale is the reason of an edit that was decided before an order to erase.
var errStale = errors.New("was erased in part while this was decided")

// errErased returns the error of who has decided it.
func errErased(user state.Scope) error {
	return state.Errorf(state.Conflict, "memory of "+user.UserPrefix(), "%w; look again, or send the message again", errStale)
}

// owesWait is after what time it is worth trying again while an order is carried out.
const owesWait = 50 * time.Millisecond

// errOwes returns the error of whoever would write while an order is not carried out.
func errOwes(user state.Scope) error {
	err := state.Errorf(state.Unavailable, "memory of "+user.UserPrefix(), "is being erased in part; try again in a moment, or run mneme forget for this user to have it done")
	err.RetryAfter = owesWait
	return err
}

// admits refuses effects that must not come into a user's memory as it stands.
func admits(own []state.Effect, stand Stand) error {
	switch {
	case stand.Gen == 0 || slices.ContainsFunc(own, func(e state.Effect) bool { return e.Order != nil }):
		return nil
	case slices.ContainsFunc(own, func(e state.Effect) bool { return e.Seen > 0 && e.Seen <= stand.Gen }):
		return errErased(own[0].Scope)
	case stand.Owes:
		return errOwes(own[0].Scope)
	}
	return nil
}

// next returns where the feed stands once the batch is written.
func (b *batch) next() Stand {
	next := b.stand
	next.Seq++
	if o := b.ordered; o != nil {
		if next.Owes = Owes(o); o.Rev == 1 {
			next.Gen = next.Seq
		}
	}
	return next
}

// dropSteps returns a batch that takes out what steps have written that were decided before an order to erase: nothing of them is to be
// seen. One that was there before it has edited is as whole as it
// was: whoever erases it meets the revision.
func (l *Ledger) dropSteps(ctx context.Context, own []state.Effect, stand Stand) (*batch, error) {
	b := newBatch(l.store, stand)
	b.drops, b.thorough = true, true
	refs := listTargets(own)
	docs, err := Fetch(ctx, l.store, refs...)
	if err != nil {
		return nil, err
	}
	for i, doc := range docs {
		if doc.Body == nil {
			continue
		}
		gone, err := madeBy(doc, refs[i], own)
		if err != nil {
			return nil, err
		}
		b.put(refs[i], &slot{value: doc.Body, rev: doc.Rev, edited: true, changed: gone, gone: gone, erased: true, by: state.By{Who: state.ByPipeline, Path: "forget"}})
	}
	return b, nil
}

// madeBy reports whether any of the steps' effects has made a document. A message says its turn, the others keep marks.
func madeBy(doc store.Doc, ref Ref, own []state.Effect) (bool, error) {
	if ref.Collection == state.Messages {
		msg, err := Decode[state.Message](doc)
		return slices.ContainsFunc(own, func(e state.Effect) bool {
			return e.Message != nil && e.Scope.MessageKey(e.Message.Seq) == ref.ID && e.Message.ID == msg.ID && e.Message.Turn == msg.Turn && e.Message.Text == msg.Text
		}), err
	}
	marks, err := marksOf(doc)
	return doc.Rev == 1 && slices.ContainsFunc(own, func(e state.Effect) bool {
		return slices.Contains(marks, mark{e.From.Thread, e.From.Seq})
	}), err
}

// erase takes a document away, or puts another in its place.
func (b *batch) erase(ctx context.Context, e state.Effect) error {
	if b.drops {
		return nil
	}
	ref := Ref{e.Erase.Collection, e.Scope.Key(e.Erase.ID)}
	doc, err := b.from.Get(ctx, ref.Collection, ref.ID)
	if state.CodeOf(err) == state.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	s := &slot{value: bson.Raw(e.Erase.Body), rev: doc.Rev, erased: true, gone: e.Erase.Body == nil, scope: e.Scope}
	if s.had, err = marksOf(doc); err != nil {
		s.had = nil // damaged, and it goes
	}
	if e.By != nil {
		s.by = *e.By
	}
	b.put(ref, s)
	if !s.take(e.From) {
		s.changed = false
		return nil
	}
	if doc.Rev != e.Erase.Rev {
		if s.changed = false; e.From.Thread != "" { // it stands in the log: who erases looks again
			return nil
		}
		return state.Errorf(state.Conflict, "erase "+string(ref.Collection)+" "+ref.ID, "it has been changed meanwhile; try again")
	}
	return nil
}

// takeOrder keeps an order as it is from now on. It comes before what it carries out. A new one has to know the last entry of the feed, else what it names may not be all; an edit of one the
// edit before it.
func (b *batch) takeOrder(ctx context.Context, e state.Effect) error {
	o, s, err := open[state.Order](ctx, b, Ref{state.Orders, e.Scope.Key(e.Order.ID)})
	if err != nil {
		return err
	}
	if !s.take(e.From) {
		b.ordered, s.changed = e.Order, false
		return nil
	}
	if e.Order.Rev != o.Rev+1 || e.Order.Rev == 1 && (e.Order.After != b.stand.Seq || b.stand.Owes) {
		if e.From.Thread != "" { // it stands in the log, and comes to nothing
			s.changed, b.drops = false, true
			return nil
		}
		return state.Errorf(state.Conflict, "order "+e.Order.ID, "memory has changed since; look again")
	}
	*o, b.ordered = *e.Order, e.Order
	return nil
}

// Strip takes out of entries of a user's feed what documents were before changes that its says, and who made them why: who, when and by which way stay.
// With whole an entry does not even name documents. It looks at so many entries behind number after, and returns the number of the last of
// them, 0 when there are no more, and how many it has written anew.
func Strip(ctx context.Context, s store.Store, user state.Scope, after int64, limit int, whole bool, its func(Change) bool) (last int64, n int, err error) {
	// The next entries of the feed.
	q := store.Query{Collection: state.Feed, Prefix: user.UserPrefix(), Limit: limit}
	if after > 0 {
		q.After = user.FeedKey(after)
	}
	docs, err := s.Scan(ctx, q)
	if err != nil || len(docs) == 0 {
		return 0, 0, err
	}

	// Of each the changes that are meant lose their fields and reasons; a second call finds nothing left.
	var changed []store.Doc
	for _, doc := range docs {
		e, err := Decode[Entry](doc)
		if err != nil {
			return 0, 0, err
		}
		last = e.Seq
		hit := whole && (len(e.Changes) > 0 || len(e.Changed) > 0)
		for i, c := range e.Changes {
			if !c.Erased && (len(c.Fields) > 0 || c.By.Why != "") && its(c) {
				c.Erased, c.Fields, c.By.Why, hit = true, nil, "", true
				e.Changes[i] = c
			}
		}
		if !hit {
			continue
		}

		if whole {
			e.Changes, e.Changed = nil, []Ref{}
		}
		if doc.Body, err = bson.Marshal(e); err != nil {
			return 0, 0, state.Errorf(state.Internal, "feed "+doc.ID, "cannot be stored: %w", err)
		}
		changed = append(changed, doc)
	}

	// One write for all of them, so that a stop in between leaves them as they were.
	if len(changed) == 0 {
		return last, 0, nil
	}
	return last, len(changed), s.Write(ctx, changed...)
}

// The stages of an order, one after the other. The first ones keep everybody else out of the user's memory.
const (
	StagePlan      = "plan"      // what was erased elsewhere is looked for in this memory
	StageTurns     = "turns"     // turns that are not finished end
	StageRemake    = "remake"    // what was made of it is made again from what is left
	StageFeed      = "feed"      // the feed tells no more what documents were
	StageLog       = "log"       // steps of turns go
	StageDocuments = "documents" // messages, records, affairs, sessions go
	StageDerived   = "derived"   // word indexes and vectors in the store go
	StageVectors   = "vectors"   // vectors on a server go
	StagePages     = "pages"     // free pages of the store's files are emptied
)

// Owes reports whether documents of the order are still to be erased.
func Owes(o *state.Order) bool {
	return o.Stage != "" && o.Stage != StageVectors && o.Stage != StagePages
}
