package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// The final ranking is the word index's, with the nearest vectors as one more field. So an index in this process and one on a server
// answer in the same order.
//
// A message of which all that was stored has been replaced, and that said little else, leaves recall with it.

// Where says what a recall looks through.
type Where string

// The places, as the tool memory_recall names them.
const (
	InCurrent Where = "current" // the current affair
	InAll     Where = "all"     // everything of the user
	InSession Where = "session" // what was said in the scope's session
	InKB      Where = "kb_only" // records only
)

// Query asks memory for what it has on a text. The zero value of each filter lets everything through; several must
// all agree.
type Query struct {
	Scope    state.Scope
	Text     string             // of which the first 16 KB are looked up
	In       Where              // default all
	Affair   string             // the current affair for InCurrent; "" = what is filed under none
	Block    string             // instead of Text: the message, block or attachment of the scope's session that has this name, whole; see compose.Block
	Limit    int                // default settings memory_retrieve_limit
	Tokens   int                // > 0: the hits' texts have no more tokens than this in all; what does not fit is passed over
	Kinds    []state.RecordKind // only records of these kinds, MessageRecord for messages
	From     time.Time          // only what was said or recorded at or after it
	To       time.Time          // only what was said or recorded before it
	AsOf     time.Time          // as it was known and valid then; zero = now
	Session  string             // only what was said in this session
	Project  string             // only records of this project
	Agent    string             // only records of this agent
	Archived bool               // what is in the archive, too
	Before   int64              // > 0: of the scope's session only messages before this number

	// MinSeq is the Seq of a receipt: an answer that does not know of that write yet is refused with state.ErrUnavailable.
	MinSeq int64

	keep              words.Filter
	besidePreferences bool // the prompt shows the user's preferences: a message that says little else is left out
	outdated          bool // also messages of which all that was stored was replaced since: what is forgotten is looked for there too
}

// Hit is one thing found. Text is its own text, Source says in words where it is from; exactly one of Message, Record and
// Doc is set. Why tells how it came to its score.
type Hit struct {
	ID      string         `json:"id"`
	Text    string         `json:"text"` // of a message over 4 KB the passage with most of the words asked for
	Source  string         `json:"source"`
	Of      string         `json:"of"`              // where it is kept, see compose.Origin
	Block   string         `json:"block,omitempty"` // of a message of the query's session that has more than Text, or attachments: what Text is from, see compose.Block
	Turn    string         `json:"turn,omitempty"`  // in which it was said or stored
	Affair  string         `json:"affair,omitempty"`
	Score   float64        `json:"score"` // compares hits of one recall
	Why     Why            `json:"why"`
	Message *state.Message `json:"message,omitempty"`
	Record  *state.Record  `json:"record,omitempty"`
	Doc     *state.Affair  `json:"affair_document,omitempty"`
}

// Why is how a hit came to its score.
type Why struct {
	Share   float64       `json:"share"`   // of the best possible score of this query; what the thresholds of the settings compare with
	Fields  words.Fields  `json:"fields"`  // each divided by the best of this recall
	Factors words.Factors `json:"factors"` // what their weighted sum was multiplied with
	Terms   []words.Match `json:"terms,omitempty"`
	Linked  []string      `json:"linked,omitempty"`  // not found by itself: what it shares with a better hit
	Decided bool          `json:"decided,omitempty"` // the running step has just decided it
}

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

// asked is the query as the word index gets it.
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

// near are the cosines of the documents nearest in meaning, nil where there are no vectors.
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

// heldThen are the records stored from a message that held at the time the query asks for: the message tells what was said, they what was so.
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
