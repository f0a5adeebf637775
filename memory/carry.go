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

// This file is how effects are merged whose step is in the log already, as it is where the store is not Atomic. The first attempt
// merges into what RAM has of the store. Later ones, also those after a crash, look first: at the feed, what was done,
// then at the documents, whose marks tell which edits were made. The feed's next number makes all commits to one user queue
// up, so whoever comes second looks at documents that nobody is still writing.

// atHand is a batch over what RAM has of the store, at number seq of the feed, if that will do: nobody has
// tried before, and nothing is known to be missing.
func (m *Memory) atHand(own []state.Effect) (b *batch, seq int64, ok bool) {
	d := m.lock(own[0].Scope)
	defer d.mu.Unlock()
	if d.docs == nil || !d.loaded || d.behind || slices.ContainsFunc(own, func(e state.Effect) bool { return e.From.Again }) {
		return nil, 0, false
	}
	return newBatch(d.docs.copy()), d.seq, true
}

// look is a batch over documents read from the store, and the number of the feed before that. It is nil when the feed
// says that the effects were carried out before.
func (m *Memory) look(ctx context.Context, own []state.Effect) (*batch, int64, error) {
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
	own = slices.DeleteFunc(slices.Clone(own), func(e state.Effect) bool { return reaches(done, e.From) })
	read := newTables()
	refs, sessions := targets(own)
	docs, affairs := make([]store.Doc, len(refs)), []store.Doc(nil)
	err = atOnce(2, func(i int) (err error) {
		switch {
		case i == 0:
			docs, err = m.fetch(ctx, refs)
		case sessions:
			affairs, err = m.base.Scan(ctx, store.Query{Collection: state.Affairs, Prefix: scope.UserPrefix()})
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	for _, doc := range slices.Concat(docs, affairs) {
		if doc.Body != nil {
			read.put(doc)
		}
	}
	b := newBatch(read)
	b.thorough = true
	if err := b.run(ctx, own, m.c.Now()); err != nil {
		return nil, 0, err
	}
	return b, head, b.recall(ctx, affairs, own)
}

// recall takes in what an earlier attempt changed besides the effects, when it settled their sessions: it is no
// different now, but the feed has to tell of it.
func (b *batch) recall(ctx context.Context, affairs []store.Doc, own []state.Effect) error {
	for _, doc := range affairs {
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

// targets are the documents that effects edit, and whether sessions are among them: then all affairs matter.
func targets(own []state.Effect) (refs []feedRef, sessions bool) {
	add := func(c state.Collection, id string) {
		if !slices.Contains(refs, feedRef{c, id}) {
			refs = append(refs, feedRef{c, id})
		}
	}
	for _, e := range own {
		switch {
		case e.Message != nil:
			add(state.Messages, e.Scope.MessageKey(e.Message.Seq))
		case e.File != nil:
			add(state.Messages, e.Scope.MessageKey(e.File.Seq))
		case e.Record != nil:
			add(state.Records, e.Scope.Key(e.Record.ID))
		case e.Repeat != nil:
			add(state.Records, e.Scope.Key(e.Repeat.ID))
		case e.Session != nil:
			add(state.Sessions, e.Scope.SessionKey())
			sessions = true
		case e.Affair != nil:
			add(state.Affairs, e.Scope.Key(e.Affair.ID))
		}
	}
	if sessions {
		refs = slices.DeleteFunc(refs, func(r feedRef) bool { return r.Collection == state.Affairs })
	}
	return refs, sessions
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
