package memory

import (
	"context"
	"strings"

	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/vectors"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// VectorStatus is how the vector index stands; ok is false without an Embedder.
func (m *Memory) VectorStatus() (s vectors.Status, ok bool) {
	if m.vectors == nil {
		return s, false
	}
	return m.vectors.Status(), true
}

// Reindex makes the vectors of all users' documents that the index lacks, takes out those it has too many, and makes the
// embedder's space the live one. Recall goes on meanwhile. It returns how many documents have vectors. Without an
// Embedder it is state.ErrInvalid.
func (m *Memory) Reindex(ctx context.Context, told vectors.Progress) (int, error) {
	owners, err := m.owners(ctx)
	if err != nil {
		return 0, err
	}
	return m.vectors.Reindex(ctx, owners, told)
}

// MoveTo changes over to another embedder without a gap: recall stays with the old one until all documents have
// vectors of the new one, and what is written meanwhile gets both. The old space stays in the index until it is dropped.
func (m *Memory) MoveTo(ctx context.Context, to *embed.Embedder, told vectors.Progress) (int, error) {
	owners, err := m.owners(ctx)
	if err != nil {
		return 0, err
	}
	return m.vectors.Move(ctx, to, owners, told)
}

// owners lists everybody who has something in memory. Every write leaves an entry in its user's feed, so the first entry of
// each feed is looked for, with a leap over the rest.
func (m *Memory) owners(ctx context.Context) ([]index.Owner, error) {
	if m.vectors == nil {
		return nil, state.Errorf(state.Invalid, "vectors", "there is no embedder; set MNEME_EMBEDDER")
	}
	var out []index.Owner
	for after := ""; ; {
		docs, err := m.c.Store.Scan(ctx, store.Query{Collection: state.Feed, After: after, Limit: 1})
		if err != nil || len(docs) == 0 {
			return out, err
		}
		client, rest, _ := strings.Cut(docs[0].ID, "/")
		user, _, _ := strings.Cut(rest, "/")
		o := index.Owner{Client: client, User: user}
		out = append(out, o)
		after = state.Scope{Client: client, User: user}.UserPrefix() + "~" // behind all numbers
	}
}
