package memory

import (
	"context"
	"errors"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// alike finds records whose vectors are close to those of the planned ones. When it cannot, words do, and it is said.
func (m *Memory) alike(ctx context.Context, scope state.Scope, plans []plan) [][]index.Hit {
	out := make([][]index.Hit, len(plans))
	if m.desk.Vectors == nil {
		return out
	}
	kinds := []string{}
	for _, p := range plans {
		if !slices.Contains(kinds, string(p.record.Kind)) {
			kinds = append(kinds, string(p.record.Kind))
		}
	}

	for i, p := range plans {
		hits, err := m.desk.Vectors.Search(ctx, index.Of(scope), mind.RecordText(p.record), index.Query{Limit: 4, Kinds: kinds})
		if err != nil {
			state.TraceFrom(ctx).Note("write: likeness judged by words alone: %v", err)
			return out
		}
		out[i] = hits
	}
	return out
}

// candidate is a record that may be about the same.
type candidate struct {
	record state.Record
	cosine float64
	vector bool // cosine is known
	stored bool
}

// Bounds of what is compared with a new record.
const (
	likely    = .3 // share of the words that tell what it is about, by worth, that a candidate of another subject has at least
	likeliest = 8  // candidates by words and by subject that are valid
	looked    = 64 // by words, whether valid or history, and by subject
)

// candidates returns the user's valid records that share words with r, are about the same subject, or lie near it.
func (w *writing) candidates(ctx context.Context, d *mind.Mind, r state.Record, topic string, near []index.Hit) ([]candidate, error) {
	from := d.Docs
	var out []candidate
	add := func(id string, cosine float64, vector bool) error {
		_, key := mind.DocumentKey(w.scope, id)
		if slices.ContainsFunc(out, func(c candidate) bool { return w.scope.Key(c.record.ID) == key }) {
			return nil // it came by its vector first, whose cosine stands
		}
		found, err := ledger.Get[state.Record](ctx, from, state.Records, key)
		if errors.Is(err, state.ErrNotFound) || err == nil && (found.ValidTo != nil || w.closed(found.ID)) {
			return nil
		}
		if err == nil {
			out = append(out, candidate{found, cosine, vector, true})
		}
		return err
	}
	for _, h := range near {
		if err := add(h.ID, float64(h.Cosine), true); err != nil {
			return out, err
		}
	}
	var ids []string
	for _, h := range d.Index.Like(topic, likely, looked, mind.IsRecord) {
		ids = append(ids, h.ID)
	}
	for _, id := range slices.Backward(d.About(r.Subject)) {
		ids = append(ids, mind.DocID(state.Records, id))
	}
	for _, id := range ids {
		if err := add(id, 0, false); err != nil {
			return out, err
		}
		if len(out) == len(near)+likeliest {
			break
		}
	}
	return out, nil
}

// like are records that the step, or this call, has decided and that share words with a text.
func (w *writing) like(s string) []state.Record {
	earlier := slices.DeleteFunc(w.step.Like(s, likeliest), func(r state.Record) bool { return w.own.Closes(r.ID) })
	return append(earlier, w.own.Like(s, likeliest)...)
}
