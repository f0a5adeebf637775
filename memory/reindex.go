package memory

import (
	"context"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/vectors"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Status returns how the vector index stands; ok is false without an Embedder.
func (v Vectors) Status() (s vectors.Status, ok bool) {
	if v.m.desk.Vectors == nil {
		return s, false
	}
	return v.m.desk.Vectors.Status(), true
}

// Reindex makes the vectors of all users' documents that the index lacks, takes out those it has too many, and makes the
// embedder's space the live one. Recall goes on meanwhile. It returns how many documents have vectors. Without an
// Embedder it is state.ErrInvalid.
func (v Vectors) Reindex(ctx context.Context, told vectors.Progress) (int, error) {
	if v.m.desk.Vectors == nil {
		return 0, state.Errorf(state.Invalid, "vectors", "there is no embedder; set MNEME_EMBEDDER")
	}
	owners, err := desk.Owners(ctx, v.m.c.Store)
	if err != nil {
		return 0, err
	}
	return v.m.desk.Vectors.Reindex(ctx, owners, told)
}

// CountVectors counts the documents of all users in a store, and those of them that have their vector in v, which is nil
// for an index that holds none: what Reindex would find. It writes nothing, so that it may be asked where no Memory is to be
// opened, and asks no embedder: a text that the embedder refuses counts as one that waits. It reads every text; with more
// than limit documents it ends early and says so, and so it does with an error.
func CountVectors(ctx context.Context, s store.Store, v index.Vectors, limit int) (index.Tally, error) {
	m := &Memory{c: Config{Store: s}} // documents are read from the store alone
	owners, err := desk.Owners(ctx, s)
	if err != nil {
		return index.Tally{More: true}, err
	}
	return vectors.Count(ctx, v, m.documents, owners, limit)
}
