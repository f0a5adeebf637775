package component

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/indexer"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// IndexerConfig says what becomes of the documents an Indexer is given.
type IndexerConfig struct {
	Memory   *memory.Memory   // required
	Scope    state.Scope      // whose memory; a turn fills in what is empty. Outside a turn client, user and session are required
	Kind     state.RecordKind // of the records; default fact
	Affair   string           // id of the affair they belong to; default the turn's, none outside a turn
	Priority state.Priority   // how soon they must have their vectors; default state.Normal
}

// Indexer keeps documents in a memory as records. It is safe for concurrent use.
type Indexer struct{ c IndexerConfig }

var (
	_ indexer.Indexer    = (*Indexer)(nil)
	_ components.Typer   = (*Indexer)(nil)
	_ components.Checker = (*Indexer)(nil)
)

// NewIndexer makes an Indexer. It does no I/O; the Memory stays its owner's to close.
func NewIndexer(c IndexerConfig) (*Indexer, error) {
	const op = "indexer"
	switch {
	case c.Memory == nil:
		return nil, state.Errorf(state.Invalid, op, "Config needs Memory")
	case c.Kind != "" && !c.Kind.Known():
		return nil, state.Errorf(state.Invalid, op, "kind %q is unknown; use one of %v", c.Kind, state.Kinds())
	case c.Priority != "" && !c.Priority.Valid():
		return nil, state.Errorf(state.Invalid, op, "priority %q is unknown; use one of %v", c.Priority, state.Priorities())
	}
	if err := checked(op, c.Scope); err != nil {
		return nil, err
	}
	return &Indexer{c}, nil
}

// GetType returns the implementation's name, shown by eino's tools as "MnemeIndexer".
func (x *Indexer) GetType() string { return kind }

// IsCallbacksEnabled says that Store raises eino's callbacks itself.
func (x *Indexer) IsCallbacksEnabled() bool { return true }

// Store keeps documents, all or none, and returns the ids of their records, one a document and in the same order. What memory has
// already is not kept twice: its id is that of the record there is. Every recall finds them once Store has
// returned, within the running step of a turn before it is durable.
//
// Of a document its content is kept and, from the metadata, MetaSubject. Its own id and the rest of the metadata, vectors
// included, are not. Options and sub-indexes of a document are state.ErrInvalid: memory has one index, and makes vectors with
// the embedder it was opened with. Setting autonomy 0 refuses with state.ErrDenied.
func (x *Indexer) Store(ctx context.Context, docs []*schema.Document, opts ...indexer.Option) ([]string, error) {
	ctx = callbacks.EnsureRunInfo(ctx, x.GetType(), components.ComponentOfIndexer)
	ctx = callbacks.OnStart(ctx, &indexer.CallbackInput{Docs: docs})
	ids, err := x.store(ctx, docs, indexer.GetCommonOptions(nil, opts...))
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	callbacks.OnEnd(ctx, &indexer.CallbackOutput{IDs: ids})
	return ids, nil
}

func (x *Indexer) store(ctx context.Context, docs []*schema.Document, asked *indexer.Options) ([]string, error) {
	// Options that memory cannot follow are refused, before anything is written.
	const op = "indexer option"
	switch {
	case asked.Embedding != nil:
		return nil, state.Errorf(state.Invalid, op, "WithEmbedding has no meaning: memory makes vectors with the Embedder it was opened with")
	case asked.Index != nil || len(asked.SubIndexes) > 0:
		return nil, state.Errorf(state.Invalid, op, "WithIndex and WithSubIndexes have no meaning: memory has one index")
	}

	// Each document is a change by the agent whose turn it is.
	changes := make([]memory.Change, len(docs))
	for i, doc := range docs {
		var err error
		if changes[i], err = x.change(i, doc); err != nil {
			return nil, err
		}
	}
	ctx, at, err := locate(ctx, "indexer", x.c.Scope)
	if err != nil || len(docs) == 0 {
		return []string{}, err
	}
	for i := range changes {
		changes[i].Author = at.scope.Agent
	}

	// In a turn with a call the documents are told apart, so that the call can come again.
	if at.origin.Call != "" {
		ctx = memory.ContextWithOrigin(ctx, apart(at.origin, changes))
	}
	receipts, err := x.c.Memory.Write(ctx, at.scope, changes...)
	if err != nil {
		return nil, fmt.Errorf("keep %d documents: %w", len(docs), err)
	}
	ids := make([]string, len(receipts))
	for i, r := range receipts {
		ids[i] = r.ID
	}
	return ids, nil
}

// change returns what a document asks for.
func (x *Indexer) change(i int, doc *schema.Document) (memory.Change, error) {
	op := fmt.Sprintf("document %d of the indexer", i+1)
	c := memory.Change{Kind: x.c.Kind, Affair: x.c.Affair, Priority: x.c.Priority}
	if doc == nil {
		return c, state.Errorf(state.Invalid, op, "is nil")
	}
	subject, given := doc.MetaData[MetaSubject]
	about, text := subject.(string)
	switch {
	case given && !text:
		return c, state.Errorf(state.Invalid, op, "has a %T as %q; give a string", subject, MetaSubject)
	case strings.TrimSpace(doc.Content) == "":
		return c, state.Errorf(state.Invalid, op, "has no content; leave it out")
	case len(doc.SubIndexes()) > 0:
		return c, state.Errorf(state.Invalid, op, "asks for sub-indexes %v; memory has one index", doc.SubIndexes())
	}
	c.Subject, c.Content = about, doc.Content
	return c, nil
}

// apart gives every Store of one tool call ids of its own, the same ones when the call is repeated: memory tells records of a call
// apart by their place in one Write.
func apart(o memory.Origin, changes []memory.Change) memory.Origin {
	sum := sha256.New()
	for _, c := range changes {
		fmt.Fprintf(sum, "%q %q %q %q\n", c.Kind, c.Affair, c.Subject, c.Content)
	}
	o.Call = fmt.Sprintf("%s/%x", o.Call, sum.Sum(nil)[:6])
	return o
}
