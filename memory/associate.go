package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
)

// associate adds what resembles what the message brings to mind, if the settings say so and the gate opens: cross-attention over memory.
// It looks where evidence does, and at what is neither evidence nor in the window.
func (r *recollection) associate(ctx context.Context, affair func(string) bool) error {
	s := r.m.desk.Set(ctx)
	if !s.Associations {
		return nil
	}

	// It looks where evidence does.
	q := r.within(Query{Text: desk.Said(r.msg), Limit: s.RetrieveLimit}, affair)
	q.Scope = q.Scope.Default()
	v, err := r.m.look(ctx, q)
	if err != nil {
		return err
	}

	// The gate: without one strong resemblance nothing is shown.
	gate, found := v.index.Associate(v.asked(ctx, s.RetrieveLimit))
	if gate <= s.AssociationGate {
		return nil
	}
	hits := make([]words.Hit, len(found))
	for i, a := range found {
		hits[i] = words.Hit{ID: a.ID, Score: a.Cosine}
	}

	// What is evidence already, or in the window, is left out; the best comes first.
	joined, err := v.hits(ctx, nil, hits)
	for _, h := range joined {
		if r.shown[h.Of] || h.Message != nil && r.inWindow(*h.Message) {
			continue
		}
		why := fmt.Sprintf("association: it resembles what the message brings to mind (%.2f), gate %.2f above %.2f", h.Score, gate, s.AssociationGate)
		r.associations = append(r.associations, compose.Evidence{Text: h.Text, Source: h.Source, Of: h.Of, Trust: h.trust(), Score: h.Score, Why: why})
	}
	slices.SortStableFunc(r.associations, func(a, b compose.Evidence) int { return cmp.Compare(b.Score, a.Score) })
	return err
}
