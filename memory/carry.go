package memory

import (
	"context"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Bounds of the search for a feed entry that an earlier attempt may have written.
const (
	feedPage  = 32               // entries read at a time
	feedPages = 16               // at most
	skew      = 10 * time.Minute // how far the clocks of two processes may differ
)

// This file is how a commit finds the documents that it edits. It takes what the mind holds. A step that may have been carried
// out in part is looked up first: in the feed, whether it was done, then in the documents, whose marks tell which edits were made.
// The feed's next number makes all commits to one user queue up, so whoever comes second looks at documents that nobody is
// still writing.

// atHand are the documents that the mind holds, and the number of the feed that they are of. They are nil when the mind
// is not loaded, and when the effects may have been carried out in part.
func (m *Memory) atHand(ctx context.Context, own []state.Effect) (*held, int64, error) {
	partly := slices.ContainsFunc(own, func(e state.Effect) bool { return e.From.Again && e.From.Thread != "" })
	d := m.lock(own[0].Scope)
	defer d.mu.Unlock()
	if !d.loaded || partly {
		return nil, 0, nil
	}
	if d.behind {
		if err := m.update(ctx, d); err != nil {
			return nil, 0, err
		}
	}
	return d.docs, d.seq, nil
}

// look is a batch over documents read from the store, and the number of the feed before that. It is nil when the feed
// says that the effects were carried out before.
func (m *Memory) look(ctx context.Context, own []state.Effect) (*batch, int64, error) {
	// What does the feed say?
	scope, steps := own[0].Scope, lastSteps(own)
	head, at, done, err := m.findEntry(ctx, scope, steps, decidedAt(own))
	if err != nil {
		return nil, 0, err
	}
	if at > 0 {
		d := m.lock(scope)
		d.behind = d.behind || d.loaded && d.seq < at
		d.mu.Unlock()
		return nil, 0, nil
	}

	// What do the documents say? A step that edits a session may have changed any affair.
	own = slices.DeleteFunc(slices.Clone(own), func(e state.Effect) bool { return reaches(done, e.From) })
	read := readings{m.base, map[feedRef]store.Doc{}}
	b := newBatch(read)
	b.thorough = len(steps) > 0
	refs, docs := targets(own), []store.Doc(nil)
	err = atOnce(2, func(i int) (err error) {
		switch {
		case i == 0:
			docs, err = m.fetch(ctx, refs)
		case b.thorough && slices.ContainsFunc(own, func(e state.Effect) bool { return e.Session != nil }):
			b.affairs, err = m.base.Scan(ctx, store.Query{Collection: state.Affairs, Prefix: scope.UserPrefix()})
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	for i, doc := range docs {
		read.docs[refs[i]] = doc
	}
	for _, doc := range b.affairs {
		read.docs[feedRef{doc.Collection, doc.ID}] = doc
	}
	if err := b.run(ctx, own, m.c.Now()); err != nil {
		return nil, 0, err
	}
	return b, head, b.recall(ctx, own)
}

// readings are documents that were read together. What is not among them is read when it is asked for.
type readings struct {
	reader
	docs map[feedRef]store.Doc // without a Body: there is none
}

// Get returns one document.
func (r readings) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	doc, ok := r.docs[feedRef{c, id}]
	switch {
	case !ok:
		return r.reader.Get(ctx, c, id)
	case doc.Body == nil:
		return doc, store.NotFound(c, id)
	}
	return doc, nil
}

// recall takes in what an earlier attempt changed besides the effects, when it settled their sessions: it is no
// different now, but the feed has to tell of it.
func (b *batch) recall(ctx context.Context, own []state.Effect) error {
	for _, doc := range b.affairs {
		marks, err := marksOf(doc)
		if err != nil {
			return err
		}
		for _, e := range own {
			if !slices.Contains(marks, mark{e.From.Thread, e.From.Seq}) {
				continue
			}
			_, s, err := open[state.Affair](ctx, b, feedRef{state.Affairs, doc.ID})
			if err != nil {
				return err
			}
			s.edited = true
			break
		}
	}
	return nil
}

// targets are the documents that effects edit.
func targets(own []state.Effect) (refs []feedRef) {
	for _, e := range own {
		var ref feedRef
		switch {
		case e.Message != nil:
			ref = feedRef{state.Messages, e.Scope.MessageKey(e.Message.Seq)}
		case e.File != nil:
			ref = feedRef{state.Messages, e.Scope.MessageKey(e.File.Seq)}
		case e.Record != nil:
			ref = feedRef{state.Records, e.Scope.Key(e.Record.ID)}
		case e.Repeat != nil:
			ref = feedRef{state.Records, e.Scope.Key(e.Repeat.ID)}
		case e.Session != nil:
			ref = feedRef{state.Sessions, e.Scope.SessionKey()}
		case e.Affair != nil:
			ref = feedRef{state.Affairs, e.Scope.Key(e.Affair.ID)}
		}
		if ref.ID != "" && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// findEntry looks through the user's feed, from its end, for the entries that carry out the steps. At is the number of
// the oldest of them, 0 when any is missing; then done is how far their threads have come, as far as that was met. Head is the last number.
// It goes no further back than since.
func (m *Memory) findEntry(ctx context.Context, scope state.Scope, steps []mark, since time.Time) (head, at int64, done []mark, err error) {
	q := store.Query{Collection: state.Feed, Prefix: scope.UserPrefix(), Limit: feedPage, Reverse: true}
	open := slices.Clone(steps)
	for range feedPages {
		entries, err := scan[feedEntry](ctx, m.base, q)
		if err != nil {
			return 0, 0, nil, err
		}
		for _, e := range entries {
			head = max(head, e.Seq)
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
			if e.At.Time().Before(since.Add(-skew)) {
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

// decidedAt is when the first of the effects was decided, as far as they tell.
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
		case e.Affair != nil:
			at = e.Affair.At
		}
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}
