package vectors

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Search returns the documents of the owner whose meaning is nearest to the text. Query.Vector is made of the text. The
// error is state.ErrUnavailable when embedder or index do not answer within the deadline, or have just failed: go on
// without.
func (k *Keeper) Search(ctx context.Context, o index.Owner, text string, q index.Query) ([]index.Hit, error) {
	k.queue.meet(o)
	if failure := k.queue.rests(); failure != nil {
		return nil, state.Errorf(state.Unavailable, "vectors", "have just failed: %w", failure)
	}
	within, cancel := context.WithTimeout(ctx, k.c.Query)
	defer cancel()
	s := k.side
	hits, err := s.search(within, o, text, q)
	if !errors.Is(err, state.ErrInvalid) && ctx.Err() == nil { // else the fault is the caller's
		k.queue.went(err)
	}
	if err != nil {
		if s.lost(err) {
			k.queue.forgetAll()
		}
		return nil, state.Errorf(state.Unavailable, "vectors", "%w", err)
	}
	return hits, nil
}

// Late returns the owner's documents whose vectors are known to be missing or old, nil if there are none.
func (k *Keeper) Late(o index.Owner) map[string]bool { return k.queue.late(o) }

func (s *side) search(ctx context.Context, o index.Owner, text string, q index.Query) ([]index.Hit, error) {
	v, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	vecs, err := s.embedder.Embed(ctx, text)
	if err != nil {
		return nil, err
	}
	q.Vector = vecs[0]
	return v.Search(ctx, o, q)
}
