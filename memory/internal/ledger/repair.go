package ledger

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Bounds of the search for a feed entry that an earlier attempt may have written.
const (
	feedPage  = 32               // entries read at a time
	feedPages = 16               // at most
	skew      = 10 * time.Minute // how far the clocks of two processes may differ
)

// This file is how a step is carried out that may have been carried out in part: it is looked up in the feed, whether it was
// done, then in the documents, whose marks tell which edits were made. The feed's next number makes all commits to one user
// queue up, so whoever comes second looks at documents that nobody is still writing.

// lookUp returns a batch over documents read from the store. It is nil when the feed
// says that the effects were carried out before.
func (l *Ledger) lookUp(ctx context.Context, own []state.Effect) (*batch, error) {
	// What does the feed say?
	scope, steps := own[0].Scope, lastSteps(own)
	head, at, done, err := l.findEntry(ctx, scope, steps, decidedAt(own), orderedAfter(own))
	if err != nil {
		return nil, err
	}
	if at > 0 {
		l.c.Minds.Stale(scope, nil)
		return nil, nil
	}
	if err := admits(own, head); errors.Is(err, errStale) && len(steps) > 0 {
		return l.dropSteps(ctx, own, head)
	} else if err != nil {
		return nil, err
	}

	// What do the documents say? A step that edits a session may have changed any affair.
	own = slices.DeleteFunc(slices.Clone(own), func(e state.Effect) bool { return reaches(done, e.From) })
	b := newBatch(l.store, head)
	b.thorough = len(steps) > 0
	if b.thorough {
		b.again = own
	}
	var beside errgroup.Group
	if b.thorough && slices.ContainsFunc(own, func(e state.Effect) bool { return e.Session != nil }) {
		beside.Go(func() (err error) {
			b.affairs, err = l.store.Scan(ctx, store.Query{Collection: state.Affairs, Prefix: scope.UserPrefix()})
			return err
		})
	}
	read, err := ReadAhead(ctx, l.store, listTargets(own)...)
	if err := cmp.Or(err, beside.Wait()); err != nil {
		return nil, err
	}
	for _, doc := range b.affairs {
		read.docs[Ref{doc.Collection, doc.ID}] = doc
	}
	b.from = read
	if err := b.mergeSteps(ctx, own, l.c.Now()); err != nil {
		return nil, err
	}
	return b, b.noteSettled(ctx, own)
}

// noteSettled takes in what an earlier attempt changed besides the effects, when it settled their sessions: it is no
// different now, but the feed has to tell of it.
func (b *batch) noteSettled(ctx context.Context, own []state.Effect) error {
	for _, doc := range b.affairs {
		marks, err := marksOf(doc)
		if err != nil {
			return err
		}
		for _, e := range own {
			if !slices.Contains(marks, mark{e.From.Thread, e.From.Seq}) {
				continue
			}
			_, s, err := open[state.Affair](ctx, b, Ref{state.Affairs, doc.ID})
			if err != nil {
				return err
			}
			s.edited = true
			break
		}
	}
	return nil
}

// listTargets lists the documents that effects edit.
func listTargets(own []state.Effect) (refs []Ref) {
	// An effect edits one document; which one its kind says.
	for _, e := range own {
		var ref Ref
		switch {
		case e.Message != nil:
			ref = Ref{state.Messages, e.Scope.MessageKey(e.Message.Seq)}
		case e.File != nil:
			ref = Ref{state.Messages, e.Scope.MessageKey(e.File.Seq)}
		case e.Record != nil:
			ref = Ref{state.Records, e.Scope.Key(e.Record.ID)}
		case e.Repeat != nil:
			ref = Ref{state.Records, e.Scope.Key(e.Repeat.ID)}
		case e.Archive != nil:
			ref = Ref{state.Records, e.Scope.Key(e.Archive.ID)}
		case e.Restore != nil:
			ref = Ref{e.Restore.Collection, e.Scope.Key(e.Restore.ID)}
		case e.Suggestion != nil:
			ref = Ref{state.Suggestions, e.Scope.Key(e.Suggestion.ID)}
		case e.Session != nil:
			ref = Ref{state.Sessions, e.Scope.SessionKey()}
		case e.Affair != nil:
			ref = Ref{state.Affairs, e.Scope.Key(e.Affair.ID)}
		case e.Erase != nil:
			ref = Ref{e.Erase.Collection, e.Scope.Key(e.Erase.ID)}
		case e.Order != nil:
			ref = Ref{state.Orders, e.Scope.Key(e.Order.ID)}
		}
		if ref.ID != "" && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// findEntry looks through the user's feed, from its end, for the entries that carry out the steps. At is the number of
// the oldest of them, 0 when any is missing; then done is how far their threads have come, as far as that was met. Head is where the feed stands.
// It goes no further back than since, and than the entry with number after.
func (l *Ledger) findEntry(ctx context.Context, scope state.Scope, steps []mark, since time.Time, after int64) (head Stand, at int64, done []mark, err error) {
	q := store.Query{Collection: state.Feed, Prefix: scope.UserPrefix(), Limit: feedPage, Reverse: true}
	open := slices.Clone(steps)
	for range feedPages {
		entries, err := Scan[Entry](ctx, l.store, q)
		if err != nil {
			return head, 0, nil, err
		}
		for _, e := range entries {
			if e.Seq > head.Seq {
				head = e.Stand()
			}
			for _, k := range e.Applied {
				i := slices.IndexFunc(open, func(o mark) bool { return o.Thread == k.Thread })
				switch {
				case i >= 0 && k.Seq < open[i].Seq:
					return head, 0, []mark{k}, nil // the thread had not come further
				case i >= 0:
					open, at = slices.Delete(open, i, i+1), e.Seq
				}
			}
			if len(open) == 0 {
				return head, at, nil, nil
			}
			if e.Seq <= after || e.At.Time().Before(since.Add(-skew)) {
				return head, 0, nil, nil
			}
			q.After = scope.FeedKey(e.Seq)
		}
		if len(entries) < feedPage {
			break
		}
	}
	return head, 0, nil, nil
}

// orderedAfter returns the number of the entry that an order to erase among the effects was made at, 0 without one: what carries it out comes later.
func orderedAfter(effects []state.Effect) int64 {
	for _, e := range effects {
		if e.Order != nil {
			return e.Order.After
		}
	}
	return 0
}

// decidedAt returns when the first of the effects was decided, as far as they tell.
func decidedAt(effects []state.Effect) (first time.Time) {
	for _, e := range effects {
		var at time.Time
		switch {
		case e.Message != nil:
			at = e.Message.At
		case e.Record != nil:
			at = e.Record.RecordedAt
		case e.Repeat != nil:
			at = e.Repeat.At
		case e.Archive != nil:
			at = e.Archive.At
		case e.Affair != nil:
			at = e.Affair.At
		case e.Suggestion != nil:
			at = cmp.Or(e.Suggestion.AnsweredAt, e.Suggestion.At)
		}
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}
