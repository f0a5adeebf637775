package memory

import (
	"context"
	"strings"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// vista is what one recall looks at.
type vista struct {
	m     *Memory
	mind  *mind.Mind
	q     Query
	keep  words.Filter
	into  mind.Joined
	index *words.Index
	docs  *mind.Held
	from  ledger.Reader       // docs, and what was read ahead
	via   map[string][]string // what linked a document to another one that was found
}

// search finds candidates by words and, where there are vectors, by meaning.
func (v *vista) search(ctx context.Context) []words.Hit {
	candidates := 4 * v.q.Limit
	if !v.q.AsOf.IsZero() {
		candidates *= 16 // most of what matches was said later
	}
	return v.index.Search(v.asked(ctx, candidates))
}

// asked returns the query as the word index gets it.
func (v *vista) asked(ctx context.Context, limit int) words.Query {
	q := words.Query{Text: v.q.Text, Limit: limit, Around: true, Now: v.m.c.Now(), Keep: v.keep}
	if v.m.desk.Vectors != nil {
		q.Late = v.m.desk.Vectors.Late(index.Of(v.q.Scope)) // before the search, which may miss what is embedded meanwhile
		q.Near = v.near(ctx)
	}
	return q
}

// pool is how many of the nearest vectors take part in a ranking at least, and four times as many as are asked for. The others
// count as the mean of them. The nearest quarter of a chat instead of all its vectors costs a point of R@10 on e2e/retrieval.
const pool = 512

// near returns the cosines of the documents nearest in meaning, nil where there are no vectors.
func (v *vista) near(ctx context.Context) map[string]float32 {
	if strings.TrimSpace(v.q.Text) == "" {
		return nil
	}

	q := index.Query{Limit: max(pool, 4*v.q.Limit), Kinds: v.q.kinds(), From: v.q.From, To: v.q.To}
	if v.narrow() && v.index.Len() > pool {
		if ids, all := v.index.Matching(v.keep, index.MaxIDs); all {
			q.IDs = ids
		}
	}

	hits, err := v.m.desk.Vectors.Search(ctx, index.Of(v.q.Scope), v.q.Text, q)
	if err != nil {
		state.TraceFrom(ctx).Note("recall: by words alone: %v", err)
		return nil
	}

	near := make(map[string]float32, len(hits))
	for _, h := range hits {
		near[h.ID] = h.Cosine
	}
	return near
}

// narrow reports whether the query lets through only a part that the vector index cannot tell from the rest.
func (v *vista) narrow() bool {
	q := &v.q
	return q.In == InCurrent || q.In == InSession || q.keep.Affair != nil || q.Session+q.Project+q.Agent != ""
}

// heldThen returns the records stored from a message that held at the time the query asks for: the message tells what was said, they what was so.
// The caller does not hold the mind.
func (v *vista) heldThen(h Hit, f words.Hit) (out []words.Hit) {
	_, key := mind.DocumentKey(v.q.Scope, f.ID)
	v.mind.Lock()
	defer v.mind.Unlock()
	for _, r := range v.mind.Stated(mind.SessionOf(key), h.Message.ID) {
		if id := mind.DocID(state.Records, r.ID); r.ValidAt(v.q.AsOf) && v.index.Kept(id, v.keep) {
			out = append(out, words.Hit{ID: id, Share: f.Share, Score: f.Score})
		}
	}
	return out
}

// readAhead reads the documents of candidates that the mind does not hold, several at a time.
func (v *vista) readAhead(ctx context.Context, found []words.Hit) error {
	refs := make([]ledger.Ref, len(found))
	for i, h := range found {
		collection, key := mind.DocumentKey(v.q.Scope, h.ID)
		refs[i] = ledger.Ref{Collection: collection, ID: key}
	}
	var err error
	v.from, err = v.docs.ReadAhead(ctx, refs...)
	return err
}

// fresh searches what the running step has decided and not committed: it is found at once, and first.
func fresh(ctx context.Context, q Query, keep words.Filter) []words.Hit {
	search := func(x *words.Index) []words.Hit { return x.Search(words.Query{Text: q.Text, Keep: keep}) }
	return desk.FindDrafts(desk.DraftsOf(ctx, q.Scope), func(h words.Hit) string { return h.ID }, search)
}
