package component

import (
	"context"
	"fmt"
	"slices"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// RetrieverConfig says where a Retriever looks.
type RetrieverConfig struct {
	Memory *memory.Memory     // required
	Scope  state.Scope        // whose memory; a turn fills in what is empty. Outside a turn client, user and session are required
	In     memory.Where       // default all
	Affair string             // id of the affair that memory.InCurrent means; default the turn's, outside a turn what is filed under none
	Kinds  []state.RecordKind // only records of these kinds, state.MessageRecord for messages; default all
	Tokens int                // > 0: the contents have no more tokens than this in all; what does not fit is passed over
	TopK   int                // how many documents at most; default the setting memory_retrieve_limit
}

// Retriever finds documents in a memory. It is safe for concurrent use.
type Retriever struct{ c RetrieverConfig }

var (
	_ retriever.Retriever = (*Retriever)(nil)
	_ components.Typer    = (*Retriever)(nil)
	_ components.Checker  = (*Retriever)(nil)
)

// NewRetriever makes a Retriever. It does no I/O; the Memory stays its owner's to close.
func NewRetriever(c RetrieverConfig) (*Retriever, error) {
	const op = "retriever"
	switch {
	case c.Memory == nil:
		return nil, state.Errorf(state.Invalid, op, "Config needs Memory")
	case !slices.Contains([]memory.Where{"", memory.InAll, memory.InCurrent, memory.InSession, memory.InKB}, c.In):
		return nil, state.Errorf(state.Invalid, op, "In is %q; use current, session, all or kb_only", c.In)
	case c.Affair != "" && c.In != memory.InCurrent:
		return nil, state.Errorf(state.Invalid, op, "an Affair is looked through only with In %q", memory.InCurrent)
	case c.Tokens < 0 || c.TopK < 0:
		return nil, state.Errorf(state.Invalid, op, "Tokens is %d and TopK %d; use 0 for no bound of one's own", c.Tokens, c.TopK)
	}
	if err := known(op, c.Kinds); err != nil {
		return nil, err
	}
	if err := checked(op, c.Scope); err != nil {
		return nil, err
	}
	c.Kinds = slices.Clone(c.Kinds)
	if c.TopK == 0 {
		c.TopK = c.Memory.Settings().Known(state.Scope{}).RetrieveLimit
	}
	return &Retriever{c}, nil
}

// known refuses kinds that no record has.
func known(op string, kinds []state.RecordKind) error {
	for _, k := range kinds {
		if !k.Known() {
			return state.Errorf(state.Invalid, op, "kind %q is unknown; use some of %v", k, state.Kinds())
		}
	}
	return nil
}

// GetType returns the implementation's name, shown by eino's tools as "MnemeRetriever".
func (r *Retriever) GetType() string { return kind }

// IsCallbacksEnabled says that Retrieve raises eino's callbacks itself.
func (r *Retriever) IsCallbacksEnabled() bool { return true }

// Retrieve returns what matches the query best, best first; none for a blank query. What the running step of a turn has just decided
// comes before everything else, whatever its score. The keys of the metadata are the constants of this package.
//
// Options: WithTopK, from 1. WithScoreThreshold, from 0 to 1, a share of the best score of the answer, because scores
// compare within one answer only; what a step has just decided is compared with the best of its like. WithDSLInfo takes the keys
// "kinds" (a list of strings), "from", "to" and "as_of" (a time.Time or RFC 3339), which mean what they
// mean in memory.Query and narrow what the Config lets through. Others are state.ErrInvalid: memory has one index,
// and the embedder it was opened with.
func (r *Retriever) Retrieve(ctx context.Context, query string, opts ...retriever.Option) ([]*schema.Document, error) {
	topK := r.c.TopK
	asked := retriever.GetCommonOptions(&retriever.Options{TopK: &topK}, opts...)
	ctx = callbacks.EnsureRunInfo(ctx, r.GetType(), components.ComponentOfRetriever)
	ctx = callbacks.OnStart(ctx, &retriever.CallbackInput{
		Query: query, TopK: *asked.TopK, Filter: r.filter(), ScoreThreshold: asked.ScoreThreshold, Extra: asked.DSLInfo,
	})
	docs, err := r.retrieve(ctx, query, asked)
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	callbacks.OnEnd(ctx, &retriever.CallbackOutput{Docs: docs})
	return docs, nil
}

// filter returns what the Config lets through, for a trace.
func (r *Retriever) filter() string {
	where := r.c.In
	if where == "" {
		where = memory.InAll
	}
	if len(r.c.Kinds) == 0 {
		return string(where)
	}
	return fmt.Sprintf("%s %v", where, r.c.Kinds)
}

func (r *Retriever) retrieve(ctx context.Context, query string, asked *retriever.Options) ([]*schema.Document, error) {
	q, err := r.query(query, asked)
	if err != nil {
		return nil, err
	}
	ctx, at, err := locate(ctx, "retriever", r.c.Scope)
	if err != nil {
		return nil, err
	}
	q.Scope = at.scope
	if q.Affair == "" && q.In == memory.InCurrent {
		q.Affair = at.origin.Affair
	}
	if at.origin.Seq > 0 { // a recall asks for the session only to leave out the question
		q.Scope.Session, q.Before = at.origin.Scope.Session, at.origin.Seq
	}
	hits, err := r.c.Memory.Recall(ctx, q)
	if err != nil {
		return nil, err
	}
	return documents(hits, asked.ScoreThreshold)
}

// query returns what the options ask for, within what the Config lets through.
func (r *Retriever) query(text string, asked *retriever.Options) (memory.Query, error) {
	const op = "retriever option"
	q := memory.Query{Text: text, In: r.c.In, Affair: r.c.Affair, Limit: *asked.TopK, Tokens: r.c.Tokens, Kinds: r.c.Kinds}
	switch t := asked.ScoreThreshold; {
	case asked.Embedding != nil:
		return q, state.Errorf(state.Invalid, op, "WithEmbedding has no meaning: memory makes vectors with the Embedder it was opened with")
	case asked.Index != nil || asked.SubIndex != nil:
		return q, state.Errorf(state.Invalid, op, "WithIndex and WithSubIndex have no meaning: memory has one index; narrow it with WithDSLInfo")
	case q.Limit < 1:
		return q, state.Errorf(state.Invalid, op, "WithTopK is %d; ask for 1 document at least", q.Limit)
	case t != nil && !(*t >= 0 && *t <= 1):
		return q, state.Errorf(state.Invalid, op, "WithScoreThreshold is %v; it is a share of the best score, from 0 to 1", *t)
	}
	return q, narrow(&q, asked.DSLInfo)
}
