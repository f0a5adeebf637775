package memory

import (
	"context"
	"errors"
	"slices"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// The final ranking is the word index's, with the nearest vectors as one more field. So an index in this process and one on a server
// answer in the same order.
//
// A message of which all that was stored has been replaced, and that said little else, leaves recall with it.

// Recall returns what matches best, best first. Each candidate of the indexes is joined back to its document:
// what is gone, or was not valid at the time asked about, is left out. Without vectors, for want of an Embedder or because
// it does not answer, words decide alone; the trace tells.
func (m *Memory) Recall(ctx context.Context, q Query) ([]Hit, error) {
	q.Scope = q.Scope.Default()
	hits, err := m.find(ctx, q)
	if err == nil && q.Block == "" {
		noteRecall(ctx, q, hits)
	}
	return hits, err
}

// find is Recall but for the account of it.
func (m *Memory) find(ctx context.Context, q Query) ([]Hit, error) {
	// The query gets its defaults, and is held to what is worth looking up.
	ctx = m.desk.Under(ctx, q.Scope)
	if q.Limit <= 0 {
		q.Limit = m.desk.Set(ctx).RetrieveLimit
	}
	if n := len(q.Text); n > desk.MostRead {
		q.Text = text.Head(q.Text, desk.MostRead)
		state.TraceFrom(ctx).Note("recall: of a query of %d bytes the first %d were looked up", n, len(q.Text))
	}
	if err := q.validate(); err != nil {
		return nil, err
	}

	// A block is read by its name, without a search.
	if q.Block != "" {
		return m.readBlock(ctx, q)
	}
	v, err := m.look(ctx, q)
	if err != nil {
		return nil, err
	}

	// What the running step has decided is found first, and what is linked to the best hits with them.
	just := fresh(ctx, q, v.keep)
	found := v.linked(v.search(ctx))
	if len(just)+len(found) == 0 {
		if found, err = v.plain(ctx); err != nil {
			return nil, err
		}
	}
	hits, err := v.hits(ctx, just, found)
	if err == nil {
		hits, err = m.withShared(ctx, q, hits, found)
	}
	if err != nil {
		return nil, err
	}

	// The limit comes last, since the shared memory has its hits too.
	return hits[:min(q.Limit, len(hits))], nil
}

// look takes what a recall looks at from the user's mind.
func (m *Memory) look(ctx context.Context, q Query) (*vista, error) {
	d, err := m.caughtUp(ctx, q)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	return m.lookInto(d, q), nil
}

// lookInto takes what a recall looks at from a mind, which is locked.
func (m *Memory) lookInto(d *mind.Mind, q Query) *vista {
	q.Text = d.Unasked(q.Text)
	return &vista{
		m: m, mind: d, q: q, into: d.Joined, keep: q.filter(d.Joined), index: d.Index, docs: d.Docs, via: map[string][]string{},
	}
}

// caughtUp returns the user's mind, locked, and not older than the query asks for.
func (m *Memory) caughtUp(ctx context.Context, q Query) (*mind.Mind, error) {
	d, err := m.desk.Mind(ctx, q.Scope)
	if err != nil || d.Seq >= q.MinSeq {
		return d, err
	}
	d.Unlock()
	if d, err = m.desk.Attend(ctx, q.Scope, true); err != nil || d.Seq >= q.MinSeq {
		return d, err
	}
	seq := d.Seq
	d.Unlock()
	return nil, state.Errorf(state.Unavailable, "recall", "the feed ends at %d and %d was asked for; try again", seq, q.MinSeq)
}

// hits joins candidates back to their documents until there are enough.
func (v *vista) hits(ctx context.Context, just, found []words.Hit) ([]Hit, error) {
	limit, left := v.q.Limit, v.q.Tokens
	hits := make([]Hit, 0, limit)
	if len(just) > 0 {
		found = slices.Concat(just, found)
	}
	if err := v.readAhead(ctx, found[:min(limit, len(found))]); err != nil {
		return nil, err
	}
	for i := 0; i < len(found); i++ {
		h, err := v.join(ctx, found[i])
		switch {
		case errors.Is(err, state.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		case slices.ContainsFunc(hits, func(better Hit) bool { return better.Of == h.Of && !v.q.AsOf.IsZero() }):
			continue // heldThen has brought it
		}
		if at := copied(hits, h); at >= 0 {
			if o, _ := compose.ParseOrigin(h.Of); o.ID == v.q.Scope.Session {
				hits[at] = h
			}
			continue
		}
		if v.q.Tokens > 0 {
			n := v.m.Tokens(h.Text)
			if n > left {
				continue
			}
			left -= n
		}
		h.Why.Decided = i < len(just)
		if hits = append(hits, h); len(hits) == limit {
			break
		}
		if h.Message != nil && !v.q.AsOf.IsZero() {
			found = slices.Insert(slices.Clone(found), i+1, v.heldThen(h, found[i])...)
		}
	}
	return hits, nil
}

// copied returns the place of the hit that is the same message in another session: one is a fork of the other. -1 = there is none.
func copied(hits []Hit, h Hit) int {
	return slices.IndexFunc(hits, func(o Hit) bool {
		a, b := o.Message, h.Message
		return a != nil && b != nil && o.Of != h.Of && a.Seq == b.Seq && a.Turn == b.Turn && a.Role == b.Role && a.At.Equal(b.At) && a.FullText() == b.FullText()
	})
}

// recalledMost bounds how many hits of a recall the account of a turn names.
const recalledMost = 20

// noteRecall keeps in the trace what a recall found: where it is kept and how it came to its score.
func noteRecall(ctx context.Context, q Query, hits []Hit) {
	trace := state.TraceFrom(ctx)
	if trace == nil {
		return
	}

	r := account.Recalled{By: "tool", More: max(0, len(hits)-recalledMost)}
	if q.besidePreferences {
		r.By = "prompt"
	}

	for _, h := range hits[:min(len(hits), recalledMost)] {
		of := h.Of
		if o, ok := compose.ParseOrigin(h.Of); ok {
			of = o.Kept(q.Scope.Session)
		}
		r.Hits = append(r.Hits, account.Hit{Of: of, Score: h.Score, Figures: h.Why.figures()})
	}

	trace.Recalled(r)
}
